"""Products, coupons and payment links over GraphQL."""

from typing import Annotated

import strawberry

from gateway.models.coupons import DiscountType
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.coupons import operations as coupons
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
from gateway.schema.paid_totals import discounted_amount, paid_fields
from gateway.schema.strawberry_types import define_enum, define_input, define_output
from gateway.values.money import Centavos

define_enum(ProductOrder, "Ordem de uma lista de produtos.")
define_enum(
    ProductStatus,
    "Se um produto pode ser vendido.",
    active="Pode ser vendido.",
    inactive="Está desativado.",
)
define_output(ProductView, "Product", **paid_fields(lambda loaders: loaders.paid_of_products))
define_input(ProductFilter, "ProductFilter")
define_input(CreateProduct, "CreateProductInput")
define_input(UpdateProduct, "UpdateProductInput")


@strawberry.type
class ProductsQuery:
    @strawberry.field(description="Um produto.")
    async def product(self, info: Info, id: strawberry.ID) -> ProductView:
        return await products.read_product(info.context.call, {"id": id})

    products = list_field(products.list_products, ProductFilter, description="Os produtos da loja.")


@strawberry.type
class ProductsMutation:
    @strawberry.mutation(description="Cria um produto.")
    async def create_product(self, info: Info, input: CreateProduct) -> ProductView:
        return await products.create_product(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um produto.")
    async def update_product(self, info: Info, input: UpdateProduct) -> ProductView:
        return await products.update_product(info.context.call, input)

    @strawberry.mutation(description="Exclui um produto; os links dele seguem com o próprio valor.")
    async def delete_product(self, info: Info, id: strawberry.ID) -> Deleted:
        return await products.delete_product(info.context.call, {"id": id})

    export_products = export_field(products.export_products, ProductFilter, description="Exporta os produtos da loja.")


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
    **paid_fields(lambda loaders: loaders.paid_of_coupons),
    discounted_amount=discounted_amount(lambda loaders: loaders.paid_of_coupons),
)
define_input(CouponFilter, "CouponFilter")
define_input(CreateCoupon, "CreateCouponInput")
define_input(UpdateCoupon, "UpdateCouponInput")


@strawberry.type
class CouponsQuery:
    @strawberry.field(description="Um cupom.")
    async def coupon(self, info: Info, id: strawberry.ID) -> CouponView:
        return await coupons.read_coupon(info.context.call, {"id": id})

    coupons = list_field(coupons.list_coupons, CouponFilter, description="Os cupons da loja.")

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
        return await coupons.validate_coupon(
            info.context.call, {"code": code, "amount": amount, "product_id": product_id}
        )


@strawberry.type
class CouponsMutation:
    @strawberry.mutation(description="Cria um cupom.")
    async def create_coupon(self, info: Info, input: CreateCoupon) -> CouponView:
        return await coupons.create_coupon(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um cupom.")
    async def update_coupon(self, info: Info, input: UpdateCoupon) -> CouponView:
        return await coupons.update_coupon(info.context.call, input)

    @strawberry.mutation(description="Exclui um cupom e desvincula as cobranças e os links dele.")
    async def delete_coupon(self, info: Info, id: strawberry.ID) -> Deleted:
        return await coupons.delete_coupon(info.context.call, {"id": id})

    export_coupons = export_field(coupons.export_coupons, CouponFilter, description="Exporta os cupons da loja.")


async def _product(link: strawberry.Parent[PaymentLinkView], info: Info) -> ProductView | None:
    return await info.context.loaders.products.load(link.product_id) if link.product_id else None


async def _coupon(link: strawberry.Parent[PaymentLinkView], info: Info) -> CouponView | None:
    return await info.context.loaders.coupons.load(link.coupon_id) if link.coupon_id else None


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
    product=strawberry.field(resolver=_product, description="O produto vendido."),
    coupon=strawberry.field(resolver=_coupon, description="O cupom aplicado a quem não traz outro."),
    qr_code_url=strawberry.field(
        resolver=_qr_code_url, description="O endereço como QR Code em PNG, como data URL base64."
    ),
    **paid_fields(lambda loaders: loaders.paid_of_payment_links),
)
define_input(PaymentLinkFilter, "PaymentLinkFilter")
define_input(CreatePaymentLink, "CreatePaymentLinkInput")
define_input(UpdatePaymentLink, "UpdatePaymentLinkInput")


@strawberry.type
class PaymentLinksQuery:
    @strawberry.field(description="Um link de pagamento.")
    async def payment_link(self, info: Info, id: strawberry.ID) -> PaymentLinkView:
        return await payment_links.read_payment_link(info.context.call, {"id": id})

    payment_links = list_field(
        payment_links.list_payment_links, PaymentLinkFilter, description="Os links de pagamento da loja."
    )


@strawberry.type
class PaymentLinksMutation:
    @strawberry.mutation(description="Cria um link de pagamento no ambiente da credencial.")
    async def create_payment_link(self, info: Info, input: CreatePaymentLink) -> PaymentLinkView:
        return await payment_links.create_payment_link(info.context.call, input)

    @strawberry.mutation(description="Altera os campos enviados de um link de pagamento.")
    async def update_payment_link(self, info: Info, input: UpdatePaymentLink) -> PaymentLinkView:
        return await payment_links.update_payment_link(info.context.call, input)

    @strawberry.mutation(description="Exclui um link de pagamento e desvincula as cobranças dele.")
    async def delete_payment_link(self, info: Info, id: strawberry.ID) -> Deleted:
        return await payment_links.delete_payment_link(info.context.call, {"id": id})

    export_payment_links = export_field(
        payment_links.export_payment_links,
        PaymentLinkFilter,
        description="Exporta os links de pagamento da loja.",
    )
