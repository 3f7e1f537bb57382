"""Reconciliation's share of a bank's quota."""

from gateway.integrations.engines.interface import Engine
from gateway.models.base import Environment
from gateway.resolvers.core.context import Context

_HOUR_SECONDS = 3600


async def consume_quota(ctx: Context, engine: Engine, environment: Environment) -> None:
    """Count one engine call. Raises `RateLimited`: reconciliation may use only its share of a bank's quota."""
    if engine.has_bank:
        limit = ctx.settings.reconciliation_rate_per_hour
        await ctx.services.limiter.hit(f"reconciliation:{environment}", limit, _HOUR_SECONDS)
