"""Notifications in any order, repeated or lost: a charge ends in the engine's state."""

import asyncio
from collections import Counter
from itertools import chain, permutations
from typing import Any

import orjson
import pytest

from gateway.integrations.engines.interface import (
    Engines,
    EngineState,
)
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.models.database import Database
from gateway.models.reconciliation import COMPARABLE_KINDS
from gateway.resolvers.charges.status import ALLOWED
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import process_notification
from gateway.resolvers.reconciliation.apply_engine_state import STATUS_AFTER
from gateway.resolvers.reconciliation.compare import DECISION_TABLE, Action
from tests.api_client import Merchant

EVENTS = ("CREATED", "CONFIRMED", "RECEIVED", "REFUNDED", "DELETED")
MOVES = ("RECEIVED", "REFUNDED", "DELETED", "RESTORED")
ORDERINGS = [
    *permutations(EVENTS),
    *chain.from_iterable(permutations(MOVES, length) for length in (1, 2, 3)),
    ("RECEIVED", "RECEIVED", "DELETED", "RECEIVED"),
    ("DELETED", "DELETED", "RESTORED", "RESTORED", "RECEIVED", "REFUNDED", "RECEIVED"),
]
ENDS = {"refunded": "refunded", "paid": "paid", "retired": "canceled", "pending": "pending"}


def end_of(sequence: tuple[str, ...]) -> str:
    """The final state at the bank: payments and refunds are final."""
    state = "pending"
    for event in sequence:
        if event == "REFUNDED":
            state = "refunded"
        elif event == "RECEIVED" and state != "refunded":
            state = "paid"
        elif event == "DELETED" and state == "pending":
            state = "retired"
        elif event == "RESTORED" and state == "retired":
            state = "pending"
    return state


async def test_every_order_of_notifications_ends_in_the_engines_state(
    services: Services, engines: Engines, merchant: Merchant, database: Database
) -> None:
    coupon = {"code": "PROMO10", "discount_type": "fixed", "discount_value": 1}
    product = {"name": "Violão", "price": 300}
    made = [
        (await merchant.api.post(path, form, token=merchant.token)).json()["data"]
        for path, form in (("/coupons", coupon), ("/products", product))
    ]
    order = {"amount": None, "product_id": made[1]["id"], "coupon_code": "PROMO10"}
    issued = [await merchant.issue(**order) for _ in ORDERINGS]
    ctx = system_context(services, source="engine", request_id="notifications")

    async def notify(charge: dict[str, Any], sequence: tuple[str, ...]) -> None:
        for number, event in enumerate(sequence):
            payment = {"externalReference": charge["id"], "value": charge["amount"]}
            body = {"id": f"{charge['id'][-12:]}_{number}", "event": f"PAYMENT_{event}", "payment": payment}
            for raw in [orjson.dumps(body)] * (2 if number == 1 else 1):  # One is sent twice.
                await process_notification(ctx, engines.test, Environment.test, raw)

    await asyncio.gather(*(notify(*each) for each in zip(issued, ORDERINGS, strict=True)))

    async with database.pool.acquire() as connection:
        rows = await connection.fetch("select id, status, paid_at, end_to_end_id from charges")
        acts = await connection.fetch(
            "select resource_id, changes -> 'status' as change from audit_trail "
            "where changes ? 'status' and resource_type = 'charge' order by id"
        )
        events = await connection.fetch("select type, dedupe_key from webhook_events where type <> 'charge.created'")
        uses = await connection.fetchval("select uses_count from coupons")
        undecided = await connection.fetchval("select count(*) from engine_notifications where outcome = 'received'")
        differing = await connection.fetch(
            "select charge_id, kind from reconciliation_discrepancies where resolved_at is null"
        )
    states = {row["id"]: row for row in rows}
    restored = set()
    for charge, sequence in zip(issued, ORDERINGS, strict=True):
        row, ended = states[charge["id"]], ENDS[end_of(sequence)]
        if "RESTORED" in sequence and ended == "pending" and "DELETED" in sequence[: sequence.index("RESTORED")]:
            restored.add(charge["id"])
            ended = "canceled"
        assert row["status"] == ended, sequence
        assert (row["paid_at"] is not None) == (ended in {"paid", "refunded"}), sequence
        # The merchant is notified once of a payment that is still there,
        # and not of a refunded one.
        paid_first = (
            "RECEIVED" in sequence
            and "RECEIVED" in sequence[: sequence.index("REFUNDED") if "REFUNDED" in sequence else 99]
        )
        keys = Counter(event["dedupe_key"] for event in events)
        assert keys[f"charge.paid:{charge['id']}"] == int(paid_first), sequence
    for act in acts:
        before, after = act["change"]["from"], act["change"]["to"]
        assert after in ALLOWED[ChargeStatus(before)], (before, after)
    assert {event["type"] for event in events} == {"charge.paid"}
    assert uses == sum(row["status"] in {"pending", "paid", "refunded"} for row in rows)
    assert undecided == 0
    assert {(row["charge_id"], row["kind"]) for row in differing} == {(charge, "payable") for charge in restored}


def test_the_decision_table_is_total_and_allows_only_valid_transitions() -> None:
    assert set(DECISION_TABLE) == set(ChargeStatus)
    for status, findings in DECISION_TABLE.items():
        assert set(findings) == {*EngineState, None}
        for engine_state, finding in findings.items():
            assert finding.action is Action.none or finding.discrepancy is None
            assert finding.discrepancy is None or finding.discrepancy in COMPARABLE_KINDS
            if finding.action in STATUS_AFTER:
                assert STATUS_AFTER[finding.action] in ALLOWED[status]
                assert engine_state is not None
                assert DECISION_TABLE[STATUS_AFTER[finding.action]][engine_state].action is Action.none, (
                    "one check is enough"
                )
                assert DECISION_TABLE[STATUS_AFTER[finding.action]][engine_state].discrepancy is None


@pytest.mark.parametrize("status", [ChargeStatus.paid, ChargeStatus.refunded])
def test_a_paid_charge_never_becomes_unpaid(status: ChargeStatus) -> None:
    for engine_state, finding in DECISION_TABLE[status].items():
        assert STATUS_AFTER.get(finding.action, status) in {status, ChargeStatus.refunded}
        if engine_state is None or engine_state is EngineState.pending:
            assert finding.discrepancy is not None, "staff has to see it"
