"""Delete rows that others refer to (contract section 4): count, clear and delete in one transaction.

References have no foreign key, so that charges outlive their product, coupon or link. With more than 500 references,
nothing changes, and the error says what to do instead.

Paying and expiring a charge lock the charge, and then the counter of its coupon or link. So the deletion of these locks
the charges before the row (`first`). While a charge is being issued with the row, the deletion is refused (`busy`).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from pydantic import Field
from sqlalchemy import Column, Select, Table, bindparam, delete, func, select, update

from gateway.errors import Conflict, TooManyReferences
from gateway.models.database import Statement
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.store_rows import StoreRows, of_store
from gateway.resolvers.core.views import View
from gateway.values.ids import Id

MAX_REFERENCES = 500


class Deleted(View):
    """O que foi excluído, e as referências desfeitas por isso, contadas por `tabela.campo`.

    The deleted object, and the number of cleared references by `table.field`.
    """

    id: Id = Field(description="Identificador do que foi excluído.")
    deleted: bool = Field(description="Sempre verdadeiro.")
    desvinculados: dict[str, int] = Field(description="Referências desfeitas, por `tabela.campo`.")

    @classmethod
    def of_id(cls, row_id: str, cleared: Mapping[str, int] = MappingProxyType({})) -> Self:
        """The deleted object with this id, and its cleared references."""
        return cls.of({"id": row_id, "deleted": True, "desvinculados": dict(cleared)})


class Deletion:
    """Deletes rows of one table. `references`: columns with their id. `too_many`: the message for too many references.

    DELETION = Deletion(ROWS, payment_links.c.product_id, too_many="Há referências demais; desative o produto.")
    return await DELETION.run(ctx, which.id, "product.deleted")
    """

    def __init__(
        self,
        rows: StoreRows[Any],
        *references: Column[Any],
        first: Column[Any] | None = None,
        busy: Column[Any] | None = None,
        too_many: str,
    ) -> None:
        self._rows, self._too_many = rows, too_many
        table = rows.table
        self._first = None if first is None else Statement(_lock_rows(first))
        self._busy = None if busy is None else Statement(_exists(busy))
        self._names = [f"{column.table.name}.{column.name}" for column in references]
        self._count = Statement(self._counting(references))
        self._clear = Statement(self._clearing(table, references))

    async def run(self, ctx: Context, row_id: str, action: str) -> Deleted:
        """Delete the store's row. Raises `NotFound`, `Conflict` and `TooManyReferences`."""
        mine = ctx.scope | {"id": row_id}
        async with ctx.database.transaction() as transaction:
            if self._first is not None:
                await transaction.all(self._first, **mine)
            await self._rows.lock(ctx, transaction, row_id)
            if self._busy is not None and await transaction.value(self._busy, **mine):
                raise Conflict("Há uma cobrança sendo emitida com este registro. Tente de novo em instantes.")
            count = await transaction.value(self._count, **mine)
            if count > MAX_REFERENCES:
                raise TooManyReferences(self._too_many, referencias=count, limite=MAX_REFERENCES)
            cleared = await transaction.single(self._clear, **mine, now=ctx.clock.now())
            cleared_counts = {name: {"from": number, "to": 0} for name, number in cleared.items() if number}
            await record(ctx, transaction, action, row_id, changes=cleared_counts)
        return Deleted.of_id(row_id, cleared)

    def _counting(self, references: tuple[Column[Any], ...]) -> Select[Any]:
        counts = [
            select(func.count()).select_from(column.table).where(*_mine(column.table, column)).scalar_subquery()
            for column in references
        ]
        return select(sum(counts[1:], counts[0]))

    def _clearing(self, table: Table, references: tuple[Column[Any], ...]) -> Select[Any]:
        cleared = [_clear(column).cte(f"cleared_{index}") for index, column in enumerate(references)]
        gone = delete(table).where(*_mine(table, table.c.id)).returning(table.c.id).cte("gone")
        counts = [select(func.count()).select_from(cte).scalar_subquery() for cte in cleared]
        named = [count.label(name) for count, name in zip(counts, self._names, strict=True)]
        return select(*named).add_cte(gone)


def _mine(table: Any, column: Column[Any]) -> list[Any]:
    return [*of_store(table), column == bindparam("id", type_=column.type)]


def _lock_rows(column: Column[Any]) -> Select[Any]:
    rows = column.table.c
    return (
        select(rows.id)
        .where(*_mine(column.table, column))
        .order_by(rows.id)
        .limit(MAX_REFERENCES + 1)
        .with_for_update()
    )


def _exists(column: Column[Any]) -> Select[Any]:
    return select(select(column).where(*_mine(column.table, column)).exists())


def _clear(column: Column[Any]) -> Any:
    values = {column.name: None, "updated_at": bindparam("now", type_=column.table.c.updated_at.type)}
    return update(column.table).where(*_mine(column.table, column)).values(values).returning(column.table.c.id)
