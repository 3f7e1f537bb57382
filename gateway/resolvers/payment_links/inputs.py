"""What callers say about payment links."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictInt

from gateway.resolvers.core.inputs import (
    ChargedReais,
    Count,
    End,
    Flag,
    IdText,
    Input,
    Integral,
    LongText,
    Metadata,
    Name,
    NeverNull,
    NoneIfEmpty,
    Reference,
    Url,
    end_to_come,
    in_context,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period

DEFAULT_MINUTES = 1440
LONGEST_MINUTES = 525_600
_EXPIRES_AT = "Até quando aceita pagamentos; de uma data, o dia inteiro."

Minutes = Annotated[StrictInt, Field(ge=1, le=LONGEST_MINUTES), Integral]


class PaymentLinkFields(Input):
    """What a link may say beside its amount; empty or null clears."""

    title: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Título mostrado ao pagador.")
    description: Annotated[LongText | None, NoneIfEmpty] = Field(None, description="Descrição mostrada ao pagador.")
    product_id: Annotated[IdText | None, NoneIfEmpty] = Field(
        None, description="Produto vendido: vale o preço dele no momento do pagamento."
    )
    coupon_id: Annotated[IdText | None, NoneIfEmpty] = Field(None, description="Cupom aplicado a quem não traz outro.")
    expires_at: Annotated[End | None, NoneIfEmpty] = Field(None, description=_EXPIRES_AT)
    max_uses: Count | None = Field(
        None, description="Cobranças pendentes, pagas ou devolvidas, no máximo; sem valor, sem limite."
    )
    success_url: Annotated[Url | None, NoneIfEmpty] = Field(
        None, description="Para onde o pagador volta depois de pagar."
    )
    cancel_url: Annotated[Url | None, NoneIfEmpty] = Field(None, description="Para onde o pagador volta se desistir.")
    external_reference: Annotated[Reference | None, NoneIfEmpty] = Field(
        None, description="Sua referência: as cobranças a levam em `link_reference`; com `max_uses` 1, também como sua."
    )
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto, que as cobranças do link levam.")


class CreatePaymentLink(PaymentLinkFields):
    """Um novo link de pagamento.

    `POST /payment-links`.
    """

    amount: ChargedReais = Field(description="Valor em reais, mínimo 5,00; com produto, vale o preço dele.")
    allow_coupons: Flag = Field(True, description="Se o pagador pode digitar um cupom.")
    active: Flag = Field(True, description="Se o link aceita pagamentos.")
    expires_at: Annotated[End | None, in_context(end_to_come), NoneIfEmpty] = Field(None, description=_EXPIRES_AT)
    charge_expires_in_minutes: Minutes = Field(DEFAULT_MINUTES, description="Validade das cobranças, em minutos.")


class UpdatePaymentLink(PaymentLinkFields):
    """Mudanças em um link: só os campos enviados mudam; nulo ou vazio limpa os opcionais.

    `PUT /payment-links/{id}`: only sent fields change; empty or null clears the optional ones.
    """

    id: IdText = Field(description="Identificador do link.")
    amount: Annotated[ChargedReais | None, NeverNull] = Field(
        None, description="Valor em reais, mínimo 5,00; com produto, vale o preço dele."
    )
    allow_coupons: Annotated[Flag | None, NeverNull] = Field(None, description="Se o pagador pode digitar um cupom.")
    active: Annotated[Flag | None, NeverNull] = Field(None, description="Se o link aceita pagamentos.")
    charge_expires_in_minutes: Annotated[Minutes | None, NeverNull] = Field(
        None, description="Validade das cobranças, em minutos."
    )


class WhichPaymentLink(Input):
    """One payment link."""

    id: IdText = Field(description="Identificador do link.")


class PaymentLinkStatus(StrEnum):
    """Whether a link accepts payments now: switched on, not expired and not used up."""

    active = "active"
    inactive = "inactive"


class PaymentLinkOrder(StrEnum):
    """The orders of a list of payment links; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    amount_desc = "-amount"
    amount_asc = "amount"


class PaymentLinkFilter(Period):
    """Filtros de links de pagamento; todos os enviados valem juntos."""

    status: PaymentLinkStatus | None = Field(
        None, description="Os que aceitam pagamentos agora (`active`) ou os demais (`inactive`)."
    )
    product_id: IdText | None = Field(None, description="Deste produto.")
    coupon_id: IdText | None = Field(None, description="Com este cupom.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")


class ListPaymentLinks(PaymentLinkFilter, ListInput):
    """`GET /payment-links`: everything optional."""

    sort: PaymentLinkOrder = Field(PaymentLinkOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")
