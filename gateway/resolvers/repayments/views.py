"""What the service's staff sees of repayments and what the store that gets one does, and the columns it comes from."""

from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, func, select

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.repayments import RepaymentStatus, repayments
from gateway.resolvers.core.views import View
from gateway.resolvers.repayments.inputs import ReceivedStatus
from gateway.values.ids import Id
from gateway.values.money import Centavos


class _Settled(View):
    """What of a repayment concerns both sides. Money in centavos here, in reais at the doors."""

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


class ReceivedRepaymentView(_Settled):
    """Um repasse do serviço à loja: as cobranças pagas num período, com o que a loja recebe por elas.

    A repayment, as its store sees it: without who of the staff did what.
    """

    status: ReceivedStatus = Field(description="Situação: `recorded` (o dinheiro ainda será enviado) ou `done`.")


class RepaymentView(_Settled):
    """Um repasse: as cobranças pagas de uma loja num período, com o que a loja recebe por elas.

    A repayment, as staff sees it.
    """

    status: RepaymentStatus = Field(description="Situação do repasse.")
    store_name: str | None = Field(description="Nome da loja.")
    recorded_by: Id = Field(description="Quem anotou o repasse.")
    recorded_by_name: str | None = Field(description="O nome de quem o anotou.")
    concluded_by: Id | None = Field(description="Quem o deu por feito.")
    concluded_by_name: str | None = Field(description="O nome de quem o deu por feito.")


_R, _U = repayments, users


def _name_of(account: ColumnElement[Any]) -> ColumnElement[Any]:
    return select(_U.c.name).where(_U.c.id == account).scalar_subquery()


_DERIVED: dict[str, ColumnElement[Any]] = {
    "store_name": select(func.coalesce(_U.c.company, _U.c.name)).where(_U.c.id == _R.c.user_id).scalar_subquery(),
    "recorded_by_name": _name_of(_R.c.recorded_by),
    "concluded_by_name": _name_of(_R.c.concluded_by),
    "gross_amount": _R.c.gross,
    "fee_amount": _R.c.fee,
    "deducted_amount": _R.c.deducted,
    "net_amount": _R.c.net,
}


def _columns(view: type[View]) -> list[ColumnElement[Any]]:
    return [_DERIVED[name].label(name) if name in _DERIVED else _R.c[name] for name in view.model_fields]


REPAYMENT_COLUMNS = _columns(RepaymentView)
RECEIVED_COLUMNS = _columns(ReceivedRepaymentView)
