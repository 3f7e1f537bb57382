"""The application with Asaas as its engine, over HTTP on both sides, with and without failures."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
import structlog
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.doctor.payments import check_engines, check_refused_accounts
from gateway.errors import EngineFailed, RateLimited
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.rate_limits import LocalCounts, Unlimited
from gateway.resolvers.charges.engine_calls import MAX_CONCURRENT_CANCELS
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.handlers import TRUST_AFTER
from gateway.resolvers.engine_notifications.process import LEASE, retry_notifications
from gateway.resolvers.engine_notifications.registration import register_webhooks
from gateway.resolvers.reconciliation.queue import (
    FIRST_CHECK_AGE,
    MAX_END_TO_END_ID_ATTEMPTS,
    MAX_RETRY_WAIT,
    RETRY_WAIT,
)
from gateway.resolvers.reconciliation.runner import MAX_CONCURRENT_CHECKS, dry_run, reconcile, run_due_checks
from gateway.resolvers.refunds.recover import recover_refunds
from gateway.services import open_services
from gateway.settings import Settings
from gateway.telemetry import ENGINE_FAILURES
from tests.api_client import Api, Merchant, charge_order
from tests.engines.fake_asaas import FakeAsaas, Fault, dropped, html, refusal, throttled
from tests.fake_clock import MovedClock
from tests.sql import rows, value

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


@pytest.fixture
async def merchant(api: Api) -> Merchant:
    return await api.register_merchant()


async def deliver(api: Api, notification: dict[str, Any], token: str = TOKEN) -> int:
    answer = await api.post("/engine/notifications/asaas", notification, asaas_access_token=token)
    return answer.status_code


def configured_with(services: Services, **changes: Any) -> Services:
    return replace(services, settings=services.settings.model_copy(update=changes))


def payment_from(fake: FakeAsaas, charge: dict[str, Any]) -> str:
    payments = [item for item in fake.bank.all("payments") if item["externalReference"] == charge["id"]]
    assert len(payments) == 1
    return str(payments[0]["id"])


async def read(merchant: Merchant, charge: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    return found


async def test_a_charge_is_issued_and_paid_with_its_end_to_end_id(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    charge = await merchant.issue()
    assert "pix-h.asaas.com" in charge["pix_code"]
    assert charge["qr_code_url"]
    notification = fake.bank.pay(payment_from(fake, charge), end_to_end_id="E00416968202611211635q5bk0brYk2C")
    assert await deliver(merchant.api, notification, "another token") == 401
    assert (await read(merchant, charge))["status"] == "pending"
    for _ in range(3):
        assert await deliver(merchant.api, notification) == 200
    paid = await read(merchant, charge)
    assert (paid["status"], paid["end_to_end_id"]) == ("paid", "E00416968202611211635q5bk0brYk2C")
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1


@pytest.mark.parametrize("faults", [(), (dropped(done=False),)], ids=["at once", "after a lost request"])
async def test_a_registered_charge_is_due_on_its_day_in_sao_paulo(
    merchant: Merchant, fake: FakeAsaas, faults: tuple[Fault, ...]
) -> None:
    fake.plan("POST /payments", *faults)
    order = charge_order(due_date="2030-02-01T01:30:00Z")
    assert (await merchant.api.post("/charges", order, token=merchant.key)).status_code == 201
    sent = [
        call.body["dueDate"] for call in fake.calls if (call.method, call.route) == ("POST", "/payments") and call.body
    ]
    assert sent == ["2030-01-31"] * (len(faults) + 1)


async def test_all_charges_of_an_unknown_outcome_are_cancelled(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    """The first request is executed after its look-up, and the response to the second is lost."""
    fake.plan("POST /payments", dropped(done=True), dropped(done=True))
    fake.plan("GET /payments", Fault(200, b'{"object":"list","data":[]}'))
    answer = await merchant.api.post("/pix", charge_order(), token=merchant.key)
    assert answer.status_code == 502
    assert [payment["deleted"] for payment in fake.bank.all("payments")] == [False, False]

    job = system_context(services, source="job", request_id="settle")
    fake.plan("DELETE /payments/{id}", None, html(502))
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job) == 0, "one of them can still be paid"
    clock.advance(timedelta(hours=1))
    assert await recover_issuances(job) == 1
    assert [payment["deleted"] for payment in fake.bank.all("payments")] == [True, True]
    assert await value(database, "select count(*) from issuances") == 0


async def test_a_notification_alone_pays_nothing(merchant: Merchant, fake: FakeAsaas) -> None:
    charge = await merchant.issue()
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    forged = fake.bank.notification("PAYMENT_RECEIVED", payment=payment | {"status": "RECEIVED"})
    assert await deliver(merchant.api, forged) == 200
    assert (await read(merchant, charge))["status"] == "pending"
    assert await deliver(merchant.api, fake.bank.pay(payment["id"], value=1.0)) == 200
    assert (await read(merchant, charge))["status"] == "pending"


async def test_a_notification_of_another_payment_only_schedules_a_check(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    charge, other = await merchant.issue(), await merchant.issue()
    notification = fake.bank.pay(payment_from(fake, charge))
    notification["payment"]["id"] = payment_from(fake, other)
    assert await deliver(merchant.api, notification) == 200
    assert await value(database, "select outcome from engine_notifications") == "mismatch"
    assert (await read(merchant, charge))["status"] == "pending"
    clock.advance(TRUST_AFTER)
    await run_due_checks(system_context(services, source="job", request_id="check"))
    assert [(await read(merchant, each))["status"] for each in (charge, other)] == ["paid", "pending"]


async def test_an_unverified_notification_is_retried(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    notification = fake.bank.pay(payment_from(fake, charge))
    fake.plan("GET /payments/{id}", refusal("invalid_access_token", status=401))
    refused = ENGINE_FAILURES.labels("asaas", "Unauthorized")
    before = refused._value.get()
    with structlog.testing.capture_logs() as logged:
        assert await deliver(merchant.api, notification) == 200
    assert refused._value.get() == before + 1, "the failure is counted for staff"
    assert any("invalid_access_token" in line.get("detail", "") for line in logged)
    assert (await read(merchant, charge))["status"] == "pending"
    clock.advance(timedelta(minutes=2))
    await retry_notifications(system_context(services, source="job", request_id="retry"))
    assert (await read(merchant, charge))["status"] == "paid"


@pytest.mark.parametrize("slow", ["the bank", "the database"])
async def test_a_slow_notification_is_answered_and_handled_later(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database, slow: str
) -> None:
    charge = await merchant.issue()
    notification = fake.bank.pay(payment_from(fake, charge))
    with_timeout = configured_with(services, engine_notification_timeout_seconds=0.3)
    async with Api.of(Gateway(with_timeout.settings, with_timeout)) as api, database.transaction() as transaction:
        if slow == "the bank":
            body = json.dumps(fake.bank.main.payments[payment_from(fake, charge)]).encode()
            fake.plan("GET /payments/{id}", Fault(200, body, gated=True))
        else:
            await transaction.connection.execute("select from charges where id = $1 for update", charge["id"])
        with structlog.testing.capture_logs() as logged:
            answer = await api.post("/engine/notifications/asaas", notification, asaas_access_token=TOKEN)
        assert (answer.status_code, answer.json()["data"]["outcome"]) == (200, "received")
        assert [line["error"] for line in logged if line["event"] == "engine_notification_waits"] == [
            "it takes too long"
        ]
        assert (await read(merchant, charge))["status"] == "pending"
    fake.gate.set()
    clock.advance(LEASE)
    assert await retry_notifications(system_context(services, source="job", request_id="retry")) == 1
    assert (await read(merchant, charge))["status"] == "paid"
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1
    assert await value(database, "select outcome from engine_notifications") == "applied"


async def test_the_sandbox_pays_at_once_and_its_notification_changes_nothing_more(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    charge = await merchant.issue()
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    assert await deliver(merchant.api, fake.bank.notification("PAYMENT_RECEIVED", payment=payment)) == 200
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1


async def test_an_unverified_sandbox_payment_is_verified_by_the_next_request(
    merchant: Merchant, fake: FakeAsaas
) -> None:
    charge = await merchant.issue()
    fake.plan("GET /payments/{id}", refusal(status=401))
    failed = await merchant.api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.key)
    assert failed.status_code == 502
    assert (await merchant.pay(charge["id"]))["status"] == "paid"


@pytest.mark.parametrize("bad", [refusal(), refusal(status=401), html(429)], ids=["400", "401", "429"])
async def test_a_refusal_is_a_502_and_stores_nothing(
    merchant: Merchant, fake: FakeAsaas, database: Database, bad: Any
) -> None:
    fake.plan("POST /payments", bad)
    fake.plan("POST /payments", *[bad] * (bad.status == 429))
    refused = await merchant.api.post("/pix", charge_order(external_reference="pedido-1"), token=merchant.key)
    assert refused.status_code == 502
    assert set(refused.json()["error"]) == {"message"}
    for table in ("charges", "issuances", "webhook_events"):
        assert await value(database, f"select count(*) from {table}") == 0
    assert fake.bank.all("payments") == []


@pytest.mark.parametrize("bad", [dropped(done=True), html(504, done=True)], ids=["cut", "504"])
async def test_a_lost_response_is_looked_up_and_never_doubled(merchant: Merchant, fake: FakeAsaas, bad: Any) -> None:
    fake.plan("POST /payments", bad)
    charge = await merchant.issue()
    payment_from(fake, charge)
    assert fake.call_count("POST /payments") == 1


async def test_a_charge_that_was_not_created_is_requested_once_more(merchant: Merchant, fake: FakeAsaas) -> None:
    fake.plan("POST /payments", dropped(done=False))
    payment_from(fake, await merchant.issue())
    assert fake.call_count("POST /payments") == 2


async def test_an_unknown_outcome_is_a_502_and_is_withdrawn_at_asaas_later(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    fake.plan("POST /payments", dropped(done=True))
    fake.plan("GET /payments", html(502))
    order = charge_order(external_reference="pedido-1")
    assert (await merchant.api.post("/pix", order, token=merchant.key)).status_code == 502
    assert await value(database, "select count(*) from charges") == 0
    assert (await merchant.api.post("/pix", order, token=merchant.key)).status_code == 201
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(system_context(services, source="job", request_id="settle")) == 1
    assert sorted(payment["deleted"] for payment in fake.bank.all("payments")) == [False, True]
    assert await value(database, "select count(*) from issuances") == 0


@pytest.mark.parametrize("paid", ["before the look-up", "before the cancellation", "and refunded"])
async def test_a_payment_of_a_failed_request_is_listed_for_staff(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database, paid: str
) -> None:
    job = system_context(services, source="job", request_id="settle")
    fake.plan("POST /payments", dropped(done=True))
    fake.plan("GET /payments", html(502))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    (payment,) = fake.bank.main.payments.values()
    if paid == "before the cancellation":
        listed = json.dumps({"object": "list", "data": [payment]}).encode()
        fake.plan("GET /payments", Fault(200, listed))
    assert await deliver(merchant.api, fake.bank.pay(payment["id"])) == 200
    if paid == "and refunded":
        payment["status"] = "REFUNDED"
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    with structlog.testing.capture_logs() as logged:
        assert await recover_issuances(job) == 1
    status = "refunded" if paid == "and refunded" else "paid"
    (found,) = await rows(database, "select * from reconciliation_discrepancies")
    columns = {name: found[name] for name in ("kind", "charge_status", "engine_status", "txid", "resolved_at")}
    assert columns == {
        "kind": "unclaimed",
        "charge_status": None,
        "engine_status": status,
        "txid": None,
        "resolved_at": None,
    }
    assert (found["amount"], found["engine_amount"], found["engine_id"]) == (12990, 12990, payment["id"])
    assert (found["user_id"], found["charge_id"]) == (merchant.id, payment["externalReference"])
    assert [line["log_level"] for line in logged if line["event"] == "charge_differs"] == ["error"]
    actions = await rows(database, "select changes from audit_trail where action = 'charge.issuance_closed'")
    assert [action["changes"]["outcome"] for action in actions] == [{"from": "unknown", "to": "paid"}]
    assert await value(database, "select count(*) from audit_trail where action = 'difference.opened'") == 1
    assert [await value(database, f"select count(*) from {table}") for table in ("charges", "issuances")] == [0, 0]


@pytest.mark.parametrize("reference", [None, "pedido 7", "0194f3a0-0000-7000-8000-000000000000"])
async def test_a_payment_of_another_system_is_listed_for_staff(
    merchant: Merchant, fake: FakeAsaas, services: Services, database: Database, reference: str | None
) -> None:
    await merchant.issue()
    (ours,) = fake.bank.main.payments.values()
    theirs = ours | {"id": "pay_of_others", "externalReference": reference}
    notification = fake.bank.notification("PAYMENT_RECEIVED", payment=theirs | {"status": "RECEIVED"})
    assert await deliver(merchant.api, notification) == 200
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 0, "Asaas has no such payment"
    fake.bank.main.payments["pay_of_others"] = theirs
    notifications = [fake.bank.pay("pay_of_others", end_to_end_id="E00416968202611211635q5bk0brYk2C") for _ in range(2)]
    for notification in notifications:
        assert await deliver(merchant.api, notification) == 200
    (found,) = await rows(database, "select * from reconciliation_discrepancies")
    columns = ("kind", "user_id", "charge_id", "txid", "engine_id", "end_to_end_id", "amount")
    assert {name: found[name] for name in columns} == {
        "kind": "unknown_payment",
        "user_id": None,
        "charge_id": None,
        "txid": None,
        "engine_id": "pay_of_others",
        "end_to_end_id": "E00416968202611211635q5bk0brYk2C",
        "amount": 12990,
    }


async def test_a_payment_whose_end_to_end_id_comes_later_is_listed_once(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    await merchant.issue()
    (ours,) = fake.bank.main.payments.values()
    fake.bank.main.payments["pay_of_others"] = ours | {"id": "pay_of_others", "externalReference": None}
    fake.bank.pay("pay_of_others")
    payment = fake.bank.main.payments["pay_of_others"]
    for transaction in (None, payment["pixTransaction"]):
        payment["pixTransaction"] = transaction
        await deliver(merchant.api, fake.bank.notification("PAYMENT_RECEIVED", payment=dict(payment)))
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 1


async def test_a_record_with_our_reference_is_no_unknown_payment(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    charge = await merchant.issue()
    (ours,) = fake.bank.main.payments.values()
    fake.bank.main.payments["pay_twin"] = ours | {"id": "pay_twin"}
    notification = fake.bank.pay("pay_twin")
    notification["payment"]["externalReference"] = None
    assert await deliver(merchant.api, notification) == 200
    (found,) = await rows(database, "select outcome, charge_id from engine_notifications")
    assert (found["outcome"], found["charge_id"]) == ("mismatch", charge["id"])
    assert (await read(merchant, charge))["status"] == "pending"


async def test_a_failed_request_is_not_closed_while_it_can_still_be_paid(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    """Asaas refuses the deletion without a reason."""
    job = system_context(services, source="job", request_id="settle")
    fake.plan("POST /payments", dropped(done=True))
    fake.plan("GET /payments", html(502))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    fake.plan("DELETE /payments/{id}", refusal())
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job) == 0
    clock.advance(timedelta(hours=1))
    assert await recover_issuances(job) == 1
    assert [payment["deleted"] for payment in fake.bank.all("payments")] == [True]
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 0


async def test_an_expired_charge_is_deleted_at_asaas(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    ctx = system_context(services, source="job", request_id="expiry")
    charges = [await merchant.issue() for _ in range(3)]
    early = payment_from(fake, charges[0])
    fake.bank.pay(early)
    clock.advance(timedelta(hours=25))
    assert await expire_charges(ctx) == 3
    assert [fake.bank.main.payments[payment_from(fake, charge)]["deleted"] for charge in charges] == [False, True, True]
    late = fake.bank.notification("PAYMENT_RECEIVED", payment=fake.bank.main.payments[early])
    assert await deliver(merchant.api, late) == 200
    assert (await read(merchant, charges[0]))["status"] == "paid", "an early or late payment counts"
    assert (await read(merchant, charges[1]))["status"] == "expired"


async def test_a_charge_that_its_store_expires_is_deleted_at_asaas_and_late_money_wins(
    merchant: Merchant, fake: FakeAsaas, clock: MovedClock
) -> None:
    ended, paid = [await merchant.issue() for _ in range(2)]
    fake.bank.pay(payment_from(fake, paid))
    clock.advance(timedelta(seconds=1))
    for charge in (ended, paid):
        answer = await merchant.api.post(f"/pix/{charge['id']}/expire", token=merchant.key)
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, "expired")
    assert fake.bank.main.payments[payment_from(fake, ended)]["deleted"]
    assert not fake.bank.main.payments[payment_from(fake, paid)]["deleted"]
    notification = fake.bank.notification("PAYMENT_RECEIVED", payment=fake.bank.main.payments[payment_from(fake, paid)])
    assert await deliver(merchant.api, notification) == 200
    assert (await read(merchant, paid))["status"] == "paid"


async def test_expiring_a_charge_does_not_depend_on_asaas(merchant: Merchant, fake: FakeAsaas) -> None:
    charge = await merchant.issue()
    fake.plan("DELETE /payments/{id}", html(502))
    answer = await merchant.api.post(f"/pix/{charge['id']}/expire", token=merchant.key)
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, "expired")


async def test_charges_expire_during_an_outage_of_asaas(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    charges = [await merchant.issue() for _ in range(MAX_CONCURRENT_CANCELS + 2)]
    fake.plan("DELETE /payments/{id}", *[html(503)] * (MAX_CONCURRENT_CANCELS + 2))
    clock.advance(timedelta(hours=25))
    assert await expire_charges(system_context(services, source="job", request_id="expiry")) == len(charges)
    assert {(await read(merchant, charge))["status"] for charge in charges} == {"expired"}
    assert fake.call_count("DELETE /payments/{id}") == MAX_CONCURRENT_CANCELS, "the rest of the batch is skipped"


async def test_health_reports_an_engine_outage(merchant: Merchant, fake: FakeAsaas) -> None:
    fake.plan("POST /payments", html(503))
    fake.plan("GET /payments", html(503))
    assert (await merchant.api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    assert (await merchant.api.get("/health")).json()["data"]["checks"]["engine"] == "failing"
    await merchant.issue()
    assert (await merchant.api.get("/health")).json()["data"]["checks"]["engine"] == "ok"


async def test_no_call_to_asaas_is_inside_a_transaction(
    merchant: Merchant, fake: FakeAsaas, database: Database, services: Services, clock: MovedClock
) -> None:
    """No connection is inside a transaction during a call, so a slow bank holds no locks."""
    in_transaction: list[int] = []
    query = "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in tr%'"

    async def counting(call: Any) -> Any:
        in_transaction.append(await value(database, query))
        return await answer(call)

    answer = fake._answer
    fake._answer = counting  # type: ignore[method-assign]  # The fake has no other hook.
    charge, other = await merchant.issue(external_reference="pedido-1"), await merchant.issue()
    await merchant.pay(charge["id"])
    before = len(in_transaction)
    fake.bank.pay(payment_from(fake, other))
    clock.advance(FIRST_CHECK_AGE)
    assert (await reconcile(system_context(services, source="job", request_id="reconcile"))).paid == 1
    assert before >= 6
    assert len(in_transaction) > before
    assert set(in_transaction) == {0}


async def test_the_cli_registers_the_webhook_and_the_doctor_finds_it(
    services: Services, configured: Settings, fake: FakeAsaas
) -> None:
    ctx = system_context(services, source="job", request_id="a command")
    before = [finding.text async for finding in check_engines(configured) if finding.severity == "error"]
    assert [text.split(" ", 2)[1] for text in before] == ["webhook"]
    assert (await register_webhooks(ctx, Environment.test)).engine == "asaas"
    (webhook,) = fake.bank.main.webhooks.values()
    assert (webhook["url"], webhook["authToken"]) == ("https://gateway.example.com/engine/notifications/asaas", TOKEN)
    found = [finding async for finding in check_engines(configured)]
    assert {finding.severity for finding in found} == {"ok"}
    assert len(found) == 4
    assert (await register_webhooks(ctx, Environment.live)).engine == "simulator"
    fake.plan("GET /webhooks", refusal(status=403))
    with pytest.raises(EngineFailed, match="asaas"):
        await register_webhooks(ctx, Environment.test)


async def test_a_false_notification_with_the_token_pays_nothing(
    api: Api, merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    """A notification can't mark another charge as paid."""
    other = await api.register_merchant()
    paid, unpaid, theirs = await merchant.issue(), await merchant.issue(), await other.issue()
    fake.bank.pay(payment_from(fake, paid))
    received = '{"id": "evt_%d", "event": "PAYMENT_RECEIVED", "payment": {%s}}'
    own, foreign, received_id = unpaid["id"], theirs["id"], payment_from(fake, paid)
    forgeries = [
        f'"id": "{received_id}", "externalReference": "{foreign}", "value": 129.9',
        f'"id": "{received_id}", "externalReference": "{own}", "value": 129.9, "status": "RECEIVED"',
        f'"externalReference": "{own.upper()}", "value": 129.9',
        f'"externalReference": "{paid["id"]}", "externalReference": "{own}", "value": 129.9',
        f'"externalReference": "{own}", "value": 1, "value": 129.9',
        f'"externalReference": "{own}", "value": "129.90"',
        f'"externalReference": "{own}", "value": NaN',
        f'"externalReference": "{own}", "value": -129.9',
        f'"externalReference": "{own}", "value": 129.9, "endToEndIdentifier": "E00416968202611211635aaaaaaaaaaa"',
        f'"externalReference": ["{own}"], "id": {{"id": "{received_id}"}}, "value": 129.9',
        f'"externalReference": "{own}", "value": {"9" * 4000}',
        f'"externalReference": "{own}", "value": 129.9, "x": {"[" * 900}{"]" * 900}',
        f'"externalReference": "{own}", "value": 129.9, "x": "\\ud800"',
    ]
    for number, forgery in enumerate(forgeries):
        body = (received % (number, forgery)).encode()
        answer = await api.client.post(
            "/engine/notifications/asaas", content=body, headers={"asaas-access-token": TOKEN}
        )
        assert answer.status_code == 200, forgery
    states = {row["id"]: row["status"] for row in await rows(database, "select id, status from charges")}
    assert states == {paid["id"]: "pending", own: "pending", foreign: "pending"}
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 0
    assert await value(database, "select count(*) from charges where end_to_end_id is not null") == 0
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 0


