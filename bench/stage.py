"""Everything that is measured, up and filled: PostgreSQL with fsync on, Redis, our API as `gateway serve` runs it, the
floor beside it on the same database, two merchants, and the charges of one of them."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from gateway.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.models.migrate import upgrade

SECRET = "only for benchmarks, and 32 characters or more"  # noqa: S105  # It guards a database in a temp directory.
ORDER = {
    "amount": 129.9,
    "description": "Pedido 1",
    "customer_name": "José Pagador",
    "customer_email": "jose@example.com",
    "customer_cpf": "529.982.247-25",
}
SEEDED = 300


@dataclass(frozen=True)
class Merchant:
    """A registered merchant and its test API key."""

    id: str
    key: str


@dataclass(frozen=True)
class Stage:
    """What the operations need to know. Charges of `reader` stay as seeded; `issuer` gets the new ones."""

    gateway_port: int
    floor_port: int
    reader: Merchant
    issuer: Merchant
    txids: tuple[str, ...]
    gateway_pid: int
    floor_pid: int
    postgres_pid: int
    database: str

    def cpu_of(self, *, floor: bool) -> dict[str, list[int]]:
        """The processes whose CPU time counts, by the names of the report."""
        return {"app": [self.floor_pid if floor else self.gateway_pid], "postgres": family(self.postgres_pid)}


@contextmanager
def open_stage(program: Sequence[str] = ("gateway",)) -> Iterator[Stage]:
    """Set the stage, and clear it afterwards. `program` is what runs the `gateway` command."""
    with tempfile.TemporaryDirectory(prefix="gw-bench-", ignore_cleanup_errors=True) as directory:
        home = Path(directory)
        with EmbeddedPostgres(home) as database, EmbeddedRedis(home) as redis:
            upgrade(database)
            gateway_port, floor_port = free_port(), free_port()
            settings = {
                "GATEWAY_DATABASE_URL": database,
                "GATEWAY_REDIS_URL": redis,
                "GATEWAY_SECRET_KEY": SECRET,
                "GATEWAY_RATE_LIMITS": "off",
                "FLOOR_DSN": database,
            }
            ours = [*program, "serve", "--workers", "1", "--port", str(gateway_port)]
            theirs = ["bench.floor", "--port", str(floor_port)]
            with process(ours, settings, home) as gateway, process(theirs, settings, home) as floor:
                wait_for(gateway_port, gateway)
                wait_for(floor_port, floor)
                reader, issuer, txids = _fill(gateway_port)
                pid = int((home / "postgres" / "postmaster.pid").read_text().split()[0])
                yield Stage(gateway_port, floor_port, reader, issuer, txids, gateway.pid, floor.pid, pid, database)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def family(pid: int) -> list[int]:
    """A process and its children, where /proc tells."""
    children = [pid]
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            children.append(int(entry.parent.name))
    return children


@contextmanager
def process(module: list[str], settings: dict[str, str], home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A Python module as a process of its own. Its log goes to a file, as a service's does."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")} | settings
    with (home / f"{module[0]}.log").open("wb") as log:
        started = subprocess.Popen([sys.executable, "-m", *module], env=env, stdout=log, stderr=log)
        try:
            yield started
        finally:
            started.terminate()
            started.wait(30)


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"{process.args!r} did not start")


def _fill(port: int) -> tuple[Merchant, Merchant, tuple[str, ...]]:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        reader, issuer = register(client, "reader"), register(client, "issuer")
        client.headers["authorization"] = f"Bearer {reader.key}"
        keys = ({"idempotency-key": str(uuid4())} for _ in range(SEEDED))
        issued = [_data(client.post("/pix", json=ORDER, headers=key)) for key in keys]
    return reader, issuer, tuple(charge["txid"] for charge in issued)


def register(client: httpx.Client, name: str) -> Merchant:
    form = {
        "name": "Ana Lojista",
        "email": f"{name}@example.com",
        "password": "uma senha comprida",
        "cnpj": "11.222.333/0001-81",
        "company": "Loja da Ana",
    }
    session = _data(client.post("/auth/register", json=form))
    authorization = {"authorization": f"Bearer {session['accessToken']}"}
    key = _data(client.post("/api-keys", json={"name": "bench", "environment": "test"}, headers=authorization))
    return Merchant(session["user"]["id"], key["key"])


def _data(response: httpx.Response) -> dict[str, Any]:
    if response.status_code not in {200, 201}:
        raise SystemExit(f"setting the stage failed: {response.status_code} {response.text[:300]}")
    data: dict[str, Any] = response.json()["data"]
    return data
