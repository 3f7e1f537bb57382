"""Processes that an earlier, killed run left behind in a server's directory."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gateway.dev.embedded.errors import EmbeddedError

_KILLED_SECONDS = 5.0
_POLL_SECONDS = 0.02


def clear_leftovers(
    directory: Path, programs: frozenset[str], polite: signal.Signals, *, patience: float = 10.0
) -> None:
    """End every process of `programs` that works in `directory`: politely, then after `patience` seconds by force.

    Pid files are not asked: after a crash they may name a zombie or somebody else's process. A working directory can't
    be mistaken, and the program's name keeps a developer's own shell in that directory alive.
    """
    for number, seconds in ((polite, patience), (signal.SIGKILL, _KILLED_SECONDS)):
        found = working_in(directory, programs)
        _send(found, number)
        if _gone(directory, programs, seconds):
            return
    pids = ", ".join(map(str, working_in(directory, programs)))
    raise EmbeddedError(f"{directory} is still used by process {pids}, which can't be stopped; stop it yourself")


def working_in(directory: Path, programs: frozenset[str]) -> list[int]:
    """The pids of `programs` whose working directory is `directory`. Zombies have none and don't count."""
    if sys.platform != "linux":
        return lsof_working_in(directory, programs)
    identity = directory.stat()
    return [int(entry.name) for entry in Path("/proc").iterdir() if _works_in(entry, identity, programs)]


def _works_in(entry: Path, identity: os.stat_result, programs: frozenset[str]) -> bool:
    if not entry.name.isdigit():
        return False
    try:
        program = (entry / "exe").readlink().name.removesuffix(" (deleted)")
        return program in programs and os.path.samestat((entry / "cwd").stat(), identity)
    except OSError:  # It has ended, is a zombie, or belongs to another user.
        return False


def lsof_working_in(directory: Path, programs: frozenset[str]) -> list[int]:
    """The same where there is no /proc (macOS), told by `lsof`, which such systems carry."""
    lsof = shutil.which("lsof")
    if lsof is None:
        return []
    named = [word for program in sorted(programs) for word in ("-c", program)]
    found = subprocess.run([lsof, "-a", "-d", "cwd", *named, "-F", "pn"], capture_output=True, text=True, check=False)  # noqa: S603  # Fixed words.
    return [pid for pid, path in _lsof_pairs(found.stdout) if path == str(directory)]


def _lsof_pairs(text: str) -> Iterator[tuple[int, str]]:
    """One process per `p<pid>` line, its working directory in the `n<path>` line after it."""
    pid = 0
    for line in text.splitlines():
        if line.startswith("p"):
            pid = int(line[1:])
        elif line.startswith("n"):
            yield pid, line[1:]


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _gone(directory: Path, programs: frozenset[str], seconds: float) -> bool:
    """A process that isn't ours can't be waited for, only looked for."""
    deadline = time.monotonic() + seconds
    while working_in(directory, programs):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
