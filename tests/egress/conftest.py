import json
import ssl
from collections.abc import Iterable, Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpcore
import pytest

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Resolver

from .receivers import Authority

DATA = Path(__file__).parents[1] / "data"
CORPUS = json.loads((DATA / "webhook_url_corpus.json").read_text(encoding="utf-8"))
"""The supplied corpus; `ADDITIONS` has further URLs that we found."""
ADDITIONS = json.loads((DATA / "webhook_url_additions.json").read_text(encoding="utf-8"))


def section(name: str) -> list[dict[str, Any]]:
    """Return the entries of a section in both files."""
    return [*CORPUS.get(name, ()), *ADDITIONS.get(name, ())]


# Merchants listen on loopback. The machine's resolver never sees their names.
NAMES = {name: ["127.0.0.1"] for name in ("a.merchant.test", "b.merchant.test", "other.merchant.test")}


class Directory:
    """A lookup that answers from a table and records each name."""

    def __init__(self, names: dict[str, list[str]] | None = None) -> None:
        self.names = dict(NAMES if names is None else names)
        self.lookups: list[str] = []

    def __call__(self, host: str) -> Iterable[str]:
        self.lookups.append(host)
        if host not in self.names:
            raise OSError(-2, "Name or service not known")
        return self.names[host]


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def resolver(directory: Directory) -> Iterator[Resolver]:
    resolver = Resolver(directory)
    yield resolver
    resolver.close()


@pytest.fixture(scope="session")
def closed() -> AddressGuard:
    """The guard of production."""
    return AddressGuard()


@pytest.fixture(scope="session")
def opened() -> AddressGuard:
    """The guard of a developer's machine: loopback is allowed."""
    return AddressGuard([ip_network("127.0.0.0/8")])


@pytest.fixture(scope="session")
def certificates() -> ssl.SSLContext:
    """The default trust store, read once because that takes 30 ms."""
    return httpcore.default_ssl_context()


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def client(opened: AddressGuard, resolver: Resolver, authority: Authority) -> EgressClient:
    """A client with long timeouts, so that only the timeout under test ends a call."""
    return EgressClient(opened, resolver, ssl_context=authority.client_context(), connect_seconds=60, body_seconds=60)


@pytest.fixture
def impatient(opened: AddressGuard, resolver: Resolver, authority: Authority) -> EgressClient:
    """A client with short timeouts to connect and to read a body."""
    return EgressClient(opened, resolver, ssl_context=authority.client_context(), connect_seconds=0.3, body_seconds=0.2)
