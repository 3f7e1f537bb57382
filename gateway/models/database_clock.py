"""The database's clock, for processes whose own clock may be wrong."""

import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from gateway.models.database import Database, Statement
from gateway.telemetry import log

TOLERANCE = timedelta(seconds=5)
NOW = Statement(select(func.clock_timestamp()))


class DatabaseClock:
    """The database's clock as of the last `set_by`; monotonic in between. The machine's time before the first one.

    Workers share rows, so their clocks must agree: a machine that is an hour ahead would expire charges an hour early.
    """

    def __init__(self) -> None:
        self._set(datetime.now(UTC))

    def now(self) -> datetime:
        return self._time + timedelta(seconds=time.monotonic() - self._at)

    async def set_by(self, database: Database) -> None:
        """Query the database's time. Logs a warning if this machine's clock differs by more than five seconds."""
        self._set(await database.value(NOW))
        ahead = datetime.now(UTC) - self._time
        if abs(ahead) > TOLERANCE:
            log.warning("machine_clock_is_wrong", seconds_ahead=round(ahead.total_seconds(), 1))

    def _set(self, time_now: datetime) -> None:
        self._time, self._at = time_now, time.monotonic()
