"""Permissions of every operation for every kind of caller, in both environments and both transports.

The expectation comes from the operation's `Permission`. A refusal writes only to the audit trail and reveals nothing.
"""

from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from gateway.rest_compat.routes import ENDPOINTS
from tests.api.actors import CALLERS, Caller, Refusal, Scene, expected_refusal
from tests.api.rows import fingerprint
from tests.api.table import ROWS, SINGLE_TRANSPORT, Row
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import Api, Merchant


def test_every_permission_has_a_rule_and_every_operation_a_permission() -> None:
    assert set(RULES) == set(Permission)
    for operation in REGISTRY.values():
        assert isinstance(operation.permission, Permission), operation.name


def test_public_operations_are_logins_checkout_and_machine_endpoints() -> None:
    public = {name for name, operation in REGISTRY.items() if operation.permission is Permission.public}
    at_the_checkout = {name for name in public if name.startswith("checkout.")}
    assert {name for name in public - at_the_checkout if name not in SINGLE_TRANSPORT} == {
        "accounts.register",
        "accounts.login",
        "accounts.login_with_code",
        "accounts.external_login",
        "accounts.request_password_reset",
        "accounts.reset_password",
        "service.read",
    }
    assert at_the_checkout == {name for name in REGISTRY if name.startswith("checkout.")}


ALWAYS_REFUSED = [caller for caller in CALLERS if caller.refused is not None]
REFUSED_BY_PERMISSION = [caller for caller in CALLERS if caller.refused is None]


@pytest.mark.parametrize("transport", ["rest", "graphql"])
@pytest.mark.parametrize("caller", ALWAYS_REFUSED, ids=lambda caller: caller.name)
async def test_invalid_credentials_are_refused_everywhere(
    api: Api, services: Services, caller: Caller, transport: str
) -> None:
    scene = await _scene(api, services)
    guarded = [row for row in ROWS if REGISTRY[row.operation].permission is not Permission.public]
    raw_inputs = [(row, await row.prepare(scene.owner)) for row in guarded]
    credential = await caller.credential(scene)
    await _assert_refused_without_trace(
        scene, [(row, raw_input, caller.refused) for row, raw_input in raw_inputs], credential, transport
    )


@pytest.mark.parametrize("transport", ["rest", "graphql"])
@pytest.mark.parametrize("caller", REFUSED_BY_PERMISSION, ids=lambda caller: caller.name)
async def test_permissions_by_caller(api: Api, services: Services, caller: Caller, transport: str) -> None:
    refusals = {
        row.operation: expected_refusal(REGISTRY[row.operation], caller) or _refusal_of_owned(row, caller)
        for row in ROWS
    }
    scene = await _scene(api, services)
    refused = [(row, await row.prepare(scene.owner)) for row in ROWS if refusals[row.operation] is not None]
    credential = await caller.credential(scene)
    await _assert_refused_without_trace(
        scene, [(row, raw_input, refusals[row.operation]) for row, raw_input in refused], credential, transport
    )
    # Admitted calls change data, so each gets its own store.
    for row in ROWS:
        if refusals[row.operation] is not None:
            continue
        scene = await _scene(api, services, stranger=scene.stranger if caller.owns else None)
        raw_input = await row.prepare(scene.owner)
        credential = await caller.credential(scene)
        outcome = await _call(api, row, raw_input, credential, transport)
        where = f"{row.operation} by {caller.name}: {outcome.body}"
        assert outcome.status not in {401, 403, 404}, where
        assert outcome.codigo != "PRODUCAO_NAO_LIBERADA", where


async def _scene(api: Api, services: Services, stranger: Merchant | None = None) -> Scene:
    await services.limiter.forget("register:ip:127.0.0.1")
    owner = await api.register_merchant(company="Loja Secreta")
    return Scene(api, services, owner, stranger or await api.register_merchant())


async def _assert_refused_without_trace(
    scene: Scene, refusals: list[tuple[Row, dict[str, object], Refusal | None]], credential: str | None, transport: str
) -> None:
    """Every call is refused as expected; nothing is written, queued or revealed."""
    await scene.api.get("/auth/me", token=credential)  # Updates the key's last use, at most once a minute.
    before = await fingerprint(scene.database)
    notified = scene.services.notifier.webhook_calls  # type: ignore[attr-defined]  # RecordedNotifier of the tests.
    for row, raw_input, refusal in refusals:
        outcome = await _call(scene.api, row, raw_input, credential, transport)
        where = f"{row.operation}: {outcome.body}"
        assert refusal is not None
        assert (outcome.status, outcome.codigo) == (refusal.status, refusal.codigo), where
        assert refusal.message in {None, outcome.message}, where
        for secret in ("Loja Secreta", "José Pagador", "br.gov.bcb.pix", scene.owner.email, "Maria"):
            assert secret not in outcome.body, where
    assert await fingerprint(scene.database) == before, refusals
    assert scene.services.notifier.webhook_calls == notified  # type: ignore[attr-defined]  # as above.


def _refusal_of_owned(row: Row, caller: Caller) -> Refusal | None:
    """An object of the owner's test environment is unknown to other merchants and to the owner's live credentials."""
    if not row.owned or REGISTRY[row.operation].permission is Permission.public:
        return None
    if not caller.owns:
        return Refusal(404)
    if caller.live:
        return Refusal(409, "SOMENTE_TESTE") if row.operation == "charges.simulate_payment" else _unless_global(row)
    return None


def _unless_global(row: Row) -> Refusal | None:
    """API keys, members and sessions belong to both environments (specification section 4)."""
    return None if row.operation.startswith(("api_keys.", "members.", "sessions.")) else Refusal(404)


