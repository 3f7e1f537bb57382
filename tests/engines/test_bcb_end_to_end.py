"""The application with a bank of the Central Bank's Pix API as its engine, over HTTP on both sides."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from gateway.doctor.payments import check_engines
from gateway.errors import EngineFailed
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import LEASE, retry_notifications
from gateway.resolvers.engine_notifications.registration import register_webhooks
from gateway.resolvers.reconciliation.queue import FIRST_CHECK_AGE
from gateway.resolvers.reconciliation.runner import reconcile
from gateway.resolvers.refunds.recover import MAX_ATTEMPTS_UNSEEN, recover_refunds
from gateway.settings import Settings
from tests.api_client import Api, Merchant, charge_order
from tests.engines.bcb_fixtures import TOKEN, api, configured, deliver, differences, merchant, read, services
from tests.engines.fake_bcb import FakeBcb, dropped, html
from tests.engines.fake_http import Json
from tests.fake_clock import MovedClock
from tests.sql import value

__all__ = ["api", "configured", "merchant", "services"]
PUT, GET, PATCH = "PUT /cob/{id}", "GET /cob/{id}", "PATCH /cob/{id}"


async def test_a_charge_is_issued_under_its_txid_and_paid_once(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    charge = await merchant.issue()
    assert list(fake_bank.bank.cobs) == [charge["txid"]], "the bank's statement has the API's txid"
    assert fake_bank.bank.cobs[charge["txid"]].location in charge["pix_code"]
    body = fake_bank.callback(fake_bank.bank.pay(charge["txid"]))
    assert await deliver(merchant.api, body, token="x" * 32) == "401"
    assert (await read(merchant, charge))["status"] == "pending"
    assert await deliver(merchant.api, body) == "applied"
    for suffix in ("/pix", "", "/"):
        assert await deliver(merchant.api, body, suffix=suffix) == "ignored"
    paid = await read(merchant, charge)
    assert (paid["status"], paid["end_to_end_id"]) == ("paid", body["pix"][0]["endToEndId"])
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1


async def test_callbacks_are_grouped_repeated_and_foreign(merchant: Merchant, fake_bank: FakeBcb) -> None:
    charges = [await merchant.issue() for _ in range(3)]
    pix = [fake_bank.bank.pay(charge["txid"]) for charge in charges]
    foreign = {**pix[2], "chave": "outra@example.com"}
    unknown = {**pix[2], "endToEndId": "E" * 32, "txid": "desconhecido"}
    static = {name: text for name, text in pix[2].items() if name != "txid"}
    assert (
        await deliver(merchant.api, fake_bank.callback(pix[0], pix[1], pix[0], foreign, unknown, static)) == "applied"
    )
    assert [(await read(merchant, charge))["status"] for charge in charges] == ["paid", "paid", "pending"]
    assert await deliver(merchant.api, fake_bank.callback(pix[1], pix[2])) == "applied"
    assert (await read(merchant, charges[2]))["status"] == "paid"


@pytest.mark.parametrize("suffix", ["", "/", "/pix", "/rec", "/cobr"])
@pytest.mark.parametrize("body", [{}, {"evento": "teste_webhook"}, {"pix": []}, {"pix": "?"}, {"recs": []}])
async def test_a_call_without_payments_is_answered_with_200(api: Api, suffix: str, body: Json) -> None:
    assert await deliver(api, body, suffix=suffix) == "ignored"


async def test_the_header_of_other_engines_is_no_token_here(api: Api) -> None:
    assert (await api.post("/engine/notifications/bcb", {}, asaas_access_token=TOKEN)).status_code == 404
    assert (await api.post(f"/engine/notifications/asaas/{TOKEN}", {})).status_code == 404


async def test_an_invented_payment_pays_nothing(merchant: Merchant, fake_bank: FakeBcb) -> None:
    charge = await merchant.issue()
    invented = {
        "endToEndId": "E" * 32,
        "txid": charge["txid"],
        "valor": "129.90",
        "chave": fake_bank.bank.key,
        "horario": fake_bank.bank.now(),
    }
    assert await deliver(merchant.api, {"pix": [invented]}) == "mismatch"
    assert (await read(merchant, charge))["status"] == "pending"


async def test_a_wrong_amount_stays_pending_and_is_reported(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    charge = await merchant.issue()
    body = fake_bank.callback(fake_bank.bank.pay(charge["txid"], amount=100))
    assert await deliver(merchant.api, body) == "mismatch"
    assert (await read(merchant, charge))["status"] == "pending"


@pytest.mark.parametrize("manners", [{"stays_active": True}, {"local_time": True}, {"created_status": 200}], ids=str)
async def test_a_payment_counts_despite_a_banks_manners(
    merchant: Merchant, fake_bank: FakeBcb, manners: dict[str, Any]
) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, **manners)
    charge = await merchant.issue()
    assert await deliver(merchant.api, fake_bank.callback(fake_bank.bank.pay(charge["txid"]))) == "applied"
    paid = await read(merchant, charge)
    assert (paid["status"], paid["paid_late"]) == ("paid", False)
    assert paid["paid_at"] >= charge["created_at"]


# ---- Lost answers


@pytest.mark.parametrize("done", [True, False], ids=["the answer is lost", "the request is lost"])
async def test_a_lost_answer_makes_no_second_charge(merchant: Merchant, fake_bank: FakeBcb, done: bool) -> None:
    fake_bank.plan(PUT, dropped(done=done))
    charge = await merchant.issue()
    assert list(fake_bank.bank.cobs) == [charge["txid"]]


async def test_an_order_of_unknown_outcome_is_removed_at_the_bank(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    fake_bank.plan(PUT, dropped(done=True))
    fake_bank.plan(GET, html(404))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    [cob] = fake_bank.bank.cobs.values()
    assert cob.status == "ATIVA"
    job = system_context(services, source="job", request_id="settle")
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job) == 1
    assert cob.status == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert await value(database, "select count(*) from issuances") == 0


async def test_a_callback_waits_while_the_bank_does_not_respond(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    charges = [await merchant.issue() for _ in range(2)]
    body = fake_bank.callback(*(fake_bank.bank.pay(charge["txid"]) for charge in charges))
    fake_bank.plan(GET, html(503))
    assert await deliver(merchant.api, body) == "received"
    assert [(await read(merchant, charge))["status"] for charge in charges] == ["pending", "paid"]
    clock.advance(LEASE)
    assert await retry_notifications(system_context(services, source="job", request_id="a job")) == 1
    assert (await read(merchant, charges[0]))["status"] == "paid"


async def test_a_payment_whose_callback_is_lost_is_found_by_its_charge(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    fake_bank.bank.pay(charge["txid"])
    clock.advance(FIRST_CHECK_AGE)
    fake_bank.plan("GET /pix", html(503))
    assert (await reconcile(system_context(services, source="job", request_id="reconcile"))).paid == 1
    assert (await read(merchant, charge))["status"] == "paid"


async def test_an_expired_charge_is_removed_at_the_bank(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    clock.advance(timedelta(hours=25))
    await expire_charges(system_context(services, source="job", request_id="expire"))
    assert fake_bank.bank.cobs[charge["txid"]].status == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert (await read(merchant, charge))["status"] == "expired"


# ---- Returns


async def test_returns_change_the_charge_or_are_reported(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    bank = fake_bank.bank
    whole, part, fraud, denied = [await merchant.issue() for _ in range(4)]
    pix = {}
    for charge in (whole, part, fraud, denied):
        pix[charge["id"]] = bank.pay(charge["txid"])
        assert await deliver(merchant.api, fake_bank.callback(pix[charge["id"]])) == "applied"

    def returned(charge: Json, amount: int, **how: str) -> Json:
        return fake_bank.callback(bank.refund(pix[charge["id"]]["endToEndId"], amount, **how))

    under_way = returned(whole, 12990, refund_id="1", status="EM_PROCESSAMENTO")
    assert await deliver(merchant.api, under_way) == "ignored"
    done = returned(whole, 12990, refund_id="1")
    assert [await deliver(merchant.api, done) for _ in range(2)] == ["applied", "ignored"]
    assert (await read(merchant, whole))["status"] == "refunded"
    await deliver(merchant.api, returned(part, 100))
    await deliver(merchant.api, returned(fraud, 12990, nature="MED_FRAUDE"))
    await deliver(merchant.api, returned(denied, 100, status="NAO_REALIZADO"))
    assert [(await read(merchant, charge))["status"] for charge in (part, denied)] == ["paid", "paid"]
    assert await differences(database) == ["chargeback", "partial_refund"]


# ---- Operation


async def test_a_test_charge_is_paid_by_the_bank(merchant: Merchant) -> None:
    charge = await merchant.issue()
    assert (await merchant.pay(charge["id"]))["status"] == "paid"


async def test_a_payment_during_issuance_waits_for_the_charge(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    fake_bank.plan(PUT, dropped(done=True))
    fake_bank.plan(GET, html(503))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    [txid] = fake_bank.bank.cobs
    body = fake_bank.callback(fake_bank.bank.pay(txid))
    assert await deliver(merchant.api, body) == "received", "its outcome is unknown yet"
    job = system_context(services, source="job", request_id="settle")
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job) == 1
    assert await retry_notifications(job) == 1
    assert await differences(database) == ["unclaimed"]


async def test_the_webhook_is_registered_once_for_the_key(
    services: Services, fake_bank: FakeBcb, configured: Settings
) -> None:
    ctx = system_context(services, source="job", request_id="register")
    for _ in range(2):
        assert (await register_webhooks(ctx, Environment.test)).engine == "bcb"
    assert fake_bank.bank.webhooks[fake_bank.bank.key]["webhookUrl"].endswith(f"/engine/notifications/bcb/{TOKEN}")
    assert fake_bank.call_count("PUT /webhook/{id}") == 1
    fake_bank.plan("GET /webhook/{id}", html(503))
    with pytest.raises(EngineFailed):
        await register_webhooks(ctx, Environment.test)


async def test_doctor_checks_the_bank(configured: Settings, fake_bank: FakeBcb) -> None:
    found = [(finding.severity.name, finding.text) async for finding in check_engines(configured)]
    assert [severity for severity, _ in found] == ["ok", "ok", "ok", "ok", "error"]
    assert "register-webhook" in found[-1][1]
    fake_bank.plan("POST /oauth/token", html(503))
    found = [(finding.severity.name, finding.text) async for finding in check_engines(configured)]
    assert [severity for severity, _ in found] == ["ok", "error"]


async def test_withdrawals_are_off(merchant: Merchant) -> None:
    answer = await merchant.api.post("/withdrawals", {"amount": 10}, token=merchant.token)
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "REPASSE_MANUAL")


# ---- Refunds

RETURN = "PUT /pix/{id}/devolucao/{refund}"


async def paid(merchant: Merchant, fake_bank: FakeBcb) -> Json:
    charge = await merchant.issue()
    assert await deliver(merchant.api, fake_bank.callback(fake_bank.bank.pay(charge["txid"]))) == "applied"
    return charge


async def order_refund(merchant: Merchant, charge: Json, amount: float | None = None) -> Json:
    order = {"charge_id": charge["id"], "amount": amount, "reason": "Item sem estoque"}
    answer = await merchant.api.post("/refunds", order, token=merchant.key)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()["data"]
    return made


async def read_refund(merchant: Merchant, refund: Json) -> Json:
    found: Json = (await merchant.api.get(f"/refunds/{refund['id']}", token=merchant.key)).json()["data"]
    return found


def end_at_bank(fake_bank: FakeBcb, refund: Json, *, reason: str = "") -> Json:
    """End the return at the bank; returns its callback."""
    pix = fake_bank.bank.finish_return(refund["end_to_end_id"], refund["id"].replace("-", ""), reason=reason)
    return fake_bank.callback(pix)


async def test_a_refund_ends_when_the_bank_reports_it(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, returns_at_once=False)
    charge = await paid(merchant, fake_bank)
    made = await order_refund(merchant, charge, 29.9)
    assert made["status"] == "processing"
    body = end_at_bank(fake_bank, made)
    for _ in range(3):
        await deliver(merchant.api, body)
    done = await read_refund(merchant, made)
    [at_bank] = fake_bank.bank.pix[made["end_to_end_id"]]["devolucoes"]
    assert (done["status"], done["return_id"]) == ("completed", at_bank["rtrId"])
    assert at_bank["descricao"] == "Item sem estoque"
    read_charge = await read(merchant, charge)
    assert (read_charge["status"], read_charge["refunded_amount"]) == ("paid", 29.9)
    rest = await order_refund(merchant, charge)
    await deliver(merchant.api, end_at_bank(fake_bank, rest))
    assert (await read(merchant, charge))["status"] == "refunded"
    assert await differences(database) == []


async def test_a_refund_that_the_bank_rejects_has_its_reason(merchant: Merchant, fake_bank: FakeBcb) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, returns_at_once=False)
    charge = await paid(merchant, fake_bank)
    made = await order_refund(merchant, charge)
    await deliver(merchant.api, end_at_bank(fake_bank, made, reason="Conta encerrada"))
    ended = await read_refund(merchant, made)
    assert (ended["status"], ended["reject_reason"]) == ("rejected", "Conta encerrada")
    assert (await read(merchant, charge))["refunded_amount"] == 0


@pytest.mark.parametrize("done", [True, False], ids=["the answer is lost", "the request is lost"])
async def test_a_refund_without_an_answer_is_looked_up(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, done: bool
) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, returns_at_once=True)
    charge = await paid(merchant, fake_bank)
    fake_bank.plan(RETURN, dropped(done=done))
    made = await order_refund(merchant, charge)
    assert made["status"] == "pending"
    job = system_context(services, source="job", request_id="refunds")
    for _ in range(MAX_ATTEMPTS_UNSEEN):
        clock.advance(timedelta(hours=1))
        await recover_refunds(job)
    ended = await read_refund(merchant, made)
    assert ended["status"] == ("completed" if done else "rejected")
    returns = fake_bank.bank.pix[made["end_to_end_id"]].get("devolucoes", [])
    assert len(returns) == done, "it was ordered once"


async def test_a_refund_meets_a_return_by_the_special_mechanism(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, returns_at_once=False)
    charge = await paid(merchant, fake_bank)
    made = await order_refund(merchant, charge, 100)
    pix = fake_bank.bank.refund(made["end_to_end_id"], 2990, nature="MED_FRAUDE")
    await deliver(merchant.api, fake_bank.callback(pix))
    assert await differences(database) == ["chargeback"]
    refused = await merchant.api.post("/refunds", {"charge_id": charge["id"]}, token=merchant.key)
    assert refused.json()["error"]["codigo"] == "DEVOLUCAO_INDISPONIVEL"
    await deliver(merchant.api, end_at_bank(fake_bank, made))
    assert (await read_refund(merchant, made))["status"] == "completed"
    found = await read(merchant, charge)
    assert (found["status"], found["refunded_amount"]) == ("refunded", 129.9)
