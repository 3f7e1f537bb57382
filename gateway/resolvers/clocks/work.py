"""How much an advance would have to do."""

from datetime import datetime

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

MOST_CYCLES = 20_000
"""Cycles of subscriptions that one advance may charge, or one request would keep a worker busy for an hour."""
CYCLES = Statement(
    text("""
select coalesce(sum(least(
           1 + floor(extract(epoch from cast(:to as timestamptz) - greatest(next_billing_at, :now))
                     / case interval when 'weekly' then 604800 when 'monthly' then 2629800 else 31557600 end),
           max_cycles - cycles_count)), 0)::bigint
  from subscriptions
 where user_id = :store and environment = 'test' and status = 'active' and next_billing_at <= :to
""")
)


async def cycles_until(ctx: Context, to: datetime) -> int:
    """About how many cycles of the store's test subscriptions fall due until then."""
    found: int = await ctx.database.value(CYCLES, store=ctx.store_id, now=ctx.clock.now(), to=to)
    return found
