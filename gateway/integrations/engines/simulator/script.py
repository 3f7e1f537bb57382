"""What the simulator does instead of working, as a test or a rehearsal tells it beforehand."""

from collections import deque
from enum import StrEnum

from gateway.integrations.engines.port import EngineRefused, EngineUnavailable, EngineUnknown


class Behaviour(StrEnum):
    """What the next call does instead of working."""

    refuse = "refuse"
    unavailable = "unavailable"
    timeout_before = "timeout_before"
    """The connection breaks before anything is entered; the gateway can't know."""
    timeout_after = "timeout_after"
    """What was asked for is entered, and the answer never arrives."""
    bad_code = "bad_code"
    """The BR Code arrives with a wrong check sum."""
    wrong_amount = "wrong_amount"
    """The payment that is reported isn't of the charge's amount."""
    duplicate = "duplicate"
    """The payment is told of twice, as two events; the second notice is on its way (`Script.on_their_way`)."""
    late = "late"
    """The payment is entered, and its notice is on its way."""
    unheard = "unheard"
    """The account is opened, and its notices aren't registered with it."""


SILENT = {Behaviour.unavailable, Behaviour.timeout_before, Behaviour.timeout_after}


class Script:
    """Behaviours in the order in which calls will meet them, per method name.

    `on_their_way`: notices that the bank has sent and that haven't arrived. Whoever wrote the script brings them.
    """

    def __init__(self) -> None:
        self._planned: dict[str, deque[Behaviour]] = {}
        self.on_their_way: list[bytes] = []

    def plan(self, method: str, *behaviours: Behaviour) -> None:
        """Let the next calls of `method` behave so, one each."""
        self._planned.setdefault(method, deque()).extend(behaviours)

    def forget(self, method: str) -> None:
        """Let the next calls of `method` work."""
        self._planned.pop(method, None)

    def next(self, method: str) -> Behaviour | None:
        planned = self._planned.get(method)
        return planned.popleft() if planned else None


def fail_early(behaviour: Behaviour | None) -> None:
    """Raise what keeps a call from entering anything."""
    if behaviour is Behaviour.refuse:
        raise EngineRefused("scripted refusal")
    if behaviour is Behaviour.unavailable:
        raise EngineUnavailable("scripted outage")
    if behaviour is Behaviour.timeout_before:
        raise EngineUnknown("scripted: no answer")


def fail_late(behaviour: Behaviour | None) -> None:
    """Raise what keeps the answer from arriving after everything was entered."""
    if behaviour is Behaviour.timeout_after:
        raise EngineUnknown("scripted: no answer after accepting")
