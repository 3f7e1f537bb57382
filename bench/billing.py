"""Subscriptions billed per second, beside the database's own floor for the same rows.

`python -m bench.billing [--rows 20000]`: a database of its own on embedded PostgreSQL with fsync on, 50 stores.

* **The floor** writes the rows that billing leaves behind, and nothing else: charge, the simulator's entry, both
  events, both audit records, the subscription's next date. One statement over `unnest` for 2000 subscriptions, two
  connections, ids, BR Codes and bodies made in Python, by hand on asyncpg. No rule, no claim, no phases, no checks.
* **Ours** is the job as the worker runs it, with the simulator. The two take turns. Target: half of the floor's
  throughput.
* **Growth**: the time of 1,000, 10,000 and 100,000 subscriptions. It has to be linear.
* **A slow engine** that answers in 200 ms: the same job, with `billing_concurrency` calls at a time and with one.
  Target: 20 times faster.
"""

import argparse
import asyncio
import gc
import resource
import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import orjson
import uvloop
from msgspec.structs import replace

from bench.verdict import judged, leave
from gateway.embedded import EmbeddedPostgres
from gateway.engines.br_code import build_dynamic
from gateway.engines.port import Account, EngineCharge, Engines, NewCharge
from gateway.ids import new_id
from gateway.models.migrate import upgrade
from gateway.resolvers.context import Services, system_context
from gateway.resolvers.subscriptions.billing import BillingOptions, bill
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

STORES = 50
FLOOR_BATCH = 2000
SLOW_SECONDS = 0.2
LEAST_OF_FLOOR, LEAST_TIMES_FASTER = 0.5, 20
LINEAR = 1.5
"""How many times the least time of a subscription that of one among a hundred times as many may be."""
DUE = datetime(2026, 11, 20, 12, tzinfo=UTC)

NEW_STORE = """insert into users (id, name, email, company, created_at, updated_at)
    values ($1::uuid, 'Ana', $1::uuid::text || '@example.com', 'Loja da Ana', now(), now())"""
NEW_ENDPOINT = """insert into webhook_endpoints
    (id, user_id, environment, name, url, secret, secret_preview, events, created_at, updated_at)
    values (uuidv7(), $1, 'test', 'loja', 'http://127.0.0.1/', $2, 'whsec_', '{}', now(), now())"""
NEW_SUBSCRIPTIONS = """insert into subscriptions (id, user_id, environment, customer_name, customer_email, customer_cpf,
    description, amount, interval, status, next_billing_at, anchor_day, created_at, updated_at)
    select uuidv7(), ($1::uuid[])[1 + n % $3], 'test', 'José Pagador', 'jose@example.com', '52998224725',
    'Plano ouro', 4990, 'monthly', 'active', $4, 20, $4, $4 from generate_series(1, $2) n"""
CLEAN = """set session_replication_role = replica;
    truncate charges, issuances, webhook_attempts, webhook_events, webhook_deliveries, audit_records, audit_pending, audit_seals,
    simulator_charges, subscriptions cascade;
    set session_replication_role = default;"""
CLAIM = """select id, user_id, environment, customer_id, customer_name, customer_email, customer_cpf, description, amount,
    method, interval, status, next_billing_at, end_date, max_cycles, cycles_count, external_reference, metadata,
    last_failure, created_at, updated_at from subscriptions where status = 'active' and environment = 'test' and next_billing_at <= $1
    order by next_billing_at, id limit 2000 for update skip locked"""
WRITE = """with given as (select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
      $7::bigint[], $8::timestamptz[], $9::uuid[], $10::bytea[], $11::uuid[], $12::bytea[])
      as g(subscription, charge, store, txid, engine_id, code, amount, coming, created, created_body, charged, charged_body)),
    moved as (update subscriptions s set next_billing_at = g.coming, cycles_count = s.cycles_count + 1, updated_at = now()
      from given g where s.id = g.subscription),
    entered as (insert into simulator_charges (id, environment, external_reference, amount, br_code, created_at)
      select engine_id, 'test', charge::text, amount, code, now() from given),
    born as (insert into charges (id, user_id, environment, txid, status, description, amount, original_amount, customer_name,
      customer_email, customer_cpf, subscription_id, billing_cycle, expires_at, pix_code, engine, engine_id, created_at, updated_at)
      select charge, store, 'test', txid, 'pending', 'Plano ouro', amount, amount, 'José Pagador', 'jose@example.com',
      '52998224725', subscription, $13, now() + interval '1 day', code, 'simulator', engine_id, now(), now() from given),
    told as (insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
      select created, store, 'test', 'charge.created', created_body, 'charge.created:' || charge, now() from given
      union all
      select charged, store, 'test', 'subscription.charged', charged_body, 'subscription.charged:' || charge, now() from given)
    insert into audit_pending (record_id, store_id, actor_type, action, resource_type, resource_id, environment, source, request_id,
      changes, created_at)
      select uuidv7(), store, 'system', 'charge.created', 'charge', charge::text, 'test', 'job', 'bench', '{}'::jsonb, now()
      from given union all
      select uuidv7(), store, 'system', 'subscription.charged', 'subscription', subscription::text, 'test', 'job', 'bench',
      jsonb_build_object('next_billing_at', jsonb_build_object('from', $13::timestamptz, 'to', coming)), now() from given"""


