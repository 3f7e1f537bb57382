"""A clock that tests control."""

from datetime import datetime, timedelta


class MovedClock:
    """Stands still until a test advances it."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move forward; negative steps are refused."""
        if by < timedelta(0):
            raise ValueError("a clock only moves forward")
        self._now += by
