"""A period of creation in the order of payments, changes or expiries has each of its charges in its place, those that
are paid, changed or expire at any other time too (ADR 0056).
"""

import random
from datetime import datetime, timedelta
from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest

from gateway.models.database import Database
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.listing.cursors import Bounds
from gateway.resolvers.listing.statements import MOST_SORTED
from tests.api import Api
from tests.moved_clock import MovedClock
from tests.rows import put_charges

LIMIT = 5
FIRST = "0001"
COLUMNS = ("paid_at", "updated_at", "expires_at")
HOURS = (0, 0.01, 0.01, 1, 1, 12, 47, 48, 49, 90, 240)
BEFORE = (-60, -1)
"""A change is written with the clock of whoever makes it."""


def charge(rng: random.Random, created_at: datetime) -> dict[str, Any]:
    def later(*hours: float) -> datetime:
        return created_at + timedelta(hours=rng.choice((*HOURS, *hours)))

    paid = {"status": "paid", "paid_at": later()} if rng.random() < 0.7 else {"status": "canceled"}
    moments = {"created_at": created_at, "updated_at": later(*BEFORE), "expires_at": later(*BEFORE)}
    return {**moments, **paid, "amount": rng.choice((1000, 2000, 3000))}


def in_order(rows: list[dict[str, Any]], column: str, *, descending: bool) -> list[dict[str, Any]]:
    def place(row: dict[str, Any]) -> tuple[str, str]:
        return (row[column].isoformat() if row.get(column) else FIRST, row["id"])

    return sorted(rows, key=place, reverse=descending)


@pytest.mark.parametrize("seed", range(3))
async def test_what_follows_creation_is_found_in_its_order(
    api: Api, database: Database, clock: MovedClock, seed: int
) -> None:
    rng, merchant, now = random.Random(seed), await api.register_merchant(), clock.now()
    begin = now - timedelta(days=30)
    rows = [charge(rng, begin + timedelta(hours=rng.randrange(24 * 15))) for _ in range(90)]
    ids = await put_charges(database, merchant.id, rows, now=now)
    rows = [row | {"id": row_id} for row, row_id in zip(rows, ids, strict=True)]
    since, until = begin + timedelta(days=4), begin + timedelta(days=9)
    periods = ({"created_from": since}, {"created_to": until}, {"created_from": since, "created_to": until})
    scope = {"user_id": merchant.id, "environment": "test", "now": now}
    whole = 0
    for period, filters, column, descending in product(
        periods, ({}, {"status": "paid"}, {"status": "paid", "amount_min": "20"}), COLUMNS, (True, False)
    ):
        sort = f"-{column}" if descending else column
        given = {name: moment.isoformat() for name, moment in period.items()} | filters
        asked = CHARGES.asked(ListCharges.from_draft(given))
        found = [
            row
            for row in rows
            if period.get("created_from", begin) <= row["created_at"] <= period.get("created_to", now)
            and row["status"] == filters.get("status", row["status"])
            and row["amount"] >= (2000 if "amount_min" in filters else 0)
        ]
        expected = in_order(found, column, descending=descending)
        for backward, start in product((False, True), (None, 0, 3, len(expected) // 2, len(expected) - 2)):
            bounds = Bounds(
                after=start is not None and not backward, before=start is not None and backward, backward=backward
            )
            if not CHARGES.follows(asked, sort, bounds):
                # Unpaid charges, wherever they were created, would come first.
                assert (column, descending is backward, "status" in filters) == ("paid_at", True, False)
                continue
            rest = expected[::-1] if backward else expected
            cursors = {}
            if start is not None:
                at, rest = rest[start], rest[start + 1 :]
                end = "before" if backward else "after"
                place = at.get(column) or datetime(1, 1, 2, tzinfo=now.tzinfo)
                cursors = {end: place, f"{end}_id": at["id"]}
            offset = 0 if any(bounds) else rng.choice((0, 3))
            statement = CHARGES.following_rows(asked, sort, bounds, limit=LIMIT, offset=offset)
            values = {**asked.values, **scope, **cursors}
            read = await database.all(statement, **values, limit=LIMIT, offset=offset)
            told, meant = [str(row["id"]) for row in read], rest[offset : offset + LIMIT]
            assert told == [row["id"] for row in meant][: len(told)], (given, sort, bounds, offset)
            # What is left out was never paid, and the list's other ways find it.
            assert all(row.get(column) is None for row in meant[len(told) :]), (given, sort, bounds, offset)
            whole += len(told) == LIMIT
    assert whole > 100


async def test_a_long_period_is_read_in_every_order(api: Api, database: Database, clock: MovedClock) -> None:
    rng, merchant, now = random.Random(4), await api.register_merchant(), clock.now()
    begin = now - timedelta(days=60)
    rows = [charge(rng, begin + timedelta(minutes=2 * n)) for n in range(MOST_SORTED + 1500)]
    ids = await put_charges(database, merchant.id, rows, now=now)
    rows = [row | {"id": row_id} for row, row_id in zip(rows, ids, strict=True)]
    until = begin + timedelta(minutes=2 * (MOST_SORTED + 500))
    found = [row for row in rows if row["created_at"] <= until]
    for column, descending in product(COLUMNS, (True, False)):
        expected = [row["id"] for row in in_order(found, column, descending=descending)]
        asked = {"created_to": until.isoformat(), "sort": f"-{column}" if descending else column, "limit": 100}
        seen: list[str] = []
        after = ""
        for _ in range(3):
            answer = (await api.get(f"/pix?{urlencode(asked | {'after': after})}", token=merchant.key)).json()
            seen += [row["id"] for row in answer["data"]]
            after = answer["pagination"]["next_cursor"]
        assert seen == expected[:300], asked
        last = (await api.get(f"/pix?{urlencode(asked | {'page': 105})}", token=merchant.key)).json()
        assert [row["id"] for row in last["data"]] == expected[10400:10500], asked
        assert last["pagination"]["total"] == len(expected)
