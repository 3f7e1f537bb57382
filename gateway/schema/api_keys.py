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
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_outputs

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

define_outputs(ApiKeyView, NewApiKeyView, Deleted)
define_inputs(CreateApiKey, UpdateApiKey, ApiKeyFilter)


@strawberry.type
class ApiKeysQuery:
    api_key = query_field(operations.read_api_key, "Uma chave de API.", id=strawberry.ID)
    api_keys = list_field(operations.list_api_keys, ApiKeyFilter, "As chaves de API da loja, dos dois ambientes.")


@strawberry.type
class ApiKeysMutation:
    create_api_key = mutation_field(
        operations.create_api_key,
        "Cria uma chave de API; a resposta é a única vez em que ela aparece.",
        input=CreateApiKey,
    )
    update_api_key = mutation_field(
        operations.update_api_key, "Renomeia, desativa ou reativa uma chave.", input=UpdateApiKey
    )
    revoke_api_key = mutation_field(operations.revoke_api_key, "Revoga uma chave para sempre.", id=strawberry.ID)
    export_api_keys = export_field(
        operations.export_api_keys,
        ApiKeyFilter,
        "Exporta as chaves de API da loja, sem as próprias chaves.",
    )
