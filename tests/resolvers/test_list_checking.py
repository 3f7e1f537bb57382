"""What is kept of long lists is held against their rows, and kept anew where triggers haven't seen a change."""

import random
from datetime import timedelta
from typing import Any

import pytest

from gateway.doctor.lists import lists
from gateway.ids import new_id
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import list_charges
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.listing.checking import Looked, keep_lists_anew, look_at_lists
from gateway.resolvers.listing.sweep import sweep_lists
from gateway.settings import Settings
from tests import sql
from tests.api import Merchant
from tests.moved_clock import MovedClock
from tests.rows import put_charges, put_customers

STEP, STRETCH = 4, 3
WHOLE, PARTS = 1000, 0
"""Lists that are looked at as a whole, or a stretch of each."""
BEHIND_THEIR_BACK = """
do $$ begin
    set local session_replication_role = replica;
    {change};
end $$
"""


@pytest.fixture
def ctx(services: Services, merchant: Merchant) -> Context:
    whose = Actor(Credential.session, Environment.test, merchant.id, merchant.id, "Ana", "Loja")
    return system_context(services, source="rest", request_id="test").acting_as(whose)


@pytest.fixture
async def made(ctx: Context, merchant: Merchant, database: Database, clock: MovedClock) -> list[str]:
    """The ids of sixty charges, of which most are old enough for milestones, beside forty customers."""
    chance, now = random.Random(3), clock.now()
    rows: list[dict[str, Any]] = []
    for number in range(60):
        at = now - timedelta(hours=chance.randrange(1, 50))
        paid = {"status": "paid", "paid_at": at} if number % 2 else {}
        rows.append({"created_at": at, "amount": 500 + chance.randrange(9000), "product_id": new_id()} | paid)
    old = {"created_at": now - timedelta(days=1)}
    await put_customers(database, merchant.id, [{"name": f"Cliente {n}"} | old for n in range(40)], now=now)
    made = await put_charges(database, merchant.id, rows, now=now)
    assert await sweep_lists(ctx, STEP, STRETCH) > 10
    return made


async def looked(database: Database, whole: int) -> dict[str, Looked]:
    return {one.kind: one async for one in look_at_lists(database, whole=whole)}


@pytest.mark.parametrize("whole", [WHOLE, PARTS])
async def test_what_is_kept_holds_whatever_comes_late_changes_or_goes(
    ctx: Context, merchant: Merchant, database: Database, clock: MovedClock, made: list[str], whole: int
) -> None:
    for _ in range(5):
        kept = await looked(database, whole)
        assert {"charges", "customers"} <= kept.keys()
        assert all(one.holds for one in kept.values()), kept
    await sql.run(database, "update charges set status = 'refunded', customer_name = 'Outra' where id = $1", made[1])
    await sql.run(database, "delete from charges where id = $1", made[2])
    late = {"created_at": clock.now() - timedelta(hours=9)}
    await put_charges(database, merchant.id, [late], now=clock.now())
    for _ in range(5):
        kept = await looked(database, whole)
        assert all(one.holds for one in kept.values()), kept
    await sweep_lists(ctx, STEP, STRETCH)
    kept = await looked(database, whole)
    assert all(one.holds for one in kept.values()), kept


SOME = "select id from charges order by created_at limit 3"
CHANGES = [
    pytest.param(f"delete from charges where id in ({SOME})", "rows", id="rows that have gone"),
    pytest.param(f"update charges set status = 'canceled' where id in ({SOME})", "tallies", id="another status"),
    pytest.param(f"update charges set amount = amount * 10 where id in ({SOME})", "tallies", id="amounts"),
    pytest.param(f"update charges set customer_name = 'Zé' where id in ({SOME})", "texts", id="another name"),
    pytest.param(f"update charges set customer_id = uuidv7() where id in ({SOME})", "texts", id="another customer"),
]


@pytest.mark.parametrize(("change", "off"), CHANGES)
async def test_what_triggers_have_not_seen_is_told_and_kept_anew(
    ctx: Context, merchant: Merchant, settings: Settings, database: Database, made: list[str], change: str, off: str
) -> None:
    await sql.run(database, BEHIND_THEIR_BACK.format(change=change))
    kept = await looked(database, WHOLE)
    assert getattr(kept["charges"], off) != 0
    assert kept["customers"].holds
    [finding] = [one async for one in lists(settings)]
    assert f"charges of store {merchant.id} in test don't agree with their rows" in finding.text
    assert f"gateway admin keep-lists-anew {merchant.id}" in finding.text

    assert await keep_lists_anew(ctx, merchant.id, STEP, STRETCH) == len(kept)
    again = await looked(database, WHOLE)
    assert again.keys() == kept.keys()
    assert all(one.holds for one in again.values()), again
    for name, value in (("status", "paid"), ("status", "canceled"), ("q", "zé")):
        page = await list_charges(ctx, ListCharges.from_draft({"page": "1", "limit": "100", name: value}))
        assert page.total == len(page.items)
    [finding] = [one async for one in lists(settings)]
    assert finding.text == f"{len(kept)} of {len(kept)} long ones looked at, all as their rows say"


async def test_what_triggers_have_not_seen_is_told_of_a_part_too(database: Database, made: list[str]) -> None:
    await sql.run(database, BEHIND_THEIR_BACK.format(change="update charges set amount = amount * 10"))
    assert (await looked(database, PARTS))["charges"].tallies > 0


async def test_a_store_of_whose_lists_nothing_is_kept(ctx: Context) -> None:
    assert await keep_lists_anew(ctx, new_id()) == 0
    assert await keep_lists_anew(ctx, "loja-da-ana") == 0
