"""Both transports serve every operation with the same responses and the same writes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from gateway.settings import ReceivingMode
from tests.api import statement_counts
from tests.api.audit_actions import ACTIONS, READ_BY_POST, RECORDED_ELSEWHERE
from tests.api.rows import difference, everything, fingerprint
from tests.api.table import (
    BY_NAME,
    DIFFERENT_BY_TRANSPORT,
    FAILURES,
    REFUSED_BY_DESIGN,
    ROWS,
    SINGLE_TRANSPORT,
    Failure,
    Row,
)
from tests.api.transport_calls import Outcome, by_graphql, by_rest, endpoint_of, field_of
from tests.api_client import Api, Merchant
from tests.applicants import staff_member

_VARYING = {
    *("id", "user_id", "txid", "pix_code", "qr_code_url", "checkout_url", "receipt_url", "end_to_end_id"),
    *("return_id", "refund_id"),
    *("email", "accessToken", "key", "prefix", "secret", "secret_preview"),
    *(
        "event_id",
        "endpoint_id",
        "sequence",
        "actor_id",
        "recorded_by",
        "item_id",
        "charge_id",
        "engine_id",
        "resolved_by_id",
    ),
    *("product_id", "coupon_id", "payment_link_id", "subscription_id", "slug", "url", "link_slug"),
    *("store_id", "invited_by", "resource_id", "request_id", "prev_hash", "hash"),
    *("recovery_codes", "otpauth_url"),
    *("account_id", "wallet_id", "link_documentos", "link_documentos_qr"),
}


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_operation_is_in_the_table_and_in_both_transports(name: str) -> None:
    if name in SINGLE_TRANSPORT:
        assert name not in BY_NAME
        return
    assert name in BY_NAME, f"{name}: add a row to tests/api/table.py"
    assert endpoint_of(name) is not None, f"{name} has no row in rest_compat/routes.py"
    assert field_of(BY_NAME[name].field) is not None, f"{name} has no field in schema/"


def test_the_table_has_no_removed_operation() -> None:
    assert {*BY_NAME, *SINGLE_TRANSPORT} <= set(REGISTRY)
    assert {failure.operation for failure in FAILURES} <= set(BY_NAME)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
async def test_both_transports_answer_and_write_the_same(services: Services, database: Database, row: Row) -> None:
    async with _in_its_mode(row, services) as api:
        through_rest, through_graphql = await api.register_merchant(), await api.register_merchant()
        staff = await staff_member(api, services) if row.staff else None

        rest, wrote_rest, cost_rest = await _through(api, database, row, through_rest, "rest", staff)
        graphql, wrote_graphql, cost_graphql = await _through(api, database, row, through_graphql, "graphql", staff)

    done = row.operation not in REFUSED_BY_DESIGN
    assert (rest.status < 300, graphql.status < 300) == (done, done), rest.body
    assert not isinstance(rest.data, list) or len(rest.data) > 1, "a list of one row hides statements per row"
    differing = DIFFERENT_BY_TRANSPORT.get(row.operation, set())
    assert _without(_alike(graphql.data), differing) == _without(_alike(rest.data), differing)
    assert (graphql.message, graphql.codigo, graphql.extra) == (rest.message, rest.codigo, rest.extra)
    assert graphql.notices == rest.notices
    assert wrote_graphql == wrote_rest
    _assert_audited(row.operation, wrote_rest)
    figures: list[int | None] = [*cost_rest, *cost_graphql]
    assert statement_counts.write(row.operation, figures) or figures == statement_counts.documented().get(
        row.operation
    ), statement_counts.PAGE


def _assert_audited(name: str, wrote: dict[str, list[dict[str, Any]]]) -> None:
    """Changes leave their audit records, and reads leave none."""
    records = wrote.get("audit_trail", [])
    assert {record["action"] for record in records} == ACTIONS.get(name, set()), name
    for record in records:
        assert record["changes"] or not record["action"].endswith(".updated"), name
        for field, change in record["changes"].items():
            # Values that differ between equal calls are reduced to true.
            assert change is True or set(change) == {"from", "to"}, f"{name}: {field}"


def test_every_operation_that_changes_something_has_an_audit_action() -> None:
    """Changes are all requests but GET, and all GraphQL mutations."""
    changing = {
        name
        for name in REGISTRY
        if ((rest := endpoint_of(name)) is not None and rest.method != "GET")
        or (name in BY_NAME and (field := field_of(BY_NAME[name].field)) is not None and field[0] == "mutation")
    }
    recorded = set(ACTIONS) | RECORDED_ELSEWHERE | READ_BY_POST
    assert changing <= recorded
    assert recorded <= set(REGISTRY)
    assert set(ACTIONS) <= set(BY_NAME)
    assert set(SINGLE_TRANSPORT) >= RECORDED_ELSEWHERE | READ_BY_POST


@pytest.mark.parametrize(
    "case", FAILURES, ids=lambda case: f"{case.operation}-{case.codigo or case.status}-{case.note}"
)
async def test_both_transports_refuse_alike_and_write_nothing(api: Api, database: Database, case: Failure) -> None:
    merchant = await api.register_merchant()
    raw_input = await case.prepare(merchant)
    caller = await staff_member(api, api.services) if case.staff else merchant
    before = await fingerprint(database)

    rest = await by_rest(api, case.operation, raw_input, caller.token)
    graphql = await by_graphql(api, BY_NAME[case.operation].field, raw_input, caller.token)

    assert (rest.status, rest.codigo) == (case.status, case.codigo), rest.body
    assert graphql == rest
    assert await fingerprint(database) == before


@asynccontextmanager
async def _in_its_mode(row: Row, services: Services) -> AsyncIterator[Api]:
    mode = ReceivingMode.conta_unica if row.subaccount is None else ReceivingMode.subconta
    settings = services.settings.model_copy(update={"receiving_mode": mode})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        yield api


async def _through(
    api: Api, database: Database, row: Row, merchant: Merchant, transport: str, staff: Merchant | None
) -> tuple[Outcome, dict[str, list[dict[str, Any]]], statement_counts.SqlCount]:
    if row.subaccount is not None:
        await row.subaccount(merchant)
    raw_input = await row.prepare(merchant)
    before = await everything(database)
    token = (staff or merchant).token
    async with statement_counts.logged_statements(database) as sent:
        if transport == "rest":
            outcome = await by_rest(api, row.operation, raw_input, token)
        else:
            outcome = await by_graphql(api, row.field, raw_input, token)
    return outcome, difference(before, await everything(database)), statement_counts.count(sent)


def _alike(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: (inner is not None) if name in _VARYING else _alike(inner) for name, inner in value.items()}
    return [_alike(item) for item in value] if isinstance(value, list) else value


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, list):
        return [_without(item, names) for item in value]
    return {name: inner for name, inner in value.items() if name not in names} if isinstance(value, dict) else value
