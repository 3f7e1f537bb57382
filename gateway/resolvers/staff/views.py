"""Views of merchants and discrepancies for staff."""

from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, case, func, select

from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.models.production import production_status_changes
from gateway.models.reconciliation import DifferenceKind, Resolution, reconciliation_discrepancies
from gateway.resolvers.core.views import View
from gateway.resolvers.production.views import DocumentView
from gateway.resolvers.staff.inputs import DifferenceStatus
from gateway.values.ids import Id
from gateway.values.money import Centavos


class MerchantView(View):
    """Um lojista, como a equipe do serviço o vê na fila."""

    id: Id = Field(description="Identificador da conta e da loja (UUID).")
    name: str = Field(description="Nome da pessoa.")
    email: str = Field(description="E-mail de acesso.")
    company: str | None = Field(description="Nome da loja.")
    cnpj: str | None = Field(description="CNPJ, sem formatação.")
    phone: str | None = Field(description="Telefone com DDD.")
    production_status: ProductionStatus = Field(description="Situação da liberação para produção.")
    production_requested_at: datetime | None = Field(description="Quando pediu a liberação.")
    production_reviewed_at: datetime | None = Field(description="Quando a equipe decidiu.")
    production_reject_reason: str | None = Field(description="O que a equipe disse ao recusar ou suspender.")
    created_at: datetime = Field(description="Quando a conta foi criada.")


class ProductionMoveView(View):
    """Uma mudança na situação da liberação de uma loja."""

    id: Id = Field(description="Identificador da mudança (UUID).")
    from_status: ProductionStatus = Field(description="Situação anterior.")
    to_status: ProductionStatus = Field(description="Situação nova.")
    reason: str | None = Field(description="Motivo da recusa ou da suspensão.")
    submitted: dict[str, Any] | None = Field(
        description="O que o pedido apresentou: `company`, `cnpj` e o SHA-256 de cada documento em `documents`."
    )
    actor_id: Id = Field(description="Quem fez a mudança.")
    actor_name: str = Field(description="O nome de quem a fez.")
    created_at: datetime = Field(description="Quando foi feita.")


class MerchantDetailView(MerchantView):
    """Um lojista com o cadastro, os documentos e o histórico da liberação."""

    cpf: str | None = Field(description="CPF, sem formatação.")
    address: str | None = Field(description="Logradouro.")
    address_number: str | None = Field(description="Número.")
    complement: str | None = Field(description="Complemento.")
    province: str | None = Field(description="Bairro.")
    postal_code: str | None = Field(description="CEP.")
    company_type: str | None = Field(description="Tipo de empresa.")
    production_terms_accepted_at: datetime | None = Field(description="Quando aceitou os termos de produção.")
    production_terms_url: str | None = Field(description="Endereço dos termos que aceitou.")
    documents: list[DocumentView] = Field(
        description="Os documentos enviados; o arquivo se baixa em `GET /admin/lojistas/{id}/documentos/{document_id}`."
    )
    history: list[ProductionMoveView] = Field(description="As mudanças de situação, da primeira à última.")


class DocumentFile(View):
    """The file of a document, with its download name."""

    name: str
    content_type: str
    content: bytes


_RELATED = {"documents", "history"}
MERCHANT_COLUMNS = [users.c[name] for name in MerchantView.model_fields]
DETAIL_COLUMNS = [users.c[name] for name in MerchantDetailView.model_fields if name not in _RELATED]
HISTORY_COLUMNS = [production_status_changes.c[name] for name in ProductionMoveView.model_fields]


class DifferenceView(View):
    """Uma diferença entre o que registramos de uma cobrança e o que o provedor de pagamentos diz dela."""

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
