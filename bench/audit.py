"""What the audit trail costs: `python -m bench.audit`.

1. Issuing a charge by `gateway serve` with its audit record (row, its indexes, queue) and by one that writes
   none, on one database with fsync, in many short turns. Each turn is compared with its neighbour, forth and
   back, and the median of those pairs counts, so that what a machine does beside it cancels out. Target:
   with costs less than 10 % more. No request has an `Idempotency-Key`, which would make the charge dearer
   and the record's share of it smaller.
2. Sealing and verifying what that left. Target: the records of 1,000 charges a second, two of each.

`--fill DIR ROWS` adds so many sealed records of one store to a database, and `--lists DIR` measures lists of it by
every filter, as the API reads them. Target: flat, however many there are.
"""

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx
import uvloop

from bench.contest import drive
from bench.figures import told
from bench.load import Measured, Plan
from bench.operations import request
from bench.stage import ORDER, SECRET, family, free_port, process, register, wait_for
from bench.verdict import judged, leave
from gateway.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.models.base import Environment
from gateway.models.database import Database, open_database
from gateway.models.migrate import upgrade
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.audit.inputs import ListAudit
from gateway.resolvers.audit.reading import list_audit
from gateway.resolvers.audit.sealing import seal_records
from gateway.resolvers.audit.verifying import verify
from gateway.resolvers.context import Context, system_context
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

GATE = 1.10
LEAST_SEALED = 2 * 1000
WARM_SECONDS = 0.1
STORE = "019aa000-0000-7000-8000-0000000000aa"
CHUNK = 50_000


@dataclass(frozen=True)
class Lane:
    """One of the two servers."""

    name: str
    port: int
    pid: int


@contextmanager
def lanes(home: Path, database: str, redis: str) -> Iterator[list[Lane]]:
    settings = {
        "GATEWAY_DATABASE_URL": database,
        "GATEWAY_REDIS_URL": redis,
        "GATEWAY_SECRET_KEY": SECRET,
        "GATEWAY_RATE_LIMITS": "off",
    }
    ports = free_port(), free_port()
    with (
        process(["gateway", "serve", "--workers", "1", "--port", str(ports[0])], settings, home) as ours,
        process(["bench.unaudited", "serve", "--workers", "1", "--port", str(ports[1])], settings, home) as bare,
    ):
        wait_for(ports[0], ours)
        wait_for(ports[1], bare)
        yield [Lane("with", ports[0], ours.pid), Lane("without", ports[1], bare.pid)]


def contest(both: list[Lane], postgres: int, rounds: int, seconds: float) -> dict[str, list[Measured]]:
    with httpx.Client(base_url=f"http://127.0.0.1:{both[0].port}", trust_env=False) as client:
        key = register(client, "issuer").key
    requests = [request("POST", "/pix", key=key, body=ORDER)]
    found: dict[str, list[Measured]] = {lane.name: [] for lane in both}
    for number in range(rounds):
        for lane in both if number % 2 == 0 else reversed(both):
            cpu = {"app": [lane.pid], "postgres": family(postgres)}
            found[lane.name].append(drive(Plan(lane.port, requests, 32, WARM_SECONDS, seconds, cpu)))
    return found


def compared(found: dict[str, list[Measured]]) -> float:
    """Print both lanes; how many times the time of a charge without its record one with it takes."""
    for name, measured in found.items():
        figures = ", ".join(
            f"{what} {median(one.cpu[what] for one in measured):.0f} µs" for what in ("app", "postgres")
        )
        print(f"issuing {name}: {median(one.rate for one in measured):.0f}/s, CPU {figures}")
    both = list(zip(found["with"], found["without"], strict=True))
    time_pairs = [bare.rate / ours.rate for ours, bare in both]
    print(f"  time, by {len(both)} pairs of neighbours: {_spread(time_pairs)}")
    print(
        f"  CPU of both processes: {_spread([sum(ours.cpu.values()) / sum(bare.cpu.values()) for ours, bare in both])}"
    )
    return median(time_pairs)


def _spread(ratios: list[float]) -> str:
    """The median, the bounds within which it lies with 95 % confidence (by rank, whatever the
    distribution), the quartiles.
    """
    ranked, half = sorted(ratios), 0.98 * len(ratios) ** 0.5
    least, most = (ranked[min(max(round(len(ranked) / 2 + by), 0), len(ranked) - 1)] for by in (-half, half))
    quarter = len(ranked) // 4
    return f"{median(ranked):.3f} times ({least:.3f} to {most:.3f}); half of them {ranked[quarter]:.2f} to {ranked[-1 - quarter]:.2f}"


async def chained(url: str) -> float:
    """Seal and verify; how many records were sealed a second."""
    database = await open_database(url, size=2)
    try:
        started = time.perf_counter()
        count = await seal_records(database)
        sealing = time.perf_counter() - started
        started = time.perf_counter()
        verification = await verify(database)
        verifying = time.perf_counter() - started
    finally:
        await database.close()
    print(f"sealing: {count} records at {count / sealing:.0f}/s; verifying: {verification.seals / verifying:.0f}/s")
    return count / sealing


