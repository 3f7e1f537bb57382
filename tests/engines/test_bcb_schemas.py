"""The fake bank's schemas and traffic, against the official document of the Central Bank's API where it is present."""

import re
import ssl
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
import yaml

from tests.engines.fake_bcb import FakeBcb, schemas
from tests.engines.fake_http import Json

DOCUMENT = "shared/data/bcb-pix-api-2.9.0.yaml"
FOUND = next((parent / DOCUMENT for parent in Path(__file__).resolve().parents if (parent / DOCUMENT).is_file()), None)
BODIES = {
    "CobBody": ("/cob/{txid}", "put"),
    "CobBodyRevisada": ("/cob/{txid}", "patch"),
    "DevolucaoBody": ("/pix/{e2eid}/devolucao/{id}", "put"),
    "WebhookConfigBody": ("/webhook/{chave}", "put"),
}
"""Official request bodies, by the names of our schemas."""
LEFT_OUT = re.compile(
    # Cash withdrawals, values' components, and members of requests that no client of ours sends.
    r"valor\.(retirada|modalidadeAlteracao)|componentesValor|^loc(\.|$)|(^|\.)loc\.txid|\.cpf$|\.cnpj$|^cnpj$|idCob"
    r"|locationPresente|parametros\.status"
)


@pytest.fixture(scope="module")
def official() -> Json:
    """The document, corrected: patterns in slashes, defaults of a wrong type, required names that do not exist."""
    if FOUND is None:
        pytest.skip(f"there is no ../{DOCUMENT}")
    document: Json = yaml.safe_load(FOUND.read_text())
    for node in _nodes(document):
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            node["pattern"] = "^" + pattern.strip().strip("/").strip("^$") + "$"
        if node.get("format") == "uri" and node.get("maxLength") == 77:
            del node["format"]  # Locations have no scheme.
        if isinstance(node.get("required"), list):
            node["required"] = [name for name in node["required"] if name not in {"idCob", 'cobs"', 'txid"'}]
    schema = document["components"]["schemas"]
    schema["PixConsultados"]["required"] = ["parametros"]
    schema["WebhookCompleto"]["required"] = ["webhookUrl", "criacao"]
    for part in schema["CobGerada"]["allOf"]:
        if "loc" in part.get("properties", {}):
            part["properties"]["loc"]["required"].remove("txid")
    schema["CobExpiracao"]["properties"]["expiracao"].pop("default", None)
    return document


def _nodes(node: Any) -> Iterator[Json]:
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(inner)


def _official_schema(document: Json, name: str) -> Json:
    if name in BODIES:
        path, method = BODIES[name]
        body = _resolved(document, document["paths"][path][method]["requestBody"])
    elif name == "WebhookPixBody":
        callbacks = document["paths"]["/webhook/{chave}"]["put"]["callbacks"]
        [callback] = [each for each in _nodes(callbacks) if "requestBody" in each]
        body = _resolved(document, callback["requestBody"])
    else:
        return {"$ref": f"#/components/schemas/{name}"}
    found: Json = body["content"]["application/json"]["schema"]
    return found


def _resolved(document: Json, node: Json) -> Json:
    while "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def _rules(document: Json, node: Json, path: str = "") -> dict[str, dict[str, Any]]:
    """The rules of a schema by the path of each member."""
    node = _resolved(document, node)
    rules: dict[str, dict[str, Any]] = {}
    own = {name: node[name] for name in ("pattern", "maxLength", "enum") if name in node}
    if path:
        rules[path] = own
    parts = [*node.get("allOf", []), *node.get("oneOf", []), *node.get("anyOf", [])]
    inner = [(path, part) for part in parts]
    inner += [(f"{path}.{name}".strip("."), part) for name, part in node.get("properties", {}).items()]
    inner += [(f"{path}[]", node["items"])] if "items" in node else []
    for where, part in inner:
        for found, values in _rules(document, part, where).items():
            rules[found] = rules.get(found, {}) | values
    return rules


@pytest.mark.parametrize("name", schemas.OFFICIAL)
def test_each_member_has_the_official_rules(official: Json, name: str) -> None:
    ours = _rules({}, schemas.OFFICIAL[name])
    theirs = _rules(official, _official_schema(official, name))
    # An official `cnpj` is described, and `chave` sent.
    assert set(ours) - set(theirs) == ({"chave"} if name == "WebhookCompleto" else set())
    assert [path for path in sorted(set(theirs) - set(ours)) if not LEFT_OUT.search(path)] == []
    for path in set(ours) & set(theirs):
        if not path.endswith("txid"):  # The official patterns of one txid contradict each other.
            assert ours[path] == theirs[path] or (path.endswith("Id") and "pattern" in ours[path]), path


