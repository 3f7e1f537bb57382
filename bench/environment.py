"""The environment of a benchmark: PostgreSQL with fsync on, Redis, `gateway serve`, and a registered merchant."""

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

import httpx

from gateway.dev.embedded import EmbeddedPostgres, EmbeddedRedis
from gateway.models.migrate import upgrade

SECRET = "only for benchmarks, and 32 characters or more"  # noqa: S105  # It protects a database in a temp directory.
ORDER = {
    "amount": 129.9,
    "description": "Pedido 1",
    "customer_name": "José Pagador",
    "customer_email": "jose@example.com",
    "customer_cpf": "529.982.247-25",
}
_START_SECONDS = 30


@dataclass(frozen=True)
class Servers:
    """The addresses of PostgreSQL and Redis, also as settings of our processes."""

    home: Path
    database: str
    settings: dict[str, str]

    @property
    def postgres_pids(self) -> list[int]:
        """The server and its backends, where there is /proc."""
        pid = int((self.home / "postgres" / "postmaster.pid").read_text().split()[0])
        return [pid, *_children(pid)]


@dataclass(frozen=True)
class Merchant:
    """A registered merchant with its test API key and a session."""

    id: str
    key: str
    session: str


@contextmanager
def open_servers(directory: Path | None = None) -> Iterator[Servers]:
    """PostgreSQL and Redis with our schema, in `directory` or in a temporary one."""
    with tempfile.TemporaryDirectory(prefix="gw-bench-", ignore_cleanup_errors=True) as temporary:
        home = directory or Path(temporary)
        with EmbeddedPostgres(home) as database, EmbeddedRedis(home) as redis:
            upgrade(database)
            settings = {
                "GATEWAY_DATABASE_URL": database,
                "GATEWAY_REDIS_URL": redis,
                "GATEWAY_SECRET_KEY": SECRET,
                "GATEWAY_RATE_LIMITS": "off",
            }
            yield Servers(home, database, settings)


@contextmanager
def run_module(args: Sequence[str], servers: Servers, **settings: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `python -m …` as a process of its own. Its log goes to a file."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    env |= servers.settings | settings
    with (servers.home / "processes.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", *args], env=env, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def run_server(args: Sequence[str], servers: Servers, **settings: str) -> Iterator[tuple[int, int]]:
    """Run a server that takes `--port`, until it responds. Yields its port and its process id."""
    port = free_port()
    with run_module([*args, "--port", str(port)], servers, **settings) as process:
        _wait_for(port, process)
        yield port, process.pid


@contextmanager
def run_api(servers: Servers, **settings: str) -> Iterator[tuple[int, int]]:
    """One process of the API as in production, rate limits off."""
    with run_server(["gateway", "serve", "--workers", "1"], servers, **settings) as port_and_pid:
        yield port_and_pid


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def open_client(port: int, token: str = "") -> httpx.Client:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=600)


def read_data(response: httpx.Response) -> Any:
    """The `data` of a successful response."""
    if response.status_code not in {200, 201}:
        raise SystemExit(f"{response.request.url}: {response.status_code} {response.text[:300]}")
    return response.json()["data"]


def register_merchant(port: int, name: str) -> Merchant:
    form = {
        "name": "Ana Lojista",
        "email": f"{name}@example.com",
        "password": "uma senha comprida",
        "cnpj": "11.222.333/0001-81",
        "company": "Loja da Ana",
    }
    with open_client(port) as client:
        session = read_data(client.post("/auth/register", json=form))
        token = session["accessToken"]
        order = {"name": "bench", "environment": "test"}
        key = read_data(client.post("/api-keys", json=order, headers={"authorization": f"Bearer {token}"}))
    return Merchant(session["user"]["id"], key["key"], token)


def _children(pid: int) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            yield int(entry.parent.name)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"{process.args!r} did not start")
