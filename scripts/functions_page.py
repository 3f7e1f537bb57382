"""Print `gateway/models/functions.sql` from a database that all migrations have made:
`make schema` writes it, a test compares.
"""

import asyncio
import sys
import tempfile
from itertools import groupby
from textwrap import dedent

import asyncpg

from gateway.embedded import EmbeddedPostgres
from gateway.models.migrate import upgrade

HEAD = """\
-- What the database does by itself: functions that queries and indexes call, and those of triggers with what sets them off.
--
-- Migrations make them, each as far as it changed something. This is what all of them together have made, to be read and not to be
-- run. It is written by `make schema`; tables and indexes are told by the classes beside this file."""

# Triggers of the parts of a table are their table's.
_FUNCTIONS = """
select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as written, obj_description(p.oid, 'pg_proc') as said,
       pg_get_triggerdef(t.oid, true) as trigger
  from pg_proc p
  left join (pg_trigger t join pg_class c on c.oid = t.tgrelid and not c.relispartition) on t.tgfoid = p.oid and not t.tgisinternal
 where p.pronamespace = 'public'::regnamespace
 order by p.proname, 1, c.relname, t.tgname
"""


def page(database_url: str) -> str:
    """The file's text."""
    rows = asyncio.run(_rows(database_url))
    parts = [HEAD, *(_part(list(group)) for _, group in groupby(rows, key=lambda row: row["name"]))]
    return "\n\n\n".join(parts) + "\n"


async def _rows(database_url: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(database_url)
    try:
        return await connection.fetch(_FUNCTIONS)
    finally:
        await connection.close()


def _part(rows: list[asyncpg.Record]) -> str:
    first = rows[0]
    head, opening, body = first["written"].rstrip().partition("$function$\n")
    body, closing, _ = body.rpartition("$function$")
    written = head + opening + dedent(body.rstrip()) + "\n" + closing if opening else head
    lines = [f"-- {first['said']}", written.replace("public.", "").strip() + ";"]
    return "\n".join([*lines, *(f"{row['trigger'].replace('public.', '')};" for row in rows if row["trigger"])])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home, EmbeddedPostgres(home, durable=False) as url:
        upgrade(url)
        sys.stdout.write(page(url))
