"""Withdrawals through Asaas, over HTTP on both sides, with and without failures."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.withdrawals.recover import recover_withdrawals
from gateway.resolvers.withdrawals.staff_actions import NEW_ORDER_AGE
from gateway.resolvers.withdrawals.transitions import FIRST_CHECK_AFTER
from gateway.services import open_services
from gateway.settings import Settings
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.engines.fake_asaas import FakeAsaas, dropped, fault, refusal
from tests.fake_clock import MovedClock
from tests.resolvers.withdrawals.fixtures import COMPANY, create_withdrawal, events, read, request_withdrawal, summary

TOKEN = "asaas-notifications-0a9b8c7d6e5f4a3b2c1d0e"


@pytest.fixture
def configured(settings: Settings, fake: FakeAsaas) -> Settings:
    values = {
        "engine_test": "asaas",
        "asaas_test_api_key": fake.bank.main.key,
        "asaas_test_url": fake.url,
        "engine_test_token": TOKEN,
        "asaas_contact_email": "staff@example.com",
        "base_url": "https://gateway.example.com",
        "receiving_mode": "subconta",
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
    answer = await api.post("/engine/notifications/asaas", notification, asaas_access_token=TOKEN)
    assert answer.status_code == 200, answer.text
    outcome: str = answer.json()["data"]["outcome"]
    return outcome


@pytest.fixture
async def shop(api: Api, fake: FakeAsaas) -> Merchant:
    """Return a merchant with an approved account at Asaas and a payment of 100 reais."""
    merchant = await api.register_merchant()
    opened = await api.post("/receiving-account", COMPANY, token=merchant.token)
    assert opened.status_code == 201, opened.text
    holder = fake.bank.account(opened.json()["data"]["account_id"])
    holder.status = dict.fromkeys(holder.status, "APPROVED")
    checked = await api.post("/receiving-account/check", token=merchant.token)
    assert checked.json()["data"]["aprovacao"]["aprovada"], checked.text
    await merchant.issue(amount=100)
    (payment,) = holder.payments.values()
    assert await deliver(api, fake.bank.pay(payment["id"])) == "applied"
    return merchant


def transfers(fake: FakeAsaas) -> list[dict[str, Any]]:
    return list(fake.bank.all("transfers"))


def finish_transfer(fake: FakeAsaas, **end: Any) -> dict[str, Any]:
    """End the pending transfer at the bank; return its notification."""
    (holder,) = [holder for holder in fake.bank.holders.values() if holder.transfers]
    (transfer,) = [item for item in holder.transfers.values() if item["status"] == "PENDING"]
    transfer |= end
    return fake.bank.notification(f"TRANSFER_{end['status']}", holder, transfer=dict(transfer))


async def test_a_withdrawal_leaves_the_sub_account_and_notifications_finish_it(
    api: Api, shop: Merchant, fake: FakeAsaas, database: Database
) -> None:
    made = await create_withdrawal(shop, 40)
    (transfer,) = transfers(fake)
    assert (transfer["value"], transfer["pixAddressKeyType"], transfer["externalReference"]) == (
        40,
        "EMAIL",
        made["id"],
    )
    end_to_end_id = "E00416968202611211635aaaaaaaaaaa"
    notification = finish_transfer(fake, status="DONE", endToEndIdentifier=end_to_end_id, transferFee=1.5)
    assert [await deliver(api, notification), await deliver(api, notification | {"id": "evt_2"})] == [
        "applied",
        "applied",
    ]
    done = await read(shop, made)
    assert (done["status"], done["end_to_end_id"], done["fee_amount"], done["net_amount"]) == (
        *("completed", end_to_end_id),
        *(1.5, 38.5),
    )
    # The bank deducted its own fee, so the balance at Asaas is lower than ours.
    refused = await request_withdrawal(shop, 60)
    assert (refused.status_code, (await summary(shop))["available_amount"]) == (502, 60.0)
    second = await create_withdrawal(shop, 30)
    assert await deliver(api, finish_transfer(fake, status="FAILED", failReason="Conta encerrada.")) == "applied"
    assert (await read(shop, second))["reject_reason"] == "Conta encerrada."
    assert await events(database) == ["withdrawal.completed", "withdrawal.rejected"]


async def test_a_lost_response_is_looked_up_and_staff_rejects_an_unknown_one(
    api: Api, shop: Merchant, services: Services, fake: FakeAsaas, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="x")
    fake.plan("POST /transfers", dropped(done=True))
    created = await create_withdrawal(shop, 10)
    assert created["status"] == "pending"
    clock.advance(FIRST_CHECK_AFTER)
    assert await recover_withdrawals(job) == 1
    assert (await read(shop, created))["status"] == "processing"

    staff = await staff_member(api, services)
    fake.plan("DELETE /transfers/{id}/cancel", refusal())
    path = f"/admin/withdrawals/{created['id']}/recusar"
    assert (await api.post(path, {"motivo": "x"}, token=staff.token)).status_code == 409
    fake.plan("DELETE /transfers/{id}/cancel", fault(200, json.dumps(transfers(fake)[0]).encode()))
    unconfirmed = await api.post(path, {"motivo": "x"}, token=staff.token)
    assert (unconfirmed.status_code, (await read(shop, created))["status"]) == (409, "processing")
    assert "ainda não confirmou" in unconfirmed.json()["error"]["message"]
    assert (await summary(shop))["available_amount"] == 90.0, "it may still be paid out"
    assert (await api.post(path, {"motivo": "Engano."}, token=staff.token)).status_code == 200
    assert [transfer["status"] for transfer in transfers(fake)] == ["CANCELLED"]

    fake.plan("POST /transfers", dropped(done=False))
    lost = await create_withdrawal(shop, 10)
    clock.advance(NEW_ORDER_AGE)
    assert await recover_withdrawals(job) == 0
    assert (await read(shop, lost))["status"] == "pending"
    path = f"/admin/withdrawals/{lost['id']}/recusar"
    assert (await api.post(path, {"motivo": "Não chegou."}, token=staff.token)).status_code == 200
    assert (await summary(shop))["available_amount"] == 100.0
    assert len(transfers(fake)) == 1
