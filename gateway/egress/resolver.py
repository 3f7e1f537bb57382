"""Names to addresses, in threads of our own.

asyncio's default executor has `cpus + 4` threads and serves password hashing too: six black-holed names were measured
to make an unrelated lookup wait five seconds, although each had "timed out" after one. A lookup can't be interrupted,
so the pool must outnumber the names that hang at once, and a name that hangs must not hold more than one thread of it.
"""

import asyncio
import socket
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import ip_address
from typing import TypeAlias

from gateway.egress.addresses import LOOPBACK, IPAddress

# Blocking, called in a thread: a lower-case ASCII name in, textual addresses out, OSError when there are none.
Lookup: TypeAlias = Callable[[str], Iterable[str]]

LOOKUP_THREADS = 256
"""Started when they are needed. A worker has 128 requests under way, and a lookup may outlive its request's patience."""
LOOKUP_SECONDS = 2.0


class NameNotResolved(Exception):
    """The name has no address now; it may have one at the next attempt."""


def system_lookup(host: str) -> list[str]:
    """Ask the system's resolver; bytes keep Python's IDNA 2003 codec from rewriting the name.

    AI_ADDRCONFIG (RFC 3493 §6.1): a machine without IPv6 doesn't ask for IPv6 addresses that it could not dial.
    """
    rows = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(row[4][0]) for row in rows]


class Resolver:
    """Resolves for one connect at a time: nothing is cached, because an answer is only as good as the dial it is checked for.

    Who asks for a name that is being looked up already gets the answer of that lookup, which is still to come.
    """

    def __init__(
        self, lookup: Lookup = system_lookup, *, threads: int = LOOKUP_THREADS, seconds: float = LOOKUP_SECONDS
    ) -> None:
        self._lookup = lookup
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="egress-dns")
        self._under_way: dict[str, asyncio.Future[Iterable[str]]] = {}

    async def resolve(self, host: str) -> tuple[IPAddress, ...]:
        """Addresses of `host`, at least one, IPv4 first; `NameNotResolved` otherwise or after the deadline.

        An IP literal answers itself. `localhost` is 127.0.0.1 by definition (RFC 6761 §6.3) and never asked for.
        """
        known = literal(host) or (LOOPBACK if is_loopback_name(host) else None)
        if known:
            return (known,)
        try:
            return _ordered(await self._ask(host))
        except (OSError, ValueError) as error:  # TimeoutError is an OSError, UnicodeError a ValueError
            raise NameNotResolved(host) from error

    def close(self) -> None:
        """Let idle threads end; a lookup under way is left to run out by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> Iterable[str]:
        lookup = self._under_way.get(host)
        if lookup is None:
            lookup = asyncio.get_running_loop().run_in_executor(self._threads, self._lookup, host)
            self._under_way[host] = lookup
            lookup.add_done_callback(partial(self._ended, host))
        async with asyncio.timeout(self._seconds):
            return await asyncio.shield(lookup)

    def _ended(self, host: str, lookup: "asyncio.Future[Iterable[str]]") -> None:
        del self._under_way[host]
        if not lookup.cancelled():
            lookup.exception()  # Nobody may be waiting any more.


def literal(host: str) -> IPAddress | None:
    """The address that `host` spells, in a canonical form, without brackets."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_loopback_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _ordered(answers: Iterable[str]) -> tuple[IPAddress, ...]:
    addresses = dict.fromkeys(ip_address(answer) for answer in answers)
    if not addresses:
        raise ValueError("an empty answer")
    return tuple(sorted(addresses, key=lambda address: address.version))
