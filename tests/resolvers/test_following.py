"""A period of creation, and what is made from one product, have each charge in its place in the order of payments,
changes, expiries or amounts, those that are paid, changed or expire at any other time too, and those whose ids are of
another time (ADRs 0056, 0059, 0067).
"""

import random
import uuid
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from gateway.ids import first_id_of, new_id
from gateway.models.base import Environment
from gateway.models.charges import MADE_FROM
from gateway.models.database import Database, Statement
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.context import Services, system_context
from gateway.resolvers.customers.inputs import ListCustomers
from gateway.resolvers.customers.reading import CUSTOMERS
from gateway.resolvers.customers.views import CustomerView
from gateway.resolvers.listing.cursors import Bounds
from gateway.resolvers.listing.statements import MOST_SORTED
from gateway.resolvers.listing.windows import page_of
from tests.api import Api
from tests.moved_clock import MovedClock
from tests.rows import place_in_order, put_charges, put_customers

LIMIT = 5
COLUMNS = ("paid_at", "updated_at", "expires_at")
MINUTES = (0, 0, 0, -9, 9, -11, 11)
"""So much later than a charge its id may be."""
HOURS = (0, 0.01, 0.01, 1, 1, 12, 47, 48, 49, 90, 240)
EARLIER = timedelta(days=720_000)
"""By so much earlier stands what was never paid than it was created."""
LONG = 24 * 90
"""So many hours a charge may wait that hasn't lapsed yet."""
BEFORE = (-60, -1)
"""A change is written with the clock of whoever makes it."""
PAID = {"status": "paid"}
ONES = {what: [new_id(), new_id()] for what in MADE_FROM}
MEANT: dict[str, Callable[[dict[str, Any], str], bool]] = {
    "status": lambda row, value: shown(row) == value,
    "amount_min": lambda row, value: row["amount"] >= 100 * int(value),
    "amount_max": lambda row, value: row["amount"] <= 100 * int(value),
    "created_from": lambda row, value: row["created_at"] >= datetime.fromisoformat(value),
    "created_to": lambda row, value: row["created_at"] <= datetime.fromisoformat(value),
    "paid_from": lambda row, value: "paid_at" in row and row["paid_at"] >= datetime.fromisoformat(value),
    "paid_to": lambda row, value: "paid_at" in row and row["paid_at"] <= datetime.fromisoformat(value),
    **{f"{what}_id": lambda row, value, what=what: row[f"{what}_id"] == value for what in MADE_FROM},
}


class Way(NamedTuple):
    """A way to read a list, and whether it serves what is asked for."""

    serves: Callable[..., bool]
    read: Callable[..., Statement]


FOLLOWING = Way(CHARGES.follows, CHARGES.following_rows)
OF_PERIOD = Way(CHARGES.is_range_of_ids, CHARGES.period_rows)
AS_CREATED = Way(CHARGES.is_as_created, CHARGES.as_created_rows)


def charge(rng: random.Random, created_at: datetime) -> dict[str, Any]:
    def later(*hours: float) -> datetime:
        return created_at + timedelta(hours=rng.choice((*HOURS, *hours)))

    unpaid = {"status": rng.choice(("canceled", "expired", "pending"))}
    paid = {"status": "paid", "paid_at": later()} if rng.random() < 0.6 else unpaid
    moments = {"created_at": created_at, "updated_at": later(*BEFORE), "expires_at": later(*BEFORE, LONG)}
    of = {f"{what}_id": rng.choice(ones) for what, ones in ONES.items()}
    ids = new_id(), id_of(rng, created_at + timedelta(minutes=rng.choice(MINUTES)))
    return {"id": ids[rng.random() < 0.9], **moments, **paid, **of, "amount": rng.choice((1000, 2000, 3000))}


def shown(row: dict[str, Any]) -> str:
    """The status of a charge, with those that have lapsed."""
    lapsed = row["status"] == "pending" and row["expires_at"] < row["created_at"] + timedelta(hours=LONG)
    return "expired" if lapsed else str(row["status"])


def id_of(rng: random.Random, moment: datetime) -> str:
    """An id that was made then: a UUIDv7, or, seldom, one that tells no time."""
    any_of_them = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    begun = first_id_of(moment)
    return any_of_them if rng.random() < 0.1 else begun[:19] + any_of_them[19:]


def in_order(rows: list[dict[str, Any]], column: str, *, descending: bool) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: place_in_order(row, column), reverse=descending)


