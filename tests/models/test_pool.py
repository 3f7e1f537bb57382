"""The connection pool with too many callers, broken connections and a restarted server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from gateway.dev.embedded import EmbeddedPostgres
from gateway.models.database import DatabaseUnavailable, open_database
from gateway.models.pool import Connection, Pool, PoolClosed
from gateway.settings import Settings

OpenPool = Callable[..., Awaitable[Pool]]


@pytest.fixture
async def open_pool(settings: Settings) -> AsyncIterator[OpenPool]:
    """Pools over real connections, closed after the test."""
    opened: list[Pool] = []

    async def connect() -> Connection:
        return await asyncpg.connect(settings.asyncpg_dsn, command_timeout=30)

    async def open_one(size: int, **options: float) -> Pool:
        opened.append(Pool(connect, size, **{"timeout": 20.0, **options}))
        return opened[-1]

    yield open_one
    for pool in opened:
        await pool.close()


async def pid(pool: Pool) -> int:
    async with pool.acquire() as connection:
        found: int = await connection.fetchval("select pg_backend_pid()")
        return found


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110  # The server has no event to wait for.
            await asyncio.sleep(0.01)


async def test_the_last_returned_connection_is_reused_first(open_pool: OpenPool) -> None:
    pool = await open_pool(3)
    first, second = await pool.take(), await pool.take()
    pool.give(first)
    pool.give(second)
    assert await pool.take() is second
    assert await pool.take() is first
    pool.give(first)
    pool.give(second)


async def test_callers_without_a_connection_wait_and_are_served_in_order(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    served: list[int] = []

    async def caller(number: int) -> None:
        async with pool.acquire() as connection:
            served.append(number)
            await connection.execute("select pg_sleep(0.005)")

    await asyncio.gather(*(caller(number) for number in range(20)))
    assert served == list(range(20))


async def test_many_callers_never_open_more_than_the_size(open_pool: OpenPool) -> None:
    pool = await open_pool(4)
    pids: set[int] = set()

    async def caller() -> None:
        async with pool.acquire() as connection:
            pids.add(await connection.fetchval("select pg_backend_pid()"))

    await asyncio.gather(*(caller() for _ in range(100)))
    assert 1 <= len(pids) <= 4


async def test_waiting_times_out(open_pool: OpenPool) -> None:
    pool = await open_pool(1, timeout=0.05)
    async with pool.acquire() as taken:
        with pytest.raises(TimeoutError):
            await pool.take()
        assert await taken.fetchval("select 1") == 1
    assert await pid(pool) == taken.get_server_pid()


async def test_a_canceled_waiter_leaves_the_queue(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    taken = await pool.take()
    leaver, stayer = asyncio.create_task(pool.take()), asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    leaver.cancel()
    await asyncio.gather(leaver, return_exceptions=True)
    pool.give(taken)
    assert await stayer is taken
    pool.give(taken)


async def test_a_waiter_canceled_as_it_is_served_passes_the_connection_on(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    taken = await pool.take()
    unlucky, next_one = asyncio.create_task(pool.take()), asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    pool.give(taken)
    unlucky.cancel()
    assert await next_one is taken
    with pytest.raises(asyncio.CancelledError):
        await unlucky
    pool.give(taken)


async def test_a_slot_of_a_canceled_waiter_is_passed_on(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    taken = await pool.take()
    unlucky, next_one = asyncio.create_task(pool.take()), asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    taken.terminate()
    pool.give(taken)
    unlucky.cancel()
    fresh = await next_one
    assert await fresh.fetchval("select 1") == 1
    pool.give(fresh)


async def test_a_refused_statement_keeps_its_connection(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    before = await pid(pool)
    with pytest.raises(asyncpg.UndefinedTableError):
        async with pool.acquire() as connection:
            await connection.execute("select * from nowhere")
    assert await pid(pool) == before


async def test_an_interrupted_statement_is_stopped_at_the_server_and_its_connection_closed(open_pool: OpenPool) -> None:
    pool = await open_pool(2)
    watcher = await pool.take()

    async def sleep() -> None:
        async with pool.acquire() as connection:
            await connection.execute("select pg_sleep(60)")

    sleeper = asyncio.create_task(sleep())
    running = "select count(*) from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'"
    await until(lambda: watcher.fetchval(running))
    sleeper.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeper
    async with asyncio.timeout(60):
        fresh = await pool.take()  # Its slot is free when the statement has stopped.
    assert await watcher.fetchval(running) == 0
    pool.give(fresh)
    pool.give(watcher)


async def test_a_connection_in_a_transaction_is_not_reused(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    async with pool.acquire() as connection:
        await connection.execute("begin")
    assert await pid(pool) != connection.get_server_pid()


async def test_a_connection_that_was_idle_for_long_is_replaced(open_pool: OpenPool) -> None:
    pool = await open_pool(1, idle_seconds=0.0)
    assert await pid(pool) != await pid(pool)


async def test_a_connection_killed_by_the_server_is_replaced(open_pool: OpenPool) -> None:
    pool = await open_pool(2)
    idle, killer = await pool.take(), await pool.take()
    pool.give(idle)
    await killer.execute("select pg_terminate_backend($1)", idle.get_server_pid())

    async def closed() -> bool:
        return idle.is_closed()

    await until(closed)
    fresh = await pool.take()
    assert await fresh.fetchval("select 1") == 1
    pool.give(fresh)
    pool.give(killer)


async def test_a_connection_that_breaks_in_use_frees_its_slot(open_pool: OpenPool) -> None:
    pool = await open_pool(2)
    killer = await pool.take()
    pids = {killer.get_server_pid()}

    async def break_down() -> None:
        async with pool.acquire() as connection:
            pids.add(connection.get_server_pid())
            await killer.execute("select pg_terminate_backend($1)", connection.get_server_pid())
            await connection.fetchval("select 1")

    with pytest.raises(DatabaseUnavailable):
        await break_down()
    assert await pid(pool) not in pids
    pool.give(killer)


async def test_a_failed_connection_frees_its_slot_for_the_next_waiter() -> None:
    attempts = 0

    async def refuse() -> Connection:
        nonlocal attempts
        attempts += 1
        await asyncio.sleep(0)
        raise ConnectionRefusedError

    pool = Pool(refuse, 1)
    outcomes = await asyncio.gather(*(pool.take() for _ in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ConnectionRefusedError] * 5
    assert attempts == 5
    await pool.close()


async def test_closing_refuses_waiters_and_new_callers_and_waits_for_current_ones(open_pool: OpenPool) -> None:
    pool = await open_pool(1)
    taken = await pool.take()
    waiter = asyncio.create_task(pool.take())
    await asyncio.sleep(0)
    closing = asyncio.create_task(pool.close())
    with pytest.raises(PoolClosed):
        await waiter
    with pytest.raises(PoolClosed):
        await pool.take()
    assert not closing.done()
    assert await taken.fetchval("select 1") == 1
    pool.give(taken)
    await closing
    assert taken.is_closed()


async def test_closing_does_not_wait_for_ever(open_pool: OpenPool) -> None:
    pool = await open_pool(1, timeout=0.05)
    taken = await pool.take()
    await pool.close()
    assert taken.is_closed()
    pool.give(taken)


async def test_the_pool_recovers_from_a_restart(tmp_path: Path) -> None:
    """While PostgreSQL is down, callers get an error at once. After that, the next caller is served."""
    with EmbeddedPostgres(tmp_path, durable=False) as url:
        database = await open_database(url, size=3)
        await asyncio.gather(*(pid(database.pool) for _ in range(3)))
    await asyncio.sleep(0.1)  # Stopping has blocked this loop, which has yet to notice the closed connections.
    with pytest.raises(DatabaseUnavailable):
        await pid(database.pool)
    with EmbeddedPostgres(tmp_path, durable=False) as again:
        assert again == url
        assert await asyncio.gather(*(pid(database.pool) for _ in range(6)))
        await database.close()


async def test_the_longest_statements_stay_prepared_too(settings: Settings) -> None:
    """By default, asyncpg replans statements over 15 kB on each run."""
    long = f"select 1 /* {'x' * 50_000} */"
    database = await open_database(settings.asyncpg_dsn, size=2)
    try:
        async with database.pool.acquire() as connection:
            for _ in range(3):
                await connection.fetch(long)
            runs = "select generic_plans + custom_plans from pg_prepared_statements where statement = $1"
            assert await connection.fetchval(runs, long) == 3
    finally:
        await database.close()
