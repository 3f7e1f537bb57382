"""Every creation honours `Idempotency-Key` at both transports: one creation and one response per key."""

from dataclasses import replace
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.operation import REGISTRY
from tests.api.rows import everything
from tests.api.table import ROWS, Row
from tests.api.transport_calls import by_graphql, by_rest
from tests.api_client import Api
from tests.applicants import staff_member
from tests.docs.test_links import exists

ELSEWHERE = {
    "receiving.open": "tests/resolvers/receiving/test_create_account.py::test_a_key_replays_the_response_and_an_existing_account_is_a_200",
    "withdrawals.request": "tests/resolvers/withdrawals/test_transitions.py::test_both_transports_behave_alike",
    "production.upload_document": "tests/resolvers/production/test_documents.py::test_an_idempotency_key_stores_a_document_once",
}
"""Creations that these tests can't call, and the tests that send them twice."""
CREATING = [row for row in ROWS if REGISTRY[row.operation].idempotent and row.operation not in ELSEWHERE]


def test_every_creation_is_sent_twice_by_a_test() -> None:
    creating = {name for name, operation in REGISTRY.items() if operation.idempotent}
    assert creating == {row.operation for row in CREATING} | set(ELSEWHERE)
    assert all(exists(test) for test in ELSEWHERE.values())


@pytest.mark.parametrize("transport", ["rest", "graphql"])
@pytest.mark.parametrize("row", CREATING, ids=lambda row: row.operation)
async def test_a_creation_sent_twice_creates_once(api: Api, database: Database, row: Row, transport: str) -> None:
    merchant = await api.register_merchant()
    caller = await staff_member(api, api.services) if row.staff else merchant
    raw_input = await row.prepare(merchant)

    async def send() -> Any:
        key = {"idempotency_key": "pedido-1"}
        if transport == "rest":
            return await by_rest(api, row.operation, raw_input, caller.token, **key)
        return await by_graphql(api, row.field, raw_input, caller.token, **key)

    first, rows = await send(), await everything(database)
    again = await send()
    assert first.data, first
    assert (first.replayed, again.replayed) == (False, True)
    assert again == replace(first, replayed=True)
    assert {**await everything(database), "audit_chain": []} == {**rows, "audit_chain": []}
