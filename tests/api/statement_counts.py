"""Counts SQL statements and round trips of operations by transport, and compares them with docs/round-trips.md."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from asyncpg.connection import LoggedQuery

from gateway.models.database import Database

PAGE = Path(__file__).parents[2] / "docs" / "round-trips.md"
WRITES = "GATEWAY_ROUND_TRIPS"
"""This environment variable writes the counts to the page instead of comparing them. Works only without `-n`."""
_ROW = re.compile(r"^\| `(?P<name>[^`]+)` \| (?P<figures>[\d–| ]+) \|$", re.MULTILINE)
_ENDS = re.compile(r"(BEGIN|COMMIT|ROLLBACK)\b")
_OF_THE_DRIVER = re.compile(
    r"\s*(SELECT\s+current_setting\('jit'\)|WITH RECURSIVE typeinfo_tree\b|SELECT\s+set_config\('jit')"
)
"""Queries that asyncpg sends once per connection to look up a type."""
_CONNECTIONS = 4
_NONE = "–"


class SqlCount(NamedTuple):
    """`trips` includes the begin and commit of transactions."""

    statements: int
    trips: int


@asynccontextmanager
async def logged_statements(database: Database) -> AsyncIterator[list[str]]:
    """The statements sent meanwhile over the connections of the pool that were released last."""
    sent: list[str] = []

    def note(query: LoggedQuery) -> None:
        if not _OF_THE_DRIVER.match(query.query):
            sent.append(query.query)

    connections = [await database.pool.take() for _ in range(_CONNECTIONS)]
    for connection in connections:
        connection.add_query_logger(note)
        database.pool.give(connection)
    try:
        yield sent
        await asyncio.sleep(0)  # asyncpg logs a statement in the next iteration of the event loop.
    finally:
        for connection in connections:
            connection.remove_query_logger(note)


def count(sent: list[str]) -> SqlCount:
    return SqlCount(sum(not _ENDS.match(sql) for sql in sent), len(sent))


def documented() -> dict[str, list[int | None]]:
    """The page's figures: per operation, statements and round trips over REST, then both over GraphQL.

    They are None for a transport without the operation. Requests, named by method and path, have one pair.
    """
    return {row["name"]: [_read(one) for one in row["figures"].split("|")] for row in _ROW.finditer(PAGE.read_text())}


def _read(figure: str) -> int | None:
    return None if figure.strip() == _NONE else int(figure)


def write(name: str, figures: list[int | None]) -> bool:
    """Write a row to the page's table with as many figures, if `GATEWAY_ROUND_TRIPS` is set."""
    if not os.environ.get(WRITES):
        return False
    rows = {one: known for one, known in documented().items() if len(known) == len(figures)}
    lines = PAGE.read_text().splitlines()
    first = lines.index(_table_row(*next(iter(rows.items()))))
    lines[first : first + len(rows)] = [_table_row(*row) for row in sorted((rows | {name: figures}).items())]
    PAGE.write_text("\n".join([*lines, ""]))
    return True


def _table_row(name: str, figures: list[int | None]) -> str:
    return f"| `{name}` | " + " | ".join(_NONE if figure is None else str(figure) for figure in figures) + " |"
