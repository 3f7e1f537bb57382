"""The emails to merchants about failing endpoints, each sent once."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.claims import claim_emails
from gateway.resolvers.email.rendering import render
from gateway.resolvers.webhooks.failure_alerts import send_failure_alerts
from tests import sql
from tests.workers.conftest import Dispatching
from tests.workers.outbox import Endpoint, Outbox
from tests.workers.receivers import OK, answer, receiving

URL = "http://127.0.0.1:1/hook"
DELIVERED, EXHAUSTED = 1, 2


async def mails(database: Database, kind: str) -> list[dict[str, Any]]:
    rows = await sql.rows(database, "select template_data from emails where kind = $1 order by created_at, id", kind)
    return [row["template_data"] for row in rows]


async def text_of_the_email(ctx: Context) -> str:
    """The text of the only email in the queue."""
    (claim,) = await claim_emails(ctx, limit=5)
    return " ".join(render(ctx.settings, ctx.services.vault, claim.email).text.split())


async def failing(outbox: Outbox, endpoint: Endpoint, hours: int, *, degraded: bool = True) -> None:
    await sql.run(
        outbox.database,
        """insert into webhook_endpoint_health (endpoint_id, consecutive_failures, degraded, first_failure_at)
           values ($1, 5, $3, now() - $2 * interval '1 hour')
           on conflict (endpoint_id) do update set first_failure_at = excluded.first_failure_at""",
        endpoint.id,
        hours,
        degraded,
    )


async def test_one_and_three_days_without_a_success_are_reported_once_each(
    outbox: Outbox, ctx: Context, database: Database
) -> None:
    endpoint = await outbox.endpoint(URL, "live")
    await outbox.emit(endpoint)
    await sql.run(database, "update webhook_deliveries set last_status = 503, last_error = 'http_status'")
    hours = []
    for failing_for in (23, 25, 71, 73, 100):
        await failing(outbox, endpoint, failing_for)
        await asyncio.gather(*(send_failure_alerts(ctx) for _ in range(3)))
        hours.append([mail["hours"] for mail in await mails(database, "webhook_endpoint_failing")])
    assert hours == [[], [24], [24], [24, 72], [24, 72]]
    data = (await mails(database, "webhook_endpoint_failing"))[0]
    assert (data["endpoint_id"], data["url"], data["last_problem"]) == (endpoint.id, URL, "resposta 503")
    recipient = await sql.value(database, "select distinct recipient from emails")
    assert recipient == f"{outbox.store_id}@example.com"


@pytest.mark.parametrize("change", ["update webhook_endpoints set active = false", None], ids=["off", "two failures"])
async def test_inactive_endpoints_and_two_failures_cause_no_warning(
    outbox: Outbox, ctx: Context, database: Database, change: str | None
) -> None:
    endpoint = await outbox.endpoint(URL)
    await failing(outbox, endpoint, 30, degraded=change is not None)
    if change:
        await sql.run(database, change)
    await send_failure_alerts(ctx)
    assert await sql.value(database, "select count(*) from emails") == 0


async def test_after_a_success_the_next_outage_is_reported_again(
    outbox: Outbox, ctx: Context, database: Database, dispatching: Dispatching
) -> None:
    async with receiving(lambda _p, n: answer(500) if n < 4 else OK) as receiver, dispatching():
        endpoint = await outbox.endpoint(receiver.url())
        await failing(outbox, endpoint, 30)
        await send_failure_alerts(ctx)
        await outbox.emit(endpoint)
        assert await outbox.settled() == {DELIVERED: 1}
    assert (await outbox.health(endpoint))["last_alert_hours"] == 0
    await sql.run(database, "update webhook_endpoint_health set degraded = true")
    await failing(outbox, endpoint, 26)
    await send_failure_alerts(ctx)
    assert len(await mails(database, "webhook_endpoint_failing")) == 2


async def away_from_midnight() -> datetime:
    """The start of the day in São Paulo. Waits if the day is about to end, because the database's clock goes on."""
    now = datetime.now(ZoneInfo("America/Sao_Paulo"))
    left = (now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now).total_seconds()
    if left < 30:
        await asyncio.sleep(left)
        return await away_from_midnight()
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


async def test_exhausted_deliveries_are_counted_in_one_email_a_day(
    outbox: Outbox, ctx: Context, database: Database
) -> None:
    midnight = await away_from_midnight()
    endpoint, healthy = await outbox.endpoint(URL, "live"), await outbox.endpoint(URL, "live")
    await outbox.emit(endpoint, healthy, count=6)
    for each in (endpoint, healthy):
        await sql.run(database, "insert into webhook_endpoint_health (endpoint_id) values ($1)", each.id)
    ended = [midnight - timedelta(days=2), midnight - timedelta(seconds=1), midnight, midnight]
    ids = [d["id"] for d in await outbox.deliveries() if d["endpoint_id"] == endpoint.id]
    give_up = "update webhook_deliveries set state = 2, finished_at = $2 where id = $1"
    await sql.run_many(database, give_up, list(zip(ids, ended, strict=False)))
    for _ in range(2):
        await asyncio.gather(*(send_failure_alerts(ctx) for _ in range(3)))
    (data,) = await mails(database, "webhook_deliveries_exhausted")
    yesterday = (midnight - timedelta(days=1)).date().isoformat()
    assert (data["endpoint_id"], data["deliveries"], data["day"]) == (endpoint.id, 2, yesterday)
    assert "O endereço continua ativo." in await text_of_the_email(ctx)

    # On the next day, only deliveries that ended since count, and none that was sent again.
    earlier = midnight - timedelta(days=1)
    await sql.run(database, "update webhook_endpoint_health set exhausted_notified_until = $1", earlier)
    await sql.run(database, "delete from emails")
    await sql.run(database, "update webhook_deliveries set state = 0 where id = $1", ids[1])
    await send_failure_alerts(ctx)
    assert await mails(database, "webhook_deliveries_exhausted") == []
    await sql.run(database, give_up, ids[1], midnight - timedelta(hours=1))
    # Its merchant has deactivated it in the meantime.
    await sql.run(database, "update webhook_endpoints set active = false where id = $1", endpoint.id)
    await send_failure_alerts(ctx)
    (data,) = await mails(database, "webhook_deliveries_exhausted")
    assert data["deliveries"] == 1
    text = await text_of_the_email(ctx)
    assert "continua ativo" not in text
    assert "reative o endereço e reenvie o aviso" in text
