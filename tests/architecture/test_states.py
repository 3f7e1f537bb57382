"""Mappings of enums are complete, so that no new member is forgotten."""

from enum import Enum

import pytest

from gateway.integrations.engines.interface import (
    EngineState,
    Subject,
)
from gateway.integrations.engines.notifications import PAYMENT_EVENTS
from gateway.integrations.engines.simulator.charges import STATES
from gateway.models.accounts import ProductionStatus
from gateway.models.charges import ChargeStatus
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus
from gateway.resolvers.charges.status import ALLOWED
from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.state_machine import sources_of
from gateway.resolvers.engine_notifications.handlers import HANDLERS
from gateway.resolvers.production import status as production
from gateway.resolvers.staff.reviews import APPROVE, REACTIVATE, REFUSE, SUSPEND
from gateway.resolvers.withdrawals import transitions as withdrawals


@pytest.mark.parametrize(
    ("table", "members"),
    [
        (ALLOWED, ChargeStatus),
        (RULES, Permission),
        (production.ALLOWED, ProductionStatus),
        (HANDLERS, Subject),
        (withdrawals.ALLOWED, WithdrawalStatus),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_mappings_of_enums_are_complete(table: dict[Enum, object], members: type[Enum]) -> None:
    assert set(table) == set(members)


def test_the_transitions_of_a_charge() -> None:
    assert set(sources_of(ALLOWED, ChargeStatus.paid)) == {"pending", "expired", "canceled"}
    assert sources_of(ALLOWED, ChargeStatus.pending) == []
    assert ALLOWED[ChargeStatus.paid] == {ChargeStatus.refunded}
    assert ALLOWED[ChargeStatus.refunded] == set(), "a refund is final"
    assert sources_of(ALLOWED, ChargeStatus.canceled) == ["pending"]
    for source, targets in ALLOWED.items():
        assert source not in targets


def test_the_transitions_of_a_store_are_reachable() -> None:
    by_staff = {(each.before, each.after) for each in (APPROVE, REFUSE, SUSPEND, REACTIVATE)}
    allowed = {(before, after) for before, targets in production.ALLOWED.items() for after in targets}
    by_the_merchant = {("sandbox", "pending"), ("rejected", "pending")}
    assert allowed == by_staff | by_the_merchant
    assert set(ProductionStatus) - {"pending", "approved"} == production.ACCEPTS_DOCUMENTS


def test_the_simulator_s_states_are_mapped() -> None:
    assert {*STATES.values(), *PAYMENT_EVENTS.values()} <= set(EngineState)


def test_the_transitions_of_a_withdrawal() -> None:
    assert set(IN_FLIGHT) == {status for status, targets in withdrawals.ALLOWED.items() if targets}
    assert set(sources_of(withdrawals.ALLOWED, WithdrawalStatus.completed)) == set(IN_FLIGHT)
    assert set(sources_of(withdrawals.ALLOWED, WithdrawalStatus.rejected)) == set(IN_FLIGHT)
    assert sources_of(withdrawals.ALLOWED, WithdrawalStatus.canceled) == []
