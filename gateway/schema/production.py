"""Production approval over GraphQL, as a merchant sees it. The bytes of documents go to the address of a ticket."""

from typing import Annotated

import strawberry

from gateway.models.production import DocumentType
from gateway.resolvers.core.tickets import UploadTicketView
from gateway.resolvers.production import documents, status
from gateway.resolvers.production.types import DocumentView, ProductionView
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_output

define_enum(
    DocumentType,
    "Documento que a loja envia para ser liberada.",
    company_registration="Contrato social ou certificado de MEI (CCMEI).",
    responsible_document="Documento de identidade do responsável.",
    proof_of_address="Comprovante de endereço.",
)
define_output(DocumentView, "ProductionDocument")
define_output(ProductionView, "Production")
define_output(UploadTicketView, "UploadTicket")


@strawberry.type
class ProductionQuery:
    @strawberry.field(description="A situação da liberação da loja para produção e o que falta para pedi-la.")
    async def production(self, info: Info) -> ProductionView:
        return await status.read_production(info.context.call, {})

    @strawberry.field(description="Os documentos que a loja enviou, o último de cada tipo.")
    async def production_documents(self, info: Info) -> list[DocumentView]:
        return (await documents.list_documents(info.context.call, {})).items


@strawberry.type
class ProductionMutation:
    @strawberry.mutation(description="Pede a liberação para produção. Os documentos se enviam antes.")
    async def request_production(self, info: Info) -> ProductionView:
        return await status.request_production(info.context.call, {})

    @strawberry.mutation(
        description="Começa o envio de um documento: os bytes vão por `PUT` ao endereço da resposta, sem outro cabeçalho."
    )
    async def begin_document_upload(
        self,
        info: Info,
        type: Annotated[DocumentType, strawberry.argument(description="Que documento é.")],
        file_name: Annotated[str, strawberry.argument(description="Nome do arquivo.")],
        size: Annotated[int, strawberry.argument(description="Tamanho em bytes, até 10 MB.")],
    ) -> UploadTicketView:
        order = {"type": type.value, "file_name": file_name, "size": size}
        return await documents.begin_upload(info.context.call, order)
