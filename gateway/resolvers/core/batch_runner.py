"""A round of a sweep: what it has claimed, looked at one after the other at the engine of each row's environment.

A row that fails is rescheduled and does not block others. An unreachable or rate-limiting engine is not called for the
rest of the round. The round ends well within the lease of its rows, since who looks when that has run out looks
together with another worker. Rows that it did not reach are returned, so that the job releases them.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineUnavailable,
)
from gateway.models.database import Row
from gateway.resolvers.core.context import Context
from gateway.telemetry import log

LEASE = timedelta(minutes=5)
"""How long the rows of a round are its own."""
BATCH_DURATION = timedelta(minutes=2)
"""How long a round goes on to the next row. The one that it is at then, of a few calls of an
engine, ends within the lease.
"""


async def process_batch(
    ctx: Context,
    rows: Sequence[Row],
    look: Callable[[Row], Awaitable[bool]],
    put_off: Callable[[Row, Exception], Awaitable[None]],
) -> tuple[int, list[Row]]:
    """Look at each row; `put_off` those at which that raised. Returns how many looks came to something, and the rows
    that weren't reached. Rows have `environment`.
    """
    ends = ctx.real_clock.now() + BATCH_DURATION
    done, resting, left = 0, set(), []
    for row in rows:
        if row["environment"] in resting or ctx.real_clock.now() >= ends:
            left.append(row)
            continue
        try:
            done += await look(row)
        except Exception as error:  # noqa: BLE001  # One row must not keep the others from being looked at.
            if isinstance(error, (EngineUnavailable, EngineBusy)):
                resting.add(row["environment"])
            await put_off(row, error)
    return done, left


def log_failure(event: str, error: Exception, **about: str) -> None:
    """Log why a row was put off: an engine's failure as a warning, anything else with all that is known of it."""
    if isinstance(error, EngineError):
        log.warning(event, **about, error=type(error).__name__, detail=error.detail)
    else:
        log.error(event, **about, exc_info=error)
