"""Verify a session token at Appwrite: three reads with one deadline, and bounded responses.

Appwrite signs its tokens with its own key, so only its API can verify one. Its tokens, and Google's tokens in its
responses, are neither logged nor stored.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import quote

import httpx

from gateway import __version__
from gateway.errors import IdentityRefused, IdentityUnavailable
from gateway.integrations.http_json import parse_object, read_response
from gateway.integrations.identity import Identities, Identity, NoIdentities
from gateway.integrations.identity.verify import claims_of, identity_of, verify_account, verify_session
from gateway.settings import Settings
from gateway.telemetry import IDENTITY_FAILURES, log

DEADLINE_SECONDS = 5.0
MAX_RESPONSE_BYTES = 256 * 1024
MAX_CONNECTIONS = 20
RESPONSE_FORMAT = "1.8.0"
_DENIALS = {401, 403}
_TYPE = re.compile(r"[a-z0-9_]{1,60}")


@asynccontextmanager
async def open_identities(settings: Settings) -> AsyncIterator[Identities]:
    """The identity service of the settings; its connections close with the block."""
    if settings.appwrite_endpoint is None or settings.appwrite_project is None:
        yield NoIdentities()
        return
    async with open_http() as http:
        yield Appwrite(http, settings.appwrite_endpoint, settings.appwrite_project)


@asynccontextmanager
async def open_http() -> AsyncIterator[httpx.AsyncClient]:
    """A client without cookies: one person's cookie would go with the next one's token, and Appwrite rejects both. It
    follows no redirects, takes no proxy from the environment, and accepts no compressed response.
    """
    async with httpx.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "user-agent": f"pix-gateway/{__version__}",
            "accept": "application/json",
            "accept-encoding": "identity",
        },
        limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
        timeout=None,  # noqa: S113  # `identify` has a deadline.
        trust_env=False,
    ) as http:
        yield http


class Appwrite:
    """A project of an Appwrite server. `endpoint` ends in `/v1`, without a slash."""

    def __init__(
        self, http: httpx.AsyncClient, endpoint: str, project: str, *, deadline: float = DEADLINE_SECONDS
    ) -> None:
        self._http = http
        self._endpoint = endpoint
        self._project = project
        self._deadline = deadline

    async def identify(self, token: str) -> Identity:
        """The person of the token. Raises `IdentityRefused` or `IdentityUnavailable`."""
        claims = claims_of(token)
        try:
            async with asyncio.timeout(self._deadline):
                account = await self._read("/account", token)
                verify_account(account, claims)
                session = await self._read(f"/account/sessions/{quote(claims.session_id, safe='')}", token)
                verify_session(session, claims)
                return identity_of(account, session, await self._read("/account/identities", token))
        except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
            IDENTITY_FAILURES.labels("silent").inc()
            log.warning("identity_provider_silent", error=type(error).__name__)
            raise IdentityUnavailable from error

    async def _read(self, path: str, token: str) -> dict[str, Any]:
        headers = {
            "x-appwrite-project": self._project,
            "x-appwrite-jwt": token,
            "x-appwrite-response-format": RESPONSE_FORMAT,
        }
        async with self._http.stream("GET", self._endpoint + path, headers=headers) as response:
            body = parse_object(await read_response(response, MAX_RESPONSE_BYTES))
        if response.status_code == 200 and body is not None:
            return body
        raise _failure(response.status_code, body or {})


def _failure(status: int, body: dict[str, Any]) -> IdentityRefused | IdentityUnavailable:
    error_type = str(body.get("type", ""))
    kind = error_type if _TYPE.fullmatch(error_type) else None
    # A denial without a type comes from a proxy or a firewall, and isn't about this person.
    if (status in _DENIALS and kind) or (status == 404 and kind == "user_session_not_found"):
        return IdentityRefused()
    # All other errors are about the deployment: an unknown project, rate limits, an outage.
    IDENTITY_FAILURES.labels("project" if status == 404 else "refused").inc()
    log.error("identity_provider_failed", status=status, type=kind)
    return IdentityUnavailable()
