"""Inputs of lists of charges."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic.json_schema import WithJsonSchema

from gateway.models.charges import ChargeStatus
from gateway.resolvers.core.inputs import End, IdText, QueryFlag, Reais, Reference, Start, separated
from gateway.resolvers.core.listing.inputs import ListInput, Period

QR_CODE = "qr_code_url"


class ChargeOrder(StrEnum):
    """The orders of a list of charges; equals are ordered by id, and what was never paid comes before all payments, as
    it was created.
    """

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    paid_at_desc = "-paid_at"
    paid_at_asc = "paid_at"
    expires_at_desc = "-expires_at"
    expires_at_asc = "expires_at"
    amount_desc = "-amount"
    amount_asc = "amount"


def _include(text: str, info: ValidationInfo) -> str:
    unknown = {name.strip() for name in text.split(",")} - {QR_CODE}
    if unknown:
        raise ValueError(f"use um destes valores: '{QR_CODE}'")
    if all(info.data.get(name, "") is None for name in ("page", "limit", "after")):
        raise ValueError("envie também page, limit ou after: são no máximo 100 imagens de cada vez")
    return text


def _distinct(statuses: list[ChargeStatus]) -> tuple[ChargeStatus, ...]:
    # A dataloader takes the input as a key.
    return tuple(dict.fromkeys(statuses))


Statuses = Annotated[
    list[ChargeStatus], Field(min_length=1, max_length=20), AfterValidator(_distinct), BeforeValidator(separated)
]


class ChargeFilter(Period):
    """Filtros de cobranças; todos os enviados valem juntos."""

    status: ChargeStatus | None = Field(None, description="Situação agora: pendente e vencida conta como expirada.")
    status_in: Statuses | None = Field(None, description="Em uma destas situações.")
    customer_id: IdText | None = Field(None, description="Do cliente cadastrado.")
    product_id: IdText | None = Field(None, description="Do produto.")
    coupon_id: IdText | None = Field(None, description="Com o cupom.")
    subscription_id: IdText | None = Field(None, description="Da assinatura.")
    payment_link_id: IdText | None = Field(None, description="Do link de pagamento.")
    txid: Reference | None = Field(None, description="Com este txid.")
    end_to_end_id: Reference | None = Field(None, description="Com este EndToEndId.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")
    paid_from: Start | None = Field(None, description="Pagas a partir deste momento; de uma data, desde o início.")
    paid_to: End | None = Field(None, description="Pagas até este momento; de uma data, o dia inteiro.")
    paid_late: QueryFlag | None = Field(None, description="Se foram pagas depois de expirar.")
    amount_min: Reais | None = Field(None, description="Valor mínimo, em reais.")
    amount_max: Reais | None = Field(None, description="Valor máximo, em reais.")


class ListCharges(ChargeFilter, ListInput):
    """`GET /pix` and `GET /charges`: everything optional."""

    sort: ChargeOrder = Field(ChargeOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")
    include: Annotated[str, AfterValidator(_include), WithJsonSchema({"type": "string", "const": QR_CODE})] | None = (
        Field(
            None,
            description="`qr_code_url` mostra também a imagem do QR Code de cada cobrança pendente; com `page`, `limit` ou `after`.",
        )
    )
