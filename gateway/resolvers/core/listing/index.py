"""The trigram indexes of `search` columns: new entries wait in a pending list, which every search reads."""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

FLUSH = Statement(text("select flush_search_indexes()"))


async def flush_search_indexes(ctx: Context) -> None:
    """Move pending entries into the indexes, so that few are left for searches and none for an INSERT."""
    await ctx.database.value(FLUSH)