@dataclass
class Stage:
    """A database with stores."""

    services: Services
    stores: list[str]

    async def fill(self, rows: int) -> None:
        """Nothing but due subscriptions, and statistics as autovacuum would have them."""
        async with self.services.database.pool.acquire() as connection:
            await connection.execute(CLEAN)
            await connection.execute(NEW_SUBSCRIPTIONS, self.stores, rows, len(self.stores), DUE)
            await connection.execute("vacuum analyze subscriptions")
            await connection.execute("checkpoint")
        gc.collect()

    async def billed(self) -> int:
        async with self.services.database.pool.acquire() as connection:
            count: int = await connection.fetchval(
                "select count(*) from charges c join subscriptions s on s.id = c.subscription_id "
                "where s.next_billing_at > now() and c.billing_cycle = $1",
                DUE,
            )
        return count


def shown(row: Any, charge: str, txid: str, code: str, now: datetime) -> dict[str, Any]:
    """A charge as an event shows it."""
    absent = dict.fromkeys(
        (
            "customer_id",
            "customer_phone",
            "product_id",
            "coupon_id",
            "coupon_code",
            "payment_link_id",
            "due_date",
            "external_reference",
            "success_url",
            "cancel_url",
            "end_to_end_id",
            "paid_at",
            "store_name",
            "store_document",
            "receipt_url",
            "qr_code_url",
        )
    )
    return {
        "id": charge,
        "user_id": row["user_id"],
        "environment": "test",
        "txid": txid,
        "status": "pending",
        "description": row["description"],
        "amount": row["amount"] / 100,
        "original_amount": row["amount"] / 100,
        "discount_amount": 0,
        "fee_amount": 0,
        "net_amount": row["amount"] / 100,
        "customer_name": row["customer_name"],
        "customer_email": row["customer_email"],
        "customer_cpf": row["customer_cpf"],
        "subscription_id": row["id"],
        "metadata": {},
        "expires_at": now + timedelta(days=1),
        "pix_code": code,
        "paid_late": False,
        "created_at": now,
        "updated_at": now,
        "checkout_url": f"http://127.0.0.1:8000/pay/c/{txid}",
        **absent,
    }


def body(kind: str, event: str, now: datetime, data: Any) -> bytes:
    return orjson.dumps({"id": event, "event": kind, "version": "v1", "created_at": now, "sequence": 0, "data": data})


def columns(rows: Sequence[Any], now: datetime, coming: datetime) -> list[list[Any]]:
    """What the floor's statement binds."""
    bound: list[list[Any]] = [[] for _ in range(12)]
    for row in rows:
        charge, txid, engine_id = new_id(), secrets.token_hex(16), f"pay_{secrets.token_hex(8)}"
        code = build_dynamic(
            url=f"127.0.0.1/simulator/pix/{engine_id}", amount=row["amount"], merchant_name="Loja da Ana",
            merchant_city="BRASILIA",
        )  # fmt: skip
        data, created, charged = shown(row, charge, txid, code, now), new_id(), new_id()
        subscription = dict(row) | {"next_billing_at": coming, "amount": row["amount"] / 100}
        told = {"subscription": subscription, "charge": data, "trigger": "schedule"}
        values = (
            row["id"], charge, row["user_id"], txid, engine_id, code, row["amount"], coming,
            created, body("charge.created", created, now, data), charged, body("subscription.charged", charged, now, told),
        )  # fmt: skip
        for column, value in zip(bound, values, strict=True):
            column.append(value)
    return bound


async def floor(stage: Stage) -> float:
    """Seconds that the floor takes for all that is due."""
    coming = DUE + timedelta(days=30)

    async def claimer() -> None:
        async with stage.services.database.pool.acquire() as connection:
            while True:
                async with connection.transaction():
                    rows = await connection.fetch(CLAIM, DUE)
                    if not rows:
                        return
                    await connection.execute(WRITE, *columns(rows, datetime.now(UTC), coming), DUE)

    started = time.perf_counter()
    await asyncio.gather(claimer(), claimer())
    return time.perf_counter() - started


