"""Starts processes of the gateway by forking `tests/fork_server.py`, since imports are most of their run time.

The result equals `python -m MODULE WORDS`, which some test also runs for each.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")} | {
    "PYTHONPATH": str(ROOT)
}
"""The environment without a developer's settings; modules are found from any working directory."""


class Fork:
    """A process with the interface of `subprocess.Popen`. It leads its own session."""

    def __init__(self, words: tuple[str, ...], status: int) -> None:
        self.words = words
        self.returncode: int | None = None
        self._status = open(status, "rb", buffering=0)  # noqa: SIM115  # Closed once the exit code is read.
        self.pid = int(self._status.readline())

    def poll(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; raises `subprocess.TimeoutExpired` after `timeout` seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.words, timeout or 0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            poller = select.poll()
            poller.register(self._status, select.POLLIN)
            if poller.poll(None if timeout is None else timeout * 1000):
                self.returncode = int(self._status.readline())
                self._status.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Send the signal unless the process has exited."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """Starts processes, which the caller must end."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests

    @classmethod
    @contextmanager
    def open(cls) -> Iterator["Forks"]:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
        with (
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=CLEAN,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            ),
            ours,
        ):
            theirs.close()
            yield cls(ours)

    def start(
        self,
        *words: str,
        env: Mapping[str, str],
        cwd: Path,
        stdout: int,
        stderr: int | None = None,
        module: str = "gateway",
    ) -> Fork:
        """Start `python -m MODULE WORDS`. `stdout` and `stderr` are file descriptors, which stay open here.

        Without `stderr`, errors go to `stdout`.
        """
        request = {"module": module, "words": words, "env": dict(env), "cwd": str(cwd)}
        status, status_writer = os.pipe()
        null = os.open(os.devnull, os.O_RDONLY)
        try:
            files = [null, stdout, stdout if stderr is None else stderr, status_writer]
            line = f"{json.dumps(request)}\n".encode()
            self._requests.sendall(line[socket.send_fds(self._requests, [line], files) :])
        finally:
            os.close(null)
            os.close(status_writer)
        return Fork((module, *words), status)
