"""The retry policy of deliveries: when a failed attempt is repeated, and when the delivery ends.

The first retries follow quickly, because a payer may be waiting. The last one follows after three days, so an outage of
a long weekend loses nothing. Deliveries of the test environment are retried for some minutes only.
"""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

from gateway.integrations.egress.response import DeliveryResponse
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
OVERLOAD_PENALTY_SECONDS = 60
GONE = 410

Draw = Callable[[float, float], float]


class RetryDecision(Struct, frozen=True):
    """The state of a delivery after an attempt. `delay`: seconds to the next attempt, if it stays due."""

    state: DeliveryState
    delay: float = 0.0
    gone: bool = False


def next_action(
    response: DeliveryResponse,
    *,
    environment: str,
    failures: int,
    now: datetime,
    scale: float = 1.0,
    draw: Draw = random.uniform,
) -> RetryDecision:
    """Decide what follows an attempt after `failures` failed ones. `scale` multiplies the delay, for tests."""
    if response.delivered:
        return RetryDecision(DeliveryState.delivered)
    if response.status == GONE:
        return RetryDecision(DeliveryState.canceled, gone=True)
    delays = DELAYS if environment == Environment.live else TEST_DELAYS
    if failures >= len(delays):
        return RetryDecision(DeliveryState.exhausted)
    return RetryDecision(DeliveryState.due, scale * _delay(response, delays[failures] * draw(*JITTER), now))


def _delay(response: DeliveryResponse, scheduled: float, now: datetime) -> float:
    overloaded = response.status in OVERLOADED or response.error_code == "timeout"
    delay = max(scheduled, OVERLOAD_PENALTY_SECONDS) if overloaded else scheduled
    requested = retry_after_seconds(response.retry_after, now)
    return delay if requested is None else min(max(requested, delay), 2 * delay)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """The seconds of a `Retry-After` header (RFC 9110 section 10.2.3), a number or a date; None if it is neither."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:10])
    try:
        date = parsedate_to_datetime(text)
        return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