FILL = """
insert into audit_pending (record_id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment,
    source, ip, user_agent, request_id, changes, created_at)
select uuidv7(at.ago), $1, 'api_key', '019aa000-0000-7000-8000-0000000000b' || n % 3, 'loja', kind.action, split_part(kind.action, '.', 1),
       uuidv7(at.ago)::text, 'test', 'rest', '203.0.113.7', 'python-httpx/0.28.1', gen_random_uuid()::text,
       case when kind.action = 'charge.created' then '{}'::jsonb else '{"status": {"from": "pending", "to": "paid"}}' end,
       now() + at.ago
  from generate_series($2::int, $3::int) n
 cross join lateral (select make_interval(secs => -31536000.0 + n * 6) as ago) at
 cross join lateral (select case when n % 5000 = 0 then 'coupon.updated' when n % 2 = 0 then 'charge.paid' else 'charge.created' end as action) kind
"""


async def fill(url: str, rows: int) -> None:
    """So many more than there are, sealed."""
    database = await open_database(url, size=2)
    try:
        async with database.pool.acquire() as connection:
            there = await connection.fetchval(
                "select coalesce(max(position), 0) from audit_seals where chain_id = $1", STORE
            )
        for first in range(there + 1, there + rows + 1, CHUNK):
            async with database.pool.acquire() as connection:
                await connection.execute(FILL, STORE, first, min(there + rows, first + CHUNK - 1), timeout=600)
            await seal_records(database, batch=2000)
        async with database.pool.acquire() as connection:
            await connection.execute("vacuum (analyze) audit_records, audit_seals, audit_pending", timeout=900)
    finally:
        await database.close()
    print(f"{there + rows} records", flush=True)


QUESTIONS = (
    "",
    "action=coupon.updated",
    "action=charge.paid",
    "resource_type=coupon",
    "resource_type=charge",
    "resource_id=",
    "actor_id=019aa000-0000-7000-8000-0000000000b1",
    "actor_id=nobody",
    "actor_type=staff",
    "actor_type=api_key",
    "source=rest",
    "created_from=2026-06-01&created_to=2026-06-02",
)


async def lists(url: str) -> None:
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    async with open_services(settings) as services:
        ctx = system_context(services, source="rest", request_id="bench")
        ctx = ctx.acting_as(Actor(Credential.session, Environment.test, STORE, STORE, "Ana", "Loja"))
        await sizes(ctx.database)
        some = await list_audit(ctx, {"limit": "50", "page": "3"})
        for question in QUESTIONS:
            asked = question + (str(some.items[7].resource_id) if question == "resource_id=" else "")
            given = dict(pair.split("=") for pair in asked.split("&")) if asked else {}
            print(told(f"50 by {asked or 'nothing'}", await timed(ctx, given | {"limit": "50"})))


async def timed(ctx: Context, given: dict[str, str]) -> list[float]:
    """As GraphQL reads them: a slice, without counting all that there is."""
    window = {"slice": {"first": 50, "after": None, "last": None, "before": None}}
    asked = ListAudit.from_draft({name: value for name, value in given.items() if name != "limit"} | window)
    times: list[float] = []
    for _ in range(15):
        started = time.perf_counter()
        await list_audit(ctx, asked)
        times.append(time.perf_counter() - started)
    return times[3:]


async def sizes(database: Database) -> None:
    async with database.pool.acquire() as connection:
        for table in ("audit_records", "audit_seals"):
            row = await connection.fetchrow(
                """select reltuples::bigint, pg_total_relation_size(oid) / greatest(reltuples, 1), pg_relation_size(oid) / greatest(reltuples, 1)
                     from pg_class where oid = $1::regclass""",
                table,
            )
            print(f"{table}: {row[0]} rows, {row[1]:.0f} bytes each, of which {row[2]:.0f} are the row's")


def main() -> None:
    options = _options()
    configure_logging("warning")
    if options.fill or options.lists:
        home = Path(options.fill[0] if options.fill else options.lists)
        with EmbeddedPostgres(home) as url:
            upgrade(url)
            uvloop.run(fill(url, int(options.fill[1])) if options.fill else lists(url))
        return
    with tempfile.TemporaryDirectory(prefix="gw-bench-", ignore_cleanup_errors=True) as directory:
        home = Path(directory)
        with EmbeddedPostgres(home) as url, EmbeddedRedis(home) as redis:
            upgrade(url)
            postgres = int((home / "postgres" / "postmaster.pid").read_text().split()[0])
            with lanes(home, url, redis) as both:
                ratio = compared(contest(both, postgres, options.rounds, options.seconds))
            sealed = asyncio.run(chained(url))
    quick = judged(f"a charge with its record takes {ratio:.3f} times one without, target {GATE}", met=ratio < GATE)
    kept_up = judged(f"sealed {sealed:.0f} records/s, target {LEAST_SEALED}", met=sealed >= LEAST_SEALED)
    leave(met=quick and kept_up)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--fill", nargs=2, metavar=("DIR", "ROWS"))
    parser.add_argument("--lists", metavar="DIR")
    return parser.parse_args()


if __name__ == "__main__":
    main()
