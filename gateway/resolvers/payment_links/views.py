"""What the API shows of a payment link."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import Field
from sqlalchemy import ColumnElement, case, literal_column, select

from gateway.models.base import Environment
from gateway.models.payment_links import payment_links
from gateway.models.products import products
from gateway.resolvers.availability import is_available
from gateway.resolvers.core.views import View
from gateway.settings import Settings
from gateway.values.ids import Id
from gateway.values.money import MINIMUM_CHARGE, Centavos


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
# SQLAlchemy correlates nothing with the table of an INSERT, and would join all links to the subquery.
INSERTED_LINK_COLUMNS = _columns(literal_column("payment_links.product_id", payment_links.c.product_id.type))


def link_view(settings: Settings, row: Mapping[str, Any]) -> PaymentLinkView:
    """A selected row as the API shows it."""
    return PaymentLinkView.of({**row, "url": link_url(settings, row["slug"])})


def link_url(settings: Settings, slug: str) -> str:
    """The public page of a link."""
    return f"{settings.public_checkout_url}/pay/{slug}"
