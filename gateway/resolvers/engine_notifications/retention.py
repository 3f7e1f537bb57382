"""Delete old notifications: their bodies hold personal data of payers."""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

RETENTION_DAYS = 90
"""How long the body of a handled notification is stored. A later repetition is handled again, with no effect."""

# Ids are UUIDv7, so the oldest rows come first in the primary key. The bound is a subquery so that PostgreSQL computes
# it once and uses the index.
PURGE = Statement(
    text("""
with old as (
    select id from engine_notifications
     where id < (select uuidv7(make_interval(days => - cast(:days as integer)))) and outcome <> 'received'
     order by id limit :batch for update skip locked
)
delete from engine_notifications n using old where n.id = old.id
""")
)


async def purge_notifications(ctx: Context, days: int = RETENTION_DAYS, batch: int = 1000) -> None:
    """Delete all notifications that were handled and are older than `days`, in batches."""
    await ctx.database.run_in_batches(PURGE, batch, days=days)
