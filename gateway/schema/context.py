"""`info.context` of GraphQL resolvers: the call's context, the loaders and the limits of one request.

Each relation of a list is one query, however many rows there are. A loader requires the permission of the operation
that reads the same object.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias, TypeVar

import strawberry
from graphql import FieldNode
from strawberry.dataloader import DataLoader

from gateway.errors import GatewayError, InvalidInput
from gateway.models.cancellation import ShieldedDatabase
from gateway.resolvers.charges.inputs import ListCharges
from gateway.resolvers.charges.listing import charges_per, list_charges
from gateway.resolvers.charges.paid_totals import PaidTotals, paid_totals_per
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.pages import MAX_ROWS
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import Page

MAX_LIST_COST = 50_000
"""The cost of all rows of all lists of one request, in plain fields."""

ViewT = TypeVar("ViewT")
Find: TypeAlias = Callable[[Context, list[str]], Awaitable[Mapping[str, ViewT]]]
"""Reads objects by id, or what belongs to the objects of these ids."""
ChargesKey = tuple[str, ListCharges]
"""The id of a customer or a subscription, and the input of the list of their charges."""


class Loaders:
    """The loaders of one request."""

    def __init__(self, call: Context) -> None:
        self._call = call
        self._loaders: dict[Hashable, DataLoader[Any, Any]] = {}

    def by_id(self, read: Operation[Any, Any], find: Find[ViewT]) -> DataLoader[str, ViewT | None]:
        """What `find` reads, for callers that may `read`. What does not exist is None."""

        async def load(ids: list[str]) -> Sequence[ViewT | None]:
            found = await find(await read.admit(self._call), ids)
            return [found.get(each) for each in ids]

        return self._loader((read, find), load)

    def paid_totals(self, reference: str) -> DataLoader[str, PaidTotals]:
        """The totals of the paid charges whose column `reference` has the id."""

        async def load(ids: list[str]) -> Sequence[PaidTotals]:
            found = await paid_totals_per(await list_charges.admit(self._call), reference, ids)
            return [found[each] for each in ids]

        return self._loader((paid_totals_per, reference), load)

    def charges(self, reference: str) -> DataLoader[ChargesKey, Page[ChargeView]]:
        """Pages of the charges whose column `reference` has the id."""

        async def load(keys: list[ChargesKey]) -> Sequence[Page[ChargeView] | GatewayError]:
            ctx = await list_charges.admit(self._call)
            parents = defaultdict[ListCharges, list[str]](list)
            for parent, selection in keys:
                parents[selection].append(parent)
            found: dict[ChargesKey, Page[ChargeView] | GatewayError] = {}
            for selection, ids in parents.items():
                pages: Sequence[Page[ChargeView] | GatewayError]
                try:
                    pages = await charges_per(ctx, reference, ids, selection)
                except GatewayError as error:
                    pages = [error] * len(ids)
                found.update(((parent, selection), page) for parent, page in zip(ids, pages, strict=True))
            return [found[key] for key in keys]

        return self._loader((charges_per, reference), load)

    def _loader(self, key: Hashable, load: Any) -> DataLoader[Any, Any]:
        if key not in self._loaders:
            self._loaders[key] = DataLoader(load)
        return self._loaders[key]


@dataclass(slots=True)
class GraphQLContext:
    call: Context
    loaders: Loaders = field(init=False)
    list_slots: asyncio.Semaphore = field(init=False)
    """Limits concurrent lists and counts, so that one request can't occupy all connections."""
    costs: Mapping[int, int] = field(default_factory=dict)
    """The cost of each field's selection, by the id of its node."""
    ends: float = inf
    """When no further mutation starts (monotonic clock)."""
    rows: int = 0
    cost: int = 0

    def __post_init__(self) -> None:
        self.loaders = Loaders(self.call)
        self.list_slots = asyncio.Semaphore(self.call.database.share)

    @classmethod
    def shielded(cls, call: Context, costs: Mapping[int, int]) -> "GraphQLContext":
        """For concurrent fields: a failed one cancels the others, but not their SQL statements."""
        return cls(call.using(ShieldedDatabase(call.database)), costs)

    async def end(self) -> None:
        """Wait for statements of cancelled fields."""
        if isinstance(self.call.database, ShieldedDatabase):
            await self.call.database.finished()

    def spend(self, rows: int, nodes: list[FieldNode], *, weight: int = 1) -> None:
        """Count the rows that a list may return, and their fields, against the limits of the request. Each row counts
        as `weight` rows.
        """
        self.rows += rows * weight
        self.cost += rows * sum(self.costs.get(id(node), 1) for node in nodes)
        if self.rows > MAX_ROWS:
            raise InvalidInput(
                message=f"As listas desta requisição somam mais de {MAX_ROWS} itens, que com qrCodeUrl contam dez vezes: "
                "peça menos de cada vez."
            )
        if self.cost > MAX_LIST_COST:
            raise InvalidInput(
                message="As listas desta requisição têm campos demais para tantos itens: peça menos de cada vez."
            )


Info: TypeAlias = strawberry.Info[GraphQLContext, None]
