"""What GraphQL resolvers find in `info.context`: the call's context, and the loaders of this one request."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

import strawberry

from gateway.errors import InvalidInput
from gateway.models.patience import PatientDatabase
from gateway.resolvers.context import Context
from gateway.resolvers.listing.windows import MOST_ROWS
from gateway.schema.loaders import Loaders


@dataclass(slots=True)
class GraphQLContext:
    """Made anew for each request."""

    call: Context
    loaders: Loaders = field(init=False)
    turns: asyncio.Semaphore = field(init=False)
    """For what reads or counts a list: one request's fields run at the same time, and may not take all connections."""
    rows_asked: int = 0

    def __post_init__(self) -> None:
        self.loaders = Loaders(self.call)
        self.turns = asyncio.Semaphore(self.call.database.share)

    @classmethod
    def patient(cls, call: Context) -> "GraphQLContext":
        """For several fields that run at the same time: one that fails cancels the others, but not their statements."""
        return cls(call.using(PatientDatabase(call.database)))

    async def end(self) -> None:
        """Wait for statements that nobody waits for any more."""
        if isinstance(self.call.database, PatientDatabase):
            await self.call.database.finished()

    def spend(self, rows: int) -> None:
        """Count the rows that a list may bring: nesting and aliases multiply, and one request must stay one request."""
        self.rows_asked += rows
        if self.rows_asked > MOST_ROWS:
            raise InvalidInput(
                message=f"As listas desta requisição somam mais de {MOST_ROWS} itens, que com qrCodeUrl contam dez vezes: "
                "peça menos de cada vez."
            )


Info: TypeAlias = strawberry.Info[GraphQLContext, None]
