"""How many endpoints a store may have in one environment: each active one is a row that every payment writes."""

from sqlalchemy import bindparam, func, select

from gateway.errors import Conflict
from gateway.models.database import Executor, Statement
from gateway.models.webhooks import webhook_endpoints
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks.endpoints import OF_STORE

MOST_ACTIVE = 20
MOST = 50

_P = webhook_endpoints
# Of the store's own acts only; no payment ever waits for this lock.
LOCK = Statement(select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("place"), 0))))
COUNT = Statement(select(func.count(), func.count().filter(_P.c.active)).where(*OF_STORE))


async def require_place(ctx: Context, transaction: Executor, *, new: bool) -> None:
    """Refuse one active endpoint too many, `new` or switched on again; holds the store's endpoints until the commit."""
    await transaction.run(LOCK, place=f"webhook endpoints of {ctx.store_id} in {ctx.environment}")
    row = await transaction.one(COUNT, user_id=ctx.store_id, environment=ctx.environment)
    assert row is not None
    if row[1] >= MOST_ACTIVE:
        raise Conflict(
            f"O limite é de {MOST_ACTIVE} endpoints ativos por ambiente; desative ou exclua algum."
        ).for_now()
    if new and row[0] >= MOST:
        raise Conflict(f"O limite é de {MOST} endpoints por ambiente; exclua algum.").for_now()
