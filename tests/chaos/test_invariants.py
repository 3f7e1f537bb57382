"""The check of those who must feel nothing, on evidence that was made up: it fails where
it has nothing to judge, too.
"""

from dataclasses import replace
from datetime import UTC, datetime

from gateway.resolvers.email.outbox import MAX_TEST_EMAILS
from tests.chaos.assertions import Evidence
from tests.chaos.fixtures import Endpoint
from tests.chaos.invariants import violations
from tests.chaos.receiver import Request

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SOMEBODY = Endpoint("somebody's", "/bystander", "test", [], healthy=True)
NOTHING = Evidence({}, {}, {}, [], {}, [], [], {SOMEBODY.id: SOMEBODY}, 0)


def _faults(found: Evidence, alone: str = "") -> list[str]:
    return [fault for fault in violations(found, alone=alone) if fault.startswith("I10")]


def _told(seconds: float) -> Evidence:
    event = {"id": "event", "user_id": "ana", "environment": "test", "type": "charge.created", "body": b"{}"}
    delivery = {"id": "delivery", "event_id": "event", "endpoint_id": SOMEBODY.id, "state": 1, "attempts": 1}
    request = Request(
        *(1, NOW.timestamp() + seconds, None, 200, "main", ("127.0.0.1", 1), SOMEBODY.path, "event", "delivery"),
        *(1, 0, "", "", "", ""),
    )
    endpoint = {"id": SOMEBODY.id, "user_id": "ana", "environment": "test", "events": [], "active": False}
    return replace(
        NOTHING,
        events={"event": event | {"dedupe_key": "experiment:1", "created_at": NOW}},
        deliveries={"delivery": delivery | {"failures": 0, "overdue": False, "leased_too_long": False}},
        endpoints={SOMEBODY.id: endpoint},
        requests=[request],
    )


def test_those_to_whom_nothing_was_done_are_judged_or_it_is_said_why_not() -> None:
    assert _faults(_told(1.9)) == []
    assert _faults(_told(2.1)) == ["I10: p99 of the healthy endpoints is 2.10 s"]
    assert _faults(replace(_told(1.9), requests=[])) == [
        "I10: delivery delivery of a healthy endpoint never arrived",
        "I10: no healthy endpoint got an event: nothing was judged",
    ]
    assert _faults(NOTHING) == ["I10: no healthy endpoint got an event: nothing was judged"]
    assert _faults(replace(NOTHING, registered={}), alone="nobody delivers") == []
    assert _faults(NOTHING, alone="nobody delivers") == [
        "I10: there are healthy endpoints to judge, although nobody delivers"
    ]


def test_test_payments_are_told_of_so_many_times_a_day_and_live_ones_always() -> None:
    def faults(count: int, told: int, environment: str) -> int:
        charges = {
            str(n): {"id": str(n), "user_id": "ana", "environment": environment, "status": "paid"} for n in range(count)
        }
        kinds = ("payer_receipt", "merchant_notice")
        mails = [{"kind": kind, "charge_id": str(n)} for n in range(told) for kind in kinds]
        found = violations(replace(NOTHING, charges=charges, mails=mails), alone="nobody delivers")
        return sum(fault.startswith("I8") for fault in found)

    most = MAX_TEST_EMAILS
    assert faults(most, most, "test") == faults(most + 3, most, "test") == 0
    assert faults(most, most - 1, "test") == faults(most + 1, most, "live") == 2
