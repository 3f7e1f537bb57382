"""Exponential back-off of a supervised loop."""

import asyncio


class Backoff:
    """Doubles from `first` seconds to `max_seconds`; `reset` after a success."""

    def __init__(self, first: float = 0.1, max_seconds: float = 2.0) -> None:
        self._first = first
        self._max_seconds = max_seconds
        self._next = first

    def reset(self) -> None:
        self._next = self._first

    def next_delay(self) -> float:
        """The seconds to wait now; the next delay is twice as long."""
        delay, self._next = self._next, min(self._next * 2, self._max_seconds)
        return delay

    async def wait(self) -> None:
        await asyncio.sleep(self.next_delay())
