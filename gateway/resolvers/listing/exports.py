"""Exporting a list whole: every row that its filters find, read through a server-side cursor at constant memory."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from msgspec import Struct

from gateway.resolvers.context import Context
from gateway.resolvers.listing.inputs import ListInput
from gateway.resolvers.listing.statements import Listing
from gateway.resolvers.listing.windows import scope_of
from gateway.resolvers.views import View, money_fields


class Export(Struct, frozen=True):
    """A table to be written row by row. `rows` holds a connection from its first row until it is closed."""

    name: str
    """What the file is called, without its ending."""
    columns: tuple[str, ...]
    money: frozenset[str]
    """The columns that hold centavos."""
    rows: AsyncGenerator[Mapping[str, Any], None]


def export_of(
    ctx: Context, listing: Listing, asked: ListInput, view: type[View], name: str, columns: tuple[str, ...]
) -> Export:
    """All rows that the filters find, in the order asked for; the window is not looked at."""
    filters = listing.asked(asked)
    statement = listing.export(filters, asked.sort, columns)
    rows = ctx.database.stream(statement, **filters.values | scope_of(ctx))
    return Export(f"{name}-{ctx.clock.now():%Y-%m-%d}", columns, frozenset(money_fields(view)) & {*columns}, rows)
