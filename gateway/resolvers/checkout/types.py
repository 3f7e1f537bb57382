"""Inputs and results of the public checkout. Results never hold the payer's email, phone or full document."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, computed_field, model_validator
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError

from gateway.integrations.engines import qr
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.resolvers.core.inputs import (
    DocumentNumber,
    Email,
    EmptyToNone,
    Input,
    Name,
    Phone,
    ShortText,
    holds_control,
)
from gateway.resolvers.core.views import View
from gateway.values.ids import Id
from gateway.values.money import Centavos

MISSING_LINK = "Link de pagamento não encontrado."
MISSING_CHARGE = "Cobrança não encontrada."
_MAX_KEY_LENGTH = 255
_SHORT_NAMES = {
    "name": "customer_name",
    "email": "customer_email",
    "cpf": "customer_cpf",
    "phone": "customer_phone",
}


def _key(text: str) -> str:
    if len(text) > _MAX_KEY_LENGTH or holds_control(text):
        raise PydanticCustomError("identifier", "identifier")
    return text


Key = Annotated[str, AfterValidator(_key), WithJsonSchema({"type": "string", "maxLength": _MAX_KEY_LENGTH})]
"""A slug or a txid. Text that can be neither is `NotFound`."""


class WhichLink(Input):
    """One payment link, by its slug."""

    unknown: ClassVar[Mapping[str, str]] = {"slug": MISSING_LINK}

    slug: Key = Field(description="Parte final do endereço do link.")


class LinkCoupon(WhichLink):
    """`GET /checkout/link/{slug}/coupon`."""

    code: ShortText = Field(min_length=1, description="Código do cupom.")


class PayLink(WhichLink):
    """O pagador de um link.

    `POST /checkout/link/{slug}/pay`. Over REST `name`, `email`, `cpf` and `phone` are read too.
    """

    customer_name: Name = Field(description="Nome do pagador.")
    customer_email: Email = Field(description="E-mail do pagador.")
    customer_cpf: DocumentNumber = Field(description="CPF ou CNPJ do pagador, com ou sem formatação.")
    customer_phone: Annotated[Phone | None, EmptyToNone] = Field(None, description="Telefone com DDD.")
    coupon_code: Annotated[ShortText | None, EmptyToNone] = Field(None, description="Cupom.")

    @model_validator(mode="before")
    @classmethod
    def _read_short_names(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The long name wins if both are sent."""
        short = {long: raw[name] for name, long in _SHORT_NAMES.items() if name in raw}
        return short | dict(raw)


class PayLinkAsShown(PayLink):
    """The form of the checkout page, with the total that the page showed."""

    shown: int | None = Field(None, strict=True, description="Total mostrado ao pagador, em centavos.")


class WhichPublicCharge(Input):
    """One charge, by txid: anyone who knows it may see it as the payer does."""

    unknown: ClassVar[Mapping[str, str]] = {"txid": MISSING_CHARGE}

    txid: Key = Field(description="txid da cobrança.")


class PublicStore(View):
    """A loja, como o pagador a vê."""

    name: str = Field(description="Nome da loja.")
    document: str | None = Field(
        description="CNPJ mascarado, como `12.XXX.XXX/0001-XX`, com um asterisco no lugar de cada X."
    )


class PublicProduct(View):
    """O produto de um link, como o pagador o vê."""

    name: str = Field(description="Nome.")
    description: str | None = Field(description="Descrição.")
    image_url: str | None = Field(description="Endereço da imagem.")


class PublicLinkView(View):
    """Um link de pagamento, como o pagador o vê."""

    slug: str = Field(description="Parte final do endereço.")
    title: str | None = Field(description="Título.")
    description: str | None = Field(description="Descrição.")
    amount: Centavos = Field(description="Valor em reais, antes de desconto: o do produto, se houver um.")
    discount_amount: Centavos = Field(description="Desconto do cupom do próprio link, em reais.")
    final_amount: Centavos = Field(description="Valor a pagar sem digitar cupom, em reais.")
    coupon_code: str | None = Field(description="Cupom do próprio link, quando vale agora.")
    environment: Environment = Field(description="Ambiente do link.")
    allow_coupons: bool = Field(description="Se o pagador pode digitar um cupom.")
    expires_at: datetime | None = Field(description="Até quando aceita pagamentos.")
    success_url: str | None = Field(description="Para onde o pagador volta depois de pagar.")
    cancel_url: str | None = Field(description="Para onde o pagador volta se desistir.")
    product: PublicProduct | None = Field(description="Produto vendido.")
    store: PublicStore = Field(description="A loja.")


class PublicChargeView(View):
    """Uma cobrança, como o pagador a vê: para pagar enquanto pendente, e recibo depois de paga."""

    txid: str = Field(description="Identificador Pix.")
    environment: Environment = Field(description="Ambiente da cobrança.")
    status: ChargeStatus = Field(description="Situação da cobrança.")
    under_review: bool = Field(description="Se o pagamento foi feito e está em análise no banco, por até 72 horas.")
    description: str | None = Field(description="Descrição.")
    amount: Centavos = Field(description="Valor a pagar, em reais.")
    original_amount: Centavos = Field(description="Valor antes do desconto, em reais.")
    discount_amount: Centavos = Field(description="Desconto, em reais.")
    coupon_code: str | None = Field(description="Cupom aplicado.")
    product_id: Id | None = Field(description="Produto cobrado.")
    link_slug: str | None = Field(description="Link de pagamento que gerou a cobrança, para gerar outra.")
    customer_name: str | None = Field(description="Nome do pagador.")
    customer_cpf: str | None = Field(description="CPF ou CNPJ do pagador, mascarado: `***.456.789-**`.")
    store_name: str = Field(description="Nome da loja; gravado no pagamento.")
    store_document: str | None = Field(
        description="CNPJ mascarado da loja, como `12.XXX.XXX/0001-XX`, com um asterisco no lugar de cada X."
    )
    success_url: str | None = Field(description="Para onde o pagador volta depois de pagar.")
    cancel_url: str | None = Field(description="Para onde o pagador volta se desistir.")
    expires_at: datetime = Field(description="Quando a cobrança expira.")
    seconds_left: int = Field(description="Segundos até expirar; zero se não espera pagamento.")
    pix_code: str | None = Field(description="Pix copia e cola; só enquanto espera o pagamento.")
    end_to_end_id: str | None = Field(description="EndToEndId do pagamento.")
    paid_at: datetime | None = Field(description="Quando foi paga.")
    paid_late: bool = Field(description="Se foi paga depois de expirar.")
    refunded_amount: Centavos = Field(description="O que já foi devolvido ao pagador, em reais.")
    created_at: datetime = Field(description="Quando foi criada.")
    checkout_url: str = Field(description="Página pública da cobrança.")
    receipt_url: str | None = Field(description="Página pública do recibo, depois de paga.")

    @computed_field(description="QR Code em PNG, como data URL base64; só enquanto espera o pagamento.")  # type: ignore[prop-decorator]  # Pydantic's documented form.
    @property
    def qr_code_url(self) -> str | None:
        return None if self.pix_code is None else qr.data_url(self.pix_code)
