"""Failures that a test or simulation plans for the simulator."""

from collections import deque
from enum import StrEnum

from gateway.integrations.engines.errors import EngineOutcomeUnknown, EngineRefused, EngineUnavailable


class Behaviour(StrEnum):
    """How the next call fails."""

    refuse = "refuse"
    unavailable = "unavailable"
    timeout_before = "timeout_before"
    """The connection breaks before anything is created."""
    timeout_after = "timeout_after"
    """The request succeeds, but its response is lost."""
    bad_code = "bad_code"
    """The BR Code has a wrong checksum."""
    wrong_amount = "wrong_amount"
    """The reported payment has another amount."""
    duplicate = "duplicate"
    """The payment is reported twice, as two events; the second is in `Scenario.pending_notifications`."""
    late = "late"
    """The payment succeeds; its notification is in `Scenario.pending_notifications`."""
    webhook_not_registered = "webhook_not_registered"
    """The account is opened without our webhook."""


NO_RESPONSE = {Behaviour.unavailable, Behaviour.timeout_before, Behaviour.timeout_after}


class Scenario:
    """Planned behaviours by method name, in order of the calls.

    `pending_notifications` are not delivered yet; the test delivers them.
    """

    def __init__(self) -> None:
        self._planned: dict[str, deque[Behaviour]] = {}
        self.pending_notifications: list[bytes] = []

    def plan(self, method: str, *behaviours: Behaviour) -> None:
        """Plan one behaviour for each of the next calls of `method`."""
        self._planned.setdefault(method, deque()).extend(behaviours)

    def clear(self, method: str) -> None:
        """Remove the planned behaviours of `method`."""
        self._planned.pop(method, None)

    def next(self, method: str) -> Behaviour | None:
        planned = self._planned.get(method)
        return planned.popleft() if planned else None


def fail_early(behaviour: Behaviour | None) -> None:
    """Raise the planned error of a call that creates nothing."""
    if behaviour is Behaviour.refuse:
        raise EngineRefused("scripted refusal")
    if behaviour is Behaviour.unavailable:
        raise EngineUnavailable("scripted outage")
    if behaviour is Behaviour.timeout_before:
        raise EngineOutcomeUnknown("scripted: no answer")


def fail_late(behaviour: Behaviour | None) -> None:
    """Raise the planned error of a call that succeeded."""
    if behaviour is Behaviour.timeout_after:
        raise EngineOutcomeUnknown("scripted: no answer after accepting")
