"""Database access: SQLAlchemy Core statements, compiled once and run on an asyncpg pool.

SQLAlchemy writes the SQL from the models, so both always agree. asyncpg runs it, so no request pays for an ORM session
(ADR 0002). A `Statement` is a constant in the module that uses it:

    FIND = Statement(select(charges).where(charges.c.txid == bindparam("txid")))
    row = await database.one(FIND, txid=txid)

UUIDs travel as text and JSONB through orjson: the pool sets the codecs, because SQLAlchemy's own processors don't run.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import asyncpg
import orjson
from sqlalchemy import (
    ARRAY,
    CTE,
    Column,
    ColumnElement,
    Executable,
    Text,
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
    """The SQL text of a Core construct and the order of its parameters. Compiled on first use, to start faster.

    A function that builds the construct is called on first use, too. Constants become literals, so that the planner
    sees them: a partial index over `status = 'pending'` doesn't serve `status = $1`.
    """

    __slots__ = ("_construct", "names", "sql")
    names: tuple[str, ...]
    sql: str

    def __init__(self, construct: Executable | Callable[[], Executable]) -> None:
        self._construct: Executable | Callable[[], Executable] | None = construct

    def __getattr__(self, name: str) -> Any:
        # Called only before `_compile` has set both attributes.
        if name not in {"names", "sql"} or self._construct is None:
            raise AttributeError(name)
        self._compile(self._construct() if callable(self._construct) else self._construct)
        self._construct = None
        return getattr(self, name)

    def _compile(self, construct: Executable) -> None:
        compiled = construct.compile(dialect=_DIALECT)  # type: ignore[attr-defined]  # Every Core construct has it.
        constants = {name: bind.value for bind, name in compiled.bind_names.items() if not bind.required}
        expanding = {compiled.bind_names[bind] for bind in compiled.post_compile_params}
        order = tuple(name for name in compiled.positiontup or () if name not in expanding)
        self.names = tuple(name for name in order if name not in constants)
        self.sql = _with_literals(str(compiled), order, self.names, constants)

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in the order of `$1, $2 …`. Raises `KeyError` for a missing one."""
        return [values[name] for name in self.names]


_PARAMETER = re.compile(r"\$(\d+)|__\[POSTCOMPILE_(\w+)\]")


def _with_literals(text: str, order: Sequence[str], names: Sequence[str], constants: Mapping[str, Any]) -> str:
    """The text with constants as literals, and the other parameters renumbered."""

    def replace(match: re.Match[str]) -> str:
        if match[2]:
            return ", ".join(_quoted(value) for value in constants[match[2]])
        name = order[int(match[1]) - 1]
        return _quoted(constants[name]) if name in constants else f"${names.index(name) + 1}"

    return _PARAMETER.sub(replace, text)


def _quoted(value: Any) -> str:
    """A constant of the code as an SQL literal. Never for values of a caller."""
    if value is None:
        return "null"
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"{type(value).__name__} can't be written into a statement: bind it")


def synchronous_commit_off(when: ColumnElement[bool] | None = None) -> CTE:
    """A CTE that makes the commit of its transaction asynchronous, if `when` is true. The statement selects from it.

    A crash of PostgreSQL may lose asynchronous commits of the last half second. A later synchronous commit makes them
    durable, so use this for rows that have no meaning without a later commit.
    """
    mode: Any = "off" if when is None else case((when, "off"), else_=func.current_setting("synchronous_commit"))
    return select(func.set_config("synchronous_commit", mode, literal_column("true"))).cte("synchronous_commit_off")


class _RowsFrom(FunctionElement[Any]):
    """`rows from (f(…), g(…))`: joins the rows of functions by position."""

    inherit_cache = True


@compiles(_RowsFrom)
def _rows_from(element: _RowsFrom, compiler: SQLCompiler, **options: Any) -> str:
    return f"rows from ({compiler.process(element.clauses, **options)})"


def unnest_rows(name: str, columns: Mapping[str, TypeEngine[Any]], *, many: bool = False) -> CTE:
    """Bound rows, as one array a column, named `{name}_{column}` (`columns_of`). The SQL is the same for any number.

    Generic plans expect ten elements of an array, and choose nested loops. `many` makes them expect a thousand, by a
    series of unknown end: set it if such rows are joined with one another, and not for index look-ups.
    """
    arrays = [bindparam(f"{name}_{column}", type_=ARRAY(kind)) for column, kind in columns.items()]
    typed = [Column(column, kind) for column, kind in columns.items()]
    rows: FunctionElement[Any] = func.unnest(*arrays)
    if many:
        rows = _RowsFrom(rows, func.generate_series(literal_column("1"), func.cardinality(arrays[0])))
    return select(*rows.table_valued(*typed, name=f"{name}_rows").render_derived().c).cte(name)


def columns_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str], table: str = "entry") -> dict[str, list[Any]]:
    """The values to bind for `unnest_rows(table, …)`."""
    return {f"{table}_{name}": [row[name] for row in rows] for name in names}


class StatementCache:
    """An LRU cache of statements whose form depends on the request (filters, order): `of(*shape)` builds one."""

    def __init__(self, build: Callable[..., Executable], limit: int = 512) -> None:
        self.of: Callable[..., Statement] = lru_cache(limit)(lambda *shape: Statement(build(*shape)))


