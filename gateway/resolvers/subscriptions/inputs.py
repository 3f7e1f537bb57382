"""What callers say about subscriptions."""

from datetime import UTC, datetime, time
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from gateway.models.subscriptions import Interval, SubscriptionStatus
from gateway.resolvers.inputs import (
    ChargedReais,
    Count,
    DocumentNumber,
    Draft,
    Email,
    IdText,
    Input,
    Metadata,
    Moment,
    Name,
    NeverNull,
    NoneIfEmpty,
    PixDescription,
    Reference,
    WrittenMoment,
    none_if_empty,
    read_written,
    whole,
)
from gateway.resolvers.listing.inputs import LastMoment, ListInput, Period, is_day

MOST_UPCOMING = 60
DEFAULT_UPCOMING = 12


def _end(value: object) -> datetime:
    written = read_written(value)
    return datetime.combine(written.date(), time.max) if is_day(value) else written.astimezone(UTC)


WrittenEnd = Annotated[datetime, BeforeValidator(_end), WithJsonSchema({"type": "string", "format": "date-time"})]
"""A moment; of a date alone the last one of that day, which has no zone until it is known
in whose calendar (`ended`).
"""


class SubscriptionFields(Input):
    """What a subscription may say beside its amount; empty or null clears."""

    customer_id: Annotated[IdText | None, NoneIfEmpty] = Field(None, description="Cliente cadastrado.")
    customer_email: Annotated[Email | None, NoneIfEmpty] = Field(None, description="E-mail do pagador.")
    customer_cpf: Annotated[DocumentNumber | None, NoneIfEmpty] = Field(None, description="CPF ou CNPJ do pagador.")
    description: Annotated[PixDescription | None, NoneIfEmpty] = Field(None, description="Até 140 caracteres.")
    end_date: Annotated[WrittenEnd | None, NoneIfEmpty] = Field(
        None,
        description="Depois deste momento não cobra mais; de uma data, o dia inteiro, no fuso em que as cobranças foram marcadas.",
    )
    max_cycles: Count | None = Field(None, description="Quantos ciclos cobra ao todo; sem valor, sem limite.")
    external_reference: Annotated[Reference | None, NoneIfEmpty] = Field(
        None, description="Sua referência, única entre as assinaturas que não foram canceladas."
    )
    metadata: Metadata | None = Field(None, description="Até 20 pares de texto.")


class CreateSubscription(SubscriptionFields):
    """Uma nova assinatura. `amount` e o nome do pagador são obrigatórios; o cliente cadastrado completa o que faltar.

    `POST /subscriptions` (specification section 4).
    """

    customer_name: Annotated[Name | None, NoneIfEmpty] = Field(None, description="Nome do pagador.")
    amount: ChargedReais = Field(description="Valor de cada cobrança em reais, mínimo 5,00.")
    interval: Interval = Field(Interval.monthly, description="De quanto em quanto tempo cobra.")
    next_billing_at: WrittenMoment | None = Field(
        None, description="Primeira cobrança, no futuro. Padrão: daqui a um intervalo."
    )

    @classmethod
    def absent(cls, draft: Draft) -> list[str]:
        named = none_if_empty(draft.get("customer_id")) or none_if_empty(draft.get("customer_name"))
        return [] if named else ["customer_name"]


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
    next_billing_at: Annotated[WrittenMoment | None, NeverNull] = Field(
        None, description="Próxima cobrança, no futuro."
    )


class WhichSubscription(Input):
    """One subscription."""

    id: IdText = Field(description="Identificador da assinatura.")


class AskUpcoming(Input):
    """`GET /subscriptions/{id}/upcoming`: how many of the next charges."""

    id: IdText = Field(description="Identificador da assinatura.")
    count: Annotated[Count, Field(le=MOST_UPCOMING), BeforeValidator(whole)] = Field(
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
    next_billing_from: Moment | None = Field(None, description="A cobrar a partir deste momento.")
    next_billing_to: LastMoment | None = Field(
        None, description="A cobrar até este momento; de uma data, o dia inteiro."
    )


class ListSubscriptions(SubscriptionFilter, ListInput):
    """`GET /subscriptions`: everything optional."""

    sort: SubscriptionOrder = Field(
        SubscriptionOrder.created_at_desc, description="Ordem; `-` na frente é decrescente."
    )
