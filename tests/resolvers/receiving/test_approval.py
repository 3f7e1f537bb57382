"""Notifications only trigger a read of the approval: late, repeated and concurrent ones are harmless."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from gateway.app import Gateway
from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.interface import (
    Account,
    AccountStatus,
    Engines,
)
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.models.engines import NotificationOutcome, Track
from gateway.resolvers.core.context import Services
from gateway.resolvers.engine_notifications.process import FIRST_WAIT, retry_notifications
from gateway.resolvers.engine_notifications.simulate import simulate_account_approval
from gateway.resolvers.receiving.approval import APPROVED_INTERVAL, PENDING_INTERVAL, ApprovalReading, save_approval
from gateway.resolvers.receiving.maintenance import maintain_accounts
from gateway.resolvers.receiving.operations import CHECKS_PER_STORE
from tests import sql
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import (
    LIVE_TOKEN,
    account,
    approved,
    create_unapproved_account,
    job,
    send_notification,
    status_notice,
)
from tests.simulators import Bank, with_engine

REFUSED = "ACCOUNT_STATUS_DOCUMENT_REJECTED"


async def test_each_review_status_follows_the_bank(merchant: Merchant, database: Database) -> None:
    account_id = await create_unapproved_account(merchant)
    reason = {"rejectReasons": "Documento ilegível."}
    assert await send_notification(merchant.api, status_notice(account_id, REFUSED, **reason)) == "applied"
    block = (await account(merchant))["aprovacao"]
    assert (block["documentos"], block["geral"]) == ("REJECTED", "PENDING")
    assert block["motivos_recusa"] == "Documento ilegível."
    assert block["link_documentos"] == "https://gateway.test/documents"
    events = ("COMMERCIAL_INFO_APPROVED", "BANK_ACCOUNT_INFO_AWAITING_APPROVAL", "GENERAL_APPROVAL_APPROVED")
    for event in events:
        assert await send_notification(merchant.api, status_notice(account_id, f"ACCOUNT_STATUS_{event}")) == "applied"
    data = await account(merchant)
    assert data["status"] == "approved"
    assert data["aprovacao"]["motivos_recusa"] is None
    await merchant.issue()
    assert (
        await send_notification(merchant.api, status_notice(account_id, "ACCOUNT_STATUS_GENERAL_APPROVAL_REJECTED"))
        == "applied"
    )
    refused = await merchant.api.post("/pix", charge_order(), token=merchant.key)
    assert refused.json()["error"]["aprovacao"]["geral"] == "REJECTED"
    changes = await sql.rows(
        database,
        "select changes, actor_type from audit_trail where action = 'receiving_account.approval_changed' "
        "and changes ? 'general' order by created_at, id",
    )
    assert [row["changes"]["general"]["to"] for row in changes] == ["PENDING", "APPROVED", "REJECTED"]
    assert [row["actor_type"] for row in changes] == ["user", "engine", "engine"]


async def test_a_hundred_concurrent_notifications_change_it_once(merchant: Merchant, database: Database) -> None:
    account_id = await create_unapproved_account(merchant)
    same = status_notice(account_id, event_id="evt_1")
    others = [status_notice(account_id) for _ in range(50)]
    outcomes = await asyncio.gather(
        *(send_notification(merchant.api, notification) for notification in [*[same] * 50, *others])
    )
    assert set(outcomes) <= {"applied", "ignored"}
    query = (
        "select count(*) from audit_trail where action = 'receiving_account.approval_changed' and actor_type = 'engine'"
    )
    assert await sql.value(database, query) == 1
    assert (await account(merchant))["status"] == "approved"


async def test_unknown_accounts_and_other_environments_approve_nothing(merchant: Merchant) -> None:
    account_id = await create_unapproved_account(merchant)
    body, path = orjson.dumps(status_notice(account_id)), "/engine/notifications/simulator"
    for headers in ({}, {"asaas-access-token": "wrong"}):
        assert (await merchant.api.client.post(path, content=body, headers=headers)).status_code == 401
    assert await send_notification(merchant.api, status_notice(account_id), LIVE_TOKEN) == "ignored"
    assert await send_notification(merchant.api, status_notice("unknown")) == "ignored"
    assert await send_notification(merchant.api, {"id": "evt_9", "event": "ACCOUNT_STATUS_X"}) == "ignored"
    assert (await account(merchant))["status"] == "pending"


async def test_a_notification_of_a_real_bank_only_triggers_a_read(merchant: Merchant, services: Services) -> None:
    account_id = await create_unapproved_account(merchant)
    real = with_engine(services, Bank)
    async with Api.of(Gateway(real.settings, real)) as api:
        assert await send_notification(api, status_notice(account_id)) == "applied"
    assert (await account(merchant))["status"] == "pending", "the status at the bank is unchanged"
    assert await send_notification(merchant.api, status_notice(account_id)) == "applied"
    async with Api.of(Gateway(real.settings, real)) as api:
        assert await send_notification(api, status_notice(account_id, REFUSED)) == "applied"
    assert (await account(merchant))["status"] == "approved"


async def test_a_notification_waits_for_a_bank_that_does_not_answer(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock
) -> None:
    account_id = await create_unapproved_account(merchant)
    engines.test.scenario.plan("account_status", Behaviour.unavailable)  # type: ignore[attr-defined]  # a simulator.
    assert await send_notification(merchant.api, status_notice(account_id)) == "received"
    assert (await account(merchant))["status"] == "pending"
    clock.advance(FIRST_WAIT)
    assert await retry_notifications(job(services)) == 1
    assert (await account(merchant))["status"] == "approved"


async def test_an_older_reading_is_discarded(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    await approved(merchant)
    [row] = await sql.rows(database, "select id, checked_at from receiving_accounts")
    stale = AccountStatus(Track.missing, Track.missing, Track.missing, Track.missing)
    async with services.database.transaction() as transaction:
        reading = ApprovalReading(stale, row["checked_at"] - timedelta(microseconds=1))
        await save_approval(job(services), transaction, row["id"], reading)
    assert (await account(merchant))["status"] == "approved"
    async with services.database.transaction() as transaction:
        await save_approval(job(services), transaction, row["id"], ApprovalReading(stale, clock.now()))
    assert (await account(merchant))["status"] == "pending"


async def test_a_lost_notification_is_replaced_by_a_check(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    account_id = await create_unapproved_account(merchant)
    await sql.run(database, "update simulator_accounts set general = 'APPROVED' where id = $1", account_id)
    assert await maintain_accounts(job(services)) == 0
    clock.advance(PENDING_INTERVAL)
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant, merchant.key))["status"] == "approved"
    await sql.run(database, "update simulator_accounts set general = 'REJECTED' where id = $1", account_id)
    clock.advance(PENDING_INTERVAL)
    assert await maintain_accounts(job(services)) == 0, "an approved one isn't looked at so often"
    clock.advance(APPROVED_INTERVAL)
    assert await maintain_accounts(job(services)) == 1
    assert (await account(merchant, merchant.key))["status"] == "rejected"


async def test_check_reads_the_approval_at_the_bank(merchant: Merchant, database: Database) -> None:
    account_id = await create_unapproved_account(merchant)
    await sql.run(database, "update simulator_accounts set general = 'APPROVED' where id = $1", account_id)
    assert (await account(merchant))["status"] == "pending"
    checked = (await merchant.api.post("/receiving-account/check", token=merchant.key)).json()["data"]
    assert checked["aprovacao"]["geral"] == "APPROVED"
    assert checked == await account(merchant)


async def test_a_store_s_checks_are_bounded(merchant: Merchant) -> None:
    await create_unapproved_account(merchant)
    most = CHECKS_PER_STORE[0]
    answers = [
        (await merchant.api.post("/receiving-account/check", token=merchant.key)).status_code for _ in range(most + 1)
    ]
    assert answers == [200] * most + [429]
    await account(merchant)


async def test_the_cli_runs_it(merchant: Merchant, services: Services) -> None:
    account_id = await create_unapproved_account(merchant)
    assert await simulate_account_approval(job(services), account_id) is NotificationOutcome.applied
    assert await simulate_account_approval(job(services), account_id) is NotificationOutcome.applied
    assert (await account(merchant))["status"] == "approved"
    with pytest.raises(NotFound):
        await simulate_account_approval(job(services), "unknown")
    with pytest.raises(Conflict):
        await simulate_account_approval(job(with_engine(services, Bank)), account_id)


async def test_the_command_prints_the_outcome(merchant: Merchant, services: Services, tmp_path: Path) -> None:
    account_id = await create_unapproved_account(merchant)
    settings = services.settings
    variables = {
        "GATEWAY_DATABASE_URL": settings.database_url,
        "GATEWAY_REDIS_URL": settings.redis_url,
        "GATEWAY_SECRET_KEY": settings.secret_key.get_secret_value(),
        "PYTHONPATH": str(Path(__file__).resolve().parents[3]),
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    completed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "gateway", "simulate", "approve-account", account_id],
        capture_output=True,
        text=True,
        env=clean | variables,
        cwd=tmp_path,
        timeout=90,
        check=False,
    )
    assert (completed.returncode, completed.stdout) == (0, f"{account_id}: applied\n"), completed.stderr
    assert (await account(merchant))["status"] == "approved"


async def test_every_call_uses_the_key_of_its_account(merchant: Merchant, engines: Engines) -> None:
    """Every call on an account sends its own key to the bank."""
    account_id = await create_unapproved_account(merchant)
    with pytest.raises(Exception, match="no account with this id and secret"):
        await engines.test.account_status(Account(account_id, "sim_wrong"))
