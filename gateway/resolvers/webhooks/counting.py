"""How many deliveries an endpoint has: counted up to half an hour ago by a sweep, so that its log
counts what is younger only.

Triggers (migration 0027) keep the count when deliveries are forgotten. Who counts and who forgets hold the count's
lock, and look with it held.
"""

from sqlalchemy import ColumnElement, bindparam, func, literal_column, select, text

from gateway.models.database import Statement
from gateway.models.webhooks import DeliveryState, webhook_deliveries, webhook_delivery_counts
from gateway.resolvers.context import Context
from gateway.resolvers.listing.milestones import added

STEP = 1000
"""As many that aren't counted yet are left to the log."""

_D, _C = webhook_deliveries, webhook_delivery_counts
READY = Statement(
    text("""
select e.id from webhook_endpoints e left join webhook_delivery_counts c on c.endpoint_id = e.id
 where exists (
    select from webhook_deliveries d
     where d.endpoint_id = e.id and d.created_at > coalesce(c.upto, '-infinity')
       and d.created_at <= clock_timestamp() - interval '30 minutes'
     order by d.created_at offset :step - 1 limit 1
 )
""")
)
LOCK = Statement(
    text("""
insert into webhook_delivery_counts (endpoint_id) values (:endpoint_id)
on conflict (endpoint_id) do update set endpoint_id = excluded.endpoint_id
""")
)
COUNT = Statement(
    text("""
with settled as materialized (select clock_timestamp() - interval '30 minutes' as upto)
update webhook_delivery_counts c
   set upto = settled.upto,
       rows = c.rows + (
           select count(*) from webhook_deliveries d
            where d.endpoint_id = c.endpoint_id and d.created_at > c.upto and d.created_at <= settled.upto
       )
  from settled where c.endpoint_id = :endpoint_id and c.upto < settled.upto
""")
)
_of_endpoint = _C.c.endpoint_id == bindparam("endpoint_id", type_=_C.c.endpoint_id.type)
_upto = func.coalesce(
    select(_C.c.upto).where(_of_endpoint).scalar_subquery(), literal_column("'-infinity'::timestamptz")
)


def _counted(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    found = select(func.count()).where(_D.c.endpoint_id == bindparam("endpoint_id", type_=_D.c.endpoint_id.type))
    return found.where(*conditions).scalar_subquery()


TOTAL = func.coalesce(select(_C.c.rows).where(_of_endpoint).scalar_subquery(), 0) + _counted(_D.c.created_at > _upto)
"""How many deliveries an endpoint has; binds `endpoint_id`."""
_MISSED = DeliveryState.exhausted, DeliveryState.canceled
NOT_DELIVERED = (
    _D.c.state == DeliveryState.due.value,
    _D.c.state.in_(literal_column(str(state.value)) for state in _MISSED),
)
"""Those that haven't arrived, which have indexes of their own, and are few as long as the endpoint is well."""
DELIVERED = TOTAL - added(_counted(some) for some in NOT_DELIVERED)
"""How many of them arrived: what the others leave."""


async def count_deliveries(ctx: Context, step: int = STEP) -> int:
    """Count the deliveries of endpoints that have had a step of them since they were counted; how many endpoints those
    were. Several workers may, at the same time.
    """
    ready = await ctx.database.all(READY, step=step)
    # One after the other, each in a transaction: a count must look with its lock held, and in one statement for all of
    # them whoever forgets deliveries of any endpoint would wait until the last was counted.
    for endpoint in ready:
        async with ctx.database.transaction() as transaction:
            await transaction.run(LOCK, endpoint_id=endpoint["id"])
            await transaction.run(COUNT, endpoint_id=endpoint["id"])
    return len(ready)
