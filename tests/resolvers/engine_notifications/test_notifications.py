"""Notifications of engines: a charge is paid once, by its own payment, despite repetitions, races and false content."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import orjson
import pytest
import structlog

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.base import Environment
from gateway.models.charges import charges
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.core.due_rows import LEASE as ROUND_LEASE
from gateway.resolvers.engine_notifications.process import (
    FIRST_WAIT,
    LEASE,
    MAX_WAIT,
    process_notification,
    retry_notifications,
)
from gateway.resolvers.engine_notifications.retention import purge_notifications
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.spy_engine import overheard, overhearing
from tests.subscriptions.fixtures import wait_until_blocked

TEST_TOKEN = "test-notifications-token-0123456789abcdef"
LIVE_TOKEN = "live-notifications-token-0123456789abcdef"
END_TO_END = "E12345678202611211200abcDEF12345"


def notification(charge: dict[str, Any], event_id: str = "evt_1", **payment: Any) -> dict[str, Any]:
    payload = {"externalReference": charge["id"], "value": charge["amount"], "status": "RECEIVED", **payment}
    return {"id": event_id, "event": "PAYMENT_RECEIVED", "dateCreated": "2026-11-21 12:00:00", "payment": payload}


async def post_notification(
    api: Api, body: Any, token: str | None = TEST_TOKEN, engine: str = "simulator"
) -> httpx.Response:
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    headers = {"asaas-access-token": token} if token else {}
    return await api.client.post(f"/engine/notifications/{engine}", content=content, headers=headers)


async def outcome(api: Api, body: Any, token: str = TEST_TOKEN) -> str:
    answer = await post_notification(api, body, token)
    assert answer.status_code == 200, answer.text
    result: str = answer.json()["data"]["outcome"]
    return result


async def status(merchant: Merchant, charge: dict[str, Any]) -> str:
    found: str = (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]["status"]
    return found


async def count(database: Database, table: str, where: str = "true") -> int:
    async with database.pool.acquire() as connection:
        found: int = await connection.fetchval(f"select count(*) from {table} where {where}")
    return found


@pytest.mark.parametrize(
    "proof", [END_TO_END, "E12ABC345202611211200abcDEF12345"], ids=["digits", "a letter in the ISPB"]
)
async def test_a_notification_pays_the_charge_as_the_engine(
    api: Api, merchant: Merchant, database: Database, proof: str
) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge, endToEndIdentifier=proof)) == "applied"
    paid = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert (paid["status"], paid["end_to_end_id"], paid["paid_late"]) == ("paid", proof, False)
    assert await count(database, "audit_trail", "action = 'charge.paid' and actor_type = 'engine'") == 1


@pytest.mark.parametrize("event", ["PAYMENT_CHARGEBACK_REQUESTED", "PAYMENT_PARTIALLY_REFUNDED"])
async def test_a_discrepancy_of_a_charge_that_another_notification_pays_meanwhile_is_opened(
    api: Api, merchant: Merchant, database: Database, event: str
) -> None:
    charge = await merchant.issue()

    async def pay_meanwhile(call: str, *_: Any) -> None:
        if call == "read_charge":
            await outcome(api, notification(charge, "evt_paid"))

    async with overheard(merchant, pay_meanwhile) as slow:
        assert await outcome(slow.api, notification(charge) | {"event": event}) == "applied"
    assert await status(merchant, charge) == "paid"
    assert await count(database, "reconciliation_discrepancies", f"event = '{event}'") == 1


async def test_a_discrepancy_of_a_charge_that_changes_meanwhile_is_opened(
    api: Api, merchant: Merchant, database: Database
) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge, "evt_paid")) == "applied"
    partial = notification(charge) | {"event": "PAYMENT_PARTIALLY_REFUNDED"}
    refunded = "update charges set status = 'refunded', refunded_at = now(), refunded_amount = amount where id = $1"

    async def lock_refunds(call: str, *_: Any) -> None:
        if call == "read_charge":
            await transaction.connection.execute("lock table refunds")

    async with overheard(merchant, lock_refunds) as slow:
        async with database.transaction() as transaction:
            handling = asyncio.create_task(outcome(slow.api, partial))
            await wait_until_blocked(database, handling)
            await transaction.connection.execute(refunded, charge["id"])
        assert await handling == "applied"
    assert await count(database, "reconciliation_discrepancies", "kind = 'partial_refund'") == 1


async def test_an_internal_error_is_retried_and_answered_200(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    """After errors the bank stops all notifications, also those of other stores."""
    charge = await merchant.issue()
    broken = [True]

    async def breaking(call: str, *_: Any) -> None:
        if call == "read_charge" and broken.pop():
            raise RuntimeError("a charge that we can't read")

    async with overheard(merchant, breaking) as unlucky:
        assert await outcome(unlucky.api, notification(charge)) == "received"
    clock.advance(LEASE)
    await retry_notifications(system_context(services, source="job", request_id="retry"))
    assert await status(merchant, charge) == "paid"


@pytest.mark.parametrize(("behaviour", "at_first"), [(Behaviour.duplicate, "paid"), (Behaviour.late, "pending")])
async def test_a_notification_that_comes_twice_or_late_pays_once(
    api: Api, merchant: Merchant, database: Database, engines: Engines, behaviour: Behaviour, at_first: str
) -> None:
    assert isinstance(engines.test, Simulator)
    charge = await merchant.issue()
    engines.test.scenario.plan("confirm_test", behaviour)
    assert (await merchant.pay(charge["id"]))["status"] == at_first
    [on_its_way] = engines.test.scenario.pending_notifications
    assert await outcome(api, on_its_way) == "applied"
    assert await outcome(api, on_its_way) == "ignored"
    assert await status(merchant, charge) == "paid"
    assert await count(database, "engine_notifications") == (2 if behaviour is Behaviour.duplicate else 1)
    for table, where in (("webhook_events", "type = 'charge.paid'"), ("audit_trail", "action = 'charge.paid'")):
        assert await count(database, table, where) == 1


@pytest.mark.parametrize("ids", [["evt_1"] * 100, [f"evt_{n}" for n in range(100)]], ids=["one event", "a hundred"])
async def test_a_hundred_concurrent_notifications_pay_once(
    api: Api, merchant: Merchant, database: Database, ids: list[str]
) -> None:
    charge = await merchant.issue()
    answers = await asyncio.gather(*(post_notification(api, notification(charge, event_id)) for event_id in ids))
    assert {answer.status_code for answer in answers} == {200}
    assert await status(merchant, charge) == "paid"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1
    assert await count(database, "audit_trail", "action = 'charge.paid'") == 1
    assert await count(database, "engine_notifications") == len(set(ids))
    assert await count(database, "engine_notifications", "outcome <> 'applied'") == 0


async def test_the_end_to_end_id_is_the_banks(api: Api, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    proofs = [f"E1234567820261121120{n:012d}" for n in range(20)]
    await asyncio.gather(
        *(
            post_notification(api, notification(charge, f"evt_{n}", endToEndIdentifier=proof))
            for n, proof in enumerate(proofs)
        )
    )
    async with database.pool.acquire() as connection:
        result = await connection.fetchval("select end_to_end_id from charges")
        expected = await connection.fetchval("select end_to_end_id from simulator_charges")
    assert result == expected
    assert result in proofs


@pytest.mark.parametrize("value", [129.89, 129.91, 0, 0.01, "129.9x", None, True, 1e400, [129.9]])
async def test_a_wrong_amount_pays_nothing(api: Api, merchant: Merchant, database: Database, value: object) -> None:
    charge = await merchant.issue()
    body = orjson.dumps(notification(charge, value="WRONG")).replace(b'"WRONG"', _json(value))
    assert await outcome(api, body) in {"mismatch", "ignored"}
    assert await status(merchant, charge) == "pending"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 0
    assert await outcome(api, notification(charge, "evt_2")) == "applied", "the right payment still counts"


def _json(value: object) -> bytes:
    return b"1e400" if value == 1e400 else orjson.dumps(value)


async def test_a_wrong_amount_is_logged_and_counted(api: Api, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge, value=1.0)) == "mismatch"
    assert await count(database, "engine_notifications", f"outcome = 'mismatch' and charge_id = '{charge['id']}'") == 1


async def test_a_late_payment_is_accepted(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    charge = await merchant.issue()
    clock.advance(timedelta(hours=25))
    assert await status(merchant, charge) == "expired"
    assert await outcome(api, notification(charge)) == "applied"
    paid = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert (paid["status"], paid["paid_late"]) == ("paid", True)


async def test_a_repeated_notification_is_ignored(api: Api, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge)) == "applied"
    assert await outcome(api, notification(charge)) == "ignored"
    assert await outcome(api, notification(charge, "evt_2")) == "applied"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"id": 1, "event": "PAYMENT_RECEIVED"}',
        b'{"id": "", "event": "PAYMENT_RECEIVED"}',
        b'{"id": "evt_\\u0000", "event": "PAYMENT_RECEIVED"}',
        b'{"id": "evt", "event": "PAYMENT_RECEIVED"}',
        b'{"id": "evt", "event": "PAYMENT_RECEIVED", "payment": 7}',
        b'{"id": "evt", "event": "PAYMENT_RECEIVED", "payment": {"id": "x\\u0000", "externalReference": "\\u0000"}}',
        b'{"id": "evt", "event": "PAYMENT_RECEIVED", "payment": {"externalReference": "not an id", "value": 5}}',
        b'{"id": "evt", "event": "SOMETHING_NEW", "payment": {"id": "pay_1"}}',
        b'{"id": "evt", "event": "PAYMENT_OVERDUE", "payment": {"id": "pay_1"}}',
        b"[" * 10_000,
        b'{"id":"evt","event":"' + b"x" * 200_000 + b'"}',
    ],
)
async def test_an_invalid_notification_is_answered_200_and_changes_nothing(
    api: Api, database: Database, body: bytes
) -> None:
    assert await outcome(api, body) == "ignored"
    assert await count(database, "audit_trail") == 0


async def test_an_unreadable_notification_is_logged_without_its_content(api: Api) -> None:
    for body in (b"[]", b'{"id": "evt", "payment": {"payer": "Jose"}}'):
        with structlog.testing.capture_logs() as logged:
            assert await outcome(api, body) == "ignored"
        (line,) = [each for each in logged if each["event"] == "engine_notification_unreadable"]
        assert (line["engine"], line["environment"], line["size"]) == ("simulator", "test", len(body))
        assert "Jose" not in str(logged)


async def test_a_charge_that_is_not_ours_is_ignored(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge | {"id": new_id()})) == "ignored"
    assert await status(merchant, charge) == "pending"


@pytest.mark.parametrize("reference", [None, "", "pedido-7", new_id()], ids=["none", "empty", "no id", "unknown"])
async def test_a_charge_is_found_by_the_engines_own_id_too(
    api: Api, merchant: Merchant, database: Database, reference: str | None
) -> None:
    charge = await merchant.issue()
    async with database.pool.acquire() as connection:
        engine_id = await connection.fetchval("select engine_id from charges")
    assert await outcome(api, notification(charge, externalReference=reference, id=engine_id)) == "applied"
    assert await status(merchant, charge) == "paid"


@pytest.mark.parametrize("named", ["an unknown charge's", "another charge's"])
async def test_an_engine_id_must_be_of_the_referenced_charge(
    api: Api, merchant: Merchant, database: Database, named: str
) -> None:
    charge, other = await merchant.issue(), await merchant.issue()
    own, theirs = [
        await sql.value(database, "select engine_id from charges where id = $1", each["id"]) for each in (charge, other)
    ]
    foreign = theirs if named == "another charge's" else "pay_unknown"
    assert await outcome(api, notification(charge, "evt_1", id=foreign)) == "mismatch"
    for event in ("REFUNDED", "DELETED"):
        payload = notification(charge, event, id=foreign) | {"event": f"PAYMENT_{event}"}
        assert await outcome(api, payload) == "ignored"
    assert [await status(merchant, each) for each in (charge, other)] == ["pending", "pending"]
    assert await count(database, "simulator_charges", "status <> 'PENDING'") == 0, "the bank has no payment"
    result = await sql.value(database, "select detail from engine_notifications where event_id = 'evt_1'")
    assert result == "another charge in the notification"
    assert await outcome(api, notification(charge, "evt_2", id=own)) == "applied"
    assert [await status(merchant, each) for each in (charge, other)] == ["paid", "pending"]


async def test_the_token_decides_the_environment(api: Api, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge), LIVE_TOKEN) == "ignored"
    assert await status(merchant, charge) == "pending"
    assert await outcome(api, notification(charge), TEST_TOKEN) == "applied", (
        "the same event id, of the other environment"
    )
    assert await count(database, "engine_notifications") == 2


@pytest.mark.parametrize("token", [None, "", "wrong", TEST_TOKEN + "x", TEST_TOKEN[:-1], "ção"])
async def test_a_wrong_token_is_401_and_nothing_is_stored(
    api: Api, merchant: Merchant, database: Database, token: str | None
) -> None:
    charge = await merchant.issue()
    headers = [(b"asaas-access-token", token.encode())] if token is not None else []
    answer = await api.client.post(
        "/engine/notifications/simulator", content=orjson.dumps(notification(charge)), headers=headers
    )
    assert (answer.status_code, answer.json()) == (401, {"error": "Token inválido ou expirado"})
    assert await count(database, "engine_notifications") == 0
    assert await status(merchant, charge) == "pending"


async def test_an_unserved_engine_is_404_only_with_a_right_token(api: Api) -> None:
    for engine in ("asaas", "unknown", "simulator/x"):
        assert (await post_notification(api, {}, engine=engine)).status_code == 404
    assert (await post_notification(api, {}, "wrong", engine="asaas")).status_code == 401
    assert (await post_notification(api, {}, "wrong", engine="unknown")).status_code == 404
    assert (await post_notification(api, {}, engine="SIMULATOR/")).status_code == 200


async def test_a_body_over_256_kib_is_413(api: Api) -> None:
    assert (await post_notification(api, b" " * (256 * 1024))).status_code == 200
    refused = await post_notification(api, b" " * (256 * 1024 + 1))
    assert (refused.status_code, "256 KiB" in refused.text) == (413, True)


async def test_a_notification_is_retried_after_an_engine_outage(
    api: Api, merchant: Merchant, engines: Engines, services: Services, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", Behaviour.unavailable, Behaviour.timeout_before)
    assert await outcome(api, notification(charge)) == "received"
    assert await status(merchant, charge) == "pending"

    job = system_context(services, source="job", request_id="a job")
    assert await retry_notifications(job) == 0, "not due yet"
    clock.advance(LEASE)
    assert await retry_notifications(job) == 0, "a second call without a response"
    assert await status(merchant, charge) == "pending"
    clock.advance(FIRST_WAIT)
    assert await retry_notifications(job) == 1
    assert await status(merchant, charge) == "paid"
    clock.advance(timedelta(hours=2))
    assert await retry_notifications(job) == 0, "nothing is left to do"


@pytest.mark.parametrize("attempts", [50, 1000])
async def test_a_notification_is_retried_after_any_number_of_attempts(
    api: Api,
    merchant: Merchant,
    engines: Engines,
    services: Services,
    clock: MovedClock,
    database: Database,
    attempts: int,
) -> None:
    charge = await merchant.issue()
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", Behaviour.unavailable, Behaviour.unavailable)
    assert await outcome(api, notification(charge)) == "received"
    await sql.run(database, "update engine_notifications set attempts = $1", attempts)
    job = system_context(services, source="job", request_id="a job")
    clock.advance(LEASE)
    assert await retry_notifications(job) == 0
    clock.advance(MAX_WAIT)
    assert await retry_notifications(job) == 1
    assert await status(merchant, charge) == "paid"


async def test_a_waiting_notification_is_handled_when_it_is_repeated(
    api: Api, merchant: Merchant, engines: Engines, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", Behaviour.unavailable)
    assert await outcome(api, notification(charge)) == "received"
    assert await outcome(api, notification(charge)) == "ignored", "its lease may still be valid"
    clock.advance(LEASE)
    assert await outcome(api, notification(charge)) == "applied"
    assert await count(database, "engine_notifications") == 1


async def test_concurrent_repetitions_make_no_engine_call(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    job = system_context(services, source="job", request_id="a job")
    calls: list[str] = []
    reached, let_go = asyncio.Event(), asyncio.Event()

    async def on_call(call: str, *_: object) -> None:
        if call in {"apply_notification", "read_charge"}:
            calls.append(call)
        if call == "read_charge":
            reached.set()
            await let_go.wait()

    async with overheard(merchant, on_call) as slow:
        first = asyncio.create_task(outcome(slow.api, notification(charge)))
        await asyncio.wait_for(reached.wait(), 60)
        clock.advance(LEASE - timedelta(milliseconds=1))
        repeated = [await asyncio.wait_for(outcome(slow.api, notification(charge)), 60) for _ in range(5)]
        assert await retry_notifications(job) == 0
        let_go.set()
        assert (await first, repeated) == ("applied", ["ignored"] * 5)
    assert calls == ["apply_notification", "read_charge"]
    assert await count(database, "engine_notifications") == 1
    assert await status(merchant, charge) == "paid"


@pytest.mark.parametrize("whose", ["a receiver's", "the retries'", "a repetition's"])
async def test_a_notification_of_a_killed_process_is_handled_after_its_lease(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, whose: str
) -> None:
    """The next claim is exclusive, too."""
    charge = await merchant.issue()
    job = system_context(services, source="job", request_id="a job")
    died = [asyncio.CancelledError("the process died here")]

    async def dead(call: str, *_: object) -> None:
        if call == "read_charge" and died:
            raise died.pop()

    ctx = system_context(overhearing(services, dead), source="engine", request_id="notification")
    payload = orjson.dumps(notification(charge))
    if whose != "a receiver's":
        assert isinstance(engines.test, Simulator)
        engines.test.scenario.plan("read_charge", Behaviour.unavailable)
        assert await outcome(merchant.api, payload) == "received"
        clock.advance(LEASE)
    retried = whose == "the retries'"
    handling = (
        retry_notifications(ctx)
        if retried
        else process_notification(ctx, ctx.services.engines.test, Environment.test, payload)
    )
    with pytest.raises(asyncio.CancelledError, match="died here"):
        await handling
    clock.advance((ROUND_LEASE if retried else LEASE) - timedelta(milliseconds=1))
    assert (await outcome(merchant.api, payload), await retry_notifications(job)) == ("ignored", 0)
    clock.advance(timedelta(milliseconds=1))
    result = sorted(await asyncio.gather(*(outcome(merchant.api, payload) for _ in range(5))))
    assert result == ["applied", *["ignored"] * 4]
    assert await status(merchant, charge) == "paid"


async def test_a_payment_during_issuance_waits_for_the_charge(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    async with database.pool.acquire() as connection:
        # The engine knows the charge, and its transaction is not committed yet.
        await connection.execute("create temporary table snapshot as select * from charges")
        await connection.execute("alter table snapshot drop column search")
        await connection.execute("delete from charges")
        await connection.execute(
            "insert into issuances (charge_id, txid, user_id, environment, engine, amount, next_attempt_at, created_at) "
            "select id, txid, user_id, environment, engine, amount, now(), now() from snapshot"
        )
        assert await outcome(api, notification(charge)) == "received"
        stored = ", ".join(column.name for column in charges.c if column.computed is None)
        await connection.execute(f"insert into charges ({stored}) select {stored} from snapshot")
        await connection.execute("delete from issuances")
        await connection.execute("drop table snapshot")
    clock.advance(LEASE)
    assert await retry_notifications(system_context(services, source="job", request_id="a job")) == 1
    assert await status(merchant, charge) == "paid"


async def test_a_simulated_payment_that_can_not_be_verified_is_a_502(
    api: Api, merchant: Merchant, engines: Engines
) -> None:
    charge = await merchant.issue()
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", Behaviour.unavailable)
    answer = await api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.key)
    assert answer.status_code == 502
    assert await status(merchant, charge) == "pending"


async def test_two_concurrent_retries_handle_a_notification_once(
    api: Api, merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    charge = await merchant.issue()
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("read_charge", Behaviour.unavailable)
    await outcome(api, notification(charge))
    clock.advance(LEASE)
    job = system_context(services, source="job", request_id="a job")
    assert sorted(await asyncio.gather(retry_notifications(job), retry_notifications(job))) == [0, 1]
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1


async def test_a_notification_of_a_former_engine_is_ignored(
    services: Services, database: Database, clock: MovedClock
) -> None:
    async with database.pool.acquire() as connection:
        await connection.execute(
            "insert into engine_notifications (id, engine, environment, event_id, event, body, next_attempt_at, received_at) "
            "values (uuidv7(), 'former', $1, 'evt_1', 'PAYMENT_RECEIVED', '{}', $2, $2)",
            Environment.test.value,
            clock.now(),
        )
    assert await retry_notifications(system_context(services, source="job", request_id="a job")) == 1
    assert await count(database, "engine_notifications", "outcome = 'ignored' and detail like 'another engine%'") == 1


async def test_old_handled_notifications_are_deleted(
    api: Api, merchant: Merchant, services: Services, engines: Engines, database: Database
) -> None:
    assert isinstance(engines.test, Simulator)
    job = system_context(services, source="job", request_id="a job")
    charges = [await merchant.issue() for _ in range(5)]
    for number, charge in enumerate(charges[:4]):
        assert await outcome(api, notification(charge, f"evt_{number}")) == "applied"
    engines.test.scenario.plan("read_charge", Behaviour.unavailable)
    assert await outcome(api, notification(charges[4], "waiting")) == "received"
    await purge_notifications(job)
    assert await count(database, "engine_notifications") == 5, "all are too recent"
    await sql.run(
        database, "update engine_notifications set id = uuidv7(interval '-91 days') where event_id <> 'evt_3'"
    )
    await purge_notifications(job, batch=2)
    remaining = await sql.rows(database, "select event_id, outcome from engine_notifications order by event_id")
    assert [tuple(row) for row in remaining] == [("evt_3", "applied"), ("waiting", "received")]


@pytest.mark.parametrize("since", ["paid", "refunded"])
async def test_a_repetition_of_a_deleted_notification_changes_nothing(
    api: Api, merchant: Merchant, services: Services, database: Database, since: str
) -> None:
    charge = await merchant.issue()
    assert await outcome(api, notification(charge, "long ago")) == "applied"
    if since == "refunded":
        refund = notification(charge, "later", status="REFUNDED") | {"event": "PAYMENT_REFUNDED"}
        assert await outcome(api, refund) == "applied"
    before = await status(merchant, charge)
    await purge_notifications(system_context(services, source="job", request_id="a job"), days=-1)
    assert await count(database, "engine_notifications") == 0
    result = [
        await count(database, table)
        for table in ("webhook_events", "audit_trail", "emails", "reconciliation_discrepancies")
    ]
    assert await outcome(api, notification(charge, "long ago")) == ("applied" if since == "paid" else "ignored")
    assert (await status(merchant, charge), before) == (since, since)
    assert result == [
        await count(database, table)
        for table in ("webhook_events", "audit_trail", "emails", "reconciliation_discrepancies")
    ]


async def test_a_refund_writes_no_document_of_the_store_that_the_payment_had_not(
    api: Api, merchant: Merchant, database: Database
) -> None:
    await sql.run(database, "update users set cnpj = null where id = $1", merchant.id)
    paid, unpaid = await merchant.issue(), await merchant.issue()
    assert await outcome(api, notification(paid, "paid")) == "applied"
    await api.put("/auth/profile", {"cnpj": "11.222.333/0001-81"}, token=merchant.token)
    for charge in (paid, unpaid):
        refund = notification(charge, charge["id"], status="REFUNDED") | {"event": "PAYMENT_REFUNDED"}
        assert await outcome(api, refund) == "applied"
    details = [(await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"] for charge in (paid, unpaid)]
    assert [charge["store_document"] for charge in details] == [None, "11222333000181"]
    assert {charge["store_name"] for charge in details} == {"Loja da Ana"}
