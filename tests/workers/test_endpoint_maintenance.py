"""Maintenance of endpoints: replaced secrets, inactive, failing and deleted endpoints."""

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.endpoint_maintenance import maintain_endpoints
from tests import sql
from tests.workers.outbox import Outbox

URL = "http://127.0.0.1:1/hook"
DUE, DELIVERED, EXHAUSTED, CANCELED = range(4)


async def test_an_expired_previous_secret_is_deleted(outbox: Outbox, ctx: Context, database: Database) -> None:
    past, future = await outbox.endpoint(URL), await outbox.endpoint(URL)
    await sql.run(
        database,
        "update webhook_endpoints set previous_secret = 'x', previous_secret_until = now() + case when id = $1 then -1 else 1 end * interval '1 h'",
        past.id,
    )
    await maintain_endpoints(ctx)
    remaining = await sql.rows(database, "select id from webhook_endpoints where previous_secret is not null")
    assert [row["id"] for row in remaining] == [future.id]


async def test_pending_deliveries_of_an_inactive_endpoint_are_canceled(
    outbox: Outbox, ctx: Context, database: Database
) -> None:
    off, on = await outbox.endpoint(URL), await outbox.endpoint(URL)
    await outbox.emit(off, on, count=8)
    await sql.run(database, "update webhook_endpoints set active = false where id = $1", off.id)
    await sql.run(
        database,
        """update webhook_deliveries set lease_token = uuidv7(), lease_until = now() + interval '1 minute'
            where id = (select id from webhook_deliveries where endpoint_id = $1 limit 1)""",
        off.id,
    )
    await maintain_endpoints(ctx, batch=3)
    rows = await sql.rows(
        database, "select endpoint_id, state, canceled_reason, count(*) from webhook_deliveries group by 1, 2, 3"
    )
    assert {tuple(row) for row in rows} == {
        (off.id, DUE, None, 1),
        (off.id, CANCELED, "inactive", 7),
        (on.id, DUE, None, 8),
    }


async def test_a_deleted_endpoint_is_removed_with_its_log(outbox: Outbox, ctx: Context, database: Database) -> None:
    deleted, other = await outbox.endpoint(URL), await outbox.endpoint(URL)
    await outbox.emit(deleted, other, count=5)
    await sql.run(
        database,
        "insert into webhook_attempts (delivery_id, number, started_at, duration_ms) select id, 1, now(), 1 from webhook_deliveries",
    )
    await sql.run(database, "insert into webhook_endpoint_health (endpoint_id) values ($1)", deleted.id)
    delete = "update webhook_endpoints set active = false, deleted_at = now() - $2 * interval '1 s' where id = $1"
    await sql.run(database, delete, deleted.id, 0)
    await maintain_endpoints(ctx)
    assert {d["endpoint_id"] for d in await outbox.deliveries()} == {other.id}
    assert len(await outbox.attempts()) == 5
    assert await sql.value(database, "select count(*) from webhook_endpoints") == 2
    await sql.run(database, delete, deleted.id, 61)
    await maintain_endpoints(ctx)
    assert await sql.value(database, "select id from webhook_endpoints") == other.id
    assert await sql.value(database, "select count(*) from webhook_endpoint_health") == 0


@pytest.mark.parametrize(
    ("failures", "days", "exhausted", "off"),
    [(20, 6, True, True), (19, 6, True, False), (20, 4, True, False), (20, 6, False, False)],
)
async def test_an_endpoint_is_disabled_after_five_days_without_a_success(
    outbox: Outbox, ctx: Context, database: Database, failures: int, days: int, exhausted: bool, off: bool
) -> None:
    endpoint = await outbox.endpoint(URL, "live")
    await outbox.emit(endpoint)
    await sql.run(
        database,
        """insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded, first_failure_at)
           values ($1, $2, true, now() - $3 * interval '1 day')""",
        endpoint.id,
        failures,
        days,
    )
    if exhausted:
        await sql.run(database, "update webhook_deliveries set state = 2, finished_at = now() - interval '1 day'")
    await maintain_endpoints(ctx)
    row = await sql.row(database, "select active, disabled_reason, disabled_at is null from webhook_endpoints")
    assert tuple(row) == ((False, "failing", False) if off else (True, None, True))
    audit = await sql.rows(database, "select environment, changes from audit_trail")
    assert [r["environment"] for r in audit] == (["live"] if off else [])
    mails = await sql.rows(database, "select kind, user_id, environment, template_data from emails")
    assert [(mail["kind"], mail["user_id"]) for mail in mails] == (
        [("webhook_endpoint_disabled", outbox.store_id)] if off else []
    )
    await maintain_endpoints(ctx)
    assert await sql.value(database, "select count(*) from emails") == len(mails)


async def test_autovacuum_starts_early(database: Database) -> None:
    """By default PostgreSQL waits until a fifth of a month's deliveries is dead."""
    rows = await sql.rows(
        database, "select relname, reloptions from pg_class where relname like 'webhook\\_%' and relkind = 'r'"
    )
    tables = {row["relname"]: dict(option.split("=") for option in row["reloptions"] or ()) for row in rows}
    del tables["webhook_endpoints"]
    assert len(tables) > 15
    assert all(float(options["autovacuum_vacuum_scale_factor"]) <= 0.05 for options in tables.values())
