"""Database access: SQLAlchemy Core statements, compiled once and run on an asyncpg pool.

SQLAlchemy writes the SQL from the models, so both always agree. asyncpg runs it, so no request pays for an ORM session
(ADR 0002). A `Statement` is a constant in the module that uses it:

    FIND = Statement(select(charges).where(charges.c.txid == bindparam("txid")))
    row = await database.one(FIND, txid=txid)

UUIDs travel as text and JSONB through orjson: the pool sets the codecs, because SQLAlchemy's own processors don't run.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol, TypeAlias, TypeVar

import asyncpg
import orjson
from sqlalchemy import (
    ARRAY,
    CTE,
    Column,
    ColumnElement,
    Executable,
    bindparam,
    case,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import asyncpg as dialects
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from gateway.models.pool import Connection, Pool

T = TypeVar("T")
Row: TypeAlias = asyncpg.Record
UniqueViolation = asyncpg.UniqueViolationError
CheckViolation = asyncpg.CheckViolationError
Deadlock = asyncpg.DeadlockDetectedError
LockNotAvailable = asyncpg.LockNotAvailableError
ForeignKeyViolation = asyncpg.ForeignKeyViolationError
DatabaseUnavailable = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
)

_DIALECT = dialects.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves dialect constructors untyped.


class Statement:
    """SQL text and the order of its parameters, of a Core construct, compiled at first use: compiling all took
    a tenth of the start-up time. A function in place of the construct builds it at first use, too.

    Values written into the construct become literals of the text, so that the planner sees them: a partial index
    over `status = 'pending'` serves no query that says `status = $1`.
    """

    __slots__ = ("_construct", "names", "sql")
    names: tuple[str, ...]
    sql: str

    def __init__(self, construct: Executable | Callable[[], Executable]) -> None:
        self._construct: Executable | Callable[[], Executable] | None = construct

    def __getattr__(self, name: str) -> Any:
        # Only what has no value yet comes here: afterwards, both are attributes like any other.
        if name not in {"names", "sql"} or self._construct is None:
            raise AttributeError(name)
        self._compile(self._construct() if callable(self._construct) else self._construct)
        self._construct = None
        return getattr(self, name)

    def _compile(self, construct: Executable) -> None:
        compiled = construct.compile(dialect=_DIALECT)  # type: ignore[attr-defined]  # every Core construct has it.
        written = {name: bind.value for bind, name in compiled.bind_names.items() if not bind.required}
        expanding = {compiled.bind_names[bind] for bind in compiled.post_compile_params}
        order = tuple(name for name in compiled.positiontup or () if name not in expanding)
        self.names = tuple(name for name in order if name not in written)
        self.sql = _with_literals(str(compiled), order, self.names, written)

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in the order of `$1, $2 …`; a missing one is a KeyError that names it."""
        return [values[name] for name in self.names]


_PLACE = re.compile(r"\$(\d+)|__\[POSTCOMPILE_(\w+)\]")


def _with_literals(text: str, order: Sequence[str], names: Sequence[str], written: Mapping[str, Any]) -> str:
    """The text with what was written in it as literals, and the other parameters renumbered."""

    def place(match: re.Match[str]) -> str:
        if match[2]:
            return ", ".join(_quoted(value) for value in written[match[2]])
        name = order[int(match[1]) - 1]
        return _quoted(written[name]) if name in written else f"${names.index(name) + 1}"

    return _PLACE.sub(place, text)


def _quoted(value: Any) -> str:
    """A constant of our own code as SQL text; never anything that a caller sent."""
    if value is None:
        return "null"
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"{type(value).__name__} can't be written into a statement: bind it")


def synchronous_commit_off(when: ColumnElement[bool] | None = None) -> CTE:
    """Select from this, and the commit of the statement (or of its transaction) does not wait for the disk, where
    `when` holds.

    What is committed so may be lost if PostgreSQL crashes within the next half second, together with everything after
    it: the log is a sequence, and a later commit that does wait brings all earlier ones to the disk. Use it for what
    means nothing without such a later commit.
    """
    mode: Any = "off" if when is None else case((when, "off"), else_=func.current_setting("synchronous_commit"))
    return select(func.set_config("synchronous_commit", mode, literal_column("true"))).cte("synchronous_commit_off")


class _RowsFrom(FunctionElement[Any]):
    """`rows from (f(…), g(…))`: the rows of several functions, side by side."""

    inherit_cache = True


@compiles(_RowsFrom)
def _rows_from(element: _RowsFrom, compiler: SQLCompiler, **options: Any) -> str:
    return f"rows from ({compiler.process(element.clauses, **options)})"


def unnest_rows(name: str, columns: Mapping[str, TypeEngine[Any]], *, many: bool = False) -> CTE:
    """Rows that the caller binds, as one array for each column (`columns_of`): many rows in one statement, which is one
    text however many they are. The arrays are bound as `{name}_{column}`.

    A plan that PostgreSQL keeps for arrays it doesn't know expects ten elements, for which it compares each row with
    each. With `many` it expects a thousand: of a series whose end it doesn't know. Say so where such rows are joined
    with one another, and not where each only looks something up by an index.
    """
    arrays = [bindparam(f"{name}_{column}", type_=ARRAY(kind)) for column, kind in columns.items()]
    typed = [Column(column, kind) for column, kind in columns.items()]
    rows: FunctionElement[Any] = func.unnest(*arrays)
    if many:
        rows = _RowsFrom(rows, func.generate_series(literal_column("1"), func.cardinality(arrays[0])))
    return select(*rows.table_valued(*typed, name=f"{name}_given").render_derived().c).cte(name)


def columns_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str], table: str = "entry") -> dict[str, list[Any]]:
    """The values to bind for `unnest_rows(table, …)`."""
    return {f"{table}_{name}": [row[name] for row in rows] for name in names}


