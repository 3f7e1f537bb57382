"""Checks before `gateway serve` and `gateway worker` start. A failure is one line and exit code 2."""

import asyncio
import sys

from redis.asyncio import Redis
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from gateway.models.connectivity import require_migrated
from gateway.settings import Settings
from gateway.values.user_error import UserError

REDIS_TIMEOUT_SECONDS = 3
_REFUSALS = (AuthenticationError, ResponseError)


class RedisRefuses(UserError):
    """Redis responds, but refuses these settings. The message is one line for an operator."""


def check_start(settings: Settings) -> None:
    """Check the database and Redis. Raises `DatabaseUnreachable`, `NotMigrated`, `RedisRefuses`.

    Without Redis the gateway works (docs/deployment.md), so a Redis that doesn't answer is only a warning.
    """
    require_migrated(settings.asyncpg_dsn)
    asyncio.run(_check_redis(settings.redis_url))


async def _check_redis(url: str) -> None:
    try:
        async with Redis.from_url(
            url, socket_connect_timeout=REDIS_TIMEOUT_SECONDS, socket_timeout=REDIS_TIMEOUT_SECONDS
        ) as client:
            await client.ping()
    except (RedisError, OSError) as error:
        # redis-py wraps a refusal of a new connection into a ConnectionError.
        if isinstance(error, _REFUSALS) or isinstance(error.__cause__, _REFUSALS):
            raise RedisRefuses(f"Redis refuses us: {_reason(error)}; look at GATEWAY_REDIS_URL") from None
        sys.stderr.write(
            f"gateway: Redis can't be reached: {_reason(error)}; going on without it, "
            "each process counts rate limits alone; look at GATEWAY_REDIS_URL\n"
        )


def _reason(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].removesuffix(".") or type(error).__name__