@dataclass
class Windows:
    """The charges of a store, and windows on them: what the statements tell, and what the rows say."""

    database: Database
    rows: list[dict[str, Any]]
    scope: dict[str, Any]
    rng: random.Random
    full: int = 0

    async def compare(self, way: Way, given: dict[str, str], sort: str) -> None:
        """What these filters find, from each end, and behind the first row, the fourth, the one in the middle and the
        last but one.
        """
        asked, column = CHARGES.asked(ListCharges.from_draft(given)), sort.removeprefix("-")
        assert way.serves(asked, sort), (given, sort)
        found = [row for row in self.rows if all(MEANT[name](row, value) for name, value in given.items())]
        expected = in_order(found, column, descending=sort.startswith("-"))
        starts = [start for start in (0, 3, len(expected) // 2, len(expected) - 2) if 0 <= start < len(expected)]
        for backward, start in product((False, True), (None, *starts)):
            bounds = Bounds(
                after=start is not None and not backward, before=start is not None and backward, backward=backward
            )
            rest = expected[::-1] if backward else expected
            cursors = {}
            if start is not None:
                at, rest = rest[start], rest[start + 1 :]
                end = "before" if backward else "after"
                cursors = {end: at.get(column) or at["created_at"] - EARLIER, f"{end}_id": at["id"]}
            offset = 0 if any(bounds) else self.rng.choice((0, 3))
            statement = way.read(asked, sort, bounds, limit=LIMIT, offset=offset)
            values = {**asked.values, **self.scope, **cursors}
            read = await self.database.all(statement, **values, limit=LIMIT, offset=offset)
            told, meant = [str(row["id"]) for row in read], rest[offset : offset + LIMIT]
            assert told == [row["id"] for row in meant], (given, sort, bounds, offset)
            self.full += len(told) == LIMIT


@pytest.mark.seeds(2)
async def test_what_follows_creation_is_found_in_its_order(
    api: Api, database: Database, clock: MovedClock, seed: int
) -> None:
    rng, merchant, now = random.Random(seed), await api.register_merchant(), clock.now()
    begin = now - timedelta(days=30)
    rows = [charge(rng, begin + timedelta(hours=rng.randrange(24 * 15))) for _ in range(120)]
    ids = await put_charges(database, merchant.id, rows, now=now)
    rows = [row | {"id": row_id} for row, row_id in zip(rows, ids, strict=True)]
    windows = Windows(database, rows, {"user_id": merchant.id, "environment": "test", "now": now}, rng)
    since, until = ((begin + timedelta(days=days)).isoformat() for days in (4, 9))
    periods = ({"created_from": since}, {"created_to": until}, {"created_from": since, "created_to": until})
    sorts = [f"{way}{column}" for column, way in product(COLUMNS, ("-", ""))]
    unpaid = ({"status": "expired"}, {"status": "pending"})
    for period, filters, sort in product(periods, ({}, PAID, {**PAID, "amount_min": "20"}, *unpaid), sorts):
        # Whether they have lapsed, only the index of that moment tells.
        if filters not in unpaid or sort.endswith("expires_at"):
            await windows.compare(FOLLOWING, {**period, **filters}, sort)
    assert windows.full > 100
    windows.full = 0
    year = {"paid_from": since, "paid_to": until}
    canceled = {"status": "canceled"}
    for period, filters, sort in product(({}, periods[2]), ({}, PAID, canceled), sorts):
        if filters == canceled and sort.endswith("paid_at"):
            # They are read in the order that stands in.
            continue
        what = rng.choice(MADE_FROM)
        await windows.compare(AS_CREATED, {f"{what}_id": rng.choice(ONES[what]), **period, **filters}, sort)
    for bounds, sort in product(({"paid_from": since}, {"paid_to": until}, year), sorts):
        await windows.compare(AS_CREATED, {"product_id": rng.choice(ONES["product"]), **bounds}, sort)
    assert windows.full > 100


@pytest.mark.seeds(2)
async def test_a_period_is_found_by_its_ids(api: Api, database: Database, clock: MovedClock, seed: int) -> None:
    rng, merchant, now = random.Random(seed), await api.register_merchant(), clock.now()
    begin = now - timedelta(days=30)
    rows = [charge(rng, begin + timedelta(hours=rng.randrange(24 * 15))) for _ in range(150)]
    await put_charges(database, merchant.id, rows, now=now)
    windows = Windows(database, rows, {"user_id": merchant.id, "environment": "test", "now": now}, rng)
    since, until = ((begin + timedelta(days=days)).isoformat() for days in (4, 9))
    periods = ({"created_from": since}, {"created_to": until}, {"created_from": since, "created_to": until})
    others = ({}, PAID, {"amount_min": "20"}, {**PAID, "amount_max": "20"}, {"product_id": ONES["product"][0]})
    for period, filters, sort in product(periods, others, ("amount", "-amount")):
        await windows.compare(OF_PERIOD, {**period, **filters}, sort)
    for period, sort in product(periods, ("paid_at", "-paid_at")):
        # That moment is bounded itself, so that it needn't follow.
        await windows.compare(OF_PERIOD, {**period, "paid_from": (begin + timedelta(days=6)).isoformat()}, sort)
    assert windows.full > 100
    extremes = {"created_from": "1901-01-01T00:00:00Z", "created_to": "8999-12-31T23:59:59Z"}
    await windows.compare(OF_PERIOD, extremes, "amount")


async def test_what_is_long_is_read_in_every_order(api: Api, database: Database, clock: MovedClock) -> None:
    rng, merchant, now = random.Random(4), await api.register_merchant(), clock.now()
    begin = now - timedelta(days=60)
    of = {f"{what}_id": ones[0] for what, ones in ONES.items()}
    rows = [charge(rng, begin + timedelta(minutes=2 * n)) | of for n in range(MOST_SORTED + 1500)]
    # More strays than are looked through for a page.
    rows = [row | {"expires_at": row["created_at"] + timedelta(days=rng.choice((3, 9)))} for row in rows]
    ids = await put_charges(database, merchant.id, rows, now=now)
    rows = [row | {"id": row_id} for row, row_id in zip(rows, ids, strict=True)]
    until = (begin + timedelta(minutes=2 * (MOST_SORTED + 500))).isoformat()
    one, paid = {"customer_id": of["customer_id"]}, {"paid_to": until, "amount_min": "20"}
    asked_for = [*product(({"created_to": until}, {"product_id": of["product_id"]}, one), COLUMNS)]
    asked_for += product((one | paid, {"product_id": of["product_id"]} | paid), ("created_at", "amount", "updated_at"))
    for given, column in asked_for:
        found = [row for row in rows if all(MEANT[name](row, value) for name, value in given.items())]
        for descending in (True, False):
            expected = [row["id"] for row in in_order(found, column, descending=descending)]
            asked = {**given, "sort": f"-{column}" if descending else column, "limit": 100}
            seen: list[str] = []
            after = ""
            for _ in range(3):
                answer = (await api.get(f"/pix?{urlencode(asked | {'after': after})}", token=merchant.key)).json()
                seen += [row["id"] for row in answer["data"]]
                after = answer["pagination"]["next_cursor"]
            assert seen == expected[:300], asked
            for page in (3, 105):
                told = (await api.get(f"/pix?{urlencode(asked | {'page': page})}", token=merchant.key)).json()
                assert [row["id"] for row in told["data"]] == expected[100 * page - 100 : 100 * page], asked
                assert told["pagination"]["total"] == len(expected)


@pytest.mark.seeds(2)
async def test_customers_of_a_period_are_read_in_the_order_of_their_changes(
    services: Services, api: Api, database: Database, clock: MovedClock, seed: int
) -> None:
    """Most never change; those that do are strays. However much is put in order instead."""
    rng, merchant, now = random.Random(seed), await api.register_merchant(), clock.now()
    rows = []
    for number in range(80):
        at = now - timedelta(hours=rng.randrange(24 * 20))
        changed = min(now, at + timedelta(hours=rng.choice((0, 0, 0, 1, 47, 48, 49, 300))))
        rows.append({"created_at": at, "updated_at": changed, "name": f"Cliente {number * 37 % 80:04d}"})
    ids = await put_customers(database, merchant.id, rows, now=now)
    rows = [row | {"id": row_id} for row, row_id in zip(rows, ids, strict=True)]
    whose = Actor(Credential.session, Environment.test, merchant.id, merchant.id, "Ana", "Loja")
    ctx = system_context(services, source="job", request_id="test").acting_as(whose)
    listing = copy(CUSTOMERS)
    since, until = (now - timedelta(days=days) for days in (15, 6))
    for listing.most_sorted, column, way in product((0, 30, 10_000), ("updated_at", "name"), ("-", "")):
        for given in ({"created_from": since}, {"created_to": until}, {"created_from": since, "created_to": until}):
            sent = {name: moment.isoformat() for name, moment in given.items()}
            found = [row for row in rows if all(MEANT[name](row, value) for name, value in sent.items())]
            expected = [row["id"] for row in in_order(found, column, descending=way == "-")]
            seen: list[str] = []
            for page in range(1, len(expected) // 9 + 3):
                draft = {**sent, "sort": f"{way}{column}", "page": str(page), "limit": "9"}
                told = await page_of(ctx, listing, ListCustomers.from_draft(draft), CustomerView.adopt)
                seen += [one.id for one in told.items]
                assert told.total == len(expected)
            assert seen == expected, (listing.most_sorted, draft)