async def test_the_traffic_is_valid_by_the_official_schemas(official: Json, tmp_path: Path) -> None:
    names = {id(schema): name for name, schema in schemas.OFFICIAL.items()}
    async with FakeBcb.running(tmp_path) as fake:
        await every_route(fake, tmp_path)
        assert (fake.refused, fake.mistakes) == ([], [])
        bodies = [(route.request, body) for route, body, _ in fake.traffic]
        bodies += [(route.answer, answer) for route, _, answer in fake.traffic]
        pix = next(iter(fake.bank.pix.values()))
        bodies.append((schemas.CALLBACK, fake.callback(pix)))
    validated = set()
    for schema, body in bodies:
        if schema is not None:
            whole = deepcopy(official) | _official_schema(official, names[id(schema)])
            errors = [error.message for error in jsonschema_rs.Draft4Validator(whole).iter_errors(body)]
            assert errors == [], names[id(schema)]
            validated.add(names[id(schema)])
    assert validated == set(schemas.OFFICIAL) - {"Problema"}


async def test_a_client_without_a_certificate_or_with_a_foreign_one_is_refused(tmp_path: Path) -> None:
    async with FakeBcb.running(tmp_path) as fake:
        tls = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        async with httpx.AsyncClient(verify=tls) as http:
            with pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"):
                await http.post(fake.token_url)
        assert fake.calls == []


async def every_route(fake: FakeBcb, folder: Path) -> None:
    """Use each route of the fake once."""
    tls = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    tls.load_cert_chain(folder / "client.pem")
    auth = (fake.bank.client_id, fake.bank.client_secret)
    async with httpx.AsyncClient(verify=tls) as http:
        form = {"grant_type": "client_credentials"}
        token = (await http.post(fake.token_url, data=form, auth=auth)).json()["access_token"]
        http.headers["authorization"] = f"Bearer {token}"

        async def call(method: str, path: str, body: Json | None = None, status: int = 200, **query: str) -> Json:
            answer = await http.request(method, fake.url + path, json=body, params=query)
            assert answer.status_code == status, answer.text
            return answer.json() if answer.content else {}

        txid = "a" * 32
        body = {
            "calendario": {"expiracao": 3600},
            "devedor": {"nome": "José", "cpf": "52998224725"},
            "valor": {"original": "129.90"},
            "chave": fake.bank.key,
            "solicitacaoPagador": "Pedido 1",
            "infoAdicionais": [{"nome": "Pedido", "valor": "1"}],
        }
        assert (await call("PUT", f"/cob/{txid}", body, 201))["status"] == "ATIVA"
        assert (await call("PATCH", f"/cob/{txid}", {"valor": {"original": "130.00"}}))["revisao"] == 1
        await call("PUT", f"/cob/{txid}", body | {"valor": {"original": "0.00"}}, 400)
        paid = fake.bank.pay(txid)
        await call("PUT", f"/cob/{txid}", body, 400)
        period = {"inicio": "2000-01-01T00:00:00Z", "fim": "2100-01-01T00:00:00Z"}
        assert (await call("GET", f"/cob/{txid}"))["pix"] == [paid]
        assert len((await call("GET", "/cob", **period))["cobs"]) == 1
        refund = f"/pix/{paid['endToEndId']}/devolucao/1"
        await call("PUT", refund, {"valor": "130.01"}, 400)
        assert (await call("PUT", refund, {"valor": "30.00"}, 201))["status"] == "EM_PROCESSAMENTO"
        assert (await call("GET", refund))["valor"] == "30.00"
        assert (await call("GET", f"/pix/{paid['endToEndId']}"))["devolucoes"]
        pages = {"paginacao.itensPorPagina": "1", "paginacao.paginaAtual": "1", "devolucaoPresente": "true"}
        assert (await call("GET", "/pix", **period, **pages))["parametros"]["paginacao"]["quantidadeTotalDeItens"] == 1
        webhook = f"/webhook/{fake.bank.key}"
        await call("GET", webhook, status=404)
        await call("PUT", webhook, {"webhookUrl": "https://gateway.example.com/notifications"})
        assert (await call("GET", webhook))["chave"] == fake.bank.key
        await call("DELETE", webhook, status=204)
