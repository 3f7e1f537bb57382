"""Document storage, in a folder and in a bucket of a real S3 server on this machine."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import httpx
import pytest
import structlog

from gateway.doctor.check import Severity
from gateway.doctor.services import check_documents
from gateway.errors import ArchiveNotConfigured, ArchiveUnavailable
from gateway.integrations.object_storage import (
    THREADS,
    NullObjectStorage,
    ObjectStorage,
    ObstoreObjectStorage,
    open_object_storage,
    open_store,
)
from gateway.settings import Settings, SettingsError, load_settings
from tests.ports import free_port

CONTENT = os.urandom(300_000)
SIGNING = "the secret that signs requests to the bucket"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[str, Path]]:
    """The endpoint of an S3 server with one bucket, and its data folder."""
    port, folder = free_port(), tmp_path_factory.mktemp("s3")
    (folder / "papers").mkdir()
    command = [sys.executable, "-m", "nanio", "serve", "--host", "127.0.0.1", "--port", str(port)]
    server = await asyncio.create_subprocess_exec(
        *(*command, "--data-dir", str(folder)),
        env=os.environ | {"NANIO_ACCESS_KEY": "key", "NANIO_SECRET_KEY": SIGNING},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await _listens(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}", folder
    finally:
        server.terminate()
        await server.wait()


async def _listens(url: str) -> None:
    async with httpx.AsyncClient() as client, asyncio.timeout(60):
        while True:
            try:
                await client.get(url)
            except httpx.TransportError:
                await asyncio.sleep(0.05)
            else:
                return


@pytest.fixture
def s3(server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a prefix in the bucket; sets the credentials."""
    variables = {
        "AWS_ENDPOINT_URL": server[0],
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": SIGNING,
        "AWS_REGION": "us-east-1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return "s3://papers/of/merchants"


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return str(request.getfixturevalue("s3"))
    return (tmp_path / "a folder with spaces").as_uri()


@pytest.fixture
def stored_files(url: str, server: tuple[str, Path], tmp_path: Path) -> Callable[[], list[Path]]:
    """Lists the files on the disk, in both cases."""
    folder = server[1] / "papers" if url.startswith("s3:") else tmp_path
    return lambda: [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size >= 23]


async def test_put_get_and_delete(url: str, stored_files: Callable[[], list[Path]]) -> None:
    archive = open_object_storage(url)
    await archive.put("a" * 64, CONTENT)
    assert await archive.get("a" * 64) == CONTENT
    assert [path.read_bytes() for path in stored_files() if path.stat().st_size >= len(CONTENT)] == [CONTENT]
    await archive.delete("a" * 64)
    await archive.delete("a" * 64)
    with pytest.raises(ArchiveUnavailable):
        await archive.get("a" * 64)


class Silent:
    """A server that accepts connections and never responds."""

    def __init__(self) -> None:
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    """Sets the endpoint of all buckets to a server that never responds."""
    server = Silent()
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    yield server
    server.listener.close()


async def test_a_bucket_that_does_not_respond_times_out(silent: Silent) -> None:
    archive = ObstoreObjectStorage(open_store("s3://papers"), timeout=0.2)
    for act in (archive.put("k", CONTENT), archive.get("k"), archive.delete("k")):
        with pytest.raises(ArchiveUnavailable), structlog.testing.capture_logs() as logs:
            await act
        assert [(line["event"], line["error"]) for line in logs] == [("archive_failed", "TimeoutError")]
    archive.close()


async def test_a_hanging_bucket_blocks_no_shared_thread(silent: Silent) -> None:
    archive = ObstoreObjectStorage(open_store("s3://papers"), timeout=0.2)
    gone = await asyncio.gather(*(archive.get(f"k{n}") for n in range(2 * THREADS)), return_exceptions=True)
    assert {type(each) for each in gone} == {ArchiveUnavailable}
    async with asyncio.timeout(60):
        assert await asyncio.to_thread(lambda: "free") == "free"
    archive.close()


@pytest.mark.parametrize("what", ["archive", "doctor"])
def test_exit_does_not_wait_for_a_hanging_bucket(silent: Silent, settings: Settings, what: str) -> None:
    async def act() -> str:
        if what == "doctor":
            [finding] = [each async for each in check_documents(_settings(settings, "s3://papers"), seconds=0.2)]
            return finding.severity
        with pytest.raises(ArchiveUnavailable):
            await ObstoreObjectStorage(open_store("s3://papers"), timeout=0.2).get("k")
        return Severity.error

    ended: SimpleQueue[str] = SimpleQueue()
    Thread(target=lambda: ended.put(asyncio.run(act())), daemon=True).start()
    assert ended.get(timeout=60) == Severity.error


async def test_a_missing_bucket_is_logged_in_one_line_without_secrets(s3: str) -> None:
    archive = open_object_storage("s3://nothing-here")
    with pytest.raises(ArchiveUnavailable), structlog.testing.capture_logs() as logs:
        await archive.get("k")
    assert logs[0]["event"] == "archive_failed"
    assert "\n" not in logs[0]["reason"]
    assert SIGNING not in str(logs)


async def test_a_wrong_secret_is_refused(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another secret")
    with pytest.raises(ArchiveUnavailable):
        await open_object_storage(s3).put("k", CONTENT)


async def test_without_storage_every_call_is_an_error() -> None:
    archive: ObjectStorage = open_object_storage(None)
    assert isinstance(archive, NullObjectStorage)
    for act in (archive.put("k", b"x"), archive.get("k"), archive.delete("k")):
        with pytest.raises(ArchiveNotConfigured):
            await act


@pytest.mark.parametrize(
    "url",
    [
        "/var/documents",
        "file://var/documents",
        "file:///",
        "file:documents",
        "s3://",
        "s3:///prefix",
        "https://bucket.example/x",
        "memory:///",
        "s3://bucket?region=x",
        "file:///x#y",
        "s3://[",
    ],
)
def test_other_urls_are_refused_in_one_line(settings: Settings, url: str) -> None:
    with pytest.raises(SettingsError, match=r"^GATEWAY_DOCUMENTS_URL: [^\n]*s3://bucket/prefix$"):
        _settings(settings, url)


def _settings(settings: Settings, url: str | None) -> Settings:
    return load_settings(_env_file=None, **{**settings.model_dump(), "documents_url": url})


async def test_the_doctor_checks_the_storage_and_leaves_no_file(
    settings: Settings, url: str, stored_files: Callable[[], list[Path]]
) -> None:
    before = stored_files()
    [finding] = [each async for each in check_documents(_settings(settings, url))]
    assert (finding.severity, finding.text) == (Severity.ok, f"stored at {url}")
    assert stored_files() == before


@pytest.mark.parametrize("url", [None, "file:///proc/nowhere", "s3://nothing-here"])
async def test_the_doctor_reports_errors_of_the_storage(settings: Settings, s3: str, url: Any) -> None:
    [finding] = [each async for each in check_documents(_settings(settings, url))]
    assert finding.severity is Severity.error
    assert "\n" not in finding.text
