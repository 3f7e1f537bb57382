"""The gateway's processes, as an operator starts them, and what can be done to a process by its pid."""

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
    """Ask again and again until the answer is true; what it was."""
    deadline = time.monotonic() + seconds
    while not (answer := await condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        await asyncio.sleep(every)
    return answer


@contextmanager
def frozen(pid: int | None) -> Iterator[None]:
    """A process that neither works nor dies: SIGSTOP, and SIGCONT at the end."""
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


class GatewayProcess:
    """`python -m MODULE …` with settings of its own, its log in a file."""

    def __init__(
        self, forks: Forks, module: str, *words: str, settings: Mapping[str, str], log: Path, **environment: str
    ) -> None:
        """`settings` without their prefix; `environment` beside them."""
        given = {f"GATEWAY_{name}": value for name, value in settings.items()}
        self.words = words
        self.log = log
        with log.open("ab") as output:
            self._process = forks.start(
                *words,
                module=module,
                env={**CLEAN, **given, **environment},
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
        """What it has logged."""
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
        """kill -9: no farewell to anybody."""
        self._process.kill()
        self._process.wait()

    async def ends(self, seconds: float = 60.0) -> bool:
        """Wait until it has ended by itself; whether it did its work, or left it to one that was at it already."""

        async def ended() -> bool:
            return not self.alive

        await until(ended, f"{self.words} to end", seconds)
        text = self.log.read_text()
        assert self._process.returncode == 0 or ALREADY_AT_IT in text, text[-2000:]
        return self._process.returncode == 0

    async def stop(self, seconds: float = 60.0) -> float:
        """SIGTERM, and how many seconds it then took. It must end by itself, and in order."""
        started = time.monotonic()
        self._process.terminate()

        async def ended() -> bool:
            return not self.alive

        await until(ended, f"{self.words} to stop", seconds)
        assert self._process.returncode in {0, -signal.SIGTERM}, self.log.read_text()[-2000:]
        return time.monotonic() - started

    def end(self) -> None:
        """Whatever its state is, be rid of it and of its children: an API of several processes leaves them behind."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # It ends a frozen process, too.
        self._process.wait()
