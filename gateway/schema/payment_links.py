"""Payment links over GraphQL."""

import strawberry

from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.coupons.types import CouponView
from gateway.resolvers.payment_links import operations
from gateway.resolvers.payment_links.types import (
    CreatePaymentLink,
    PaymentLinkFilter,
    PaymentLinkOrder,
    PaymentLinkStatus,
    PaymentLinkView,
    UnpayableReason,
    UpdatePaymentLink,
)
from gateway.resolvers.products.types import ProductView
from gateway.schema import drafts
from gateway.schema.connections import listed
from gateway.schema.context import Info


async def _product(link: strawberry.Parent[PaymentLinkView], info: Info) -> ProductView | None:
    return await info.context.loaders.products.load(link.product_id) if link.product_id else None


async def _coupon(link: strawberry.Parent[PaymentLinkView], info: Info) -> CouponView | None:
    return await info.context.loaders.coupons.load(link.coupon_id) if link.coupon_id else None


drafts.enum(PaymentLinkOrder, "Ordem de uma lista de links de pagamento.")
drafts.enum(
    PaymentLinkStatus,
    "Se um link aceita pagamentos.",
    active="Aceita pagamentos.",
    inactive="Está desativado.",
)
drafts.enum(
    UnpayableReason,
    "O que no produto impede o pagamento de um link.",
    product_below_minimum="Custa menos que R$ 5,00.",
    product_inactive="Está desativado.",
)
drafts.output(
    PaymentLinkView,
    "PaymentLink",
    product=strawberry.field(resolver=_product, description="O produto vendido."),
    coupon=strawberry.field(resolver=_coupon, description="O cupom aplicado a quem não traz outro."),
)
drafts.input(PaymentLinkFilter, "PaymentLinkFilter")
drafts.input(CreatePaymentLink, "CreatePaymentLinkInput")
drafts.input(UpdatePaymentLink, "UpdatePaymentLinkInput")


@strawberry.type
class PaymentLinksQuery:
    @strawberry.field(description="Um link de pagamento.")
    async def payment_link(self, info: Info, id: strawberry.ID) -> PaymentLinkView:
        return await operations.read_payment_link(info.context.call, {"id": id})

    payment_links = listed(
        operations.list_payment_links, PaymentLinkFilter, description="Os links de pagamento da loja."
    )


@strawberry.type
class PaymentLinksMutation:
    @strawberry.mutation(description="Cria um link de pagamento no ambiente da credencial.")
    async def create_payment_link(self, info: Info, input: CreatePaymentLink) -> PaymentLinkView:
        return await operations.create_payment_link(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um link de pagamento.")
    async def update_payment_link(self, info: Info, input: UpdatePaymentLink) -> PaymentLinkView:
        return await operations.update_payment_link(info.context.call, input)

    @strawberry.mutation(description="Exclui um link de pagamento e desvincula as cobranças dele.")
    async def delete_payment_link(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.delete_payment_link(info.context.call, {"id": id})
