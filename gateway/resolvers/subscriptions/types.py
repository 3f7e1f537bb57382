"""Inputs and results of the subscription operations."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, ValidationInfo
from pydantic_core import PydanticCustomError

from gateway.models.base import Environment
from gateway.models.subscriptions import MAX_INTERVAL_COUNT, Interval, Method, SubscriptionStatus, subscriptions
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    ChargedReais,
    Count,
    DocumentNumber,
    Email,
    EmptyToNone,
    End,
    IdText,
    Input,
    Integral,
    Metadata,
    Name,
    NeverNull,
    PixDescription,
    QueryFlag,
    Reference,
    Start,
    WrittenStart,
    in_context,
    parse_integer,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View
from gateway.resolvers.subscriptions.schedule import first_cycle
from gateway.values.ids import Id
from gateway.values.money import Centavos

MAX_UPCOMING = 60
DEFAULT_UPCOMING = 12
PAST = "deve estar no futuro"
_EVERY = "Cobra a cada tantos intervalos, de 1 a 12: 2 com `monthly` é a cada 2 meses."
_END = "Depois deste momento não cobra mais; de uma data, o dia inteiro."

_Bounded = Annotated[StrictInt, Field(ge=1, le=MAX_INTERVAL_COUNT)]
IntervalCount = Annotated[_Bounded, Integral]


def _required_without_customer(name: str | None, info: ValidationInfo) -> str | None:
    if name is None and info.data.get("customer_id", "a bad one") is None:
        raise PydanticCustomError("missing", "missing")
    return name


def _in_future(date: datetime, ctx: Context) -> None:
    if date < ctx.clock.now():
        raise ValueError(PAST)


def _after_first_cycle(end: datetime | None, info: ValidationInfo) -> datetime | None:
    """Check the end against the first cycle, if the fields that decide it are valid."""
    ctx, sent = info.context, info.data
    if end is not None and ctx is not None and {"interval", "interval_count", "next_billing_at"} <= sent.keys():
        _, first = first_cycle(sent["interval"], sent["interval_count"], ctx.clock.now(), sent["next_billing_at"])
        if end < first:
            raise ValueError(too_early("primeira"))
    return end


def too_early(charge: str) -> str:
    """The error of an end date before the `primeira` or `próxima` charge."""
    return f"deve ser depois da {charge} cobrança"


class SubscriptionFields(Input):
    """The optional fields of a subscription; empty or null clears."""

    customer_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Cliente cadastrado.")
    customer_email: Annotated[Email | None, EmptyToNone] = Field(None, description="E-mail do pagador.")
    customer_cpf: Annotated[DocumentNumber | None, EmptyToNone] = Field(None, description="CPF ou CNPJ do pagador.")
    description: Annotated[PixDescription | None, EmptyToNone] = Field(None, description="Até 140 caracteres.")
    max_cycles: Count | None = Field(None, description="Quantos ciclos cobra ao todo; sem valor, sem limite.")
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(
        None, description="Sua referência, única entre as assinaturas que não foram canceladas."
    )
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")


class CreateSubscription(SubscriptionFields):
    """Uma nova assinatura. `amount` e o nome do pagador são obrigatórios; o cliente cadastrado completa o que faltar.

    `POST /subscriptions` (specification section 4).
    """

    customer_name: Annotated[Name | None, EmptyToNone, AfterValidator(_required_without_customer)] = Field(
        None, validate_default=True, description="Nome do pagador."
    )
    amount: ChargedReais = Field(description="Valor de cada cobrança em reais, mínimo 5,00.")
    interval: Interval = Field(Interval.monthly, description="De quanto em quanto tempo cobra.")
    interval_count: IntervalCount = Field(1, description=_EVERY)
    next_billing_at: Annotated[WrittenStart | None, in_context(_in_future)] = Field(
        None, description="Primeira cobrança, no futuro; de uma data, o início do dia. Padrão: daqui a um intervalo."
    )
    end_date: Annotated[End | None, EmptyToNone, AfterValidator(_after_first_cycle)] = Field(None, description=_END)


class UpdateSubscription(SubscriptionFields):
    """Mudanças em uma assinatura: só os campos enviados mudam; nulo ou vazio limpa os opcionais.

    `PUT /subscriptions/{id}`: only sent fields change. `next_billing_at` can't be cleared: charge at once with
    `POST /subscriptions/{id}/charge`.
    """

    id: IdText = Field(description="Identificador da assinatura.")
    customer_name: Annotated[Name | None, NeverNull] = Field(None, description="Nome do pagador.")
    amount: Annotated[ChargedReais | None, NeverNull] = Field(
        None, description="Valor de cada cobrança em reais, mínimo 5,00."
    )
    interval: Annotated[Interval | None, NeverNull] = Field(None, description="De quanto em quanto tempo cobra.")
    interval_count: Annotated[IntervalCount | None, NeverNull] = Field(None, description=_EVERY)
    status: Annotated[SubscriptionStatus | None, NeverNull] = Field(
        None, description="`active`, `paused` ou `canceled`."
    )
    next_billing_at: Annotated[WrittenStart | None, NeverNull, in_context(_in_future)] = Field(
        None, description="Próxima cobrança, no futuro; de uma data, o início do dia."
    )
    end_date: Annotated[End | None, EmptyToNone] = Field(None, description=_END)


class WhichSubscription(Input):
    """One subscription."""

    id: IdText = Field(description="Identificador da assinatura.")


class UpcomingParams(Input):
    """`GET /subscriptions/{id}/upcoming`, and `GET /subscriptions/upcoming` of all: how many of the next charges."""

    id: IdText | None = Field(None, description="Identificador da assinatura; sem ele, todas as da loja.")
    count: Annotated[StrictInt, Field(ge=1, le=MAX_UPCOMING), BeforeValidator(parse_integer)] = Field(
        DEFAULT_UPCOMING, description="Quantas cobranças: padrão 12, máximo 60."
    )


class SubscriptionOrder(StrEnum):
    """The orders of a list of subscriptions; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    updated_at_desc = "-updated_at"
    updated_at_asc = "updated_at"
    next_billing_at_desc = "-next_billing_at"
    next_billing_at_asc = "next_billing_at"
    amount_desc = "-amount"
    amount_asc = "amount"


