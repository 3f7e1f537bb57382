"""Locks of a data dir: which process runs an embedded server, and which ones use it.

The owner has an exclusive lock on `<name>.lock` and writes its pid and the server's URL into it. Users have a shared
lock on `<name>.users`; an owner waits for them before it stops. The kernel releases both when a process ends.
"""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gateway.dev.embedded.paths import EmbeddedError

_POLL_SECONDS = 0.02


class FileLock:
    """An advisory lock on a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self, *, shared: bool = False) -> bool:
        """Acquire the lock, or return false at once."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def write(self, *lines: str) -> None:
        """Replace the content; the holder only."""
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, "".join(f"{line}\n" for line in lines).encode(), 0)

    def read(self) -> list[str]:
        with suppress(FileNotFoundError):
            return self.path.read_text().splitlines()
        return []

    @property
    def holder(self) -> str:
        """The pid of the holder, for messages."""
        return next(iter(self.read()), "unknown")


class DataDirLock:
    """The locks of one process for the server `name` of `data_dir`."""

    def __init__(self, data_dir: Path, name: str) -> None:
        self._name = name
        self._owner = FileLock(data_dir / f"{name}.lock")
        self._users = FileLock(data_dir / f"{name}.users")

    @property
    def owned(self) -> bool:
        return self._owner.held

    def take(self, answers: Callable[[str], bool], *, join: bool, seconds: float) -> str | None:
        """Become the owner (None) or, if `join`, a user of the owner's URL. Waits for a server that starts or stops.
        Raises `EmbeddedError` after `seconds`.
        """
        deadline = time.monotonic() + seconds
        while not self._owner.take():
            if join and (url := self._joined(answers)):
                return url
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"the embedded {self._name} of {self._owner.path.parent} is held by process {self._owner.holder}"
                )
            time.sleep(_POLL_SECONDS)
        self._owner.write(str(os.getpid()))
        return None

    def _joined(self, answers: Callable[[str], bool]) -> str | None:
        """Lock first, then read: an owner that stops removes the URL before it waits for users."""
        if not self._users.take(shared=True):
            return None
        url = next(iter(self._owner.read()[1:2]), "")
        if url and answers(url):
            return url
        self._users.release()
        return None

    def publish(self, url: str) -> None:
        self._owner.write(str(os.getpid()), url)

    def withdraw(self, seconds: float) -> None:
        """Remove the URL, and wait at most `seconds` for users."""
        self._owner.write(str(os.getpid()))
        deadline = time.monotonic() + seconds
        while not self._users.take() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._users.release()

    def release(self) -> None:
        self._users.release()
        self._owner.release()
