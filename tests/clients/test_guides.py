"""The guides' client examples compile with `--strict` and work."""

from pathlib import Path

import httpx
import pytest

from tests.clients.tools import COMPILER, DOCUMENT, GENERATED, Tools
from tests.docs.pages import ROOT, Page

HERE = GENERATED / "guides"
GRAPHQL, REST = Page(ROOT / "docs/graphql.md"), Page(ROOT / "docs/rest.md")
MODULE = '{"type": "module"}'

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def folder(tools: Tools) -> Path:
    """Return a reader's folder with the generated types and a file per example."""
    HERE.mkdir()
    (HERE / "package.json").write_text(MODULE)
    (config,) = GRAPHQL.blocks("yaml")
    (HERE / "codegen.yml").write_text(config)
    (document,) = (block for block in GRAPHQL.blocks("graphql") if block.startswith("query Charges("))
    (HERE / "charges.graphql").write_text(document)
    tools.run("graphql-codegen", "--config", "codegen.yml", cwd=HERE)
    tools.run("openapi-typescript", str(DOCUMENT), "--output", "pix.ts", cwd=HERE)
    for name, example in zip(("apollo", "urql", "rest"), GRAPHQL.blocks("ts") + REST.blocks("ts"), strict=True):
        (HERE / f"{name}.ts").write_text(example)
    return HERE


@pytest.fixture(scope="module")
def key(merchant: httpx.Client) -> str:
    """Return a key of a store with one paid charge."""
    created = merchant.post("/api-keys", json={"name": "guia", "environment": "test"}).raise_for_status().json()["data"]
    payer = {"customer_name": "Rui", "customer_email": "rui@example.com", "customer_cpf": "52998224725"}
    order = {"amount": 20.5, "description": "Pedido 1", **payer}
    charge = merchant.post("/pix", json=order).raise_for_status().json()["data"]
    merchant.post("/pix/simulate-payment", json={"id": charge["id"]}).raise_for_status()
    key: str = created["key"]
    return key


@pytest.fixture(scope="module")
def charges(merchant: httpx.Client, key: str) -> list[str]:
    """Return the expected output of the GraphQL examples."""
    listed = merchant.get("/pix", params={"status": "paid"}).raise_for_status().json()["data"]
    return [f"{charge['id']} {charge['amount']:g}" for charge in listed]


def run(tools: Tools, folder: Path, name: str, key: str) -> list[str]:
    return tools.run("node", str(folder / f"{name}.js"), KEY=key).splitlines()


@pytest.mark.parametrize("name", ["apollo", "urql"])
def test_the_guide_to_graphql(tools: Tools, folder: Path, key: str, charges: list[str], name: str) -> None:
    tools.run(*COMPILER, "--outDir", ".", f"{name}.ts", cwd=folder)
    assert run(tools, folder, name, key) == charges
    assert run(tools, folder, name, "wrong") == ["401 Token inválido ou expirado"]


def test_the_guide_to_rest(tools: Tools, folder: Path, key: str) -> None:
    tools.run(*COMPILER, "--outDir", ".", "rest.ts", cwd=folder)
    (code,) = run(tools, folder, "rest", key)
    assert code.startswith("000201")
    assert run(tools, folder, "rest", "wrong") == ["Token inválido ou expirado"]
