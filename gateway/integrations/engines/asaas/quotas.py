"""How hard Asaas may be asked: its RateLimit headers are obeyed, and a 429 is not followed by another call.

A place is an account and an endpoint, as Asaas counts. What rests longer than a caller waits is refused here, without
asking: the quota of 25,000 requests in twelve hours counts refused ones, too.
"""

import asyncio
import random
import time
from collections.abc import Callable, Hashable, Mapping

from msgspec import Struct

from gateway.integrations.engines.port import EngineBusy

PATIENCE_SECONDS = 2.0
"""How long one call waits for its place."""
LONGEST_REST_SECONDS = 15 * 60.0
"""The whole quota may rest for hours; one request in a quarter of an hour finds out early that it was raised."""
_FIRST_REST_SECONDS = 1.0
_PLACES = 10_000


class _Place(Struct):
    until: float = 0.0
    refusals: int = 0


class Quotas:
    """Rests of all places, in this process. `clock` is monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._places: dict[Hashable, _Place] = {}

    async def wait(self, place: Hashable) -> None:
        """Wait for the place's rest to end. Raises `EngineBusy` at once where that is too long."""
        known = self._places.get(place)
        if known is None:
            return
        rest = known.until - self._clock()
        if rest > PATIENCE_SECONDS:
            raise EngineBusy(f"the quota is spent; next try in {rest:.0f} s")
        if rest > 0:
            await asyncio.sleep(rest)

    def learn(self, place: Hashable, status: int, headers: Mapping[str, str]) -> None:
        """Note what an answer says about its place."""
        if status != 429 and headers.get("ratelimit-remaining") != "0":
            known = self._places.get(place)
            # Nobody asks while a place rests: what answers well then was asked before, and says nothing of now.
            if known is not None and known.until <= self._clock():
                del self._places[place]
            return
        if len(self._places) >= _PLACES:
            self._places.clear()
        known = self._places.setdefault(place, _Place())
        known.refusals += status == 429
        reset = _seconds(headers.get("ratelimit-reset"))
        rest = reset if reset is not None else _backing_off(known.refusals)
        known.until = self._clock() + min(rest, LONGEST_REST_SECONDS)


def _seconds(text: str | None) -> float | None:
    """A header's whole seconds; None for anything else."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) <= 9 else None


def _backing_off(refusals: int) -> float:
    longest = _FIRST_REST_SECONDS * 2 ** min(refusals, 12)
    return random.uniform(longest / 2, longest)  # noqa: S311  # It spreads callers; nobody gains by guessing it.
