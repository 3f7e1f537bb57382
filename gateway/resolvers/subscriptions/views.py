"""What the API shows of a subscription, and of what it will charge."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field

from gateway.models.base import Environment
from gateway.models.subscriptions import Interval, Method, SubscriptionStatus, subscriptions
from gateway.resolvers.core.views import View
from gateway.values.ids import Id
from gateway.values.money import Centavos


class SubscriptionView(View):
    """Uma assinatura: cobranças Pix que se repetem.

    A subscription (specification section 2). Money in centavos here, in reais at the doors.
    """

    id: Id = Field(description="Identificador da assinatura (UUID).")
    user_id: Id = Field(description="Titular da loja dona da assinatura.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    customer_id: Id | None = Field(description="Cliente cadastrado, se houver.")
    customer_name: str = Field(description="Nome do pagador.")
    customer_email: str | None = Field(description="E-mail do pagador.")
    customer_cpf: str | None = Field(description="CPF ou CNPJ do pagador, sem formatação.")
    description: str | None = Field(description="Descrição mostrada ao pagador em cada cobrança.")
    amount: Centavos = Field(description="Valor de cada cobrança, em reais.")
    method: Method = Field(description="Sempre `pix`.")
    interval: Interval = Field(description="De quanto em quanto tempo cobra.")
    status: SubscriptionStatus = Field(description="Situação da assinatura.")
    next_billing_at: datetime | None = Field(description="Quando cobra de novo.")
    end_date: datetime | None = Field(description="Depois deste momento não cobra mais; nulo, sem fim.")
    max_cycles: int | None = Field(description="Quantos ciclos cobra ao todo; nulo, sem limite.")
    cycles_count: int = Field(description="Ciclos já cobrados.")
    external_reference: str | None = Field(description="Referência do lojista.")
    metadata: dict[str, str] = Field(description="Pares de texto do lojista.")
    last_failure: str | None = Field(description="Por que a última tentativa de cobrar falhou; nulo depois de cobrar.")
    created_at: datetime = Field(description="Quando foi criada.")
    updated_at: datetime = Field(description="Última mudança.")


_SHOWN = tuple(SubscriptionView.model_fields)
SUBSCRIPTION_COLUMNS = [subscriptions.c[name] for name in _SHOWN]
RHYTHM_COLUMNS = [subscriptions.c.anchor_day, subscriptions.c.utc_offset]


def subscription_view(row: Mapping[str, Any]) -> SubscriptionView:
    """The subscription in a row that may hold more."""
    return SubscriptionView.adopt({name: row[name] for name in _SHOWN})


class UpcomingChargeView(View):
    """Uma cobrança que a assinatura ainda vai fazer."""

    cycle: int = Field(description="Número do ciclo, contado desde o primeiro.")
    billing_at: datetime = Field(description="Quando será cobrada.")
    amount: Centavos = Field(description="Valor, em reais.")
