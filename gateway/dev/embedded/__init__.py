"""PostgreSQL and Redis for `gateway dev` and the tests, on Unix sockets only.

    with EmbeddedPostgres(".gateway") as dsn, EmbeddedRedis(".gateway") as url: ...

Data survives a stop, a crash and a kill -9. The first process to start a server runs it; later ones join it.
"""

from gateway.dev.embedded.paths import EmbeddedError
from gateway.dev.embedded.postgres import EmbeddedPostgres
from gateway.dev.embedded.redis import EmbeddedRedis

__all__ = ["EmbeddedError", "EmbeddedPostgres", "EmbeddedRedis"]
