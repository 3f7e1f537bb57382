"""Redis: limits are counted there, and workers are woken through it."""

from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.doctor.findings import Finding, good, mend, mind
from gateway.settings import Settings

PATIENCE_SECONDS = 3


async def redis(settings: Settings) -> Finding:
    """The one finding about Redis."""
    try:
        client = Redis.from_url(
            settings.redis_url, socket_connect_timeout=PATIENCE_SECONDS, socket_timeout=PATIENCE_SECONDS
        )
        async with client:
            facts = await client.info()
    except (RedisError, OSError, ValueError, TypeError) as error:  # The last: an option in the URL that there isn't.
        return mend("redis", f"can't be reached: {error or type(error).__name__}; look at GATEWAY_REDIS_URL")
    policy = facts.get("maxmemory_policy", "noeviction")
    if facts.get("maxmemory") and policy != "noeviction":
        return mind("redis", f"maxmemory-policy {policy} may forget counted logins; set it to noeviction")
    return good("redis", f"version {facts.get('valkey_version') or facts['redis_version']}")
