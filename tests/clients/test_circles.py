"""The full cycle with third-party clients: register, key, charge, pay, list, and an error.

Each cycle is a program in `circles/`, like one by a merchant's developer.
"""

import json
from pathlib import Path

import httpx
import pytest

from tests.clients.tools import DOCUMENT, Tools

pytestmark = pytest.mark.timeout(300)  # Compilers and generators are slow on a busy machine.

CIRCLE = {
    "statuses": ["paid", "paid", "paid"],
    "pages": [[129.9, 20.5], [10]],
    "codigo": "VALOR_MINIMO",
    "message": "O valor mínimo é R$ 5,00.",
}
MISFIT = "O tipo 'Charge' não tem o campo 'total'."


@pytest.fixture(scope="module")
def apollo(tools: Tools, graphql_types: None) -> str:
    return tools.compile("apollo")


@pytest.fixture(scope="module")
def urql(tools: Tools, graphql_types: None) -> str:
    return tools.compile("urql")


def test_apollo(tools: Tools, apollo: str) -> None:
    """Apollo reads errors of a 4xx only with the media type `application/graphql-response+json`."""
    summary = tools.circle("node", apollo, tools.gateway)
    assert summary == CIRCLE | {"misfit": MISFIT, "methods": ["POST"], "fellBack": False}


@pytest.mark.parametrize(("mode", "methods"), [("persisted", ["POST"]), ("persisted-get", ["GET", "POST"])])
def test_automatic_persisted_queries_of_apollo(tools: Tools, apollo: str, mode: str, methods: list[str]) -> None:
    summary = tools.circle("node", apollo, tools.gateway, mode)
    assert summary == CIRCLE | {"misfit": MISFIT, "methods": methods, "fellBack": True}


def test_urql(tools: Tools, urql: str) -> None:
    """urql sends queries by GET if their URL is short."""
    summary = tools.circle("node", urql, tools.gateway)
    assert summary == CIRCLE | {"misfit": MISFIT, "methods": ["GET", "POST"], "fellBack": False}


def test_automatic_persisted_queries_of_urql(tools: Tools, urql: str) -> None:
    summary = tools.circle("node", urql, tools.gateway, "persisted")
    assert summary == CIRCLE | {"misfit": MISFIT, "methods": ["GET", "POST"], "fellBack": True}


def test_graphql_sse(tools: Tools) -> None:
    """Live changes by server-sent events; queries too."""
    summary = tools.circle("node", tools.compile("live"), tools.gateway)
    assert summary == {
        "actions": ["charge.created", "charge.paid"],
        "statuses": ["pending", "paid"],
        "environments": [{"me": {"environment": "test"}}],
        "refusals": [401],
    }


def test_openapi_typescript(tools: Tools) -> None:
    tools.run("openapi-typescript", str(DOCUMENT), "--output", "generated/openapi.ts")
    assert tools.circle("node", tools.compile("openapi_fetch"), tools.gateway) == CIRCLE


def test_openapi_generator_typescript_fetch(tools: Tools) -> None:
    target = ("-g", "typescript-fetch", "-o", "generated/typescript-fetch")
    # Node resolves imports by file name.
    options = ("--additional-properties", "importFileExtension=.js")
    tools.run("openapi-generator-cli", "generate", "-i", str(DOCUMENT), *target, *options)
    assert tools.circle("node", tools.compile("typescript_fetch"), tools.gateway) == CIRCLE


def test_openapi_python_client(tools: Tools) -> None:
    target = ("--output-path", "generated/openapi_python", "--meta", "none", "--overwrite")
    tools.run("openapi-python-client", "generate", "--path", str(DOCUMENT), *target)
    assert tools.circle("python", "circles/openapi_python_client.py", tools.gateway) == CIRCLE


def test_ariadne_codegen(tools: Tools, tmp_path: Path) -> None:
    config = tmp_path / "ariadne.toml"
    config.write_text(f"""
[tool.ariadne-codegen]
remote_schema_url = "{tools.gateway}/graphql"
queries_path = "operations.graphql"
target_package_path = "generated"
target_package_name = "ariadne_client"
async_client = false
""")
    tools.run("ariadne-codegen", "--config", str(config))
    assert tools.circle("python", "circles/ariadne_codegen.py", tools.gateway) == CIRCLE


def test_standardwebhooks_for_javascript(tools: Tools, merchant: httpx.Client) -> None:
    """A receiver in Node verifies a webhook, and refuses a changed or an old one."""
    secret = "whsec_0123456789abcdef0123456789abcdef"
    with tools.start("node", tools.compile("webhooks"), secret) as receiver:
        try:
            assert receiver.stdout is not None
            port = json.loads(receiver.stdout.readline())["port"]
            endpoint = {
                "name": "loja",
                "url": f"http://127.0.0.1:{port}/webhooks/pix",
                "secret": secret,
                "events": ["charge.paid"],
            }
            merchant.post("/webhook-endpoints", json=endpoint).raise_for_status()
            payer = {"customer_name": "Rui", "customer_email": "rui@example.com", "customer_cpf": "52998224725"}
            order = {"amount": 10, "description": "Pedido 1", **payer}
            charge = merchant.post("/pix", json=order).raise_for_status().json()["data"]["id"]
            merchant.post("/pix/simulate-payment", json={"id": charge}).raise_for_status()
            received = json.loads(receiver.stdout.readline())
        finally:
            receiver.terminate()
    assert received == {
        "event": "charge.paid",
        "id": charge,
        "genuine": True,
        "changed": True,
        "tampered": False,
        "old": False,
    }
