"""What the service's staff sees of differences."""

from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, case, func, select

from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.models.reconciliation import DifferenceKind, Resolution, reconciliation_discrepancies
from gateway.resolvers.core.views import View
from gateway.resolvers.staff.difference_inputs import DifferenceStatus
from gateway.values.ids import Id
from gateway.values.money import Centavos


class DifferenceView(View):
    """Uma diferença entre o que registramos de uma cobrança e o que o provedor de pagamentos diz dela.

    A difference between us and an engine that doesn't mend itself.
    """

    id: Id = Field(description="Identificador da diferença (UUID).")
    user_id: Id = Field(description="Titular da loja dona da cobrança.")
    store_name: str | None = Field(description="Nome da loja.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    charge_id: Id = Field(description="Cobrança; em `unclaimed`, a que seria, e que não existe.")
    txid: str | None = Field(description="Identificador Pix da cobrança; nulo em `unclaimed`.")
    kind: DifferenceKind = Field(
        description="O que difere: `amount` (pagou outro valor), `status` (paga ou devolvida só aqui), `missing` (o provedor "
        "não a conhece), `payable` (encerrada aqui, pagável lá), `mistaken` (outra cobrança lá), `partial_refund` "
        "(devolvida em parte), `chargeback` (contestada), `unclaimed` (pagamento de um pedido que falhou aqui)."
    )
    status: DifferenceStatus = Field(description="Se ainda espera alguém: `open` ou `resolved`.")
    charge_status: ChargeStatus | None = Field(
        description="Situação da cobrança aqui, quando foi vista pela última vez; nulo em `unclaimed`."
    )
    engine: str = Field(description="Provedor.")
    engine_id: str = Field(description="Identificador da cobrança no provedor.")
    engine_status: str | None = Field(
        description="Situação no provedor: `pending`, `paid`, `retired` ou `refunded`; nulo onde ele não a conhece."
    )
    amount: Centavos = Field(description="Valor da cobrança, em reais.")
    engine_amount: Centavos | None = Field(description="Valor no provedor, em reais: o pago, ou o pedido.")
    event: str | None = Field(description="Aviso do provedor pelo qual se soube; nulo quando foi a conciliação.")
    created_at: datetime = Field(description="Quando foi vista pela primeira vez.")
    seen_at: datetime = Field(description="Quando foi vista pela última vez.")
    resolved_at: datetime | None = Field(description="Quando foi encerrada.")
    resolution: Resolution | None = Field(
        description="Como foi encerrada: `mended` (deixou de diferir) ou `staff` (a equipe encerrou)."
    )
    resolved_by_id: Id | None = Field(description="Quem encerrou.")
    resolved_by_name: str | None = Field(description="O nome de quem encerrou.")
    note: str | None = Field(description="O que foi feito.")


_D, _U = reconciliation_discrepancies, users
_DERIVED: dict[str, ColumnElement[Any]] = {
    "store_name": select(func.coalesce(_U.c.company, _U.c.name)).where(_U.c.id == _D.c.user_id).scalar_subquery(),
    "status": case((_D.c.resolved_at.is_(None), DifferenceStatus.open.value), else_=DifferenceStatus.resolved.value),
}
DIFFERENCE_COLUMNS: list[ColumnElement[Any]] = [
    _DERIVED[name].label(name) if name in _DERIVED else _D.c[name] for name in DifferenceView.model_fields
]
