"""A terminal into which a reader pastes the blocks of a page, one after the other."""

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

_MARK = "pasted-block-ends-here"


class Failed(AssertionError):
    """A block ended the shell; the message is all that was printed."""


class Terminal:
    """One bash, which ends at the first command that fails."""

    def __init__(self, directory: Path, **variables: str) -> None:
        # An unbuffered print writes its line and the line's end apart, and what runs in the
        # background comes between them.
        left_out = ("GATEWAY_", "PYTHONUNBUFFERED")
        given = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        self._shell = subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=directory,
            start_new_session=True,
            env=given | {"CURL_HOME": str(directory)} | variables,
        )
        self._printed: list[str] = []
        self._ended = False
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """All that was printed so far."""
        return "".join(self._printed)

    def paste(self, block: str, seconds: float = 60) -> str:
        """Run a block to its end; what was printed meanwhile, by it and in the background."""
        before = len(self.text)
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{block}\necho; echo {_MARK}\n")
        self._shell.stdin.flush()
        if not self.shows(rf"(?m)^{_MARK}$", seconds, since=before):
            raise Failed(self.text)
        return self.text[before:].replace(f"{_MARK}\n", "")

    def shows(self, pattern: str, seconds: float = 60, *, since: int = 0) -> bool:
        """Whether something that matches is printed within so many seconds."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not re.search(pattern, self.text[since:]):
                left = deadline - time.monotonic()
                if self._ended or left <= 0 or self._shell.poll() is not None:
                    return False
                self._news.wait(min(left, 0.2))
        return True

    def close(self, seconds: float = 60) -> None:
        """End the shell, and wait until nothing that it started holds the terminal any more."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._reader.join(seconds)
        self._shell.wait(seconds)
        assert not self._reader.is_alive(), "something still runs in the background"

    def _read(self) -> None:
        assert self._shell.stdout is not None
        for line in self._shell.stdout:
            with self._news:
                self._printed.append(line)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the shell and whatever it left in the background, which would hold the pipe for ever."""
        with suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        self._reader.join()
        for pipe in (self._shell.stdin, self._shell.stdout):
            if pipe is not None:
                pipe.close()
