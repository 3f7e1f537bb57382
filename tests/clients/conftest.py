"""Foreign clients against a real `gateway dev`; they run with `--clients` only (`make clients`)."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.clients.tools import DOCUMENT, GENERATED, NODE, Tools
from tests.quickstart.conftest import running_gateway

HERE = Path(__file__).parent
EMAIL, PASSWORD = "bia@example.com", "uma senha bem comprida"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--clients"):
        return
    clients = [item for item in items if HERE in item.path.parents]
    config.hook.pytest_deselected(items=clients)
    items[:] = [item for item in items if item not in clients]


@pytest.fixture(scope="session", autouse=True)
def _node() -> None:
    """A machine without Node skips; CI, which must have it, fails."""
    if NODE.exists():
        return
    reason = "no Node here: `make clients` installs it, with all that the clients need"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def gateway() -> Iterator[str]:
    """The address of a gateway that all clients share, with the limits that it comes with."""
    with running_gateway() as address:
        yield address


@pytest.fixture(scope="session")
def tools(gateway: str) -> Tools:
    """The clients' programs, and the OpenAPI document that the gateway serves in a file for those that read one."""
    # What an earlier document left would be compiled with what this one makes.
    shutil.rmtree(GENERATED, ignore_errors=True)
    GENERATED.mkdir()
    DOCUMENT.write_bytes(httpx.get(f"{gateway}/openapi.json").raise_for_status().content)
    return Tools(gateway)


@pytest.fixture(scope="session")
def graphql_types(tools: Tools) -> None:
    """Typed documents for Apollo and urql, by graphql-codegen from the gateway's introspection."""
    tools.run("graphql-codegen", "--config", "codegen.yml")


@pytest.fixture(scope="session")
def merchant(gateway: str) -> Iterator[httpx.Client]:
    """A client with a merchant's session."""
    with httpx.Client(base_url=gateway, headers={"authorization": f"Bearer {register(gateway)}"}) as client:
        yield client


def register(gateway: str) -> str:
    """The session of a new merchant."""
    account = {
        "name": "Bia",
        "email": "bia@example.com",
        "password": "uma senha bem comprida",
        "cnpj": "11222333000181",
    }
    session = httpx.post(f"{gateway}/auth/register", json=account).raise_for_status().json()["data"]
    token: str = session["accessToken"]
    return token
