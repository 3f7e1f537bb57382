"""The review of merchants over GraphQL, for the service's staff. The files themselves are downloaded over REST."""

from typing import Annotated

import strawberry

from gateway.resolvers.staff import merchants, reviews
from gateway.resolvers.staff.types import (
    MerchantDetailView,
    MerchantFilter,
    MerchantOrder,
    MerchantView,
    ProductionMoveView,
)
from gateway.schema import drafts
from gateway.schema.connections import listed
from gateway.schema.context import Info

drafts.enum(MerchantOrder, "Ordem da lista de lojistas.", queue="Primeiro quem espera há mais tempo por uma decisão.")
drafts.output(ProductionMoveView, "ProductionMove")
drafts.output(MerchantView, "Merchant")
drafts.output(MerchantDetailView, "MerchantDetail")
drafts.input(MerchantFilter, "MerchantFilter")

Reason = Annotated[str, strawberry.argument(description="Por que a loja não foi liberada; ela lê este texto.")]
OptionalReason = Annotated[
    str | None, strawberry.argument(description="Por que a operação foi suspensa; a loja lê este texto.")
]


@strawberry.type
class StaffQuery:
    merchants = listed(
        merchants.list_merchants,
        MerchantFilter,
        description="Os lojistas, para a equipe do serviço; primeiro quem espera há mais tempo.",
    )

    @strawberry.field(description="Um lojista com documentos e histórico, para a equipe do serviço.")
    async def merchant(self, info: Info, id: strawberry.ID) -> MerchantDetailView:
        return await merchants.read_merchant(info.context.call, {"id": id})


@strawberry.type
class StaffMutation:
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
