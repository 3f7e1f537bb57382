"""A schema with every kind of field for the differential tests, over objects with any values."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Annotated, Any

import strawberry
from pydantic import BaseModel
from strawberry.scalars import JSON

from gateway.schema.strawberry_types import CONFIG, define_input
from gateway.values.money import Centavos


class SampleObject:
    """An object with the given attributes; missing ones raise AttributeError."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        return "SampleObject()"


@strawberry.enum
class Colour(enum.Enum):
    red = "red"
    green = "green"


@strawberry.interface
class Named:
    name: str


@strawberry.type
class Tree(Named):
    height: int | None

    @classmethod
    def is_type_of(cls, value: Any, _info: Any) -> bool:
        return getattr(value, "kind", None) == "tree"


@strawberry.type
class Shrub(Named):
    width: float | None

    @classmethod
    def is_type_of(cls, value: Any, _info: Any) -> bool:
        return getattr(value, "kind", None) == "shrub"


Growth = Annotated[Tree | Shrub, strawberry.union("Growth")]


@strawberry.type
class Plot:
    """Attributes of every kind, and fields with resolvers between them."""

    id: strawberry.ID
    title: str | None
    label: str
    count: int
    size: int | None
    ratio: float
    share: float | None
    open: bool
    shut: bool | None
    price: Centavos
    discount: Centavos | None
    made: datetime
    gone: datetime | None
    colour: Colour
    tint: Colour | None
    extra: JSON | None
    words: list[str]
    notes: list[str | None] | None
    grid: list[list[int]] | None
    neighbour: Plot | None
    centre: Plot
    plots: list[Plot]
    spares: list[Plot | None] | None
    growth: Growth | None
    growths: list[Growth]
    named: Named | None

    @strawberry.field
    def doubled(self, times: int = 2) -> int:
        return self.count * times

    @strawberry.field
    async def later(self) -> str | None:
        return self.title

    @strawberry.field
    async def sure(self) -> str:
        return self.label

    @strawberry.field
    async def adjacent(self) -> Plot | None:
        return self.neighbour


class Order(BaseModel):
    """Raw input, as all inputs of the product are."""

    plot_name: str | None = None
    count: int
    rows: int = 2
    price: Centavos | None = None
    due: datetime | None = None
    labels: list[str] | None = None
    colour: Colour | None = None
    metadata: dict[str, str] | None = None


define_input(Order, "Order")


@strawberry.input
class Place:
    """An input that Strawberry creates, with defaults."""

    row: int
    column: int = 3
    name: str | None = "here"
    sun: Colour = Colour.red
    within: Place | None = None


@strawberry.input
class Spot:
    row: int
    column: int = 3
    sun: Colour = Colour.red
    order: Order | None = None


def _record(info: strawberry.Info, *arguments: Any) -> Any:
    """Record a resolver's arguments, and return or raise as the test requires."""
    info.context["seen"].append(repr(arguments))
    if info.context["read_info"]:
        fields = info.field_name, info.path.as_list(), info.variable_values, info.python_name, info.return_type
        info.context["seen"].append(repr((fields, info.root_value, info.query, info.selected_fields)))
    if info.context["raises"]:
        raise ValueError("raised")
    return info.context["plot"]


class _Refuse(strawberry.BasePermission):
    message = "not here"

    def has_permission(self, *_args: Any, **_kwargs: Any) -> bool:
        return False


@strawberry.type
class RootFields:
    """Root fields with arguments of every kind."""

    @strawberry.field
    def find(
        self,
        info: strawberry.Info,
        key: strawberry.ID | None = None,
        title: str | None = "x",
        count: int = 7,
        ratio: float | None = None,
        shut: bool | None = strawberry.UNSET,
        colour: Colour = Colour.green,
        extra: JSON | None = None,
        price: Centavos | None = None,
    ) -> Plot | None:
        return _record(info, key, title, count, ratio, shut, colour, extra, price)  # type: ignore[no-any-return]  # Any value of the test.

    @strawberry.field
    async def sure_find(
        self,
        info: strawberry.Info,
        key: strawberry.ID,
        made: datetime,
        tint: Annotated[Colour | None, strawberry.argument(name="shade")],
    ) -> Plot:
        return _record(info, key, made, tint)  # type: ignore[no-any-return]  # As above.

    @strawberry.field
    async def order(self, info: strawberry.Info, order: Order) -> Plot | None:
        return _record(info, order)  # type: ignore[no-any-return]  # As above.

    @strawberry.field
    async def orders(
        self, info: strawberry.Info, inputs: list[Order] | None = None, first: Order | None = None
    ) -> list[Plot]:
        plot = _record(info, inputs, first)
        return [plot, plot]

    @strawberry.field
    def place(
        self, info: strawberry.Info, spot: Spot, place: Place | None = None, words: list[str | None] | None = None
    ) -> list[Plot | None] | None:
        return [_record(info, spot, place, words), None]

    @strawberry.field
    def maybe(
        self, info: strawberry.Info, title: strawberry.Maybe[str | None], spot: strawberry.Maybe[Spot]
    ) -> Plot | None:
        return _record(info, title, spot)  # type: ignore[no-any-return]  # As above.

    @strawberry.field(permission_classes=[_Refuse])
    def refused(self, info: strawberry.Info, count: int) -> Plot | None:
        return _record(info, count)  # type: ignore[no-any-return]  # As above.

    @strawberry.field
    async def sum(self, info: strawberry.Info, count: int, more: int | None = None) -> int:
        return getattr(_record(info, count, more), "count", 0) + count + (more or 0)

    @strawberry.field
    def shade(self, info: strawberry.Info, colour: Colour) -> Colour | None:
        return colour if _record(info, colour) else None


@strawberry.type
class Query(RootFields):
    @strawberry.field
    def plot(self, info: strawberry.Info) -> Plot | None:
        return info.context["plot"]  # type: ignore[no-any-return]  # Any value of the test.

    @strawberry.field
    async def sure_plot(self, info: strawberry.Info) -> Plot:
        return info.context["plot"]  # type: ignore[no-any-return]  # As above.

    @strawberry.field
    def plots(self, info: strawberry.Info) -> list[Plot]:
        return [info.context["plot"], info.context["plot"]]


@strawberry.type
class Mutation(RootFields):
    pass


SCHEMA = strawberry.Schema(Query, Mutation, types=[Tree, Shrub], config=CONFIG)
