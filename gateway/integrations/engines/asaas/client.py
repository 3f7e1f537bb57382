"""HTTP to Asaas: one client for all calls, under a deadline, with bounded bodies and bounded concurrency."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson

from gateway import __version__
from gateway.integrations.engines.asaas.failures import Throttled, failure, lost
from gateway.integrations.engines.asaas.quotas import PATIENCE_SECONDS, Quotas
from gateway.integrations.engines.port import Account, EngineBusy, EngineUnavailable
from gateway.integrations.http_json import object_in, read_answer

USER_AGENT = f"pix-gateway/{__version__}"
LARGEST_BODY = 1024 * 1024
CONCURRENT_CALLS = 20
"""Per process: Asaas answers 429 to more than 50 GETs at a time, and an API and a worker make two processes or more."""
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class _Place(NamedTuple):
    """Where Asaas counts: an account's endpoint."""

    account_id: str | None
    method: str
    path: str


@asynccontextmanager
async def open_http() -> AsyncIterator[httpx.AsyncClient]:
    """The connections that all environments share. A connection that can't be made is tried once more: nothing was
    sent. Redirects aren't followed and no proxy is taken from the environment.
    """
    limits = httpx.Limits(max_connections=2 * CONCURRENT_CALLS, max_keepalive_connections=CONCURRENT_CALLS)
    transport = httpx.AsyncHTTPTransport(retries=1, limits=limits)
    # A compressed answer could unpack to gigabytes; none is asked for.
    headers = {"user-agent": USER_AGENT, "accept": "application/json", "accept-encoding": "identity"}
    async with httpx.AsyncClient(transport=transport, headers=headers, trust_env=False) as http:
        yield http


class AsaasClient:
    """Calls of one environment. `base_url` ends in `/v3`, without a slash; `deadline` is seconds for a whole call.

    Paths are written as templates, `get("/payments/{id}", id=…)`, because quotas are the endpoint's and not the row's.
    `account` is whose key is shown; None is the main account. Raises `EngineError` and returns the decoded object.
    """

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, key: str, *, deadline: float, quotas: Quotas | None = None
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._key = key
        self._deadline = deadline
        self._timeout = httpx.Timeout(connect=3, read=deadline, write=5, pool=PATIENCE_SECONDS)
        self._quotas = quotas or Quotas()
        self._places = asyncio.Semaphore(CONCURRENT_CALLS)
        self.answers = True
        """Whether the last call got an answer that can be worked with."""

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
            # The content delivery network before the API answers 403 to a GET that has a body.
            content=None if body is None else orjson.dumps(body),
            timeout=self._timeout,
        )
        place = _Place(account.id if account else None, method, path)
        await self._quotas.wait(place)
        try:
            return await self._ask(request, place)
        except Throttled:
            # Nothing was done. Where Asaas says to come back in a moment, that is what happens, once.
            await self._quotas.wait(place)
            return await self._ask(request, place)

    async def _ask(self, request: httpx.Request, place: _Place) -> dict[str, Any]:
        await self._take_place()
        try:
            status, headers, data = await self._exchange(request)
        finally:
            self._places.release()
        self._quotas.learn(place, status, headers)
        # A merchant's key that is refused says nothing about the engine.
        self.answers = status < 500 and (status not in {401, 403} or place.account_id is not None)
        writes = request.method != "GET"
        if not 200 <= status < 300:
            raise failure(status, data, writes=writes, path=place.path)
        said = object_in(data)
        if said is None:
            self.answers = False
            raise lost(f"{status} with a body that is no JSON object", writes=writes)
        return said

    async def _take_place(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._places.acquire()
        except TimeoutError:
            raise EngineBusy("too many calls at a time in this process") from None

    async def _exchange(self, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        try:
            async with asyncio.timeout(self._deadline):
                response = await self._http.send(request, stream=True)
                try:
                    return response.status_code, response.headers, await read_answer(response, LARGEST_BODY)
                finally:
                    await response.aclose()
        except _NOT_SENT as error:
            self.answers = False
            raise EngineUnavailable(f"not reached: {type(error).__name__}") from error
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
            self.answers = False
            raise lost(f"no answer: {type(error).__name__}", writes=request.method != "GET") from error
