"""What a payer says at the public checkout."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError

from gateway.resolvers.core.inputs import (
    DocumentNumber,
    Email,
    Input,
    Name,
    NoneIfEmpty,
    Phone,
    ShortText,
    holds_control,
)

MISSING_LINK = "Link de pagamento não encontrado."
MISSING_CHARGE = "Cobrança não encontrada."
_LONGEST_KEY = 255
_SHORT_NAMES = {
    "name": "customer_name",
    "email": "customer_email",
    "cpf": "customer_cpf",
    "phone": "customer_phone",
}


def _key(text: str) -> str:
    if len(text) > _LONGEST_KEY or holds_control(text):
        raise PydanticCustomError("identifier", "identifier")
    return text


Key = Annotated[str, AfterValidator(_key), WithJsonSchema({"type": "string", "maxLength": _LONGEST_KEY})]
"""What a payer's address names a link or a charge by. What can't be one names nothing."""


class WhichLink(Input):
    """One payment link, by the end of its address."""

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
    customer_phone: Annotated[Phone | None, NoneIfEmpty] = Field(None, description="Telefone com DDD.")
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

    unknown: ClassVar[Mapping[str, str]] = {"txid": MISSING_CHARGE}

    txid: Key = Field(description="txid da cobrança.")