class SubscriptionFilter(Period):
    """Filtros de assinaturas; todos os enviados valem juntos."""

    status: SubscriptionStatus | None = Field(None, description="`active`, `paused` ou `canceled`.")
    interval: Interval | None = Field(None, description="Com este intervalo.")
    interval_count: Annotated[_Bounded, BeforeValidator(parse_integer)] | None = Field(
        None, description="A cada tantos intervalos."
    )
    customer_id: IdText | None = Field(None, description="Do cliente cadastrado.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")
    failing: QueryFlag | None = Field(None, description="Se estão ativas e a última tentativa de cobrar falhou.")
    next_billing_from: Start | None = Field(None, description="A cobrar a partir deste momento.")
    next_billing_to: End | None = Field(None, description="A cobrar até este momento; de uma data, o dia inteiro.")


class ListSubscriptions(SubscriptionFilter, ListInput):
    """`GET /subscriptions`: everything optional."""

    sort: SubscriptionOrder = Field(
        SubscriptionOrder.created_at_desc, description="Ordem; `-` na frente é decrescente."
    )


class SubscriptionView(View):
    """Uma assinatura: cobranças Pix que se repetem.

    A subscription (specification section 2). Money is centavos here, and reais in the API.
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
    interval_count: int = Field(description="Cobra a cada tantos intervalos.")
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


_FIELDS = tuple(SubscriptionView.model_fields)
SUBSCRIPTION_COLUMNS = [subscriptions.c[name] for name in _FIELDS]
RECURRENCE_COLUMNS = [subscriptions.c.anchor_day, subscriptions.c.utc_offset]


def subscription_view(row: Mapping[str, Any]) -> SubscriptionView:
    """The subscription of a row, which may have more columns."""
    return SubscriptionView.adopt({name: row[name] for name in _FIELDS})


class UpcomingChargeView(View):
    """Uma cobrança que a assinatura ainda vai fazer."""

    subscription_id: Id = Field(description="A assinatura.")
    customer_name: str = Field(description="Nome do pagador.")
    cycle: int = Field(description="Número do ciclo, contado desde o primeiro.")
    billing_at: datetime = Field(description="Quando será cobrada.")
    amount: Centavos = Field(description="Valor, em reais.")
