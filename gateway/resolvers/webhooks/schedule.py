"""When a failed delivery is tried again, and when no more.

Early attempts come quickly, because a payer may be waiting at the counter; the last comes after three days, so that a
long weekend's outage loses nothing. A test event is tried for some minutes only.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

from gateway.integrations.egress.answers import Answer
from gateway.models.base import Environment
from gateway.models.webhooks import DeliveryState

_MINUTE, _HOUR = 60, 3600
DELAYS = (
    5,
    30,
    2 * _MINUTE,
    10 * _MINUTE,
    30 * _MINUTE,
    _HOUR,
    3 * _HOUR,
    6 * _HOUR,
    12 * _HOUR,
    24 * _HOUR,
    24 * _HOUR,
)
"""Seconds from each failure to the next attempt: twelve attempts in 71 hours."""
TEST_DELAYS = DELAYS[:3]
JITTER = (0.8, 1.2)
OVERLOADED = frozenset({429, 502, 503, 504})
LEAST_FOR_OVERLOADED = 60
GONE = 410

Draw = Callable[[float, float], float]


class Verdict(Struct, frozen=True):
    """What becomes of a delivery after one attempt. `delay`: seconds to the next attempt where it stays due."""

    state: DeliveryState
    delay: float = 0.0
    gone: bool = False


def judge(
    answer: Answer, *, environment: str, failures: int, now: datetime, scale: float = 1.0, draw: Draw = random.uniform
) -> Verdict:
    """Judge an attempt that follows `failures` known ones. `scale` multiplies the delay, for rehearsals."""
    if answer.delivered:
        return Verdict(DeliveryState.delivered)
    if answer.status == GONE:
        return Verdict(DeliveryState.canceled, gone=True)
    delays = DELAYS if environment == Environment.live else TEST_DELAYS
    if failures >= len(delays):
        return Verdict(DeliveryState.exhausted)
    return Verdict(DeliveryState.due, scale * _delay(answer, delays[failures] * draw(*JITTER), now))


def _delay(answer: Answer, scheduled: float, now: datetime) -> float:
    overloaded = answer.status in OVERLOADED or answer.error_code == "timeout"
    delay = max(scheduled, LEAST_FOR_OVERLOADED) if overloaded else scheduled
    asked = retry_after_seconds(answer.retry_after, now)
    return delay if asked is None else min(max(asked, delay), 2 * delay)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """What a `Retry-After` asks for (RFC 9110 section 10.2.3), in seconds or as a date; None for anything else."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:10])
    try:
        moment = parsedate_to_datetime(text)
        return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
