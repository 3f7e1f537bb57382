"""What the search index adds to a charge: `python -m bench.insert [--charges 100000] [--rounds 15]`.

A charge's INSERT and the UPDATE that pays it, each a transaction of its own, in a database with the search index and in
a copy without it. The two take turns. After each turn the index's pending list is emptied, as the worker does.
"""

import argparse
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import asyncpg
import uvloop

from bench.environment import open_servers
from bench.store import Row, Store, fill
from bench.targets import check, leave

INDEX = "ix_charges_search"
MAX_RATIO = 1.4
CHARGES_A_TURN = 200
PAY = "update charges set status = 'paid', paid_at = $2, updated_at = $2, end_to_end_id = $3 where id = $1"
EMPTY_PENDING_LIST = f"select gin_clean_pending_list('{INDEX}')"


async def time_turn(connection: Any, charges: list[Row]) -> tuple[float, float]:
    """Milliseconds of an insert and of a payment."""
    columns = ", ".join(charges[0])
    values = ", ".join(f"${number}" for number in range(1, len(charges[0]) + 1))
    insert = f"insert into charges ({columns}) values ({values})"  # noqa: S608  # Our own columns.

    async def run(act: Callable[[Row], Awaitable[Any]]) -> float:
        started = time.perf_counter()
        for charge in charges:
            await act(charge)
        return (time.perf_counter() - started) / len(charges) * 1000

    async def pay(charge: Row) -> None:
        paid_at = charge["created_at"] + timedelta(minutes=1)
        await connection.execute(PAY, charge["id"], paid_at, f"E18236120{paid_at:%Y%m%d%H%M}{charge['txid'][:11]}")

    return await run(lambda charge: connection.execute(insert, *charge.values())), await run(pay)


def new_charges(store: Store, first: int) -> list[Row]:
    """Charges that wait for their payment."""
    unpaid = {"status": "pending", "paid_at": None, "end_to_end_id": None}
    return [store.charge(number) | unpaid for number in range(first, first + CHARGES_A_TURN)]


async def measure(url: str, charges: int, rounds: int) -> list[bool]:
    await fill(url, charges)
    admin = await asyncpg.connect(url.replace("/gateway", "/postgres", 1))
    await admin.execute("create database plain template gateway")
    await admin.close()
    lanes = {"with": await asyncpg.connect(url), "without": await asyncpg.connect(url.replace("/gateway", "/plain", 1))}
    await lanes["without"].execute(f"drop index {INDEX}")
    store, emptying = Store(charges, datetime.now(UTC)), list[float]()
    turns: dict[str, list[tuple[float, float]]] = {name: [] for name in lanes}
    for number in range(rounds):
        new = new_charges(store, store.total + number * CHARGES_A_TURN)
        for name in lanes if number % 2 else reversed(lanes):
            turns[name].append(await time_turn(lanes[name], new))
        started = time.perf_counter()
        await lanes["with"].execute(EMPTY_PENDING_LIST)
        emptying.append((time.perf_counter() - started) / CHARGES_A_TURN * 1e6)
    for connection in lanes.values():
        await connection.close()
    print(f"      emptying the pending list: {median(emptying):.0f} µs a charge")
    passed = []
    for position, name in enumerate(("a charge's INSERT", "its payment")):
        pairs = [(one[position], other[position]) for one, other in zip(*turns.values(), strict=True)]
        indexed, plain = (median(column) for column in zip(*pairs, strict=True))
        ratio, note = median(one / other for one, other in pairs), f"{indexed:.2f} ms, {plain:.2f} ms without"
        passed.append(check(f"{name} with the search index", ratio, MAX_RATIO, "x without", note=note))
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.insert", description=__doc__)
    parser.add_argument("--charges", type=int, default=100_000, help="in the store before")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with open_servers() as servers:
        leave(uvloop.run(measure(servers.database, options.charges, options.rounds)))


if __name__ == "__main__":
    main()
