"""Plans of statements, independent of the statistics that autovacuum gathers on other tests' rows."""

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
    """Clear the planner's statistics of all tables until the end of the transaction."""
    await connection.execute(_FORGET)


async def plan_of(connection: Any, statement: Statement) -> dict[str, Any]:
    """The generic plan: the planner sees no bound values."""
    await connection.execute(f"prepare explained as {statement.sql}")
    values = f"({', '.join(['null'] * len(statement.names))})" if statement.names else ""
    explained = await connection.fetchval(f"explain (format json) execute explained{values}")
    await connection.execute("deallocate explained")
    parents = dict(await connection.fetch(PARENTS))
    plan: dict[str, Any] = orjson.loads(explained)[0]["Plan"]
    for node in nodes(plan):
        for kind in {"Relation Name", "Index Name"} & node.keys():
            node[kind] = parents.get(node[kind], node[kind])
    return plan


PARENTS = "select inhrelid::regclass::text, inhparent::regclass::text from pg_inherits"
"""Partitions and their indexes are reported under the name of the partitioned table and its indexes."""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)
