"""What the service's staff says about repayments, and what a store asks about its own."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from gateway.models.repayments import RepaymentStatus
from gateway.resolvers.core.inputs import End, Flag, IdText, Input, NoneIfEmpty, Start, ZoneName
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.withdrawals.inputs import EndToEndId


def _after_the_start(paid_to: datetime, given: ValidationInfo) -> datetime:
    if paid_to < given.data.get("paid_from", paid_to):
        raise ValueError("deve vir depois de paid_from")
    return paid_to


class RecordRepayment(Input):
    """As cobranças pagas de uma loja num período, a repassar de uma vez.

    `POST /admin/repayments`.
    """

    store_id: IdText = Field(description="Titular da loja.")
    paid_from: Start = Field(description="Pagas a partir deste momento; de uma data, desde o início.")
    paid_to: Annotated[End, AfterValidator(_after_the_start)] = Field(
        description="Pagas até este momento; de uma data, o dia inteiro."
    )
    deduct_refunds: Flag = Field(
        True, description="Se desconta o que a loja já recebeu por cobranças devolvidas depois de repassadas."
    )


class WhichRepayment(Input):
    """One repayment."""

    id: IdText = Field(description="Identificador do repasse.")


class ExportRepayment(WhichRepayment):
    """`GET /admin/repayments/{id}/export`."""

    tz: ZoneName | None = Field(None, description="Fuso horário (IANA) dos horários. Padrão: America/Sao_Paulo.")


class ConcludeRepayment(WhichRepayment):
    """`POST /admin/repayments/{id}/concluir`."""

    end_to_end_id: Annotated[EndToEndId | None, NoneIfEmpty] = Field(
        None, description="EndToEndId da transferência feita à loja."
    )


class RepaymentFilter(Period):
    """Filtros de repasses; todos os enviados valem juntos."""

    status: RepaymentStatus | None = Field(None, description="Só os repasses nesta situação.")
    store_id: IdText | None = Field(None, description="Da loja com este titular.")


class ListRepayments(RepaymentFilter, ListInput):
    """`GET /admin/repayments`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class ReceivedStatus(StrEnum):
    """How far a repayment is, for the store that gets it. One that staff has discarded isn't there for it."""

    recorded = RepaymentStatus.recorded.value
    done = RepaymentStatus.done.value


class ReceivedRepaymentFilter(Period):
    """Filtros dos repasses à loja; todos os enviados valem juntos."""

    status: ReceivedStatus | None = Field(None, description="Só os anotados (`recorded`) ou só os feitos (`done`).")


class ListReceivedRepayments(ReceivedRepaymentFilter, ListInput):
    """`GET /repayments`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")
