"""The measuring machine in one line, because figures depend on it."""

import os
import platform
import re
import tempfile
import time
from pathlib import Path
from statistics import median


def describe_machine() -> str:
    """Processor, memory, and the disk of the temporary directory, where each part has its database."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    software = f"{platform.system()}, Python {platform.python_version()}"
    sync = f"fsync of 8 KB {_sync_seconds() * 1000:.2f} ms"
    return f"{os.cpu_count()} cores of {_processor()}, {memory:.0f} GiB of memory, {sync}, {software}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    # Clouds call it "Xeon Processor", so only its numbers identify it.
    fields = dict(re.findall(r"^(model name|cpu family|model)\s*: (.+)$", text, re.MULTILINE))
    return ", ".join(f"{name} {value}" for name, value in fields.items()) or platform.machine()


def _sync_seconds() -> float:
    """Median time to write a page of PostgreSQL to the disk, over a file that exists."""
    seconds = []
    with tempfile.TemporaryFile(buffering=0) as file:
        for _ in range(100):
            file.seek(0)
            file.write(bytes(8192))
            started = time.perf_counter()
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - started)
    return median(seconds)