async def _call(api: Api, row: Row, raw_input: dict[str, object], credential: str | None, transport: str) -> Outcome:
    if transport == "rest":
        return await by_rest(api, row.operation, raw_input, credential)
    return await by_graphql(api, row.field, raw_input, credential)


async def test_authentication_errors_are_the_only_ones_with_a_bare_string(api: Api) -> None:
    response = await api.get("/auth/me")
    assert (response.status_code, response.json()) == (401, {"error": "Token JWT ou chave de API ausente"})
    assert response.headers["www-authenticate"] == "Bearer"
    answer = await api.graphql("{ me { user { id } } }")
    assert answer["errors"][0]["extensions"] == {"status": 401}
    assert answer["data"] == {"me": None}


@pytest.mark.parametrize("header", ["", "Basic abc", "Bearer", "Bearer ", "service_test_abc", "Token abc"])
async def test_a_header_without_bearer_counts_as_missing(api: Api, header: str) -> None:
    response = await api.get("/auth/me", authorization=header)
    assert response.json() == {"error": "Token JWT ou chave de API ausente"}


@pytest.mark.parametrize("credential", ["service_", "service_live_ção", "service_test_" + "x" * 5000])
async def test_a_value_with_the_prefix_is_an_api_key(api: Api, credential: str) -> None:
    response = await api.client.get("/auth/me", headers={"authorization": f"bearer {credential}".encode()})
    assert response.json() == {"error": "Chave de API inválida ou revogada"}


@pytest.mark.parametrize("path", ["/AUTH/Me", "/auth/me/", "/Auth/ME/"])
async def test_rules_follow_the_operation_and_not_the_spelling_of_the_path(api: Api, path: str) -> None:
    assert (await api.get(path)).json() == {"error": "Token JWT ou chave de API ausente"}


async def test_validation_reveals_nothing_to_unauthenticated_callers(api: Api) -> None:
    for body in (b"{", b"[]", b"\xff", b'{"amount": "x"}'):
        answer = await api.client.post("/pix", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 401, body
    query = 'mutation { issueCharge(input: {amount: "x"}) { id } }'
    assert (await api.graphql(query))["errors"][0]["extensions"]["status"] == 401


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
async def test_operations_of_one_transport_have_the_same_permissions(
    api: Api, services: Services, documents: Path, caller: Caller
) -> None:
    """Files, exports and the dashboard's job: all of `SINGLE_TRANSPORT` except endpoints with their own token."""
    scene = await _scene(api, services)
    charge = await scene.owner.issue()
    credential = await caller.credential(scene)
    await api.get("/auth/me", token=credential)
    before, notified = await fingerprint(scene.database), services.notifier.webhook_calls  # type: ignore[attr-defined]  # RecordedNotifier of the tests.
    refused, known = 0, {"id": charge["id"], "document_id": charge["id"]}
    for name in GUARDED_SINGLE_TRANSPORT:
        refusal = expected_refusal(REGISTRY[name], caller)
        if refusal is None and not caller.owns:
            response = await _call_single_transport(api, name, known, credential)
            assert "José Pagador" not in response.text, name
        if refusal is None:
            continue
        answer = await _call_single_transport(api, name, known, credential)
        error = answer.json().get("error") or answer.json()["errors"][0]["extensions"] | answer.json()["errors"][0]
        status = error.get("status", answer.status_code) if isinstance(error, dict) else answer.status_code
        codigo, message = (error.get("codigo"), error["message"]) if isinstance(error, dict) else (None, error)
        assert (status, codigo) == (refusal.status, refusal.codigo), (name, answer.text)
        assert refusal.message in {None, message}, name
        refused += 1
    assert refused or caller.name in {"staff", "live session", "test session", "another merchant's session"}
    assert not list(documents.glob("**/*"))
    assert await fingerprint(scene.database) == before
    assert services.notifier.webhook_calls == notified  # type: ignore[attr-defined]  # as above.


GUARDED_SINGLE_TRANSPORT = [
    name
    for name in SINGLE_TRANSPORT
    # `tests/schema/test_live.py` opens streams, which do not end.
    if REGISTRY[name].permission is not Permission.public and name != "changes.watch"
]


async def _call_single_transport(api: Api, name: str, known: dict[str, str], credential: str | None) -> httpx.Response:
    """The response of an operation of one transport."""
    headers = {"authorization": f"Bearer {credential}"} if credential else {}
    endpoint = next(
        (each for each in ENDPOINTS if name in {each.operation.name, each.export and each.export.name}), None
    )
    if endpoint is None:
        return await api.client.post("/graphql", json={"query": BY_GRAPHQL[name]}, headers=headers)
    if endpoint.operation.name != name:
        headers["accept"] = "text/csv"
    form = {"data": {"type": "proof_of_address"}, "files": {"file": ("a.pdf", b"%PDF-1.7", "application/pdf")}}
    sent: dict[str, Any] = form if endpoint.form else {}
    return await api.client.request(endpoint.method, endpoint.path.format(**known), headers=headers, **sent)


BY_GRAPHQL = {
    "members.viewer": "{ viewer { role } }",
    "production.begin_upload": """mutation {
        beginDocumentUpload(type: proof_of_address, fileName: "a.pdf", size: 9) { url } }""",
    "staff.begin_download": """mutation { documentDownload(
        merchantId: "00000000-0000-7000-8000-000000000000", documentId: "00000000-0000-7000-8000-000000000000") { url } }""",
    "subscriptions.bill": "mutation { billSubscriptions(dryRun: true) { analisadas } }",
}
"""Operations of GraphQL only."""
