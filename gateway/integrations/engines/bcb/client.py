"""HTTP to a bank: the access token, bounded responses and concurrency, and the profile's headers and parameters."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx
import orjson
from msgspec import Struct

from gateway import __version__
from gateway.integrations.banks.profiles import TokenAuth
from gateway.integrations.banks.settings import BankSettings, secret_text
from gateway.integrations.engines.bcb.connection import MAX_CONNECTIONS, Connection
from gateway.integrations.engines.bcb.failures import (
    Unauthorized,
    error_from_response,
    error_from_transport,
    no_response,
)
from gateway.integrations.engines.bcb.limits import MAX_WAIT_SECONDS, CallLimits
from gateway.integrations.engines.errors import EngineBusy, EngineError, EngineMisconfigured, EngineUnavailable
from gateway.integrations.engines.notifications import text
from gateway.integrations.http_json import parse_object, read_response

MAX_BODY_BYTES = 8 * 1024 * 1024
"""A page of a thousand payments has less than a third."""
TOKEN_MARGIN_SECONDS = 60.0
TOKEN_RETRY_SECONDS = 10.0
"""The token endpoint is left alone after a refusal: some banks block an address that repeats it."""
_DEFAULT_TOKEN_SECONDS = 300.0
# No compression: a small response could unpack to gigabytes.
_HEADERS = {"user-agent": f"pix-gateway/{__version__}", "accept": "application/json", "accept-encoding": "identity"}


class _Token(Struct):
    value: str
    ends_at: float
    scopes: frozenset[str]


class BankClient:
    """Calls of one environment. `deadline` is seconds for a whole call.

    Paths are templates, `call("GET", "/cob/{txid}", txid=…)`. Returns the decoded object, empty for an empty 2xx.
    Raises `EngineError`. `clock`: monotonic seconds.
    """

    def __init__(
        self,
        connection: Connection,
        settings: BankSettings,
        environment: str,
        *,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._profile = settings.profile
        self._addresses = settings.addresses(environment)
        self._deadline = deadline
        self._timeout = httpx.Timeout(connect=5, read=deadline, write=5, pool=MAX_WAIT_SECONDS)
        self._clock = clock
        self._limits = CallLimits(settings.calls_per_minute or self._profile.calls_per_minute, clock)
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._token: _Token | None = None
        self._refreshing: asyncio.Task[_Token] | None = None
        self._refusal: tuple[float, str] | None = None
        self.responding = True
        """Whether the last call got a usable response."""
        self.date: datetime | None = None
        """The bank's time in its last response, for the health check alone."""

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        **ids: str,
    ) -> dict[str, Any]:
        token = await self._current_token()
        try:
            return await self._request(method, path, body, query or {}, headers or {}, ids, token)
        except Unauthorized as error:
            if error.status != 401:
                raise
        # The bank may forget a token early. Nothing was done: once more with a new one.
        if self._token is token:
            self._token = None
        token = await self._current_token()
        return await self._request(method, path, body, query or {}, headers or {}, ids, token)

    async def granted_scopes(self) -> frozenset[str]:
        """The scopes that the bank names in its token; empty if it names none."""
        return (await self._current_token()).scopes

    async def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        ids: Mapping[str, str],
        token: _Token,
    ) -> dict[str, Any]:
        version = self._profile.versions.get(f"{method} {path}", self._profile.version)
        base = self._addresses.url.replace("{version}", version)
        filled = path.format(**{name: quote(value, safe="") for name, value in ids.items()})
        sent = {"authorization": f"Bearer {token.value}", **self._own_headers(), **headers}
        content = None if body is None else orjson.dumps(body)
        if content is not None:
            sent["content-type"] = "application/json"
        await self._limits.wait()
        writes = method != "GET"
        status, _, data = await self._send(
            httpx.Request(method, base + filled, params={**self._own_query(), **query}, headers=sent, content=content),
            writes=writes,
        )
        if not 200 <= status < 300:
            raise error_from_response(status, data, writes=writes)
        answer = parse_object(data) if data.strip() else {}
        if answer is None:
            self.responding = False
            raise no_response(f"{status} with a body that is no JSON object", writes=writes)
        return answer

    def _own_headers(self) -> dict[str, str]:
        profile, settings = self._profile, self._settings
        found = {
            profile.client_id_header: settings.client_id,
            profile.account_header: settings.account,
            profile.correlation_header: str(uuid.uuid4()),
        }
        return {name: value for name, value in found.items() if name and value}

    def _own_query(self) -> dict[str, str]:
        key = secret_text(self._settings.app_key)
        return {self._profile.app_key_parameter: key} if self._profile.app_key_parameter and key else {}

    async def _send(self, request: httpx.Request, *, writes: bool) -> tuple[int, httpx.Headers, bytes]:
        async with self._slot(), self._connection.use() as http:
            request.headers.update(_HEADERS)
            request.extensions = {"timeout": self._timeout.as_dict()}
            try:
                async with asyncio.timeout(self._deadline):
                    response = await http.send(request, stream=True)
                    try:
                        body = await read_response(response, MAX_BODY_BYTES)
                    finally:
                        await response.aclose()
            # OSError: httpx passes a TLS alert on as it is.
            except (httpx.HTTPError, httpx.StreamError, OSError) as error:
                self.responding = False
                raise error_from_transport(error, writes=writes) from error
        self._limits.update(response.status_code, response.headers)
        self.date = _date(response.headers)
        self.responding = response.status_code < 500 and response.status_code not in {401, 403}
        return response.status_code, response.headers, body

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise EngineBusy("too many calls at a time in this process") from None
        try:
            yield
        finally:
            self._slots.release()

    async def _current_token(self) -> _Token:
        """The access token. Calls that need a new one share one request, and its failure."""
        if self._token is not None and self._clock() < self._token.ends_at:
            return self._token
        if self._refusal is not None and self._clock() < self._refusal[0]:
            raise EngineMisconfigured(self._refusal[1])
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh_token())
            self._refreshing.add_done_callback(self._end_refresh)
        # A caller that is canceled must not cancel the others' request.
        return await asyncio.shield(self._refreshing)

    def _end_refresh(self, task: "asyncio.Task[_Token]") -> None:
        self._refreshing = None
        error = None if task.cancelled() else task.exception()
        if isinstance(error, EngineMisconfigured):
            self._refusal = (self._clock() + TOKEN_RETRY_SECONDS, str(error))

    async def _refresh_token(self) -> _Token:
        try:
            await self._limits.wait()
            status, _, body = await self._send(self._token_request(), writes=False)
        except (EngineMisconfigured, EngineBusy):
            raise
        except EngineError as error:
            raise EngineUnavailable(f"no token: {error}") from error
        if status == 429:
            raise EngineBusy("the bank's token endpoint is over its quota")
        if 400 <= status < 500:
            self.responding = False
            raise EngineMisconfigured(f"the bank refuses the client: {error_from_response(status, body, writes=False)}")
        answer = parse_object(body) if 200 <= status < 300 else None
        value = text((answer or {}).get("access_token"), 16_384)
        if answer is None or value is None:
            self.responding = False
            raise EngineUnavailable(f"no token: {status} without an access_token")
        seconds = _seconds(answer.get("expires_in"))
        scopes = frozenset((text(answer.get("scope"), 2_000) or "").split())
        # A token of less than two minutes is used for half its time.
        self._token = _Token(value, self._clock() + max(seconds - TOKEN_MARGIN_SECONDS, seconds / 2), scopes)
        return self._token

    def _token_request(self) -> httpx.Request:
        settings, how = self._settings, self._profile.token_auth
        client_id, secret = settings.client_id or "", secret_text(settings.client_secret) or ""
        form = {"grant_type": "client_credentials"}
        if self._profile.sends_scope:
            form["scope"] = settings.scopes
        if how in {TokenAuth.form, TokenAuth.certificate}:
            form["client_id"] = client_id
        if how is TokenAuth.form:
            form["client_secret"] = secret
        url = self._addresses.token_url
        request = httpx.Request("POST", url, **({"json": form} if how is TokenAuth.basic_json else {"data": form}))  # type: ignore[arg-type]  # Either keyword has this type.
        if how in {TokenAuth.basic, TokenAuth.basic_json}:
            request = next(httpx.BasicAuth(client_id, secret).auth_flow(request))
        return request


def _date(headers: httpx.Headers) -> datetime | None:
    try:
        date = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _seconds(value: object) -> float:
    """A number of seconds, also as a text; the default for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    positive = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 10**9
    return float(value) if positive else _DEFAULT_TOKEN_SECONDS  # type: ignore[arg-type]  # `positive` means a number.
