"""What a payer says at the public checkout."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from gateway.resolvers.inputs import DocumentNumber, Email, Input, Name, NoneIfEmpty, PayerPhone, ShortText

_SHORT_NAMES = {
    "name": "customer_name",
    "email": "customer_email",
    "cpf": "customer_cpf",
    "phone": "customer_phone",
}


class WhichLink(Input):
    """One payment link, by the end of its address."""

    slug: ShortText = Field(description="Parte final do endereço do link.")


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
    customer_phone: Annotated[PayerPhone | None, NoneIfEmpty] = Field(None, description="Telefone com DDD.")
    coupon_code: Annotated[ShortText | None, NoneIfEmpty] = Field(None, description="Cupom.")

    @model_validator(mode="before")
    @classmethod
    def _read_short_names(cls, draft: Mapping[str, Any]) -> dict[str, Any]:
        """The long name wins where both were sent."""
        short = {long: draft[name] for name, long in _SHORT_NAMES.items() if name in draft}
        return short | dict(draft)


class PayLinkAsShown(PayLink):
    """The form of the checkout page, which says what it showed the payer. Programs that
    pay a link have shown nothing.
    """

    shown: int | None = Field(None, strict=True, description="Total mostrado ao pagador, em centavos.")


class WhichPublicCharge(Input):
    """One charge, by txid: whoever knows it may see what a payer sees."""

    txid: ShortText = Field(description="txid da cobrança.")
