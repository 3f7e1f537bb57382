"""Monthly partitions, created and dropped by a role that owns no table, as docs/audit.md recommends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.doctor.check import Severity
from gateway.doctor.database import check_partitions, check_privileges
from gateway.integrations.egress.response import DeliveryResponse
from gateway.models.database import open_database
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.core.credentials import Credentials
from gateway.resolvers.core.partitions import TABLES, maintain_partitions
from gateway.resolvers.webhooks.attempts import Attempt, record_attempts
from gateway.resolvers.webhooks.claims import claim_due
from gateway.resolvers.webhooks.retry_policy import RetryDecision
from gateway.settings import Settings
from tests.api_client import Api
from tests.conftest import MIGRATED
from tests.docs.pages import ROOT, Page

GRANTS, REVOKES = Page(ROOT / "docs/audit.md").blocks("plpgsql")
(DETACH,) = Page(ROOT / "docs/scaling.md").blocks("plpgsql")
ROLE = "gateway"
NOW = datetime.now(UTC)
DUE, DELIVERED = range(2)
OWNERS = """
    select tablename, tableowner from pg_tables
     where tablename = any(select parent || to_char($1::date, '_YYYYMM') from unnest($2::text[]) parent)
"""


def month(ahead: int) -> datetime:
    """The first day of a month, counted from this one."""
    months = NOW.year * 12 + NOW.month - 1 + ahead
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def name_of(table: str, first: datetime) -> str:
    return f"{table}_{first:%Y%m}"


def url_of(settings: Settings, user: str = "postgres") -> str:
    return settings.asyncpg_dsn.replace("/gateway?", "/partitioned?").replace("//postgres@", f"//{user}@")


@pytest.fixture
async def owner(settings: Settings) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to a migrated database, in which the role has what docs/audit.md grants."""
    server = await asyncpg.connect(settings.asyncpg_dsn)
    await server.execute(f"create database partitioned template {MIGRATED}")
    await server.execute(f"create role {ROLE} login")
    owner = await asyncpg.connect(url_of(settings))
    try:
        await owner.execute(GRANTS + REVOKES)
        yield owner
    finally:
        await owner.execute(f"drop owned by {ROLE}")
        await owner.close()
        await server.execute("drop database partitioned with (force)")
        await server.execute(f"drop role {ROLE}")
        await server.close()


@asynccontextmanager
async def as_role(services: Services) -> AsyncIterator[Any]:
    database = await open_database(url_of(services.settings, ROLE), size=2)
    try:
        as_role = replace(services, database=database, credentials=Credentials(database))
        yield system_context(as_role, source="job", request_id="test")
    finally:
        await database.close()


async def maintain(services: Services) -> None:
    async with as_role(services) as ctx:
        await maintain_partitions(ctx)


async def findings(settings: Settings) -> list[tuple[Severity, str]]:
    """The doctor's findings about partitions, connected as the role."""
    as_role = settings.model_copy(update={"database_url": url_of(settings, ROLE)})
    return [(finding.severity, finding.text) async for finding in check_partitions(as_role)]


async def test_a_role_without_ownership_creates_this_month_and_the_next_three(
    owner: asyncpg.Connection, services: Services, settings: Settings
) -> None:
    for ahead in range(4):
        for table in TABLES:
            await owner.execute(f"drop table {name_of(table, month(ahead))}")
    assert [severity for severity, _ in await findings(settings)] == [Severity.warning] * 2 * len(TABLES)
    await asyncio.gather(maintain(services), maintain(services))
    for ahead in range(4):
        created = await owner.fetch(OWNERS, month(ahead), TABLES)
        assert {tuple(row) for row in created} == {(name_of(table, month(ahead)), "postgres") for table in TABLES}
    assert await owner.fetch(OWNERS, month(4), TABLES) == []
    assert [severity for severity, _ in await findings(settings)] == [Severity.ok]


