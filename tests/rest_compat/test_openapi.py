"""The OpenAPI document: committed as generated, valid, complete, and consistent with the API's responses."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import gateway.schema
from gateway import errors
from gateway.models.webhooks import EventType
from gateway.resolvers.core.access import Permission
from gateway.rest_compat.documentation import COMMITTED
from gateway.rest_compat.openapi import openapi
from gateway.rest_compat.openapi.descriptions import DESCRIPTIONS
from gateway.rest_compat.routes import ENDPOINTS
from tests.api_client import Api, Merchant

DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text())
GRAPHQL = Path(gateway.schema.__file__).with_name("schema.graphql")
INTERNAL_REFERENCES = re.compile(r"\bsection \d|\bADR \d|\.md\b", re.IGNORECASE)
"""References to the repository, which readers of the document don't have."""
SHOWN = [endpoint for endpoint in ENDPOINTS if not endpoint.internal]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            yield method.upper(), path, operation


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)


def resolved(reference: str) -> Any:
    found: Any = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def test_the_committed_document_is_up_to_date() -> None:
    assert json.loads(json.dumps(openapi(ENDPOINTS))) == DOCUMENT, "run `make schema`"


def test_every_endpoint_is_documented_with_a_unique_id() -> None:
    assert {(method, path) for method, path, _ in operations()} == {(each.method, each.path) for each in SHOWN}
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_every_operation_has_a_portuguese_text_and_no_text_is_unused() -> None:
    assert {endpoint.operation.name for endpoint in SHOWN} == set(DESCRIPTIONS)


def test_every_reference_resolves_and_no_schema_is_unused() -> None:
    references = {node["$ref"] for node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)}
    for reference in references:
        resolved(reference)
    named = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert named <= references


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_every_schema_is_valid_json_schema(name: str) -> None:
    jsonschema_rs.meta.validate(DOCUMENT["components"]["schemas"][name] | {"$schema": _DIALECT})


_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def test_the_examples_fit_their_schemas() -> None:
    checked = 0
    for node in nodes(DOCUMENT):
        if "examples" in node and isinstance(node["examples"], dict) and "schema" in node:
            for example in node["examples"].values():
                validate(node["schema"], example["value"])
                checked += 1
        if "example" in node and "schema" in node:
            validate(node["schema"], node["example"])
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for example in schema.get("examples", []):
            validate({"$ref": f"#/components/schemas/{name}"}, example)
    assert checked > 50


def validate(schema: dict[str, Any], value: Any) -> None:
    jsonschema_rs.validator_for(schema | {"components": DOCUMENT["components"], "$schema": _DIALECT}).validate(value)


def test_security_follows_the_permission() -> None:
    public = {(each.method, each.path) for each in SHOWN if each.operation.permission is Permission.public}
    open_to_all = {(method, path) for method, path, operation in operations() if operation.get("security") == []}
    assert open_to_all == public
    assert all(
        ("401" in operation["responses"]) for method, path, operation in operations() if (method, path) not in public
    )


def test_path_parameters_are_declared_and_not_in_bodies() -> None:
    for _, path, operation in operations():
        declared = [each for each in operation.get("parameters", []) if each.get("in") == "path"]
        names = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
        assert {each["name"] for each in declared} == names, path
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        whole = resolved(body["$ref"]) if "$ref" in body else body
        assert not names & set(whole.get("properties", {})), path


def test_creations_take_an_idempotency_key() -> None:
    key = {"$ref": "#/components/parameters/IdempotencyKey"}
    for endpoint in SHOWN:
        parameters = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()].get("parameters", [])
        assert (key in parameters) == endpoint.operation.idempotent, endpoint.path


def test_money_is_numbers_in_reais() -> None:
    charge = DOCUMENT["components"]["schemas"]["Charge"]["properties"]
    amounts = [name for name in charge if name.endswith("amount")]
    assert len(amounts) == 6
    assert {charge[name]["type"] for name in amounts} == {"number"}
    order = DOCUMENT["components"]["schemas"]["ManualCharge"]["properties"]["amount"]
    assert (order["type"], order["minimum"], order["maximum"]) == ("number", 5, 9999999.99)
    price = DOCUMENT["components"]["schemas"]["CreateProduct"]["properties"]["price"]
    assert (price["type"], price["exclusiveMinimum"]) == ("number", 0)


def test_every_additional_member_of_an_error_is_documented() -> None:
    """The docstring of `gateway.errors` lists these members."""
    members = DOCUMENT["components"]["schemas"]["ApiError"]["properties"]["error"]["properties"]
    drawn = {
        name
        for members in re.findall(r", with ((?:`\w+`(?:, )?)+)", errors.__doc__ or "")
        for name in re.findall(r"\w+", members)
    }
    assert {"disponivel", "checks", "referencias", "limite"} <= drawn <= set(members)


def test_every_codigo_is_in_the_enum() -> None:
    drawn = set(re.findall(r" \d{3}   ([A-Z_]{5,})", errors.__doc__ or ""))
    codigos = set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"])
    assert codigos == drawn == errors.CODIGOS
    examples = {node["codigo"] for node in nodes(DOCUMENT) if isinstance(node.get("codigo"), str)}
    assert {"VALOR_MINIMO", "EMAIL_JA_CADASTRADO"} <= examples <= codigos


