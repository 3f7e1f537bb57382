"""Of several filters the one that finds the fewest rows leads, and none if that is a large part of the list (ADR 0042).
Beside a search it leads if it finds fewer rows than that (ADR 0054, 0057).
"""

import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from gateway.ids import new_id
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.charges.views import ChargeView, charge_adopter
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.listing.leads import lead_of
from gateway.resolvers.listing.statements import LEAST_NEAR, Asked, Listing
from gateway.resolvers.listing.sweep import sweep_lists
from gateway.resolvers.listing.totals import Sampled
from gateway.resolvers.listing.windows import page_of
from gateway.resolvers.views import Page
from tests import sql
from tests.api import Merchant
from tests.doors.counting import noting
from tests.moved_clock import MovedClock
from tests.rows import put_charges

LIMIT = 7
PRODUCTS, TEXTS = [new_id() for _ in range(4)], ("caneca azul", "chapéu", "luva", "copo")
CUSTOMERS = [new_id() for _ in range(3)]
MEANT: dict[str, Callable[[dict[str, Any], str], bool]] = {
    "status": lambda row, value: shown(row) == value,
    "product_id": lambda row, value: row["product_id"] == value,
    "customer_id": lambda row, value: row["customer_id"] == value,
    "amount_min": lambda row, value: row["amount"] >= 100 * int(value),
    "amount_max": lambda row, value: row["amount"] <= 100 * int(value),
    "created_to": lambda row, value: row["created_at"] <= datetime.fromisoformat(value),
}
TOGETHER = (
    *(("status",), ("product_id",), ("product_id", "amount_min"), ("status", "created_to")),
    *(("customer_id",), ("amount_min", "amount_max"), ("customer_id", "amount_max"), ("amount_max", "created_to")),
)
CHANGED = "update charges set product_id = $2, customer_id = $3 where id = any($1::uuid[])"
STATUS, AMOUNTS = (("status", "refunded"),), (("amount_min", None), ("amount_max", None))


def asked(**draft: str) -> Asked:
    return CHARGES.asked(ListCharges.from_draft(draft))


def test_the_filter_that_finds_the_fewest_rows_leads() -> None:
    given = asked(status="refunded", amount_min="5", amount_max="10", created_from="2026-01-01")
    assert CHARGES.is_weighed(given)
    assert CHARGES.lead(given, [900_000, 10_000, 30_000, 1_000_000]) == (STATUS, 10_000)
    assert CHARGES.lead(given, [900_000, 30_000, 10_000, 1_000_000]) == (AMOUNTS, 10_000)
    assert CHARGES.lead(given, [900_000, 300_000, 400_000, 1_000_000]) == ((), 1_000_000)


def test_none_leads_in_a_list_of_nothing() -> None:
    assert lead_of([STATUS, AMOUNTS], [0, 0], 0) == ((), 0)


def test_filters_whose_total_is_known_or_that_find_a_few_rows_are_not_weighed() -> None:
    for known in (
        {"status": "paid"},
        {"status": "paid", "created_from": "2026-01-01"},
        {"amount_min": "5", "amount_max": "10", "created_to": "2026-01-01"},
        {"status": "paid", "txid": "a" * 26},
        {"status": "paid", "q": "maria"},
    ):
        assert not CHARGES.is_weighed(asked(**known)), known
    assert CHARGES.is_weighed(asked(status="paid", amount_min="5"))
    assert CHARGES.is_weighed(asked(status="pending", created_from="2026-01-01"))


def charge(chance: random.Random, now: datetime) -> dict[str, Any]:
    """Of a few products, amounts and texts, so that filters find many or few rows, and hardly one together."""
    at = now - timedelta(hours=chance.choice((0, 1, 2, 30, 50)), minutes=chance.randrange(60))
    what = chance.randrange(len(PRODUCTS))
    status = chance.choice(("paid", "paid", "paid", "canceled", "refunded", "expired", "pending"))
    paid = {"paid_at": min(now, at + timedelta(minutes=chance.randrange(99)))} if status in {"paid", "refunded"} else {}
    sold = {"product_id": PRODUCTS[what], "amount": 1000 * (1 + what), "description": f"Pedido de {TEXTS[what]}"}
    sold["customer_id"] = CUSTOMERS[0] if what == 0 else chance.choice(CUSTOMERS)
    lapsed = status == "pending" and chance.random() < 0.5
    moments = {"created_at": at, "updated_at": at, "expires_at": at if lapsed else now + timedelta(days=9)}
    return {"status": status, **moments} | sold | paid


