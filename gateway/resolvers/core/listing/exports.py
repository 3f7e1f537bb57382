"""Exporting a list whole: every row that its filters find, read through a server-side cursor at constant memory."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

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


def export_of(
    ctx: Context,
    listing: Listing,
    request: ListInput,
    view: type[View],
    name: str,
    columns: tuple[str, ...] = (),
    *,
    show: Callable[[dict[str, Any]], View] | None = None,
    **bound: Any,
) -> Export:
    """All rows that match the filters, in the requested order; the window is ignored.

    `columns` are those of the view by default. `show` builds the view of a row with fields that aren't stored. `bound`
    are further values of the scope.
    """
    (shape, values), zone = listing.applied(request), export_zone(request)
    columns = columns or tuple(view.model_fields)
    order = listing.order(request.sort)
    statement = queries_of(listing).export(shape, order, columns if show is None else listing.names)
    rows = ctx.database.stream(statement, **values | bound | scope_of(ctx))
    money = frozenset(money_fields(view)) & {*columns}
    name = f"{name}-{day_of(ctx.clock.now(), zone)}"
    return Export(name, columns, money, rows if show is None else _shown(rows, show), zone)


def export_zone(request: Input) -> ZoneInfo:
    """The zone in which an export writes times: the requested one, or São Paulo's."""
    return read_zone(getattr(request, "tz", None) or SAO_PAULO.key)


async def _shown(rows: Rows, show: Callable[[dict[str, Any]], View]) -> Rows:
    async with aclosing(rows):
        async for row in rows:
            yield vars(show(dict(row)))
