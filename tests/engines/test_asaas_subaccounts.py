"""The receiving mode `subconta` with Asaas as engine, over HTTP on both sides."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest
import structlog
from msgspec.structs import replace
from pydantic import SecretStr

from gateway.app import Gateway
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.registration import RETRY_REGISTRATION_AFTER, Registered, register_webhooks
from gateway.resolvers.receiving.approval import NEW_INTERVAL
from gateway.resolvers.receiving.maintenance import maintain_accounts
from gateway.services import open_services
from gateway.settings import Settings
from tests.api.rows import everything
from tests.api_client import Api, Merchant, charge_order
from tests.engines.fake_asaas import FakeAsaas, Fault, dropped, fault, refusal
from tests.engines.fake_asaas.bank import Holder
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import COMPANY, FEES, account, open_account
from tests.spy_engine import overheard
from tests.sql import rows, value
from tests.subscriptions.fixtures import wait_until_blocked

TOKEN = "asaas-notifications-0a9b8c7d6e5f4a3b2c1d0e"


@pytest.fixture
def configured(settings: Settings, fake: FakeAsaas) -> Settings:
    values = {
        "receiving_mode": "subconta",
        "engine_test": "asaas",
        "asaas_test_api_key": fake.bank.main.key,
        "asaas_test_url": fake.url,
        "engine_test_token": TOKEN,
        "asaas_contact_email": "staff@example.com",
        "base_url": "https://gateway.example.com",
        **FEES,
    }
    return Settings.model_validate(settings.model_dump() | values)


@pytest.fixture
async def services(
    configured: Settings, database: Database, clock: MovedClock, fresh_redis: None
) -> AsyncIterator[Services]:
    async with open_services(configured, clock=clock) as opened:
        yield opened


@pytest.fixture
async def api(configured: Settings, services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(configured, services)) as opened:
        yield opened


async def deliver(api: Api, notification: dict[str, Any]) -> str:
    headers = {"asaas-access-token": TOKEN}
    answer = await api.client.post("/engine/notifications/asaas", content=orjson.dumps(notification), headers=headers)
    assert answer.status_code == 200, answer.text
    outcome: str = answer.json()["data"]["outcome"]
    return outcome


async def test_the_lifecycle_of_a_subaccount(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    made = (await open_account(merchant)).json()["data"]
    holder = fake.bank.account(made["account_id"])
    assert (made["criada"], made["wallet_id"], made["webhook_registered"]) == (True, holder.wallet, True)
    assert made["aprovacao"]["conferida"] is True
    assert (await open_account(merchant)).status_code == 200

    approval = "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED"
    early = fake.bank.notification(approval, holder, accountStatus={"id": holder.id, "general": "APPROVED"})
    assert await deliver(merchant.api, early) == "applied"
    assert (await account(merchant))["status"] == "pending", "Asaas has not approved it yet"
    holder.status = dict.fromkeys(holder.status, "APPROVED")
    notification = fake.bank.notification(approval, holder, accountStatus={"id": holder.id, **holder.status})
    assert await deliver(merchant.api, notification) == "applied"
    assert (await account(merchant))["status"] == "approved"

    first, second = await merchant.issue(amount=100), await merchant.issue(amount=100)
    assert (first["fee_amount"], first["net_amount"]) == (1.81, 98.19)
    payments = {payment["externalReference"]: payment for payment in holder.payments.values()}
    (share,) = payments[first["id"]]["split"]
    assert (share["walletId"], share["fixedValue"]) == (fake.bank.main.wallet, 1.81)
    assert not fake.bank.main.payments
    paid = fake.bank.pay(payments[first["id"]]["id"])
    assert await deliver(merchant.api, paid) == "applied"
    assert (round(holder.balance, 2), round(fake.bank.main.balance, 2)) == (96.2, 1.81)
    clock.advance(timedelta(hours=25))
    assert await expire_charges(system_context(services, source="job", request_id="expiry")) == 1
    assert payments[second["id"]]["deleted"] is True
    assert holder.key not in str(await everything(database))


async def holder_of_unknown_payment(merchant: Merchant, fake: FakeAsaas) -> Holder:
    """The merchant's account, where `pay_own` is a payment of no charge."""
    made = (await open_account(merchant)).json()["data"]
    holder = fake.bank.account(made["account_id"])
    holder.status = dict.fromkeys(holder.status, "APPROVED")
    await deliver(
        merchant.api,
        fake.bank.notification("ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", holder, accountStatus={"id": holder.id}),
    )
    await merchant.issue(amount=100)
    (ours,) = holder.payments.values()
    holder.payments["pay_own"] = ours | {"id": "pay_own", "externalReference": None, "split": []}
    return holder


