"""Production approval over GraphQL, as a merchant sees it. Documents are sent to
`POST /production/documents`.
"""

import strawberry

from gateway.models.production import DocumentType
from gateway.resolvers.production import documents, status
from gateway.resolvers.production.views import DocumentView, ProductionView
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
    @strawberry.mutation(
        description="Pede a liberação para produção. Os documentos se enviam antes, por `POST /production/documents`."
    )
    async def request_production(self, info: Info) -> ProductionView:
        return await status.request_production(info.context.call, {})
