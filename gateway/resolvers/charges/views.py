"""The API's view of a charge, and the columns to select for it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pydantic import Field, computed_field
from sqlalchemy import ColumnElement, case

from gateway.integrations.engines import qr
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.resolvers.charges.status import NOW, has_expired, is_held
from gateway.resolvers.core.views import View, row_mapper
from gateway.settings import Settings
from gateway.values.ids import Id
from gateway.values.money import Centavos


class ChargeView(View):
    """Uma cobrança Pix.

    A Pix charge (specification section 2). Amounts in centavos here, in reais in the APIs.
    """

    id: Id = Field(description="Identificador da cobrança (UUID).")
    user_id: Id = Field(description="Titular da loja dona da cobrança.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    txid: str = Field(description="Identificador Pix, 32 caracteres.")
    status: ChargeStatus = Field(description="Situação da cobrança.")
    under_review: bool = Field(
        description="Se o pagador já pagou e o banco analisa o pagamento, por até 72 horas. Até o fim da análise a "
        "cobrança não expira."
    )
    description: str | None = Field(description="Descrição mostrada ao pagador.")
    amount: Centavos = Field(description="Valor a pagar, em reais.")
    original_amount: Centavos = Field(description="Valor antes do desconto, em reais.")
    discount_amount: Centavos = Field(description="Desconto do cupom, em reais.")
    fee_amount: Centavos = Field(description="Tarifa do serviço retida na origem, em reais.")
    net_amount: Centavos = Field(description="Valor menos a tarifa, em reais.")
    customer_id: Id | None = Field(description="Cliente cadastrado, se houver.")
    customer_name: str | None = Field(description="Nome do pagador.")
    customer_email: str | None = Field(description="E-mail do pagador.")
    customer_cpf: str | None = Field(description="CPF ou CNPJ do pagador, sem formatação.")
    customer_phone: str | None = Field(description="Telefone do pagador.")
    product_id: Id | None = Field(description="Produto cobrado, no modo produto.")
    coupon_id: Id | None = Field(description="Cupom aplicado.")
    coupon_code: str | None = Field(description="Código do cupom aplicado.")
    subscription_id: Id | None = Field(description="Assinatura que gerou a cobrança.")
    payment_link_id: Id | None = Field(description="Link de pagamento que gerou a cobrança.")
    external_reference: str | None = Field(description="Referência do lojista.")
    link_reference: str | None = Field(description="Referência do lojista no link de pagamento que gerou a cobrança.")
    metadata: dict[str, str] = Field(description="Pares de texto do lojista.")
    success_url: str | None = Field(description="Para onde o pagador volta depois de pagar.")
    cancel_url: str | None = Field(description="Para onde o pagador volta se desistir.")
    expires_at: datetime = Field(description="Quando a cobrança expira.")
    due_date: datetime | None = Field(description="Vencimento, só em `POST /charges`.")
    pix_code: str = Field(description="Pix copia e cola (BR Code).")
    end_to_end_id: str | None = Field(description="EndToEndId do pagamento.")
    held_at: datetime | None = Field(description="Desde quando o banco analisa o pagamento; nulo fora da análise.")
    paid_at: datetime | None = Field(description="Quando foi paga.")
    paid_late: bool = Field(description="Se foi paga depois de expirar.")
    refunded_amount: Centavos = Field(
        description="O que já foi devolvido ao pagador, em reais. No valor todo, a cobrança passa a `refunded`."
    )
    store_name: str | None = Field(description="Nome da loja, gravado no pagamento.")
    store_document: str | None = Field(description="CNPJ da loja, gravado no pagamento.")
    created_at: datetime = Field(description="Quando foi criada.")
    updated_at: datetime = Field(description="Última mudança.")
    checkout_url: str = Field(description="Página pública de pagamento.")
    receipt_url: str | None = Field(description="Página pública do recibo, depois de paga.")

    @computed_field(description="QR Code em PNG, como data URL base64; só enquanto espera o pagamento.")  # type: ignore[prop-decorator]  # Pydantic's documented form.
    @property
    def qr_code_url(self) -> str | None:
        waits = self.status == ChargeStatus.pending and not self.under_review
        return qr.data_url(self.pix_code) if waits else None


_OF_PAGE = {"checkout_url", "receipt_url"}
_SELECTED = tuple(name for name in ChargeView.model_fields if name not in _OF_PAGE)


def effective_status(now: ColumnElement[Any] = NOW) -> ColumnElement[str]:
    """The status at a given time: an overdue charge is expired, even if the periodic job has not marked it yet."""
    overdue = (charges.c.status == ChargeStatus.pending) & has_expired(now)
    return case((overdue, ChargeStatus.expired.value), else_=charges.c.status)


def charge_columns() -> list[ColumnElement[Any]]:
    """What to select for `charge_view`, in the order of its fields; binds `now`."""
    derived: dict[str, ColumnElement[Any]] = {
        "status": effective_status().label("status"),
        "under_review": is_held.label("under_review"),
        "net_amount": (charges.c.amount - charges.c.fee_amount).label("net_amount"),
    }
    return [derived[name] if name in derived else charges.c[name] for name in _SELECTED]


def charge_view(settings: Settings, row: Mapping[str, Any]) -> ChargeView:
    """The view of a row, which may have other columns as well."""
    return charge_mapper(settings)({name: row[name] for name in _SELECTED})


def charge_mapper(settings: Settings) -> Callable[[dict[str, Any]], ChargeView]:
    """As `charge_view`, for many rows. Each row is a dict that becomes the view's own."""
    pages = f"{settings.public_checkout_url}/pay/c/"
    as_view: Callable[[dict[str, Any]], ChargeView] = row_mapper(ChargeView)

    def adopt(values: dict[str, Any]) -> ChargeView:
        page = pages + values["txid"]
        values["checkout_url"] = page
        values["receipt_url"] = page if values["paid_at"] is not None else None
        return as_view(values)

    return adopt
