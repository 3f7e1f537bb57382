"""The HTTPS connection to a bank, with the client certificate. A replaced certificate is used without a restart."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

import httpx
from msgspec import Struct

from gateway.integrations.banks.certificate import CertificateError, CertificateFiles, add_certificate, load_certificate
from gateway.integrations.engines.errors import EngineMisconfigured
from gateway.integrations.engines.http_client import MAX_CONCURRENT_CALLS
from gateway.telemetry import CERTIFICATE_EXPIRY, log

CHECK_SECONDS = 20.0
"""How often the certificate's files are checked for a change, at most."""


class _Client(Struct):
    http: httpx.AsyncClient
    version: tuple[int, ...]
    expires_at: datetime
    in_use: int = 0
    replaced: bool = False


class Connection:
    """`use` gives the HTTP client. `environment` labels the metric of the certificate's expiry."""

    def __init__(self, files: CertificateFiles, environment: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._files = files
        self._environment = environment
        self._clock = clock
        self._client: _Client | None = None
        self._checked_at = 0.0
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[httpx.AsyncClient]:
        """The client with the current certificate. Raises `EngineMisconfigured` if there is none."""
        client = await self._current()
        client.in_use += 1
        try:
            yield client.http
        finally:
            client.in_use -= 1
            await _close_if_unused(client)

    async def expires_at(self) -> datetime:
        """When the certificate in use expires. Raises `EngineMisconfigured`."""
        return (await self._current()).expires_at

    async def close(self) -> None:
        if self._client is not None:
            await self._client.http.aclose()

    async def _current(self) -> _Client:
        if self._client is None or self._clock() - self._checked_at >= CHECK_SECONDS:
            async with self._lock:
                await self._refresh()
        assert self._client is not None, "_refresh sets it or raises"
        return self._client

    async def _refresh(self) -> None:
        client = self._client
        if client is not None and self._clock() - self._checked_at < CHECK_SECONDS:
            return
        self._checked_at = self._clock()
        try:
            opened = await asyncio.to_thread(self._open, client.version if client else None)
        except (CertificateError, OSError) as error:
            if client is None:
                raise EngineMisconfigured(f"the client certificate: {error}") from error
            # Its files may be replaced one after the other. The next check tries again.
            log.error("bank_certificate_not_reloaded", environment=self._environment, error=str(error))
            return
        if opened is None:
            return
        self._client = opened
        CERTIFICATE_EXPIRY.labels(self._environment).set(opened.expires_at.timestamp())
        if client is not None:
            log.info(
                "bank_certificate_reloaded", environment=self._environment, expires_at=opened.expires_at.isoformat()
            )
            client.replaced = True
            await _close_if_unused(client)

    def _open(self, known: tuple[int, ...] | None) -> _Client | None:
        """A client with the certificate in the files; None if they are those of the `known` version. Blocks."""
        version = self._files.version
        if version == known:
            return None
        certificate = load_certificate(self._files)
        tls = httpx.create_ssl_context(trust_env=False)
        add_certificate(tls, self._files, certificate)
        limits = httpx.Limits(max_connections=MAX_CONCURRENT_CALLS, max_keepalive_connections=MAX_CONCURRENT_CALLS)
        # A failed connection is tried once more, because nothing was sent. Some banks speak HTTP/1.1 only.
        transport = httpx.AsyncHTTPTransport(verify=tls, retries=1, limits=limits)
        return _Client(httpx.AsyncClient(transport=transport, trust_env=False), version, certificate.expires_at)


async def _close_if_unused(client: _Client) -> None:
    if client.replaced and not client.in_use:
        await client.http.aclose()
