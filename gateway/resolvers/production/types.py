"""Inputs and results of the production review."""

import hashlib
import re
import unicodedata
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, Strict, StrictInt
from pydantic.json_schema import SkipJsonSchema

from gateway.models.accounts import ProductionStatus
from gateway.models.production import DocumentType, production_documents
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id

MAX_FILE_BYTES = 10 * 1024 * 1024
"""Contract section 3: 10 MB."""
MAX_FILE_NAME_LENGTH = 120
_PATH = re.compile(r"[\\/]")


def _file_name(value: object) -> str:
    """The name without folders, and without invisible and control characters."""
    name = _PATH.split(value)[-1] if isinstance(value, str) else ""
    visible = "".join(each for each in name if unicodedata.category(each)[0] != "C" and each not in "\u2028\u2029")
    return visible.strip()[:MAX_FILE_NAME_LENGTH] or "documento"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


FileContent = Annotated[bytes, Strict(), PlainSerializer(_digest, when_used="json")]
"""A whole file. An `Idempotency-Key` recognizes it by its digest."""


class UploadDocument(Input):
    """Um documento da loja.

    `POST /production/documents` (multipart). The file's type is recognized by content; the form's declaration is
    ignored.
    """

    type: DocumentType = Field(description="Que documento é.")
    file: FileContent = Field(description="PDF, JPEG ou PNG de até 10 MB.")
    file_name: SkipJsonSchema[Annotated[str, BeforeValidator(_file_name)]] = "documento"


class BeginUpload(Input):
    """Um documento a enviar.

    `beginDocumentUpload`: the bytes follow by `PUT` to the address of the ticket.
    """

    type: DocumentType = Field(description="Que documento é.")
    file_name: Annotated[str, BeforeValidator(_file_name)] = Field("documento", description="Nome do arquivo.")
    size: Annotated[StrictInt, Field(ge=1)] = Field(description="Tamanho em bytes, até 10 MB.")


class UploadByTicket(Input):
    """`PUT /uploads/{ticket}`: the bytes of the file are the body."""

    ticket: str = Field(description="O que o endereço do envio contém.")
    file: FileContent = Field(description="PDF, JPEG ou PNG de até 10 MB.")


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


DOCUMENT_COLUMNS = columns_of_view(DocumentView, production_documents)
