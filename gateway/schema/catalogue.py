"""Products, coupons and payment links over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.coupons import DiscountType
from gateway.resolvers.coupons import operations as coupons
from gateway.resolvers.coupons.operations import coupons_by_id, read_coupon, validate_coupon
from gateway.resolvers.coupons.types import (
    CouponFilter,
    CouponOrder,
    CouponQuote,
    CouponStatus,
    CouponView,
    CreateCoupon,
    UpdateCoupon,
)
from gateway.resolvers.payment_links import operations as payment_links
from gateway.resolvers.payment_links.types import (
    CreatePaymentLink,
    PaymentLinkFilter,
    PaymentLinkOrder,
    PaymentLinkStatus,
    PaymentLinkView,
    UnpayableReason,
    UpdatePaymentLink,
)
from gateway.resolvers.products import operations as products
from gateway.resolvers.products.operations import ROWS as PRODUCTS
from gateway.resolvers.products.operations import read_product
from gateway.resolvers.products.types import (
    CreateProduct,
    ProductFilter,
    ProductOrder,
    ProductStatus,
    ProductView,
    UpdateProduct,
)
from gateway.schema.connections import export_field, list_field
from gateway.schema.context import Info
from gateway.schema.fields import mutation_field, paid_fields, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_inputs, define_output
from gateway.values.money import Centavos

define_enum(ProductOrder, "Ordem de uma lista de produtos.")
define_enum(
    ProductStatus,
    "Se um produto pode ser vendido.",
    active="Pode ser vendido.",
    inactive="Está desativado.",
)
define_output(ProductView, "Product", **paid_fields("product_id"))
define_inputs(ProductFilter, CreateProduct, UpdateProduct)


@strawberry.type
class ProductsQuery:
    product = query_field(products.read_product, "Um produto.", id=strawberry.ID)
    products = list_field(products.list_products, ProductFilter, "Os produtos da loja.")


@strawberry.type
class ProductsMutation:
    create_product = mutation_field(products.create_product, "Cria um produto.", input=CreateProduct)
    update_product = mutation_field(
        products.update_product, "Altera os campos enviados de um produto.", input=UpdateProduct
    )
    delete_product = mutation_field(
        products.delete_product, "Exclui um produto; os links dele seguem com o próprio valor.", id=strawberry.ID
    )
    export_products = export_field(products.export_products, ProductFilter, "Exporta os produtos da loja.")


async def _discounted_amount(coupon: strawberry.Parent[CouponView], info: Info) -> Centavos:
    return Centavos((await info.context.loaders.paid_totals("coupon_id").load(coupon.id)).discount)


define_enum(CouponOrder, "Ordem de uma lista de cupons.")
define_enum(
    CouponStatus,
    "Se um cupom pode ser usado.",
    active="Pode ser usado.",
    inactive="Está desativado.",
)
define_enum(
    DiscountType,
    "Como ler o desconto de um cupom: `percentage` por cento, `fixed` em reais.",
    percentage="Uma porcentagem do preço.",
    fixed="Um valor em reais.",
)
define_output(CouponQuote, "CouponQuote")
define_output(
    CouponView,
    "Coupon",
    **paid_fields("coupon_id"),
    discounted_amount=strawberry.field(
        resolver=_discounted_amount, description="Soma dos descontos das cobranças pagas, em reais."
    ),
)
define_inputs(CouponFilter, CreateCoupon, UpdateCoupon)


@strawberry.type
class CouponsQuery:
    coupon = query_field(coupons.read_coupon, "Um cupom.", id=strawberry.ID)
    coupons = list_field(coupons.list_coupons, CouponFilter, "Os cupons da loja.")
    validate_coupon = query_field(
        validate_coupon,
        "O que um cupom faz com um valor ou com o preço de um produto, sem usá-lo.",
        code=Annotated[str, strawberry.argument(description="O código do cupom.")],
        amount=Annotated[Centavos | None, strawberry.argument(description="Valor da compra, em reais.")],
        product_id=Annotated[
            strawberry.ID | None, strawberry.argument(description="Produto comprado; sem `amount`, vale o preço dele.")
        ],
    )


@strawberry.type
class CouponsMutation:
    create_coupon = mutation_field(coupons.create_coupon, "Cria um cupom.", input=CreateCoupon)
    update_coupon = mutation_field(coupons.update_coupon, "Altera os campos enviados de um cupom.", input=UpdateCoupon)
    delete_coupon = mutation_field(
        coupons.delete_coupon, "Exclui um cupom e desvincula as cobranças e os links dele.", id=strawberry.ID
    )
    export_coupons = export_field(coupons.export_coupons, CouponFilter, "Exporta os cupons da loja.")


def _qr_code_url(link: strawberry.Parent[PaymentLinkView]) -> str:
    return link.qr_code_url


define_enum(PaymentLinkOrder, "Ordem de uma lista de links de pagamento.")
define_enum(
    PaymentLinkStatus,
    "Se um link aceita pagamentos.",
    active="Aceita pagamentos.",
    inactive="Está desativado.",
)
define_enum(
    UnpayableReason,
    "O que no produto impede o pagamento de um link.",
    product_below_minimum="Custa menos que R$ 5,00.",
    product_inactive="Está desativado.",
)
define_output(
    PaymentLinkView,
    "PaymentLink",
    product=relation(read_product, PRODUCTS.read_all, "product_id", "O produto vendido."),
    coupon=relation(read_coupon, coupons_by_id, "coupon_id", "O cupom aplicado a quem não traz outro."),
    qr_code_url=strawberry.field(
        resolver=_qr_code_url, description="O endereço como QR Code em PNG, como data URL base64."
    ),
    **paid_fields("payment_link_id"),
)
define_inputs(PaymentLinkFilter, CreatePaymentLink, UpdatePaymentLink)


@strawberry.type
class PaymentLinksQuery:
    payment_link = query_field(payment_links.read_payment_link, "Um link de pagamento.", id=strawberry.ID)
    payment_links = list_field(payment_links.list_payment_links, PaymentLinkFilter, "Os links de pagamento da loja.")


@strawberry.type
class PaymentLinksMutation:
    create_payment_link = mutation_field(
        payment_links.create_payment_link,
        "Cria um link de pagamento no ambiente da credencial.",
        input=CreatePaymentLink,
    )
    update_payment_link = mutation_field(
        payment_links.update_payment_link, "Altera os campos enviados de um link de pagamento.", input=UpdatePaymentLink
    )
    delete_payment_link = mutation_field(
        payment_links.delete_payment_link,
        "Exclui um link de pagamento e desvincula as cobranças dele.",
        id=strawberry.ID,
    )
    export_payment_links = export_field(
        payment_links.export_payment_links,
        PaymentLinkFilter,
        "Exporta os links de pagamento da loja.",
    )
