"""Charges at Asaas: customers, BR Codes, splits, lost responses, payments."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
import structlog

from gateway.integrations.engines.asaas.mapping import (
    STATES,
    centavos,
    charge_state,
    due_date,
    local_day,
    timestamp,
    track,
    transfer_state,
)
from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.http_client import InvalidResponse
from gateway.integrations.engines.interface import EngineState
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.models.engines import Track, TransferState
from gateway.values.clock import SAO_PAULO
from tests.engines.engine_fixtures import AsaasHarness, asaas_engine
from tests.engines.fake_asaas import FakeAsaas, dropped, empty, html, refusal, throttled
from tests.engines.sample_requests import COMPANY, PAYER, new_charge
from tests.fake_clock import MovedClock
from tests.sql import rows

# ---- Customers


async def test_a_known_payer_needs_no_request(asaas: AsaasHarness) -> None:
    for _ in range(3):
        await asaas.engine.create_charge(new_charge())
    calls = {route: asaas.fake.call_count(route) for route in ("GET /customers", "POST /customers", "POST /payments")}
    assert calls == {"GET /customers": 1, "POST /customers": 1, "POST /payments": 3}
    assert len(asaas.fake.calls) == 2 + 3 * 2


async def test_customers_are_per_account(asaas: AsaasHarness, database: Database) -> None:
    account = (await asaas.engine.open_account(COMPANY)).account
    await asaas.engine.create_charge(new_charge())
    await asaas.engine.create_charge(new_charge(account=account))
    customers = await rows(database, "select account_id, customer_id from provider_customers order by account_id")
    assert [row["account_id"] for row in customers] == ["", account.id]
    assert customers[0]["customer_id"] != customers[1]["customer_id"]


async def test_a_customer_is_found_without_its_cache_row(asaas: AsaasHarness, database: Database) -> None:
    await asaas.engine.create_charge(new_charge())
    await rows(database, "delete from provider_customers")
    await asaas.engine.create_charge(new_charge())
    assert await asaas.count("customers") == 1


async def test_a_customer_with_a_lost_response_is_not_created_twice(asaas: AsaasHarness) -> None:
    asaas.fake.plan("POST /customers", dropped(done=True))
    await asaas.engine.create_charge(new_charge())
    assert await asaas.count("customers") == 1


async def test_without_a_customer_no_charge_is_created(asaas: AsaasHarness) -> None:
    asaas.fake.plan("POST /customers", html(502))
    with pytest.raises(EngineUnavailable):
        await asaas.engine.create_charge(new_charge())
    assert asaas.fake.call_count("POST /payments") == 0


async def test_a_payer_deleted_at_asaas_is_created_again_once(asaas: AsaasHarness) -> None:
    await asaas.engine.create_charge(new_charge())
    for customer in asaas.fake.bank.all("customers"):
        customer["deleted"] = True
    assert (await asaas.engine.create_charge(new_charge())).br_code
    assert await asaas.count("customers") == 2
    asaas.fake.plan("POST /payments", refusal("invalid_customer"), refusal("invalid_customer"))
    with pytest.raises(EngineRefused):
        await asaas.engine.create_charge(new_charge())


async def test_a_payer_without_document_is_refused(asaas: AsaasHarness) -> None:
    without_document = new_charge(payer=type(PAYER)("Ana", "ana@example.com", None, None))
    with pytest.raises(EngineRefused):
        await asaas.engine.create_charge(without_document)
    assert asaas.fake.calls == []


# ---- BR Codes


async def test_a_missing_br_code_is_requested_again(asaas: AsaasHarness) -> None:
    asaas.fake.plan("GET /payments/{id}/pixQrCode", empty(404), refusal())
    assert (await asaas.engine.create_charge(new_charge())).br_code
    assert asaas.fake.call_count("GET /payments/{id}/pixQrCode") == 3
    assert asaas.fake.call_count("POST /payments") == 1


async def test_a_charge_without_its_br_code_is_found_with_it(asaas: AsaasHarness) -> None:
    asaas.fake.plan("GET /payments/{id}/pixQrCode", html(502))
    wanted = new_charge()
    with pytest.raises(EngineOutcomeUnknown):
        await asaas.engine.create_charge(wanted)
    found = await asaas.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert found.br_code


async def test_a_charge_without_a_br_code_can_be_found(asaas: AsaasHarness) -> None:
    wanted = new_charge()
    made = await asaas.engine.create_charge(wanted)
    asaas.fake.plan("GET /payments/{id}/pixQrCode", *[empty(404)] * 3)
    found = await asaas.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert (found.id, found.br_code) == (made.id, "")


# ---- Look-up by reference


async def test_only_active_charges_of_the_exact_reference_are_found(asaas: AsaasHarness) -> None:
    wanted = new_charge()
    first = await asaas.engine.create_charge(wanted)
    await asaas.engine.create_charge(new_charge(external_reference=wanted.external_reference[:-1]))
    await asaas.engine.cancel_charge(first.id)
    assert await asaas.engine.find_charge(wanted.external_reference, wanted.txid) is None
    second = await asaas.engine.create_charge(wanted)
    third = await asaas.engine.create_charge(wanted)
    newest = await asaas.engine.find_charge(wanted.external_reference, wanted.txid)
    assert newest
    assert newest.id == third.id
    asaas.fake.bank.pay(second.id)
    paid = await asaas.engine.find_charge(wanted.external_reference, wanted.txid)
    assert paid
    assert (paid.id, paid.state) == (second.id, EngineState.paid)


async def test_a_refused_cancellation_is_no_error_and_an_unanswered_one_is(asaas: AsaasHarness) -> None:
    made = await asaas.engine.create_charge(new_charge())
    asaas.fake.plan("DELETE /payments/{id}", refusal())
    await asaas.engine.cancel_charge(made.id)
    for bad in (html(502), dropped(), throttled(600)):
        asaas.fake.plan("DELETE /payments/{id}", bad)
        with pytest.raises((EngineUnavailable, EngineBusy)):
            await asaas.engine.cancel_charge(made.id)


# ---- Splits


async def test_the_fee_is_split_to_the_main_wallet_which_is_read_once(asaas: AsaasHarness) -> None:
    account = (await asaas.engine.open_account(COMPANY)).account
    charges = [new_charge(account=account, fee=199) for _ in range(2)]
    for wanted in charges:
        await asaas.engine.create_charge(wanted)
    sent = asaas.fake.last("POST /payments")
    assert sent.headers["access_token"] == account.secret
    assert sent.body
    share = {"walletId": asaas.fake.bank.main.wallet, "fixedValue": 1.99}
    assert sent.body["split"] == [share | {"externalReference": charges[1].external_reference}]
    assert asaas.fake.call_count("GET /wallets") == 1


async def test_without_a_fee_or_an_account_nothing_is_split(asaas: AsaasHarness) -> None:
    account = (await asaas.engine.open_account(COMPANY)).account
    for wanted in (new_charge(account=account), new_charge(fee=100)):
        await asaas.engine.create_charge(wanted)
        sent = asaas.fake.last("POST /payments").body
        assert sent
        assert "split" not in sent


async def test_a_fee_above_the_net_amount_is_refused_and_the_charge_deleted(asaas: AsaasHarness) -> None:
    account = (await asaas.engine.open_account(COMPANY)).account
    with pytest.raises(EngineRefused):
        await asaas.engine.create_charge(new_charge(amount=500, fee=302, account=account))
    assert [payment["deleted"] for payment in asaas.fake.bank.all("payments")] == [True]
    asaas.fake.plan("DELETE /payments/{id}", html(502))
    with pytest.raises(EngineOutcomeUnknown):
        await asaas.engine.create_charge(new_charge(amount=500, fee=302, account=account))
    assert (await asaas.engine.create_charge(new_charge(amount=500, fee=301, account=account))).br_code


# ---- Due dates


async def test_a_charge_is_due_on_its_due_date_or_its_expiry(asaas: AsaasHarness, clock: MovedClock) -> None:
    tomorrow, next_year = clock.now() + timedelta(days=1), clock.now() + timedelta(days=365)
    sent = []
    for changes in ({}, {"due_date": next_year}, {"due_date": clock.now() - timedelta(days=30)}):
        await asaas.engine.create_charge(new_charge(expires_at=tomorrow, **changes))
        body = asaas.fake.last("POST /payments").body
        assert body
        sent.append(body["dueDate"])
    assert sent == [local_day(tomorrow), local_day(next_year), local_day(clock.now())]


# ---- Payments


async def test_a_payment_counts_without_its_end_to_end_id(asaas: AsaasHarness) -> None:
    made = await asaas.engine.create_charge(new_charge())
    asaas.fake.bank.pay(made.id)
    for bad in (html(502), empty(404), throttled(600)):
        asaas.fake.plan("GET /pix/transactions/{id}", bad)
        read = await asaas.engine.read_charge(made.id)
        assert read
        assert (read.state, read.end_to_end_id) == (EngineState.paid, None)


async def test_the_sandbox_confirms_without_a_pix_transaction(asaas: AsaasHarness) -> None:
    made = await asaas.engine.create_charge(new_charge())
    body = await asaas.engine.confirm_test(made.id)
    assert body
    read = await asaas.engine.read_charge(made.id)
    assert read
    assert (read.state, read.end_to_end_id, read.paid_at) == (EngineState.paid, None, None)


async def test_only_the_sandbox_confirms(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock
) -> None:
    live = asaas_engine(http, fake, database, clock, environment=Environment.live)
    with pytest.raises(EngineRefused):
        await live.confirm_test("pay_1")
    assert fake.calls == []


async def test_a_payment_of_another_amount_has_the_paid_amount(asaas: AsaasHarness) -> None:
    made = await asaas.engine.create_charge(new_charge(amount=1_000))
    asaas.fake.bank.pay(made.id, value=9.99)
    read = await asaas.engine.read_charge(made.id)
    assert read
    assert read.paid_amount == 999


# ---- Mapping

NOW = datetime(2026, 11, 22, 1, 30, tzinfo=UTC)  # 22:30 on the 21st in São Paulo.


@pytest.mark.parametrize(
    ("due", "expires_at", "day"),
    [
        (None, NOW, "2026-11-21"),
        (None, NOW - timedelta(days=2), "2026-11-21"),
        (None, NOW + timedelta(hours=1), "2026-11-21"),
        (None, NOW + timedelta(hours=2), "2026-11-22"),
        (None, datetime(2027, 1, 1, 2, 59, tzinfo=UTC), "2026-12-31"),
        (None, datetime(2027, 1, 1, tzinfo=UTC), "2026-12-31"),
        (datetime(2027, 1, 1, 2, 59, tzinfo=UTC), NOW, "2026-12-31"),
        (datetime(2027, 1, 1, tzinfo=UTC), NOW, "2026-12-31"),
        (datetime(2026, 11, 20, tzinfo=UTC), NOW, "2026-11-21"),
    ],
)
def test_a_due_date_is_a_day_in_sao_paulo(due: datetime | None, expires_at: datetime, day: str) -> None:
    assert due_date(due, expires_at, NOW) == day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21 22:15:30", datetime(2026, 11, 21, 22, 15, 30, tzinfo=SAO_PAULO)),
        ("2026-11-21T22:15:30-03:00", datetime(2026, 11, 22, 1, 15, 30, tzinfo=UTC)),
        ("2026-11-20", datetime(2026, 11, 20, 23, 59, 59, tzinfo=SAO_PAULO)),
        ("2026-11-21", None),
        ("21/11/2026", None),
        ("", None),
        (None, None),
        (20261121, None),
    ],
)
def test_a_timestamp_is_in_sao_paulo_and_the_current_day_is_none(text: object, expected: datetime | None) -> None:
    assert timestamp(text, NOW) == expected


@pytest.mark.parametrize(
    ("reais", "amount"),
    [(129.9, 12990), (0.07, 7), (5, 500), (-3.5, -350), (12345678901.23, 1234567890123), (110.01, 11001), (0, 0)],
)
def test_reais_become_centavos_exactly(reais: float, amount: int) -> None:
    assert centavos(reais) == amount


@pytest.mark.parametrize("value", [1.001, "10.00", None, True, [], float("nan"), float("inf")])
def test_an_invalid_amount_is_an_invalid_response(value: object) -> None:
    with pytest.raises(InvalidResponse):
        centavos(value)


def test_states_are_mapped_and_unknown_ones_are_pending() -> None:
    assert {status for status, state in STATES.items() if state is EngineState.paid} == {
        *("RECEIVED", "RECEIVED_IN_CASH", "REFUND_REQUESTED", "REFUND_IN_PROGRESS"),
    }
    assert charge_state({"status": "CONFIRMED"}) is EngineState.held, "a Pix under review isn't paid"
    assert charge_state({"status": "SOMETHING_NEW"}) is EngineState.pending
    assert charge_state({"status": "PENDING", "deleted": True}) is EngineState.retired
    assert transfer_state({"status": "BANK_PROCESSING"}) is TransferState.pending
    assert transfer_state({}) is TransferState.pending
    assert (track("APPROVED"), track("EXPIRED"), track(None), track([])) == (
        Track.approved,
        *(Track.missing,) * 3,
    )


def test_unknown_values_are_logged() -> None:
    with structlog.testing.capture_logs() as logged:
        for status in (*STATES, "SOMETHING_NEW"):
            charge_state({"status": status})
        transfer_state({"status": "BLOCKED"})
        transfer_state({"status": "RETURNED"})
        track("APPROVED")
        track("EXPIRED")
    entries = [(line["event"], line["value"], line["read_as"]) for line in logged]
    assert entries == [
        ("asaas_unknown_value", "SOMETHING_NEW", "pending"),
        ("asaas_unknown_value", "RETURNED", "pending"),
        ("asaas_unknown_value", "EXPIRED", "PENDING"),
    ]
