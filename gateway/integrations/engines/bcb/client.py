"""HTTP to a bank: the access token, the bank's quota, and the profile's headers and parameters."""

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import orjson
from msgspec import Struct

from gateway.integrations.banks.profiles import TokenAuth
from gateway.integrations.banks.settings import BankSettings, secret_text
from gateway.integrations.engines.bcb.connection import Connection
from gateway.integrations.engines.bcb.failures import error_from_response
from gateway.integrations.engines.errors import EngineBusy, EngineError, EngineMisconfigured, EngineUnavailable
from gateway.integrations.engines.http_client import (
    MAX_BACKOFF_SECONDS,
    HttpClient,
    Unauthorized,
    fill_path,
    parse_seconds,
    wait_for_quota,
)
from gateway.integrations.engines.notifications import text
from gateway.integrations.http_json import parse_object

TOKEN_MARGIN_SECONDS = 60.0
TOKEN_RETRY_SECONDS = 10.0
"""The token endpoint is left alone after a refusal: some banks block an address that repeats it."""
_DEFAULT_TOKEN_SECONDS = 300.0
DEFAULT_BACKOFF_SECONDS = 5.0
_MINUTE = 60.0


class CallLimits:
    """So many calls a minute in this process, and none while the bank refuses them. `per_minute`: None for no limit of
    our own. `clock`: monotonic seconds.
    """

    def __init__(self, per_minute: int | None, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._calls: deque[float] = deque()
        self._refused_until = 0.0

    async def wait(self) -> None:
        """Wait for the call's turn. Raises `EngineBusy` at once if that is too long."""
        while (seconds := self._seconds_to_wait()) > 0:
            await wait_for_quota(seconds)
        self._calls.append(self._clock())

    def update(self, status: int, headers: Mapping[str, str]) -> None:
        """Note a response. A 429 ends all calls for a while; so does a 503 that says for how long."""
        named = headers.get("retry-after", "")
        if status == 429 or (status == 503 and named):
            seconds = parse_seconds(named)
            backoff = DEFAULT_BACKOFF_SECONDS if seconds is None else seconds
            self._refused_until = self._clock() + min(backoff, MAX_BACKOFF_SECONDS)

    def _seconds_to_wait(self) -> float:
        now = self._clock()
        while self._calls and self._calls[0] <= now - _MINUTE:
            self._calls.popleft()
        full = self._per_minute is not None and len(self._calls) >= self._per_minute
        return max(self._refused_until - now, self._calls[0] + _MINUTE - now if full else 0.0)


class _Token(Struct):
    value: str
    ends_at: float
    scopes: frozenset[str]


class BankClient(HttpClient):
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
        super().__init__(deadline=deadline, connect=5)
        self._connection = connection
        self._settings = settings
        self._profile = settings.profile
        self._addresses = settings.addresses(environment)
        self._clock = clock
        self._limits = CallLimits(settings.calls_per_minute or self._profile.calls_per_minute, clock)
        self._token: _Token | None = None
        self._refreshing: asyncio.Task[_Token] | None = None
        self._refusal: tuple[float, str] | None = None
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
        version = self._profile.versions.get(f"{method} {path}", self._profile.version)
        request = httpx.Request(
            method,
            self._addresses.url.replace("{version}", version) + fill_path(path, ids),
            params={**self._own_query(), **(query or {})},
            headers={"content-type": "application/json", **(headers or {})} if body is not None else headers,
            content=None if body is None else orjson.dumps(body),
        )
        token = await self._current_token()
        try:
            return await self._request(request, token)
        except Unauthorized as error:
            if error.status != 401:
                raise
        # The bank may forget a token early. Nothing was done: once more with a new one.
        if self._token is token:
            self._token = None
        return await self._request(request, await self._current_token())

    async def granted_scopes(self) -> frozenset[str]:
        """The scopes that the bank names in its token; empty if it names none."""
        return (await self._current_token()).scopes

    async def _request(self, request: httpx.Request, token: _Token) -> dict[str, Any]:
        request.headers.update({"authorization": f"Bearer {token.value}", **self._own_headers()})
        writes = request.method != "GET"
        status, data = await self._exchange(request, writes=writes)
        if not 200 <= status < 300:
            raise error_from_response(status, data, writes=writes)
        return self._parse(status, data, writes=writes) if data.strip() else {}

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

    async def _exchange(self, request: httpx.Request, *, writes: bool) -> tuple[int, bytes]:
        """Status and body of the response."""
        await self._limits.wait()
        async with self._connection.use() as http:
            status, headers, body = await self._send(http, request, writes=writes)
        self._limits.update(status, headers)
        self.date = _date(headers)
        self.responding = status < 500 and status not in {401, 403}
        return status, body

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
            status, body = await self._exchange(self._token_request(), writes=False)
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
