"""Payments and returns whose callbacks are lost are found by listing the payments of a period."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import retry_notifications
from gateway.resolvers.reconciliation.payment_listing import (
    FIRST_PERIOD,
    MAX_RETURN_PERIOD,
    OVERLAP,
    RETURN_DAYS,
    list_payments,
)
from gateway.resolvers.reconciliation.runner import reconcile
from tests.api_client import Merchant
from tests.engines.bcb_fixtures import api, configured, deliver, differences, merchant, read, services
from tests.engines.fake_bcb import FakeBcb, html
from tests.engines.fake_http import Json
from tests.fake_clock import MovedClock
from tests.sql import value

__all__ = ["api", "configured", "merchant", "services"]
LIST, GET, PATCH = "GET /pix", "GET /cob/{id}", "PATCH /cob/{id}"


async def find_lost(services: Services, clock: MovedClock) -> int:
    """Run both jobs, a minute after what happened at the bank. Returns how many lost notifications were stored."""
    clock.advance(timedelta(minutes=1))
    job = system_context(services, source="job", request_id="listing")
    stored = await list_payments(job)
    while await retry_notifications(job):
        continue
    return stored


async def test_a_payment_of_an_expired_charge_is_found(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    clock.advance(timedelta(hours=25))
    fake_bank.plan(PATCH, html(503))
    await expire_charges(system_context(services, source="job", request_id="expire"))
    assert (await read(merchant, charge))["status"] == "expired"
    fake_bank.bank.pay(charge["txid"], horario=clock.now().isoformat(timespec="seconds"))
    assert await find_lost(services, clock) == 1
    paid = await read(merchant, charge)
    assert (paid["status"], paid["paid_late"]) == ("paid", True)
    assert await find_lost(services, clock) == 0
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1


async def test_what_was_received_costs_no_question(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    charges = [await merchant.issue() for _ in range(5)]
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, page_size=2)
    for charge in charges[:3]:
        await deliver(merchant.api, fake_bank.callback(fake_bank.bank.pay(charge["txid"])))
    for charge in charges[3:]:
        fake_bank.bank.pay(charge["txid"])
    questions = fake_bank.call_count(GET)
    assert await find_lost(services, clock) == 2
    assert fake_bank.call_count(GET) == questions + 2
    assert [(await read(merchant, charge))["status"] for charge in charges] == ["paid"] * 5
    pages = [call.query["paginacao.paginaAtual"] for call in fake_bank.calls if call.route == "/pix"]
    assert pages[:4] == ["0", "0", "1", "2"], "a page of each day, of two payments at most"


async def test_a_return_is_found_months_after_its_payment(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    whole, part = [await merchant.issue() for _ in range(2)]
    pix = [fake_bank.bank.pay(charge["txid"]) for charge in (whole, part)]
    await deliver(merchant.api, fake_bank.callback(*pix))
    clock.advance(timedelta(days=80))
    assert await find_lost(services, clock) == 0
    fake_bank.bank.refund(pix[0]["endToEndId"], 12990)
    fake_bank.bank.refund(pix[1]["endToEndId"], 100)
    assert await find_lost(services, clock) == 2
    assert [(await read(merchant, charge))["status"] for charge in (whole, part)] == ["refunded", "paid"]
    assert await differences(database) == ["partial_refund"]


def periods(fake_bank: FakeBcb) -> list[Json]:
    """The queries for payments, without those for returns."""
    listed = [call.query for call in fake_bank.calls if call.route == "/pix"]
    return [query for query in listed if "devolucaoPresente" not in query]


@pytest.mark.parametrize("local_time", [False, True], ids=["UTC", "local time as UTC"])
async def test_periods_overlap_and_follow_one_another(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, local_time: bool
) -> None:
    fake_bank.bank.manners = dataclasses.replace(fake_bank.bank.manners, local_time=local_time)
    start = clock.now()
    await find_lost(services, clock)
    charge = await merchant.issue()
    fake_bank.bank.pay(charge["txid"])
    fake_bank.plan(LIST, html(503))
    assert await find_lost(services, clock) == 0, "the bank is out of order"
    assert await find_lost(services, clock) == 1
    assert (await read(merchant, charge))["status"] == "paid"

    def written(ago: timedelta, minutes: int) -> str:
        at = start - ago + timedelta(minutes=minutes)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    begins = [query["inicio"] for query in periods(fake_bank)]
    # The first run lists a day and the overlap, in two periods. The failed one is repeated.
    assert begins == [
        written(FIRST_PERIOD + OVERLAP, 1),
        written(OVERLAP, 1),
        *[written(OVERLAP, 1)] * 2,
    ]
    returns = fake_bank.call_count(LIST) - len(begins)
    assert returns == 2 * (RETURN_DAYS // MAX_RETURN_PERIOD)


async def test_a_long_pause_is_listed_day_by_day(
    fake_bank: FakeBcb, services: Services, clock: MovedClock, merchant: Merchant
) -> None:
    await find_lost(services, clock)
    known = len(periods(fake_bank))
    clock.advance(timedelta(days=3))
    fake_bank.plan(LIST, None, None, html(503))
    await find_lost(services, clock)
    assert len(periods(fake_bank)) == known + 3, "the third day failed"
    await find_lost(services, clock)
    assert len(periods(fake_bank)) == known + 5, "it goes on there"


async def test_payments_of_others_pay_no_charge(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    pix = fake_bank.bank.pay(charge["txid"])
    fake_bank.bank.pix["E" * 32] = {**pix, "endToEndId": "E" * 32, "txid": "venda17"}
    fake_bank.bank.pix["F" * 32] = {**pix, "endToEndId": "F" * 32, "chave": "outra@example.com"}
    without: dict[str, Any] = {name: text for name, text in pix.items() if name != "txid"}
    fake_bank.bank.pix["G" * 32] = {**without, "endToEndId": "G" * 32}
    assert await find_lost(services, clock) == 2
    assert await value(database, "select count(*) from charges where status = 'paid'") == 1
    assert await differences(database) == ["unknown_payment"], "those of another key, or without a txid, are none"


async def test_gateway_reconcile_lists_payments(
    merchant: Merchant, fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    fake_bank.bank.pay(charge["txid"])
    clock.advance(timedelta(minutes=1))
    summary = await reconcile(system_context(services, source="job", request_id="reconcile"))
    assert summary.notifications_handled == 1
    assert (await read(merchant, charge))["status"] == "paid"


async def test_listing_stays_in_reconciliations_share_of_the_quota(
    fake_bank: FakeBcb, services: Services, clock: MovedClock
) -> None:
    few = replace(services, settings=services.settings.model_copy(update={"reconciliation_rate_per_hour": 3}))
    assert await find_lost(few, clock) == 0
    assert fake_bank.call_count(LIST) == 3
