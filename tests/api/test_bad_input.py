"""Bad input to every operation: the specified error in the specified form, nothing written, never a 500."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strawberry.utils.str_converters import to_camel_case

from gateway.errors import GatewayError
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import REGISTRY
from gateway.rest_compat.routes import ENDPOINTS
from gateway.values.ids import new_id
from tests.api.rows import fingerprint
from tests.api.table import BY_NAME, COUPON, ROWS, SUBSCRIPTION, Row
from tests.api.transport_calls import Outcome, by_graphql, by_rest, document_of, endpoint_of, read_graphql
from tests.api_client import Api, Merchant, charge_order
from tests.applicants import staff_member

NASTY: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**40, "", "\x00", "a\x1b[0m\x7f", "\u2028", "x" * 5000, "𝟝", "1e400", "9999-12-31"),
    *("2020-01-01", [], [[[]]], {}, {"a": {"b": 1}}, ["x", 1]),
]
ALONE = {
    *(
        "aparece mais de uma vez no endereço",
        "cursor inválido para esta lista e ordem",
        "informe id, txid ou external_reference",
        "informe charge_id ou txid",
        "o pagamento já foi devolvido por inteiro",
    ),
    "deve ser depois de starts_at",
    "informe uma data futura, ou a que já estava",
}
"""Faults reported alone: found before or after the validation of fields, or by comparison with stored data."""
EXCUSED = {
    *(("customer_id", "deve ser um texto"), ("customer_id", "identificador inválido")),
    ("password", "campo obrigatório"),
}
"""A customer replaces missing fields of a payer, and whether an account has a password is stored."""
AT_THE_ORIGIN = {"charges.cancel", "charges.refund"}


def well_formed(outcome: Outcome, operation: str) -> bool:
    """Success, or an error in one of the two forms with a status that the operation may return."""
    if outcome.status < 300:
        return True
    allowed = {502} if operation in AT_THE_ORIGIN else {400, 401, 404, 409, 429}
    return outcome.status in allowed and bool(outcome.message)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
async def test_every_field_of_every_input_through_rest(
    api: Api, services: Services, merchant: Merchant, row: Row
) -> None:
    raw_input = await row.prepare(merchant)
    caller = await staff_member(api, services) if row.staff else merchant
    before = await fingerprint(services.database)
    faults: dict[tuple[str, str], Any] = {}
    for name in REGISTRY[row.operation].input_type.model_fields:
        accepted = False
        for value in NASTY:
            in_path = f"{{{name}}}" in endpoint_of(row.operation).path  # type: ignore[union-attr]  # every row has one.
            sent = raw_input | {name: _in_path(value) if in_path else value}
            outcome = await by_rest(api, row.operation, sent, caller.token)
            assert well_formed(outcome, row.operation), (name, value, outcome)
            accepted = accepted or outcome.status < 300
            caller = await _still_in(api, caller, outcome)
            found = {(fault["campo"], fault["mensagem"]) for fault in outcome.extra.get("campos", [])}
            if not in_path:
                faults |= {fault: value for fault in found - EXCUSED if fault[0] == name and fault[1] not in ALONE}
        after = await fingerprint(services.database)
        assert accepted or after == before, name
        before = after
    await _assert_reported_with_another(api, row, raw_input, faults, caller.token)


async def _assert_reported_with_another(
    api: Api, row: Row, raw_input: dict[str, Any], faults: dict[tuple[str, str], Any], token: str
) -> None:
    """Each fault of a field is also reported together with one of another field."""
    for (name, reason), value in faults.items():
        other = next((each for each in faults if each[0] != name), None)
        if other is None:
            continue
        both = await by_rest(api, row.operation, raw_input | {name: value, other[0]: faults[other]}, token)
        assert {name, other[0]} <= {fault["campo"] for fault in both.extra["campos"]}, (name, reason, other, both)


@pytest.mark.parametrize(
    "metadata",
    [{f"{n:05}" * 8: n for n in range(8000)}, {"k" * 900_000: 1}, {"a": 1, "b" * 900_000: "x"}],
    ids=["many entries", "a long key", "both kinds"],
)
async def test_an_error_does_not_repeat_a_long_input(api: Api, merchant: Merchant, metadata: dict[str, Any]) -> None:
    rest = await api.post("/pix", charge_order(metadata=metadata), token=merchant.key)
    query = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id } }"
    request = {"query": query, "variables": {"input": {"amount": 10, "description": "x", "metadata": metadata}}}
    graphql = await api.post("/graphql", request, token=merchant.key)
    assert rest.status_code == graphql.json()["errors"][0]["extensions"]["status"] == 400
    assert max(len(rest.content), len(graphql.content)) < 10_000


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
async def test_every_field_of_every_input_through_graphql(
    api: Api, services: Services, merchant: Merchant, row: Row
) -> None:
    document, variables = document_of(row.field, await row.prepare(merchant))
    where = variables.get("input", variables)
    caller = await staff_member(api, services) if row.staff else merchant
    before = await fingerprint(services.database)
    for name in [to_camel_case(name) for name in REGISTRY[row.operation].input_type.model_fields]:
        if name not in where:
            continue
        original, accepted = where[name], False
        for value in NASTY:
            where[name] = value
            body = {"query": document, "variables": variables}
            outcome = read_graphql(await api.request("POST", "/graphql", body, token=caller.token), row.field)
            # GraphQL's own types refuse some values before the operation.
            assert well_formed(outcome, row.operation) or outcome.status == 400, (name, value, outcome)
            accepted = accepted or outcome.status < 300
            caller = await _still_in(api, caller, outcome)
        where[name] = original
        after = await fingerprint(services.database)
        assert accepted or after == before, name
        before = after


VALID: dict[str, dict[str, Any]] = {
    "api_keys.create": {"name": "loja", "environment": "test"},
    "charges.issue": charge_order(),
    "coupons.create": COUPON | {"starts_at": "2030-01-01T00:00:00Z"},
    "coupons.update": {"discount_type": "percentage", "starts_at": "2030-01-01T00:00:00Z"},
    "subscriptions.create": SUBSCRIPTION,
    "webhooks.create_endpoint": {"name": "loja"},
}
"""Valid values of the other fields."""
TOGETHER: list[tuple[str, dict[str, Any]]] = [
    ("accounts.update_profile", {"name": None, "receipt_email": None, "cpf": "111.111.111-11"}),
    ("api_keys.update", {"active": None, "name": " "}),
    ("api_keys.create", {"scopes": [], "expires_at": "2020-01-01"}),
    ("charges.issue", {"customer_cpf": "1", "description": None, "expires_at": "2020-01-01"}),
    ("coupons.create", {"code": " ", "discount_value": 100.01, "expires_at": "2029-01-01"}),
    ("coupons.update", {"max_uses": 0, "discount_value": 100.01, "expires_at": "2029-01-01"}),
    ("coupons.update", {"code": None, "is_active": None, "discount_value": 0}),
    ("customers.update", {"name": None, "cpf": "1"}),
    ("payment_links.update", {"active": None, "amount": 1}),
    ("products.update", {"active": None, "price": None, "image_url": "ftp://x"}),
    ("subscriptions.create", {"customer_name": None, "next_billing_at": "2020-01-01"}),
    ("subscriptions.create", {"customer_cpf": "1", "next_billing_at": "2020-01-01"}),
    ("subscriptions.create", {"customer_name": " ", "end_date": "2098-12-31"}),
    ("subscriptions.update", {"customer_cpf": "1", "next_billing_at": None}),
    ("subscriptions.update", {"amount": 1, "next_billing_at": "2020-01-01"}),
    ("subscriptions.update", {"customer_name": None, "next_billing_at": "2020-01-01"}),
    ("webhooks.create_endpoint", {"events": ["x"] * 51, "url": "ftp://loja.example/hook"}),
    ("webhooks.update_endpoint", {"name": None, "url": "http://10.0.0.1/hook"}),
]
"""Operations, and fields that are wrong for different kinds of reasons."""


@pytest.mark.parametrize(
    ("operation", "wrong"), TOGETHER, ids=lambda each: each if isinstance(each, str) else "+".join(each)
)
async def test_faults_of_every_kind_are_listed_together(
    api: Api, merchant: Merchant, operation: str, wrong: dict[str, Any]
) -> None:
    named = {"id": new_id()} if "id" in REGISTRY[operation].input_type.model_fields else {}
    raw_input = VALID.get(operation, {}) | wrong | named
    rest = await by_rest(api, operation, raw_input, merchant.token)
    graphql = await by_graphql(api, BY_NAME[operation].field, raw_input, merchant.token)
    assert {fault["campo"] for fault in rest.extra["campos"]} == set(wrong)
    assert graphql == rest


def _in_path(value: Any) -> str:
    return quote(str(value)[:2000], safe="") or "x"


async def _still_in(api: Api, merchant: Merchant, outcome: Outcome) -> Merchant:
    """The merchant with a valid session: a changed password ends the one that was used."""
    if outcome.status < 300 and (await api.get("/auth/me", token=merchant.token)).status_code == 401:
        return await api.register_merchant()
    return merchant


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
_ORDER = st.fixed_dictionaries(
    {}, optional=dict.fromkeys((*charge_order(), "expires_at", "metadata", "customer_id", "success_url"), JSON_VALUES)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(order=_ORDER, whole=st.booleans())
async def test_any_json(api: Api, merchant: Merchant, order: dict[str, Any], whole: bool) -> None:
    for path in ("/pix", "/charges"):
        sent = charge_order() | order if whole else order
        response = await api.post(path, sent, token=merchant.key)
        assert response.status_code in {201, 400, 404, 409}, response.text


_PARAMETERS = [
    pytest.param(endpoint.operation.input_type, name, id=f"{endpoint.method} {endpoint.path} {name}")
    for endpoint in ENDPOINTS
    for name in re.findall(r"{(\w+)}", endpoint.path)
]


@pytest.mark.parametrize(("input_type", "name"), _PARAMETERS)
def test_an_invalid_id_in_a_path_is_never_a_field_error(input_type: type[Input], name: str) -> None:
    """A path with an invalid id is not found."""
    faults: list[dict[str, str]] = []
    try:
        input_type.from_raw({"id": new_id(), name: "zz"})
    except GatewayError as error:
        faults = error.extra.get("campos", [])
    assert name not in {fault["campo"] for fault in faults}


async def test_a_malformed_second_id_in_a_path_is_not_found(api: Api, services: Services, merchant: Merchant) -> None:
    staff = await staff_member(api, services)
    created = await api.post(
        "/webhook-endpoints", {"name": "loja", "url": "http://127.0.0.1:18200/hook"}, token=merchant.token
    )
    endpoint = created.json()["data"]["id"]
    before = await fingerprint(services.database)
    unknown = {"error": {"message": "Registro não encontrado."}}
    for method, path, token in (
        ("GET", f"/webhook-endpoints/{endpoint}/deliveries/zz", merchant.token),
        ("POST", f"/webhook-endpoints/{endpoint}/deliveries/zz/redeliver", merchant.token),
        ("GET", f"/admin/lojistas/{merchant.id}/documentos/zz", staff.token),
    ):
        response = await api.request(method, path, token=token)
        assert (response.status_code, response.json()) == (404, unknown), path
    for document in (
        'query($e: ID!) { webhookDelivery(endpointId: $e, deliveryId: "zz") { id } }',
        'mutation($e: ID!) { redeliverWebhook(endpointId: $e, deliveryId: "zz") { id } }',
    ):
        (error,) = (await api.graphql(document, token=merchant.token, e=endpoint))["errors"]
        assert (error["message"], error["extensions"]["status"]) == ("Registro não encontrado.", 404)
    assert await fingerprint(services.database) == before


DEEP = b'{"a":' * 40 + b"1" + b"}" * 40
BROKEN = {
    "nothing of JSON": b"amount=5",
    "cut short": b'{"amount": 5',
    "trailing": b'{"amount": 5} {}',
    "a list": b"[]",
    "a text": b'"x"',
    "a number": b"5",
    "null": b"null",
    "infinity": b'{"amount": 1e400}',
    "minus infinity": b'{"amount": -1e400}',
    "NaN": b'{"amount": NaN}',
    "Infinity": b'{"amount": Infinity}',
    "invalid UTF-8": b'{"description": "\xff\xfe"}',
    "overlong UTF-8": b'{"description": "\xc0\xaf"}',
    "lone surrogate": b'{"description": "\\ud800"}',
    "encoded surrogate": b'{"description": "\xed\xa0\x80"}',
    "byte order mark": b'\xef\xbb\xbf{"amount": 5}',
    "UTF-16": '{"amount": 5}'.encode("utf-16"),
    "repeated key": b'{"amount": 5, "amount": 500}',
    "repeated key within": b'{"metadata": {"a": "1", "\\u0061": "2"}}',
    "comments": b'{"amount": 5 /* reais */}',
    "single quotes": b"{'amount': 5}",
    "deep": DEEP,
    "deep lists": b'{"metadata":' + b"[" * 1500 + b"]" * 1500 + b"}",
    "very deep": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("path", ["/pix", "/charges", "/auth/login", "/graphql", "/customers", "/pix/simulate-payment"])
async def test_a_body_that_is_not_an_object_is_refused(
    api: Api, merchant: Merchant, database: Database, path: str, body: bytes
) -> None:
    before = await fingerprint(database)
    headers = {"authorization": f"Bearer {merchant.token}", "content-type": "application/json"}
    response = await api.client.post(path, content=body, headers=headers)
    assert response.status_code == 400, response.text
    body = response.json()
    if path == "/graphql":
        (error,) = body.pop("errors")
    else:
        error = body.pop("error")
    assert body == {}, "an error has one form at each address"
    assert error["message"]
    assert await fingerprint(database) == before


@pytest.mark.parametrize("path", ["/pix", "/graphql", "/auth/login"])
async def test_a_huge_body_is_a_413(api: Api, merchant: Merchant, path: str) -> None:
    async def chunks() -> Any:
        for _ in range(20):
            yield b" " * 100_000

    headers = {"authorization": f"Bearer {merchant.token}", "content-type": "application/json"}
    for content in (b" " * (1024 * 1024 + 1), chunks()):
        response = await api.client.post(path, content=content, headers=headers)
        assert response.status_code == 413
        assert "1 MiB" in response.text


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", ""]
)
async def test_another_content_type_is_a_415(api: Api, merchant: Merchant, kind: str) -> None:
    for path in ("/pix", "/graphql"):
        headers = {"authorization": f"Bearer {merchant.key}", "content-type": kind}
        response = await api.client.post(path, content=b'{"amount": 5}', headers=headers)
        assert response.status_code == 415, path


@pytest.mark.parametrize("query", ["id=%ff", "id=1&id=2", "a=1&" * 200, "txid=%00", "txid=%0a", "id=%F0%28%8C%28"])
async def test_an_unreadable_query_is_refused(api: Api, merchant: Merchant, query: str) -> None:
    response = await api.get(f"/pix/status?{query}", token=merchant.key)
    assert response.status_code in {400, 404}, response.text
    assert response.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/nada", "/pix/a/b/c", "/%00", "/auth", "/ção"])
async def test_an_unknown_path_is_a_404_in_our_form(api: Api, path: str) -> None:
    response = await api.get(path)
    assert response.status_code == 404
    assert response.json()["error"] == {"message": "Endereço não encontrado."}
