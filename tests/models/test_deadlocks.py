"""An action that PostgreSQL aborts to resolve a deadlock is retried."""

import asyncio

import pytest

from gateway.models.database import MAX_DEADLOCK_RETRIES, Database, Deadlock, retry_on_deadlock
from gateway.values.ids import new_id
from tests import sql


async def test_two_transactions_in_a_deadlock_both_succeed(database: Database) -> None:
    ids = [new_id(), new_id()]
    await sql.run(
        database,
        "insert into simulator_charges (id, environment, external_reference, amount, br_code, created_at) "
        "select id, 'test', id, 0, '', now() from unnest($1::text[]) id",
        ids,
    )
    both_have_one, one_is_done, tries = asyncio.Barrier(2), asyncio.Event(), 0

    async def add(order: list[str]) -> None:
        nonlocal tries
        tries += 1
        if tries > 2:
            # Otherwise it could lock its first row before the other one continues, and deadlock again.
            await one_is_done.wait()
        async with database.pool.acquire() as connection, connection.transaction():
            for index, one in enumerate(order):
                await connection.execute("update simulator_charges set amount = amount + 1 where id = $1", one)
                if index == 0 and tries <= 2:
                    await both_have_one.wait()
        one_is_done.set()

    await asyncio.gather(*(retry_on_deadlock(lambda order=order: add(order)) for order in (ids, ids[::-1])))  # type: ignore[misc]  # mypy knows no lambda with a default.
    assert tries == 3
    assert await sql.value(database, "select array_agg(amount) from simulator_charges") == [2, 2]


async def test_a_permanent_deadlock_is_raised() -> None:
    tries = 0

    async def act() -> None:
        nonlocal tries
        tries += 1
        raise Deadlock

    with pytest.raises(Deadlock):
        await retry_on_deadlock(act)
    assert tries == MAX_DEADLOCK_RETRIES + 1
