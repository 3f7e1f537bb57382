"""A body with several notifications: each is stored, handled and retried by itself."""

from collections.abc import Mapping
from typing import Any

import orjson
from msgspec.structs import replace

from gateway.integrations.engines.interface import Notification
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.base import Environment
from gateway.models.engines import NotificationOutcome
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import LEASE, process_notification, retry_notifications
from tests.api_client import Merchant
from tests.fake_clock import MovedClock
from tests.simulators import simulator
from tests.sql import rows


class GroupingEngine(Simulator):
    """Sends several notifications in one body."""

    def parse_notifications(self, body: Mapping[str, Any]) -> list[Notification]:
        parts = body.get("several", [body])
        return [
            replace(each, body=part) for part in parts for each in super(GroupingEngine, self).parse_notifications(part)
        ]


def notification(charge: dict[str, Any], event_id: str) -> dict[str, Any]:
    payment = {"externalReference": charge["id"], "value": charge["amount"]}
    return {"id": event_id, "event": "PAYMENT_RECEIVED", "payment": payment}


async def test_each_notification_of_a_body_is_handled_and_retried_by_itself(
    merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    engine = simulator(services.database, clock, kind=GroupingEngine)
    served = replace(services, engines=replace(services.engines, test=engine))
    ctx = system_context(served, source="engine", request_id="a body")
    charges = [await merchant.issue() for _ in range(3)]
    notifications = [notification(charge, f"evt_{number}") for number, charge in enumerate(charges)]
    unknown = notification({"id": "unknown", "amount": 5}, "evt_unknown")

    async def process(*bodies: dict[str, Any]) -> NotificationOutcome:
        return await process_notification(ctx, engine, Environment.test, orjson.dumps({"several": bodies}))

    async def statuses() -> list[str]:
        found = await merchant.api.get("/pix", token=merchant.key)
        by_id = {charge["id"]: charge["status"] for charge in found.json()["data"]}
        return [by_id[charge["id"]] for charge in charges]

    engine.scenario.plan("read_charge", None, Behaviour.unavailable)
    assert await process(*notifications, notifications[0], unknown) is NotificationOutcome.received
    assert await statuses() == ["paid", "pending", "paid"]
    stored = await rows(services.database, "select event_id, outcome, body from engine_notifications order by event_id")
    assert [(row["event_id"], row["outcome"]) for row in stored] == [
        ("evt_0", "applied"),
        ("evt_1", "received"),
        ("evt_2", "applied"),
        ("evt_unknown", "ignored"),
    ]
    assert [orjson.loads(row["body"]) for row in stored] == [*notifications, unknown]

    clock.advance(LEASE)
    assert await retry_notifications(ctx) == 1
    assert await statuses() == ["paid"] * 3
    assert await process(*notifications) is NotificationOutcome.ignored
    assert await process() is NotificationOutcome.ignored
