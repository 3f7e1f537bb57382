"""`gateway dev`: starts PostgreSQL, Redis, the migration, the API and the worker, watches them, stops them in order.

Configured servers are used in place of embedded ones.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

from msgspec import Struct

from gateway.dev.embedded import EmbeddedError, EmbeddedPostgres, EmbeddedRedis
from gateway.dev.embedded.child_process import Child
from gateway.dev.embedded.data_dir_lock import FileLock
from gateway.dev.embedded.defaults import Configured, dev_settings, not_configured, secret_key, store_base_url
from gateway.dev.embedded.paths import open_data_dir
from gateway.dev.embedded.server import EmbeddedServer
from gateway.server.serve import ServeError, open_listener
from gateway.settings import load_settings
from gateway.values.user_error import UserError

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACEFUL_SECONDS = 4
API_SECONDS, WORKER_SECONDS = _GRACEFUL_SECONDS + 2.0, 20.0
"""The time to stop: as long as each waits for its own work, and a little more."""
_READY_SECONDS = 60.0
_READY_POLL_SECONDS = 0.05
_LOG_CHECK_SECONDS = 30.0
_STABLE_SECONDS = 10.0
_PLACEHOLDER_URL = "postgresql://"
"""For a server that isn't started yet, while the other settings are validated."""
_MAX_RESTARTS, _RESTART_WINDOW_SECONDS = 5, 60.0


class DevError(UserError):
    """`gateway dev` can't go on. `exit_code` 2 means that the developer has to fix something."""

    def __init__(self, message: str, *, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class _StopRequested(BaseException):
    """Ctrl-C, SIGTERM or a closed terminal. Not an `Exception`, so that it isn't caught on the way."""


class DevOptions(Struct, frozen=True):
    host: str
    port: int
    data_dir: Path
    demo: bool = False

    @property
    def reachable_host(self) -> str:
        """A host for clients on this machine."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104  # It isn't bound.

    @property
    def url(self) -> str:
        host = f"[{self.reachable_host}]" if ":" in self.reachable_host else self.reachable_host
        return f"http://{host}:{self.port}"


class RestartPolicy(Struct):
    """The delay of the next restart: doubles from half a second; a stable run resets it."""

    seconds: float = 0.5
    since: float = 0.0

    def next_delay(self, now: float) -> float:
        """The delay for a process that started at `since` and has just ended."""
        stable = now - self.since > _STABLE_SECONDS
        delay = 0.5 if stable else self.seconds
        self.seconds = min(delay * 2, 30.0)
        return delay


def run(options: DevOptions, announce: Callable[[], str]) -> None:
    """Run everything until a signal, then stop it.

    When the API is ready, `announce` is called, with the settings in the environment, and its text is printed. Raises
    `DevError`, `EmbeddedError` or `ServeError` after everything has stopped.
    """
    data_dir = open_data_dir(options.data_dir)
    with ExitStack() as stack:
        killed = stack.enter_context(_lock_data_dir(data_dir, options.data_dir))
        _await_port(options, API_SECONDS if killed else 0.0)
        supervisor = _Supervisor(options, data_dir, stack)
        try:
            for number in _SIGNALS:
                signal.signal(number, _request_stop)
            started = time.monotonic()
            supervisor.start()
            text = announce()
            _log(f"ready after {time.monotonic() - started:.0f} s")
            print(text, flush=True)  # noqa: T201  # The banner is this command's output.
            supervisor.watch()
        except _StopRequested:
            _log("stopping")
        finally:
            _ignore_signals()


@contextmanager
def _lock_data_dir(data_dir: Path, display_path: Path) -> Iterator[bool]:
    """Exclude other supervisors. Yields whether the last one was killed, without removing its pid."""
    lock = FileLock(data_dir / "dev.lock")
    if not lock.take():
        raise DevError(f"the data dir {display_path} is in use by another `gateway dev` (process {lock.holder})")
    killed = bool(lock.read())
    lock.write(str(os.getpid()))
    try:
        yield killed
    finally:
        lock.write()
        lock.release()


def _await_port(options: DevOptions, seconds: float) -> None:
    """Wait at most `seconds` for the API of a killed supervisor to free the port. Raises `ServeError`."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            open_listener(options.host, options.port).close()
        except ServeError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_READY_POLL_SECONDS)
        else:
            return