async def ours(stage: Stage, services: Services | None = None) -> float:
    """Seconds that the job takes for all that is due."""
    ctx = system_context(services or stage.services, source="job", request_id="bench")
    started = time.perf_counter()
    await bill(ctx, BillingOptions())
    return time.perf_counter() - started


class SlowEngine:
    """A bank that answers in 200 ms, one charge a call."""

    name, has_bank, answers = "simulator", True, True

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        await asyncio.sleep(SLOW_SECONDS)
        made: EngineCharge = await self._behind.create_charge(wanted)
        return made

    async def find_charge(self, external_reference: str, account: Account | None = None) -> EngineCharge | None:
        found: EngineCharge | None = await self._behind.find_charge(external_reference, account)
        return found

    async def retire_charge(self, engine_id: str, account: Account | None = None) -> None:
        await self._behind.retire_charge(engine_id, account)


async def against_the_floor(stage: Stage, rows: int, rounds: int, title: str) -> float:
    """Our share of the floor's throughput."""
    taken: dict[str, list[float]] = {"floor": [], "ours": []}
    for number in range(rounds):
        for name, run in (("floor", floor), ("ours", ours)) if number % 2 == 0 else (("ours", ours), ("floor", floor)):
            await stage.fill(rows)
            taken[name].append(await run(stage))
            assert await stage.billed() == rows, name
    least, most = median(taken["floor"]), median(taken["ours"])
    print(
        f"{title}: floor {rows / least:.0f}/s, ours {rows / most:.0f}/s: {least / most:.2f} of the floor's throughput"
    )
    return least / most


async def growth(stage: Stage, sizes: Sequence[int]) -> float:
    """How many times the least time of a subscription that of one of the most is."""
    each: list[float] = []
    for size in sizes:
        await stage.fill(size)
        seconds = await ours(stage)
        assert await stage.billed() == size
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{size:>7} due: {seconds:6.2f} s, {seconds / size * 1e6:4.0f} µs each, at most {memory:.0f} MB")
        each.append(seconds / size)
    return each[-1] / min(each)


async def slow_engine(stage: Stage, rows: int) -> float:
    """How many times faster it is with many calls at a time."""
    engine: Any = SlowEngine(stage.services.engines.test)
    slow = replace(stage.services, engines=Engines(engine, engine))
    await stage.fill(rows)
    together = await ours(stage, slow) / rows
    alone = replace(slow, settings=slow.settings.model_copy(update={"billing_concurrency": 1}))
    await stage.fill(15)
    one_by_one = await ours(stage, alone) / 15
    at_once = slow.settings.billing_concurrency
    print(
        f"an engine of 200 ms: {1 / one_by_one:.1f}/s one by one, {1 / together:.0f}/s with {at_once} at a time: "
        f"{one_by_one / together:.1f} times faster"
    )
    return one_by_one / together


async def measure(url: str, options: argparse.Namespace) -> bool:
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    async with open_services(settings) as services:
        stage = Stage(services, [new_id() for _ in range(STORES)])
        await services.database.pool.executemany(NEW_STORE, [(store,) for store in stage.stores])
        gc.collect()
        gc.freeze()
        share = await against_the_floor(stage, options.rows, options.rounds, "no endpoint")
        met = [judged(f"  {share:.2f}, target {LEAST_OF_FLOOR}", met=share >= LEAST_OF_FLOOR)]
        if not options.brief:
            grown = await growth(stage, (1_000, 10_000, 100_000))
            met.append(judged(f"  linear: {grown:.2f} times the least, target {LINEAR}", met=grown <= LINEAR))
            faster = await slow_engine(stage, 2_000)
            met.append(judged(f"  {faster:.1f} times, target {LEAST_TIMES_FASTER}", met=faster >= LEAST_TIMES_FASTER))
            sealed = services.vault.seal(new_webhook_secret())
            await services.database.pool.executemany(NEW_ENDPOINT, [(store, sealed) for store in stage.stores])
            await against_the_floor(stage, 3_000, 1, "with an endpoint for each store, a QR image and two deliveries")
    return all(met)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.billing", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--brief", action="store_true", help="against the floor only")
    options = parser.parse_args()
    configure_logging("error")
    with tempfile.TemporaryDirectory(prefix="gw-bench-") as path, EmbeddedPostgres(Path(path) / "data") as url:
        upgrade(url)
        met = uvloop.run(measure(url, options))
    leave(met=met)


if __name__ == "__main__":
    main()
