"""Requests of payers and merchants at a steady rate, independent of the responses. Each is timed."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.api_client import PASSWORD, charge_order
from tests.chaos.fixtures import Merchant
from tests.chaos.invariants import percentile


@dataclass(frozen=True)
class Timed:
    """One request: its start (monotonic), seconds, status (0 for none) and its error's id."""

    kind: str
    started: float
    seconds: float
    status: int
    error_id: str | None


@dataclass
class Load:
    """Issues, pays and reads charges, logs in and opens checkout pages; `done` collects the results."""

    merchant: Merchant
    slug: str
    done: list[Timed] = field(default_factory=list)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))
    _charges: list[dict[str, Any]] = field(default_factory=list)

    async def prepare(self) -> None:
        """Issue a charge to read and to pay."""
        self._charges.append(await self.merchant.issue())

    def since(self, start: float, until: float = float("inf")) -> list[Timed]:
        return [timed for timed in self.done if start <= timed.started < until]

    @asynccontextmanager
    async def running(self, a_second: float) -> AsyncIterator[None]:
        """Start this many operations a second, and wait for the last ones at the end."""
        started: set[asyncio.Task[None]] = set()
        stop = asyncio.Event()

        async def drive() -> None:
            loop = asyncio.get_running_loop()
            began, act = loop.time(), itertools.cycle(self._acts())
            for number in itertools.count():
                await asyncio.sleep(max(0.0, began + number / a_second - loop.time()))
                if stop.is_set():
                    return
                started.add(asyncio.create_task(self._time(*next(act))))

        driver = asyncio.create_task(drive())
        try:
            yield
        finally:
            stop.set()
            await driver
            await asyncio.gather(*started)

    def _acts(self) -> list[tuple[str, Callable[[], Awaitable[httpx.Response]]]]:
        return [
            ("issue", self._issue),
            ("pay", self._pay),
            ("read", self._read),
            ("log in", self._log_in),
            ("open a link", self._open_link),
        ]

    async def _time(self, kind: str, act: Callable[[], Awaitable[httpx.Response]]) -> None:
        started = time.monotonic()
        try:
            answer = await act()
        except httpx.TransportError:
            self.done.append(Timed(kind, started, time.monotonic() - started, 0, None))
            return
        seconds = time.monotonic() - started
        error = answer.json().get("error") if answer.status_code >= 500 else None
        self.done.append(Timed(kind, started, seconds, answer.status_code, error and error.get("id")))
        if kind == "issue" and answer.status_code == 201:
            self._charges.append(answer.json()["data"])

    async def _issue(self) -> httpx.Response:
        return await self.merchant.send("POST", "/pix", charge_order(), token=self.merchant.keys["test"])

    async def _pay(self) -> httpx.Response:
        charge = self._charges.pop(0) if len(self._charges) > 1 else self._charges[0]
        body = {"id": charge["id"]}
        return await self.merchant.send("POST", "/pix/simulate-payment", body, token=self.merchant.keys["test"])

    async def _read(self) -> httpx.Response:
        path = f"/pix/status?txid={self._charges[-1]['txid']}"
        return await self.merchant.send("GET", path, token=self.merchant.keys["test"])

    async def _log_in(self) -> httpx.Response:
        form = {"email": self.merchant.email, "password": PASSWORD}
        return await self.merchant.send("POST", "/auth/login", form, token=None, x_forwarded_for=self._address())

    async def _open_link(self) -> httpx.Response:
        path = f"/checkout/link/{self.slug}"
        return await self.merchant.send("GET", path, token=None, x_forwarded_for=self._address())

    def _address(self) -> str:
        """A new client address each time, to stay below rate limits."""
        number = next(self._numbers)
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def format_percentiles(timed: list[Timed]) -> str:
    """The percentiles as text."""
    seconds = [one.seconds * 1000 for one in timed]
    return f"p50 {percentile(seconds, 50):.0f} ms, p99 {percentile(seconds, 99):.0f} ms, max {max(seconds):.0f} ms"


def failures(timed: list[Timed]) -> Counter[tuple[str, int]]:
    return Counter((one.kind, one.status) for one in timed if not 200 <= one.status < 300)


def slowest_by_kind(timed: list[Timed]) -> dict[str, float]:
    kinds = {one.kind for one in timed}
    return {kind: max(one.seconds for one in timed if one.kind == kind) for kind in sorted(kinds)}
