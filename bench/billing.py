"""Subscriptions billed a second, compared with a baseline: `python -m bench.billing [--rows 20000] [--rounds 5]`.

* **The baseline** writes the rows that billing leaves: charge, the simulator's entry, two events, two audit records,
  the subscription's next date. It sends one hand-written statement for 2000 subscriptions, on two connections, and
  makes ids, BR Codes and bodies in Python. It has no phases and no checks.
* **The gateway** runs its job, called through `POST /jobs/subscriptions`, with the simulator. The two take turns.
"""

import argparse
import asyncio
import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import asyncpg
import httpx
import orjson
import uvloop

from bench.environment import open_client, open_servers, read_data, run_api
from bench.targets import check, leave
from gateway.integrations.engines.br_code import build_dynamic
from gateway.values.ids import new_id

STORES = 50
MIN_SHARE = 0.5
JOB_TOKEN = "a token for the billing benchmark"  # noqa: S105  # It opens a job on this machine only.

INSERT_STORES = """insert into users (id, name, email, company, created_at, updated_at)
    select id, 'Ana', id::text || '@example.com', 'Loja da Ana', now(), now() from unnest($1::uuid[]) id"""
INSERT_SUBSCRIPTIONS = """insert into subscriptions (id, user_id, environment, customer_name, customer_email, customer_cpf,
    description, amount, interval, status, next_billing_at, anchor_day, created_at, updated_at)
    select uuidv7(), ($1::uuid[])[1 + n % $3], 'test', 'José Pagador', 'jose@example.com', '52998224725',
    'Plano ouro', 4990, 'monthly', 'active', $4, 20, $4, $4 from generate_series(1, $2) n"""
CLAIM = """select id, user_id, environment, customer_id, customer_name, customer_email, customer_cpf, description, amount,
    method, interval, status, next_billing_at, end_date, max_cycles, cycles_count, external_reference, metadata,
    last_failure, created_at, updated_at from subscriptions where status = 'active' and environment = 'test' and next_billing_at <= $1
    order by next_billing_at, id limit 2000 for update skip locked"""
WRITE = """with input as (select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
      $7::bigint[], $8::uuid[], $9::bytea[], $10::uuid[], $11::bytea[])
      as i(subscription, charge, store, txid, engine_id, code, amount, created, created_body, charged, charged_body)),
    advanced as (update subscriptions s set next_billing_at = $13, cycles_count = s.cycles_count + 1, updated_at = now()
      from input i where s.id = i.subscription),
    simulated as (insert into simulator_charges (id, environment, external_reference, amount, br_code, created_at)
      select engine_id, 'test', charge::text, amount, code, now() from input),
    inserted as (insert into charges (id, user_id, environment, txid, status, description, amount, original_amount, customer_name,
      customer_email, customer_cpf, subscription_id, billing_cycle, expires_at, pix_code, engine, engine_id, created_at, updated_at)
      select charge, store, 'test', txid, 'pending', 'Plano ouro', amount, amount, 'José Pagador', 'jose@example.com',
      '52998224725', subscription, $12, now() + interval '1 day', code, 'simulator', engine_id, now(), now() from input),
    events as (insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
      select created, store, 'test', 'charge.created', created_body, 'charge.created:' || charge, now() from input
      union all
      select charged, store, 'test', 'subscription.charged', charged_body, 'subscription.charged:' || charge, now() from input)
    insert into audit_pending (record_id, store_id, actor_type, action, resource_type, resource_id, environment, source, request_id,
      changes, created_at)
      select uuidv7(), store, 'system', 'charge.created', 'charge', charge::text, 'test', 'job', 'bench', '{}'::jsonb, now()
      from input union all
      select uuidv7(), store, 'system', 'subscription.charged', 'subscription', subscription::text, 'test', 'job', 'bench',
      jsonb_build_object('next_billing_at', jsonb_build_object('from', $12::timestamptz, 'to', $13::timestamptz)), now()
      from input"""
_NULL_FIELDS = (
    "customer_id", "customer_phone", "product_id", "coupon_id", "coupon_code", "payment_link_id", "due_date",
    "external_reference", "success_url", "cancel_url", "end_to_end_id", "paid_at", "store_name", "store_document",
    "receipt_url", "qr_code_url",
)  # fmt: skip
_COPIED_FIELDS = ("user_id", "environment", "description", "customer_name", "customer_email", "customer_cpf")


