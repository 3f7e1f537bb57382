"""Monthly partitions of the audit trail, created ahead. Records without one go to the default partition, which must be
emptied of them before their month can be attached, so `gateway doctor` warns early.
"""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

MAKE = Statement(
    text("""
select count(*) filter (where made) from (
    select make_audit_part(
               cast(date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead) as date)
           ) as made
      from generate_series(1, 3) ahead
) months
""")
)


async def make_parts(ctx: Context) -> int:
    """Make room for the next three months; how many parts were missing."""
    made: int = await ctx.database.value(MAKE)
    return made
