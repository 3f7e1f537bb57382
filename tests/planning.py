"""What plans are judged by in the tests: not what autovacuum happens to have counted of other tests' rows."""

from typing import Any

_FORGET = """
select pg_clear_relation_stats('public', relname), pg_clear_attribute_stats('public', relname, attname, false)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
"""


async def forget_statistics(connection: Any) -> None:
    """Until the end of the transaction, the planner knows of no table how many rows it has, or which."""
    await connection.execute(_FORGET)
