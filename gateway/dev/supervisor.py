"""`gateway dev`: the whole product from one command, on embedded servers where none are configured.

One supervisor starts PostgreSQL, Redis, the migration, the API and the worker, watches them, and stops them in order.
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
from gateway.dev.embedded.child import Child
from gateway.dev.embedded.claim import Lock
from gateway.dev.embedded.defaults import Configured, keep_address, secret_key, settings_of_dev, unless_configured
from gateway.dev.embedded.place import open_data_dir
from gateway.dev.embedded.server import EmbeddedServer
from gateway.server.serve import ServeError, open_listener
from gateway.settings import load_settings
from gateway.values.user_error import UserError

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACEFUL_SECONDS = 4
API_SECONDS, WORKER_SECONDS = _GRACEFUL_SECONDS + 2.0, 20.0
"""What each gets to end by itself: as long as it gives to what it has under way, and a moment more."""
_READY_SECONDS = 60.0
_READY_POLL_SECONDS = 0.05
_LOG_CHECK_SECONDS = 30.0
_STEADY_SECONDS = 10.0
_NOT_YET = "postgresql://"
"""The address of a server that isn't started yet, while the other settings are read."""
_ENDS_ALLOWED, _ENDS_WITHIN_SECONDS = 5, 60.0


class DevError(UserError):
    """`gateway dev` can't go on. The message is one line; `exit_code` 2 means that the
    developer has to mend something.
    """

    def __init__(self, message: str, *, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class _StopAsked(BaseException):
    """Ctrl-C, SIGTERM or a closed terminal. Not an `Exception`, so that nothing swallows it on the way out."""


class DevOptions(Struct, frozen=True):
    """Where the product of one developer lives and listens."""

    host: str
    port: int
    data_dir: Path

    @property
    def reachable_host(self) -> str:
        """A host that a client on this machine can use."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104  # Read, not bound.

    @property
    def url(self) -> str:
        host = f"[{self.reachable_host}]" if ":" in self.reachable_host else self.reachable_host
        return f"http://{host}:{self.port}"


class Patience(Struct):
    """How long to wait before the next restart: doubling from half a second, forgotten after a steady run."""

    seconds: float = 0.5
    since: float = 0.0

    def next_delay(self, now: float) -> float:
        """Seconds to wait, for something that was started at `since` and has just ended."""
        steady = now - self.since > _STEADY_SECONDS
        delay = 0.5 if steady else self.seconds
        self.seconds = min(delay * 2, 30.0)
        return delay


def run(options: DevOptions, announce: Callable[[], str]) -> None:
    """Run everything until a signal asks to stop; then stop it and return.

    `announce` is called once, when the API is ready and the settings are in this process's environment; its text is
    printed. Raises `DevError`, `EmbeddedError` or `ServeError` with everything stopped.
    """
    data_dir = open_data_dir(options.data_dir)
    with ExitStack() as stack:
        killed = stack.enter_context(_sole_use(data_dir, options.data_dir))
        _await_port(options, API_SECONDS if killed else 0.0)
        supervisor = _Supervisor(options, data_dir, stack)
        try:
            _arm()
            started = time.monotonic()
            supervisor.start()
            text = announce()
            _note(f"ready after {time.monotonic() - started:.0f} s")
            _print(text)
            supervisor.watch()
        except _StopAsked:
            _note("stopping")
        finally:
            _disarm()


@contextmanager
def _sole_use(data_dir: Path, given: Path) -> Iterator[bool]:
    """Keep other supervisors away. Yields whether the last one was killed: an orderly one takes its pid back out."""
    lock = Lock(data_dir / "dev.lock")
    if not lock.take():
        raise DevError(f"the data dir {given} is in use by another `gateway dev` (process {lock.holder})")
    killed = bool(lock.read())
    lock.write(str(os.getpid()))
    try:
        yield killed
    finally:
        lock.write()
        lock.release()


def _await_port(options: DevOptions, seconds: float) -> None:
    """Raises `ServeError` if the port is in use, after the API of a killed supervisor had `seconds` to leave it."""
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


def _arm() -> None:
    for number in _SIGNALS:
        signal.signal(number, _ask_to_stop)


def _disarm() -> None:
    """While things stop, a second Ctrl-C must not leave half of them running; every step has a deadline anyway."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _ask_to_stop(_number: int, _frame: FrameType | None) -> None:
    _disarm()
    raise _StopAsked


class _Supervisor:
    """The processes of one `gateway dev`. Whatever ends reports to one queue, which `watch` reads."""

    def __init__(self, options: DevOptions, data_dir: Path, stack: ExitStack) -> None:
        self._options = options
        self._data_dir = data_dir
        self._stack = stack
        self._ended: SimpleQueue[Child | EmbeddedServer] = SimpleQueue()
        self._servers: dict[EmbeddedServer, list[float]] = {}  # When each one ended.
        self._api: Child | None = None
        self._worker: Child | None = None
        self._worker_patience = Patience()
        self._worker_due: float | None = None

    def start(self) -> None:
        self._provide()
        _note("migrating the schema")
        self._migrate()
        self._stack.callback(lambda: _stop(self._worker, WORKER_SECONDS))
        self._stack.callback(lambda: _stop(self._api, API_SECONDS))
        self._api = self._child("serve-dev", *self._listen_words(), "--graceful-seconds", str(_GRACEFUL_SECONDS))
        _note("starting the API")
        self._api.start()
        _note("starting the worker")
        self._start_worker()
        self._await_ready()

    def _provide(self) -> None:
        """Put every required setting into the environment, which the children inherit and `announce` reads."""
        configured = Configured()
        secret = configured.secret_key or secret_key(self._data_dir)
        keep_address(self._data_dir, configured.base_url or self._options.url)
        chosen = settings_of_dev(self._data_dir, secret) | {"log_format": "text"}
        defaults = unless_configured(configured, chosen)
        given = {
            "database_url": configured.database_url or _NOT_YET,
            "redis_url": configured.redis_url or "redis://",
            "secret_key": secret,
        } | defaults
        load_settings(**given)  # One that can't be read is told here, once, before anything starts.
        given |= {
            "database_url": configured.database_url or self._embed(EmbeddedPostgres),
            "redis_url": configured.redis_url or self._embed(EmbeddedRedis),
        }
        os.environ.update({f"GATEWAY_{name.upper()}": value for name, value in given.items()})

    def _embed(self, make: Callable[..., EmbeddedServer]) -> str:
        server: EmbeddedServer = make(self._data_dir, on_exit=lambda: self._ended.put(server))
        is_new = not server.home.exists()
        _note(f"{'setting up and ' if is_new else ''}starting {server.title}")
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

    def _listen_words(self) -> list[str]:
        return ["--host", self._options.host, "--port", str(self._options.port)]

    def _child(self, *words: str) -> Child:
        return Child([sys.executable, "-m", "gateway", *words], env=dict(os.environ), on_exit=self._ended.put)

    def _start_worker(self) -> None:
        self._worker_due = None
        self._worker_patience.since = time.monotonic()
        self._worker = self._child("worker", "--of-dev")
        self._worker.start()

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not _ready(self._options.reachable_host, self._options.port):
            if time.monotonic() > deadline:
                raise DevError(
                    f"the API is not ready after {_READY_SECONDS:.0f} s; its own lines are above", exit_code=1
                )
            self._turn(_READY_POLL_SECONDS)

    def watch(self) -> None:
        """Keep things running until a signal or an end that can't be mended."""
        while True:
            self._turn(_LOG_CHECK_SECONDS)
            for server in self._servers:
                server.bound_log()

    def _turn(self, seconds: float) -> None:
        """Wait up to `seconds` for something to end and deal with it, or for the worker's next start."""
        due = self._worker_due
        pause = seconds if due is None else max(0.0, min(seconds, due - time.monotonic()))
        try:
            self._deal_with(self._ended.get(timeout=pause))
        except Empty:
            if due is not None and time.monotonic() >= due:
                self._start_worker()

    def _deal_with(self, ended: Child | EmbeddedServer) -> None:
        if isinstance(ended, EmbeddedServer):
            self._revive(ended)
        elif ended is self._api:
            raise DevError(f"the API ended ({_how(ended)}); its own lines are above", exit_code=1)
        elif ended is self._worker:
            now = time.monotonic()
            delay = self._worker_patience.next_delay(now)
            self._worker_due = now + delay
            _note(f"the worker ended ({_how(ended)}); starting it again in {delay:g} s")

    def _revive(self, server: EmbeddedServer) -> None:
        """A killed server comes back under the same URL. One that keeps ending won't get better by itself."""
        now = time.monotonic()
        ends = self._servers[server] = [end for end in self._servers[server] if now - end < _ENDS_WITHIN_SECONDS] + [
            now
        ]
        if len(ends) > _ENDS_ALLOWED:
            raise DevError(f"the embedded {server.title} keeps ending (log: {server.log_path})", exit_code=1)
        _note(f"the embedded {server.title} ended; starting it again")
        try:
            server.start(join=False)
        except EmbeddedError as error:
            raise DevError(str(error), exit_code=1) from error


def _stop(child: Child | None, within: float) -> None:
    if child:
        child.stop((signal.SIGTERM, within))


def _how(child: Child) -> str:
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


def _note(text: str) -> None:
    print(f"gateway dev: {text}", file=sys.stderr, flush=True)  # noqa: T201  # The supervisor talks to a terminal.


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # The banner is this command's output.
