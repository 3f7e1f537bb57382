"""Forgetting what engines have told: a notice is a hint that was judged, and its body names a payer."""

import asyncio

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

KEPT_DAYS = 90
"""How long a judged notice stays, as the engine wrote it: as long as somebody may ask what the bank has said. Beyond
that a repeat is judged anew, by what the engine holds, and finds everything done.
"""
BATCH = 1000
BREATH_SECONDS = 0.05

# Ids are UUIDv7: the primary key is in order of arrival, and the oldest rows are at its beginning. The selected
# boundary is made once; as a bare call it would be made for each row, and no index be used.
FORGET = Statement(
    text("""
with old as (
    select id from engine_notices
     where id < (select uuidv7(make_interval(days => - cast(:days as integer)))) and outcome <> 'received'
     order by id limit :batch for update skip locked
)
delete from engine_notices n using old where n.id = old.id
""")
)


async def forget_notices(ctx: Context, days: int = KEPT_DAYS, batch: int = BATCH) -> None:
    """Delete notices that came more than `days` ago and were judged, as many as there are: what comes
    within an hour goes within one.
    """
    full = True
    while full:
        full = await ctx.database.run(FORGET, days=days, batch=batch) == batch
        await asyncio.sleep(BREATH_SECONDS)
