"""How much an operation asks of PostgreSQL, through each transport, and the page that says how much it may."""

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
"""With this in the environment, what is counted is written into the page instead of compared. Only without `-n`."""
_ROW = re.compile(r"^\| `(?P<name>[^`]+)` \| (?P<figures>[\d–| ]+) \|$", re.MULTILINE)
_ENDS = re.compile(r"(BEGIN|COMMIT|ROLLBACK)\b")
_OF_THE_DRIVER = re.compile(
    r"\s*(SELECT\s+current_setting\('jit'\)|WITH RECURSIVE typeinfo_tree\b|SELECT\s+set_config\('jit')"
)
"""What asyncpg asks once on each new connection, about a type that it meets there for the first time."""
_CONNECTIONS = 4
_NONE = "–"


class Asked(NamedTuple):
    """`trips` counts the begin and commit of a transaction, too."""

    statements: int
    trips: int


@asynccontextmanager
async def noting(database: Database) -> AsyncIterator[list[str]]:
    """The statements that are sent meanwhile, by whoever takes one of the connections that were given back last."""
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
        await asyncio.sleep(0)  # asyncpg notes a statement in the turn after it.
    finally:
        for connection in connections:
            connection.remove_query_logger(note)


def counted(sent: list[str]) -> Asked:
    return Asked(sum(not _ENDS.match(sql) for sql in sent), len(sent))


def committed() -> dict[str, list[int | None]]:
    """The page: of each operation the statements and round trips over REST, and both over GraphQL; none of
    a transport that it doesn't have. Of each request, named by its method and path, the statements and round trips.
    """
    return {row["name"]: [_read(one) for one in row["figures"].split("|")] for row in _ROW.finditer(PAGE.read_text())}


def _read(figure: str) -> int | None:
    return None if figure.strip() == _NONE else int(figure)


def write(name: str, figures: list[int | None]) -> bool:
    """Put a row into the page's table of so many figures, if that was asked for."""
    if not os.environ.get(WRITES):
        return False
    rows = {one: known for one, known in committed().items() if len(known) == len(figures)}
    lines = PAGE.read_text().splitlines()
    first = lines.index(_shown(*next(iter(rows.items()))))
    lines[first : first + len(rows)] = [_shown(*row) for row in sorted((rows | {name: figures}).items())]
    PAGE.write_text("\n".join([*lines, ""]))
    return True


def _shown(name: str, figures: list[int | None]) -> str:
    return f"| `{name}` | " + " | ".join(_NONE if figure is None else str(figure) for figure in figures) + " |"
