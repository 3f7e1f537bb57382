"""The machine that measures, in words: a figure is as much the machine's as the program's."""

import os
import platform
import re
import tempfile
import time
from functools import cache
from pathlib import Path
from statistics import median

_SYNCS = 200


@cache
def described() -> str:
    """Processor, memory, and the disk of the temporary directory, where every bench has its database; as far as the
    system tells.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores of {_processor()}, {memory:.0f} GiB of memory, {_disk()}; {system}"


def _processor() -> str:
    told = _read(Path("/proc/cpuinfo"))
    name, family, model = (_field(told, f"^{field}\\s*: (.+)$") for field in ("model name", "cpu family", "model"))
    if not name:
        return platform.processor() or platform.machine()
    # What clouds call "Xeon Processor" is told apart by its numbers only.
    numbers = f" (family {family}, model {model})" if family else ""
    return name + numbers + (", virtual" if re.search(r"^flags.* hypervisor\b", told, re.MULTILINE) else "")


def _disk() -> str:
    with tempfile.TemporaryFile() as file:
        number = os.fstat(file.fileno()).st_dev
        taken = _sync_seconds(file.fileno())
    sync = f"fsync {min(taken) * 1000:.2f} ms at best, {median(taken) * 1000:.2f} in the middle"
    device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    whole = device.parent if (device / "partition").exists() else device
    if whole.name.startswith(("vd", "xvd")):  # Whether it rotates is the host's to say, and most say nothing.
        return f"a virtual disk, {sync}"
    kinds = {"0": "a disk that doesn't rotate", "1": "a disk that rotates"}
    kind = kinds.get(_read(whole / "queue" / "rotational").strip(), "a disk of unknown kind")
    return f"{kind}, {sync}"


def _sync_seconds(file: int) -> list[float]:
    """Until 8 KB, a page of PostgreSQL, are on the disk, as its log is written: over a file that is there."""
    os.write(file, bytes(8192))
    os.fsync(file)
    taken = []
    for _ in range(_SYNCS):
        os.pwrite(file, bytes(8192), 0)
        started = time.perf_counter()
        getattr(os, "fdatasync", os.fsync)(file)  # macOS has no fdatasync.
        taken.append(time.perf_counter() - started)
    return taken


def _field(told: str, pattern: str) -> str:
    found = re.search(pattern, told, re.MULTILINE)
    return found[1].strip() if found else ""


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    print(described())