def _ignore_signals() -> None:
    """A second Ctrl-C must not interrupt the stop, which has deadlines."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _request_stop(_number: int, _frame: FrameType | None) -> None:
    _ignore_signals()
    raise _StopRequested


class _Supervisor:
    """The processes of one `gateway dev`. Those that end are in a queue, which `watch` reads."""

    def __init__(self, options: DevOptions, data_dir: Path, stack: ExitStack) -> None:
        self._options = options
        self._data_dir = data_dir
        self._stack = stack
        self._ended: SimpleQueue[Child | EmbeddedServer] = SimpleQueue()
        self._servers: dict[EmbeddedServer, list[float]] = {}  # When each one ended.
        self._api: Child | None = None
        self._worker: Child | None = None
        self._worker_restarts = RestartPolicy()
        self._worker_due: float | None = None

    def start(self) -> None:
        self._set_environment()
        _log("migrating the schema")
        self._migrate()
        self._stack.callback(lambda: _stop(self._worker, WORKER_SECONDS))
        self._stack.callback(lambda: _stop(self._api, API_SECONDS))
        listen = ("--host", self._options.host, "--port", str(self._options.port))
        self._api = self._child("serve-dev", *listen, "--graceful-seconds", str(_GRACEFUL_SECONDS))
        _log("starting the API")
        self._api.start()
        _log("starting the worker")
        self._start_worker()
        self._await_ready()

    def _set_environment(self) -> None:
        """Put the required settings into the environment, for the children and `announce`."""
        configured = Configured()
        secret = configured.secret_key or secret_key(self._data_dir)
        store_base_url(self._data_dir, configured.base_url or self._options.url)
        chosen = dev_settings(self._data_dir, secret) | {"log_format": "text"}
        defaults = not_configured(configured, chosen)
        values = {
            "database_url": configured.database_url or _PLACEHOLDER_URL,
            "redis_url": configured.redis_url or "redis://",
            "secret_key": secret,
        } | defaults
        load_settings(**values)  # Report invalid settings before anything starts.
        values |= {
            "database_url": configured.database_url or self._embed(EmbeddedPostgres),
            "redis_url": configured.redis_url or self._embed(EmbeddedRedis),
        }
        os.environ.update({f"GATEWAY_{name.upper()}": value for name, value in values.items()})
        os.environ["GATEWAY_DEV_DEMO_FILE"] = str(self._data_dir / "demo.json") if self._options.demo else ""

    def _embed(self, make: Callable[..., EmbeddedServer]) -> str:
        server: EmbeddedServer = make(self._data_dir, on_exit=lambda: self._ended.put(server))
        is_new = not server.home.exists()
        _log(f"{'setting up and ' if is_new else ''}starting {server.title}")
        self._stack.callback(server.stop)
        url = server.start(join=False)
        self._servers[server] = []
        return url

    def _migrate(self) -> None:
        migration = self._child("migrate")
        self._stack.callback(_stop, migration, API_SECONDS)
        migration.start()
        migration.wait()
        if migration.code:
            raise DevError("the migration failed; its own lines are above", exit_code=1)

    def _child(self, *words: str) -> Child:
        return Child([sys.executable, "-m", "gateway", *words], env=dict(os.environ), on_exit=self._ended.put)

    def _start_worker(self) -> None:
        self._worker_due = None
        self._worker_restarts.since = time.monotonic()
        self._worker = self._child("worker", "--of-dev")
        self._worker.start()

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not _ready(self._options.reachable_host, self._options.port):
            if time.monotonic() > deadline:
                raise DevError(
                    f"the API is not ready after {_READY_SECONDS:.0f} s; its own lines are above", exit_code=1
                )
            self._tick(_READY_POLL_SECONDS)

    def watch(self) -> None:
        """Run until a signal or a fatal end."""
        while True:
            self._tick(_LOG_CHECK_SECONDS)
            for server in self._servers:
                server.bound_log()

    def _tick(self, seconds: float) -> None:
        """Wait at most `seconds` for a process to end, or for the worker's next start, and handle it."""
        due = self._worker_due
        pause = seconds if due is None else max(0.0, min(seconds, due - time.monotonic()))
        try:
            self._handle_exit(self._ended.get(timeout=pause))
        except Empty:
            if due is not None and time.monotonic() >= due:
                self._start_worker()

    def _handle_exit(self, ended: Child | EmbeddedServer) -> None:
        if isinstance(ended, EmbeddedServer):
            self._restart_server(ended)
        elif ended is self._api:
            raise DevError(f"the API ended ({_exit_reason(ended)}); its own lines are above", exit_code=1)
        elif ended is self._worker:
            now = time.monotonic()
            delay = self._worker_restarts.next_delay(now)
            self._worker_due = now + delay
            _log(f"the worker ended ({_exit_reason(ended)}); starting it again in {delay:g} s")

    def _restart_server(self, server: EmbeddedServer) -> None:
        """Restart a killed server under the same URL, unless it ends again and again."""
        now = time.monotonic()
        recent = [end for end in self._servers[server] if now - end < _RESTART_WINDOW_SECONDS]
        ends = self._servers[server] = [*recent, now]
        if len(ends) > _MAX_RESTARTS:
            raise DevError(f"the embedded {server.title} keeps ending (log: {server.log_path})", exit_code=1)
        _log(f"the embedded {server.title} ended; starting it again")
        try:
            server.start(join=False)
        except EmbeddedError as error:
            raise DevError(str(error), exit_code=1) from error


def _stop(child: Child | None, within: float) -> None:
    if child:
        child.stop((signal.SIGTERM, within))


def _exit_reason(child: Child) -> str:
    code = child.code or 0
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _ready(host: str, port: int) -> bool:
    connection = HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _log(text: str) -> None:
    print(f"gateway dev: {text}", file=sys.stderr, flush=True)  # noqa: T201  # The supervisor talks to a terminal.
