"""Inputs and results of the payment link operations."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, StrictInt
from sqlalchemy import ColumnElement, case, literal_column, select

from gateway.integrations.engines import qr
from gateway.models.base import Environment
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.availability import is_available
from gateway.resolvers.core.inputs import (
    ChargedReais,
    Count,
    EmptyToNone,
    End,
    Flag,
    IdText,
    Input,
    Integral,
    LongText,
    Metadata,
    Name,
    NeverNull,
    Reference,
    Url,
    end_to_come,
    in_context,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View
from gateway.settings import Settings
from gateway.values.ids import Id
from gateway.values.money import MINIMUM_CHARGE, Centavos

DEFAULT_MINUTES = 1440
MAX_MINUTES = 525_600
_EXPIRES_AT = "Até quando aceita pagamentos; de uma data, o dia inteiro."

Minutes = Annotated[StrictInt, Field(ge=1, le=MAX_MINUTES), Integral]


class PaymentLinkFields(Input):
    """The optional fields of a link; empty or null clears."""

    title: Annotated[Name | None, EmptyToNone] = Field(None, description="Título mostrado ao pagador.")
    description: Annotated[LongText | None, EmptyToNone] = Field(None, description="Descrição mostrada ao pagador.")
    product_id: Annotated[IdText | None, EmptyToNone] = Field(
        None, description="Produto vendido: vale o preço dele no momento do pagamento."
    )
    coupon_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Cupom aplicado a quem não traz outro.")
    expires_at: Annotated[End | None, EmptyToNone] = Field(None, description=_EXPIRES_AT)
    max_uses: Count | None = Field(
        None, description="Cobranças pendentes, pagas ou devolvidas, no máximo; sem valor, sem limite."
    )
    success_url: Annotated[Url | None, EmptyToNone] = Field(
        None, description="Para onde o pagador volta depois de pagar."
    )
    cancel_url: Annotated[Url | None, EmptyToNone] = Field(None, description="Para onde o pagador volta se desistir.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(
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
    expires_at: Annotated[End | None, in_context(end_to_come), EmptyToNone] = Field(None, description=_EXPIRES_AT)
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
    uses_count_desc = "-uses_count"
    uses_count_asc = "uses_count"


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


class UnpayableReason(StrEnum):
    """What about its product keeps a link from being paid."""

    product_below_minimum = "product_below_minimum"
    product_inactive = "product_inactive"


class PaymentLinkView(View):
    """Um link de pagamento: um endereço em que qualquer pessoa paga a loja."""

    id: Id = Field(description="Identificador do link (UUID).")
    user_id: Id = Field(description="Titular da loja dona do link.")
    environment: Environment = Field(description="Ambiente em que o link foi criado e em que nascem as suas cobranças.")
    slug: str = Field(description="Parte final do endereço: 10 caracteres que não se confundem.")
    url: str = Field(description="Página pública de pagamento.")
    title: str | None = Field(description="Título mostrado ao pagador.")
    description: str | None = Field(description="Descrição mostrada ao pagador.")
    amount: Centavos = Field(description="Valor em reais; com produto, vale o preço dele no momento do pagamento.")
    product_id: Id | None = Field(description="Produto vendido.")
    coupon_id: Id | None = Field(description="Cupom aplicado a quem não traz outro.")
    allow_coupons: bool = Field(description="Se o pagador pode digitar um cupom.")
    active: bool = Field(description="Se aceita pagamentos agora: ativo, não vencido nem esgotado.")
    expires_at: datetime | None = Field(description="Até quando aceita pagamentos; nulo, sempre.")
    max_uses: int | None = Field(description="Cobranças pendentes, pagas ou devolvidas, no máximo; nulo, sem limite.")
    unpayable_reason: UnpayableReason | None = Field(
        description="Por que o produto impede o pagamento: `product_below_minimum`, custa menos que R$ 5,00; "
        "`product_inactive`, está desativado. Nulo, nada impede."
    )
    uses_count: int = Field(description="Cobranças pendentes, pagas ou devolvidas deste link.")
    success_url: str | None = Field(description="Para onde o pagador volta depois de pagar.")
    cancel_url: str | None = Field(description="Para onde o pagador volta se desistir.")
    charge_expires_in_minutes: int = Field(description="Validade das cobranças, em minutos.")
    external_reference: str | None = Field(description="Referência do lojista.")
    metadata: dict[str, str] = Field(description="Pares de texto do lojista, que as cobranças do link levam.")
    created_at: datetime = Field(description="Quando foi criado.")
    updated_at: datetime = Field(description="Última mudança.")

    @property
    def qr_code_url(self) -> str:
        """The address as a QR code, for posters. Only GraphQL returns it, and draws it on request."""
        return qr.data_url(self.url)

    def as_of(self, now: datetime) -> Self:
        """The link with `active` as it holds now."""
        return self.replaced(active=is_available(vars(self), "active", now))


_P = products


def _columns(product_id: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    unpayable = (
        select(
            case(
                (~_P.c.active, UnpayableReason.product_inactive.value),
                (_P.c.price < MINIMUM_CHARGE, UnpayableReason.product_below_minimum.value),
            )
        )
        .where(_P.c.id == product_id)
        .correlate(payment_links)
        .scalar_subquery()
        .label("unpayable_reason")
    )
    names = (name for name in PaymentLinkView.model_fields if name != "url")
    return [unpayable if name == "unpayable_reason" else payment_links.c[name] for name in names]


LINK_COLUMNS = _columns(payment_links.c.product_id)
# In an INSERT, SQLAlchemy doesn't correlate the subquery with the table: it would select from all links.
INSERTED_LINK_COLUMNS = _columns(literal_column("payment_links.product_id", payment_links.c.product_id.type))


def link_view(settings: Settings, row: Mapping[str, Any]) -> PaymentLinkView:
    """A selected row as the API shows it."""
    return PaymentLinkView.of({**row, "url": link_url(settings, row["slug"])})


def link_url(settings: Settings, slug: str) -> str:
    """The public page of a link."""
    return f"{settings.public_checkout_url}/pay/{slug}"
