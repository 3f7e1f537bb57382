"""The gateway's time, in the hands of a test."""

from datetime import datetime, timedelta


class MovedClock:
    """A clock that tests move forward by hand."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move forward; time never runs back."""
        if by < timedelta(0):
            raise ValueError("a clock only moves forward")
        self._now += by