async def test_an_unknown_payment_of_a_subaccount_names_its_store(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    await holder_of_unknown_payment(merchant, fake)
    assert await deliver(merchant.api, fake.bank.pay("pay_own")) == "applied"
    (found,) = await rows(database, "select kind, user_id, charge_id from reconciliation_discrepancies")
    assert (found["kind"], found["user_id"], found["charge_id"]) == ("unknown_payment", merchant.id, None)


async def test_an_unknown_payment_that_two_notifications_report_at_once_is_listed_once(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    """The first one comes before Asaas knows the EndToEndId."""
    holder = await holder_of_unknown_payment(merchant, fake)
    second_notice = fake.bank.pay("pay_own")
    payment = holder.payments["pay_own"]
    transaction_id, payment["pixTransaction"] = payment["pixTransaction"], None
    first_notice = fake.bank.notification("PAYMENT_RECEIVED", holder, payment=dict(payment))
    async with database.transaction() as transaction:
        # Their inserts wait for the store's row.
        await transaction.connection.execute("select from users where id = $1 for update", merchant.id)
        first = asyncio.create_task(deliver(merchant.api, first_notice))
        await wait_until_blocked(database, first)
        payment["pixTransaction"] = transaction_id
        second = asyncio.create_task(deliver(merchant.api, second_notice))
        await wait_until_blocked(database, second, 2)
    assert await asyncio.gather(first, second) == ["applied", "applied"]
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 1


async def test_a_lost_response_creates_no_second_account(
    merchant: Merchant, fake: FakeAsaas, database: Database, services: Services, clock: MovedClock
) -> None:
    fake.plan("POST /accounts", dropped(done=True))
    refused = await open_account(merchant)
    assert (refused.status_code, set(refused.json()["error"])) == (409, {"message"})
    assert (await account(merchant))["status"] == "lost"
    assert (await open_account(merchant)).status_code == 409
    assert fake.call_count("POST /accounts") == 1
    clock.advance(timedelta(days=2))
    assert await maintain_accounts(system_context(services, source="job", request_id="upkeep")) == 0
    issued = await merchant.api.post("/pix", charge_order(), token=merchant.key)
    assert issued.json()["error"]["codigo"] == "SUBCONTA_INEXISTENTE"


async def test_a_refusal_by_asaas_is_a_502_without_its_text(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    fake.plan("POST /accounts", refusal())
    refused = await open_account(merchant)
    assert (refused.status_code, set(refused.json()["error"])) == (502, {"message"})
    assert await value(database, "select count(*) from receiving_accounts") == 0
    assert (await open_account(merchant, **COMPANY)).status_code == 201


async def test_a_new_token_is_registered_for_existing_accounts(
    merchant: Merchant, fake: FakeAsaas, configured: Settings, services: Services, database: Database, clock: MovedClock
) -> None:
    """After a rotation, interrupted webhooks of sub-accounts are enabled again."""
    holder = fake.bank.account((await open_account(merchant)).json()["data"]["account_id"])
    (webhook,) = holder.webhooks.values()
    webhook["interrupted"] = True
    rotated = configured.model_copy(update={"engine_test_token": SecretStr("another-0a9b8c7d6e5f4a3b2c1d0e-asaas")})
    async with open_services(rotated, clock=clock) as opened:
        ctx = system_context(opened, source="job", request_id="a command")
        assert await register_webhooks(ctx, Environment.test) == Registered("asaas", 1)
        assert await register_webhooks(ctx, Environment.live) == Registered("simulator", 0)
        assert (await account(merchant))["webhook_registered"] is False
        fake.plan("PUT /webhooks/{id}", refusal("invalid_x", "Com a palavra do Asaas."))
        with structlog.testing.capture_logs() as logged:
            assert await maintain_accounts(ctx) == 1
        details = [line["detail"] for line in logged if line["event"] == "account_webhook_not_registered"]
        assert details == ["400 invalid_x Com a palavra do Asaas."]
        clock.advance(RETRY_REGISTRATION_AFTER)
        assert await maintain_accounts(ctx) == 1
    assert [*holder.webhooks.values()] == [webhook]
    assert (webhook["authToken"], webhook["interrupted"]) == ("another-0a9b8c7d6e5f4a3b2c1d0e-asaas", False)
    assert (await account(merchant))["webhook_registered"] is True
    query = (
        "select action from audit_trail where action like 'receiving_account.notifications%' order by created_at, id"
    )
    assert [row["action"].rpartition("_")[2] for row in await rows(database, query)] == ["outdated", "registered"]


@pytest.mark.parametrize("bad", [None, dropped(done=True)], ids=["at once", "the response lost"])
async def test_a_fee_above_the_net_amount_creates_no_charge(
    merchant: Merchant, fake: FakeAsaas, services: Services, database: Database, bad: Fault | None
) -> None:
    """Of 5.00 the net amount is 3.01; Asaas blocks a larger split for days."""
    holder = fake.bank.account((await open_account(merchant)).json()["data"]["account_id"])
    holder.status = dict.fromkeys(holder.status, "APPROVED")
    await merchant.api.post("/receiving-account/check", token=merchant.token)
    for fee, status in ((Decimal("3.02"), 502), (Decimal("3.01"), 201)):
        fees = {"service_fee_percent": Decimal(0), "service_fee_fixed": fee}
        with_fees = replace(services, settings=services.settings.model_copy(update=fees))
        fake.plan("POST /payments", bad)
        async with Api.of(Gateway(with_fees.settings, with_fees)) as api:
            issued = await api.post("/pix", charge_order(amount=5), token=merchant.key)
        assert issued.status_code == status, issued.text
    assert [payment["deleted"] for payment in holder.payments.values()] == [True, False]
    assert await value(database, "select count(*) from issuances") == 0
    assert fake.call_count("POST /payments") == 2


async def test_documents_are_not_requested_in_an_accounts_first_seconds(
    merchant: Merchant, fake: FakeAsaas, database: Database, services: Services, clock: MovedClock
) -> None:
    """The time starts when Asaas has created the account."""
    job = system_context(services, source="job", request_id="upkeep")

    async def slow(call: str, *_: object) -> None:
        if call == "open_account":
            clock.advance(timedelta(seconds=30))

    async with overheard(merchant, slow) as slowed:
        made = (await open_account(slowed)).json()["data"]
    block = made["aprovacao"]
    assert (block["conferida"], block["documentos"], block["link_documentos"]) == (True, "PENDING", None)
    holder = fake.bank.account(made["account_id"])
    clock.advance(timedelta(seconds=14))
    notification = fake.bank.notification(
        "ACCOUNT_STATUS_DOCUMENT_PENDING", holder, accountStatus={"id": holder.id, **holder.status}
    )
    assert await deliver(merchant.api, notification) == "applied"
    assert (await merchant.api.post("/receiving-account/check", token=merchant.key)).status_code == 200
    assert fake.call_count("GET /myAccount/documents") == 0
    assert await maintain_accounts(job) == 0
    clock.advance(NEW_INTERVAL)
    assert await maintain_accounts(job) == 1
    assert (await account(merchant))["aprovacao"]["link_documentos"] == "https://cadastro.example.com/onboarding/1"


async def test_the_documents_link_is_checked_often_in_the_first_minutes(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="upkeep")
    nothing_yet = fault(200, b'{"rejectReasons": null, "data": []}')
    fake.plan("GET /myAccount/documents", nothing_yet, nothing_yet)
    holder = fake.bank.account((await open_account(merchant)).json()["data"]["account_id"])
    for _ in range(2):
        clock.advance(timedelta(minutes=1))
        assert await maintain_accounts(job) == 1
        assert (await account(merchant))["aprovacao"]["link_documentos"] is None
    clock.advance(timedelta(minutes=1))
    assert await maintain_accounts(job) == 1
    assert (await account(merchant))["aprovacao"]["link_documentos"] == "https://cadastro.example.com/onboarding/1"
    holder.documents["data"].clear()
    clock.advance(timedelta(minutes=1))
    assert await maintain_accounts(job) == 0, "a link was present before"

    other = await merchant.api.register_merchant()
    fake.plan("GET /myAccount/documents", *[nothing_yet] * 20)
    assert (await open_account(other, cnpj="33.000.167/0001-01")).status_code == 201
    before = fake.call_count("GET /myAccount/documents")
    for _ in range(10):
        clock.advance(timedelta(minutes=1))
        await maintain_accounts(job)
    assert fake.call_count("GET /myAccount/documents") - before == 5, "hourly after the first minutes"
