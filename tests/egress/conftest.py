import json
import ssl
from collections.abc import Iterable, Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpcore
import pytest

from gateway.integrations.egress import AddressGuard, EgressClient, Resolver

from .receivers import Authority

DATA = Path(__file__).parents[1] / "data"
CORPUS = json.loads((DATA / "webhook_url_corpus.json").read_text(encoding="utf-8"))
"""The corpus as it was given, and below it what we found beside it."""
ADDITIONS = json.loads((DATA / "webhook_url_additions.json").read_text(encoding="utf-8"))


def section(name: str) -> list[dict[str, Any]]:
    """The entries of a section of both."""
    return [*CORPUS.get(name, ()), *ADDITIONS.get(name, ())]


# The merchants of these tests live on loopback, by names that no resolver of the machine is asked for.
NAMES = {name: ["127.0.0.1"] for name in ("a.merchant.test", "b.merchant.test", "other.merchant.test")}


class Directory:
    """A lookup that answers from a table and counts; a list of lists is used up one answer after the other."""

    def __init__(self, names: dict[str, list[str]] | None = None) -> None:
        self.names = dict(NAMES if names is None else names)
        self.asked: list[str] = []

    def __call__(self, host: str) -> Iterable[str]:
        self.asked.append(host)
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
    """As in production."""
    return AddressGuard()


@pytest.fixture(scope="session")
def opened() -> AddressGuard:
    """As on a developer's machine."""
    return AddressGuard([ip_network("127.0.0.0/8")])


@pytest.fixture(scope="session")
def certificates() -> ssl.SSLContext:
    """Those that a client trusts by itself, for all tests: reading them takes a thirtieth of a second."""
    return httpcore.default_ssl_context()


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def client(opened: AddressGuard, resolver: Resolver, authority: Authority) -> EgressClient:
    """A patient one: whose time is the subject says so, and about that time alone."""
    return EgressClient(opened, resolver, ssl_context=authority.client_context(), connect_seconds=60, body_seconds=60)


@pytest.fixture
def impatient(opened: AddressGuard, resolver: Resolver, authority: Authority) -> EgressClient:
    """One that gives up soon to connect and to read a body, but for its deadline."""
    return EgressClient(opened, resolver, ssl_context=authority.client_context(), connect_seconds=0.3, body_seconds=0.2)
