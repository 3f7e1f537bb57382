"""Asking Appwrite who holds a session token: three reads, one deadline over all of them, bounded answers.

Appwrite signs its tokens with a key of its own, so nothing but its answer proves one. Tokens, and the tokens of
Google's that its answers carry, are neither logged nor kept.
"""

import asyncio
import re
from typing import Any
from urllib.parse import quote

import httpx

from gateway.errors import IdentityRefused, IdentityUnavailable
from gateway.integrations.http_json import object_in, read_answer
from gateway.integrations.identity.judging import claims_of, identity_of, judge_account, judge_session, require_form
from gateway.integrations.identity.port import Identity
from gateway.telemetry import IDENTITY_FAILURES, log

DEADLINE_SECONDS = 5.0
LARGEST_BODY = 256 * 1024
MOST_CONNECTIONS = 20
RESPONSE_FORMAT = "1.8.0"
_DENIALS = {401, 403}
_TYPE = re.compile(r"[a-z0-9_]{1,60}")


class Appwrite:
    """The project of an Appwrite server. `endpoint` ends in `/v1`, without a slash."""

    def __init__(
        self, http: httpx.AsyncClient, endpoint: str, project: str, *, deadline: float = DEADLINE_SECONDS
    ) -> None:
        self._http = http
        self._endpoint = endpoint
        self._project = project
        self._deadline = deadline

    async def identify(self, token: str) -> Identity:
        """Who holds the token. Raises `IdentityRefused` or `IdentityUnavailable`."""
        require_form(token)
        try:
            async with asyncio.timeout(self._deadline):
                return await self._identify(token)
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
            IDENTITY_FAILURES.labels("silent").inc()
            log.warning("identity_provider_silent", error=type(error).__name__)
            raise IdentityUnavailable from error

    async def _identify(self, token: str) -> Identity:
        account = await self._read("/account", token)
        claims = claims_of(token)
        judge_account(account, claims)
        session = await self._read(f"/account/sessions/{quote(claims.session_id, safe='')}", token)
        judge_session(session, claims)
        return identity_of(account, session, await self._read("/account/identities", token))

    async def _read(self, path: str, token: str) -> dict[str, Any]:
        headers = {
            "x-appwrite-project": self._project,
            "x-appwrite-jwt": token,
            "x-appwrite-response-format": RESPONSE_FORMAT,
        }
        async with self._http.stream("GET", self._endpoint + path, headers=headers) as response:
            said = object_in(await read_answer(response, LARGEST_BODY))
        if response.status_code == 200 and said is not None:
            return said
        raise _failure(response.status_code, said or {})


def _failure(status: int, said: dict[str, Any]) -> IdentityRefused | IdentityUnavailable:
    told = str(said.get("type", ""))
    kind = told if _TYPE.fullmatch(told) else None
    # A denial without a type is a proxy's, or a firewall's, and says nothing about this person.
    if (status in _DENIALS and kind) or (status == 404 and kind == "user_session_not_found"):
        return IdentityRefused()
    # Anything else is not about this person: a project that Appwrite doesn't know, its limits, its bad day.
    IDENTITY_FAILURES.labels("project" if status == 404 else "refused").inc()
    log.error("identity_provider_failed", status=status, type=kind)
    return IdentityUnavailable()
