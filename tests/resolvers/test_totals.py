"""Totals are exact up to 3,000 rows. Of more, the total is 3,000 and says so; `total=exact` counts all."""

from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from gateway.models.database import Database, Statement
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges, put_customers

MANY = 3_120
TOTALS = """
query ($filter: ChargeFilter) {
  charges(first: 2, filter: $filter) { totalCount totalCapped totalAmount all: totalCount(exact: true) }
}
"""
OF_CUSTOMERS = """
{ customers(order: name_asc) { edges { node { name charges(first: 1) {
  totalCount totalCapped all: totalCount(exact: true) edges { node { id } }
} } } } }
"""


async def page(api: Api, merchant: Merchant, **query: Any) -> dict[str, Any]:
    answer = await api.get(f"/pix?{urlencode(query)}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert ("aviso" in body) is body["pagination"].get("total_capped", False)
    return body


async def totals(api: Api, merchant: Merchant, **filters: Any) -> tuple[int, bool, int]:
    answer = await api.graphql(TOTALS, token=merchant.key, filter=filters)
    assert "errors" not in answer, answer
    found = answer["data"]["charges"]
    assert (found["totalAmount"] is None) is found["totalCapped"]
    return found["totalCount"], found["totalCapped"], found["all"]


async def test_more_rows_than_the_cap_are_reported_as_capped(api: Api, database: Database, clock: MovedClock) -> None:
    merchant, now = await api.register_merchant(), clock.now()
    rows = [{"status": "paid", "paid_at": now} if n % 2 else {"status": "canceled"} for n in range(MANY)]
    rows[:130] = [row | {"customer_name": "Zélia"} for row in rows[:130]]
    made = await put_charges(database, merchant.id, rows, now=now)
    newest = sorted(made, reverse=True)

    capped = {"total": 3000, "total_pages": 30, "total_capped": True}
    exact = {"total": MANY, "total_pages": 32}
    for query in ({}, {"q": "pedido"}, {"amount_min": "1"}):
        for number in (1, 31, 32, 40):
            window = {"page": number, "limit": 100}
            expected, more = newest[100 * number - 100 : 100 * number], {"has_more": number < 32}
            answer = await page(api, merchant, **query, **window)
            assert [row["id"] for row in answer["data"]] == expected, (query, number)
            # The last page of 3,101 rows knows of all of them.
            known = {"total": MANY, "total_pages": 32} if number == 32 else {}
            known |= {"total": 3100, "total_pages": 31} if number == 31 else {}
            assert answer["pagination"] == window | capped | known | more, (query, number)
            answer = await page(api, merchant, **query, **window, total="exact")
            assert [row["id"] for row in answer["data"]] == expected, (query, number)
            assert answer["pagination"] == window | exact | more, (query, number)
        by_amount = await page(api, merchant, **query, page=2, limit=3, sort="-amount")
        assert [row["id"] for row in by_amount["data"]] == made[::-1][3:6]

    assert await totals(api, merchant) == (3000, True, MANY)
    assert await totals(api, merchant, q="pedido") == (3000, True, MANY)
    assert await totals(api, merchant, q="pedido", status="paid") == (MANY // 2, False, MANY // 2)
    assert await totals(api, merchant, q="zelia pedido") == (130, False, 130)


async def test_totals_of_many_parents(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    now, rows = clock.now(), [2, 3001, 0]
    parents = await put_customers(database, merchant.id, [{"name": name} for name in ("Ana", "Bia", "Caio")], now=now)
    of_each = [{"customer_id": parent} for parent, n in zip(parents, rows, strict=True) for _ in range(n)]
    await put_charges(database, merchant.id, of_each, now=now)
    answer = await api.graphql(OF_CUSTOMERS, token=merchant.key)
    expected = [edge["node"]["charges"] for edge in answer["data"]["customers"]["edges"]]
    counted = [(one["totalCount"], one["totalCapped"], one["all"]) for one in expected]
    assert counted == [(2, False, 2), (3000, True, 3001), (0, False, 0)]


@pytest.mark.parametrize("value", ["all", "Exact", "1", ""])
async def test_a_total_is_exact_or_capped(merchant: Merchant, api: Api, value: str) -> None:
    answer = await api.get(f"/pix?page=1&total={value}", token=merchant.key)
    assert answer.status_code == 400
    assert [one["campo"] for one in answer.json()["error"]["campos"]] == ["total"]


@pytest.mark.parametrize("by", ["page", "count", "charges of customers"])
async def test_a_search_that_takes_too_long_is_refused(merchant: Merchant, database: Database, by: str) -> None:
    queries = {
        "count": '{ charges(filter: {q: "ana"}) { totalCount } }',
        "charges of customers": '{ customers { edges { node { charges(filter: {q: "ana"}) { edges { cursor } } } } } }',
    }
    await merchant.api.post("/customers", {"name": "Ana"}, token=merchant.key)
    async with database.transaction() as transaction:
        await transaction.run(Statement(text("lock table charges")))
        if by == "page":
            answer = await merchant.api.get("/pix?q=ana&page=1", token=merchant.key)
            fields = [fault["campo"] for fault in answer.json()["error"]["campos"]]
        else:
            answer = await merchant.api.graphql(queries[by], token=merchant.key)
            fields = [fault["campo"] for fault in answer["errors"][0]["extensions"]["campos"]]
    assert fields == ["q"]
