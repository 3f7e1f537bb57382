"""The claim of 50 deliveries in an outbox that has grown: `python -m bench.claims`.

A month of a busy shop: a million deliveries done, 100,000 due and 18,000 to be tried later, over 2,000 endpoints, on
embedded PostgreSQL with fsync. Each claim is completed as the dispatcher would, so the table wears as it does in
service. Target: a claim within 60 ms at p95. `--explain` prints the plan, `--done` changes the million.
"""

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import uvloop
from sqlalchemy import text

from bench.figures import told
from bench.verdict import judged, leave
from gateway.egress.answers import Answer
from gateway.embedded import EmbeddedPostgres
from gateway.ids import new_id
from gateway.models.database import Statement
from gateway.models.migrate import upgrade
from gateway.resolvers.context import Context, system_context
from gateway.resolvers.webhooks.backlog import BACKLOG, COUNTED_AT_MOST, STUCK_AFTER, backlog
from gateway.resolvers.webhooks.claims import CLAIM, claim_due, claim_values
from gateway.resolvers.webhooks.completions import Attempt, complete
from gateway.resolvers.webhooks.housekeeping import FORGET_DELIVERIES, FORGET_EVENTS, keep_house
from gateway.resolvers.webhooks.schedule import judge
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

ENDPOINTS, ROOM, GATE_MS = 2000, 50, 60
STORE = (
    "insert into users (id, name, email, created_at, updated_at) values ($1, 'Ana', 'ana@example.com', now(), now())"
)
ENDPOINT = """
insert into webhook_endpoints (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
select uuidv7(), $1, 'live', 'loja', 'https://loja.example/hook', $2, 'whsec_', '{}', now(), now()
  from generate_series(1, $3::int)
"""
# One event of 1.5 KB for ten endpoints each. Ids are in the order of time, as those of a month would be.
DELIVERIES = """
with event as (
    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
    select uuidv7(make_interval(hours => -($3::int * 24 * n / $2::int))), $1, 'live', 'charge.paid',
           convert_to(repeat('x', 1500), 'UTF8'), $4 || n, now()
      from generate_series(1, $2::int, 10) n
    returning id
),
numbered as (select id, row_number() over () as n from event),
endpoint as (select id, row_number() over (order by id) - 1 as n from webhook_endpoints)
insert into webhook_deliveries (id, event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at)
select uuidv7(make_interval(hours => -($3::int * 24 * numbered.n * 10 / $2::int)::int)), numbered.id, endpoint.id, $5::int,
       case when $5::int = 0 then 0 else 1 end, now() + $6::interval * random(), now(),
       case when $5::int <> 0 then now() end
  from numbered cross join generate_series(0, 9) place join endpoint on endpoint.n = (numbered.n * 7 + place * 211) % $7::int
"""


async def fill(ctx: Context, done: int, sealed: bytes) -> None:
    store = new_id()
    async with ctx.database.pool.acquire() as connection:
        await connection.execute(STORE, store)
        await connection.execute(ENDPOINT, store, sealed, ENDPOINTS)
        kinds = (
            (done, 29, "done", 1, timedelta(0)),
            (100_000, 1, "due", 0, -timedelta(minutes=10)),
            (18_000, 1, "later", 0, timedelta(hours=20)),
        )
        for count, days, name, state, when in kinds:
            await connection.execute(DELIVERIES, store, count, days, name, state, when, ENDPOINTS, timeout=600)
        await connection.execute("vacuum (analyze)", timeout=600)
        sizes = await connection.fetch(
            """select c.relname, pg_size_pretty(pg_total_relation_size(c.oid)) as size, c.reltuples::bigint as rows
                 from pg_class c where c.relname like 'webhook\\_%' and c.relkind = 'r' order by c.relname"""
        )
    for row in sizes:
        print(f"  {row['relname']}: {row['rows']} rows, {row['size']}")


async def timed(times: list[float], act: Awaitable[Any]) -> Any:
    started = time.perf_counter()
    result = await act
    times.append(time.perf_counter() - started)
    return result


async def claims(ctx: Context, rounds: int) -> tuple[list[float], list[float]]:
    claiming: list[float] = []
    completing: list[float] = []
    for _ in range(rounds):
        claimed = await timed(claiming, claim_due(ctx, room=ROOM, retry_room=ROOM, degraded_room=ROOM))
        answer = Answer(200, None, None, b"ok", "93.184.216.34", 50)
        verdict = judge(answer, environment="live", failures=0, now=ctx.clock.now())
        attempts = [Attempt(claim, claim.claimed_at, answer, verdict) for claim in claimed]
        await timed(completing, complete(ctx, attempts))
    return claiming, completing


_EXPLAINED: tuple[tuple[Statement, dict[str, Any]], ...] = (
    (CLAIM, claim_values(timedelta(0), room=ROOM, retry_room=ROOM, degraded_room=ROOM)),
    (BACKLOG, {"most": COUNTED_AT_MOST, "stuck_after": STUCK_AFTER}),
    (FORGET_DELIVERIES, {"days": 28, "batch": 1000}),
    (FORGET_EVENTS, {"days": 28, "batch": 1000}),
)


async def explain(ctx: Context, statement: Statement, values: dict[str, Any]) -> None:
    """The plan of one run, which takes place."""
    async with ctx.database.transaction() as transaction:
        sql = f"explain (analyze, buffers) {statement.sql}"
        for row in await transaction.connection.fetch(sql, *statement.arguments(values)):
            print(row[0])
    print()


async def forget(ctx: Context, statement: Statement) -> list[float]:
    """The full batches of the 29th day."""
    times: list[float] = []
    while await timed(times, ctx.database.run(statement, batch=1000, days=28)) == 1000:
        continue
    return times[:-1]


VACUUM = Statement(text("vacuum webhook_deliveries"))


async def while_vacuuming(ctx: Context, act: Callable[[], Awaitable[Any]]) -> Any:
    vacuum = asyncio.create_task(ctx.database.run(VACUUM))
    result = await act()
    await vacuum
    return result


async def measure(url: str, options: argparse.Namespace) -> bool:
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    async with open_services(settings) as services:
        ctx = system_context(services, source="job", request_id="bench")
        await fill(ctx, options.done, services.vault.seal(new_webhook_secret()))
        await claims(ctx, 5)
        fresh, completing = await claims(ctx, options.rounds)
        print(told("claim of 50", fresh))
        print(told("writing what came of 50", completing))
        busy, _ = await while_vacuuming(ctx, lambda: claims(ctx, options.rounds // 4))
        print(told("claim of 50 while vacuuming", busy))
        looks: list[float] = []
        houses: list[float] = []
        for _ in range(10):
            await timed(looks, backlog(ctx))
            await timed(houses, keep_house(ctx))
        print(told("the backlog, for /health and the metrics", looks))
        print(told("housekeeping with nothing to do", houses))
        if options.explain:
            for statement, values in _EXPLAINED:
                await explain(ctx, statement, values)
        print(told("forgetting 1000 deliveries", await forget(ctx, FORGET_DELIVERIES)))
        print(told("forgetting 1000 events", await forget(ctx, FORGET_EVENTS)))
    return sorted(fresh)[int(len(fresh) * 0.95)] * 1000 < GATE_MS


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--done", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    configure_logging("warning")
    with tempfile.TemporaryDirectory() as path, EmbeddedPostgres(Path(path) / "data") as url:
        upgrade(url)
        met = uvloop.run(measure(url, options))
    leave(met=judged(f"p95 of a claim, target {GATE_MS} ms", met=met))


if __name__ == "__main__":
    main()
