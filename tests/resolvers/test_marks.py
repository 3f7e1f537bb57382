"""Rows have one of the marks that are asked for wherever they are meant (ADR 0060)."""

import random
from datetime import timedelta
from itertools import groupby

import pytest

from gateway.ids import new_id
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Database
from gateway.resolvers.charges.listing import CHARGES as LISTED
from gateway.resolvers.context import Services, system_context
from gateway.resolvers.listing.marks import by_size, by_value, sought_marks
from gateway.resolvers.listing.milestones import CHARGES
from gateway.resolvers.listing.sweep import sweep_lists
from tests import sql
from tests.api import Merchant
from tests.moved_clock import MovedClock
from tests.rows import put_charges

LEAST, MOST = by_size(charges.c.amount, "amount_min", "amount_max")
LIKENESS = "select product_id, amount from search_texts join charges on id = row_id order by search_texts.ctid"
SAID = f"select amount, {LEAST.said} || {MOST.said} as said from unnest($1::bigint[]) charges (amount)"


async def test_an_amount_between_two_bounds_has_the_marks_that_they_ask_for(database: Database) -> None:
    rng = random.Random(1)
    amounts = [one for n in range(1, 13) for one in (10**n - 1, 10**n, 10**n + 1, 5 * 10**n)]
    amounts += [rng.randrange(1, 10 ** rng.randrange(1, 13)) for _ in range(300)]
    said = {row["amount"]: set(row["said"]) for row in await sql.rows(database, SAID, amounts)}
    assert {len(marks) for marks in said.values()} == {20}
    left_out = 0
    for _ in range(500):
        least, most = sorted(rng.choice(amounts) for _ in "ab")
        for low, high in ((least, most), (least, None), (None, most), (least, least)):
            asked = [] if low is None else [LEAST.sought(low, high)]
            asked += [] if high is None else [MOST.sought(high, low)]
            assert all(len(one) <= 2 for one in asked)
            for amount, marks in said.items():
                found = all(marks & set(one) for one in asked)
                assert found or not ((low or 0) <= amount and (high is None or amount <= high)), (low, high, amount)
                left_out += not found
    assert left_out > 100_000


def test_a_bound_asks_for_two_marks_and_an_amount_for_one() -> None:
    assert LEAST.sought(2000, 5000) == ["amount/from 2 4", "amount/longer 4"]
    assert MOST.sought(5099, 2000) == ["amount/upto 5 4", "amount/shorter 4"]
    assert LEAST.sought(1001, 1001) == MOST.sought(1001, 1001) == ["amount 1001"]
    assert LEAST.sought(-123_456, None) == LEAST.sought(0, None) == ["amount/from 1 1", "amount/longer 1"]
    assert LEAST.sought(7 * 10**10, None) == ["amount/from 1 10", "amount/longer 10"]


@pytest.mark.parametrize("written", ["01a2-AB", "01A2-ab"])
def test_an_id_is_a_mark_however_it_is_written(written: str) -> None:
    mark = by_value(charges.c.product_id)
    assert mark.sought(written) == ["product_id 01a2-ab"]
    assert sought_marks([mark], {"q": "x", "product_id": written}) == {"mark_product_id": ["product_id 01a2-ab"]}


def test_a_charge_is_marked_by_the_filters_that_find_large_parts_of_a_list() -> None:
    assert {mark.filter for mark in CHARGES.marks} == {
        *("customer_id", "product_id", "coupon_id", "payment_link_id", "amount_min", "amount_max", "status"),
    }


async def test_rows_that_are_alike_are_kept_side_by_side(
    services: Services, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    """So that what has the one thing and not the other lies in runs, which an index passes by (ADR 0066)."""
    now, products = clock.now(), [None, new_id(), new_id()]
    rows = [
        {"created_at": now - timedelta(hours=2, seconds=-n), "product_id": products[n % 3], "amount": 500 + n % 2}
        for n in range(60)
    ]
    await put_charges(database, merchant.id, rows, now=now)
    await sweep_lists(system_context(services, source="job", request_id="test"), step=60)
    kept = await sql.rows(database, LIKENESS)
    assert len(kept) == 60
    runs = [likeness for likeness, _ in groupby((row["product_id"], row["amount"]) for row in kept)]
    assert len(runs) == 6, "each likeness is one run, where they alternated"


def test_a_status_is_a_mark_where_few_have_it() -> None:
    asked = {status: [mark.filter for mark in LISTED._list.marks((("status", status),))] for status in ChargeStatus}
    assert {status for status, marks in asked.items() if marks} == {"canceled", "refunded"}
    (mark,) = LISTED._list.marks((("status", "refunded"),))
    assert sought_marks([mark], {"status": ChargeStatus.refunded}) == {"mark_status": ["status refunded"]}
    beside = LISTED._list.marks((("product_id", None), ("status", "refunded")))
    assert [one.filter for one in beside] == ["product_id"], "whose index says the status"
