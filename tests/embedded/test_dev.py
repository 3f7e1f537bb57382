"""`gateway dev` and `gateway serve` as real processes with real signals."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from server_kinds import REPOSITORY

from gateway.dev.embedded import EmbeddedRedis
from gateway.dev.embedded.defaults import secret_key
from gateway.dev.supervisor import RestartPolicy
from gateway.server.serve import ServeError, open_listener
from tests.ports import free_port

pytestmark = pytest.mark.timeout(300)
"""Each test starts several processes in sequence."""
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "gateway", *words]


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**CLEAN, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command(*words), capture_output=True, text=True, env=env, cwd=cwd, timeout=90, check=False)


def processes_of(data_dir: Path, *words: str) -> list[int]:
    """Return pids whose command line or environment has the data dir, and whose command line has all words."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            argv = (entry / "cmdline").read_bytes()
            mine = str(data_dir).encode() in argv + (entry / "environ").read_bytes() or _inside(entry, data_dir)
            if mine and int(entry.name) != os.getpid() and all(word.encode() in argv for word in words):
                found.append(int(entry.name))
    return found


def _inside(entry: Path, data_dir: Path) -> bool:
    return (entry / "cwd").readlink().is_relative_to(data_dir)


class Dev:
    """A running `gateway dev`."""

    def __init__(self, data_dir: Path, port: int | None = None) -> None:
        self.data_dir, self.port = data_dir, port or free_port()
        with (data_dir.parent / "stderr").open("ab") as stderr:
            self.process = subprocess.Popen(
                command("dev", "--port", str(self.port), "--data-dir", str(data_dir)),
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env={**CLEAN, "PYTHONPATH": str(REPOSITORY)},
                cwd=data_dir.parent,
            )

    def banner(self) -> str:
        for line in self.process.stdout:
            if f":{self.port}" in line:
                return line
        raise AssertionError(self.stderr)

    @property
    def stderr(self) -> str:
        return (self.data_dir.parent / "stderr").read_text()

    def answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def get(self, path: str) -> bytes:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.code()

    def code(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def run_dev(data_dir: Path, port: int | None = None) -> Iterator[Dev]:
    started = Dev(data_dir, port)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.communicate()


@pytest.fixture
def dev(data_dir: Path) -> Iterator[Dev]:
    with run_dev(data_dir) as started:
        yield started


def kill(pids: list[int]) -> bool:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return bool(pids)


def test_the_lifecycle_of_gateway_dev(dev: Dev, eventually: Callable[..., bool]):
    """Start, join, refuse a second instance, restart a killed worker and Redis, and stop at Ctrl-C."""
    assert dev.banner()
    steps = ["PostgreSQL", "Redis", "migrating", "API", "worker", "demo data", "ready after"]
    lines = iter(dev.stderr.splitlines())
    assert all(any(step in line for line in lines) for step in steps), dev.stderr
    assert dev.answers()
    inbox = dev.get("/dev/mail.json")
    assert b"Voc\xc3\xaa recebeu" in inbox, "the demo's paid charge has notified its merchant"

    joined = run("doctor", "--data-dir", str(dev.data_dir), cwd=dev.data_dir.parent)
    assert joined.returncode == 0, joined.stderr
    assert f"http://127.0.0.1:{dev.port}" in joined.stdout, "links of a command use the API's port"
    assert "127.0.0.0/8" in joined.stdout, "webhooks may use loopback"

    second = run("dev", "--port", str(free_port()), "--data-dir", str(dev.data_dir), cwd=dev.data_dir.parent)
    assert second.returncode == 2
    assert second.stderr == (
        f"gateway: the data dir {dev.data_dir} is in use by another `gateway dev` (process {dev.process.pid})\n"
    )

    worker = processes_of(dev.data_dir, "-m\0gateway\0worker")
    assert kill(worker)
    assert eventually(lambda: set(processes_of(dev.data_dir, "-m\0gateway\0worker")) - set(worker))

    assert kill(processes_of(dev.data_dir, "valkey-server")[:1])
    assert eventually(lambda: "the embedded Redis ended; starting it again" in dev.stderr)
    assert eventually(lambda: EmbeddedRedis(dev.data_dir).answers(f"unix://{dev.data_dir}/redis/redis.sock"))

    assert dev.end(signal.SIGINT) == 0, dev.stderr
    assert processes_of(dev.data_dir) == []
    assert "Traceback" not in dev.stderr


def test_gateway_dev_starts_again_after_any_process_was_killed(
    dev: Dev, data_dir: Path, eventually: Callable[..., bool]
):
    """A killed API stops everything with one line. A killed supervisor ends its children."""
    dev.banner()
    key = secret_key(data_dir)
    assert kill(processes_of(data_dir, "-m\0gateway\0serve"))
    assert dev.code() == 1
    assert dev.stderr.splitlines()[-1] == "gateway: the API ended (signal SIGKILL); its own lines are above"
    assert processes_of(data_dir) == []
    with run_dev(data_dir) as first:
        assert first.banner()
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        with run_dev(data_dir, first.port) as again:  # The old API may still use the port.
            assert again.banner()
            assert again.end(signal.SIGTERM) == 0
    assert eventually(lambda: processes_of(data_dir) == [])
    assert secret_key(data_dir) == key


def test_a_signal_during_start_stops_it_cleanly(dev: Dev, eventually: Callable[..., bool]):
    assert eventually((dev.data_dir / "postgres.lock").exists)
    assert dev.end(signal.SIGTERM) == 0, dev.stderr
    assert processes_of(dev.data_dir) == []


def test_a_port_in_use_is_reported_in_one_line(data_dir, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("dev", "--port", str(port), "--data-dir", str(data_dir), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"gateway: port {port} of 127.0.0.1 is in use; choose another with --port\n"


def test_a_broken_data_dir_is_reported_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("dev", "--port", str(free_port()), "--data-dir", "file/data", cwd=tmp_path)
    assert result.returncode == 2
    assert (
        result.stderr
        == "gateway: the data dir file/data can't be used: Not a directory; choose another with --data-dir\n"
    )


def test_an_invalid_setting_is_reported_in_one_line(data_dir, tmp_path, monkeypatch):
    monkeypatch.setitem(CLEAN, "GATEWAY_RECEIVING_MODE", "duas_contas")
    result = run("dev", "--port", str(free_port()), "--data-dir", str(data_dir), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "gateway: GATEWAY_RECEIVING_MODE: Input should be 'conta_unica' or 'subconta'\n"
    assert processes_of(data_dir) == []


@pytest.mark.parametrize("words", [["serve"], ["worker"]])
def test_a_missing_setting_is_reported_in_one_line(tmp_path, words):
    result = run(*words, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    for name in ("GATEWAY_DATABASE_URL", "GATEWAY_REDIS_URL", "GATEWAY_SECRET_KEY"):
        assert f"{name} is not set" in result.stderr


def test_an_invalid_host_is_reported_in_one_line():
    with pytest.raises(ServeError, match="choose another with --host"):
        open_listener("no such host", 8000)


def test_the_secret_key_is_generated_once_and_is_private(data_dir):
    keys = {secret_key(data_dir) for _ in range(3)}
    assert len(keys) == 1
    assert len(keys.pop()) >= 32
    assert (data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in data_dir.iterdir()] == ["secret_key"]


def test_the_restart_delay_grows_until_a_long_run_resets_it():
    policy = RestartPolicy(since=0.0)
    assert [policy.next_delay(now=0.0) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert policy.next_delay(now=time.monotonic() + 60) == 0.5
