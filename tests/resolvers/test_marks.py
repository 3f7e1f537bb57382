"""Rows have one of the marks that are asked for wherever they are meant (ADR 0060)."""

import random

import pytest

from gateway.models.charges import charges
from gateway.models.database import Database
from gateway.resolvers.listing.marks import by_size, by_value, sought_marks
from gateway.resolvers.listing.milestones import CHARGES
from tests import sql

SIZES = by_size(charges.c.amount, "amount_min", "amount_max")
SAID = f"select amount, array[{', '.join(SIZES.said)}] as said from unnest($1::bigint[]) charges (amount)"
MOST = 30


async def test_an_amount_between_two_bounds_has_a_mark_that_they_ask_for(database: Database) -> None:
    rng = random.Random(1)
    amounts = [one for n in range(13) for one in (10**n - 1, 10**n, 10**n + 1, 5 * 10**n)]
    amounts += [rng.randrange(1, 10 ** rng.randrange(1, 13)) for _ in range(300)]
    said = {row["amount"]: set(row["said"]) for row in await sql.rows(database, SAID, amounts)}
    left_out = 0
    for _ in range(500):
        least, most = sorted(rng.choice(amounts) for _ in "ab")
        for low, high in ((least, most), (least, None), (None, most), (least, least)):
            asked = SIZES.sought(low, high)
            assert len(asked) <= MOST
            for amount, marks in said.items():
                if (low or 0) <= amount and (high is None or amount <= high):
                    assert marks & set(asked), (low, high, amount)
                left_out += not marks & set(asked)
    assert left_out > 100_000


def test_bounds_ask_for_the_largest_groups_between_them() -> None:
    assert SIZES.sought(1001, 1001) == ["amount 1001"]
    assert SIZES.sought(1001, 2000) == ["amount/first 1 4", "amount/first 2 4"]
    assert SIZES.sought(800, 20_000) == [
        *("amount/first 8 3", "amount/first 9 3", "amount/digits 4", "amount/first 1 5", "amount/first 2 5"),
    ]
    assert SIZES.sought(10**9, None) == ["amount/digits 10"]
    assert SIZES.sought(2000, 1001) == []


@pytest.mark.parametrize("written", ["01a2-AB", "01A2-ab"])
def test_an_id_is_a_mark_however_it_is_written(written: str) -> None:
    mark = by_value(charges.c.product_id)
    assert mark.sought(written) == ["product_id 01a2-ab"]
    assert sought_marks([mark], {"q": "x", "product_id": written}) == {"mark_product_id": ["product_id 01a2-ab"]}


def test_a_charge_is_marked_by_the_filters_that_find_large_parts_of_a_list() -> None:
    assert {name for mark in CHARGES.marks for name in mark.filters} == {
        *("customer_id", "product_id", "coupon_id", "payment_link_id", "amount_min", "amount_max"),
    }
