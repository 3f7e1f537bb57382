"""The servers of `gateway dev` and of the test suite: a real PostgreSQL and a real Redis, on Unix sockets only.

    with EmbeddedPostgres(".gateway") as dsn, EmbeddedRedis(".gateway") as url: ...

Data survives a stop, a crash and a kill -9. The first process to start a server runs it; later ones join it.
"""

from gateway.dev.embedded.errors import EmbeddedError
from gateway.dev.embedded.postgres import EmbeddedPostgres
from gateway.dev.embedded.redis import EmbeddedRedis

__all__ = ["EmbeddedError", "EmbeddedPostgres", "EmbeddedRedis"]
