"""Names to addresses, in threads of our own.

asyncio's default executor has `cpus + 4` threads for all lookups of the process: six black-holed names were measured to
make an unrelated lookup wait five seconds, although each had "timed out" after one. A lookup can't be interrupted:
one that hangs keeps its thread for as long as libc likes, long after its caller is gone. So a name never holds more
than one thread, and those known to hang hold no more than a share of them; the rest outnumber
all concurrent lookups.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable
from functools import partial
from ipaddress import ip_address
from typing import TypeAlias

from gateway.integrations.daemon_executor import DaemonThreads
from gateway.integrations.egress.addresses import LOOPBACK, IPAddress

# Blocking, called in a thread: a lower-case ASCII name in, textual addresses out, OSError when there are none.
Lookup: TypeAlias = Callable[[str], Iterable[str]]

MAX_CONCURRENT_LOOKUPS = 512
"""Lookups that are waited for: a worker has no more requests under way."""
SUSPECTS = 256
"""Lookups of names whose last one hung. Beyond that, such a name counts as not resolved without a lookup."""
LOOKUP_THREADS = MAX_CONCURRENT_LOOKUPS + 2 * SUSPECTS
"""Started when they are needed. The last share is for names that hang for the first time,
and so share no slot.
"""
LOOKUP_SECONDS = 2.0
REMEMBERED = 4096
"""Names that hung, of which the one that hung longest ago is forgotten first."""


class NameNotResolved(Exception):
    """The name has no address now; it may have one at the next attempt."""


def system_lookup(host: str) -> list[str]:
    """Ask the system's resolver; bytes keep Python's IDNA 2003 codec from rewriting the name.

    AI_ADDRCONFIG (RFC 3493 §6.1): a machine without IPv6 doesn't ask for IPv6 addresses that it could not dial.
    """
    rows = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(row[4][0]) for row in rows]


class Resolver:
    """Resolves for one connect at a time: nothing is cached, because an answer is only as good
    as the dial it is checked for.

    Who asks for a name that is being looked up already gets the answer of that lookup, which is still to come.
    """

    def __init__(
        self,
        lookup: Lookup = system_lookup,
        *,
        threads: int = LOOKUP_THREADS,
        suspects: int = SUSPECTS,
        seconds: float = LOOKUP_SECONDS,
    ) -> None:
        self._lookup = lookup
        self._seconds = seconds
        self._threads = DaemonThreads(threads, "egress-dns")
        self._most_suspects = suspects
        self._under_way: dict[str, asyncio.Future[Iterable[str]]] = {}
        self._suspects: set[str] = set()  # Of those under way.
        self._hung: dict[str, None] = {}  # By their last lookup, the latest last.

    async def resolve(self, host: str) -> tuple[IPAddress, ...]:
        """Addresses of `host`, at least one, IPv4 first; `NameNotResolved` otherwise or after the deadline.

        An IP literal answers itself. `localhost` is 127.0.0.1 by definition (RFC 6761 §6.3) and never looked up.
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
        self._threads.close()

    async def _ask(self, host: str) -> Iterable[str]:
        lookup = self._under_way.get(host) or self._begin(host)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(lookup)
        finally:
            if not lookup.done():
                self._suspect(host)

    def _begin(self, host: str) -> "asyncio.Future[Iterable[str]]":
        if host in self._hung:
            if len(self._suspects) >= self._most_suspects:
                raise TimeoutError("too many names hang, and this one did")
            self._suspects.add(host)
        lookup: asyncio.Future[Iterable[str]] = asyncio.wrap_future(self._threads.submit(self._lookup, host))
        self._under_way[host] = lookup
        lookup.add_done_callback(partial(self._ended, host, time.monotonic()))
        return lookup

    def _suspect(self, host: str) -> None:
        self._suspects.add(host)
        self._hung[host] = None
        if len(self._hung) > REMEMBERED:
            del self._hung[next(iter(self._hung))]

    def _ended(self, host: str, began: float, lookup: "asyncio.Future[Iterable[str]]") -> None:
        del self._under_way[host]
        self._suspects.discard(host)
        if time.monotonic() - began < self._seconds:
            self._hung.pop(host, None)
        if not lookup.cancelled():
            lookup.exception()  # The callers may be gone.


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
