"""Totals are exact where they are known or few; what is more than is counted is told as such, and nothing is lost by
it (ADR 0055).
"""

from datetime import timedelta
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from gateway.models.database import Database, Statement
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.context import Services, system_context
from gateway.resolvers.listing.sweep import sweep_lists
from gateway.resolvers.listing.totals import MOST_COUNTED, MOST_FOUND, MOST_JUDGED
from tests.api import Api, Merchant
from tests.moved_clock import MovedClock
from tests.rows import put_charges, put_customers

TOTALS = """
query ($filter: ChargeFilter) {
  charges(first: 2, filter: $filter) { totalCount totalCapped all: totalCount(exact: true) }
}
"""
PRODUCTS = Statement(
    text("""
insert into products (id, user_id, environment, name, price, active, created_at, updated_at)
select gen_random_uuid(), :user_id, 'test', 'Caneca ' || n, 1000, true, moment, moment
  from generate_series(1, :many) n, lateral (select timestamptz '2026-01-01' + (n > 1)::integer * interval '1 day' as moment) at
""")
)
OF_CUSTOMERS = """
{ customers(order: name_asc) { edges { node { name charges(first: 1) {
  totalCount totalCapped all: totalCount(exact: true) edges { node { id } }
} } } } }
"""


async def page(api: Api, merchant: Merchant, **asked: Any) -> dict[str, Any]:
    answer = await api.get(f"/pix?{urlencode(asked)}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert ("aviso" in body) is body["pagination"].get("total_capped", False)
    return body


async def totals(api: Api, merchant: Merchant, **filters: Any) -> tuple[int, bool, int]:
    answer = await api.graphql(TOTALS, token=merchant.key, filter=filters)
    assert "errors" not in answer, answer
    told = answer["data"]["charges"]
    return told["totalCount"], told["totalCapped"], told["all"]


@pytest.mark.parametrize("swept", [True, False])
async def test_what_a_search_finds_is_counted_up_to_a_bound(
    api: Api, database: Database, services: Services, clock: MovedClock, swept: bool
) -> None:
    merchant, many = await api.register_merchant(), MOST_FOUND + 120
    rows = [{"status": "paid", "paid_at": clock.now()} if n % 2 else {"status": "canceled"} for n in range(many)]
    await put_charges(database, merchant.id, rows, now=clock.now() - timedelta(hours=2))
    if swept:
        await sweep_lists(system_context(services, source="job", request_id="test"))

    pages = MOST_FOUND // 100
    capped = {"total": MOST_FOUND, "total_pages": pages, "has_more": True, "total_capped": True}
    first = await page(api, merchant, q="pedido", page=1, limit=100)
    assert first["pagination"] == {"page": 1, "limit": 100} | capped
    assert "total=exact" in first["aviso"]
    exact = {"total": many, "total_pages": pages + 2, "has_more": True}
    all_ = await page(api, merchant, q="pedido", page=1, limit=100, total="exact")
    assert all_["pagination"] == {"page": 1, "limit": 100} | exact
    assert all_["data"] == first["data"]

    # A page behind what is counted tells more, and the last one all.
    behind = await page(api, merchant, q="pedido", page=pages + 1, limit=100)
    further = {"total": MOST_FOUND + 101, "total_pages": pages + 2, "has_more": True, "total_capped": True}
    assert behind["pagination"] == {"page": pages + 1, "limit": 100} | further
    last = await page(api, merchant, q="pedido", page=pages + 2, limit=100)
    assert last["pagination"] == {"page": pages + 2, "limit": 100} | exact | {"has_more": False}
    full = await page(api, merchant, q="pedido", page=many // 40, limit=40)
    whole = {"page": many // 40, "limit": 40, "total": many, "total_pages": many // 40, "has_more": False}
    assert full["pagination"] == whole
    beyond = await page(api, merchant, q="pedido", page=200, limit=100)
    assert beyond["data"] == []
    assert beyond["pagination"] == {"page": 200, "limit": 100} | capped | {"has_more": False}

    assert await totals(api, merchant, q="pedido") == (MOST_FOUND, True, many)
    assert await totals(api, merchant, q="pedido 0") == (1000, False, 1000)
    if swept:
        # What finds fewer leads, and all that it finds is searched.
        assert await totals(api, merchant, q="pedido", status="paid") == (many // 2, False, many // 2)
        # What finds as many is held against each that the search finds, of which fewer are counted.
        told, is_capped, all_told = await totals(api, merchant, q="pedido 0", amountMin="1")
        assert (told, is_capped, all_told) == (1000, False, 1000)
        assert await totals(api, merchant, q="pedido", amountMin="1") == (MOST_JUDGED, True, many)
    else:
        rows_, is_capped, all_rows = await totals(api, merchant, q="pedido", status="paid")
        assert (rows_ < many // 2, is_capped, all_rows) == (True, True, many // 2)
    # What is known without counting is exact.
    assert await totals(api, merchant) == (many, False, many)


async def test_what_filters_find_is_counted_up_to_another(api: Api, database: Database) -> None:
    merchant = await api.register_merchant()
    await database.run(PRODUCTS, user_id=merchant.id, many=MOST_COUNTED + 1)

    async def told(**asked: str) -> dict[str, Any]:
        answer = await api.get(f"/products?{urlencode({'page': 1} | asked)}", token=merchant.key)
        pagination: dict[str, Any] = answer.json()["pagination"]
        assert pagination.pop("has_more")
        return {name: pagination[name] for name in pagination if name not in ("page", "limit")}

    pages = MOST_COUNTED // 50
    all_ = {"total": MOST_COUNTED + 1, "total_pages": pages + 1}
    assert await told(q="caneca") == {"total": MOST_COUNTED, "total_pages": pages, "total_capped": True}
    assert await told(q="caneca", total="exact") == all_
    assert await told() == all_
    # One row fewer is all counted.
    assert await told(q="caneca", created_from="2026-01-02T00:00:00Z") == {"total": MOST_COUNTED, "total_pages": pages}


@pytest.mark.parametrize("swept", [True, False])
async def test_a_count_looks_at_so_many_rows_whatever_finds_them(
    api: Api, database: Database, services: Services, clock: MovedClock, swept: bool
) -> None:
    merchant, now = await api.register_merchant(), clock.now()
    rows = [
        {
            "customer_name": ("Maria", "João", "Ana")[n % 3],
            **({"status": "paid", "paid_at": now - timedelta(days=n % 7)} if n % 4 else {"status": "canceled"}),
            "amount": 1000 + n % 5 * 1000,
            "created_at": now - timedelta(days=8, minutes=n),
        }
        for n in range(40)
    ]
    await put_charges(database, merchant.id, rows, now=now)
    if swept:
        await sweep_lists(system_context(services, source="job", request_id="test"), step=4, stretch=2)
    every = {
        "q": "maria",
        "status": "paid",
        "amount_min": "20",
        "paid_from": (now - timedelta(days=5)).isoformat(),
        "created_from": (now - timedelta(days=9)).isoformat(),
    }
    scope = {"user_id": merchant.id, "environment": "test", "now": now}
    capped = 0
    for filters in (dict(some) for size in range(1, 6) for some in combinations(every.items(), size)):
        asked = CHARGES.asked(ListCharges.from_draft(filters))
        leads = ((), *CHARGES._list.parts(asked.shape)) if CHARGES.is_weighed(asked) else (None,)
        for lead in leads:
            rows_ = await database.value(CHARGES.count(asked, lead), **asked.values, **scope)
            for most in (1, 5, rows_, 40):
                told = await database.one(CHARGES.count_some(asked, lead, most=most), **asked.values, **scope)
                assert told is not None
                assert told["rows"] <= min(rows_, most)
                # Nothing but what a filter finds that leads is looked at in vain.
                assert told["capped"] or told["rows"] == rows_, (filters, lead, most)
                assert most < 40 or not told["capped"]
                assert lead is not None or "q" in filters or told["rows"] == min(rows_, most)
                capped += told["capped"]
    assert capped > 50


@pytest.mark.parametrize(("most", "expected"), [(None, [2, 5]), (5, [2, 5]), (4, [2, 4]), (1, [1, 1])])
async def test_totals_of_many_parents_are_counted_as_far(
    api: Api, database: Database, clock: MovedClock, most: int | None, expected: list[int]
) -> None:
    merchant, now, rows = await api.register_merchant(), clock.now(), [2, 5, 0]
    parents = await put_customers(database, merchant.id, [{"name": name} for name in ("Ana", "Bia", "Caio")], now=now)
    of_each = [{"customer_id": parent} for parent, n in zip(parents, rows, strict=True) for _ in range(n)]
    await put_charges(database, merchant.id, of_each, now=now)
    asked = CHARGES.asked(ListCharges.from_draft({}))
    scope = {"user_id": merchant.id, "environment": "test", "now": now}
    counted = await database.all(CHARGES.counts_per("customer_id", asked, most=most), **scope, parents=parents)
    told = {str(row["parent"]): (row["rows"], row["capped"]) for row in counted}
    assert told == {
        parent: (n, n < of_parent) for parent, n, of_parent in zip(parents[:2], expected, rows[:2], strict=True)
    }
    answer = await api.graphql(OF_CUSTOMERS, token=merchant.key)
    shown = [edge["node"]["charges"] for edge in answer["data"]["customers"]["edges"]]
    assert [(one["totalCount"], one["totalCapped"], one["all"]) for one in shown] == [(n, False, n) for n in rows]


@pytest.mark.parametrize("value", ["all", "Exact", "1", ""])
async def test_a_total_is_exact_or_as_usual(merchant: Merchant, api: Api, value: str) -> None:
    answer = await api.get(f"/pix?page=1&total={value}", token=merchant.key)
    assert answer.status_code == 400
    assert [one["campo"] for one in answer.json()["error"]["campos"]] == ["total"]
