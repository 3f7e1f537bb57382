"""HTTP to Asaas: the key of each account, and the rate limits of its endpoints."""

import random
import time
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import orjson
from msgspec import Struct

from gateway.integrations.engines.asaas.failures import error_from_response
from gateway.integrations.engines.errors import EngineUnavailable
from gateway.integrations.engines.http_client import (
    MAX_BACKOFF_SECONDS,
    MAX_CONCURRENT_CALLS,
    HttpClient,
    Throttled,
    fill_path,
    parse_seconds,
    wait_for_quota,
)
from gateway.integrations.engines.interface import Account
from gateway.integrations.engines.notifications import objects

PAGE_SIZE = 100
MAX_PAGES = 20
_FIRST_BACKOFF_SECONDS = 1.0
_MAX_ENDPOINTS = 10_000


class _Endpoint(NamedTuple):
    """The unit of Asaas' rate limits."""

    account_id: str | None
    method: str
    path: str


class _Backoff(Struct):
    until: float = 0.0
    refusals: int = 0


class RateLimits:
    """Back-off of all endpoints in this process, from RateLimit headers and 429s. Calls that would wait too long fail
    locally, because refused requests count against the quota of 25,000 in twelve hours. `clock`: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._endpoints: dict[Hashable, _Backoff] = {}

    async def wait(self, endpoint: Hashable) -> None:
        """Wait for the end of the endpoint's back-off. Raises `EngineBusy` at once if that is too long."""
        known = self._endpoints.get(endpoint)
        if known is not None:
            await wait_for_quota(known.until - self._clock())

    def update(self, endpoint: Hashable, status: int, headers: Mapping[str, str]) -> None:
        """Update the endpoint's back-off from a response."""
        if status != 429 and headers.get("ratelimit-remaining") != "0":
            known = self._endpoints.get(endpoint)
            # A success during the back-off is of a request that was sent before it.
            if known is not None and known.until <= self._clock():
                del self._endpoints[endpoint]
            return
        if len(self._endpoints) >= _MAX_ENDPOINTS:
            self._endpoints.clear()
        known = self._endpoints.setdefault(endpoint, _Backoff())
        known.refusals += status == 429
        reset = parse_seconds(headers.get("ratelimit-reset"))
        seconds = reset if reset is not None else _backoff_seconds(known.refusals)
        known.until = self._clock() + min(seconds, MAX_BACKOFF_SECONDS)


@asynccontextmanager
async def open_http() -> AsyncIterator[httpx.AsyncClient]:
    """The HTTP client of one environment. A failed connection is tried once more, because nothing was sent. Ignores
    redirects and the environment's proxies.
    """
    limits = httpx.Limits(max_connections=MAX_CONCURRENT_CALLS, max_keepalive_connections=MAX_CONCURRENT_CALLS)
    transport = httpx.AsyncHTTPTransport(retries=1, limits=limits)
    async with httpx.AsyncClient(transport=transport, trust_env=False) as http:
        yield http


class AsaasClient(HttpClient):
    """Calls of one environment. `base_url` ends in `/v3`; `deadline` is seconds for a whole call.

    Paths are templates, `call("GET", "/payments/{id}", id=…)`, because rate limits are per endpoint. `account` is
    whose key is used; None is the main account. Returns the decoded object; raises `EngineError`.
    """

    def __init__(self, http: httpx.AsyncClient, base_url: str, key: str, *, deadline: float) -> None:
        super().__init__(deadline=deadline, connect=3)
        self._http = http
        self._base_url = base_url
        self._key = key
        self._limits = RateLimits()

    async def call(
        self,
        method: str,
        path: str,
        account: Account | None = None,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        **ids: str,
    ) -> dict[str, Any]:
        request = httpx.Request(
            method,
            self._base_url + fill_path(path, ids),
            params=query,
            headers={"access_token": account.secret if account else self._key, "content-type": "application/json"},
            # Asaas' CDN answers 403 to a GET with a body.
            content=None if body is None else orjson.dumps(body),
        )
        endpoint = _Endpoint(account.id if account else None, method, path)
        await self._limits.wait(endpoint)
        try:
            return await self._request(request, endpoint)
        except Throttled:
            # Nothing was done. Retry once, if the back-off is short.
            await self._limits.wait(endpoint)
            return await self._request(request, endpoint)

    async def pages(
        self, path: str, account: Account | None, query: Mapping[str, str] | None = None, **ids: str
    ) -> AsyncIterator[Mapping[str, Any]]:
        """The items of a list, in pages. Raises `EngineUnavailable` for too many."""
        for page in range(MAX_PAGES):
            position = {"limit": str(PAGE_SIZE), "offset": str(page * PAGE_SIZE)}
            data = await self.call("GET", path, account, None, query={**(query or {}), **position}, **ids)
            for item in objects(data.get("data")):
                yield item
            if data.get("hasMore") is not True:
                return
        raise EngineUnavailable(f"too many items of {path} to look through")

    async def _request(self, request: httpx.Request, endpoint: _Endpoint) -> dict[str, Any]:
        writes = request.method != "GET"
        status, headers, body = await self._send(self._http, request, writes=writes)
        self._limits.update(endpoint, status, headers)
        # A refused key of a merchant says nothing about the engine.
        self.responding = status < 500 and (status not in {401, 403} or endpoint.account_id is not None)
        if not 200 <= status < 300:
            raise error_from_response(status, body, writes=writes, path=endpoint.path)
        return self._parse(status, body, writes=writes)


def _backoff_seconds(refusals: int) -> float:
    max_seconds = _FIRST_BACKOFF_SECONDS * 2 ** min(refusals, 12)
    return random.uniform(max_seconds / 2, max_seconds)  # noqa: S311  # Jitter, not a secret.
