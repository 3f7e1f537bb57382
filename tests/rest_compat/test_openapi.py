"""The OpenAPI document: committed as generated, valid, whole, and true of what the API answers."""

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
from gateway.resolvers.access import Permission
from gateway.rest_compat.documentation import COMMITTED
from gateway.rest_compat.openapi import openapi
from gateway.rest_compat.openapi.words import WORDS
from gateway.rest_compat.routes import ENDPOINTS
from tests.api import Api, Merchant

DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text())
GRAPHQL = Path(gateway.schema.__file__).with_name("schema.graphql")
OURS_ALONE = re.compile(r"\bsection \d|\bADR \d|\.md\b", re.IGNORECASE)
"""What only who has the repository can follow."""
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


def test_the_committed_document_is_what_the_table_of_paths_says() -> None:
    assert json.loads(json.dumps(openapi(ENDPOINTS))) == DOCUMENT, "run `make schema`"


def test_every_path_is_there_with_its_method_and_its_own_id() -> None:
    assert {(method, path) for method, path, _ in operations()} == {(each.method, each.path) for each in SHOWN}
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))


def test_every_operation_has_portuguese_words_and_no_words_are_left_over() -> None:
    assert {endpoint.operation.name for endpoint in SHOWN} == set(WORDS)


def test_every_reference_leads_somewhere_and_no_schema_is_left_over() -> None:
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


def test_path_parameters_are_declared_and_bodies_hold_none_of_them() -> None:
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
        assert (key in parameters) == endpoint.operation.creates, endpoint.path


def test_money_is_numbers_in_reais() -> None:
    charge = DOCUMENT["components"]["schemas"]["Charge"]["properties"]
    amounts = [name for name in charge if name.endswith("amount")]
    assert len(amounts) == 5
    assert {charge[name]["type"] for name in amounts} == {"number"}
    order = DOCUMENT["components"]["schemas"]["IssueCharge"]["properties"]["amount"]
    assert order["type"] == ["number", "null"]
    assert order["maximum"] == 9999999.99


def test_every_further_member_of_an_error_is_told() -> None:
    """Those that the tree of errors is drawn with."""
    members = DOCUMENT["components"]["schemas"]["Error"]["properties"]["error"]["properties"]
    drawn = {
        name
        for told in re.findall(r", with ((?:`\w+`(?:, )?)+)", errors.__doc__ or "")
        for name in re.findall(r"\w+", told)
    }
    assert {"disponivel", "checks", "referencias", "limite"} <= drawn <= set(members)


def test_the_five_events_are_there_with_their_envelope() -> None:
    assert list(DOCUMENT["webhooks"]) == [event.value for event in EventType]
    body = DOCUMENT["webhooks"]["charge.paid"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["id", "event", "version", "environment", "created_at", "sequence", "data"]


def test_nothing_of_the_code_leaks_into_the_text() -> None:
    text = COMMITTED.read_text()
    assert re.findall(OURS_ALONE, text + GRAPHQL.read_text()) == []
    for word in ("centavos here", '"title": "issue'):
        assert word not in text.lower()


@pytest.mark.parametrize("text", ["(contract section 4)", "as ADR 0019 says", "see docs/webhooks.md.", "Section 2"])
def test_what_would_leak_is_seen(text: str) -> None:
    assert re.search(OURS_ALONE, text)


async def test_real_answers_fit_the_document(api: Api, merchant: Merchant) -> None:
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
