"""The calls of one process to a bank: so many a minute, and none while the bank refuses them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping

from gateway.integrations.engines.errors import EngineBusy

MAX_WAIT_SECONDS = 2.0
"""How long a call waits for its turn."""
DEFAULT_BACKOFF_SECONDS = 5.0
MAX_BACKOFF_SECONDS = 15 * 60.0
_MINUTE = 60.0


class CallLimits:
    """`per_minute`: None for no limit of our own. `clock`: monotonic seconds."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._calls: deque[float] = deque()
        self._refused_until = 0.0

    async def wait(self) -> None:
        """Wait for the call's turn. Raises `EngineBusy` at once if that is too long."""
        while (seconds := self._seconds_to_wait()) > 0:
            if seconds > MAX_WAIT_SECONDS:
                raise EngineBusy(f"the bank's quota is spent; next try in {seconds:.0f} s")
            await asyncio.sleep(seconds)
        self._calls.append(self._clock())

    def update(self, status: int, headers: Mapping[str, str]) -> None:
        """Note a response. A 429 ends all calls for a while; so does a 503 that says for how long."""
        named = headers.get("retry-after", "")
        if status == 429 or (status == 503 and named):
            known = named.isascii() and named.isdecimal() and len(named) <= 9
            seconds = float(named) if known else DEFAULT_BACKOFF_SECONDS
            self._refused_until = self._clock() + min(seconds, MAX_BACKOFF_SECONDS)

    def _seconds_to_wait(self) -> float:
        now = self._clock()
        while self._calls and self._calls[0] <= now - _MINUTE:
            self._calls.popleft()
        full = self._per_minute is not None and len(self._calls) >= self._per_minute
        return max(self._refused_until - now, self._calls[0] + _MINUTE - now if full else 0.0)
