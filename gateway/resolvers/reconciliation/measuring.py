"""How much is open between us and the engines, for the metrics."""

from sqlalchemy import func, select

from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.reconciliation import DifferenceKind, differences
from gateway.resolvers.core.context import Context
from gateway.telemetry import DIFFERENCES

_D = differences
OPEN = Statement(
    select(_D.c.environment, _D.c.kind, func.count().label("open"))
    .where(_D.c.resolved_at.is_(None))
    .group_by(_D.c.environment, _D.c.kind)
)


async def measure_differences(ctx: Context) -> None:
    """Put the open differences into the metrics of this process; a kind that has none is told as none."""
    counted = {(row["environment"], row["kind"]): row["open"] for row in await ctx.database.all(OPEN)}
    for environment in Environment:
        for kind in DifferenceKind:
            DIFFERENCES.labels(environment, kind).set(counted.get((environment.value, kind.value), 0))
