"""Payments that a bank has for no charge of ours become differences, one a payment; staff sees and closes them."""

import json
from datetime import timedelta
from typing import Any

import pytest

from gateway.doctor.payments import check_payments
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from gateway.settings import Settings
from tests.api_client import Api, Merchant, charge_order
from tests.applicants import staff_member
from tests.engines.bcb_fixtures import api, configured, deliver, differences, merchant, services
from tests.engines.fake_bcb import FakeBcb, dropped, html
from tests.engines.fake_http import JSON_TYPE, Fault, Json
from tests.engines.test_bcb_periods import find_lost
from tests.fake_clock import MovedClock
from tests.sql import rows, run, value

__all__ = ["api", "configured", "merchant", "services"]
PIX, PUT, GET = "GET /pix/{id}", "PUT /cob/{id}", "GET /cob/{id}"
GAUGE = 'gateway_differences_open{environment="test",kind="unknown_payment"}'


def answered(body: Json) -> Fault:
    return Fault(200, json.dumps(body).encode(), JSON_TYPE)


@pytest.fixture
async def staff(api: Api, services: Services) -> Merchant:
    return await staff_member(api, services)


def received(fake_bank: FakeBcb, txid: str | None = "venda17", **changes: Any) -> Json:
    """A payment at the bank, of a charge that another system made."""
    number = len(fake_bank.bank.pix)
    pix: Json = {
        "endToEndId": f"E12345678202611211200{number:011d}",
        "txid": txid,
        "valor": "30.00",
        "chave": fake_bank.bank.key,
        "horario": fake_bank.bank.now(),
        **changes,
    }
    pix = {name: text for name, text in pix.items() if text is not None}
    fake_bank.bank.pix[pix["endToEndId"]] = pix
    return pix


async def listed(staff: Merchant, query: str = "") -> list[Json]:
    answer = await staff.api.get(f"/admin/differences{query}", token=staff.token)
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["data"]
    return found


async def test_a_payment_of_another_system_is_one_difference_however_often_it_is_reported(
    merchant: Merchant, staff: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, configured: Settings
) -> None:
    pix = received(fake_bank)
    body = fake_bank.callback(pix)
    assert await deliver(merchant.api, body) == "applied"
    assert await deliver(merchant.api, body) == "ignored"
    assert await find_lost(services, clock) == 0
    (found,) = await listed(staff)
    names = (
        "kind status user_id store_name charge_id charge_status txid end_to_end_id engine engine_id engine_status event"
    )
    assert {name: found[name] for name in names.split()} == {
        "kind": "unknown_payment",
        "status": "open",
        "user_id": None,
        "store_name": None,
        "charge_id": None,
        "charge_status": None,
        "txid": "venda17",
        "end_to_end_id": pix["endToEndId"],
        "engine": "bcb",
        "engine_id": "venda17",
        "engine_status": "paid",
        "event": "PAYMENT_RECEIVED",
    }
    assert (found["amount"], found["engine_amount"], found["environment"]) == (30.0, 30.0, "test")
    assert f"{GAUGE} 1.0" in (await merchant.api.get("/metrics")).text
    assert [finding.severity.value async for finding in check_payments(configured)] == ["warning"]
    path = f"/admin/differences/{found['id']}/resolver"
    closed = await merchant.api.post(path, {"nota": "Venda do balcão."}, token=staff.token)
    assert (closed.status_code, closed.json()["data"]["resolution"]) == (200, "staff")
    # A return makes the bank list the payment again, by another notification.
    fake_bank.bank.refund(pix["endToEndId"], 100)
    assert await find_lost(services, clock) == 1
    assert await listed(staff, "?status=open") == []
    assert len(await listed(staff)) == 1


