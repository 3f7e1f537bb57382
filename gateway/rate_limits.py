"""Rate limits: counters in Redis, in fixed windows, shared by all processes.

If Redis doesn't answer within 150 ms, the process counts locally for two seconds; then one request tries Redis again.
Limits are looser meanwhile, but requests neither fail nor wait.
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
"""Half of the delay that a hanging Redis may add to a request; the other half is a reserve for a busy machine."""
_HIT = """
local count = redis.call('incrby', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {count, redis.call('pttl', KEYS[1])}
"""


@lru_cache(maxsize=4096)
def caller_of(address: str | None) -> str:
    """The client of an address: for IPv6 its /64, which is what one subscriber gets."""
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
    """The network of an address: the /24 of IPv4, the /64 of IPv6. An attacker often has a whole one."""
    caller = caller_of(address)
    try:
        version = ip_address(caller).version
    except ValueError:
        return caller
    return str(ip_network(f"{caller}/{24 if version == 4 else 64}", strict=False))


class Limit(NamedTuple):
    """At most `limit` counts of `name` in each window of `seconds`."""

    name: str
    limit: int
    seconds: int


class RateLimiter(Protocol):
    """Counts under a name within a window."""

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        """Count one attempt. Raises `RateLimited` beyond `limit` in the window."""

    async def check(self, name: str, limit: int, window_seconds: int) -> None:
        """Raise `RateLimited` if the limit is reached, without counting."""

    async def forget(self, name: str) -> None:
        """Restart the window of `name`."""

    async def count(self, name: str, window_seconds: int) -> int:
        """Count one. Returns the number in the window."""


WRONG_TOKENS = (20, 600)
"""Wrong tokens of engines, jobs or metrics from one network, and the window in seconds."""


async def wrong_token(limiter: RateLimiter, kind: str, address: str | None) -> InvalidSession:
    """Count a wrong token of a program, and return the error to raise. Raises `RateLimited` after too many.

    Valid tokens are not counted, because a bank sends thousands of notifications from a few addresses.
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
    """Counts in Redis, or locally while Redis is unavailable."""

    def __init__(
        self, redis: Redis, *, timeout_seconds: float = REDIS_TIMEOUT_SECONDS, retry_seconds: float = 2.0
    ) -> None:
        self._redis = redis
        self._timeout_seconds = timeout_seconds
        self._retry_seconds = retry_seconds
        self._script = redis.register_script(_HIT)
        self._local = LocalCounts()
        self._unavailable = False
        self._next_try = 0.0

    async def hit(self, name: str, limit: int, window_seconds: int) -> None:
        self._check(await self._count(name, 1, window_seconds), limit)

    async def check(self, name: str, limit: int, window_seconds: int) -> None:
        count, left = await self._count(name, 0, window_seconds)
        self._check((count + 1, left), limit)

    async def forget(self, name: str) -> None:
        self._local.forget(name)
        await self._call(self._redis.delete, f"limit:{name}")

    async def count(self, name: str, window_seconds: int) -> int:
        return (await self._count(name, 1, window_seconds))[0]

    async def _count(self, name: str, by: int, window_seconds: int) -> tuple[int, int]:
        result = await self._call(self._script, keys=[f"limit:{name}"], args=[window_seconds * 1000, by])
        if result is None:
            return self._local.count(name, by, window_seconds)
        count, left_ms = cast("tuple[int, int]", result)
        return count, max(1, -(-left_ms // 1000))

    async def _call(self, command: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        """The result of Redis, or None while it is unavailable."""
        now = time.monotonic()
        if self._unavailable and now < self._next_try:
            return None
        self._next_try = now + self._retry_seconds  # This request tries; others count locally until it succeeds.
        try:
            async with asyncio.timeout(self._timeout_seconds):
                result = await command(*args, **options)
        except (RedisError, OSError, TimeoutError):
            self._unavailable, self._next_try = True, time.monotonic() + self._retry_seconds
            return None
        self._unavailable = False
        return result

    @staticmethod
    def _check(counted: tuple[int, int], limit: int) -> None:
        count, left = counted
        if count > limit:
            raise RateLimited(limit, left)


class LocalCounts:
    """The counters of one process, at most `max_windows`. Evicts windows that have ended, then those that end first."""

    def __init__(self, max_windows: int = 10_000) -> None:
        self._windows: dict[str, tuple[int, float]] = {}
        self._max_windows = max_windows

    def __len__(self) -> int:
        return len(self._windows)

    def count(self, name: str, by: int, window_seconds: int) -> tuple[int, int]:
        now = time.monotonic()
        count, ends = self._windows.get(name, (0, 0.0))
        if ends <= now:
            count, ends = 0, now + window_seconds
        if name not in self._windows and len(self._windows) >= self._max_windows:
            self._evict(now)
        self._windows[name] = (count + by, ends)
        return count + by, max(1, int(ends - now))

    def forget(self, name: str) -> None:
        self._windows.pop(name, None)

    def _evict(self, now: float) -> None:
        """Evict at least a tenth, so that not every new window has to evict."""
        alive = sorted((ends, name) for name, (_, ends) in self._windows.items() if ends > now)
        self._windows = {name: self._windows[name] for _, name in alive[-(self._max_windows * 9 // 10) :]}
