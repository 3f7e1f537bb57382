"""Fields that lead from one thing to the charges it has brought about."""

from collections.abc import Callable
from typing import Annotated, Any

import strawberry
from strawberry.dataloader import DataLoader

from gateway.resolvers.charges.list_inputs import ChargeFilter, ChargeOrder, ListCharges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.views import Page
from gateway.schema.connections import FILTER, ORDER, After, Before, Connection, First, Last, connection, draft
from gateway.schema.context import Info
from gateway.schema.loaders import ChargesKey, Loaders


def charges_of(loader: Callable[[Loaders], DataLoader[ChargesKey, Page[ChargeView]]], *, description: str) -> Any:
    """The field with the charges of whatever has it, in slices. All parents of one request are read together, by
    `loader`.
    """

    async def resolve(
        parent: strawberry.Parent[Any],
        info: Info,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Annotated[ChargeFilter | None, FILTER] = None,
        order: Annotated[ChargeOrder, ORDER] = ChargeOrder.created_at_desc,
    ) -> Connection[ChargeView]:
        asked = draft(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        return connection(await loader(info.context.loaders).load((parent.id, ListCharges.from_draft(asked))))

    return strawberry.field(resolver=resolve, description=description)
