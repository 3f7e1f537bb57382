"""Clocks. Operations read the time only through a `Clock`."""

from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_TICK = timedelta(microseconds=1)


class Clock(Protocol):
    """Returns the current time in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class OffsetClock:
    """Another clock plus an offset, for the test clock of a store."""

    def __init__(self, clock: Clock, offset: timedelta) -> None:
        self._clock = clock
        self._offset = offset

    def now(self) -> datetime:
        return self._clock.now() + self._offset


class FixedClock:
    """A time that only moves by a microsecond a call, so that later events have later timestamps, reproducibly."""

    def __init__(self, timestamp: datetime) -> None:
        self._now = timestamp

    def now(self) -> datetime:
        self._now += _TICK
        return self._now
