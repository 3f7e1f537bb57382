"""HTTP to Asaas: timeouts, bounded responses, bounded concurrency, and the rate limits of its endpoints."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson
from msgspec import Struct

from gateway import __version__
from gateway.integrations.engines.asaas.failures import Throttled, error_from_response, no_response
from gateway.integrations.engines.errors import EngineBusy, EngineUnavailable
from gateway.integrations.engines.interface import Account
from gateway.integrations.http_json import parse_object, read_response

USER_AGENT = f"pix-gateway/{__version__}"
MAX_BODY_BYTES = 1024 * 1024
MAX_CONCURRENT_CALLS = 20
"""Per process. Asaas answers 429 to more than 50 concurrent GETs, and there are at least two processes."""
MAX_WAIT_SECONDS = 2.0
"""How long a call waits for its turn."""
MAX_BACKOFF_SECONDS = 15 * 60.0
"""Asaas may ask for hours; a request every 15 minutes notices earlier that the quota was raised."""
_FIRST_BACKOFF_SECONDS = 1.0
_MAX_ENDPOINTS = 10_000
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


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
        if known is None:
            return
        seconds = known.until - self._clock()
        if seconds > MAX_WAIT_SECONDS:
            raise EngineBusy(f"the quota is spent; next try in {seconds:.0f} s")
        if seconds > 0:
            await asyncio.sleep(seconds)

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
        reset = _parse_seconds(headers.get("ratelimit-reset"))
        seconds = reset if reset is not None else _backoff_seconds(known.refusals)
        known.until = self._clock() + min(seconds, MAX_BACKOFF_SECONDS)


@asynccontextmanager
async def open_http() -> AsyncIterator[httpx.AsyncClient]:
    """The HTTP client of all environments. A failed connection is tried once more, because nothing was sent. Ignores
    redirects and the environment's proxies.
    """
    limits = httpx.Limits(max_connections=2 * MAX_CONCURRENT_CALLS, max_keepalive_connections=MAX_CONCURRENT_CALLS)
    transport = httpx.AsyncHTTPTransport(retries=1, limits=limits)
    # No compression: a small response could unpack to gigabytes.
    headers = {"user-agent": USER_AGENT, "accept": "application/json", "accept-encoding": "identity"}
    async with httpx.AsyncClient(transport=transport, headers=headers, trust_env=False) as http:
        yield http


class AsaasClient:
    """Calls of one environment. `base_url` ends in `/v3`; `deadline` is seconds for a whole call.

    Paths are templates, `get("/payments/{id}", id=…)`, because rate limits are per endpoint. `account` is whose key is
    used; None is the main account. Returns the decoded object; raises `EngineError`.
    """

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, key: str, *, deadline: float, limits: RateLimits | None = None
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._key = key
        self._deadline = deadline
        self._timeout = httpx.Timeout(connect=3, read=deadline, write=5, pool=MAX_WAIT_SECONDS)
        self._limits = limits or RateLimits()
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CALLS)
        self.responding = True
        """Whether the last call got a usable response."""

    async def get(
        self, path: str, account: Account | None = None, *, query: Mapping[str, str] | None = None, **ids: str
    ) -> dict[str, Any]:
        return await self._call("GET", path, account, ids, query=query)

    async def post(
        self, path: str, body: Mapping[str, Any], account: Account | None = None, **ids: str
    ) -> dict[str, Any]:
        return await self._call("POST", path, account, ids, body=body)

    async def put(
        self, path: str, body: Mapping[str, Any], account: Account | None = None, **ids: str
    ) -> dict[str, Any]:
        return await self._call("PUT", path, account, ids, body=body)

    async def delete(self, path: str, account: Account | None = None, **ids: str) -> dict[str, Any]:
        return await self._call("DELETE", path, account, ids)

    async def _call(
        self,
        method: str,
        path: str,
        account: Account | None,
        ids: Mapping[str, str],
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        filled = path.format(**{name: quote(value, safe="") for name, value in ids.items()})
        request = self._http.build_request(
            method,
            self._base_url + filled,
            params=query,
            headers={"access_token": account.secret if account else self._key, "content-type": "application/json"},
            # Asaas' CDN answers 403 to a GET with a body.
            content=None if body is None else orjson.dumps(body),
            timeout=self._timeout,
        )
        endpoint = _Endpoint(account.id if account else None, method, path)
        await self._limits.wait(endpoint)
        try:
            return await self._request(request, endpoint)
        except Throttled:
            # Nothing was done. Retry once, if the back-off is short.
            await self._limits.wait(endpoint)
            return await self._request(request, endpoint)

    async def _request(self, request: httpx.Request, endpoint: _Endpoint) -> dict[str, Any]:
        await self._acquire_slot()
        try:
            status, headers, body = await self._send(request)
        finally:
            self._slots.release()
        self._limits.update(endpoint, status, headers)
        # A refused key of a merchant says nothing about the engine.
        self.responding = status < 500 and (status not in {401, 403} or endpoint.account_id is not None)
        writes = request.method != "GET"
        if not 200 <= status < 300:
            raise error_from_response(status, body, writes=writes, path=endpoint.path)
        data = parse_object(body)
        if data is None:
            self.responding = False
            raise no_response(f"{status} with a body that is no JSON object", writes=writes)
        return data

    async def _acquire_slot(self) -> None:
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise EngineBusy("too many calls at a time in this process") from None

    async def _send(self, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        try:
            async with asyncio.timeout(self._deadline):
                response = await self._http.send(request, stream=True)
                try:
                    return response.status_code, response.headers, await read_response(response, MAX_BODY_BYTES)
                finally:
                    await response.aclose()
        except _NOT_SENT as error:
            self.responding = False
            raise EngineUnavailable(f"not reached: {type(error).__name__}") from error
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
            self.responding = False
            raise no_response(f"no answer: {type(error).__name__}", writes=request.method != "GET") from error


def _parse_seconds(text: str | None) -> float | None:
    """The whole seconds of a header; None for anything else."""
    return float(text) if text and text.isascii() and text.isdecimal() and len(text) <= 9 else None


def _backoff_seconds(refusals: int) -> float:
    max_seconds = _FIRST_BACKOFF_SECONDS * 2 ** min(refusals, 12)
    return random.uniform(max_seconds / 2, max_seconds)  # noqa: S311  # Jitter, not a secret.
