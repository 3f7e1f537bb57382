"""Third-party clients with a real `gateway dev`; they run with `--clients` only (`make clients`)."""

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
    """Without Node, skip the tests, or fail in CI."""
    if NODE.exists():
        return
    reason = "no Node here: `make clients` installs it, with all that the clients need"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def gateway() -> Iterator[str]:
    """Yield the address of a gateway for all clients, with the default rate limits."""
    with running_gateway() as address:
        yield address


@pytest.fixture(scope="session")
def tools(gateway: str) -> Tools:
    """Return the clients' programs; write the gateway's OpenAPI document to a file."""
    # Old generated files would be compiled too.
    shutil.rmtree(GENERATED, ignore_errors=True)
    GENERATED.mkdir()
    DOCUMENT.write_bytes(httpx.get(f"{gateway}/openapi.json").raise_for_status().content)
    return Tools(gateway)


@pytest.fixture(scope="session")
def graphql_types(tools: Tools) -> None:
    """Generate typed documents for Apollo and urql with graphql-codegen."""
    tools.run("graphql-codegen", "--config", "codegen.yml")


@pytest.fixture(scope="session")
def merchant(gateway: str) -> Iterator[httpx.Client]:
    """Yield an HTTP client with a merchant's session."""
    with httpx.Client(base_url=gateway, headers={"authorization": f"Bearer {register(gateway)}"}) as client:
        yield client


def register(gateway: str) -> str:
    """Register a merchant; return the session's token."""
    account = {
        "name": "Bia",
        "email": "bia@example.com",
        "password": "uma senha bem comprida",
        "cnpj": "11222333000181",
    }
    session = httpx.post(f"{gateway}/auth/register", json=account).raise_for_status().json()["data"]
    token: str = session["accessToken"]
    return token
