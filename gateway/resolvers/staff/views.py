"""What the service's staff sees of merchants."""

from datetime import datetime
from typing import Any

from pydantic import Field

from gateway.models.accounts import ProductionStatus, users
from gateway.models.production import production_moves
from gateway.resolvers.core.views import View
from gateway.resolvers.production.views import DocumentView
from gateway.values.ids import Id


class MerchantView(View):
    """Um lojista, como a equipe do serviço o vê na fila.

    A merchant, as staff sees them in the queue. The id is the account's and the store's.
    """

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
    """Uma mudança na situação da liberação de uma loja.

    One move of a store's production status.
    """

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
    """Um lojista com o cadastro, os documentos e o histórico da liberação.

    A merchant with everything that a decision needs.
    """

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
    """The file of a document, to be downloaded under a name of ours."""

    name: str
    content_type: str
    content: bytes


_RELATED = {"documents", "history"}
MERCHANT_COLUMNS = [users.c[name] for name in MerchantView.model_fields]
DETAIL_COLUMNS = [users.c[name] for name in MerchantDetailView.model_fields if name not in _RELATED]
MOVE_COLUMNS = [production_moves.c[name] for name in ProductionMoveView.model_fields]
