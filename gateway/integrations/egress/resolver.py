"""Resolves names to addresses, in its own thread pool.

A lookup can't be interrupted, so one that hangs occupies a thread long after its caller's timeout. asyncio's default
executor has so few threads that a few such names would delay all others. Here a name occupies at most one thread, and
names that hung before share a limited number of threads.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable
from functools import partial
from ipaddress import ip_address
from typing import TypeAlias

from gateway.integrations.daemon_executor import DaemonThreadPool
from gateway.integrations.egress.addresses import LOOPBACK, IPAddress

# Blocking, called in a thread. Takes a lower-case ASCII name, returns addresses as text. Raises OSError without any.
Lookup: TypeAlias = Callable[[str], Iterable[str]]

MAX_CONCURRENT_LOOKUPS = 512
"""A worker has no more requests in progress."""
MAX_HUNG_LOOKUPS = 256
"""Lookups of names whose last lookup hung. Beyond this, such a name fails without a lookup."""
LOOKUP_THREADS = MAX_CONCURRENT_LOOKUPS + 2 * MAX_HUNG_LOOKUPS
"""Started on demand. One more share is for names that hang for the first time."""
LOOKUP_SECONDS = 2.0
MAX_HUNG_NAMES = 4096
"""Names whose last lookup hung. The oldest is evicted first."""


class NameNotResolved(Exception):
    """The name has no address now; it may have one at the next attempt."""


def system_lookup(host: str) -> list[str]:
    """Query the system's resolver. Passing bytes bypasses Python's IDNA 2003 codec, which rewrites names.

    AI_ADDRCONFIG (RFC 3493 §6.1): a machine without IPv6 doesn't query IPv6 addresses, which it could not dial.
    """
    rows = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(row[4][0]) for row in rows]


class Resolver:
    """Resolves names. Nothing is cached, because an address is checked for one connection only.

    Concurrent calls for one name share its lookup.
    """

    def __init__(
        self,
        lookup: Lookup = system_lookup,
        *,
        threads: int = LOOKUP_THREADS,
        max_hung_lookups: int = MAX_HUNG_LOOKUPS,
        seconds: float = LOOKUP_SECONDS,
    ) -> None:
        self._lookup = lookup
        self._seconds = seconds
        self._threads = DaemonThreadPool(threads, "egress-dns")
        self._max_hung_lookups = max_hung_lookups
        self._running: dict[str, asyncio.Future[Iterable[str]]] = {}
        self._hung_running: set[str] = set()
        self._hung: dict[str, None] = {}  # In order of their last lookup.

    async def resolve(self, host: str) -> tuple[IPAddress, ...]:
        """The addresses of `host`, at least one, IPv4 first. Raises `NameNotResolved`, also after the deadline.

        An IP literal needs no lookup. Nor does `localhost`, which is 127.0.0.1 by definition (RFC 6761 §6.3).
        """
        known = literal(host) or (LOOPBACK if is_loopback_name(host) else None)
        if known:
            return (known,)
        try:
            return _ordered(await self._look_up(host))
        except (OSError, ValueError) as error:  # TimeoutError is an OSError, UnicodeError a ValueError.
            raise NameNotResolved(host) from error

    def close(self) -> None:
        """End idle threads. A running lookup ends by itself."""
        self._threads.close()

    async def _look_up(self, host: str) -> Iterable[str]:
        lookup = self._running.get(host) or self._start(host)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(lookup)
        finally:
            if not lookup.done():
                self._hung_running.add(host)
                self._hung[host] = None
                if len(self._hung) > MAX_HUNG_NAMES:
                    del self._hung[next(iter(self._hung))]

    def _start(self, host: str) -> "asyncio.Future[Iterable[str]]":
        if host in self._hung:
            if len(self._hung_running) >= self._max_hung_lookups:
                raise TimeoutError("too many names hang, and this one did")
            self._hung_running.add(host)
        lookup: asyncio.Future[Iterable[str]] = asyncio.wrap_future(self._threads.submit(self._lookup, host))
        self._running[host] = lookup
        lookup.add_done_callback(partial(self._finish, host, time.monotonic()))
        return lookup

    def _finish(self, host: str, started: float, lookup: "asyncio.Future[Iterable[str]]") -> None:
        del self._running[host]
        self._hung_running.discard(host)
        if time.monotonic() - started < self._seconds:
            self._hung.pop(host, None)
        if not lookup.cancelled():
            lookup.exception()  # Marks it as retrieved: the callers may have timed out.


def literal(host: str) -> IPAddress | None:
    """The address that `host` is, or None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_loopback_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _ordered(texts: Iterable[str]) -> tuple[IPAddress, ...]:
    addresses = dict.fromkeys(ip_address(text) for text in texts)
    if not addresses:
        raise ValueError("no address")
    return tuple(sorted(addresses, key=lambda address: address.version))