def shown(row: dict[str, Any]) -> str:
    """The status of a charge, with those that have lapsed."""
    lapsed = row["status"] == "pending" and row["expires_at"] <= row["created_at"]
    return "expired" if lapsed else str(row["status"])


@dataclass
class Asking:
    """Questions to a listing, and what its rows say."""

    ctx: Context
    listing: Listing
    rows: dict[str, dict[str, Any]]

    async def compare(self, chance: random.Random) -> None:
        """One question, as pages, by cursor and as a whole."""
        values = {
            "status": chance.choice(("paid", "canceled", "expired")),
            "product_id": chance.choice(PRODUCTS),
            "customer_id": chance.choice(CUSTOMERS),
            "amount_min": str(10 * chance.randrange(1, 4)),
            "amount_max": str(10 * chance.randrange(3, 5)),
            "created_to": chance.choice([row["created_at"] for row in self.rows.values()]).isoformat(),
        }
        draft = {name: values[name] for name in chance.choice(TOGETHER)}
        typed = chance.choice(("pedido", *TEXTS))
        sort = chance.choice(("created_at", "amount", "updated_at"))

        def meant(row: dict[str, Any]) -> bool:
            return typed in row["description"].lower() and all(MEANT[name](row, value) for name, value in draft.items())

        found = [one for one, row in self.rows.items() if meant(row)]
        found.sort(key=lambda one: (self.rows[one][sort], one), reverse=True)
        asked = {**draft, "q": typed, "sort": f"-{sort}"}
        for number in (1, 2, len(found) // LIMIT + 1):
            for total in ({}, {"total": "exact"}):
                told = await self.page(**asked, page=str(number), limit=str(LIMIT), **total)
                expected, end = found[LIMIT * (number - 1) : LIMIT * number], LIMIT * number
                assert ([one.id for one in told.items], told.has_next) == (expected, end < len(found)), asked
                assert told.total is not None
                shown = min(end, len(found)) if expected else 0
                assert (shown if told.total_capped else len(found)) <= told.total <= len(found), asked
                assert not (total and told.total_capped)
        assert [one.id for one in (await self.page(**asked)).items] == found, asked
        after: str | None = None
        read: list[str] = []
        while True:
            cut = {"first": LIMIT, "after": after, "last": None, "before": None}
            told = await self.page(**asked, slice=cut)
            read += [one.id for one in told.items]
            if not told.has_next:
                break
            after = self.listing.order(asked["sort"]).cursor(told.items[-1])
        assert read == found, asked

    async def page(self, **draft: Any) -> Page[ChargeView]:
        asked = ListCharges.from_draft(draft)
        return await page_of(self.ctx, self.listing, asked, charge_adopter(self.ctx.settings))


async def sold(
    services: Services, database: Database, merchant: Merchant, paid: Sequence[bool], now: datetime
) -> tuple[Asking, list[str]]:
    """A charge for each minute, back from now, in a list that the worker has been by; and which of them were paid."""
    rows: list[dict[str, Any]] = []
    for number, was_paid in enumerate(paid):
        at = now - timedelta(minutes=number)
        settled = {"status": "paid", "paid_at": at} if was_paid else {}
        rows.append({"created_at": at, "updated_at": at, "expires_at": at + timedelta(days=9)} | settled)
    ids = await put_charges(database, merchant.id, rows, now=now)
    asking = await swept(services, merchant, dict(zip(ids, rows, strict=True)))
    return asking, [one for one, was_paid in zip(ids, paid, strict=True) if was_paid]


async def swept(services: Services, merchant: Merchant, rows: dict[str, dict[str, Any]], *, step: int = 100) -> Asking:
    """Questions to the merchant's list, when the worker has been by."""
    ctx = system_context(services, source="job", request_id="test")
    await sweep_lists(ctx, step=step, stretch=3)
    whose = Actor(Credential.session, Environment.test, merchant.id, merchant.id, "Ana", "Loja")
    return Asking(ctx.acting_as(whose), copy(CHARGES), rows)


async def test_what_the_first_rows_lack_is_looked_for_further_on(
    services: Services, database: Database, clock: MovedClock, merchant: Merchant
) -> None:
    """The newest charges wait for their payers, and hold one less than a page of what several filters find of which
    none leads: not all of that is put in order.
    """
    now, size = clock.now(), 50
    paid = [not size - 1 <= number < LEAST_NEAR for number in range(2 * LEAST_NEAR)]
    asking, ids = await sold(services, database, merchant, paid, now)
    asking.listing.most_sorted = size
    filters = {"amount_min": "5", "paid_from": (now - timedelta(days=9)).isoformat(), "created_to": now.isoformat()}
    async with noting(database) as sent:
        page = await asking.page(**filters, sort="-expires_at", page="1", limit=str(size))
    assert [one.id for one in page.items] == ids[:size]
    assert not [sql for sql in sent if "MATERIALIZED" in sql.upper()]


def test_where_the_first_rows_had_nothing_a_few_more_are_looked_at() -> None:
    """What a search finds may lie together far off, as a name in the order of names."""
    assert CHARGES.look_further(51, 150, 0, 15_000) == 1500
    assert CHARGES.look_further(51, 1500, 0, 15_000) is None
    assert CHARGES.look_further(51, 1500, 10, 15_000) == 2 * 11_475


def test_a_sample_tells_how_far_to_look_first() -> None:
    """As far as a page is likely to be full, unless all that the search finds is read in less time."""
    assert CHARGES.looks_as_sampled(50, 34_600, Sampled(34_600, of=1_000_000)) == 2167
    assert CHARGES.looks_as_sampled(50, 9_000, Sampled(34_600, of=1_000_000)) == 8333
    assert CHARGES.looks_as_sampled(50, 900, Sampled(34_600, of=1_000_000)) is None
    assert CHARGES.looks_as_sampled(50, 7_000, Sampled(7_000, of=1_000_000)) is None
    assert CHARGES.looks_as_sampled(50, 0, Sampled(34_600, of=1_000_000)) is None
    assert CHARGES.looks_as_sampled(50, 3_100, Sampled(3_100, of=1_000_000)) is None


def test_what_was_found_near_may_lie_there_alone() -> None:
    """In the order of amounts, say: twice as far as the page is likely to be full is passed by, and no more, unless
    there is very much to put in order instead.
    """
    given = asked(status="paid", created_from="2026-01-01", created_to="2026-01-07")
    assert CHARGES.looks_on(given, "amount", 26_000, 101, near=1010, found=25) == 2 * 6_120
    assert CHARGES.looks_on(given, "amount", 26_000, 101, near=1010, found=1) is None
    assert CHARGES.looks_on(given, "amount", 26_000, 101, near=1010, found=4) == 2 * 26_000
    assert CHARGES.looks_on(given, "amount", 26_000, 101, near=12_240, found=95) is None
    assert CHARGES.looks_on(given, "amount", 500_000, 101, near=12_240, found=95) == 2 * 500_000


async def test_a_page_that_is_half_full_from_near_is_looked_for_a_little_further(
    services: Services, database: Database, clock: MovedClock, merchant: Merchant
) -> None:
    """The newest charges wait for their payers. Nobody asks how many there are of what filters find, for the rest of
    the page lies a little further.
    """
    now, size = clock.now(), 50
    paid = [number > LEAST_NEAR // 3 and number % 15 == 0 for number in range(3 * LEAST_NEAR)]
    asking, ids = await sold(services, database, merchant, paid, now)
    cut = {"first": size, "after": None, "last": None, "before": None}
    async with noting(database) as sent:
        page = await asking.page(status="paid", amount_min="5", slice=cut)
    assert [one.id for one in page.items] == ids[:size]
    assert len(sent) == 2, sent
    assert CHARGES.looks_a_little_on(101, 1010, 67) == 2283
    assert CHARGES.looks_a_little_on(101, 1010, 50) is None
    assert CHARGES.looks_a_little_on(101, 10_000, 67) is None
    assert CHARGES.looks_a_little_on(101, 0, 0) is None


@pytest.mark.seeds(2)
async def test_whatever_leads_a_page_has_the_rows_that_are_meant(
    services: Services, database: Database, clock: MovedClock, merchant: Merchant, seed: int
) -> None:
    """Filters lead a search at once, at last or never, as many or few rows are called too many to be sorted."""
    chance, now = random.Random(seed), clock.now()
    rows = [charge(chance, now) for _ in range(150)]
    ids = await put_charges(database, merchant.id, rows, now=now)
    asking = await swept(services, merchant, dict(zip(ids, rows, strict=True)), step=4)
    listing = asking.listing
    for listing.most_sorted, listing.most_found, listing.searched_at_once in (
        *((0, 9, 0), (20, 10_000, 0)),
        *((20, 9, 40), (150, 10_000, 0)),
    ):
        for _ in range(14):
            await asking.compare(chance)
        # Their marks go with what they say, and the sweep makes new ones.
        late = chance.sample(ids, 20)
        await sql.run(database, CHANGED, late, PRODUCTS[0], CUSTOMERS[1])
        for one in late:
            asking.rows[one] |= {"product_id": PRODUCTS[0], "customer_id": CUSTOMERS[1]}
        await asking.compare(chance)
        await sweep_lists(asking.ctx, step=4, stretch=3)
