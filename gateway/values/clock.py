"""Time, as the operations see it. Nothing else in the gateway asks the machine for the hour."""

from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_LOOK = timedelta(microseconds=1)


class Clock(Protocol):
    """Answers what time it is, in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class OffsetClock:
    """As far ahead of another clock as a test store has been moved."""

    def __init__(self, clock: Clock, ahead: timedelta) -> None:
        self._clock = clock
        self._ahead = ahead

    def now(self) -> datetime:
        return self._clock.now() + self._ahead


class FixedClock:
    """Stands at one moment of an advance. Each look takes a microsecond, so that of two things that happen in that
    moment the second has the later time, in every rehearsal alike.
    """

    def __init__(self, moment: datetime) -> None:
        self._now = moment

    def now(self) -> datetime:
        self._now += _LOOK
        return self._now
