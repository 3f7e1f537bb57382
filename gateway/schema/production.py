"""Production approval over GraphQL, as a merchant sees it. The bytes of documents go to the address of a ticket."""

from typing import Annotated

import strawberry

from gateway.models.production import DocumentType
from gateway.resolvers.core.tickets import UploadTicketView
from gateway.resolvers.production import documents, status
from gateway.resolvers.production.types import DocumentView, ProductionView
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_output, define_outputs

define_enum(
    DocumentType,
    "Documento que a loja envia para ser liberada.",
    company_registration="Contrato social ou certificado de MEI (CCMEI).",
    responsible_document="Documento de identidade do responsável.",
    proof_of_address="Comprovante de endereço.",
)
define_output(DocumentView, "ProductionDocument")
define_outputs(ProductionView, UploadTicketView)


@strawberry.type
class ProductionQuery:
    production = query_field(
        status.read_production, "A situação da liberação da loja para produção e o que falta para pedi-la."
    )
    production_documents = query_field(
        documents.list_documents, "Os documentos que a loja enviou, o último de cada tipo."
    )


@strawberry.type
class ProductionMutation:
    request_production = mutation_field(
        status.request_production, "Pede a liberação para produção. Os documentos se enviam antes."
    )

    begin_document_upload = mutation_field(
        documents.begin_upload,
        "Começa o envio de um documento: os bytes vão por `PUT` ao endereço da resposta, sem outro cabeçalho.",
        type=Annotated[DocumentType, strawberry.argument(description="Que documento é.")],
        file_name=Annotated[str, strawberry.argument(description="Nome do arquivo.")],
        size=Annotated[int, strawberry.argument(description="Tamanho em bytes, até 10 MB.")],
    )
