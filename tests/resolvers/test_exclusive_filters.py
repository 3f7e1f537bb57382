"""Exclusive filters find nothing; unpaid charges are sorted by payment, too."""

from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest

from gateway.models.database import Database
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import place_in_order, put_charges

UNPAID = ("pending", "expired", "canceled")
EARLY = {"created_from": "2026-01-02", "paid_to": "2026-01-01"}
COUNTED = {"total": 0, "total_pages": 0, "has_more": False}
TOTALS = "query ($filter: ChargeFilter) { charges(first: 2, filter: $filter) { totalCount edges { node { id } } } }"
CAMEL = {"created_from": "createdFrom", "paid_from": "paidFrom", "paid_to": "paidTo"}
LIMIT = 3


@pytest.mark.parametrize(
    "filters",
    [
        *({"status": status, bound: "2026-01-01"} for status, bound in product(UNPAID, ("paid_from", "paid_to"))),
        {"status": "expired", "paid_from": "2026-01-01", "amount_min": "5"},
        EARLY,
        EARLY | {"q": "pedido", "amount_min": "5"},
    ],
)
async def test_exclusive_filters_find_no_charge(api: Api, merchant: Merchant, filters: dict[str, str]) -> None:
    windows: dict[str, dict[str, Any] | None] = {
        "page=1&limit=20": {"page": 1, "limit": 20} | COUNTED,
        "page=7&limit=20": {"page": 7, "limit": 20} | COUNTED,
        "page=1&limit=20&total=exact": {"page": 1, "limit": 20} | COUNTED,
        "after=&limit=20": {"limit": 20, "has_more": False, "next_cursor": None},
        "": None,
    }
    for window, pagination in windows.items():
        answer = await api.get(f"/pix?{urlencode(filters)}&{window}", token=merchant.key)
        assert (answer.status_code, answer.json()["data"]) == (200, []), answer.text
        assert answer.json().get("pagination") == pagination
    variables = {CAMEL.get(name, name): value for name, value in filters.items() if name != "amount_min"}
    statuses = await api.graphql(TOTALS, token=merchant.key, filter=variables)
    assert statuses["data"]["charges"] == {"totalCount": 0, "edges": []}


async def test_a_charge_paid_at_its_creation_time_is_found(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    timestamp = clock.now() - timedelta(hours=3)
    await put_charges(database, merchant.id, [{"status": "paid", "paid_at": timestamp}], now=timestamp)
    at = urlencode({"created_from": timestamp.isoformat(), "paid_to": timestamp.isoformat(), "page": 1})
    answer = await api.get(f"/pix?{at}", token=merchant.key)
    assert answer.json()["pagination"]["total"] == 1


@pytest.mark.parametrize("status", ["paid", *UNPAID])
async def test_each_status_is_complete_when_sorted_by_payment(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, status: str
) -> None:
    """With a search or an amount, the first rows of the sort order are scanned before the others."""
    now = clock.now()
    rows = []
    for number in range(120):
        at = now - timedelta(hours=2, minutes=number % 40)
        paid = {"status": "paid", "paid_at": at + timedelta(minutes=1)}
        kinds = {
            "expired": {"expires_at": now - timedelta(minutes=number % 7)},
            "pending": {},
            "canceled": {"status": "canceled"},
        }
        kind = (*kinds, "paid", "paid", "paid")[number % 6]
        rows.append({"created_at": at, "updated_at": at} | kinds.get(kind, paid) | {"kind": kind})
    statuses = [row.pop("kind") for row in rows]
    ids = await put_charges(database, merchant.id, rows, now=now)
    placed = {one: row | {"id": one} for one, row in zip(ids, rows, strict=True)}
    expected = [one for one, kind in zip(ids, statuses, strict=True) if kind == status]
    assert len(expected) >= 20
    for sort, filters in product(("-paid_at", "paid_at"), ({}, {"q": "pedido"}, {"amount_min": "1"})):
        in_order = sorted(expected, key=lambda one: place_in_order(placed[one], "paid_at"), reverse=sort[0] == "-")
        variables = urlencode({"status": status, "sort": sort, "limit": LIMIT} | filters)
        read: list[str] = []
        after: str | None = ""
        while after is not None:
            body = (await api.get(f"/pix?{variables}&after={after}", token=merchant.key)).json()
            read += [one["id"] for one in body["data"]]
            after = body["pagination"]["next_cursor"]
        assert read == in_order, (sort, filters)
        second = (await api.get(f"/pix?{variables}&page=2", token=merchant.key)).json()
        assert [one["id"] for one in second["data"]] == in_order[LIMIT : 2 * LIMIT]
