"""Counting attempts across processes, in Redis, in fixed windows.

When Redis can't answer within 150 ms the process counts alone: a limit may then be looser, but a login never fails
because a cache is down, and the limit never vanishes. Nor do the next ones wait for it: for two seconds no request
asks, and then one does for all.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, NamedTuple, Protocol, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.errors import InvalidSession, RateLimited

REDIS_TIMEOUT_SECONDS = 0.15
"""Half of what a request may get slower by a Redis that hangs: the other half is for a machine that is crowded then."""
_HIT = """
local count = redis.call('incrby', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {count, redis.call('pttl', KEYS[1])}
"""


@lru_cache(maxsize=4096)
def caller_of(address: str | None) -> str:
    """Who an address counts as: an IPv6 one as its /64, because that is what one subscriber is given."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return (address or "")[:64]
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), 64), strict=False).network_address)


def network_of(address: str | None) -> str:
    """The network of an address: the /24 of IPv4, the /64 of IPv6. One guesser often holds a whole one."""
    caller = caller_of(address)
    try:
        version = ip_address(caller).version
    except ValueError:
        return caller
    return str(ip_network(f"{caller}/{24 if version == 4 else 64}", strict=False))


class Limit(NamedTuple):
    """At most `most` of what is counted under `name` in each window of `seconds`."""

    name: str
    most: int
    seconds: int


class RateLimiter(Protocol):
    """Counts under a name within a window."""

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        """Count one attempt. Raises `RateLimited` beyond `limit` in the window."""

    async def check(self, name: str, limit: int, window_seconds: int) -> None:
        """Raise `RateLimited` where the limit is already reached, without counting."""

    async def forget(self, name: str) -> None:
        """Restart the window of `name`."""

    async def count(self, name: str, window_seconds: int) -> int:
        """Count one; how many there are in the window."""


WRONG_TOKENS = (20, 600)
"""Of engines, of jobs or of metrics, from one network, in how many seconds."""


async def wrong_token(limiter: RateLimiter, kind: str, address: str | None) -> InvalidSession:
    """Count a program's wrong token; the error to raise. Raises `RateLimited` after too many.

    A right token is never counted, even if others guess from its network: a bank sends thousands of notices from a few
    addresses.
    """
    await limiter.hit(f"token:{kind}:{network_of(address)}", *WRONG_TOKENS)
    return InvalidSession()


class Unlimited:
    """Counts nothing: for load tests (`GATEWAY_RATE_LIMITS=off`)."""

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        del name, limit, window_seconds

    async def check(self, name: str, limit: int, window_seconds: int) -> None:
        del name, limit, window_seconds

    async def forget(self, name: str) -> None:
        del name

    async def count(self, name: str, window_seconds: int) -> int:
        del name, window_seconds
        return 1


class RedisRateLimiter:
    """Counts in Redis; in this process alone while Redis is away."""

    def __init__(
        self, redis: Redis, *, timeout_seconds: float = REDIS_TIMEOUT_SECONDS, rest_seconds: float = 2.0
    ) -> None:
        self._redis = redis
        self._timeout_seconds = timeout_seconds
        self._rest_seconds = rest_seconds
        self._script = redis.register_script(_HIT)
        self._alone = LocalCounts()
        self._silent = False
        self._ask_again = 0.0

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        self._check(await self._count(name, 1, window_seconds), limit)

    async def check(self, name: str, limit: int, window_seconds: int) -> None:
        count, left = await self._count(name, 0, window_seconds)
        self._check((count + 1, left), limit)

    async def forget(self, name: str) -> None:
        self._alone.forget(name)
        await self._call(self._redis.delete, f"limit:{name}")

    async def count(self, name: str, window_seconds: int) -> int:
        return (await self._count(name, 1, window_seconds))[0]

    async def _count(self, name: str, by: int, window_seconds: int) -> tuple[int, int]:
        answer = await self._call(self._script, keys=[f"limit:{name}"], args=[window_seconds * 1000, by])
        if answer is None:
            return self._alone.count(name, by, window_seconds)
        count, left_ms = cast("tuple[int, int]", answer)
        return count, max(1, -(-left_ms // 1000))

    async def _call(self, question: Callable[..., Awaitable[Any]], *words: Any, **options: Any) -> Any:
        """What Redis answers; None where it doesn't, or didn't a moment ago."""
        if self._resting():
            return None
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await question(*words, **options)
        except (RedisError, OSError, TimeoutError):
            self._silent, self._ask_again = True, time.monotonic() + self._rest_seconds
            return None
        self._silent = False
        return answer

    def _resting(self) -> bool:
        if not self._silent:
            return False
        now = time.monotonic()
        if now < self._ask_again:
            return True
        self._ask_again = now + self._rest_seconds  # This caller asks; the others count alone until it knows.
        return False

    @staticmethod
    def _check(counted: tuple[int, int], limit: int) -> None:
        count, left = counted
        if count > limit:
            raise RateLimited(limit, left)


class LocalCounts:
    """The counts of one process, bounded by forgetting windows: those that have ended, or else would end soonest."""

    def __init__(self, most: int = 10_000) -> None:
        self._windows: dict[str, tuple[int, float]] = {}
        self._most = most

    def __len__(self) -> int:
        return len(self._windows)

    def count(self, name: str, by: int, window_seconds: int) -> tuple[int, int]:
        now = time.monotonic()
        count, ends = self._windows.get(name, (0, 0.0))
        if ends <= now:
            count, ends = 0, now + window_seconds
        if name not in self._windows and len(self._windows) >= self._most:
            self._make_room(now)
        self._windows[name] = (count + by, ends)
        return count + by, max(1, int(ends - now))

    def forget(self, name: str) -> None:
        self._windows.pop(name, None)

    def _make_room(self, now: float) -> None:
        """A tenth of it at least, so that not each count has to."""
        alive = sorted((ends, name) for name, (_, ends) in self._windows.items() if ends > now)
        self._windows = {name: self._windows[name] for _, name in alive[-(self._most * 9 // 10) :]}
