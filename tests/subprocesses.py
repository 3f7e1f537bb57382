"""Processes of the gateway, each begun by a fork of one that has imported what they import: starting from nothing is
nearly all that most of them do. `python -m MODULE WORDS` does the same, and some test starts each from nothing.
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
"""The environment without a developer's own settings, in which ours are found from wherever a process is started."""


class Fork:
    """A process, with the face of a `subprocess.Popen`. It leads a session of its own."""

    def __init__(self, words: tuple[str, ...], life: int) -> None:
        self.words = words
        self.returncode: int | None = None
        self._life = open(life, "rb", buffering=0)  # noqa: SIM115  # Closed when it has told all.
        self.pid = int(self._life.readline())

    def poll(self) -> int | None:
        """The exit code, once there is one."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; raises `subprocess.TimeoutExpired` after so many seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.words, timeout or 0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            told = select.poll()
            told.register(self._life, select.POLLIN)
            if told.poll(None if timeout is None else timeout * 1000):
                self.returncode = int(self._life.readline())
                self._life.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """Starts processes. Each is its caller's to be ended."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders

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
        """`python -m MODULE WORDS` in that environment; `stdout` and `stderr` are file descriptors, and stay open here.
        Without `stderr` both are one.
        """
        order = {"module": module, "words": words, "env": dict(env), "cwd": str(cwd)}
        life, told = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            files = [nothing, stdout, stdout if stderr is None else stderr, told]
            line = f"{json.dumps(order)}\n".encode()
            self._orders.sendall(line[socket.send_fds(self._orders, [line], files) :])
        finally:
            os.close(nothing)
            os.close(told)
        return Fork((module, *words), life)
