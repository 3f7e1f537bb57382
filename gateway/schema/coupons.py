"""Coupons over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.coupons import DiscountType
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.coupons import operations
from gateway.resolvers.coupons.types import (
    CouponFilter,
    CouponOrder,
    CouponQuote,
    CouponStatus,
    CouponView,
    CreateCoupon,
    UpdateCoupon,
)
from gateway.schema import drafts
from gateway.schema.connections import listed
from gateway.schema.context import Info
from gateway.values.money import Centavos

drafts.enum(CouponOrder, "Ordem de uma lista de cupons.")
drafts.enum(
    CouponStatus,
    "Se um cupom pode ser usado.",
    active="Pode ser usado.",
    inactive="Está desativado.",
)
drafts.enum(
    DiscountType,
    "Como ler o desconto de um cupom: `percentage` por cento, `fixed` em reais.",
    percentage="Uma porcentagem do preço.",
    fixed="Um valor em reais.",
)
drafts.output(CouponQuote, "CouponQuote")
drafts.output(CouponView, "Coupon")
drafts.input(CouponFilter, "CouponFilter")
drafts.input(CreateCoupon, "CreateCouponInput")
drafts.input(UpdateCoupon, "UpdateCouponInput")


@strawberry.type
class CouponsQuery:
    @strawberry.field(description="Um cupom.")
    async def coupon(self, info: Info, id: strawberry.ID) -> CouponView:
        return await operations.read_coupon(info.context.call, {"id": id})

    coupons = listed(operations.list_coupons, CouponFilter, description="Os cupons da loja.")

    @strawberry.field(description="O que um cupom faz com um valor ou com o preço de um produto, sem usá-lo.")
    async def validate_coupon(
        self,
        info: Info,
        code: Annotated[str, strawberry.argument(description="O código do cupom.")],
        amount: Annotated[Centavos | None, strawberry.argument(description="Valor da compra, em reais.")] = None,
        product_id: Annotated[
            strawberry.ID | None, strawberry.argument(description="Produto comprado; sem `amount`, vale o preço dele.")
        ] = None,
    ) -> CouponQuote:
        return await operations.validate_coupon(
            info.context.call, {"code": code, "amount": amount, "product_id": product_id}
        )


@strawberry.type
class CouponsMutation:
    @strawberry.mutation(description="Cria um cupom.")
    async def create_coupon(self, info: Info, input: CreateCoupon) -> CouponView:
        return await operations.create_coupon(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um cupom.")
    async def update_coupon(self, info: Info, input: UpdateCoupon) -> CouponView:
        return await operations.update_coupon(info.context.call, input)

    @strawberry.mutation(description="Exclui um cupom e desvincula as cobranças e os links dele.")
    async def delete_coupon(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.delete_coupon(info.context.call, {"id": id})
