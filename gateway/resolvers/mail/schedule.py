"""When a mail that the relay put off is offered again, and when no more."""

from datetime import timedelta

from gateway.models.mail import MailState
from gateway.resolvers.mail.claims import Verdict

DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
"""From each failure to the next attempt (engine reference, part E): six attempts in some nine hours."""
AFTER_A_FAULT = 60.0
"""Seconds for a mail at which the relay hung up, so that it doesn't stand before all others."""


def put_off(failures: int, reply: str, *, scale: float = 1.0) -> Verdict:
    """The verdict on a mail that the relay doesn't take now, after `failures` earlier ones."""
    if failures >= len(DELAYS):
        return Verdict(MailState.failed, reply)
    return Verdict(MailState.waiting, reply, DELAYS[failures] * scale)
