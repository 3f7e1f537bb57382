"""Inputs and results of staff's operations on merchants and discrepancies."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field
from sqlalchemy import case

from gateway.errors import NotFound
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus
from gateway.models.production import production_status_changes
from gateway.models.reconciliation import DiscrepancyKind, Resolution, reconciliation_discrepancies
from gateway.resolvers.accounts.queries import store_name_of
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, LongText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.resolvers.production.types import DocumentView
from gateway.values.ids import Id
from gateway.values.money import Centavos


def _required(message: str) -> AfterValidator:
    def validate(text: str) -> str:
        if not text:
            raise ValueError(message)
        return text

    return AfterValidator(validate)


Reason = Annotated[LongText, _required("diga o motivo")]


class MerchantOrder(StrEnum):
    """The orders of the list of merchants. `queue`: pending reviews first, the oldest request before others."""

    queue = "queue"
    created_at_desc = "-created_at"
    created_at_asc = "created_at"


class MerchantFilter(Period):
    """Filtros de lojistas; todos os enviados valem juntos."""

    status: ProductionStatus | None = Field(None, description="Só os lojistas nesta situação.")


class ListMerchants(MerchantFilter, ListInput):
    """`GET /admin/lojistas`: everything optional."""

    sort: MerchantOrder = Field(
        MerchantOrder.queue, description="Ordem: `queue` traz primeiro quem espera, do pedido mais antigo ao mais novo."
    )


class WhichMerchant(Input):
    """One merchant."""

    id: IdText = Field(description="Identificador do lojista.")


class WhichDocument(WhichMerchant):
    """One document of one merchant."""

    unknown: ClassVar[Mapping[str, str]] = {**WhichMerchant.unknown, "document_id": NotFound.default_message}

    document_id: IdText = Field(description="Identificador do documento.")


class RefuseMerchant(WhichMerchant):
    """`POST /admin/lojistas/{id}/recusar`."""

    motivo: Reason = Field(description="Por que a loja não foi liberada; ela lê este texto.")


class SuspendMerchant(WhichMerchant):
    """`POST /admin/lojistas/{id}/suspender`."""

    motivo: Annotated[LongText | None, EmptyToNone] = Field(
        None, description="Por que a operação foi suspensa; a loja lê este texto."
    )


class DifferenceStatus(StrEnum):
    """Whether a discrepancy is still open."""

    open = "open"
    resolved = "resolved"


class DifferenceFilter(Period):
    """Filtros de diferenças; todos os enviados valem juntos."""

    status: DifferenceStatus | None = Field(None, description="Só as abertas (`open`) ou as encerradas (`resolved`).")
    kind: DiscrepancyKind | None = Field(None, description="Só as deste tipo.")
    environment: Environment | None = Field(None, description="Só as deste ambiente.")
    store_id: IdText | None = Field(None, description="Só as desta loja.")
    charge_id: IdText | None = Field(None, description="Só as desta cobrança.")


class ListDifferences(DifferenceFilter, ListInput):
    """`GET /admin/differences`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class WhichDifference(Input):
    """One discrepancy."""

    unknown: ClassVar[Mapping[str, str]] = {"id": "Diferença não encontrada."}

    id: IdText = Field(description="Identificador da diferença.")


class ResolveDifference(WhichDifference):
    """`POST /admin/differences/{id}/resolver`."""

    nota: Annotated[LongText, _required("diga o que foi feito")] = Field(
        description="O que foi feito; fica na auditoria da loja."
    )


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
MERCHANT_COLUMNS = columns_of_view(MerchantView, users)
DETAIL_COLUMNS = [users.c[name] for name in MerchantDetailView.model_fields if name not in _RELATED]
HISTORY_COLUMNS = columns_of_view(ProductionMoveView, production_status_changes)


class DifferenceView(View):
    """Uma diferença entre o que registramos de uma cobrança e o que o provedor de pagamentos diz dela."""

    id: Id = Field(description="Identificador da diferença (UUID).")
    user_id: Id | None = Field(
        description="Titular da loja dona da cobrança; em `unknown_payment`, da conta que recebeu, nulo se é a do serviço."
    )
    store_name: str | None = Field(description="Nome da loja; nulo onde não há loja.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    charge_id: Id | None = Field(
        description="Cobrança; em `unclaimed`, a que seria, e que não existe; nulo em `unknown_payment`."
    )
    txid: str | None = Field(
        description="Identificador Pix da cobrança, ou do pagamento em `unknown_payment`; nulo em `unclaimed`."
    )
    end_to_end_id: str | None = Field(description="EndToEndId do pagamento no provedor; nulo onde não se conhece.")
    kind: DiscrepancyKind = Field(
        description="O que difere: `amount` (pagou outro valor), `status` (paga ou devolvida só aqui), `missing` (o provedor "
        "não a conhece), `payable` (encerrada aqui, pagável lá), `mistaken` (outra cobrança lá), `partial_refund` "
        "(devolvida em parte), `chargeback` (contestada), `unclaimed` (pagamento de um pedido que falhou aqui), "
        "`unknown_payment` (pagamento recebido que não é de nenhuma cobrança daqui)."
    )
    status: DifferenceStatus = Field(description="Se ainda espera alguém: `open` ou `resolved`.")
    charge_status: ChargeStatus | None = Field(
        description="Situação da cobrança aqui, quando foi vista pela última vez; nulo onde não há cobrança."
    )
    engine: str = Field(description="Provedor.")
    engine_id: str = Field(description="Identificador da cobrança, ou do pagamento, no provedor.")
    engine_status: str | None = Field(
        description="Situação no provedor: `pending`, `paid`, `retired` ou `refunded`; nulo onde ele não a conhece."
    )
    amount: Centavos = Field(description="Valor da cobrança, em reais; em `unknown_payment`, o do pagamento.")
    engine_amount: Centavos | None = Field(description="Valor no provedor, em reais: o pago, ou o pedido.")
    event: str | None = Field(description="Aviso do provedor pelo qual se soube; nulo quando foi a conciliação.")
    created_at: datetime = Field(description="Quando foi vista pela primeira vez.")
    seen_at: datetime = Field(description="Quando foi vista pela última vez.")
    resolved_at: datetime | None = Field(description="Quando foi encerrada.")
    resolution: Resolution | None = Field(
        description="Como foi encerrada: `corrected` (deixou de diferir) ou `staff` (a equipe encerrou)."
    )
    resolved_by_id: Id | None = Field(description="Quem encerrou.")
    resolved_by_name: str | None = Field(description="O nome de quem encerrou.")
    note: str | None = Field(description="O que foi feito.")


_D = reconciliation_discrepancies
_status = case((_D.c.resolved_at.is_(None), DifferenceStatus.open.value), else_=DifferenceStatus.resolved.value)
DIFFERENCE_COLUMNS = columns_of_view(DifferenceView, _D, store_name=store_name_of(_D.c.user_id), status=_status)
