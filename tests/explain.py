"""What plans are judged by in the tests: not what autovacuum happens to have counted of other tests' rows."""

from collections.abc import Iterator
from typing import Any

import orjson

from gateway.models.database import Statement

_FORGET = """
select pg_clear_relation_stats('public', relname), pg_clear_attribute_stats('public', relname, attname, false)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
"""


async def forget_statistics(connection: Any) -> None:
    """Until the end of the transaction, the planner knows of no table how many rows it has, or which."""
    await connection.execute(_FORGET)


async def plan_of(connection: Any, statement: Statement) -> dict[str, Any]:
    """As planned for any values: of those that are bound here, the planner sees nothing."""
    await connection.execute(f"prepare asked as {statement.sql}")
    values = f"({', '.join(['null'] * len(statement.names))})" if statement.names else ""
    told = await connection.fetchval(f"explain (format json) execute asked{values}")
    await connection.execute("deallocate asked")
    wholes = dict(await connection.fetch(WHOLES))
    plan: dict[str, Any] = orjson.loads(told)[0]["Plan"]
    for node in nodes(plan):
        for kind in {"Relation Name", "Index Name"} & node.keys():
            node[kind] = wholes.get(node[kind], node[kind])
    return plan


WHOLES = "select inhrelid::regclass::text, inhparent::regclass::text from pg_inherits"
"""A part of a table is told as the table, and its indexes as those of the whole."""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)
