"""Where merchants' documents lie: objects in a folder or in an S3 bucket, by `GATEWAY_DOCUMENTS_URL`.

What is put here has been sealed already. S3's credentials, region and endpoint come from the usual `AWS_*` variables.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from gateway.errors import ArchiveNotConfigured, ArchiveUnavailable
from gateway.integrations.daemon_executor import DaemonThreads
from gateway.telemetry import log

PATIENCE_SECONDS = 60.0
"""How long one object may take on its way, retries included."""
THREADS = 16
"""How many objects may be on their way at a time, in one process."""
FAILURES = (BaseError, OSError, TimeoutError)
"""What the store's library raises."""


class Archive(Protocol):
    """Keeps files under keys. Every method may raise `ArchiveUnavailable`."""

    async def put(self, key: str, content: bytes) -> None:
        """Keep a file; it is there whole, or not at all."""

    async def get(self, key: str) -> bytes:
        """A file that was put."""

    async def delete(self, key: str) -> None:
        """Forget a file; one that isn't there is as good as forgotten."""

    def close(self) -> None:
        """Wait for nothing that is still on its way."""


class NoArchive:
    """Stands where no archive is configured. Raises `ArchiveNotConfigured`."""

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
        """There is nothing to close."""


class ObjectArchive:
    """An archive in an object store.

    The library's blocking calls run in threads of ours: the threads of its own that complete its asynchronous calls
    may still want the interpreter when a short command ends, and then they abort the process. A store that hangs
    blocks a thread for long, so these threads serve the archive only, and a process that exits does not wait for them.
    """

    def __init__(self, store: ObjectStore, *, patience: float = PATIENCE_SECONDS) -> None:
        self._store = store
        self._patience = patience
        self._threads = DaemonThreads(THREADS, "archive")

    async def put(self, key: str, content: bytes) -> None:
        async with self._asking("put"):
            await self._threads.run(self._write, key, content)

    async def get(self, key: str) -> bytes:
        async with self._asking("get"):
            return await self._threads.run(self._read, key)

    async def delete(self, key: str) -> None:
        async with self._asking("delete"):
            try:
                await self._threads.run(obstore.delete, self._store, key)
            except FileNotFoundError:
                log.info("archive_object_already_gone")

    def close(self) -> None:
        self._threads.close()

    def _write(self, key: str, content: bytes) -> None:
        obstore.put(self._store, key, content, use_multipart=False)

    def _read(self, key: str) -> bytes:
        return bytes(obstore.get(self._store, key).bytes())

    @asynccontextmanager
    async def _asking(self, verb: str) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._patience):
                yield
        except FAILURES as error:
            log.error("archive_failed", verb=verb, error=type(error).__name__, reason=sanitize_reason(error))
            raise ArchiveUnavailable from None


def sanitize_reason(error: Exception) -> str:
    """Why the store failed, in a line: the library's text goes on for pages."""
    return str(error).partition("\n")[0][:300] or type(error).__name__


def open_archive(url: str | None) -> Archive:
    """The archive at a URL that the settings have accepted."""
    return NoArchive() if url is None else ObjectArchive(open_store(url))


def open_store(url: str) -> ObjectStore:
    """The object store at such a URL. A folder is created, readable by its owner only."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(url2pathname(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalStore(folder)
    return S3Store.from_url(
        url,
        # An endpoint without TLS is used only where the operator has written one (`AWS_ENDPOINT_URL`).
        client_options={"allow_http": True, "connect_timeout": "5s", "timeout": "30s", "user_agent": "pix-gateway"},
        retry_config={"max_retries": 3},
    )
