"""The base class of the embedded servers: one process owns a server, others join it."""

import os
import shutil
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, ClassVar

from gateway.dev.embedded.child_process import Child, SystemUser
from gateway.dev.embedded.data_dir_lock import DataDirLock
from gateway.dev.embedded.orphan_processes import stop_orphans
from gateway.dev.embedded.paths import EmbeddedError, open_data_dir, remove_private_dirs

_READY_SECONDS = 300.0  # Crash recovery may take long.
_USERS_FINISH_SECONDS = 3.0  # `gateway dev` stops all it started within 30 s.
_POLL_SECONDS = 0.01
_LOG_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Launch:
    """The command of a server, and its URL."""

    url: str
    command: Sequence[str]
    user: SystemUser | None = None
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": os.defpath, "LC_ALL": "C"})


class EmbeddedServer(ABC):
    """A server on a Unix socket, with its data under `data_dir`.

    `start` runs it, or joins that of another process. `stop` stops only what this process started. Both may be called
    again. The server ends with the process that runs it, even after a kill -9.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    programs: ClassVar[frozenset[str]]
    death_signal: ClassVar[signal.Signals]
    stop_steps: ClassVar[tuple[tuple[signal.Signals, float], ...]]

    def __init__(
        self, data_dir: Path | str, *, durable: bool = True, on_exit: Callable[[], None] = lambda: None
    ) -> None:
        """`durable=False` is faster, and loses data in a power cut. `on_exit` is called in another thread when the
        server of this process ends.
        """
        self._path = Path(data_dir)
        self.durable = durable
        self._on_exit = on_exit
        self._lock: DataDirLock | None = None
        self._child: Child | None = None

    @property
    def data_dir(self) -> Path:
        return self._path.expanduser().resolve()

    @property
    def home(self) -> Path:
        """The server's own directory, and its working directory."""
        return self.data_dir / self.name

    @property
    def log_path(self) -> Path:
        return self.data_dir / "logs" / f"{self.name}.log"

    @property
    def pid(self) -> int | None:
        """The server's process id if this process runs it."""
        return self._child.pid if self._child and self._child.alive else None

    @abstractmethod
    def prepare(self) -> Launch:
        """Prepare the home for a start. Only the owner calls it, after orphans are stopped."""

    @abstractmethod
    def answers(self, url: str) -> bool:
        """Whether the server at `url` serves requests now."""

    def start(self, *, join: bool = True, lock_seconds: float = 60.0) -> str:
        """Start or join the server, and return its URL when it is ready. Without `join`, wait `lock_seconds` for
        another owner to stop. Raises `EmbeddedError`.
        """
        open_data_dir(self._path)
        try:
            self._lock = self._lock or DataDirLock(self.data_dir, self.name)
            url = None if self._lock.owned else self._lock.take(self.answers, join=join, seconds=lock_seconds)
            return url or self._run(self._lock)
        except OSError as error:
            self.stop()
            raise EmbeddedError(f"the embedded {self.title} can't start: {error}") from error
        except BaseException:
            self.stop()
            raise

    def _run(self, lock: DataDirLock) -> str:
        if self.home.is_dir():
            stop_orphans(self.home, self.programs, self.death_signal)
        launch = self.prepare()
        with self._open_log() as log:
            self._child = Child(
                launch.command,
                cwd=self.home,
                env=launch.env,
                output=log,
                user=launch.user,
                death_signal=self.death_signal,
                on_exit=lambda _: self._on_exit(),
            )
            self._child.start()
        deadline = time.monotonic() + _READY_SECONDS
        while not self.answers(launch.url):
            if self._child.wait(_POLL_SECONDS):
                raise EmbeddedError(f"the embedded {self.title} ended at once: {self._last_error()}")
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the embedded {self.title} is not ready yet: {self._last_error()}")
        lock.publish(launch.url)
        return launch.url

    def stop(self) -> None:
        """Stop the server if this process runs it, after some seconds for its users to finish."""
        lock = self._lock
        if lock and lock.owned and self._child and self._child.alive:
            lock.withdraw(_USERS_FINISH_SECONDS)
        if self._child:
            self._child.stop(*self.stop_steps)
            self._child = None
        if lock:
            if lock.owned:
                remove_private_dirs(self.home)
            lock.release()
            self._lock = None

    def bound_log(self) -> None:
        """Truncate the log at its limit. The server appends to it."""
        if self.log_path.exists() and self.log_path.stat().st_size > _LOG_BYTES:
            shutil.copyfile(self.log_path, self.log_path.with_suffix(".log.1"))
            os.truncate(self.log_path, 0)

    def _open_log(self) -> IO[bytes]:
        self.log_path.parent.mkdir(mode=0o700, exist_ok=True)
        self.bound_log()
        return self.log_path.open("ab")

    def _last_error(self) -> str:
        lines = self.log_path.read_text(errors="replace").splitlines() if self.log_path.exists() else []
        fatal = [line for line in lines[-20:] if "FATAL" in line or "Error" in line]
        words = (fatal or lines or ["it printed nothing"])[-1]
        return f"{words.strip()} (log: {self.log_path})"

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
