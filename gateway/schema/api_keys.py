"""API keys over GraphQL."""

import strawberry

from gateway.models.api_keys import Scope
from gateway.resolvers.api_keys import operations
from gateway.resolvers.api_keys.types import (
    ApiKeyFilter,
    ApiKeyOrder,
    ApiKeyStatus,
    ApiKeyView,
    CreateApiKey,
    NewApiKeyView,
    UpdateApiKey,
)
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.inputs import ByCreation
from gateway.schema.connections import export_field, list_field
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    Scope,
    "O que uma chave de API pode fazer: ler; cobrar; o catálogo; saques; devoluções.",
    read="Ler.",
    charges="Cobranças, clientes e assinaturas.",
    catalogue="Produtos, cupons e links de pagamento.",
    withdrawals="Pedir saques.",
    refunds="Devolver cobranças pagas.",
)
define_enum(
    ApiKeyStatus,
    "Se uma chave de API está ativa.",
    active="Está ativa; se venceu, é recusada ainda assim.",
    inactive="Foi desativada.",
)
define_enum(ApiKeyOrder, "Ordem de uma lista de chaves de API.")
define_enum(ByCreation, "Ordem pela data de criação.")

define_output(ApiKeyView, "ApiKey")
define_output(NewApiKeyView, "NewApiKey")
define_output(Deleted, "Deleted")
define_input(CreateApiKey, "CreateApiKeyInput")
define_input(UpdateApiKey, "UpdateApiKeyInput")
define_input(ApiKeyFilter, "ApiKeyFilter")


@strawberry.type
class ApiKeysQuery:
    @strawberry.field(description="Uma chave de API.")
    async def api_key(self, info: Info, id: strawberry.ID) -> ApiKeyView:
        return await operations.read_api_key(info.context.call, {"id": id})

    api_keys = list_field(
        operations.list_api_keys, ApiKeyFilter, description="As chaves de API da loja, dos dois ambientes."
    )


@strawberry.type
class ApiKeysMutation:
    @strawberry.mutation(description="Cria uma chave de API; a resposta é a única vez em que ela aparece.")
    async def create_api_key(self, info: Info, input: CreateApiKey) -> NewApiKeyView:
        return await operations.create_api_key(info.context.call, input)

    @strawberry.mutation(description="Renomeia, desativa ou reativa uma chave.")
    async def update_api_key(self, info: Info, input: UpdateApiKey) -> ApiKeyView:
        return await operations.update_api_key(info.context.call, input)

    @strawberry.mutation(description="Revoga uma chave para sempre.")
    async def revoke_api_key(self, info: Info, id: strawberry.ID) -> Deleted:
        return await operations.revoke_api_key(info.context.call, {"id": id})

    export_api_keys = export_field(
        operations.export_api_keys,
        ApiKeyFilter,
        description="Exporta as chaves de API da loja, sem as próprias chaves.",
    )
