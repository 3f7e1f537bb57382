"""What a reconciliation did, in numbers."""

from msgspec import Struct
from msgspec.structs import fields

from gateway.models.base import Environment
from gateway.resolvers.reconciliation.bringing import Brought
from gateway.resolvers.reconciliation.comparing import Move
from gateway.telemetry import LOOKS

_NAMES = {
    Move.settle: "paid",
    Move.cancel: "canceled",
    Move.refund: "refunded",
    Move.hold: "held",
    Move.release: "released",
}


class Tally(Struct):
    """Counts of charges; `differing` are those about which something is open after the look, `unanswered`
    those that the engine said nothing about. The last two are what the sweeps of issuances and notices
    do, where they were run, too.
    """

    looked_at: int = 0
    paid: int = 0
    canceled: int = 0
    refunded: int = 0
    proved: int = 0
    differing: int = 0
    mended: int = 0
    unanswered: int = 0
    issuances_closed: int = 0
    notices_judged: int = 0

    def add(self, environment: Environment, brought: Brought) -> None:
        """Count a look that was answered."""
        outcome = _NAMES[brought.finding.move] if brought.moved else "differs" if brought.differs else "agreed"
        LOOKS.labels(environment, outcome).inc()
        self.looked_at += 1
        self.paid += outcome == "paid"
        self.canceled += outcome == "canceled"
        self.refunded += outcome == "refunded"
        self.proved += brought.proved
        self.differing += brought.differs
        self.mended += brought.mended

    def miss(self, environment: Environment) -> None:
        """Count a look without an answer."""
        LOOKS.labels(environment, "unanswered").inc()
        self.unanswered += 1

    def told(self) -> dict[str, int]:
        """All counts by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
