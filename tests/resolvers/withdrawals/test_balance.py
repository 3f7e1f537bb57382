"""A store's balance: sums plus ledger entries always equal its paid charges."""

import asyncio
import random

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.withdrawals.balance import read_balance, roll_up_balances
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Merchant
from tests.fake_clock import MovedClock
from tests.resolvers.withdrawals.fixtures import earn, job, summary
from tests.rows import put_charges

FULL = """
    select coalesce(sum(amount), 0)::bigint, coalesce(sum(fee_amount), 0)::bigint, count(*)
    from charges where status = 'paid' and user_id = $1 and environment = $2
"""
ON_ACCOUNT = """
    select coalesce(sum(amount - fee_amount), 0)::bigint from charges
    where status = 'paid' and user_id = $1 and environment = $2 and receiving_account_id is not distinct from $3::uuid
"""


async def test_sums_and_entries_always_equal_the_paid_charges(
    services: Services, database: Database, clock: MovedClock, merchant: Merchant
) -> None:
    """Concurrent payments, refunds and roll-ups of two stores, two accounts and both environments."""
    chance = random.Random(7)
    other = await merchant.api.register_merchant()
    accounts = [None, new_id(), new_id()]
    places = [(store, env) for store in (merchant.id, other.id) for env in ("test", "live")]
    ids = []
    for store, environment in places:
        rows = [{"environment": environment, "amount": chance.randrange(1, 10**6)} for _ in range(60)]
        ids += await put_charges(database, store, rows, now=clock.now())
    for charge_id in ids:
        await sql.run(
            database,
            "update charges set receiving_account_id = $2, fee_amount = amount / 10 where id = $1",
            charge_id,
            chance.choice(accounts),
        )

    async def live(charge_id: str) -> None:
        # Some charges are paid late, some refunded, and some never paid.
        for status in chance.choice((["paid"], ["expired", "paid"], ["paid", "refunded"], ["canceled"])):
            paid = status in {"paid", "refunded"}
            query = """update charges set status = $2, paid_at = case when $3 then now() end,
                refunded_at = case when $2 = 'refunded' then now() end, refunded_amount = case when $2 = 'refunded' then amount else 0 end where id = $1"""
            await sql.run(database, query, charge_id, status, paid)
            # An update without a status change adds no entry.
            await sql.run(database, "update charges set updated_at = now(), status = status where id = $1", charge_id)

    async def check() -> None:
        for store, environment in places:
            # In one snapshot, because statuses change concurrently.
            async with database.transaction() as transaction:
                await transaction.connection.execute("set transaction isolation level repeatable read")
                balance = await read_balance(transaction, store, environment, None)
                full = await transaction.connection.fetchrow(FULL, store, environment)
                main = await transaction.connection.fetchval(ON_ACCOUNT, store, environment, None)
            assert (balance.gross, balance.fee, balance.charges) == tuple(full)
            assert balance.on_account == main

    for start in range(0, len(ids), 48):
        acts = [live(charge_id) for charge_id in ids[start : start + 48]]
        await asyncio.gather(*acts, check(), roll_up_balances(job(services)), roll_up_balances(job(services)), check())
    await roll_up_balances(job(services))
    assert await sql.value(database, "select count(*) from balance_entries") == 0
    assert await sql.value(database, "select count(*) from store_balances") <= len(places) * len(accounts)
    await check()
    for store, environment in places:
        for account in accounts:
            balance = await read_balance(database, store, environment, account)
            assert balance.on_account == await sql.value(database, ON_ACCOUNT, store, environment, account)


async def test_a_refund_after_the_money_has_left_is_shown(
    shop: Merchant, services: Services, database: Database
) -> None:
    [charge_id] = await earn(shop, 50)
    await roll_up_balances(job(services))
    await sql.run(
        database,
        "update charges set status = 'refunded', refunded_at = now(), refunded_amount = amount where id = $1",
        charge_id,
    )
    result = await summary(shop)
    assert (result["gross_amount"], result["charges_count"], result["available_amount"]) == (100.0, 1, 100.0)
    await sql.run(database, "update charges set status = 'refunded', refunded_at = now(), refunded_amount = amount")
    assert (await summary(shop))["available_amount"] == 0.0
