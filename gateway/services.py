"""Opens the services of a process, API or worker: database, Redis, engines, and more."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import WebhookUrlPolicy
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.registry import open_engines
from gateway.integrations.identity.appwrite import open_identities
from gateway.integrations.object_storage import open_object_storage
from gateway.models.database import open_database
from gateway.rate_limits import RedisRateLimiter, Unlimited
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from gateway.security import Passwords, SessionTokens, Vault
from gateway.settings import Settings
from gateway.values.clock import Clock, SystemClock
from gateway.workers.notify import open_notifier, open_queue


@asynccontextmanager
async def open_services(
    settings: Settings, *, clock: Clock | None = None, engines: Engines | None = None
) -> AsyncIterator[Services]:
    """Open all services, and close them together. Tests pass their clock and engines."""
    async with AsyncExitStack() as stack:
        clock = clock or SystemClock()
        database = await open_database(settings.asyncpg_dsn, size=settings.database_pool)
        stack.push_async_callback(database.close)
        queue = open_queue(settings.redis_url)
        stack.push_async_callback(queue.aclose, True)
        if engines is None:
            engines = await stack.enter_async_context(open_engines(settings, database, clock))
        vault = open_vault(settings)
        resolver = Resolver()
        stack.callback(resolver.close)
        object_storage = open_object_storage(settings.documents_url)
        stack.callback(object_storage.close)
        yield Services(
            settings=settings,
            database=database,
            credentials=Credentials(database),
            engines=engines,
            clock=clock,
            limiter=RedisRateLimiter(queue) if settings.rate_limits else Unlimited(),
            tickets=RedisRateLimiter(queue),
            notifier=await stack.enter_async_context(open_notifier(queue)),
            passwords=Passwords(memory_kib=settings.argon2_memory_kib, time_cost=settings.argon2_time_cost),
            tokens=SessionTokens(
                settings.secret_key.get_secret_value(), clock, timedelta(hours=settings.session_hours)
            ),
            vault=vault,
            addresses=WebhookUrlPolicy(AddressGuard(settings.webhook_allowed_networks), resolver),
            object_storage=object_storage,
            identities=await stack.enter_async_context(open_identities(settings)),
        )


def open_vault(settings: Settings) -> Vault:
    """A vault that encrypts with the secret key, and decrypts with earlier ones as well."""
    older = (key.get_secret_value() for key in settings.secret_key_previous)
    return Vault(settings.secret_key.get_secret_value(), *older)
