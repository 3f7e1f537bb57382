"""The API's process: uvicorn with our protocol and settings."""

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
from gateway.server.startup import gc_disabled, without_unused
from gateway.values.user_error import UserError

APPLICATION = "gateway.app:create_app"
DEV_APPLICATION = "gateway.dev.app:create_app"
SHARED_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client reads it when it is imported, so it is set before the processes start."""


class LazyImportConfig(Config):
    """uvicorn's configuration, with a faster import of the application in each process."""

    def load(self) -> None:
        with gc_disabled(), without_unused():
            super().load()


class ServeError(UserError):
    """The API can't listen."""


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
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"can't be opened: {error.strerror}"
        remedy = "--port" if error.errno == errno.EADDRINUSE else "--host or --port"
        raise ServeError(f"port {port} of {host} {reason}; choose another with {remedy}") from None
    listener.set_inheritable(True)
    return listener


def default_workers() -> int:
    """One process per core; one core is left to PostgreSQL."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if cores <= 2 else cores - 1


@contextmanager
def _shared_counts() -> Iterator[None]:
    """A folder in which the processes share metrics, so that each can report the sums."""
    if os.environ.get(SHARED_COUNTS):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="gateway-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[SHARED_COUNTS] = folder
        yield


def serve(*, host: str, port: int, workers: int, graceful_seconds: int, application: str = APPLICATION) -> bool:
    """Serve until a signal. False if it didn't start."""
    listener = open_listener(host, port)
    config = LazyImportConfig(
        application,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        loop="uvloop",
        http=HttpProtocol,
        ws="none",
        lifespan="on",
        log_config=None,  # gateway.telemetry configures logging.
        access_log=False,  # The gateway's own middleware writes one structured line per request.
        proxy_headers=False,  # GATEWAY_TRUSTED_PROXIES decides, in the middleware.
        server_header=False,
        date_header=False,
        timeout_keep_alive=20,  # A checkout page polls every 5 s over one connection.
        timeout_graceful_shutdown=graceful_seconds,
    )
    if workers > 1:
        with _shared_counts():
            supervisor = Multiprocess(config, sockets=[listener])
            supervisor.run()
        # After a failed start its process is still listed.
        return not any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes)
    server = Server(config)
    server.run(sockets=[listener])
    return server.started
