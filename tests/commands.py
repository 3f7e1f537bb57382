"""Runs `gateway …` as an operator does: in its own process, with settings from the environment."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import CompletedProcess

from gateway.settings import Settings
from tests.subprocesses import CLEAN, Forks

TIMEOUT_SECONDS = 90


class Commands:
    """Runs commands on the test servers until they exit; keywords add settings."""

    def __init__(self, settings: Settings | None, forks: Forks, cwd: Path) -> None:
        self._settings, self._forks, self._cwd = settings, forks, cwd

    @classmethod
    def bare(cls, forks: Forks, cwd: Path) -> "Commands":
        """Without any setting."""
        return cls(None, forks, cwd)

    def __call__(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """Run the command in a fork."""
        outputs = [self._cwd / f".{name}" for name in ("stdout", "stderr")]
        with ExitStack() as stack:
            stdout, stderr = (stack.enter_context(path.open("w")).fileno() for path in outputs)
            fork = self._forks.start(*words, env=self.environment(more), cwd=self._cwd, stdout=stdout, stderr=stderr)
            stack.callback(fork.kill)
            code = fork.wait(TIMEOUT_SECONDS)
        texts = [path.read_text() for path in outputs]
        for path in outputs:
            path.unlink()
        return CompletedProcess(words, code, *texts)

    def afresh(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """Run the command in a new interpreter, as a shell does, which also tests its imports."""
        return subprocess.run(
            [sys.executable, "-m", "gateway", *words],
            capture_output=True,
            text=True,
            env=self.environment(more),
            cwd=self._cwd,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        """The environment of commands: the test servers and more settings."""
        settings = (
            more
            if self._settings is None
            else {
                "database_url": self._settings.database_url,
                "redis_url": self._settings.redis_url,
                "secret_key": self._settings.secret_key.get_secret_value(),
                **more,
            }
        )
        return CLEAN | {f"GATEWAY_{name.upper()}": value for name, value in settings.items()}
