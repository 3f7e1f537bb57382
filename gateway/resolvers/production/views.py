"""Views of the production review."""

from datetime import datetime

from pydantic import Field

from gateway.models.accounts import ProductionStatus
from gateway.models.production import DocumentType, production_documents
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class ProductionView(View):
    """A situação da liberação para produção.

    The `producao` block (contract section 3), in `GET /production` and in errors.
    """

    liberada: bool = Field(description="Se a loja pode operar em produção.")
    status: ProductionStatus = Field(description="Situação da liberação.")
    solicitada_em: datetime | None = Field(description="Quando o último pedido foi feito.")
    revisada_em: datetime | None = Field(description="Quando a equipe decidiu; nulo enquanto não decide.")
    motivo_recusa: str | None = Field(description="O que a equipe disse ao recusar ou suspender.")
    pendencias: list[str] = Field(
        description="O que falta para pedir: campos do perfil, tipos de documento, `accept_production_terms`."
    )
    termos_url: str | None = Field(
        description="Onde ler os termos de produção, que se aceitam com `accept_production_terms` no perfil; nulo se o "
        "serviço não publica um endereço."
    )


class DocumentView(View):
    """Um documento enviado. O arquivo em si só a equipe do serviço baixa."""

    id: Id = Field(description="Identificador do documento (UUID).")
    type: DocumentType = Field(description="Que documento é.")
    file_name: str = Field(description="Nome do arquivo, como foi enviado.")
    content_type: str = Field(
        description="Tipo do arquivo, reconhecido pelo conteúdo: `application/pdf`, `image/jpeg` ou `image/png`."
    )
    size: int = Field(description="Tamanho em bytes.")
    sha256: str = Field(description="SHA-256 do arquivo guardado, em hexadecimal.")
    uploaded_at: datetime = Field(description="Quando foi enviado.")


DOCUMENT_COLUMNS = [production_documents.c[name] for name in DocumentView.model_fields]
