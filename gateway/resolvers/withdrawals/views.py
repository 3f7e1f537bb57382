"""What the API shows of a withdrawal and of a store's balance, and the columns they come from."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, func, select

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.core.views import View
from gateway.settings import ReceivingMode
from gateway.values.ids import Id
from gateway.values.money import Centavos


class WithdrawalView(View):
    """Um saque do saldo da loja para uma chave Pix.

    A withdrawal (contract section 6). Money in centavos here, in reais at the doors.
    """

    id: Id = Field(description="Identificador do saque (UUID).")
    user_id: Id = Field(description="Titular da loja.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    status: WithdrawalStatus = Field(description="Situação do saque.")
    amount: Centavos = Field(description="Valor que sai do saldo, em reais.")
    fee_amount: Centavos = Field(description="O que o provedor retém da transferência, em reais.")
    net_amount: Centavos = Field(description="Valor menos a tarifa: o que chega à chave, em reais.")
    pix_key: str = Field(description="Chave Pix de destino.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    description: str | None = Field(description="Descrição.")
    external_reference: str | None = Field(description="Referência do lojista.")
    reject_reason: str | None = Field(description="Por que foi recusado.")
    end_to_end_id: str | None = Field(description="EndToEndId da transferência.")
    created_at: datetime = Field(description="Quando foi pedido.")
    completed_at: datetime | None = Field(description="Quando foi concluído.")
    rejected_at: datetime | None = Field(description="Quando foi recusado.")


class StaffWithdrawalView(WithdrawalView):
    """Um saque, como a equipe do serviço o vê.

    A withdrawal with what staff needs to look for it at the engine.
    """

    store_name: str | None = Field(description="Nome da loja.")
    engine: str = Field(description="Provedor que faz a transferência.")
    engine_id: str | None = Field(
        description="Identificador da transferência no provedor; nulo enquanto não se sabe se ele a recebeu."
    )


class WithdrawalSummaryView(View):
    """O saldo da loja no ambiente da credencial.

    `GET /withdrawals/summary`. Money in centavos here, in reais at the doors.
    """

    gross_amount: Centavos = Field(description="Soma das cobranças pagas, em reais.")
    fee_amount: Centavos = Field(description="Tarifas do serviço retidas na origem, em reais; na conta única, zero.")
    net_amount: Centavos = Field(description="Soma das cobranças menos as tarifas, em reais.")
    withdrawn_amount: Centavos = Field(description="O que já saiu, por saque ou por repasse, em reais.")
    pending_amount: Centavos = Field(
        description="O que está saindo: saques em andamento e repasses anotados, em reais."
    )
    available_amount: Centavos = Field(
        description="O que ainda pode sair, em reais. Negativo se uma cobrança foi devolvida depois do saque."
    )
    charges_count: int = Field(description="Quantas cobranças estão pagas.")
    withdrawals_count: int = Field(description="Quantos saques foram concluídos.")
    modo: ReceivingMode = Field(description="Modo de recebimento: `conta_unica` ou `subconta`.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")


_W, _U = withdrawals, users
_DERIVED: dict[str, ColumnElement[Any]] = {
    "net_amount": (_W.c.amount - _W.c.fee_amount).label("net_amount"),
    "store_name": select(func.coalesce(_U.c.company, _U.c.name))
    .where(_U.c.id == _W.c.user_id)
    .scalar_subquery()
    .label("store_name"),
}


def _columns(view: type[View]) -> list[ColumnElement[Any]]:
    return [_DERIVED[name] if name in _DERIVED else _W.c[name] for name in view.model_fields]


WITHDRAWAL_COLUMNS = _columns(WithdrawalView)
STAFF_COLUMNS = _columns(StaffWithdrawalView)
_STORED = [name for name in WithdrawalView.model_fields if name != "net_amount"]


def withdrawal_view(row: Mapping[str, Any]) -> WithdrawalView:
    """A row of the table as the API shows it."""
    values = {name: row[name] for name in _STORED}
    return WithdrawalView.of(values | {"net_amount": row["amount"] - row["fee_amount"]})
