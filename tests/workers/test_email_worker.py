"""The email worker with a real SMTP server on loopback: each email is sent at most once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from gateway.integrations.smtp.address import relay_address
from gateway.integrations.smtp.client import Relay
from gateway.models.database import Database
from gateway.models.emails import EmailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.claims import (
    RETRY_DELAYS,
    SendResult,
    claim_emails,
    mark_sending,
    record_result,
    retry_later,
)
from gateway.resolvers.email.outbox import EmailMessage, Recipient, enqueue
from gateway.resolvers.email.retention import expire_emails, purge_emails
from gateway.settings import Settings
from gateway.telemetry import MAILS_OLDEST, MAILS_WAITING
from gateway.workers.email_worker import EmailWorker, EmailWorkerConfig
from tests import sql
from tests.api_client import Merchant
from tests.mail_sink import open_sink
from tests.ports import free_port
from tests.resolvers.email.fixtures import gone, receipt
from tests.subprocesses import Forks
from tests.workers.processes import NO_REDIS, working

QUICK: dict[str, Any] = {"poll": 0.02, "backoff": (0.02, 0.05), "scale": 0.0, "drain": 1.0}
SECONDS = 60.0


async def write(ctx: Context, merchant: Merchant, *recipients: str) -> None:
    messages = [
        EmailMessage(gone(endpoint_id=f"{number}"), merchant.id, "test", Recipient(recipient))
        for number, recipient in enumerate(recipients)
    ]
    await enqueue(ctx, ctx.database, *messages)


@asynccontextmanager
async def delivering(ctx: Context, port: int, **config: Any) -> AsyncIterator[EmailWorker]:
    worker = EmailWorker(
        ctx, Relay(relay_address(f"smtp://127.0.0.1:{port}"), helo="x.co"), EmailWorkerConfig(**(QUICK | config))
    )
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await task


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SECONDS):
        while not await condition():  # noqa: ASYNC110  # PostgreSQL sends no notification.
            await asyncio.sleep(0.02)


async def states(database: Database) -> dict[str, str]:
    """Recipient → state."""
    rows = await sql.rows(database, "select recipient, state from emails")
    return {row["recipient"]: EmailState(row["state"]).name for row in rows}


async def none_waits(database: Database) -> bool:
    return await sql.value(database, "select count(*) from emails where state = 0") == 0


async def test_emails_are_sent_once_and_recorded(ctx: Context, database: Database, merchant: Merchant) -> None:
    recipients = [f"pessoa{number}@example.com" for number in range(40)]
    await write(ctx, merchant, *recipients)
    async with open_sink() as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert sorted(sink.recipients()) == sorted(recipients)
    assert set((await states(database)).values()) == {"sent"}
    assert await sql.value(database, "select distinct smtp_response from emails") == "250 2.0.0 queued"
    mail = sink.accepted[0].message
    assert mail["subject"] == "Webhook desativado pelo seu servidor: ERP da loja"


async def test_5xx_is_final_and_4xx_is_retried(ctx: Context, database: Database, merchant: Merchant) -> None:
    await write(ctx, merchant, "reject@example.com", "grey@example.com", "jose@example.com")
    async with open_sink(grey=3) as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert await states(database) == {
        "reject@example.com": "failed",
        "grey@example.com": "sent",
        "jose@example.com": "sent",
    }
    assert sink.offers == {"reject@example.com": 1, "grey@example.com": 4, "jose@example.com": 1}
    assert await sql.value(database, "select smtp_response from emails where state = 2") == "550 5.1.1 no such user"


async def test_an_email_fails_after_six_temporary_refusals(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "grey@example.com")
    async with open_sink(grey=100) as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert sink.offers["grey@example.com"] == 6
    assert await states(database) == {"grey@example.com": "failed"}


def test_the_schedule() -> None:
    minutes = [retry_later(failures, "").delay.total_seconds() / 60 for failures in range(len(RETRY_DELAYS))]
    assert minutes == [1, 5, 30, 120, 360]
    assert retry_later(len(RETRY_DELAYS), "451 no").state is EmailState.failed


async def test_a_relay_that_is_down_counts_as_no_failure(ctx: Context, database: Database, merchant: Merchant) -> None:
    await write(ctx, merchant, "jose@example.com")
    port = free_port()
    async with delivering(ctx, port):
        await until(lambda: _has_reason(database))
        assert await sql.value(database, "select failures from emails") == 0
        async with open_sink(port=port) as sink:
            await until(lambda: none_waits(database))
            assert sink.recipients() == ["jose@example.com"]


async def _has_reason(database: Database) -> bool:
    return await sql.value(database, "select smtp_response from emails where state = 0") is not None


async def test_an_email_that_makes_the_relay_disconnect_does_not_delay_others(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "hangup@example.com", *(f"p{number}@example.com" for number in range(8)))
    async with open_sink() as sink, delivering(ctx, sink.port, conversations=1, scale=1.0):
        await until(lambda: _sent(database, 8))
    assert (await states(database))["hangup@example.com"] == "waiting"
    assert await sql.value(database, "select failures from emails where state = 0") == 0


async def _sent(database: Database, number: int) -> bool:
    return await sql.value(database, "select count(*) from emails where state = 1") == number


async def test_an_email_without_a_response_to_its_data_is_not_sent_again(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "jose@example.com")
    async with open_sink(hang_up=True) as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
        await asyncio.sleep(0.2)
    assert await states(database) == {"jose@example.com": "uncertain"}
    assert sink.recipients() == ["jose@example.com"]


async def test_three_workers_send_no_email_twice(ctx: Context, database: Database, merchant: Merchant) -> None:
    recipients = [f"pessoa{number}@example.com" for number in range(120)]
    await write(ctx, merchant, *recipients)
    async with open_sink() as sink:
        async with delivering(ctx, sink.port), delivering(ctx, sink.port), delivering(ctx, sink.port, batch=1):
            await until(lambda: none_waits(database))
        assert sorted(sink.recipients()) == sorted(recipients)


async def test_an_expired_lease_sends_nothing(ctx: Context, database: Database, merchant: Merchant) -> None:
    await write(ctx, merchant, "jose@example.com")
    (late,) = await claim_emails(ctx, limit=1, lease=timedelta(milliseconds=1))
    await asyncio.sleep(0.01)
    (mine,) = await claim_emails(ctx, limit=1)
    assert await mark_sending(ctx, late) is False
    assert await mark_sending(ctx, mine) is True
    assert await mark_sending(ctx, mine) is False, "a second attempt would be a second email"
    assert await claim_emails(ctx, limit=1) == []


async def test_a_suspended_worker_can_still_record_its_result(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "jose@example.com")
    (claim,) = await claim_emails(ctx, limit=1)
    assert await mark_sending(ctx, claim, timedelta(milliseconds=1))
    await asyncio.sleep(0.01)
    await expire_emails(ctx)
    assert await states(database) == {"jose@example.com": "uncertain"}
    assert await record_result(ctx, claim, SendResult(EmailState.sent, "250 ok"))
    assert await states(database) == {"jose@example.com": "sent"}


async def test_an_email_that_cannot_be_rendered_fails_alone(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "jose@example.com", "ana@example.com")
    await sql.run(database, "update emails set template_data = '{}' where recipient = 'jose@example.com'")
    async with open_sink() as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert await states(database) == {"jose@example.com": "failed", "ana@example.com": "sent"}
    assert (
        await sql.value(database, "select smtp_response from emails where state = 2") == "not rendered: ValidationError"
    )


async def test_an_end_to_end_id_that_arrives_after_the_payment_is_in_the_email(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    await sql.run(database, "delete from emails")
    facts = receipt(charge_id=charge["id"], end_to_end_id=None)
    await enqueue(ctx, database, EmailMessage(facts, merchant.id, "test", Recipient("jose@example.com")))
    end_to_end_id = await sql.value(database, "select end_to_end_id from charges")
    async with open_sink() as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert end_to_end_id in sink.accepted[0].message.get_body(("plain",)).get_content()


async def test_stopping_finishes_the_current_email_and_releases_the_others(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, *(f"p{number}@example.com" for number in range(6)))
    hold = asyncio.Event()
    async with open_sink(hold=hold) as sink, delivering(ctx, sink.port, conversations=1, drain=SECONDS) as worker:
        await sink.holding.wait()
        worker.stop()
        hold.set()
    assert sink.recipients() == ["p0@example.com"]
    assert sorted((await states(database)).values()) == ["sent", *["waiting"] * 5]
    due = "select count(*) from emails where state = 0 and next_attempt_at <= now() and lease_token is null"
    assert await sql.value(database, due) == 5


async def test_stopping_does_not_wait_for_a_hanging_relay(ctx: Context, database: Database, merchant: Merchant) -> None:
    await write(ctx, merchant, "p0@example.com", "p1@example.com")
    async with open_sink(hold=asyncio.Event()) as sink:
        async with delivering(ctx, sink.port, conversations=1, drain=0.1):
            await sink.holding.wait()
        assert sink.recipients() == ["p0@example.com"]
    await sql.run(database, "update emails set lease_until = now() where sent_at is not null")
    await expire_emails(ctx)
    assert await states(database) == {"p0@example.com": "uncertain", "p1@example.com": "waiting"}


async def test_old_emails_expire_and_finished_ones_are_deleted(
    ctx: Context, database: Database, merchant: Merchant
) -> None:
    await write(ctx, merchant, "jose@example.com", "ana@example.com")
    await sql.run(
        database, "update emails set created_at = now() - interval '73 hours' where recipient = 'jose@example.com'"
    )
    await expire_emails(ctx)
    assert await states(database) == {"jose@example.com": "failed", "ana@example.com": "waiting"}
    assert await sql.value(database, "select smtp_response from emails where state = 2") == "no relay: GATEWAY_SMTP_URL"
    assert MAILS_WAITING._value.get() == 1
    assert MAILS_OLDEST._value.get() < 3600
    await purge_emails(ctx)
    assert len(await states(database)) == 2
    await sql.run(database, "update emails set id = uuidv7(interval '-31 days')")
    await purge_emails(ctx)
    assert await states(database) == {"ana@example.com": "waiting"}, "a waiting email is never deleted"


@pytest.mark.parametrize("handed", [False, True], ids=["before the message", "after it was accepted"])
async def test_a_killed_worker_repeats_only_emails_without_data_sent(
    ctx: Context, database: Database, merchant: Merchant, settings: Settings, forks: Forks, handed: bool
) -> None:
    """A real process is killed during its SMTP session."""
    await write(ctx, merchant, "jose@example.com")
    async with open_sink(hold=asyncio.Event(), silent=not handed) as sink:
        changes = {"REDIS_URL": NO_REDIS, "SMTP_URL": f"smtp://127.0.0.1:{sink.port}"}
        async with working(forks, settings, **changes) as worker:
            await asyncio.wait_for(sink.holding.wait(), SECONDS)
            await worker.kill()
    await sql.run(database, "update emails set lease_until = now() - interval '1 second', next_attempt_at = now()")
    await expire_emails(ctx)
    async with open_sink() as sink, delivering(ctx, sink.port):
        await until(lambda: none_waits(database))
    assert sink.recipients() == ([] if handed else ["jose@example.com"])
    assert await states(database) == {"jose@example.com": "uncertain" if handed else "sent"}
