"""The database's clock, for processes whose own clock may be wrong."""

import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from gateway.models.database import Database, Statement
from gateway.telemetry import log

TOLERANCE = timedelta(seconds=5)
NOW = Statement(select(func.clock_timestamp()))


class DatabaseClock:
    """The database's clock, as of the last time that this one was set by it; monotonic in between.

    Several workers act upon the same rows, and so shall agree on the hour: one whose machine is an hour ahead would
    otherwise expire everybody's charges an hour early. Until it is first set, it returns the machine's time.
    """

    def __init__(self) -> None:
        self._set(datetime.now(UTC))

    def now(self) -> datetime:
        return self._time + timedelta(seconds=time.monotonic() - self._at)

    async def set_by(self, database: Database) -> None:
        """Ask the database, and warn where this machine's clock is wrong by more than five seconds."""
        self._set(await database.value(NOW))
        ahead = datetime.now(UTC) - self._time
        if abs(ahead) > TOLERANCE:
            log.warning("machine_clock_is_wrong", seconds_ahead=round(ahead.total_seconds(), 1))

    def _set(self, time_now: datetime) -> None:
        self._time, self._at = time_now, time.monotonic()
