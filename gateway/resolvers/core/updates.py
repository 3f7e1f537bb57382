"""Changing a store's row: only what was sent, only what differs, with an audit record
that says what was and what is.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Generic

from sqlalchemy import ColumnElement, Table, Update, bindparam, select, update

from gateway.errors import InvalidInput, NotFound
from gateway.models.database import Executor, Row, Statement, StatementCache
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import ViewT, serialize
from gateway.settings import Settings


class RowUpdate(Generic[ViewT]):
    """Updates rows of one table. `adopt` builds the view of a row of `columns`.

    UPDATE = RowUpdate(products, PRODUCT_COLUMNS, lambda _settings, row: ProductView.of(row))
    return await UPDATE.run(ctx, order.id, sent, "product.updated", "Produto não encontrado.")
    """

    def __init__(
        self, table: Table, columns: Iterable[ColumnElement[Any]], adopt: Callable[[Settings, Row], ViewT]
    ) -> None:
        self._table = table
        self._columns = list(columns)
        self._adopt = adopt
        self._mine = (
            table.c.user_id == bindparam("store_id"),
            table.c.environment == bindparam("store_environment"),
            table.c.id == bindparam("row_id", type_=table.c.id.type),
        )
        self._lock = Statement(select(*self._columns).where(*self._mine).with_for_update())
        self._update = StatementCache(self._updating)

    async def run(
        self,
        ctx: Context,
        row_id: str,
        values: Mapping[str, Any],
        action: str,
        missing: str,
        *,
        validate: Callable[[Mapping[str, Any]], None] = lambda _row: None,
        derive: Callable[[Row], Mapping[str, Any]] = lambda _row: {},
        check: Callable[[Executor, Mapping[str, Any], Collection[str]], Awaitable[None]] | None = None,
        first: Callable[[Executor], Awaitable[None]] | None = None,
    ) -> ViewT:
        """Set `values` in the row. Raises `NotFound` with the message `missing`.

        `derive`: further values, from the row before the change.
        `validate`: raises an error about the whole row after the change.
        `check`: the same with queries; it gets the names of the changed fields.
        `first`: locks other rows before this one.
        """
        mine = {"store_id": ctx.store_id, "store_environment": ctx.environment, "row_id": row_id}
        async with ctx.database.transaction() as transaction:
            if first is not None:
                await first(transaction)
            before = await transaction.one(self._lock, **mine)
            if before is None:
                raise NotFound(missing)
            values = {**values, **derive(before)}
            validate({**before, **values})
            changed = sorted(name for name, value in values.items() if value != before[name])
            if not changed:
                return self._adopt(ctx.settings, before)
            if check is not None:
                await check(transaction, {**before, **values}, changed)
            bound = {f"new_{name}": values[name] for name in changed}
            after = await transaction.one(self._update.of(*changed), **mine, **bound, now=ctx.clock.now())
            assert after is not None, "the row is locked"
            was, is_now = self._adopt(ctx.settings, before), self._adopt(ctx.settings, after)
            await record(ctx, transaction, action, row_id, changes=_changes(serialize(was), serialize(is_now), changed))
        return is_now

    def _updating(self, *names: str) -> Update:
        columns = self._table.c
        values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=columns[name].type) for name in names}
        values["updated_at"] = bindparam("now", type_=columns.updated_at.type)
        return update(self._table).where(*self._mine).values(values).returning(*self._columns)


def require_changes(values: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse an update without values; `names` are the fields that it may set."""
    if not values:
        *others, last = names
        message = f"Envie ao menos um campo a mudar: {', '.join(others)} ou {last}."
        raise InvalidInput(*((name, "envie ao menos um dos campos a mudar") for name in names), message=message)


def _changes(was: Mapping[str, Any], is_now: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: {"from": was[name], "to": is_now[name]} for name in names if name in is_now}
