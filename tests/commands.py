"""`gateway …` as an operator runs it: a process of its own, with settings from its environment."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

from gateway.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
FORKS = Path(__file__).with_name("command_forks.py")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}


class CommandForks:
    """Runs commands in forks of one process, for importing is nearly all that most of them do."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._folder = process, folder
        self._one_by_one = threading.Lock()

    @classmethod
    @contextmanager
    def open(cls) -> Iterator["CommandForks"]:
        env = CLEAN | {"PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        with (
            TemporaryDirectory() as folder,
            subprocess.Popen([sys.executable, str(FORKS)], stdin=pipe, stdout=pipe, text=True, env=env) as process,
        ):
            yield cls(process, Path(folder))

    def run(self, words: tuple[str, ...], env: dict[str, str], cwd: Path) -> "CompletedProcess[str]":
        told = [self._folder / name for name in ("stdout", "stderr")]
        order = {"words": words, "env": env, "cwd": str(cwd), "stdout": str(told[0]), "stderr": str(told[1])}
        with self._one_by_one:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{json.dumps(order)}\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            stdout, stderr = (path.read_text() for path in told)
            for path in told:
                path.unlink()
        return CompletedProcess(words, code, stdout, stderr)


class Commands:
    """Runs commands on the test servers; more settings by keyword. Each ends before it is told of."""

    def __init__(self, settings: Settings, forks: CommandForks, cwd: Path) -> None:
        self._settings, self._forks, self._cwd = settings, forks, cwd

    def __call__(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """In a fork: what the command does, says and exits with."""
        return self._forks.run(words, self._env(more), self._cwd)

    def afresh(self, *words: str, **more: str) -> "CompletedProcess[str]":
        """From nothing, as a shell starts it: also whether it imports what it needs."""
        command = [sys.executable, "-m", "gateway", *words]
        env, cwd = self._env(more), self._cwd
        return subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, timeout=90, check=False)

    def _env(self, more: dict[str, str]) -> dict[str, str]:
        given = {
            "database_url": self._settings.database_url,
            "redis_url": self._settings.redis_url,
            "secret_key": self._settings.secret_key.get_secret_value(),
            **more,
        }
        return CLEAN | {f"GATEWAY_{name.upper()}": value for name, value in given.items()} | {"PYTHONPATH": str(ROOT)}
