"""The public checkout over GraphQL: no credential needed."""

from typing import Annotated

import strawberry

from gateway.resolvers.checkout import links, place_order, public_charge
from gateway.resolvers.checkout.types import PayLink, PublicChargeView, PublicLinkView, PublicProduct, PublicStore
from gateway.resolvers.coupons.types import CouponQuote
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_input, define_output

define_output(PublicStore, "CheckoutStore")
define_output(PublicProduct, "CheckoutProduct")
define_output(PublicLinkView, "CheckoutLink")
define_output(PublicChargeView, "CheckoutCharge")
define_input(PayLink, "PayLinkInput")

Slug = Annotated[str, strawberry.argument(description="A parte final do endereço do link.")]
Code = Annotated[str, strawberry.argument(description="O código do cupom.")]
Txid = Annotated[str, strawberry.argument(description="O txid da cobrança.")]


@strawberry.type
class CheckoutQuery:
    @strawberry.field(description="Um link de pagamento, como o pagador o vê. Sem credencial.")
    async def checkout_link(self, info: Info, slug: Slug) -> PublicLinkView:
        return await links.read_link(info.context.call, {"slug": slug})

    @strawberry.field(description="O que um cupom faz com o valor de um link, sem usá-lo. Sem credencial.")
    async def checkout_coupon(self, info: Info, slug: Slug, code: Code) -> CouponQuote:
        return await links.validate_link_coupon(info.context.call, {"slug": slug, "code": code})

    @strawberry.field(description="Uma cobrança, como o pagador a vê. Sem credencial.")
    async def checkout_charge(self, info: Info, txid: Txid) -> PublicChargeView:
        return await public_charge.read_public_charge(info.context.call, {"txid": txid})


@strawberry.type
class CheckoutMutation:
    @strawberry.mutation(description="Gera a cobrança de um link de pagamento. Sem credencial.")
    async def pay_link(self, info: Info, input: PayLink) -> PublicChargeView:
        return await place_order.pay_link(info.context.call, input)

    @strawberry.mutation(description="Paga uma cobrança de teste, como faria o banco do pagador. Sem credencial.")
    async def simulate_checkout_payment(self, info: Info, txid: Txid) -> PublicChargeView:
        return await public_charge.simulate_public_payment(info.context.call, {"txid": txid})
