"""Insert and find the rows of a table that belong to a store and an environment."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Table, bindparam, func, insert, select

from gateway.errors import GatewayError, NotFound
from gateway.models.database import ForeignKeyViolation, Row, Statement, Transaction, UniqueViolation, violates
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import equals
from gateway.values.ids import new_id


class StoreRows:
    """Rows of one table. `missing` is the message of `NotFound`, `inserted` the columns that `insert` gets.

    ROWS = StoreRows(products, PRODUCT_COLUMNS, "Produto não encontrado.", CreateProduct.model_fields)
    row = await ROWS.find(ctx, product_id)
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[ColumnElement[Any]],
        missing: str,
        inserted: Iterable[str] = (),
        returning: Sequence[ColumnElement[Any]] | None = None,
    ) -> None:
        self.missing = missing
        self.scope = (equals(table.c.user_id), equals(table.c.environment))
        ids = bindparam("ids", type_=ARRAY(table.c.id.type))
        self.by_id = Statement(select(*columns).where(*self.scope, table.c.id == bindparam("id")))
        self.by_ids = Statement(select(*columns).where(*self.scope, table.c.id == func.any(ids)))
        now = bindparam("now", type_=table.c.created_at.type)
        names = ("id", "user_id", "environment", *inserted)
        values: dict[str, Any] = {name: bindparam(name, type_=table.c[name].type) for name in names}
        values |= {"created_at": now, "updated_at": now}
        self._insert = Statement(insert(table).values(values).returning(*(columns if returning is None else returning)))

    async def insert(self, ctx: Context, transaction: Transaction, values: Mapping[str, Any]) -> Row:
        """Insert a row with a new id."""
        own = {"id": new_id(), "user_id": ctx.store_id, "environment": ctx.environment, "now": ctx.clock.now()}
        row = await transaction.one(self._insert, **own, **values)
        assert row is not None
        return row

    async def find(self, ctx: Context, row_id: str) -> Row:
        """The store's row. Raises `NotFound`."""
        row = await ctx.database.one(self.by_id, user_id=ctx.store_id, environment=ctx.environment, id=row_id)
        if row is None:
            raise NotFound(self.missing)
        return row

    async def find_all(self, ctx: Context, ids: Sequence[str]) -> list[Row]:
        """The store's rows among these ids."""
        return await ctx.database.all(self.by_ids, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))


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