async def test_a_partition_has_the_indexes_and_settings_of_the_others(
    owner: asyncpg.Connection, services: Services
) -> None:
    for table in TABLES:
        await owner.execute(f"drop table {name_of(table, month(3))}")
    await maintain(services)
    described = """
        select reloptions, array(select regexp_replace(pg_get_indexdef(indexrelid), '.* USING', '') from pg_index where indrelid = c.oid order by 1)
          from pg_class c where oid = $1::text::regclass
    """
    for table in TABLES:
        created, other = [
            await owner.fetchrow(described, name) for name in (name_of(table, month(3)), f"{table}_default")
        ]
        assert created == other
    unique = "select indexdef from pg_indexes where tablename = $1 and indexdef ~ 'UNIQUE.*dedupe_key'"
    assert await owner.fetchval(unique, name_of("webhook_events", month(3))) is not None


async def test_the_doctor_names_missing_grants(
    owner: asyncpg.Connection, services: Services, settings: Settings
) -> None:
    await owner.execute(
        f"drop table {name_of('webhook_events', month(1))};"
        f"revoke execute on function create_month_partition, drop_webhook_partitions from {ROLE}"
    )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await maintain(services)
    as_role = settings.model_copy(update={"database_url": url_of(settings, ROLE)})
    (text,) = [finding.text async for finding in check_privileges(as_role)]
    assert "execute on function create_month_partition(regclass,date)" in text
    assert "execute on function drop_webhook_partitions(date)" in text


async def test_the_role_issues_charges_and_records_deliveries(
    owner: asyncpg.Connection, services: Services, settings: Settings
) -> None:
    async with as_role(services) as ctx, Api.of(Gateway(settings, ctx.services)) as api:
        merchant = await api.register_merchant()
        body = {"name": "loja", "url": "http://127.0.0.1:18200/hook"}
        endpoint = (await api.post("/webhook-endpoints", body, token=merchant.token)).json()["data"]
        charge = await merchant.issue()
        await merchant.pay(charge["id"])
        claims = await claim_due(ctx, slots=2, retry_slots=2, degraded_slots=2)
        response = DeliveryResponse(200, None, None, b"ok", "127.0.0.1", 1)
        delivered = RetryDecision(DeliveryState.delivered)
        attempts = [Attempt(claim, claim.claimed_at, response, delivered) for claim in claims]
        assert await record_attempts(ctx, attempts) == {claim.id for claim in claims}
        log = (await api.get(f"/webhook-endpoints/{endpoint['id']}/deliveries", token=merchant.key)).json()["data"]
        assert [(delivery["event"], delivery["status"]) for delivery in log] == [
            ("charge.paid", "delivered"),
            ("charge.created", "delivered"),
        ]
        assert [len(delivery["attempts"]) for delivery in log] == [1, 1]


async def test_partitions_are_written_through_their_table_only(owner: asyncpg.Connection, services: Services) -> None:
    await owner.execute(f"alter default privileges grant all on tables to {ROLE}")
    for table in TABLES:
        await owner.execute(f"drop table {name_of(table, month(1))}")
    await maintain(services)
    writable = """
        select oid::regclass::text from pg_class
         where relispartition and relkind = 'r' and has_table_privilege($1, oid, 'insert, update, delete, truncate')
    """
    assert await owner.fetch(writable, ROLE) == []
    assert await owner.fetchval(
        "select has_table_privilege($1, $2, 'select')", ROLE, name_of("audit_records", month(1))
    )


