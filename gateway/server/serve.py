"""The API's process: uvicorn, tuned as measured in `docs/` and behind a listening socket that fails in one line."""

import errno
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from uvicorn import Config, Server
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from gateway.http.protocol import HttpProtocol
from gateway.server.startup import collector_resting, without_unused
from gateway.values.user_error import UserError

APPLICATION = "gateway.app:create_app"
DEV_APPLICATION = "gateway.dev.app:create_app"
SHARED_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
"""Read by prometheus_client when it is imported, so it must be set before a process of the API starts."""


class RestingConfig(Config):
    """uvicorn's, which imports the application in each process that it starts."""

    def load(self) -> None:
        with collector_resting(), without_unused():
            super().load()


class ServeError(UserError):
    """The API can't listen. The message is one line for an operator."""


def open_listener(host: str, port: int) -> socket.socket:
    """A bound socket, not listening yet. Raises `ServeError`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise ServeError(f"{host!r} is not an address of this machine; choose another with --host") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise ServeError(_refusal(error, host, port)) from None
    listener.set_inheritable(True)
    return listener


def _refusal(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; choose another with --port"
    return f"port {port} of {host} can't be opened: {error.strerror}; choose another with --host or --port"


def default_workers() -> int:
    """One on two cores, for PostgreSQL needs the other; one core is left to it on larger machines."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if cores <= 2 else cores - 1


@contextmanager
def _shared_counts() -> Iterator[None]:
    """A folder in which the processes add up their metrics, so that each can tell those of all."""
    if os.environ.get(SHARED_COUNTS):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="gateway-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[SHARED_COUNTS] = folder
        yield


def serve(*, host: str, port: int, workers: int, graceful_seconds: int, application: str = APPLICATION) -> bool:
    """Serve until a signal; whether it started at all."""
    listener = open_listener(host, port)
    config = RestingConfig(
        application,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop",
        http=HttpProtocol,
        ws="none",
        lifespan="on",
        log_config=None,  # Its lines are told as all others are, by gateway.telemetry.
        access_log=False,  # The gateway's own middleware writes one structured line per request.
        proxy_headers=False,  # GATEWAY_TRUSTED_PROXIES decides, in the middleware.
        server_header=False,
        date_header=False,
        timeout_keep_alive=20,  # A checkout page asks every 5 s, and shall not have to connect anew each time.
        timeout_graceful_shutdown=graceful_seconds,
    )
    if workers > 1:
        with _shared_counts():
            supervisor = Multiprocess(config, sockets=[listener])
            supervisor.run()
        # It ends for a signal, or for a process that couldn't start, which it then keeps.
        return not any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes)
    server = Server(config)
    server.run(sockets=[listener])
    return server.started
