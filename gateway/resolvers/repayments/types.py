"""Inputs and views of repayments, for staff and for the store."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from gateway.models.base import Environment
from gateway.models.repayments import RepaymentStatus, repayments
from gateway.resolvers.accounts.queries import person_name_of, store_name_of
from gateway.resolvers.core.inputs import EmptyToNone, End, Flag, IdText, Input, Start, ZoneName
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.resolvers.withdrawals.types import EndToEndId
from gateway.values.ids import Id
from gateway.values.money import Centavos


class ReceivedStatus(StrEnum):
    """State of a repayment, for its store. Discarded ones are hidden from it."""

    recorded = RepaymentStatus.recorded.value
    done = RepaymentStatus.done.value


class _RepaymentFields(View):
    """Fields for staff and for the store. Centavos here, reais in the API."""

    id: Id = Field(description="Identificador do repasse (UUID).")
    user_id: Id = Field(description="Titular da loja.")
    environment: Environment = Field(description="Sempre `live`.")
    paid_from: datetime = Field(description="Início do período.")
    paid_to: datetime = Field(description="Fim do período.")
    gross_amount: Centavos = Field(description="Soma das cobranças, em reais.")
    fee_amount: Centavos = Field(description="Tarifa do serviço, em reais.")
    deducted_amount: Centavos = Field(
        description="O que a loja já tinha recebido por cobranças devolvidas depois, e que este repasse desconta, em reais."
    )
    net_amount: Centavos = Field(description="O que a loja recebe, em reais.")
    charges_count: int = Field(description="Quantas cobranças.")
    deducted_count: int = Field(description="Quantas cobranças devolvidas este repasse desconta.")
    end_to_end_id: str | None = Field(description="EndToEndId da transferência feita à loja.")
    created_at: datetime = Field(description="Quando foi anotado.")
    concluded_at: datetime | None = Field(description="Quando foi dado por feito.")


class ReceivedRepaymentView(_RepaymentFields):
    """Um repasse do serviço à loja: as cobranças pagas num período, com o que a loja recebe por elas.

    A repayment for its store, without the names of staff.
    """

    status: ReceivedStatus = Field(description="Situação: `recorded` (o dinheiro ainda será enviado) ou `done`.")


class RepaymentView(_RepaymentFields):
    """Um repasse: as cobranças pagas de uma loja num período, com o que a loja recebe por elas.

    A repayment for staff.
    """

    status: RepaymentStatus = Field(description="Situação do repasse.")
    store_name: str | None = Field(description="Nome da loja.")
    recorded_by: Id = Field(description="Quem anotou o repasse.")
    recorded_by_name: str | None = Field(description="O nome de quem o anotou.")
    concluded_by: Id | None = Field(description="Quem o deu por feito.")
    concluded_by_name: str | None = Field(description="O nome de quem o deu por feito.")


_R = repayments
_MONEY = {"gross_amount": _R.c.gross, "fee_amount": _R.c.fee, "deducted_amount": _R.c.deducted, "net_amount": _R.c.net}
REPAYMENT_COLUMNS = columns_of_view(
    RepaymentView,
    _R,
    **_MONEY,
    store_name=store_name_of(_R.c.user_id),
    recorded_by_name=person_name_of(_R.c.recorded_by),
    concluded_by_name=person_name_of(_R.c.concluded_by),
)
RECEIVED_COLUMNS = columns_of_view(ReceivedRepaymentView, _R, **_MONEY)


def _after_paid_from(paid_to: datetime, info: ValidationInfo) -> datetime:
    if paid_to < info.data.get("paid_from", paid_to):
        raise ValueError("deve vir depois de paid_from")
    return paid_to


class RecordRepayment(Input):
    """As cobranças pagas de uma loja num período, a repassar de uma vez.

    `POST /admin/repayments`.
    """

    store_id: IdText = Field(description="Titular da loja.")
    paid_from: Start = Field(description="Pagas a partir deste momento; de uma data, desde o início.")
    paid_to: Annotated[End, AfterValidator(_after_paid_from)] = Field(
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

    end_to_end_id: Annotated[EndToEndId | None, EmptyToNone] = Field(
        None, description="EndToEndId da transferência feita à loja."
    )


class RepaymentFilter(Period):
    """Filtros de repasses; todos os enviados valem juntos."""

    status: RepaymentStatus | None = Field(None, description="Só os repasses nesta situação.")
    store_id: IdText | None = Field(None, description="Da loja com este titular.")


class ListRepayments(RepaymentFilter, ListInput):
    """`GET /admin/repayments`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class ReceivedRepaymentFilter(Period):
    """Filtros dos repasses à loja; todos os enviados valem juntos."""

    status: ReceivedStatus | None = Field(None, description="Só os anotados (`recorded`) ou só os feitos (`done`).")


class ListReceivedRepayments(ReceivedRepaymentFilter, ListInput):
    """`GET /repayments`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")
