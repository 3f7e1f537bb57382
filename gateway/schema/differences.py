"""Differences with the engines over GraphQL, for the service's staff."""

from typing import Annotated

import strawberry

from gateway.models.reconciliation import DifferenceKind, Resolution
from gateway.resolvers.staff import differences
from gateway.resolvers.staff.types import DifferenceFilter, DifferenceStatus, DifferenceView
from gateway.schema import drafts
from gateway.schema.connections import listed
from gateway.schema.context import Info

drafts.enum(
    DifferenceKind,
    "O que difere entre o gateway e um provedor de pagamentos.",
    amount="Foi pago outro valor.",
    status="Aqui consta paga ou devolvida, lá não.",
    missing="O provedor não tem a cobrança.",
    payable="Aqui venceu ou foi cancelada, lá ainda pode ser paga.",
    mistaken="O provedor tem outra cobrança com este identificador.",
    partial_refund="Uma parte foi devolvida.",
    chargeback="O pagamento foi contestado.",
    unclaimed="Foi pago um pedido que falhou aqui e não tem cobrança.",
)
drafts.enum(
    Resolution,
    "Como uma diferença foi encerrada.",
    mended="Já não difere.",
    staff="A equipe do serviço resolveu.",
)
drafts.enum(
    DifferenceStatus,
    "Se uma diferença ainda espera alguém.",
    open="Espera alguém.",
    resolved="Foi encerrada.",
)
drafts.output(DifferenceView, "Difference")
drafts.input(DifferenceFilter, "DifferenceFilter")

Note = Annotated[str, strawberry.argument(description="O que foi feito; fica na auditoria da loja.")]


@strawberry.type
class DifferencesQuery:
    differences = listed(
        differences.list_differences,
        DifferenceFilter,
        description="O que difere entre o gateway e os provedores, para a equipe do serviço.",
    )

    @strawberry.field(description="Uma diferença, para a equipe do serviço.")
    async def difference(self, info: Info, id: strawberry.ID) -> DifferenceView:
        return await differences.read_difference(info.context.call, {"id": id})


@strawberry.type
class DifferencesMutation:
    @strawberry.mutation(description="Encerra uma diferença de que a equipe já cuidou.")
    async def resolve_difference(self, info: Info, id: strawberry.ID, nota: Note) -> DifferenceView:
        return await differences.resolve_difference(info.context.call, {"id": id, "nota": nota})
