"""What GraphQL resolvers find in `info.context`: the call's context, and the loaders of this one request."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import strawberry
from graphql import FieldNode

from gateway.errors import InvalidInput
from gateway.models.patience import PatientDatabase
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.pages import MAX_ROWS
from gateway.schema.loaders import Loaders

MAX_LIST_COST = 50_000
"""What all rows of all lists of one request may cost: graphql-core takes three microseconds for a plain field."""


@dataclass(slots=True)
class GraphQLContext:
    """Made anew for each request."""

    call: Context
    loaders: Loaders = field(init=False)
    turns: asyncio.Semaphore = field(init=False)
    """For what reads or counts a list: one request's fields run at the same time, and may not take all connections."""
    costs: Mapping[int, int] = field(default_factory=dict)
    """Of what each field of the document selects, by the id of its node."""
    ends: float = inf
    """When no further mutation is begun, on the monotonic clock."""
    rows_asked: int = 0
    cost_asked: int = 0

    def __post_init__(self) -> None:
        self.loaders = Loaders(self.call)
        self.turns = asyncio.Semaphore(self.call.database.share)

    @classmethod
    def patient(cls, call: Context, costs: Mapping[int, int]) -> "GraphQLContext":
        """For several fields that run at the same time: one that fails cancels the others, but not their statements."""
        return cls(call.using(PatientDatabase(call.database)), costs)

    async def end(self) -> None:
        """Wait for statements that nobody waits for any more."""
        if isinstance(self.call.database, PatientDatabase):
            await self.call.database.finished()

    def spend(self, rows: int, asked: list[FieldNode], *, weight: int = 1) -> None:
        """Count the rows that a list may bring, and their fields: nesting and aliases multiply, and one request must
        stay one request. `weight`: how many rows each of them counts as.
        """
        self.rows_asked += rows * weight
        self.cost_asked += rows * sum(self.costs.get(id(node), 1) for node in asked)
        if self.rows_asked > MAX_ROWS:
            raise InvalidInput(
                message=f"As listas desta requisição somam mais de {MAX_ROWS} itens, que com qrCodeUrl contam dez vezes: "
                "peça menos de cada vez."
            )
        if self.cost_asked > MAX_LIST_COST:
            raise InvalidInput(
                message="As listas desta requisição têm campos demais para tantos itens: peça menos de cada vez."
            )


Info: TypeAlias = strawberry.Info[GraphQLContext, None]