def test_issuing_documents_the_required_fields_of_each_mode() -> None:
    payer = {"customer_name": "Maria", "customer_email": "maria@example.com", "customer_cpf": "52998224725"}
    customer = {"customer_id": "0198f3b8-7a21-7e90-9c1d-55e0a7c3f0aa"}
    product = {"product_id": "0198f3b9-0d4c-7b55-8a3e-2f60b1d4c9ee"}
    manual = {"amount": 5, "description": "Pedido"}
    body = DOCUMENT["paths"]["/pix"]["post"]["requestBody"]
    assert body["required"]
    schema = body["content"]["application/json"]["schema"]
    right = [manual | payer, manual | customer, manual | customer | payer, product | payer, product | customer]
    for order in (*right, manual | payer | {"product_id": None, "customer_id": None}):
        validate(schema, order)
    for order in ({}, manual, payer, product, manual | payer | {"amount": 4.99}, payer | {"amount": 5}):
        with pytest.raises(jsonschema_rs.ValidationError):
            validate(schema, order)


def test_a_field_that_refuses_null_is_documented_so() -> None:
    body = DOCUMENT["paths"]["/products/{id}"]["put"]["requestBody"]["content"]["application/json"]["schema"]
    validate(body, {"name": "Caneca"})
    with pytest.raises(jsonschema_rs.ValidationError):
        validate(body, {"name": None})


@pytest.mark.parametrize("text", ["2026-12-25", "2026-12-25T10:00:00Z", "2026-12-25T10:00:00-03:00"])
def test_a_timestamp_may_be_a_date(text: str) -> None:
    validate(DOCUMENT["components"]["schemas"]["CreateCoupon"]["properties"]["expires_at"], text)


RESERVED = {"Error", "Object", "Map", "Record", "Request", "Response", "Event", "Link", "Date", "Document", "Method"}
RESERVED |= {"Set", "List", "Array", "String", "Number", "Boolean", "Function", "Promise", "Symbol", "Type", "Class"}
RESERVED |= {"Environment", "Exception", "Thread", "Process", "File", "Any", "None", "Enum", "Package", "Module"}


def test_generated_clients_compile() -> None:
    """Generators derive identifiers and comments from these texts."""
    text = COMMITTED.read_text()
    assert [mark for mark in ("*/", "/*", "<!--", "-->") if mark in text] == []
    names = set(DOCUMENT["components"]["schemas"])
    assert names & RESERVED == set()
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9]+", name) for name in names)
    tags = [tag["name"] for tag in DOCUMENT["tags"]]
    assert all(re.fullmatch(r"[a-z-]+", tag) for tag in tags)
    assert {tag for _, _, operation in operations() for tag in operation["tags"]} <= set(tags)


def test_the_five_events_are_documented_with_their_envelope() -> None:
    assert list(DOCUMENT["webhooks"]) == [event.value for event in EventType]
    item = resolved(DOCUMENT["webhooks"]["charge.paid"]["$ref"])
    body = resolved(item["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"])
    assert body["required"] == ["id", "event", "version", "environment", "created_at", "sequence", "data"]


def test_texts_have_no_internal_references() -> None:
    text = COMMITTED.read_text()
    assert re.findall(INTERNAL_REFERENCES, text + GRAPHQL.read_text()) == []
    for word in ("centavos here", '"title": "issue'):
        assert word not in text.lower()


@pytest.mark.parametrize("text", ["(contract section 4)", "as ADR 0019 says", "see docs/webhooks.md.", "Section 2"])
def test_internal_references_are_found(text: str) -> None:
    assert re.search(INTERNAL_REFERENCES, text)


async def test_real_responses_fit_the_document(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    answers = [
        ("/pix/{id}", "200", await api.get(f"/pix/{charge['id']}", token=merchant.key)),
        ("/pix", "200", await api.get("/pix?limit=1", token=merchant.key)),
        ("/auth/me", "200", await api.get("/auth/me", token=merchant.key)),
        ("/api-keys", "200", await api.get("/api-keys", token=merchant.key)),
        ("/health", "200", await api.get("/health")),
        ("/auth/me", "401", await api.get("/auth/me")),
        ("/pix/{id}", "404", await api.get(f"/pix/{merchant.id}", token=merchant.key)),
    ]
    for path, status, answer in answers:
        assert str(answer.status_code) == status, (path, answer.text)
        described = DOCUMENT["paths"][path]["get"]["responses"][status]
        described = resolved(described["$ref"]) if "$ref" in described else described
        validate(described["content"]["application/json"]["schema"], answer.json())


async def test_the_document_and_the_pages_are_served(api: Api) -> None:
    served = await api.get("/openapi.json")
    assert served.json() == DOCUMENT
    assert DOCUMENT["info"]["version"] == "2.0.0"

    docs = await api.get("/docs/")
    assert docs.headers["content-type"] == "text/html; charset=utf-8"
    assert "Emite uma cobrança Pix" in docs.text
    assert "script-src 'self'" in docs.headers["content-security-policy"]
    script = next(part.split('"')[1] for part in docs.text.split("src=")[1:] if "reference.js" in part)
    assert (await api.get(script)).headers["content-type"].startswith("text/javascript")

    for path in ("/openapi.json", "/docs", "/docs/ambiente-de-teste"):
        plain = await api.get(path, accept_encoding="br, gzip;q=0")
        packed = await api.get(path, accept_encoding="br, gzip;q=0.5")
        assert ("content-encoding" in plain.headers, packed.headers["content-encoding"]) == (False, "gzip")
        assert plain.content == packed.content
        assert int(packed.headers["content-length"]) < len(plain.content) / 2
        for answer in (plain, packed):
            assert (answer.headers["vary"], answer.headers["cache-control"]) == ("Accept-Encoding", "no-cache")

    moved = await api.get("/DevMode")
    assert (moved.status_code, moved.headers["location"]) == (302, "/docs/ambiente-de-teste")
    guide = await api.get("/docs/Ambiente-De-Teste/")
    assert guide.status_code == 200
    assert "simulate-payment" in guide.text
