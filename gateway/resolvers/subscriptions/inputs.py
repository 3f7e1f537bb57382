"""What callers say about subscriptions."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, ValidationInfo
from pydantic_core import PydanticCustomError

from gateway.models.subscriptions import Interval, SubscriptionStatus
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import (
    ChargedReais,
    Count,
    DocumentNumber,
    Email,
    End,
    IdText,
    Input,
    Metadata,
    Name,
    NeverNull,
    NoneIfEmpty,
    PixDescription,
    Reference,
    Start,
    WrittenStart,
    in_context,
    whole,
)
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.subscriptions.schedule import first_cycle

MOST_UPCOMING = 60
DEFAULT_UPCOMING = 12
PAST = "deve estar no futuro"
_END = "Depois deste momento não cobra mais; de uma data, o dia inteiro."


def _needed_of_nobody_saved(name: str | None, given: ValidationInfo) -> str | None:
    if name is None and given.data.get("customer_id", "a bad one") is None:
        raise PydanticCustomError("missing", "missing")
    return name


def _to_come(date: datetime, ctx: Context) -> None:
    if date < ctx.clock.now():
        raise ValueError(PAST)


def _after_the_first(end: datetime | None, given: ValidationInfo) -> datetime | None:
    """As `in_context`, where what the end is compared with is right itself."""
    ctx, sent = given.context, given.data
    if end is not None and ctx is not None and {"interval", "next_billing_at"} <= sent.keys():
        _, first = first_cycle(sent["interval"], ctx.clock.now(), sent["next_billing_at"])
        if end < first:
            raise ValueError(too_early("primeira"))
    return end


def too_early(charge: str) -> str:
    """What is wrong with an end that comes before the `primeira` or `próxima` charge."""
    return f"deve ser depois da {charge} cobrança"


class SubscriptionFields(Input):
    """What a subscription may say beside its amount; empty or null clears."""

    customer_id: Annotated[IdText | None, NoneIfEmpty] = Field(None, description="Cliente cadastrado.")
    customer_email: Annotated[Email | None, NoneIfEmpty] = Field(None, description="E-mail do pagador.")
    customer_cpf: Annotated[DocumentNumber | None, NoneIfEmpty] = Field(None, description="CPF ou CNPJ do pagador.")
    description: Annotated[PixDescription | None, NoneIfEmpty] = Field(None, description="Até 140 caracteres.")
    max_cycles: Count | None = Field(None, description="Quantos ciclos cobra ao todo; sem valor, sem limite.")
    external_reference: Annotated[Reference | None, NoneIfEmpty] = Field(
        None, description="Sua referência, única entre as assinaturas que não foram canceladas."
    )
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")


class CreateSubscription(SubscriptionFields):
    """Uma nova assinatura. `amount` e o nome do pagador são obrigatórios; o cliente cadastrado completa o que faltar.

    `POST /subscriptions` (specification section 4).
    """

    customer_name: Annotated[Name | None, NoneIfEmpty, AfterValidator(_needed_of_nobody_saved)] = Field(
        None, validate_default=True, description="Nome do pagador."
    )
    amount: ChargedReais = Field(description="Valor de cada cobrança em reais, mínimo 5,00.")
    interval: Interval = Field(Interval.monthly, description="De quanto em quanto tempo cobra.")
    next_billing_at: Annotated[WrittenStart | None, in_context(_to_come)] = Field(
        None, description="Primeira cobrança, no futuro; de uma data, o início do dia. Padrão: daqui a um intervalo."
    )
    end_date: Annotated[End | None, NoneIfEmpty, AfterValidator(_after_the_first)] = Field(None, description=_END)


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
    status: Annotated[SubscriptionStatus | None, NeverNull] = Field(
        None, description="`active`, `paused` ou `canceled`."
    )
    next_billing_at: Annotated[WrittenStart | None, NeverNull, in_context(_to_come)] = Field(
        None, description="Próxima cobrança, no futuro; de uma data, o início do dia."
    )
    end_date: Annotated[End | None, NoneIfEmpty] = Field(None, description=_END)


class WhichSubscription(Input):
    """One subscription."""

    id: IdText = Field(description="Identificador da assinatura.")


class AskUpcoming(Input):
    """`GET /subscriptions/{id}/upcoming`: how many of the next charges."""

    id: IdText = Field(description="Identificador da assinatura.")
    count: Annotated[StrictInt, Field(ge=1, le=MOST_UPCOMING), BeforeValidator(whole)] = Field(
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
    customer_id: IdText | None = Field(None, description="Do cliente cadastrado.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")
    next_billing_from: Start | None = Field(None, description="A cobrar a partir deste momento.")
    next_billing_to: End | None = Field(None, description="A cobrar até este momento; de uma data, o dia inteiro.")


class ListSubscriptions(SubscriptionFilter, ListInput):
    """`GET /subscriptions`: everything optional."""

    sort: SubscriptionOrder = Field(
        SubscriptionOrder.created_at_desc, description="Ordem; `-` na frente é decrescente."
    )
