"""The gateway's processes, and how to freeze, kill and stop them by pid."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from tests.subprocesses import CLEAN, Forks

T = TypeVar("T")

ALREADY_AT_IT = "another billing run is under way"


async def until(condition: Callable[[], Awaitable[T]], what: str, seconds: float = 60.0, every: float = 0.02) -> T:
    """Poll until the condition is true; returns its value."""
    deadline = time.monotonic() + seconds
    while not (answer := await condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        await asyncio.sleep(every)
    return answer


@contextmanager
def frozen(pid: int | None) -> Iterator[None]:
    """Freeze the process with SIGSTOP; SIGCONT at the end."""
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


class GatewayProcess:
    """`python -m MODULE …` with its own settings and log file."""

    def __init__(
        self, forks: Forks, module: str, *words: str, settings: Mapping[str, str], log: Path, **environment: str
    ) -> None:
        """`settings` have no prefix; `environment` is added to them."""
        variables = {f"GATEWAY_{name}": value for name, value in settings.items()}
        self.words = words
        self.log = log
        with log.open("ab") as output:
            self._process = forks.start(
                *words,
                module=module,
                env={**CLEAN, **variables, **environment},
                cwd=log.parent,  # Away from a developer's `.env`.
                stdout=output.fileno(),
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def resident_mib(self) -> float:
        """Memory in use, in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def lines(self) -> list[dict[str, Any]]:
        """The lines of its log."""
        text = self.log.read_text(errors="replace")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]

    def said(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line.get("event") == event]

    async def says(self, event: str, seconds: float = 60.0) -> dict[str, Any]:
        """Wait for a line of its log."""

        async def spoken() -> list[dict[str, Any]]:
            found = self.said(event)
            assert found or self.alive, f"{self.words} ended: {self.log.read_text()[-2000:]}"
            return found

        return (await until(spoken, f"{self.words} to say {event}", seconds))[0]

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait()

    async def ends(self, seconds: float = 60.0) -> bool:
        """Wait until it has exited by itself; returns whether it did the work, or another process was doing it."""

        async def ended() -> bool:
            return not self.alive

        await until(ended, f"{self.words} to end", seconds)
        text = self.log.read_text()
        assert self._process.returncode == 0 or ALREADY_AT_IT in text, text[-2000:]
        return self._process.returncode == 0

    async def stop(self, seconds: float = 60.0) -> float:
        """Send SIGTERM; returns the seconds until its clean exit."""
        started = time.monotonic()
        self._process.terminate()

        async def ended() -> bool:
            return not self.alive

        await until(ended, f"{self.words} to stop", seconds)
        assert self._process.returncode in {0, -signal.SIGTERM}, self.log.read_text()[-2000:]
        return time.monotonic() - started

    def end(self) -> None:
        """Kill it and its children in any state, as an API of several processes would leave them."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # Also ends a frozen process.
        self._process.wait()
