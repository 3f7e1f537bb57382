"""Exporting a list whole: every row that its filters find, read through a server-side cursor at constant memory."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from enum import StrEnum
from typing import Any, Self
from zoneinfo import ZoneInfo

from msgspec import Struct

from gateway.errors import InvalidInput
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.listing.definition import Listing
from gateway.resolvers.core.listing.inputs import ListInput
from gateway.resolvers.core.listing.pages import queries_of, scope_of
from gateway.resolvers.core.views import View, money_fields
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import day_of, read_zone

Rows = AsyncGenerator[Mapping[str, Any], None]


class ExportFormat(StrEnum):
    """How an export is written."""

    csv = "csv"
    """For programs: commas, points in numbers, ISO 8601 with the offset."""
    excel = "excel"
    """For a Brazilian Excel: a byte order mark, semicolons, decimal commas, dates as it reads them."""


class ExportTable(Struct, frozen=True):
    """What an export can write. `name` is the file name, without day and extension; `money` the columns in centavos;
    `meanings` say in Portuguese what each column is.
    """

    name: str
    columns: tuple[str, ...]
    money: frozenset[str]
    meanings: Mapping[str, str]

    @classmethod
    def of(cls, name: str, view: type[View], columns: tuple[str, ...] = ()) -> Self:
        """These columns of a view, by default all."""
        columns = columns or tuple(view.model_fields)
        meanings = {column: view.model_fields[column].description or "" for column in columns}
        return cls(name, columns, frozenset(money_fields(view)) & {*columns}, meanings)

    def choose(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        """The requested columns in their order, each once; None for all. Raises `InvalidInput`."""
        if columns is None:
            return self.columns
        if not columns:
            raise InvalidInput(("columns", "escolha ao menos uma coluna"))
        if not {*columns} <= {*self.columns}:
            raise InvalidInput(("columns", f"use uma ou mais destas colunas: {', '.join(self.columns)}"))
        return tuple(dict.fromkeys(columns))


class Export(Struct, frozen=True):
    """A table that is written row by row. `rows` uses a connection from its first row until it is closed."""

    name: str
    """The file name, without its extension."""
    columns: tuple[str, ...]
    money: frozenset[str]
    """The columns in centavos."""
    rows: Rows
    zone: ZoneInfo = SAO_PAULO
    """The zone in which times are written."""


async def export_of(
    ctx: Context,
    listing: Listing,
    request: ListInput,
    table: ExportTable,
    action: str,
    *,
    resource_id: str | None = None,
    show: Callable[[dict[str, Any]], View] | None = None,
    **bound: Any,
) -> Export:
    """Record the export: all rows that match the filters, in the requested order. The window is ignored.

    `resource_id`: the record that the rows belong to. `show` builds the view of a row with fields that aren't stored.
    `bound` are further values of the scope.
    """
    await record(ctx, ctx.database, action, resource_id)
    (shape, values), zone = listing.applied(request), export_zone(request)
    order = listing.order(request.sort)
    statement = queries_of(listing).export(shape, order, table.columns if show is None else listing.names)
    rows = ctx.database.stream(statement, **values | bound | scope_of(ctx))
    name = f"{table.name}-{day_of(ctx.clock.now(), zone)}"
    return Export(name, table.columns, table.money, rows if show is None else _shown(rows, show), zone)


def export_zone(request: Input) -> ZoneInfo:
    """The zone in which an export writes times: the requested one, or São Paulo's."""
    return read_zone(getattr(request, "tz", None) or SAO_PAULO.key)


async def _shown(rows: Rows, show: Callable[[dict[str, Any]], View]) -> Rows:
    async with aclosing(rows):
        async for row in rows:
            yield vars(show(dict(row)))
