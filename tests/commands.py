"""`gateway …` as an operator runs it: a process of its own, with settings from its environment."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import CompletedProcess

from gateway.settings import Settings
from tests.subprocesses import CLEAN, Forks

LONGEST_SECONDS = 90


class Commands:
    """Runs commands on the test servers; more settings by keyword. Each ends before it is told of."""

    def __init__(self, settings: Settings | None, forks: Forks, cwd: Path) -> None:
        self._settings, self._forks, self._cwd = settings, forks, cwd

    @classmethod
    def bare(cls, forks: Forks, cwd: Path) -> "Commands":
        """Without any setting."""
        return cls(None, forks, cwd)

    def __call__(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """In a fork: what the command does, says and exits with."""
        told = [self._cwd / f".{name}" for name in ("stdout", "stderr")]
        with ExitStack() as stack:
            stdout, stderr = (stack.enter_context(path.open("w")).fileno() for path in told)
            fork = self._forks.start(*words, env=self.environment(more), cwd=self._cwd, stdout=stdout, stderr=stderr)
            stack.callback(fork.kill)
            code = fork.wait(LONGEST_SECONDS)
        said = [path.read_text() for path in told]
        for path in told:
            path.unlink()
        return CompletedProcess(words, code, *said)

    def afresh(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """From nothing, as a shell starts it: also whether it imports what it needs."""
        return subprocess.run(
            [sys.executable, "-m", "gateway", *words],
            capture_output=True,
            text=True,
            env=self.environment(more),
            cwd=self._cwd,
            timeout=LONGEST_SECONDS,
            check=False,
        )

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        """What they run in: the test servers, and more settings."""
        given = (
            more
            if self._settings is None
            else {
                "database_url": self._settings.database_url,
                "redis_url": self._settings.redis_url,
                "secret_key": self._settings.secret_key.get_secret_value(),
                **more,
            }
        )
        return CLEAN | {f"GATEWAY_{name.upper()}": value for name, value in given.items()}
