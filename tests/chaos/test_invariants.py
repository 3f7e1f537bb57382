"""The checks of unaffected merchants (I10), of emails (I8) and of the bank (B1 to B8) on artificial evidence."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gateway.resolvers.email.outbox import MAX_TEST_EMAILS
from tests.chaos import bank
from tests.chaos.assertions import Evidence
from tests.chaos.fixtures import Endpoint
from tests.chaos.invariants import violations
from tests.chaos.receiver import Request
from tests.engines.fake_bcb import FakeBcb
from tests.engines.fake_bcb.bank import Cob

NOW = datetime(2026, 11, 22, tzinfo=UTC)
UNAFFECTED = Endpoint("unaffected", "/bystander", "test", [], healthy=True)
NOTHING = Evidence({}, {}, {}, [], {}, [], [], {UNAFFECTED.id: UNAFFECTED}, 0)


def _faults(found: Evidence, alone: str = "") -> list[str]:
    return [fault for fault in violations(found, alone=alone) if fault.startswith("I10")]


def _evidence(seconds: float) -> Evidence:
    event = {"id": "event", "user_id": "ana", "environment": "test", "type": "charge.created", "body": b"{}"}
    delivery = {"id": "delivery", "event_id": "event", "endpoint_id": UNAFFECTED.id, "state": 1, "attempts": 1}
    request = Request(
        *(1, NOW.timestamp() + seconds, None, 200, "main", ("127.0.0.1", 1), UNAFFECTED.path, "event", "delivery"),
        *(1, 0, "", "", "", ""),
    )
    endpoint = {"id": UNAFFECTED.id, "user_id": "ana", "environment": "test", "events": [], "active": False}
    return replace(
        NOTHING,
        events={"event": event | {"dedupe_key": "experiment:1", "created_at": NOW}},
        deliveries={"delivery": delivery | {"failures": 0, "overdue": False, "leased_too_long": False}},
        endpoints={UNAFFECTED.id: endpoint},
        requests=[request],
    )


def test_unaffected_endpoints_are_checked_or_a_reason_is_given() -> None:
    assert _faults(_evidence(1.9)) == []
    assert _faults(_evidence(2.1)) == ["I10: p99 of the healthy endpoints is 2.10 s"]
    assert _faults(replace(_evidence(1.9), requests=[])) == [
        "I10: delivery delivery of a healthy endpoint never arrived",
        "I10: no healthy endpoint got an event: nothing was checked",
    ]
    assert _faults(NOTHING) == ["I10: no healthy endpoint got an event: nothing was checked"]
    assert _faults(replace(NOTHING, registered={}), alone="no deliveries") == []
    assert _faults(NOTHING, alone="no deliveries") == [
        "I10: there are healthy endpoints to check, although no deliveries"
    ]


def test_emails_of_test_payments_are_limited_by_day_and_live_ones_are_not() -> None:
    def faults(count: int, emailed: int, environment: str) -> int:
        charges = {
            str(n): {"id": str(n), "user_id": "ana", "environment": environment, "status": "paid"} for n in range(count)
        }
        kinds = ("payer_receipt", "merchant_notice")
        mails = [{"kind": kind, "charge_id": str(n)} for n in range(emailed) for kind in kinds]
        found = violations(replace(NOTHING, charges=charges, mails=mails), alone="no deliveries")
        return sum(fault.startswith("I8") for fault in found)

    most = MAX_TEST_EMAILS
    assert faults(most, most, "test") == faults(most + 3, most, "test") == 0
    assert faults(most, most - 1, "test") == faults(most + 1, most, "live") == 2


def test_payments_and_payable_charges_of_the_bank_are_compared_with_the_gateways() -> None:
    fake = FakeBcb()
    for number, txid in enumerate("abc"):
        fake.bank.cobs[txid] = Cob(txid, {"valor": {"original": "1.00"}}, "", NOW, number)
    paid = fake.bank.pay("a")["endToEndId"]
    fake.bank.cobs["c"].status = "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    a, b = [
        {"id": txid, "status": status, "end_to_end_id": proof, "external_reference": txid}
        | {"amount": 100, "refunded_amount": 0}
        for txid, status, proof in (("a", "paid", paid), ("b", "pending", None))
    ]

    def faults(charges: dict[str, Any], *differences: dict[str, Any]) -> list[str]:
        return [fault[:2] for fault in bank.violations(bank.Books(fake, charges, list(differences)))]

    assert faults({"a": a, "b": b}) == []
    assert faults({"b": b}) == ["B1"]
    assert faults({"b": b}, {"end_to_end_id": paid}) == []
    assert faults({"a": a | {"status": "pending"}, "b": b}) == ["B1", "B2"]
    assert faults({"a": a, "b": b | {"status": "paid"}}) == ["B2", "B3"]
    assert faults({"a": a}) == ["B3"]
    assert faults({"a": a, "b": b | {"external_reference": "a"}}) == ["B4"]
    fake.bank.cobs["b"].revision = 1
    assert faults({"a": a, "b": b}) == ["B3"]


def test_returns_of_the_bank_are_compared_with_refunds() -> None:
    fake = FakeBcb()
    fake.bank.cobs["a"] = Cob("a", {"valor": {"original": "1.00"}}, "", NOW, 1)
    proof = fake.bank.pay("a")["endToEndId"]
    fake.bank.refund(proof, 60, refund_id="1")
    fake.bank.refund(proof, 40, nature="MED_FRAUDE")
    charge = {"id": "a", "end_to_end_id": proof, "external_reference": "a", "amount": 100}
    done = {"id": "1", "charge_id": "a", "status": "completed", "amount": 60}

    def faults(status: str, refunded: int, *refunds: dict[str, Any]) -> list[str]:
        charges = {"a": charge | {"status": status, "refunded_amount": refunded}}
        return [fault[:2] for fault in bank.violations(bank.Books(fake, charges, [], list(refunds)))]

    assert faults("paid", 60, done) == []
    assert faults("paid", 0) == ["B5"]
    assert faults("paid", 60, done, done | {"id": "2", "status": "rejected"}) == []
    assert faults("paid", 60, done, done | {"id": "2", "status": "pending", "amount": 30}) == ["B8"]
    assert faults("paid", 60, done, done | {"id": "2", "status": "pending"}) == ["B6", "B8"]
    assert faults("paid", 50, done | {"amount": 50}) == ["B5"]
    assert faults("paid", 100, done, done | {"id": "2", "amount": 40}) == ["B5", "B7"]
    assert faults("paid", 0, done) == faults("refunded", 60, done) == ["B7"]
    fake.bank.refund(proof, 10, nature="MED_FRAUDE")
    assert faults("paid", 60, done) == ["B6"]