def view_of(row: Any, charge: str, txid: str, code: str, now: datetime) -> dict[str, Any]:
    """A charge as an event has it."""
    reais = row["amount"] / 100
    own = {"id": charge, "txid": txid, "status": "pending", "subscription_id": row["id"], "pix_code": code}
    amounts = {"amount": reais, "original_amount": reais, "net_amount": reais, "discount_amount": 0, "fee_amount": 0}
    times = {"expires_at": now + timedelta(days=1), "paid_late": False, "created_at": now, "updated_at": now}
    rest = {"metadata": {}, "checkout_url": f"http://127.0.0.1:8000/pay/c/{txid}"}
    return dict.fromkeys(_NULL_FIELDS) | {name: row[name] for name in _COPIED_FIELDS} | own | amounts | times | rest


def event_body(kind: str, event: str, now: datetime, data: Any) -> bytes:
    return orjson.dumps(
        {"id": event, "event": kind, "version": "v1", "created_at": now, "sequence": 0, "data": data}, default=str
    )


def columns_of(rows: Sequence[Any], now: datetime, next_date: datetime) -> list[list[Any]]:
    """What the baseline's statement binds."""
    columns: list[list[Any]] = [[] for _ in range(11)]
    for row in rows:
        charge, txid, engine_id = new_id(), secrets.token_hex(16), f"pay_{secrets.token_hex(8)}"
        code = build_dynamic(
            url=f"127.0.0.1/simulator/pix/{engine_id}", amount=row["amount"], merchant_name="Loja da Ana",
            merchant_city="BRASILIA",
        )  # fmt: skip
        data, created, charged = view_of(row, charge, txid, code, now), new_id(), new_id()
        subscription = dict(row) | {"next_billing_at": next_date, "amount": row["amount"] / 100}
        cycle = {"subscription": subscription, "charge": data, "trigger": "schedule"}
        values = (
            row["id"], charge, row["user_id"], txid, engine_id, code, row["amount"],
            created, event_body("charge.created", created, now, data),
            charged, event_body("subscription.charged", charged, now, cycle),
        )  # fmt: skip
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return columns


async def bill_as_baseline(pool: Any, due: datetime) -> int:
    """Bill all that is due. Returns how many."""
    next_date = datetime.now(UTC) + timedelta(days=30)

    async def claim_and_write() -> int:
        count = 0
        async with pool.acquire() as connection:
            while True:
                async with connection.transaction():
                    rows = await connection.fetch(CLAIM, due)
                    if not rows:
                        return count
                    await connection.execute(WRITE, *columns_of(rows, datetime.now(UTC), next_date), due, next_date)
                    count += len(rows)

    return sum(await asyncio.gather(claim_and_write(), claim_and_write()))


def bill_by_job(client: httpx.Client) -> int:
    """Run the gateway's job. Returns how many subscriptions it charged."""
    count: int = read_data(client.post("/jobs/subscriptions", headers={"x-job-token": JOB_TOKEN}))["cobradas"]
    return count


async def measure(database: str, client: httpx.Client, rows: int, rounds: int) -> bool:
    stores, due = [new_id() for _ in range(STORES)], datetime.now(UTC) - timedelta(hours=1)
    seconds: dict[str, list[float]] = {"baseline": [], "gateway": []}
    async with asyncpg.create_pool(database, min_size=2, max_size=2) as pool:
        await pool.execute(INSERT_STORES, stores)
        for number in range(rounds):
            for name in list(seconds) if number % 2 == 0 else reversed(list(seconds)):
                await pool.execute(INSERT_SUBSCRIPTIONS, stores, rows, STORES, due)
                await pool.execute("vacuum analyze subscriptions")
                await pool.execute("checkpoint")
                begun = time.perf_counter()
                if name == "baseline":
                    count = await bill_as_baseline(pool, due)
                else:
                    count = await asyncio.to_thread(bill_by_job, client)
                seconds[name].append(time.perf_counter() - begun)
                if count != rows:
                    raise SystemExit(f"{name} billed {count} of {rows}")
    baseline, gateway = (rows / median(times) for times in seconds.values())
    note = f"{gateway:.0f}/s of {baseline:.0f}/s"
    return check("billing", gateway / baseline, MIN_SHARE, "of the baseline's throughput", at_least=True, note=note)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.billing", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with open_servers() as servers, run_api(servers, GATEWAY_JOB_TOKEN=JOB_TOKEN) as (port, _):
        met = uvloop.run(measure(servers.database, open_client(port), options.rows, options.rounds))
    leave([met])


if __name__ == "__main__":
    main()
