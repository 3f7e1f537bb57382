"""What the embedded PostgreSQL and the embedded Redis have in common: one owner, many users, no orphan."""

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

from gateway.dev.embedded.child import Child, SystemUser
from gateway.dev.embedded.claim import Claim
from gateway.dev.embedded.errors import EmbeddedError
from gateway.dev.embedded.leftovers import clear_leftovers
from gateway.dev.embedded.place import open_data_dir, remove_private_dirs

_READY_SECONDS = 300.0  # A long crash recovery is still a start.
_USERS_FINISH_SECONDS = 3.0  # `gateway dev` stops all it started within 30 s.
_POLL_SECONDS = 0.01
_LOG_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Launch:
    """How one run of a server is started, and the URL at which it then answers."""

    url: str
    command: Sequence[str]
    user: SystemUser | None = None
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": os.defpath, "LC_ALL": "C"})


class EmbeddedServer(ABC):
    """A real server on a Unix socket, its data under `data_dir`.

    `start` runs it or, when another process already does, joins that one; `stop` ends what this process started and
    nothing else. Both may be called again. The server dies with the process that runs it, even on its kill -9.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    programs: ClassVar[frozenset[str]]
    death_signal: ClassVar[signal.Signals]
    stop_steps: ClassVar[tuple[tuple[signal.Signals, float], ...]]

    def __init__(
        self, data_dir: Path | str, *, durable: bool = True, on_exit: Callable[[], None] = lambda: None
    ) -> None:
        """`durable=False` trades safety against a power cut for speed; `on_exit` is called, in another thread, when a
        server of this process ends, wanted or not.
        """
        self._given = Path(data_dir)
        self.durable = durable
        self._on_exit = on_exit
        self._claim: Claim | None = None
        self._child: Child | None = None

    @property
    def data_dir(self) -> Path:
        return self._given.expanduser().resolve()

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
        """Make the home fit to start from. Called by the owner alone, with no leftover process in it."""

    @abstractmethod
    def answers(self, url: str) -> bool:
        """Whether the server at `url` serves requests now."""

    def start(self, *, join: bool = True, patience: float = 60.0) -> str:
        """The server's URL, once it answers.

        Without `join` it waits up to `patience` seconds until no other process runs the server, to run it itself.
        Raises `EmbeddedError`.
        """
        open_data_dir(self._given)
        try:
            return self._joined(join=join, patience=patience) or self._run()
        except OSError as error:
            self.stop()
            raise EmbeddedError(f"the embedded {self.title} can't start: {error}") from error
        except BaseException:
            self.stop()
            raise

    def _joined(self, *, join: bool, patience: float) -> str | None:
        self._claim = self._claim or Claim(self.data_dir, self.name)
        return None if self._claim.owned else self._claim.take(self.answers, join=join, seconds=patience)

    def _run(self) -> str:
        if self.home.is_dir():
            clear_leftovers(self.home, self.programs, self.death_signal)
        launch = self.prepare()
        with self._open_log() as log:
            self._child = self._make_child(launch, log)
            self._child.start()
        self._await(launch.url, self._child)
        assert self._claim is not None
        self._claim.publish(launch.url)
        return launch.url

    def _make_child(self, launch: Launch, log: IO[bytes]) -> Child:
        return Child(
            launch.command,
            cwd=self.home,
            env=launch.env,
            output=log,
            user=launch.user,
            death_signal=self.death_signal,
            on_exit=lambda _: self._on_exit(),
        )

    def _await(self, url: str, child: Child) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not self.answers(url):
            if child.wait(_POLL_SECONDS):
                raise EmbeddedError(f"the embedded {self.title} ended at once: {self._last_words()}")
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the embedded {self.title} is not ready yet: {self._last_words()}")

    def stop(self) -> None:
        """End the server if this process runs it, after those who joined it have had some seconds to finish."""
        claim = self._claim
        if claim and claim.owned and self._child and self._child.alive:
            claim.withdraw(_USERS_FINISH_SECONDS)
        if self._child:
            self._child.stop(*self.stop_steps)
            self._child = None
        if claim:
            if claim.owned:
                remove_private_dirs(self.home)
            claim.release()
            self._claim = None

    def bound_log(self) -> None:
        """Keep the log below its limit. The server appends, so its next line starts the emptied file."""
        if self.log_path.exists() and self.log_path.stat().st_size > _LOG_BYTES:
            shutil.copyfile(self.log_path, self.log_path.with_suffix(".log.1"))
            os.truncate(self.log_path, 0)

    def _open_log(self) -> IO[bytes]:
        self.log_path.parent.mkdir(mode=0o700, exist_ok=True)
        self.bound_log()
        return self.log_path.open("ab")

    def _last_words(self) -> str:
        lines = self.log_path.read_text(errors="replace").splitlines() if self.log_path.exists() else []
        fatal = [line for line in lines[-20:] if "FATAL" in line or "Error" in line]
        words = (fatal or lines or ["it said nothing"])[-1]
        return f"{words.strip()} (log: {self.log_path})"

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
