"""A terminal into which the blocks of a page are pasted in order."""

import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

_END_MARKER = "pasted-block-ends-here"


class Failed(AssertionError):
    """A block ended the shell. The message is the whole output."""


class Terminal:
    """A bash process that ends at the first failing command."""

    def __init__(self, directory: Path, **variables: str) -> None:
        # An unbuffered print writes the line and its end separately, so background output may come between.
        excluded = ("GATEWAY_", "PYTHONUNBUFFERED")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(excluded)}
        self._shell = subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=directory,
            start_new_session=True,
            env=inherited | {"CURL_HOME": str(directory)} | variables,
        )
        self._printed: list[str] = []
        self._ended = False
        self._output_changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """The output so far."""
        return "".join(self._printed)

    def paste(self, block: str, seconds: float = 60) -> str:
        """Run a block to its end; return the output since then, including background output."""
        before = len(self.text)
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{block}\necho; echo {_END_MARKER}\n")
        self._shell.stdin.flush()
        if not self.shows(rf"(?m)^{_END_MARKER}$", seconds, since=before):
            raise Failed(self.text)
        return self.text[before:].replace(f"{_END_MARKER}\n", "")

    def shows(self, pattern: str, seconds: float = 60, *, since: int = 0) -> bool:
        """Return whether the output matches within the given seconds."""
        deadline = time.monotonic() + seconds
        with self._output_changed:
            while not re.search(pattern, self.text[since:]):
                left = deadline - time.monotonic()
                if self._ended or left <= 0 or self._shell.poll() is not None:
                    return False
                self._output_changed.wait(min(left, 0.2))
        return True

    def close(self, seconds: float = 60) -> None:
        """End the shell, and wait until its background processes close the terminal."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._reader.join(seconds)
        self._shell.wait(seconds)
        assert not self._reader.is_alive(), "something still runs in the background"

    def _read(self) -> None:
        assert self._shell.stdout is not None
        for line in self._shell.stdout:
            with self._output_changed:
                self._printed.append(line)
                self._output_changed.notify_all()
        with self._output_changed:
            self._ended = True
            self._output_changed.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the shell and its background processes, which hold the pipe."""
        with suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        self._reader.join()
        for pipe in (self._shell.stdin, self._shell.stdout):
            if pipe is not None:
                pipe.close()
