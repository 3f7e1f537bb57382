"""Relay connections: a list in slices by cursor, with `totalCount` asked of the database only when it is selected.

    customers = listed(reading.list_customers, CustomerFilter, description="Os clientes da loja.")

is the field of a list, with its arguments. A list that takes further ones spells its resolver out, with `draft`.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar, get_args

import strawberry
from graphql import FieldNode

from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT
from gateway.resolvers.core.listing.totals import Total
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.views import Page
from gateway.schema.context import Info

NodeT = TypeVar("NodeT")
_IMAGE = "qrCodeUrl"
ROWS_OF_AN_IMAGE = 10
"""What a charge with its QR code counts as: drawing it keeps the process from everything else."""

First = Annotated[int | None, strawberry.argument(description="Quantos itens, do começo: padrão 50, máximo 100.")]
After = Annotated[str | None, strawberry.argument(description="Só os itens depois deste cursor.")]
Last = Annotated[int | None, strawberry.argument(description="Quantos itens, contados do fim: máximo 100.")]
Before = Annotated[str | None, strawberry.argument(description="Só os itens antes deste cursor.")]
Exact = Annotated[bool, strawberry.argument(description="Contar até o fim.")]
FILTER = strawberry.argument(description="Só os itens que passam por todos estes filtros.")
ORDER = strawberry.argument(description="Ordem dos itens; os que empatam seguem a ordem do id.")


@strawberry.type(description="O que há antes e depois de uma fatia de lista.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Se há itens depois desta fatia.")
    has_previous_page: bool = strawberry.field(description="Se há itens antes desta fatia.")
    start_cursor: str | None = strawberry.field(description="Cursor do primeiro item.")
    end_cursor: str | None = strawberry.field(description="Cursor do último item.")


@strawberry.type(description="Um item da lista e o seu lugar nela.")
class Edge(Generic[NodeT]):
    place: strawberry.Private[Callable[[Any], str]]
    node: NodeT = strawberry.field(description="O item.")

    @strawberry.field(description="Lugar do item na lista, para `after` e `before`; opaco.")
    def cursor(self) -> str:
        return self.place(self.node)


@strawberry.type(description="Uma fatia de lista.")
class Connection(Generic[NodeT]):
    page: strawberry.Private[Page[Any]]
    edges: list[Edge[NodeT]] = strawberry.field(description="Os itens da fatia, na ordem pedida.")

    @strawberry.field(description="O que há antes e depois da fatia.")
    def page_info(self) -> PageInfo:
        page = self.page
        assert page.cursor is not None
        start, end = (page.cursor(page.items[0]), page.cursor(page.items[-1])) if page.items else (None, None)
        return PageInfo(
            has_next_page=page.has_next, has_previous_page=page.has_previous, start_cursor=start, end_cursor=end
        )

    @strawberry.field(
        description="Quantos itens a lista tem ao todo, com estes filtros. O que só contando se sabe é contado até um "
        "limite, e `totalCapped` diz se há mais; com `exact`, até o fim, por mais que demore."
    )
    async def total_count(self, info: Info, exact: Exact = False) -> int:
        return (await self._counted(info, exactly=exact)).rows

    @strawberry.field(description="Se `totalCount`, sem `exact`, é o mínimo: há mais itens do que os contados.")
    async def total_capped(self, info: Info) -> bool:
        return (await self._counted(info, exactly=False)).capped

    async def _counted(self, info: Info, *, exactly: bool) -> Total:
        assert self.page.count is not None
        async with info.context.turns:
            return await self.page.count(exactly=exactly)


def connection(page: Page[Any]) -> Connection[Any]:
    """The connection that shows a slice."""
    assert page.cursor is not None
    return Connection(page=page, edges=[Edge(place=page.cursor, node=item) for item in page.items])


def draft(
    info: Info,
    *,
    first: int | None,
    after: str | None,
    last: int | None,
    before: str | None,
    order: StrEnum,
    filter: Any = None,
) -> dict[str, Any]:
    """The draft of a list's input. Rows asked for count against what one request may ask for."""
    size = first if first is not None else last
    rows = DEFAULT_LIMIT if size is None else max(0, min(size, MAX_LIMIT))
    info.context.spend(rows, _nodes(info), weight=ROWS_OF_AN_IMAGE if _mentions_images(info) else 1)
    sent: Mapping[str, Any] = filter or {}
    return {**sent, "sort": order.value, "slice": {"first": first, "after": after, "last": last, "before": before}}


def _nodes(info: Info) -> list[FieldNode]:
    """The places of the document that ask for this list."""
    straight: list[FieldNode] | None = getattr(info, "field_nodes", None)  # Where there is no executor.
    return straight or info._raw_info.field_nodes  # noqa: SLF001  # Strawberry offers them as objects that it makes for each call.


def _mentions_images(info: Info) -> bool:
    """Whether an image is asked for anywhere in the document: finding out where would cost more than it saves."""
    place = info.operation.loc
    return place is not None and _IMAGE in place.source.body


def listed(operation: Operation[Any, Page[Any]], filters: type[Input], *, description: str) -> Any:
    """The field of a list: what the operation lists, in slices, filtered and ordered as its input says."""
    sort = operation.input_type.model_fields["sort"]
    (view,) = get_args(operation.result_type)

    async def resolve(
        info: Info,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Any = None,
        order: Any = sort.default,
    ) -> Any:
        asked = draft(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        async with info.context.turns:
            return connection(await operation(info.context.call, asked))

    # Written here and not above, because they differ from list to list.
    resolve.__annotations__ |= {
        "filter": Annotated[filters | None, FILTER],
        "order": Annotated[sort.annotation, ORDER],
        "return": Connection[view],  # type: ignore[valid-type]  # Known at run time only.
    }
    return strawberry.field(resolver=resolve, description=description)
