"""Child processes that end with this process."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_LAUNCH = Path(__file__).with_name("launch.py")
_KILLED_WITHIN = 5.0


@dataclass(frozen=True)
class SystemUser:
    """The user and group that a child runs as."""

    uid: int
    gid: int


def launch_command(command: Sequence[str], death_signal: signal.Signals, user: SystemUser | None) -> list[str]:
    """The command line that runs `command` as `user`, and ends it with this process."""
    uid, gid = (user.uid, user.gid) if user else (-1, -1)
    head = [sys.executable, "-I", "-S", str(_LAUNCH)]
    return [*head, str(os.getpid()), str(int(death_signal)), str(uid), str(gid), *command]


class Child:
    """One run of a program.

    Linux ends a child with the *thread* that started it, so each child has its own thread. The child has its own
    session, so Ctrl-C reaches only the gateway, which stops its children in order.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        output: IO[bytes] | None = None,
        user: SystemUser | None = None,
        death_signal: signal.Signals = signal.SIGTERM,
        on_exit: Callable[["Child"], None] = lambda _: None,
    ) -> None:
        """`output` takes both streams (default: this process's own); `on_exit` is called in another thread."""
        self._command = launch_command(command, death_signal, user)
        self._cwd, self._env, self._output = cwd, env, output
        self._on_exit = on_exit
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self._started, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="child", daemon=True)

    def start(self) -> None:
        """Raises `OSError` if the program can't be started."""
        self._thread.start()
        self._started.wait()
        if self._failure:
            raise self._failure

    def _run(self) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # The command line is the gateway's own.
                self._command,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                start_new_session=True,
            )
        except OSError as error:
            self._failure = error
        finally:
            self._started.set()
        if self._process:
            self._process.wait()
        self._ended.set()
        self._on_exit(self)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        return self._started.is_set() and not self._ended.is_set()

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.returncode if self._process and self._ended.is_set() else None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most `seconds`; whether it has ended."""
        return self._ended.wait(seconds)

    def stop(self, *steps: tuple[signal.Signals, float]) -> None:
        """Send each signal and wait for its seconds; then kill. It may be called at any time."""
        if not self._thread.ident:
            return
        self._started.wait()
        for number, seconds in steps:
            self._send(number)
            if self._ended.wait(seconds):
                return
        self._send(signal.SIGKILL)
        self._ended.wait(_KILLED_WITHIN)

    def _send(self, number: signal.Signals) -> None:
        """Signal the child; kill its whole group, for it can't stop its own children then."""
        if self._process is None or self._ended.is_set():
            return
        with suppress(ProcessLookupError):
            (os.killpg if number == signal.SIGKILL else os.kill)(self._process.pid, number)
