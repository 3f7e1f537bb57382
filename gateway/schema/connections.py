"""Relay connections: lists in pages by cursor. `totalCount` is queried only if it is selected.

customers = list_field(operations.list_customers, CustomerFilter, "Os clientes da loja.")
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, StrEnum
from inspect import Parameter, signature
from typing import Annotated, Any, Generic, Self, TypeVar, get_args

import strawberry
from graphql import FieldNode

from gateway.resolvers.charges.inputs import ChargeFilter, ChargeOrder, ListCharges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.listing.export_tickets import begin_export
from gateway.resolvers.core.listing.exports import Export, ExportFormat
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT
from gateway.resolvers.core.listing.totals import Total
from gateway.resolvers.core.operation import Operation
from gateway.resolvers.core.tickets import DownloadView
from gateway.resolvers.core.views import Page
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_output
from gateway.values.money import Centavos

NodeT = TypeVar("NodeT")
_IMAGE = "qrCodeUrl"
IMAGE_ROW_COST = 10
"""The rows that a charge with its QR code counts as, because drawing it blocks the process."""

First = Annotated[int | None, strawberry.argument(description="Quantos itens, do começo: padrão 50, máximo 100.")]
After = Annotated[str | None, strawberry.argument(description="Só os itens depois deste cursor.")]
Last = Annotated[int | None, strawberry.argument(description="Quantos itens, contados do fim: máximo 100.")]
Before = Annotated[str | None, strawberry.argument(description="Só os itens antes deste cursor.")]
Exact = Annotated[bool, strawberry.argument(description="Contar até o fim.")]
FILTER = strawberry.argument(description="Só os itens que passam por todos estes filtros.")
FORMAT = strawberry.argument(description="Como o arquivo é escrito.")
ORDER = strawberry.argument(description="Ordem dos itens; os que empatam seguem a ordem do id.")


define_output(DownloadView, "Download")
define_enum(
    ExportFormat,
    "Como um arquivo CSV é escrito.",
    csv="Para programas: vírgulas, ponto decimal, horários ISO 8601.",
    excel="Para uma planilha brasileira: ponto e vírgula, vírgula decimal, datas como 31/12/2026 22:30:00.",
)


@strawberry.type(description="O que há antes e depois de uma fatia de lista.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Se há itens depois desta fatia.")
    has_previous_page: bool = strawberry.field(description="Se há itens antes desta fatia.")
    start_cursor: str | None = strawberry.field(description="Cursor do primeiro item.")
    end_cursor: str | None = strawberry.field(description="Cursor do último item.")


@strawberry.type(description="Um item da lista e o seu lugar nela.")
class Edge(Generic[NodeT]):
    encode_cursor: strawberry.Private[Callable[[Any], str]]
    node: NodeT = strawberry.field(description="O item.")

    @strawberry.field(description="Lugar do item na lista, para `after` e `before`; opaco.")
    def cursor(self) -> str:
        return self.encode_cursor(self.node)


@strawberry.type(description="Uma fatia de lista.")
class Slice(Generic[NodeT]):
    page: strawberry.Private[Page[Any]]
    edges: list[Edge[NodeT]] = strawberry.field(description="Os itens da fatia, na ordem pedida.")

    @classmethod
    def of(cls, page: Page[Any]) -> Self:
        assert page.cursor is not None
        return cls(page=page, edges=[Edge(encode_cursor=page.cursor, node=item) for item in page.items])

    @strawberry.field(description="O que há antes e depois da fatia.")
    def page_info(self) -> PageInfo:
        page = self.page
        assert page.cursor is not None
        start, end = (page.cursor(page.items[0]), page.cursor(page.items[-1])) if page.items else (None, None)
        return PageInfo(
            has_next_page=page.has_next, has_previous_page=page.has_previous, start_cursor=start, end_cursor=end
        )


@strawberry.type(description="Uma fatia de lista.")
class Connection(Slice[NodeT]):
    @strawberry.field(
        description="Quantos itens a lista tem ao todo, com estes filtros. O que só contando se sabe é contado até um "
        "limite, e `totalCapped` diz se há mais; com `exact`, até o fim, por mais que demore."
    )
    async def total_count(self, info: Info, exact: Exact = False) -> int:
        return (await self._count(info, exactly=exact)).rows

    @strawberry.field(description="Se `totalCount`, sem `exact`, é o mínimo: há mais itens do que os contados.")
    async def total_capped(self, info: Info) -> bool:
        return (await self._count(info, exactly=False)).capped

    async def _count(self, info: Info, *, exactly: bool) -> Total:
        assert self.page.count is not None
        async with info.context.list_slots:
            return await self.page.count(exactly=exactly)


@strawberry.type(description="Uma fatia de uma lista de cobranças.")
class ChargeConnection(Connection[ChargeView]):
    @strawberry.field(
        description="Soma dos valores de todas as cobranças da lista, com estes filtros, em reais; nulo se `totalCapped`."
    )
    async def total_amount(self, info: Info) -> Centavos | None:
        amount = (await self._count(info, exactly=False)).amount
        return None if amount is None else Centavos(amount)


def list_input(
    info: Info,
    *,
    first: int | None,
    after: str | None,
    last: int | None,
    before: str | None,
    order: StrEnum,
    filter: Any = None,
) -> dict[str, Any]:
    """The raw input of a list. Its rows count against the limit of the request."""
    size = first if first is not None else last
    rows = DEFAULT_LIMIT if size is None else max(0, min(size, MAX_LIMIT))
    spend(info, rows)
    filters: Mapping[str, Any] = filter or {}
    return {**filters, "sort": order.value, "slice": {"first": first, "after": after, "last": last, "before": before}}


def spend(info: Info, rows: int) -> None:
    """Count the rows of a field against the limit of the request."""
    info.context.spend(rows, _nodes(info), weight=IMAGE_ROW_COST if mentions(info, _IMAGE) else 1)


def _nodes(info: Info) -> list[FieldNode]:
    """The nodes of the document that select this list."""
    nodes: list[FieldNode] | None = getattr(info, "field_nodes", None)  # Set on the fast path.
    return nodes or info._raw_info.field_nodes  # noqa: SLF001  # Strawberry's public attribute makes objects of them in each call.


def mentions(info: Info, text: str) -> bool:
    """Whether the document has this text anywhere; finding out where would cost more than it saves."""
    location = info.operation.loc
    return location is not None and text in location.source.body


def field_source(info: Info) -> str:
    """The text of this field in the document; of the whole document if that has fragments."""
    location = info.operation.loc
    whole = location.source.body if location is not None else ""
    if "..." in whole:
        return whole
    return "".join(whole[node.loc.start : node.loc.end] for node in _nodes(info) if node.loc is not None)


def list_field(operation: Operation[Any, Page[Any]], filters: type[Input], description: str, **more: Any) -> Any:
    """The field of a list operation, with the filters and orders of its input. `more` are the types of its further
    arguments, by name.
    """
    sort = operation.input_type.model_fields["sort"]
    (view,) = get_args(operation.result_type)
    kind: Any = ChargeConnection if view is ChargeView else Connection

    async def resolve(
        *,
        info: Info,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Any = None,
        order: Any = sort.default,
        **sent: Any,
    ) -> Any:
        raw = list_input(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        async with info.context.list_slots:
            return kind.of(await operation(info.context.call, raw | sent))

    resolve.__annotations__ |= {
        "filter": Annotated[filters | None, FILTER],
        "order": Annotated[sort.annotation, ORDER],
        "return": kind if view is ChargeView else kind[view],
    }
    declared = signature(resolve)
    arguments = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=each) for name, each in more.items()]
    arguments += [each for name, each in declared.parameters.items() if name != "sent"]
    resolve.__signature__ = declared.replace(parameters=arguments)  # type: ignore[attr-defined]  # Python reads it.
    return strawberry.field(resolver=resolve, description=description)


def columns_argument(operation: Operation[Any, Export], name: str) -> Any:
    """The argument `columns` of an export, with an enum of this name."""
    table = operation.table
    assert table is not None
    columns = Enum(name, [(column, column) for column in table.columns])  # type: ignore[misc]  # Made of data.
    define_enum(columns, "Coluna de um arquivo exportado.", **table.meanings)  # type: ignore[arg-type]  # `by_value` is no column.
    return Annotated[
        list[columns] | None,
        strawberry.argument(description="Só estas colunas, nesta ordem; sem o argumento, todas."),
    ]


def column_names(columns: Sequence[Enum] | None) -> list[str] | None:
    return None if columns is None else [column.value for column in columns]


def export_field(operation: Operation[Any, Export], filters: type[Input], description: str) -> Any:
    """The mutation that returns the address of an export, with the filters and orders of its list."""
    sort = operation.input_type.model_fields["sort"]

    async def resolve(
        info: Info,
        filter: Any = None,
        order: Any = sort.default,
        format: Any = ExportFormat.csv,
        columns: Any = None,
    ) -> Any:
        request = {**(filter or {}), "sort": order.value}
        return await begin_export(info.context.call, operation, request, format, column_names(columns))

    resolve.__annotations__ |= {
        "filter": Annotated[filters | None, FILTER],
        "order": Annotated[sort.annotation, ORDER],
        "format": Annotated[ExportFormat, FORMAT],
        "columns": columns_argument(operation, filters.__name__.replace("Filter", "Column")),
        "return": DownloadView,
    }
    return strawberry.mutation(resolver=resolve, description=f"{description} O endereço vale uma vez, por 60 segundos.")


def charges_field(reference: str, description: str) -> Any:
    """The field with the charges whose column `reference` has the id of its parent."""

    async def resolve(
        parent: strawberry.Parent[Any],
        info: Info,
        first: First = None,
        after: After = None,
        last: Last = None,
        before: Before = None,
        filter: Annotated[ChargeFilter | None, FILTER] = None,
        order: Annotated[ChargeOrder, ORDER] = ChargeOrder.created_at_desc,
    ) -> ChargeConnection:
        raw = list_input(info, first=first, after=after, last=last, before=before, filter=filter, order=order)
        page = await info.context.loaders.charges(reference).load((parent.id, ListCharges.from_raw(raw)))
        return ChargeConnection.of(page)

    return strawberry.field(resolver=resolve, description=description)
