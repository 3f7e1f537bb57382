"""Insert, find and update the rows of a table that belong to a store and an environment."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic

from sqlalchemy import ARRAY, ColumnElement, Insert, Table, Update, bindparam, func, insert, select, update

from gateway.errors import GatewayError, NotFound
from gateway.models.database import (
    Executor,
    ForeignKeyViolation,
    Row,
    Statement,
    StatementCache,
    Transaction,
    UniqueViolation,
    violates,
)
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import equals
from gateway.resolvers.core.listing.search import Condition
from gateway.resolvers.core.views import ViewT, serialize
from gateway.settings import Settings
from gateway.values.ids import new_id


def of_store(table: Any) -> tuple[Condition, Condition]:
    """The conditions on a store and an environment. Bind them with `Context.scope`."""
    return equals(table.c.user_id), equals(table.c.environment)


class StoreRows(Generic[ViewT]):
    """Rows of one table. `missing` is the message of `NotFound`, `view` builds the view of a row of `columns`.

    `inserted`: the columns that `insert` gets. `scope`: the conditions on the store, if not those of `of_store`.

    ROWS = StoreRows(products, PRODUCT_COLUMNS, "Produto não encontrado.", lambda _, row: ProductView.of(row))
    product = await ROWS.read(ctx, product_id)
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[ColumnElement[Any]],
        missing: str,
        view: Callable[[Settings, Row], ViewT],
        *,
        scope: Sequence[Condition] | None = None,
        inserted: Collection[str] = (),
        returning: Sequence[ColumnElement[Any]] | None = None,
    ) -> None:
        self.table, self.columns, self.missing, self.view = table, columns, missing, view
        self.scope = of_store(table) if scope is None else scope
        self._one = (*self.scope, table.c.id == bindparam("id", type_=table.c.id.type))
        ids = bindparam("ids", type_=ARRAY(table.c.id.type))
        self.by_id = Statement(select(*columns).where(*self._one))
        self.by_ids = Statement(select(*columns).where(*self.scope, table.c.id == func.any(ids)))
        self._lock = Statement(select(*columns).where(*self._one).with_for_update())
        self._update = StatementCache(self._updating)
        if inserted:
            self._insert = Statement(self._inserting(inserted).returning(*(returning or columns)))

    async def insert(self, ctx: Context, transaction: Transaction, values: Mapping[str, Any], action: str) -> ViewT:
        """Insert a row with a new id, and record it."""
        row = await transaction.single(self._insert, **ctx.scope, id=new_id(), now=ctx.clock.now(), **values)
        await record(ctx, transaction, action, row["id"])
        return self.view(ctx.settings, row)

    async def find(self, ctx: Context, row_id: str, executor: Executor | None = None) -> Row:
        """The store's row. Raises `NotFound`."""
        return self.require(await (executor or ctx.database).one(self.by_id, **ctx.scope, id=row_id))

    async def read(self, ctx: Context, row_id: str) -> ViewT:
        """The view of the store's row. Raises `NotFound`."""
        return self.view(ctx.settings, await self.find(ctx, row_id))

    async def read_all(self, ctx: Context, ids: Sequence[str]) -> dict[str, ViewT]:
        """The views of the store's rows among these ids."""
        rows = await ctx.database.all(self.by_ids, **ctx.scope, ids=list(ids))
        return {row["id"]: self.view(ctx.settings, row) for row in rows}

    async def lock(self, ctx: Context, transaction: Transaction, row_id: str) -> Row:
        """The store's row, locked until the transaction ends. Raises `NotFound`."""
        return self.require(await transaction.one(self._lock, **ctx.scope, id=row_id))

    def require(self, row: Row | None) -> Row:
        """The row. Raises `NotFound` for None."""
        if row is None:
            raise NotFound(self.missing)
        return row

    async def update(
        self,
        ctx: Context,
        row_id: str,
        values: Mapping[str, Any],
        action: str,
        *,
        validate: Callable[[Mapping[str, Any]], None] = lambda _row: None,
        derive: Callable[[Row], Mapping[str, Any]] = lambda _row: {},
        check: Callable[[Executor, Mapping[str, Any], Collection[str]], Awaitable[None]] | None = None,
        first: Callable[[Executor], Awaitable[None]] | None = None,
    ) -> ViewT:
        """Set those of `values` that differ, and record the change. Raises `NotFound`.

        `derive`: further values, from the row before the change.
        `validate`: raises an error about the whole row after the change.
        `check`: the same with queries; it gets the names of the changed fields.
        `first`: locks other rows before this one.
        """
        async with ctx.database.transaction() as transaction:
            if first is not None:
                await first(transaction)
            before = await self.lock(ctx, transaction, row_id)
            values = {**values, **derive(before)}
            validate({**before, **values})
            changed = sorted(name for name, value in values.items() if value != before[name])
            was = self.view(ctx.settings, before)
            if not changed:
                return was
            if check is not None:
                await check(transaction, {**before, **values}, changed)
            bound = {f"new_{name}": values[name] for name in changed}
            statement = self._update.of(*changed)
            after = await transaction.single(statement, **ctx.scope, id=row_id, **bound, now=ctx.clock.now())
            is_now = self.view(ctx.settings, after)
            old, new = serialize(was), serialize(is_now)
            changes = {name: {"from": old[name], "to": new[name]} for name in changed if name in new}
            await record(ctx, transaction, action, row_id, changes=changes)
        return is_now

    def _inserting(self, names: Iterable[str]) -> Insert:
        columns = self.table.c
        values: dict[str, Any] = {
            name: bindparam(name, type_=columns[name].type) for name in ("id", "user_id", "environment", *names)
        }
        values |= dict.fromkeys(("created_at", "updated_at"), bindparam("now", type_=columns.created_at.type))
        return insert(self.table).values(values)

    def _updating(self, *names: str) -> Update:
        columns = self.table.c
        values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=columns[name].type) for name in names}
        if "updated_at" in columns:
            values["updated_at"] = bindparam("now", type_=columns.updated_at.type)
        return update(self.table).where(*self._one).values(values).returning(*self.columns)


@contextmanager
def translate_violations(**errors: Callable[[], GatewayError]) -> Iterator[None]:
    """Raise the error of the constraint that a statement violates, by the constraint's name."""
    try:
        yield
    except (UniqueViolation, ForeignKeyViolation) as violation:
        for constraint, error in errors.items():
            if violates(violation, constraint):
                raise error() from None
        raise
