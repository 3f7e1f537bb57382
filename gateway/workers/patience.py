"""Waiting longer after each failure in a row, so that a supervised loop neither gives up nor storms."""

import asyncio


class Patience:
    """Doubles from `first` seconds to `longest`; `reset` after a success."""

    def __init__(self, first: float = 0.1, longest: float = 2.0) -> None:
        self._first = first
        self._longest = longest
        self._next = first

    def reset(self) -> None:
        self._next = self._first

    def take(self) -> float:
        """The seconds to wait now, for who waits in a way of its own."""
        pause, self._next = self._next, min(self._next * 2, self._longest)
        return pause

    async def wait(self) -> None:
        await asyncio.sleep(self.take())
