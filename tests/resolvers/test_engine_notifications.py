"""Engine notifications: stored once, verified, applied once, with any content (contract section 6)."""

import asyncio
from typing import Any

import orjson
import pytest

from gateway.integrations.engines.interface import Engines
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.models.engines import NotificationOutcome
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import LEASE, process_notification
from tests.api_client import Merchant
from tests.fake_clock import MovedClock
from tests.resolvers.test_idempotency import count
from tests.spy_engine import overhearing


def notification(charge: dict[str, Any], **changes: Any) -> dict[str, Any]:
    payment = {"externalReference": charge["id"], "value": charge["amount"], "status": "RECEIVED"}
    payment |= changes.pop("payment", {})
    return {"id": "evt_1", "event": "PAYMENT_RECEIVED", "dateCreated": "2026-01-01", "payment": payment, **changes}


class Bank:
    """Sends notifications to the gateway."""

    def __init__(self, services: Services, engines: Engines) -> None:
        self._services, self._engines = services, engines

    async def says(self, body: Any, environment: Environment = Environment.test) -> NotificationOutcome:
        ctx = system_context(self._services, source="engine", request_id="notification")
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        return await process_notification(ctx, self._engines.of(environment), environment, raw)


@pytest.fixture
def bank(services: Services, engines: Engines) -> Bank:
    return Bank(services, engines)


async def status(merchant: Merchant, charge: dict[str, Any]) -> str:
    response = await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)
    return str(response.json()["data"]["status"])


async def test_a_notification_pays_the_charge_once(bank: Bank, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    assert await bank.says(notification(charge)) == NotificationOutcome.applied
    assert await bank.says(notification(charge)) == NotificationOutcome.ignored
    assert await bank.says(notification(charge, id="evt_2")) == NotificationOutcome.applied
    assert await status(merchant, charge) == "paid"
    assert await count(database, "engine_notifications") == 2
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1
    async with database.pool.acquire() as connection:
        record = await connection.fetchrow("select * from audit_trail where action = 'charge.paid'")
    assert (record["actor_type"], record["store_id"], record["source"]) == ("engine", merchant.id, "engine")


@pytest.mark.parametrize("same_event", [True, False])
async def test_a_hundred_concurrent_notifications_insert_one_event(
    bank: Bank, merchant: Merchant, database: Database, same_event: bool
) -> None:
    charge = await merchant.issue()
    bodies = [notification(charge, id="evt" if same_event else f"evt_{number}") for number in range(100)]
    outcomes = await asyncio.gather(*(bank.says(body) for body in bodies))
    applied = NotificationOutcome.applied
    assert sorted(outcomes) == ([applied, *[NotificationOutcome.ignored] * 99] if same_event else [applied] * 100)
    assert await status(merchant, charge) == "paid"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1
    assert await count(database, "audit_trail", "action = 'charge.paid'") == 1
    assert await count(database, "engine_notifications") == (1 if same_event else 100)
    assert await count(database, "engine_notifications", "outcome = 'received'") == 0


async def test_a_notification_races_with_a_simulated_payment(
    bank: Bank, merchant: Merchant, database: Database
) -> None:
    for number in range(5):
        charge = await merchant.issue()
        calls = [bank.says(notification(charge, id=f"{number}_{n}")) for n in range(5)]
        paying = [merchant.pay(charge["id"]) for _ in range(5)]
        await asyncio.gather(*calls, *paying)
        assert await status(merchant, charge) == "paid"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 5
    assert await count(database, "audit_trail", "action = 'charge.paid'") == 5


@pytest.mark.parametrize("value", [129.91, 1, 0, "x", None, -1, 1e300, True, 129.901])
async def test_a_payment_of_a_wrong_amount_leaves_it_pending(
    bank: Bank, merchant: Merchant, database: Database, value: object
) -> None:
    charge = await merchant.issue()
    assert await bank.says(notification(charge, payment={"value": value})) == NotificationOutcome.mismatch
    assert await status(merchant, charge) == "pending"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 0


async def test_a_notification_of_the_other_environment_finds_nothing(bank: Bank, merchant: Merchant) -> None:
    charge = await merchant.issue()
    assert await bank.says(notification(charge), Environment.live) == NotificationOutcome.ignored
    assert await status(merchant, charge) == "pending"


async def test_a_charge_is_found_by_the_engine_s_own_id_too(bank: Bank, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    async with database.pool.acquire() as connection:
        engine_id = await connection.fetchval("select engine_id from charges")
    body = notification(charge, payment={"id": engine_id, "externalReference": None})
    assert await bank.says(body) == NotificationOutcome.applied
    assert await status(merchant, charge) == "paid"


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"\xff", b"7", b'"x"', b"[" * 5000, b"{}"),
        {"id": "e", "event": 7},
        {"id": None, "event": "PAYMENT_RECEIVED"},
        {"id": "a\x00b", "event": "PAYMENT_RECEIVED", "payment": {}},
        {"id": "x" * 5000, "event": "PAYMENT_RECEIVED"},
        {"id": "e", "event": "PAYMENT_RECEIVED", "payment": [1]},
        {"id": "e", "event": "PAYMENT_RECEIVED", "payment": {"id": "a\x00", "externalReference": "\x00", "value": 5}},
        {"id": "e", "event": "PAYMENT_RECEIVED", "payment": {"externalReference": "' or true --", "value": 5}},
        {"id": "e", "event": "ALGO_NOVO", "payment": {"id": "x"}},
        {"id": "e", "event": "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", "account": {"id": "x"}},
    ],
    ids=lambda body: repr(body)[:40],
)
async def test_an_unknown_notification_is_ignored(bank: Bank, merchant: Merchant, body: object) -> None:
    charge = await merchant.issue()
    assert await bank.says(body) == NotificationOutcome.ignored
    assert await status(merchant, charge) == "pending"


async def test_a_notification_with_failed_handling_is_handled_when_it_is_repeated(
    bank: Bank, services: Services, merchant: Merchant, clock: MovedClock
) -> None:
    charge = await merchant.issue()

    async def dead(call: str, *_: object) -> None:
        if call == "read_charge":
            raise asyncio.CancelledError("the process died here")

    dying = overhearing(services, dead)
    with pytest.raises(asyncio.CancelledError, match="died here"):
        await Bank(dying, dying.engines).says(notification(charge))
    assert await status(merchant, charge) == "pending"
    assert await bank.says(notification(charge)) == NotificationOutcome.ignored, "its lease is still valid"
    clock.advance(LEASE)
    assert await bank.says(notification(charge)) == NotificationOutcome.applied
    assert await status(merchant, charge) == "paid"
