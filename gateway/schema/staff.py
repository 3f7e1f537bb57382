"""Merchant review and differences with the engines over GraphQL, for staff."""

from typing import Annotated

import strawberry

from gateway.models.reconciliation import DiscrepancyKind, Resolution
from gateway.resolvers.core.tickets import DownloadView
from gateway.resolvers.staff import differences, merchants, reviews
from gateway.resolvers.staff.types import (
    DifferenceFilter,
    DifferenceStatus,
    DifferenceView,
    MerchantDetailView,
    MerchantFilter,
    MerchantOrder,
    MerchantView,
    ProductionMoveView,
)
from gateway.schema.connections import export_field, list_field
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(MerchantOrder, "Ordem da lista de lojistas.", queue="Primeiro quem espera há mais tempo por uma decisão.")
define_output(ProductionMoveView, "ProductionMove")
define_output(MerchantView, "Merchant")
define_output(MerchantDetailView, "MerchantDetail")
define_input(MerchantFilter, "MerchantFilter")

Reason = Annotated[str, strawberry.argument(description="Por que a loja não foi liberada; ela lê este texto.")]
OptionalReason = Annotated[
    str | None, strawberry.argument(description="Por que a operação foi suspensa; a loja lê este texto.")
]


@strawberry.type
class StaffQuery:
    merchants = list_field(
        merchants.list_merchants,
        MerchantFilter,
        description="Os lojistas, para a equipe do serviço; primeiro quem espera há mais tempo.",
    )

    @strawberry.field(description="Um lojista com documentos e histórico, para a equipe do serviço.")
    async def merchant(self, info: Info, id: strawberry.ID) -> MerchantDetailView:
        return await merchants.read_merchant(info.context.call, {"id": id})


@strawberry.type
class StaffMutation:
    @strawberry.mutation(description="O endereço que baixa um documento de um lojista, uma vez.")
    async def document_download(
        self,
        info: Info,
        merchant_id: Annotated[strawberry.ID, strawberry.argument(description="O lojista.")],
        document_id: Annotated[strawberry.ID, strawberry.argument(description="O documento.")],
    ) -> DownloadView:
        return await merchants.begin_download(info.context.call, {"id": merchant_id, "document_id": document_id})

    @strawberry.mutation(description="Libera para produção uma loja que pediu.")
    async def approve_merchant(self, info: Info, id: strawberry.ID) -> MerchantDetailView:
        return await reviews.approve_merchant(info.context.call, {"id": id})

    @strawberry.mutation(description="Recusa o pedido de uma loja e diz por quê.")
    async def refuse_merchant(self, info: Info, id: strawberry.ID, motivo: Reason) -> MerchantDetailView:
        return await reviews.refuse_merchant(info.context.call, {"id": id, "motivo": motivo})

    @strawberry.mutation(description="Suspende a operação em produção de uma loja liberada.")
    async def suspend_merchant(
        self, info: Info, id: strawberry.ID, motivo: OptionalReason = None
    ) -> MerchantDetailView:
        return await reviews.suspend_merchant(info.context.call, {"id": id, "motivo": motivo})

    @strawberry.mutation(description="Devolve a liberação a uma loja suspensa.")
    async def reactivate_merchant(self, info: Info, id: strawberry.ID) -> MerchantDetailView:
        return await reviews.reactivate_merchant(info.context.call, {"id": id})

    export_merchants = export_field(
        merchants.export_merchants,
        MerchantFilter,
        description="Exporta os lojistas; só a equipe do serviço.",
    )


define_enum(
    DiscrepancyKind,
    "O que difere entre o gateway e um provedor de pagamentos.",
    amount="Foi pago outro valor.",
    status="Aqui consta paga ou devolvida, lá não.",
    missing="O provedor não tem a cobrança.",
    payable="Aqui venceu ou foi cancelada, lá ainda pode ser paga.",
    mistaken="O provedor tem outra cobrança com este identificador.",
    partial_refund="Uma parte foi devolvida.",
    chargeback="O pagamento foi contestado.",
    unclaimed="Foi pago um pedido que falhou aqui e não tem cobrança.",
    unknown_payment="O provedor recebeu um pagamento que não é de nenhuma cobrança daqui.",
)
define_enum(
    Resolution,
    "Como uma diferença foi encerrada.",
    corrected="Já não difere.",
    staff="A equipe do serviço resolveu.",
)
define_enum(
    DifferenceStatus,
    "Se uma diferença ainda espera alguém.",
    open="Espera alguém.",
    resolved="Foi encerrada.",
)
define_output(DifferenceView, "Difference")
define_input(DifferenceFilter, "DifferenceFilter")

Note = Annotated[str, strawberry.argument(description="O que foi feito; fica na auditoria da loja.")]


@strawberry.type
class DifferencesQuery:
    differences = list_field(
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

    export_differences = export_field(
        differences.export_differences,
        DifferenceFilter,
        description="Exporta as diferenças; só a equipe do serviço.",
    )
