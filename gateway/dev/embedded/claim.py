"""Which process runs the embedded server of a directory, and which ones merely use it.

The owner holds an exclusive lock on `<name>.lock` for as long as its server may run, and writes its pid and the
server's URL into it. Users hold a shared lock on `<name>.users`, so that an owner about to stop can let them finish.
The kernel drops both locks with the process that holds them, so neither can go stale.
"""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gateway.dev.embedded.errors import EmbeddedError

_POLL_SECONDS = 0.02


class Lock:
    """An advisory lock on a file, dropped by the kernel when its holder ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self, *, shared: bool = False) -> bool:
        """Whether the lock is ours now. It never waits."""
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
        """Replace the content. Only the holder does."""
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, "".join(f"{line}\n" for line in lines).encode(), 0)

    def read(self) -> list[str]:
        with suppress(FileNotFoundError):
            return self.path.read_text().splitlines()
        return []

    @property
    def holder(self) -> str:
        """The pid that the holder wrote, for a message."""
        return next(iter(self.read()), "unknown")


class Claim:
    """One process's stake in the server `name` under `data_dir`."""

    def __init__(self, data_dir: Path, name: str) -> None:
        self._name = name
        self._owner = Lock(data_dir / f"{name}.lock")
        self._users = Lock(data_dir / f"{name}.users")

    @property
    def owned(self) -> bool:
        return self._owner.held

    def take(self, answers: Callable[[str], bool], *, join: bool, seconds: float) -> str | None:
        """Become the owner (None) or, where `join` allows, a user of the URL that the owner published.

        A server that is starting, stopping or recovering is waited for. Raises `EmbeddedError` after `seconds`.
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
        """Sign in first, then look: an owner that stops withdraws the URL before it counts its users."""
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
        """Take no new users and give those there are `seconds` to finish."""
        self._owner.write(str(os.getpid()))
        deadline = time.monotonic() + seconds
        while not self._users.take() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._users.release()

    def release(self) -> None:
        self._users.release()
        self._owner.release()
