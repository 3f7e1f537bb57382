"""A schema for the differential test: every kind of field that a plan may meet, over objects that hold whatever a test puts there."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from gateway.money import Centavos
from gateway.schema.scalars import CONFIG


class Bed:
    """An object with the attributes that a test gives it; a missing one is an AttributeError."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        return "Bed()"


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
    async def beside(self) -> Plot | None:
        return self.neighbour


@strawberry.type
class Query:
    @strawberry.field
    def plot(self, info: strawberry.Info) -> Plot | None:
        return info.context["plot"]  # type: ignore[no-any-return]  # It holds what the test wants.

    @strawberry.field
    async def sure_plot(self, info: strawberry.Info) -> Plot:
        return info.context["plot"]  # type: ignore[no-any-return]  # As above.

    @strawberry.field
    def plots(self, info: strawberry.Info) -> list[Plot]:
        return [info.context["plot"], info.context["plot"]]


SCHEMA = strawberry.Schema(Query, types=[Tree, Shrub], config=CONFIG)
