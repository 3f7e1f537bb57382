"""The identity service of a deployment, as its settings choose it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from gateway import __version__
from gateway.integrations.identity.appwrite import MOST_CONNECTIONS, Appwrite
from gateway.integrations.identity.port import Identities, NoIdentities
from gateway.settings import Settings


@asynccontextmanager
async def open_identities(settings: Settings) -> AsyncIterator[Identities]:
    """The service; its connections close with the block."""
    if settings.appwrite_endpoint is None or settings.appwrite_project is None:
        yield NoIdentities()
        return
    async with open_http() as http:
        yield Appwrite(http, settings.appwrite_endpoint, settings.appwrite_project)


@asynccontextmanager
async def open_http() -> AsyncIterator[httpx.AsyncClient]:
    """Connections that keep no cookie: one person's would travel with the next one's token, and Appwrite refuses both.
    Redirects aren't followed, no proxy is taken from the environment, and no answer may be compressed. Calls are ended
    by the deadline of whoever makes them.
    """
    async with httpx.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "user-agent": f"pix-gateway/{__version__}",
            "accept": "application/json",
            "accept-encoding": "identity",
        },
        limits=httpx.Limits(max_connections=MOST_CONNECTIONS),
        timeout=None,  # noqa: S113  # See above.
        trust_env=False,
    ) as http:
        yield http
