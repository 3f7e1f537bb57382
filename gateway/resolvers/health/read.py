"""`/health`, `/health/live`, `/health/ready` (contract section 7)."""

from gateway import __version__
from gateway.errors import Unhealthy
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.health.checks import all_checks, database_trouble, uptime_seconds
from gateway.resolvers.health.views import CheckStatus, HealthStatus, HealthView, LifeView

ALIVE = LifeView.of({"status": CheckStatus.ok})


@operation("health.read", Permission.public)
async def read_health(ctx: Context, _: Nothing) -> HealthView:
    """Say how the service and what it leans on are doing. Only a failing database is an error: `Unhealthy`."""
    checks, trouble = await all_checks(ctx)
    if trouble is not None:
        raise Unhealthy(trouble, checks=checks.model_dump(mode="json", exclude={"outbox"}))
    good = checks.redis is CheckStatus.ok and checks.engine is CheckStatus.ok and not checks.outbox.stuck
    return HealthView.of(
        {
            "status": HealthStatus.ok if good else HealthStatus.degraded,
            "version": __version__,
            "time": ctx.clock.now(),
            "uptime_seconds": uptime_seconds(),
            "checks": checks,
        }
    )


@operation("health.live", Permission.public)
async def read_life(_ctx: Context, _: Nothing) -> LifeView:
    """Say that the process answers. Touches nothing."""
    return ALIVE


@operation("health.ready", Permission.public)
async def read_readiness(ctx: Context, _: Nothing) -> LifeView:
    """Say whether requests may be sent here: whether the database answers, with our tables, and can be written."""
    trouble = await database_trouble(ctx)
    if trouble is not None:
        raise Unhealthy(trouble)
    return ALIVE
