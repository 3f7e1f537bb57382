"""Deleting what other rows refer to (contract section 4): count, then clear and delete in one transaction.

A reference is a column without a foreign key: what a charge was made from may go, the charge stays. Over 500 references
nothing changes, and the error says what to do instead.

Coupons and payment links have a counter that expiring and paying a charge change while they hold the charge's row, so
their deletion takes the locks in the same order: the charges first, then the row itself (`first`). It also waits for no
engine: while a charge is being issued with the row, it is refused (`busy`).
"""

from typing import Any

from pydantic import Field
from sqlalchemy import Column, Select, Table, bindparam, delete, func, select, update

from gateway.errors import Conflict, NotFound, TooManyReferences
from gateway.models.database import Statement, Transaction
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import View
from gateway.values.ids import Id

MAX_REFERENCES = 500


class Deleted(View):
    """O que foi excluído, e as referências desfeitas por isso, contadas por `tabela.campo`.

    Something is gone, and these references to it were cleared, counted by `table.field`.
    """

    id: Id = Field(description="Identificador do que foi excluído.")
    deleted: bool = Field(description="Sempre verdadeiro.")
    desvinculados: dict[str, int] = Field(description="Referências desfeitas, por `tabela.campo`.")


class Deletion:
    """How rows of one table are deleted: `references` are the columns that may hold their id, `too_many` what a caller
    must do if too many rows refer to it.

    DELETION = Deletion(products, payment_links.c.product_id, too_many="Há referências demais; desative o produto.")
    return await DELETION.run(ctx, which.id, "product.deleted", "Produto não encontrado.")
    """

    def __init__(
        self,
        table: Table,
        *references: Column[Any],
        first: Column[Any] | None = None,
        busy: Column[Any] | None = None,
        too_many: str,
    ) -> None:
        self._too_many = too_many
        self._first = None if first is None else Statement(_locking(first))
        self._busy = None if busy is None else Statement(_standing(busy))
        self._names = [f"{column.table.name}.{column.name}" for column in references]
        self._lock = Statement(select(table.c.id).where(*_mine(table, table.c.id)).with_for_update())
        self._count = Statement(self._counting(references))
        self._clear = Statement(self._clearing(table, references))

    async def run(self, ctx: Context, row_id: str, action: str, missing: str) -> Deleted:
        """Delete the store's row. Raises `NotFound` with the message `missing`, and `TooManyReferences`."""
        mine = {"user_id": ctx.store_id, "environment": ctx.environment, "id": row_id}
        async with ctx.database.transaction() as transaction:
            if self._first is not None:
                await transaction.all(self._first, **mine)
            if await transaction.value(self._lock, **mine) is None:
                raise NotFound(missing)
            await self._refuse_busy(transaction, mine)
            held = await transaction.value(self._count, **mine)
            if held > MAX_REFERENCES:
                raise TooManyReferences(self._too_many, referencias=held, limite=MAX_REFERENCES)
            cleared = await transaction.one(self._clear, **mine, now=ctx.clock.now())
            assert cleared is not None
            let_go = {name: {"from": count, "to": 0} for name, count in cleared.items() if count}
            await record(ctx, transaction, action, row_id, changes=let_go)
        return Deleted.of({"id": row_id, "deleted": True, "desvinculados": dict(cleared)})

    async def _refuse_busy(self, transaction: Transaction, mine: dict[str, Any]) -> None:
        if self._busy is not None and await transaction.value(self._busy, **mine):
            raise Conflict("Há uma cobrança sendo emitida com este registro. Tente de novo em instantes.")

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
    return [
        table.c.user_id == bindparam("user_id"),
        table.c.environment == bindparam("environment"),
        column == bindparam("id", type_=column.type),
    ]


def _locking(column: Column[Any]) -> Select[Any]:
    rows = column.table.c
    return (
        select(rows.id)
        .where(*_mine(column.table, column))
        .order_by(rows.id)
        .limit(MAX_REFERENCES + 1)
        .with_for_update()
    )


def _standing(column: Column[Any]) -> Select[Any]:
    return select(select(column).where(*_mine(column.table, column)).exists())


def _clear(column: Column[Any]) -> Any:
    values = {column.name: None, "updated_at": bindparam("now", type_=column.table.c.updated_at.type)}
    return update(column.table).where(*_mine(column.table, column)).values(values).returning(column.table.c.id)
