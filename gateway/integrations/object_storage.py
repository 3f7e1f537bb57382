"""Object storage for merchants' documents: a folder or an S3 bucket, by `GATEWAY_DOCUMENTS_URL`.

The content is already encrypted. S3's credentials, region and endpoint come from the usual `AWS_*` variables.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from gateway.errors import ArchiveNotConfigured, ArchiveUnavailable
from gateway.integrations.daemon_executor import DaemonThreadPool
from gateway.telemetry import log

TIMEOUT_SECONDS = 60.0
"""For one object, with retries."""
THREADS = 16
"""Concurrent requests of one process."""
FAILURES = (BaseError, OSError, TimeoutError)
"""Errors of the library."""


class ObjectStorage(Protocol):
    """Stores files by key. Every method may raise `ArchiveUnavailable`."""

    async def put(self, key: str, content: bytes) -> None:
        """Store a file, whole or not at all."""

    async def get(self, key: str) -> bytes:
        """A stored file."""

    async def delete(self, key: str) -> None:
        """Delete a file, if it exists."""

    def close(self) -> None:
        """Close without waiting for running requests."""


class NullObjectStorage:
    """Used without `GATEWAY_DOCUMENTS_URL`. Raises `ArchiveNotConfigured`."""

    async def put(self, key: str, content: bytes) -> None:
        del key, content
        raise ArchiveNotConfigured

    async def get(self, key: str) -> bytes:
        del key
        raise ArchiveNotConfigured

    async def delete(self, key: str) -> None:
        del key
        raise ArchiveNotConfigured

    def close(self) -> None:
        """Nothing to close."""


class ObstoreObjectStorage:
    """A folder or bucket, through obstore.

    Its blocking calls run in our own threads. The threads of its asynchronous calls may need the interpreter after a
    short command has ended, and then abort the process.
    """

    def __init__(self, store: ObjectStore, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._store = store
        self._timeout = timeout
        self._threads = DaemonThreadPool(THREADS, "archive")

    async def put(self, key: str, content: bytes) -> None:
        async with self._guarded("put"):
            await self._threads.run(partial(obstore.put, self._store, key, content, use_multipart=False))

    async def get(self, key: str) -> bytes:
        async with self._guarded("get"):
            return await self._threads.run(lambda: bytes(obstore.get(self._store, key).bytes()))

    async def delete(self, key: str) -> None:
        async with self._guarded("delete"):
            try:
                await self._threads.run(obstore.delete, self._store, key)
            except FileNotFoundError:
                log.info("archive_object_already_gone")

    def close(self) -> None:
        self._threads.close()

    @asynccontextmanager
    async def _guarded(self, method: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._timeout):
                yield
        except FAILURES as error:
            log.error("archive_failed", method=method, error=type(error).__name__, reason=sanitize_reason(error))
            raise ArchiveUnavailable from None


def sanitize_reason(error: Exception) -> str:
    """The first line of the error: the library's texts have many."""
    return str(error).partition("\n")[0][:300] or type(error).__name__


def open_object_storage(url: str | None) -> ObjectStorage:
    """The storage at a URL that the settings have validated."""
    return NullObjectStorage() if url is None else ObstoreObjectStorage(open_store(url))


def open_store(url: str) -> ObjectStore:
    """The object store at the URL. A folder is created, readable by its owner only."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(url2pathname(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(folder)
    return S3Store.from_url(
        url,
        # Only an operator's `AWS_ENDPOINT_URL` can be without TLS.
        client_options={"allow_http": True, "connect_timeout": "5s", "timeout": "30s", "user_agent": "pix-gateway"},
        retry_config={"max_retries": 3},
    )