class Executor(ABC):
    """Runs statements: a `Transaction`, or the `Database`, in which each statement commits by itself."""

    @abstractmethod
    def _acquire(self) -> AbstractAsyncContextManager[Connection]:
        """The connection for one statement."""

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        async with self._acquire() as connection:
            return await connection.fetchrow(statement.sql, *statement.arguments(values))

    async def single(self, statement: Statement, /, **values: Any) -> Row:
        """The row of a statement that always has one: a count, an `insert … returning`, a row that is never deleted."""
        row = await self.one(statement, **values)
        assert row is not None
        return row

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        async with self._acquire() as connection:
            rows: list[Row] = await connection.fetch(statement.sql, *statement.arguments(values))
            return rows

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        async with self._acquire() as connection:
            return await connection.fetchval(statement.sql, *statement.arguments(values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        async with self._acquire() as connection:
            return rows_affected(await connection.execute(statement.sql, *statement.arguments(values)))

    async def run_in_batches(self, statement: Statement, /, batch: int = 1000, **values: Any) -> int:
        """Run a statement that changes at most `:batch` rows until it changes fewer. Returns how many it changed."""
        changed = count = await self.run(statement, batch=batch, **values)
        while count == batch:
            changed += (count := await self.run(statement, batch=batch, **values))
        return changed

    async def run_many(self, statement: Statement, rows: Iterable[dict[str, Any]], /) -> None:
        async with self._acquire() as connection:
            await connection.executemany(statement.sql, [statement.arguments(row) for row in rows])


_ADVISORY_LOCK = Statement(
    select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name", type_=Text()), literal_column("0"))))
)


class Transaction(Executor):
    """An open transaction. Its block commits at the end, or rolls back on an exception."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def _acquire(self) -> AbstractAsyncContextManager[Connection]:
        return nullcontext(self.connection)

    async def lock(self, name: str) -> None:
        """Take the advisory lock of this name until the transaction ends."""
        await self.value(_ADVISORY_LOCK, name=name)


class Database(Executor):
    """A pool of connections. Each call outside a transaction takes one, runs one statement and gives it back."""

    def __init__(self, pool: Pool, *, share: int = 4) -> None:
        """`share`: the maximum of connections for slow users: for all cursors, and for the lists of one request."""
        self.pool = pool
        self.share = share
        self._streams = asyncio.Semaphore(share)

    def _acquire(self) -> AbstractAsyncContextManager[Connection]:
        return self.pool.acquire()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """A read committed transaction."""
        async with self.pool.acquire() as connection, connection.transaction():
            yield Transaction(connection)

    async def stream(self, statement: Statement, /, **values: Any) -> AsyncGenerator[Row, None]:
        """Rows by a server-side cursor, in constant memory. At most `share` cursors are open; others wait."""
        async with self._streams, self.pool.acquire() as connection, connection.transaction(readonly=True):
            async for row in connection.cursor(statement.sql, *statement.arguments(values), prefetch=500):
                yield row

    async def close(self) -> None:
        await self.pool.close()


MAX_DEADLOCK_RETRIES = 4


async def retry_on_deadlock(action: Callable[[], Awaitable[T]]) -> T:
    """Run `action`. Retry it if PostgreSQL aborts it to resolve a deadlock."""
    for _ in range(MAX_DEADLOCK_RETRIES):
        with suppress(Deadlock):
            return await action()
    return await action()


def rows_affected(status: str) -> int:
    """The count at the end of a command tag such as `UPDATE 1`."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdecimal() else 0


def violates(error: asyncpg.PostgresError, constraint: str) -> bool:
    """Whether the error is a violation of this constraint or unique index."""
    return getattr(error, "constraint_name", None) == constraint


_PREPARED = {"statement_cache_size": 500, "max_cacheable_statement_size": 0}
"""Prepare statements of any length. By default, asyncpg replans those over 15 kB on each run, in 10 to 20 ms."""


async def open_database(dsn: str, *, size: int, **options: Any) -> Database:
    """Connect. `size`: the most connections that this process opens."""

    async def connect() -> Connection:
        connection = await asyncpg.connect(dsn, command_timeout=30, **_PREPARED, **options)
        try:
            # JIT compilation takes longer than the queries. A cached plan expects an average store: where one store
            # has most rows, it would scan the whole table for a small one.
            await connection.execute("set jit = off; set enable_seqscan = off")
            await connection.set_type_codec("uuid", schema="pg_catalog", encoder=str, decoder=str, format="text")
            await connection.set_type_codec(
                "jsonb", schema="pg_catalog", encoder=_encode_jsonb, decoder=_decode_jsonb, format="binary"
            )
        except BaseException:
            connection.terminate()
            raise
        return connection

    pool = Pool(connect, size)
    await pool.warm(2)
    return Database(pool, share=max(1, size // 4))


def _encode_jsonb(value: Any) -> bytes:
    return b"\x01" + orjson.dumps(value)


def _decode_jsonb(data: bytes) -> Any:
    return orjson.loads(data[1:])
