import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from server_kinds import HOLDER, POSTGRES, REDIS, REPOSITORY, Holder, Kind


@pytest.fixture(params=[POSTGRES, REDIS], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Yield a short private path, like a clone in `/root`. It doesn't exist yet."""
    parent = Path(tempfile.mkdtemp(prefix="gw-"))
    yield parent / "data"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="session")
def warm_dir() -> Iterator[Path]:
    """Yield one data dir that tests share, which saves the first start."""
    parent = Path(tempfile.mkdtemp(prefix="gw-"))
    yield parent / "data"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture
def word() -> str:
    """Return a note that no other test writes."""
    return secrets.token_hex(8)


@pytest.fixture
def hold() -> Iterator[Callable[..., Holder]]:
    """Start a holder without waiting; `.wait_ready()` waits until its server answers."""
    holders: list[Holder] = []

    def start(kind: Kind, data_dir: Path, *prefix: str, **options: object) -> Holder:
        process = subprocess.Popen(
            [*prefix, sys.executable, str(HOLDER), kind.name, str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            **options,
        )
        holders.append(Holder(process))
        return holders[-1]

    yield start
    for holder in holders:
        if holder.process.poll() is None:
            holder.process.send_signal(signal.SIGKILL)
        holder.process.communicate()


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Poll the condition; return whether it becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture(name="eventually")
def _eventually() -> Callable[..., bool]:
    return eventually