async def test_lost_callbacks_of_unknown_payments_are_found_by_period(
    staff: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    # Two payments of one static QR code have the same txid.
    seen = [received(fake_bank, "caixa1"), received(fake_bank, "caixa1", valor="5.00")]
    received(fake_bank, None)
    received(fake_bank, chave="outra@example.com")
    assert await find_lost(services, clock) == 2
    found = await listed(staff, "?kind=unknown_payment&sort=created_at")
    assert {each["end_to_end_id"]: each["amount"] for each in found} == {
        seen[0]["endToEndId"]: 30.0,
        seen[1]["endToEndId"]: 5.0,
    }
    (one,) = await listed(staff, f"?q={seen[1]['endToEndId']}")
    assert one["amount"] == 5.0


async def test_a_callback_alone_proves_no_payment(
    merchant: Merchant, staff: Merchant, fake_bank: FakeBcb, services: Services
) -> None:
    real, returned = received(fake_bank), received(fake_bank)
    fake_bank.bank.refund(returned["endToEndId"], 3000)
    reported = [
        {**real, "endToEndId": "E" * 32},
        {**real, "endToEndId": "../cob"},
        {**real, "txid": "venda18"},
        {name: text for name, text in returned.items() if name != "devolucoes"},
    ]
    for pix in reported:
        assert await deliver(merchant.api, {"pix": [pix]}) == "ignored"
    assert await listed(staff) == []


@pytest.mark.parametrize("wrong", [None, {"endToEndId": "E" * 32}, {"valor": "trinta"}], ids=str)
async def test_an_unknown_payment_waits_while_the_bank_does_not_respond_well(
    merchant: Merchant, staff: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, wrong: Json | None
) -> None:
    body = fake_bank.callback(received(fake_bank))
    fake_bank.plan(PIX, html(503) if wrong is None else answered(body["pix"][0] | wrong))
    assert await deliver(merchant.api, body) == "received"
    assert await listed(staff) == []
    await find_lost(services, clock)
    assert [each["kind"] for each in await listed(staff)] == ["unknown_payment"]


async def test_a_payment_of_a_charge_that_is_being_issued_is_no_unknown_payment(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    fake_bank.plan(PUT, dropped(done=True))
    fake_bank.plan(GET, html(503))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    [txid] = fake_bank.bank.cobs
    first = fake_bank.bank.pay(txid)
    assert await deliver(merchant.api, fake_bank.callback(first)) == "received"
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(system_context(services, source="job", request_id="settle")) == 1
    await find_lost(services, clock)
    assert await differences(database) == ["unclaimed"], "it is listed once"
    # Some banks accept a second payment of a charge.
    await deliver(merchant.api, fake_bank.callback(fake_bank.bank.pay(txid)))
    assert await differences(database) == ["unclaimed", "unknown_payment"]


async def test_a_late_payment_of_a_failed_order_is_seen(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    fake_bank.plan(PUT, dropped(done=True))
    fake_bank.plan(GET, html(503))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    [txid] = fake_bank.bank.cobs
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(system_context(services, source="job", request_id="settle")) == 1
    # The payer's bank had read the code before.
    fake_bank.bank.pay(txid, horario=clock.now().isoformat(timespec="seconds"))
    await find_lost(services, clock)
    (found,) = await rows(database, "select * from reconciliation_discrepancies")
    assert (found["kind"], found["txid"], found["amount"]) == ("unknown_payment", txid, 12990)


async def test_unknown_payments_are_in_graphql_and_in_the_csv_file(
    merchant: Merchant, staff: Merchant, fake_bank: FakeBcb
) -> None:
    pix = received(fake_bank)
    await deliver(merchant.api, fake_bank.callback(pix))
    query = "{ differences(filter: {kind: unknown_payment}) { edges { node { userId chargeId endToEndId amount } } } }"
    (edge,) = (await merchant.api.graphql(query, token=staff.token))["data"]["differences"]["edges"]
    assert edge["node"] == {"userId": None, "chargeId": None, "endToEndId": pix["endToEndId"], "amount": 30.0}
    file = await merchant.api.get("/admin/differences/export?kind=unknown_payment", token=staff.token)
    assert file.status_code == 200
    assert pix["endToEndId"] in file.text


async def test_opening_and_closing_are_audited_without_a_store(
    merchant: Merchant, staff: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    await deliver(merchant.api, fake_bank.callback(received(fake_bank)))
    (found,) = await listed(staff)
    await merchant.api.post(f"/admin/differences/{found['id']}/resolver", {"nota": "Do balcão."}, token=staff.token)
    records = await rows(database, "select * from audit_trail where resource_id = $1 order by created_at", found["id"])
    names = ("action", "store_id", "actor_type", "environment")
    assert [tuple(each[name] for name in names) for each in records] == [
        ("difference.opened", None, "engine", "test"),
        ("difference.resolved", None, "staff", "test"),
    ]


async def test_a_repetition_whose_notification_was_deleted_is_no_second_difference(
    merchant: Merchant, fake_bank: FakeBcb, database: Database
) -> None:
    body = fake_bank.callback(received(fake_bank))
    for _ in range(2):
        assert await deliver(merchant.api, body) == "applied"
        await run(database, "delete from engine_notifications")
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 1
