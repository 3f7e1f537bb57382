"""The public checkout over GraphQL: no credential needed."""

from typing import Annotated

import strawberry

from gateway.resolvers.checkout import links, place_order, public_charge
from gateway.resolvers.checkout.types import PayLink, PublicChargeView, PublicLinkView, PublicProduct, PublicStore
from gateway.schema.fields import mutation_field, query_field
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
    checkout_link = query_field(
        links.read_link, "Um link de pagamento, como o pagador o vê. Sem credencial.", slug=Slug
    )
    checkout_coupon = query_field(
        links.validate_link_coupon,
        "O que um cupom faz com o valor de um link, sem usá-lo. Sem credencial.",
        slug=Slug,
        code=Code,
    )
    checkout_charge = query_field(
        public_charge.read_public_charge, "Uma cobrança, como o pagador a vê. Sem credencial.", txid=Txid
    )


@strawberry.type
class CheckoutMutation:
    pay_link = mutation_field(
        place_order.pay_link, "Gera a cobrança de um link de pagamento. Sem credencial.", input=PayLink
    )
    simulate_checkout_payment = mutation_field(
        public_charge.simulate_public_payment,
        "Paga uma cobrança de teste, como faria o banco do pagador. Sem credencial.",
        txid=Txid,
    )
