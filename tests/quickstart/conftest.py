"""A real `gateway dev`, like a reader's in another terminal."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.ports import free_port

PROGRAMS = Path(sys.executable).parent
NOTIFICATIONS_TOKEN = "o-banco-mostra-este-token-nos-seus-avisos"


@pytest.fixture(scope="session")
def gateway() -> Iterator[str]:
    with running_gateway(GATEWAY_ENGINE_TEST_TOKEN=NOTIFICATIONS_TOKEN) as address:
        yield address


@contextmanager
def running_gateway(**environment: str) -> Iterator[str]:
    """Yield the address of a gateway without demo data; stop it with SIGINT."""
    directory = Path(tempfile.mkdtemp(prefix="gw-"))
    log, port = directory / "log", free_port()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    words = ["dev", "--no-demo", "--port", str(port), "--data-dir", str(directory / "data")]
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "gateway", *words],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=directory,
            env=clean | {"PYTHONPATH": str(ROOT)} | environment,
        )
    try:
        wait_until_ready(process, log, f"127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
        shutil.rmtree(directory, ignore_errors=True)


def wait_until_ready(process: "subprocess.Popen[bytes]", log: Path, address: str) -> None:
    """Wait until the log has the address."""
    deadline = time.monotonic() + 90
    while address not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
