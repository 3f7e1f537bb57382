"""Process a batch of claimed rows, one by one, with the engine of each row's environment.

A failed row is rescheduled and doesn't block others. An unavailable or rate-limiting engine is not called again in the
batch. A batch ends well within the lease of its rows, before another worker may claim them. It returns the rows that it
did not reach, so that the job releases them.
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
"""The lease of a batch's rows."""
BATCH_DURATION = timedelta(minutes=2)
"""No row is started after this. The last one, with a few calls of an engine, ends within the lease."""


async def process_batch(
    ctx: Context,
    rows: Sequence[Row],
    process: Callable[[Row], Awaitable[bool]],
    reschedule: Callable[[Row, Exception], Awaitable[None]],
) -> tuple[int, list[Row]]:
    """`process` each row, and `reschedule` those that raise. Rows have `environment`.

    Returns for how many `process` returned True, and the rows that were not reached.
    """
    ends = ctx.real_clock.now() + BATCH_DURATION
    done, unavailable, remaining = 0, set(), []
    for row in rows:
        if row["environment"] in unavailable or ctx.real_clock.now() >= ends:
            remaining.append(row)
            continue
        try:
            done += await process(row)
        except Exception as error:  # noqa: BLE001  # One row must not block the others.
            if isinstance(error, (EngineUnavailable, EngineBusy)):
                unavailable.add(row["environment"])
            await reschedule(row, error)
    return done, remaining


def log_failure(event: str, error: Exception, **about: str) -> None:
    """Log why a row was rescheduled: an engine's failure as a warning, any other error with its traceback."""
    if isinstance(error, EngineError):
        log.warning(event, **about, error=type(error).__name__, detail=error.detail)
    else:
        log.error(event, **about, exc_info=error)
