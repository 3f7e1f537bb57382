"""What webhooks cost the payment that they tell of: `python -m bench.emission`.

A charge is paid (the statement that makes it paid, with its event, deliveries and audit record, and its commit) at
stores with 0, 1, 5 and 20 endpoints, taking turns, on embedded PostgreSQL with fsync. Target: 5 endpoints add less than
2 ms at p95. A second table has 50 endpoints of which 30 are off: what goes to them is written too, as canceled.
"""

import argparse
import re
import tempfile
import time
from pathlib import Path

import uvloop
from msgspec.structs import replace

from bench.figures import percentile, told
from bench.stage import ORDER
from bench.verdict import judged, leave
from gateway.embedded import EmbeddedPostgres
from gateway.engines.end_to_end_id import new_end_to_end_id
from gateway.ids import new_id
from gateway.models.base import Environment
from gateway.models.migrate import upgrade
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.charges.create_charge import issue_charge
from gateway.resolvers.charges.mark_paid import BY_ID, Payment, mark_paid
from gateway.resolvers.context import Context, system_context
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

GATE_MS = 2.0
STORES = {"no endpoint": (0, 0), "1": (1, 0), "5": (5, 0), "20": (20, 0), "20, and 30 that are off": (20, 30)}
STORE = """insert into users (id, name, email, company, created_at, updated_at)
           values ($1, 'Ana', $2, 'Loja', now(), now())"""
ENDPOINT = """
insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, active, created_at, updated_at)
select uuidv7(), $1, 'test', 'loja', 'https://loja.example/hook', '', 'whsec_', '{}', $2, now(), now()
  from generate_series(1, $3::int)
"""


async def store(ctx: Context, active: int, off: int) -> Context:
    """A new store with so many endpoints, acting by a key of its test environment."""
    user = new_id()
    async with ctx.database.pool.acquire() as connection:
        await connection.execute(STORE, user, f"{user}@example.com")
        for switched_on, count in ((True, active), (False, off)):
            await connection.execute(ENDPOINT, user, switched_on, count)
    return ctx.acting_as(Actor(Credential.api_key, Environment.test, user, user, "Ana", "Loja"))


async def paid(ctx: Context) -> float:
    """Seconds that paying one new charge takes."""
    charge = await issue_charge.verb(ctx, issue_charge.input_type.from_draft(ORDER))
    now = ctx.clock.now()
    row = await ctx.database.one(BY_ID, id=charge.id, environment=ctx.environment, now=now)
    assert row is not None
    started = time.perf_counter()
    assert await mark_paid(ctx, row, Payment(now, new_end_to_end_id(now)))
    return time.perf_counter() - started


async def measure(url: str, rounds: int) -> bool:
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    async with open_services(settings) as services:
        ctx = system_context(services, source="rest", request_id="bench")
        stores = {name: await store(replace(ctx), *counts) for name, counts in STORES.items()}
        for _ in range(20):
            for each in stores.values():
                await paid(each)
        times: dict[str, list[float]] = {name: [] for name in stores}
        for _ in range(rounds):
            for name, each in stores.items():
                times[name].append(await paid(each))
    for name, seconds in times.items():
        print(told(f"paying with {name}", seconds))
    added = percentile(times["5"], 0.95) - percentile(times["no endpoint"], 0.95)
    return judged(f"5 endpoints add {added:.2f} ms at p95, target {GATE_MS}", met=added < GATE_MS)


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--rounds", type=int, default=500)
    options = parser.parse_args()
    configure_logging("warning")
    with tempfile.TemporaryDirectory() as path, EmbeddedPostgres(Path(path) / "data") as url:
        upgrade(url)
        met = uvloop.run(measure(url, options.rounds))
    leave(met=met)


if __name__ == "__main__":
    main()
