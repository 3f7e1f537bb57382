"""A payment enqueues its enabled emails in its own statement, once."""

import asyncio

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.charges.mark_paid import BY_ID, Payment, mark_paid
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.email.outbox import MAX_TEST_EMAILS
from gateway.resolvers.email.payment_templates import MerchantNotice, PayerReceipt
from gateway.resolvers.email.rendering import parse_template_data
from gateway.values.ids import new_id
from tests import sql
from tests.api.actors import add_live_key, set_status
from tests.api_client import Api, Merchant, charge_order
from tests.resolvers.engine_notifications.test_notifications import (
    END_TO_END,
    LIVE_TOKEN,
    notification,
    post_notification,
)


async def kinds(database: Database) -> list[str]:
    return [row["kind"] for row in await sql.rows(database, "select kind from emails order by kind")]


async def choose(merchant: Merchant, **preferences: bool) -> None:
    response = await merchant.api.put("/auth/profile", preferences, token=merchant.token)
    assert response.status_code == 200, response.text


async def test_a_test_payment_notifies_the_merchant_and_not_the_payer(merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue(external_reference="pedido-1")
    await merchant.pay(charge["id"])
    row = await sql.row(database, "select * from emails")
    assert row is not None
    assert (row["recipient"], row["recipient_name"], row["environment"]) == (merchant.email, "Ana Lojista", "test")
    data = parse_template_data(row["kind"], row["template_data"])
    assert isinstance(data, MerchantNotice)
    assert (data.amount, data.external_reference, data.txid) == (12990, "pedido-1", charge["txid"])
    assert data.customer_document == "***.982.247-**"


async def test_a_store_has_a_daily_limit_of_test_emails(
    merchant: Merchant, api: Api, services: Services, database: Database
) -> None:
    other = await api.register_merchant()
    for _ in range(MAX_TEST_EMAILS + 1):
        await merchant.pay((await merchant.issue())["id"])
    assert len(await kinds(database)) == MAX_TEST_EMAILS
    # Other stores get theirs, and this one those of live.
    await other.pay((await other.issue())["id"])
    assert len(await kinds(database)) == MAX_TEST_EMAILS + 1
    charge = await issue_live(services, merchant)
    assert (
        await post_notification(api, notification(charge, endToEndIdentifier=END_TO_END), LIVE_TOKEN)
    ).status_code == 200
    assert len(await kinds(database)) == MAX_TEST_EMAILS + 3
    # A day later there are emails again.
    await sql.run(database, "update emails set created_at = created_at - interval '25 hours'")
    await merchant.pay((await merchant.issue())["id"])
    assert len(await kinds(database)) == MAX_TEST_EMAILS + 4


async def test_receipts_for_test_charges_are_a_setting(services: Services, database: Database) -> None:
    settings = services.settings.model_copy(update={"receipts_for_test": True})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        merchant = await api.register_merchant()
        await merchant.pay((await merchant.issue())["id"])
    assert await kinds(database) == ["merchant_notice", "payer_receipt"]


async def test_a_live_payment_notifies_both(
    services: Services, api: Api, merchant: Merchant, database: Database
) -> None:
    charge = await issue_live(services, merchant)
    assert (
        await post_notification(api, notification(charge, endToEndIdentifier=END_TO_END), LIVE_TOKEN)
    ).status_code == 200
    assert await kinds(database) == ["merchant_notice", "payer_receipt"]
    row = await sql.row(database, "select * from emails where kind = 'payer_receipt'")
    assert row is not None
    data = parse_template_data(row["kind"], row["template_data"])
    assert isinstance(data, PayerReceipt)
    assert (row["recipient"], row["recipient_name"]) == ("jose@example.com", "José Pagador")
    assert (data.store_name, data.store_document) == ("Loja da Ana", "11.***.***/0001-**")
    assert (data.end_to_end_id, data.reply_to, data.environment) == (END_TO_END, merchant.email, "live")
    assert data.receipt_url == f"http://gateway.test/pay/c/{charge['txid']}"


@pytest.mark.parametrize(
    ("preferences", "queued"),
    [
        ({"receipt_email": False}, ["merchant_notice"]),
        ({"notify_payment_email": False}, ["payer_receipt"]),
        ({"receipt_email": False, "notify_payment_email": False}, []),
    ],
)
async def test_a_merchant_chooses_which_emails_are_sent(
    services: Services,
    api: Api,
    merchant: Merchant,
    database: Database,
    preferences: dict[str, bool],
    queued: list[str],
) -> None:
    await choose(merchant, **preferences)
    charge = await issue_live(services, merchant)
    await post_notification(api, notification(charge), LIVE_TOKEN)
    assert await sql.value(database, "select status from charges") == "paid"
    assert await kinds(database) == queued


async def test_a_hundred_concurrent_notifications_enqueue_one_email_of_each(
    services: Services, api: Api, merchant: Merchant, database: Database
) -> None:
    charge = await issue_live(services, merchant)
    answers = await asyncio.gather(
        *(post_notification(api, notification(charge, f"evt_{n}"), LIVE_TOKEN) for n in range(100))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert await kinds(database) == ["merchant_notice", "payer_receipt"]


@pytest.mark.parametrize(("proof", "seconds"), [(None, 60), (END_TO_END, 0)])
async def test_emails_wait_a_minute_for_a_missing_end_to_end_id(
    services: Services, merchant: Merchant, database: Database, proof: str | None, seconds: int
) -> None:
    charge = await merchant.issue()
    ctx = system_context(services, source="engine", request_id=new_id())
    now = services.clock.now()
    row = await database.one(BY_ID, id=charge["id"], environment="test", now=now)
    assert row is not None
    assert await mark_paid(ctx, row, Payment(now, proof))
    waits = "select extract(epoch from next_attempt_at - created_at)::int from emails"
    assert await sql.value(database, waits) == seconds


async def issue_live(services: Services, merchant: Merchant) -> dict[str, object]:
    await set_status(services.database, merchant, "approved")
    key = await add_live_key(services, merchant)
    response = await merchant.api.post("/pix", charge_order(), token=key)
    assert response.status_code == 201, response.text
    charge: dict[str, object] = response.json()["data"]
    return charge