class StatementCache:
    """An LRU cache of statements whose form depends on the request (filters, order)."""

    def __init__(self, build: Callable[..., Executable], limit: int = 512) -> None:
        self._build = build
        self.limit = limit
        self._known: dict[Hashable, Statement] = {}

    def of(self, *shape: Hashable) -> Statement:
        # A dict is ordered by insertion: a used statement moves to the end, and the first is evicted.
        statement = self._known.pop(shape, None)
        if statement is None:
            statement = Statement(self._build(*shape))
            if len(self._known) >= self.limit:
                del self._known[next(iter(self._known))]
        self._known[shape] = statement
        return statement


class Executor(Protocol):
    """What runs statements: the database itself (each statement commits alone) or a transaction."""

    async def one(self, statement: Statement, /, **values: Any) -> Row | None: ...
    async def all(self, statement: Statement, /, **values: Any) -> list[Row]: ...
    async def value(self, statement: Statement, /, **values: Any) -> Any: ...
    async def run(self, statement: Statement, /, **values: Any) -> int: ...
    async def run_many(self, statement: Statement, rows: Iterable[dict[str, Any]], /) -> None: ...


class Transaction:
    """An open transaction. It ends with the block that opened it: commit, or roll back on an exception."""

    __slots__ = ("connection",)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        return await self.connection.fetchrow(statement.sql, *statement.arguments(values))

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        rows: list[Row] = await self.connection.fetch(statement.sql, *statement.arguments(values))
        return rows

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        return await self.connection.fetchval(statement.sql, *statement.arguments(values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        return rows_affected(await self.connection.execute(statement.sql, *statement.arguments(values)))

    async def run_many(self, statement: Statement, rows: Iterable[dict[str, Any]], /) -> None:
        await self.connection.executemany(statement.sql, [statement.arguments(row) for row in rows])


class Database:
    """A pool of connections. Each call outside a transaction takes one, runs one statement and gives it back."""

    def __init__(self, pool: Pool, *, share: int = 4) -> None:
        """`share`: how many connections are left to what may keep them for long: to all cursors together, each of which
        lasts as long as its reader takes, and to all lists of one request.
        """
        self.pool = pool
        self.share = share
        self._streams = asyncio.Semaphore(share)

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        async with self.pool.acquire() as connection:
            return await connection.fetchrow(statement.sql, *statement.arguments(values))

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        async with self.pool.acquire() as connection:
            rows: list[Row] = await connection.fetch(statement.sql, *statement.arguments(values))
            return rows

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        async with self.pool.acquire() as connection:
            return await connection.fetchval(statement.sql, *statement.arguments(values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        async with self.pool.acquire() as connection:
            return rows_affected(await connection.execute(statement.sql, *statement.arguments(values)))

    async def run_many(self, statement: Statement, rows: Iterable[dict[str, Any]], /) -> None:
        async with self.pool.acquire() as connection:
            await connection.executemany(statement.sql, [statement.arguments(row) for row in rows])

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """One transaction on one connection; read committed."""
        async with self.pool.acquire() as connection, connection.transaction():
            yield Transaction(connection)

    async def stream(self, statement: Statement, /, **values: Any) -> AsyncGenerator[Row, None]:
        """Rows through a server-side cursor, at constant memory. Waits in line where many are being read: slow readers
        shall not keep the connections that everybody else lives on.
        """
        async with self._streams, self.pool.acquire() as connection, connection.transaction(readonly=True):
            async for row in connection.cursor(statement.sql, *statement.arguments(values), prefetch=500):
                yield row

    async def close(self) -> None:
        await self.pool.close()


MAX_DEADLOCK_RETRIES = 4


async def retry_on_deadlock(act: Callable[[], Awaitable[T]]) -> T:
    """Run `act`, and retry it when PostgreSQL aborts it as a deadlock victim."""
    for _ in range(MAX_DEADLOCK_RETRIES):
        with suppress(Deadlock):
            return await act()
    return await act()


def rows_affected(status: str) -> int:
    """The count at the end of a command tag such as `UPDATE 1`."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdecimal() else 0


def violates(error: asyncpg.PostgresError, constraint: str) -> bool:
    """Whether the database refused a row for the constraint (or unique index) of that name."""
    return getattr(error, "constraint_name", None) == constraint


_PREPARED = {"statement_cache_size": 500, "max_cacheable_statement_size": 0}
"""Statements stay prepared, the longest too: those of more than 15 kB asyncpg would have planned whenever they are run,
which takes 10 to 20 ms.
"""


async def open_database(dsn: str, *, size: int = 16, **options: Any) -> Database:
    """Connect. `size` is connections per process: 16 serve best (docs/performance.md)."""

    async def connect() -> Connection:
        connection = await asyncpg.connect(dsn, command_timeout=30, **_PREPARED, **options)
        try:
            # Cost estimates are high for the worst case, and JIT compilation would take longer than the query.
            await connection.execute("set jit = off")
            await _set_codecs(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    pool = Pool(connect, size)
    await pool.warm(2)
    return Database(pool, share=max(1, size // 4))


async def _set_codecs(connection: Connection) -> None:
    await connection.set_type_codec("uuid", schema="pg_catalog", encoder=str, decoder=str, format="text")
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_encode_jsonb, decoder=_decode_jsonb, format="binary"
    )


_EMPTY_OBJECT = b"\x01{}"


def _encode_jsonb(value: Any) -> bytes:
    return b"\x01" + orjson.dumps(value)


def _decode_jsonb(data: bytes) -> Any:
    # Most of a list's rows have no metadata.
    return {} if data == _EMPTY_OBJECT else orjson.loads(data[1:])