async def test_a_notification_of_the_other_engine_is_404(merchant: Merchant, fake: FakeAsaas) -> None:
    charge = await merchant.issue()
    notification = fake.bank.pay(payment_from(fake, charge))
    answer = await merchant.api.post("/engine/notifications/simulator", notification, asaas_access_token=TOKEN)
    assert answer.status_code == 401, "the simulator is the engine of live, with another token"
    assert (await read(merchant, charge))["status"] == "pending"


async def test_a_lost_notification_is_found_by_checks_despite_failures(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    job = system_context(services, source="job", request_id="reconcile")
    charge = await merchant.issue()
    fake.bank.pay(payment_from(fake, charge), end_to_end_id="E00416968202611211635q5bk0brYk2C")
    clock.advance(FIRST_CHECK_AGE)
    assert (await dry_run(job)).paid == 1
    assert (await read(merchant, charge))["status"] == "pending"
    for bad in (html(502), dropped(), refusal(status=500), refusal(status=401)):
        fake.plan("GET /payments/{id}", bad)
        tally = await reconcile(job)
        assert (tally.checked, tally.unanswered) == (0, 1)
        clock.advance(MAX_RETRY_WAIT)
    assert (await reconcile(job)).paid == 1
    paid = await read(merchant, charge)
    assert (paid["status"], paid["end_to_end_id"]) == ("paid", "E00416968202611211635q5bk0brYk2C")
    late = fake.bank.notification("PAYMENT_RECEIVED", payment=fake.bank.main.payments[payment_from(fake, charge)])
    assert await deliver(merchant.api, late) == 200
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 0
    assert await value(database, "select count(*) from charge_reconciliations") == 0


async def test_a_rate_limit_of_asaas_stops_the_checks(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    job = system_context(services, source="job", request_id="reconcile")
    for _ in range(12):
        await merchant.issue()
    clock.advance(FIRST_CHECK_AGE)
    fake.plan("GET /payments/{id}", *[throttled(reset=900)] * MAX_CONCURRENT_CHECKS)
    assert (await reconcile(job)).checked == 0
    calls = fake.call_count("GET /payments/{id}")
    assert 1 <= calls <= MAX_CONCURRENT_CHECKS, "those already running"
    clock.advance(MAX_RETRY_WAIT)
    assert (await run_due_checks(job)).checked == 0
    assert fake.call_count("GET /payments/{id}") == calls, "no call during the back-off"
    assert fake.max_concurrent <= MAX_CONCURRENT_CHECKS


class LocalLimiter(Unlimited):
    """Counts in this process: a slow Redis on a busy machine would not count."""

    def __init__(self) -> None:
        self._counts = LocalCounts()

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        count, left = self._counts.count(name, 1, window_seconds)
        if count > limit:
            raise RateLimited(limit, left)

    async def forget(self, name: str) -> None:
        self._counts.forget(name)


async def test_checks_use_only_their_share_of_the_quota(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, configured: Settings
) -> None:
    share = 8
    limited = replace(
        services, settings=configured.model_copy(update={"reconciliation_rate_per_hour": share}), limiter=LocalLimiter()
    )
    job = system_context(limited, source="job", request_id="reconcile")
    for _ in range(share + 3):
        await merchant.issue()
    clock.advance(FIRST_CHECK_AGE)
    assert (await reconcile(job)).checked == share
    assert fake.call_count("GET /payments/{id}") == share
    clock.advance(RETRY_WAIT + timedelta(seconds=1))
    await limited.limiter.forget("reconciliation:test")
    assert (await run_due_checks(job)).checked == 3, "the others are checked next, as if they had not been due"


async def test_a_late_end_to_end_id_is_fetched_and_never_overwritten(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    job = system_context(services, source="job", request_id="check")
    charge, never = await merchant.issue(), await merchant.issue()
    for item in (charge, never):
        payment = fake.bank.main.payments[payment_from(fake, item)]
        notification = fake.bank.pay(payment["id"], end_to_end_id="E00416968202611211635q5bk0brYk2C")
        transaction, payment["pixTransaction"] = payment["pixTransaction"], None
        assert await deliver(merchant.api, notification) == 200
        paid = await read(merchant, item)
        assert (paid["status"], paid["end_to_end_id"]) == ("paid", None)
        if item is charge:
            found = transaction
    assert (await run_due_checks(job)).checked == 0, "it was checked just now"
    clock.advance(timedelta(seconds=20))
    assert (await run_due_checks(job)).proved == 0
    fake.bank.main.payments[payment_from(fake, charge)]["pixTransaction"] = found
    clock.advance(timedelta(seconds=30))
    assert (await run_due_checks(job)).proved == 1
    assert (await read(merchant, charge))["end_to_end_id"] == "E00416968202611211635q5bk0brYk2C"
    actions = await rows(database, "select resource_id, changes from audit_trail where action = 'charge.proved'")
    assert [action["resource_id"] for action in actions] == [charge["id"]]
    fake.bank.pix_transactions[found]["endToEndIdentifier"] = "E00416968202611211635aaaaaaaaaaa"
    again = fake.bank.notification("PAYMENT_RECEIVED", payment=fake.bank.main.payments[payment_from(fake, charge)])
    assert await deliver(merchant.api, again) == 200
    assert (await read(merchant, charge))["end_to_end_id"] == "E00416968202611211635q5bk0brYk2C"
    before = fake.call_count("GET /payments/{id}")
    for _ in range(MAX_END_TO_END_ID_ATTEMPTS):
        clock.advance(timedelta(hours=2))
        await run_due_checks(job)
    assert fake.call_count("GET /payments/{id}") - before == MAX_END_TO_END_ID_ATTEMPTS - 2, "bounded"
    assert await value(database, "select count(*) from charge_reconciliations") == 0


@pytest.mark.parametrize("order", list(permutations(("RECEIVED", "REFUNDED", "DELETED"))), ids="-".join)
async def test_the_record_of_asaas_decides_not_the_order_of_notifications(
    merchant: Merchant, fake: FakeAsaas, database: Database, order: tuple[str, ...]
) -> None:
    charge = await merchant.issue()
    fake.bank.pay(payment_from(fake, charge))
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    payment["status"] = "REFUNDED"
    for event in order:
        assert await deliver(merchant.api, fake.bank.notification(f"PAYMENT_{event}", payment=payment)) == 200
        assert (await read(merchant, charge))["status"] == "refunded"
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 0
    assert await value(database, "select count(*) from reconciliation_discrepancies") == 0


async def test_a_charge_deleted_at_asaas_is_canceled_and_a_restored_one_is_listed(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    job = system_context(services, source="job", request_id="reconcile")
    deleted, expired, refused = [await merchant.issue() for _ in range(3)]
    payments = {each["id"]: fake.bank.main.payments[payment_from(fake, each)] for each in (deleted, expired, refused)}
    forged = fake.bank.notification("PAYMENT_DELETED", payment=payments[deleted["id"]])
    assert await deliver(merchant.api, forged) == 200
    assert (await read(merchant, deleted))["status"] == "pending", "Asaas has not deleted it"
    payments[deleted["id"]]["deleted"] = True
    for _ in range(2):
        notification = fake.bank.notification("PAYMENT_DELETED", payment=payments[deleted["id"]])
        assert await deliver(merchant.api, notification) == 200
    assert (await read(merchant, deleted))["status"] == "canceled"
    assert await value(database, "select count(*) from audit_trail where action = 'charge.canceled'") == 1

    clock.advance(timedelta(hours=25))
    fake.plan("DELETE /payments/{id}", refusal(), refusal(), refusal())
    assert await expire_charges(job) == 2
    assert {payments[each["id"]]["deleted"] for each in (expired, refused)} == {False}
    clock.advance(timedelta(minutes=5))
    await run_due_checks(job)
    states = [payments[each["id"]]["deleted"] for each in (expired, refused)]
    assert sorted(states) == [False, True], "one was deleted now, and Asaas refused the other again"
    opened = await rows(
        database, "select charge_id, kind, engine_status from reconciliation_discrepancies where resolved_at is null"
    )
    assert [(row["kind"], row["engine_status"]) for row in opened] == [("payable", "pending")]
    echo = fake.bank.notification("PAYMENT_DELETED", payment=payments[expired["id"]] | {"deleted": True})
    assert await deliver(merchant.api, echo) == 200
    assert (await read(merchant, expired))["status"] == "expired", "we requested the deletion"
    clock.advance(timedelta(hours=1))
    await run_due_checks(job)
    assert (
        await value(database, "select count(*) from reconciliation_discrepancies where resolution = 'corrected'") == 1
    )
    assert {payments[each["id"]]["deleted"] for each in (expired, refused)} == {True}
    assert await value(database, "select count(*) from charge_reconciliations") == 0


async def test_payments_that_asaas_reverts_remain_paid_and_are_listed(
    merchant: Merchant, fake: FakeAsaas, database: Database
) -> None:
    charge = await merchant.issue()
    notification = fake.bank.pay(payment_from(fake, charge))
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    partial = fake.bank.notification("PAYMENT_PARTIALLY_REFUNDED", payment=payment)
    assert await deliver(merchant.api, partial) == 200, "before the payment is known"
    assert (await read(merchant, charge))["status"] == "paid"
    assert await deliver(merchant.api, notification) == 200
    payment["status"] = "PENDING"
    undone = fake.bank.notification("PAYMENT_RECEIVED_IN_CASH_UNDONE", payment=payment)
    assert await deliver(merchant.api, undone) == 200
    del fake.bank.main.payments[payment["id"]]
    assert await deliver(merchant.api, fake.bank.notification("PAYMENT_DELETED", payment=payment)) == 200
    assert (await read(merchant, charge))["status"] == "paid"
    found = await rows(
        database, "select kind, resolution, event from reconciliation_discrepancies order by created_at, id"
    )
    assert {(row["kind"], row["resolution"], row["event"]) for row in found} == {
        ("partial_refund", None, "PAYMENT_PARTIALLY_REFUNDED"),
        ("status", "corrected", "PAYMENT_RECEIVED_IN_CASH_UNDONE"),
        ("missing", None, "PAYMENT_DELETED"),
    }
    assert await value(database, "select count(*) from webhook_events where type = 'charge.paid'") == 1


def hold(fake: FakeAsaas, charge: dict[str, Any]) -> dict[str, Any]:
    """Pay, and let the bank hold the payment. Return its notification."""
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    payment["status"] = "CONFIRMED"
    notification: dict[str, Any] = fake.bank.notification("PAYMENT_CONFIRMED", payment=payment)
    return notification


async def test_a_payment_under_review_blocks_its_charge_until_the_bank_decides(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    notification = hold(fake, charge)
    for _ in range(2):
        assert await deliver(merchant.api, notification) == 200
    reviewed = await read(merchant, charge)
    assert (reviewed["status"], reviewed["under_review"], reviewed["qr_code_url"]) == ("pending", True, None)
    for action in ("expire", "send"):
        refused = await merchant.api.post(f"/pix/{charge['id']}/{action}", token=merchant.key)
        assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "COBRANCA_ENCERRADA")
    assert await read(merchant, charge) == reviewed

    clock.advance(timedelta(hours=70))
    job = system_context(services, source="job", request_id="expiry")
    assert await expire_charges(job) == 0
    await run_due_checks(job)
    assert (await read(merchant, charge)) == reviewed
    assert fake.call_count("DELETE /payments/{id}") == 0
    page = (await merchant.api.get(f"/pay/c/{charge['txid']}")).text
    assert "Pagamento em análise no banco" in page
    assert charge["pix_code"] not in page

    assert await deliver(merchant.api, fake.bank.pay(payment_from(fake, charge))) == 200
    paid = await read(merchant, charge)
    assert [paid[name] for name in ("status", "under_review", "held_at", "paid_late")] == ["paid", False, None, False]
    assert await deliver(merchant.api, notification | {"id": "evt_repeated"}) == 200
    assert (await read(merchant, charge))["status"] == "paid"
    assert await value(database, "select count(*) from webhook_events") == 2, "created and paid"


@pytest.mark.parametrize(("end", "status"), [("REFUNDED", "refunded"), ("DELETED", "canceled")])
async def test_a_payment_refused_after_its_review_ends_its_charge(
    merchant: Merchant, fake: FakeAsaas, clock: MovedClock, end: str, status: str
) -> None:
    charge = await merchant.issue()
    assert await deliver(merchant.api, hold(fake, charge)) == 200
    clock.advance(timedelta(hours=30))
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    payment |= {"deleted": True} if end == "DELETED" else {"status": "REFUNDED"}
    assert await deliver(merchant.api, fake.bank.notification(f"PAYMENT_{end}", payment=payment)) == 200
    ended = await read(merchant, charge)
    assert [ended[name] for name in ("status", "under_review", "held_at")] == [status, False, None]


async def test_a_hold_without_notification_is_found_by_a_check(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    """One is found before it expires, the other before its deletion at the bank."""
    charge, late = await merchant.issue(), await merchant.issue(expires_at=in_an_hour(clock))
    job = system_context(services, source="job", request_id="check")
    hold(fake, charge)
    hold(fake, late)
    clock.advance(FIRST_CHECK_AGE)
    await reconcile(job)
    assert (await read(merchant, charge))["under_review"] is True
    other = await merchant.issue(expires_at=in_an_hour(clock))
    hold(fake, other)
    clock.advance(timedelta(hours=2))
    assert await expire_charges(job) == 1
    clock.advance(timedelta(minutes=10))
    await run_due_checks(job)
    found = await read(merchant, other)
    assert (found["status"], found["under_review"]) == ("expired", True)
    assert (await read(merchant, late))["status"] == "pending"
    assert fake.call_count("DELETE /payments/{id}") == 0


async def test_a_charge_whose_review_ended_without_payment_expires(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    assert await deliver(merchant.api, hold(fake, charge)) == 200
    payment = fake.bank.main.payments[payment_from(fake, charge)]
    payment["status"] = "OVERDUE"
    job = system_context(services, source="job", request_id="check")
    clock.advance(timedelta(hours=30))
    await run_due_checks(job)
    assert await expire_charges(job) == 1
    assert (await read(merchant, charge))["status"] == "expired"
    assert payment["deleted"] is True


def in_an_hour(clock: MovedClock) -> str:
    return (clock.now() + timedelta(hours=1)).isoformat()


REFUSALS = {
    "payer": ("POST /customers", refusal("invalid_cpfCnpj", "O CPF/CNPJ informado é inválido."), "CPF/CNPJ"),
    "no key": ("GET /payments/{id}/pixQrCode", refusal("invalid_action", "A conta não possui chave Pix."), "chave Pix"),
    "blocked": ("POST /payments", refusal("invalid_action", "Sua conta está bloqueada."), "bloqueada"),
    "value": ("POST /payments", refusal("invalid_value", "Valor acima do limite."), "Valor acima"),
}


@pytest.mark.parametrize("which", list(REFUSALS))
async def test_a_definite_refusal_has_a_reason_and_stores_nothing(
    merchant: Merchant, fake: FakeAsaas, database: Database, configured: Settings, which: str
) -> None:
    call, fault, reason = REFUSALS[which]
    fake.plan(call, *[fault] * (3 if which == "no key" else 1))
    with structlog.testing.capture_logs() as logged:
        refused = await merchant.api.post("/pix", charge_order(external_reference="pedido-1"), token=merchant.key)
    assert refused.status_code == 502
    assert reason in refused.json()["error"]["message"]
    assert "ovamente" not in refused.text
    level = "error" if which in {"no key", "blocked"} else "warning"
    assert [line["log_level"] for line in logged if line["event"] == "engine_failed"] == [level]
    found = [(finding.severity, finding.text) async for finding in check_refused_accounts(configured)]
    assert [severity for severity, _ in found] == ["error"] * (level == "error")
    assert all(reason in text for _, text in found)
    for table in ("charges", "issuances", "webhook_events"):
        assert await value(database, f"select count(*) from {table}") == 0
    assert [payment["deleted"] for payment in fake.bank.all("payments")] == [True] * (which == "no key")
    await merchant.issue(external_reference="pedido-1")


@pytest.mark.parametrize("which", ["payer", "no key"])
async def test_a_payer_sees_no_reason_about_the_store_s_account(
    merchant: Merchant, fake: FakeAsaas, which: str
) -> None:
    made = await merchant.api.post("/payment-links", {"title": "Aula", "amount": 80}, token=merchant.key)
    slug = made.json()["data"]["slug"]
    call, fault, reason = REFUSALS[which]
    fake.plan(call, *[fault] * 3)
    order = {"name": "Maria", "email": "maria@example.com", "cpf": "529.982.247-25"}
    refused = await merchant.api.post(f"/checkout/link/{slug}/pay", order)
    assert refused.status_code == 502
    message = refused.json()["error"]["message"]
    assert ("CPF ou CNPJ" if which == "payer" else "Fale com a loja") in message
    assert reason not in message


async def test_an_unknown_outcome_asks_the_caller_to_retry(merchant: Merchant, fake: FakeAsaas) -> None:
    fake.plan("POST /payments", html(503))
    fake.plan("GET /payments", html(503))
    answer = await merchant.api.post("/pix", charge_order(), token=merchant.key)
    assert answer.status_code == 502
    assert "Tente novamente" in answer.json()["error"]["message"]


# ---- Refunds


async def test_a_refund_ends_when_asaas_reports_it(merchant: Merchant, fake: FakeAsaas, database: Database) -> None:
    charge = await merchant.issue()
    payment_id = payment_from(fake, charge)
    await deliver(merchant.api, fake.bank.pay(payment_id))
    fake.bank.main.balance = 1_000
    for amount, status in ((29.9, "paid"), (100, "refunded")):
        order = {"charge_id": charge["id"], "amount": amount}
        made = (await merchant.api.post("/refunds", order, token=merchant.key)).json()["data"]
        assert made["status"] == "processing"
        await deliver(merchant.api, fake.bank.finish_refund(payment_id))
        done = (await merchant.api.get(f"/refunds/{made['id']}", token=merchant.key)).json()["data"]
        assert (done["status"], len(done["return_id"])) == ("completed", 32)
        assert (await read(merchant, charge))["status"] == status
    assert await rows(database, "select kind from reconciliation_discrepancies") == []


async def test_a_refund_that_asaas_refuses_is_a_502_with_its_reason(merchant: Merchant, fake: FakeAsaas) -> None:
    charge = await merchant.issue()
    await deliver(merchant.api, fake.bank.pay(payment_from(fake, charge)))
    fake.bank.main.balance = 0
    refused = await merchant.api.post("/refunds", {"charge_id": charge["id"]}, token=merchant.key)
    assert refused.status_code == 502
    assert "saldo" in refused.json()["error"]["message"]
    assert (await merchant.api.get("/refunds", token=merchant.key)).json()["data"] == []


async def test_a_refund_that_asaas_cancels_is_rejected(merchant: Merchant, fake: FakeAsaas) -> None:
    charge = await merchant.issue()
    payment_id = payment_from(fake, charge)
    await deliver(merchant.api, fake.bank.pay(payment_id))
    order = {"charge_id": charge["id"], "amount": 30}
    made = (await merchant.api.post("/refunds", order, token=merchant.key)).json()["data"]
    await deliver(merchant.api, fake.bank.finish_refund(payment_id, well=False))
    ended = (await merchant.api.get(f"/refunds/{made['id']}", token=merchant.key)).json()["data"]
    assert (ended["status"], bool(ended["reject_reason"])) == ("rejected", True)
    assert (await read(merchant, charge))["refunded_amount"] == 0


async def test_a_refund_at_asaas_without_a_response_is_found_and_not_ordered_again(
    merchant: Merchant, fake: FakeAsaas, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    payment_id = payment_from(fake, charge)
    await deliver(merchant.api, fake.bank.pay(payment_id))
    fake.plan("POST /payments/{id}/refund", dropped(done=True))
    order = {"charge_id": charge["id"], "amount": 30}
    made = (await merchant.api.post("/refunds", order, token=merchant.key)).json()["data"]
    assert made["status"] == "pending"
    fake.bank.finish_refund(payment_id)
    clock.advance(timedelta(minutes=2))
    assert await recover_refunds(system_context(services, source="job", request_id="refunds")) == 1
    ended = (await merchant.api.get(f"/refunds/{made['id']}", token=merchant.key)).json()["data"]
    assert ended["status"] == "completed"
    assert (await read(merchant, charge))["refunded_amount"] == 30
    assert fake.call_count("POST /payments/{id}/refund") == 1
