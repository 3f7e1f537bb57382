"""Stops processes that a killed run left in a server's directory."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gateway.dev.embedded.paths import EmbeddedError

_KILLED_SECONDS = 5.0
_POLL_SECONDS = 0.02


def stop_orphans(
    directory: Path, programs: frozenset[str], soft_signal: signal.Signals, *, seconds: float = 10.0
) -> None:
    """End the processes of `programs` with this working directory: by a soft signal, then after `seconds` by a kill.

    Pid files are no evidence: after a crash they may name another process. The names of the programs protect a
    developer's shell in that directory.
    """
    for number, timeout in ((soft_signal, seconds), (signal.SIGKILL, _KILLED_SECONDS)):
        for pid in processes_in(directory, programs):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        if _wait_until_gone(directory, programs, timeout):
            return
    pids = ", ".join(map(str, processes_in(directory, programs)))
    raise EmbeddedError(f"{directory} is still used by process {pids}, which can't be stopped; stop it yourself")


def processes_in(directory: Path, programs: frozenset[str]) -> list[int]:
    """The pids of `programs` with this working directory. Zombies have none."""
    if sys.platform != "linux":
        return lsof_processes_in(directory, programs)
    identity = directory.stat()
    return [int(entry.name) for entry in Path("/proc").iterdir() if _works_in(entry, identity, programs)]


def _works_in(entry: Path, identity: os.stat_result, programs: frozenset[str]) -> bool:
    if not entry.name.isdigit():
        return False
    try:
        program = (entry / "exe").readlink().name.removesuffix(" (deleted)")
        return program in programs and os.path.samestat((entry / "cwd").stat(), identity)
    except OSError:  # Ended, a zombie, or another user's.
        return False


def lsof_processes_in(directory: Path, programs: frozenset[str]) -> list[int]:
    """The same by `lsof`, for systems without /proc (macOS)."""
    lsof = shutil.which("lsof")
    if lsof is None:
        return []
    named = [word for program in sorted(programs) for word in ("-c", program)]
    found = subprocess.run([lsof, "-a", "-d", "cwd", *named, "-F", "pn"], capture_output=True, text=True, check=False)  # noqa: S603  # Fixed words.
    return [pid for pid, path in _lsof_pairs(found.stdout) if path == str(directory)]


def _lsof_pairs(text: str) -> Iterator[tuple[int, str]]:
    """Pids of `p<pid>` lines, with the working directory of the next `n<path>` line."""
    pid = 0
    for line in text.splitlines():
        if line.startswith("p"):
            pid = int(line[1:])
        elif line.startswith("n"):
            yield pid, line[1:]


def _wait_until_gone(directory: Path, programs: frozenset[str], seconds: float) -> bool:
    """Poll, for only children can be waited for."""
    deadline = time.monotonic() + seconds
    while processes_in(directory, programs):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
