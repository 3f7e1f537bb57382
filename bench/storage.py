"""What a charge takes on disk: `python -m bench.storage [--charges 3000]`.

So many charges are issued and paid at a store with one endpoint, the bank's notice of it taken in, their two events
each delivered at the first attempt, their audit records sealed. Told are bytes for each charge, of rows (with what lies
beside them, TOAST) and of indexes; and the log that it wrote.
"""

import argparse
import re
import tempfile
from pathlib import Path

import uvloop

from bench.emission import paid, store
from gateway.embedded import EmbeddedPostgres
from gateway.models.database import Row
from gateway.models.migrate import upgrade
from gateway.resolvers.audit.sealing import seal_records
from gateway.resolvers.context import system_context
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

DELIVERED = """
with done as (
    update webhook_deliveries set state = 1, attempts = 1, last_status = 200, finished_at = now() returning id
)
insert into webhook_attempts (delivery_id, number, started_at, duration_ms, address, status, response)
select id, 1, now(), 40, '203.0.113.7', 200, 'ok' from done
"""
NOTICED = """
insert into engine_notices (id, engine, environment, event_id, event, body, outcome, charge_id, retry_after, received_at)
select uuidv7(), 'asaas', environment, 'evt_' || md5(id::text) || '&' || (random() * 1e9)::bigint, 'PAYMENT_RECEIVED',
       convert_to(repeat('.', 1000), 'UTF8'), 'applied', id, now(), now()
  from charges order by id
"""
"""A notice of each payment, of as many bytes as Asaas' has about."""
LOG = "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
SIZES = """
select c.relname as name, pg_table_size(c.oid) as rows, pg_indexes_size(c.oid) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'public' and c.relkind = 'r' and pg_total_relation_size(c.oid) > $1 order by 2 desc
"""


async def measure(url: str, count: int) -> list[Row]:
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    async with open_services(settings) as services:
        ctx = await store(system_context(services, source="rest", request_id="bench"), 1, 0)
        pool = services.database.pool
        async with pool.acquire() as connection:
            before = await connection.fetchval(LOG)
        for _ in range(count):
            await paid(ctx)
        async with pool.acquire() as connection:
            await connection.execute(NOTICED)
            await connection.execute(DELIVERED)
        await seal_records(services.database)
        async with pool.acquire() as connection:
            log = await connection.fetchval(LOG) - before
            await connection.execute("vacuum full", timeout=300)
            rows: list[Row] = await connection.fetch(SIZES, 20 * count)
    print(f"write-ahead log: {log / count:.0f} bytes for each charge, full page images among them")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("--charges", type=int, default=3000)
    options = parser.parse_args()
    configure_logging("warning")
    with tempfile.TemporaryDirectory() as path, EmbeddedPostgres(Path(path) / "data") as url:
        upgrade(url)
        found = uvloop.run(measure(url, options.charges))
    for row in found:
        print(
            f"{row['name']}: {row['rows'] / options.charges:.0f} of rows, {row['indexes'] / options.charges:.0f} of indexes"
        )
    total = sum(row["rows"] + row["indexes"] for row in found) / options.charges
    print(f"{total:.0f} bytes for each charge")


if __name__ == "__main__":
    main()