async def test_a_new_audit_partition_is_append_only_for_its_owner_too(
    owner: asyncpg.Connection, services: Services
) -> None:
    await owner.execute(f"drop table {name_of('audit_records', month(1))}")
    await maintain(services)
    await insert_record(owner, month(1))
    for refused in ("truncate {}", "delete from {}", "update {} set action = 'x'"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
            await owner.execute(refused.format(name_of("audit_records", month(1))))


async def test_the_role_cannot_drop_audit_records(services: Services, owner: asyncpg.Connection) -> None:
    async with as_role(services) as ctx, ctx.database.pool.acquire() as connection:
        await connection.fetchval("select drop_webhook_partitions($1)", month(-1))
    assert [row["tablename"] for row in await owner.fetch(OWNERS, month(-1), TABLES)] == [
        name_of("audit_records", month(-1))
    ]


async def test_a_partition_is_a_whole_month(owner: asyncpg.Connection) -> None:
    assert await owner.fetchval("select create_month_partition('audit_records', '2040-05-17')")
    bounds = "select pg_get_expr(relpartbound, oid) from pg_class where relname = 'audit_records_204005'"
    first, last = [uuid7(datetime(2040, month, 1, tzinfo=UTC)) for month in (5, 6)]
    assert await owner.fetchval(bounds) == f"FOR VALUES FROM ('{first}') TO ('{last}')"


async def test_a_table_in_use_gets_its_partition_an_hour_later(owner: asyncpg.Connection, services: Services) -> None:
    busy, free = name_of("webhook_events", month(1)), name_of("audit_records", month(1))
    await owner.execute(f"drop table {busy}; drop table {free}")
    dump = owner.transaction()
    await dump.start()
    await owner.execute("lock table webhook_events in access share mode")
    await maintain(services)
    assert await owner.fetchval("select to_regclass($1)", busy) is None
    assert await owner.fetchval("select to_regclass($1)", free) is not None
    await dump.rollback()
    await maintain(services)
    assert await owner.fetchval("select to_regclass($1)", busy) is not None


async def test_rows_of_a_month_without_a_partition_are_stored_and_can_be_moved(
    owner: asyncpg.Connection, services: Services, settings: Settings
) -> None:
    for table in TABLES:
        await owner.execute(f"drop table {name_of(table, month(1))}")
    endpoint = await an_endpoint(owner)
    await deliver(owner, endpoint, month(1), DELIVERED)
    await insert_record(owner, month(1))
    await insert_record(owner, month(9))
    await maintain(services)  # Creates none of them: the default partitions have rows of this month.
    assert await owner.fetch(OWNERS, month(1), TABLES) == []
    assert [severity for severity, _ in await findings(settings)] == [Severity.warning] * 4 + [Severity.error] * 4
    waiting = await owner.fetchval("select count(*) from audit_pending")
    moved = [await owner.fetchval("select drain_default_partition($1, $2)", table, month(1)) for table in TABLES]
    assert moved == [1, 1, 1, 1]
    counts = [await owner.fetchval(f"select count(*) from {name_of(table, month(1))}") for table in TABLES]
    assert counts == [1, 1, 1, 1]
    assert await owner.fetchval("select count(*) from audit_records") == 2
    assert await owner.fetchval("select count(*) from audit_pending") == waiting, "none is recorded twice"
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
        await owner.execute("delete from audit_records")
    assert await findings(settings) == [
        (Severity.error, "audit_records_default has rows; docs/deployment.md says how to move them to a monthly one")
    ]
    assert await owner.fetchval("select drain_default_partition('audit_records', $1)", month(9)) == 1
    assert [severity for severity, _ in await findings(settings)] == [Severity.ok]


async def test_old_events_are_dropped_when_none_of_their_deliveries_is_pending(
    owner: asyncpg.Connection, services: Services
) -> None:
    for table in TABLES:
        for ahead in (-4, -3):
            await owner.execute("select create_month_partition($1, $2)", table, month(ahead))
    endpoint = await an_endpoint(owner)
    await deliver(owner, endpoint, month(-4), DELIVERED)
    await deliver(owner, endpoint, month(-3), DELIVERED)
    retried = await deliver(owner, endpoint, month(-3), DUE)
    await deliver(owner, endpoint, month(0), DELIVERED)
    await insert_record(owner, month(-4))
    await maintain(services)
    assert [row[0] for row in await owner.fetch(OWNERS, month(-4), TABLES)] == [name_of("audit_records", month(-4))]
    assert len(await owner.fetch(OWNERS, month(-3), TABLES)) == len(TABLES)
    assert await rows_left(owner) == {"webhook_events": 3, "webhook_deliveries": 3, "webhook_attempts": 3}
    await owner.execute("update webhook_deliveries set state = 1 where event_id = $1", retried)
    await maintain(services)
    assert [row[0] for row in await owner.fetch(OWNERS, month(-3), TABLES)] == [name_of("audit_records", month(-3))]
    assert await rows_left(owner) == {"webhook_events": 1, "webhook_deliveries": 1, "webhook_attempts": 1}
    assert await owner.fetchval("select count(*) from audit_records") == 1


async def test_an_old_month_of_the_audit_trail_is_detached_as_the_guide_says(
    owner: asyncpg.Connection, services: Services, settings: Settings
) -> None:
    await owner.execute("select create_month_partition('audit_records', $1)", month(-4))
    await insert_record(owner, month(-4))
    await insert_record(owner, month(0))
    await owner.execute(DETACH.replace("202612", f"{month(-4):%Y%m}"))
    assert await owner.fetchval("select to_regclass($1)", name_of("audit_records", month(-4))) is None
    assert await owner.fetchval("select count(*) from audit_records") == 1
    await maintain(services)
    assert [severity for severity, _ in await findings(settings)] == [Severity.ok]


async def test_a_month_is_not_dropped_within_thirty_days_of_its_end(
    owner: asyncpg.Connection, services: Services
) -> None:
    first = (NOW - timedelta(days=30)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    await owner.execute("select create_month_partition('webhook_events', $1)", first)
    await maintain(services)
    assert await owner.fetchval("select to_regclass($1)", name_of("webhook_events", first)) is not None


def uuid7(timestamp: datetime) -> str:
    """The smallest UUIDv7 of a timestamp."""
    digits = f"{int(timestamp.timestamp() * 1000):012x}"
    return f"{digits[:8]}-{digits[8:]}-0000-0000-000000000000"


async def an_endpoint(owner: asyncpg.Connection) -> str:
    endpoint: str = await owner.fetchval(
        """with store as (
               insert into users (id, name, email, created_at, updated_at) values (uuidv7(), 'Ana', 'ana@example.com', now(), now())
               returning id
           )
           insert into webhook_endpoints (id, user_id, environment, name, url, secret, secret_preview, created_at, updated_at)
           select uuidv7(), id, 'test', 'loja', 'http://127.0.0.1:1/', '', '', now(), now() from store returning id"""
    )
    return endpoint


async def deliver(owner: asyncpg.Connection, endpoint: str, created_at: datetime, state: int) -> str:
    """Insert an event of this time with a delivery and an attempt; returns the event's id."""
    event: str = await owner.fetchval(
        """with ids as (select uuidv7($2 - now() + interval '1 hour') as event_id, uuidv7($2 - now() + interval '1 hour') as id),
                event as (
                    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
                    select event_id, user_id, 'test', 'charge.paid', '{}', event_id::text, $2 from ids, webhook_endpoints where webhook_endpoints.id = $1
                ),
                attempt as (
                    insert into webhook_attempts (delivery_id, number, started_at, duration_ms) select id, 1, $2, 1 from ids
                )
           insert into webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at)
           select id, event_id, $1, $3, $2, $2 from ids returning event_id""",
        endpoint,
        created_at,
        state,
    )
    return event


async def insert_record(owner: asyncpg.Connection, created_at: datetime) -> None:
    await owner.execute(
        """insert into audit_records (id, actor_type, action, source, created_at)
           values (uuidv7($1::timestamptz - now() + interval '1 hour'), 'system', 'x.y', 'job', now())""",
        created_at,
    )


async def rows_left(owner: asyncpg.Connection) -> dict[str, int]:
    return {table: await owner.fetchval(f"select count(*) from {table}") for table in TABLES if "webhook" in table}
