"""What callers say about API keys."""

from enum import StrEnum

from pydantic import Field

from gateway.models.base import Environment
from gateway.resolvers.inputs import Flag, IdText, Input, Name
from gateway.resolvers.listing.inputs import ByCreation, ListInput, Period


class CreateApiKey(Input):
    """Uma nova chave de API.

    `POST /api-keys`.
    """

    name: Name = Field(description="Nome da integração.")
    environment: Environment = Field(Environment.live, description="`live` (padrão) ou `test`.")


class UpdateApiKey(Input):
    """Mudanças em uma chave; só os campos enviados mudam.

    `PUT /api-keys/{id}`: only sent fields change.
    """

    id: IdText = Field(description="Identificador da chave.")
    name: Name | None = Field(None, description="Novo nome.")
    active: Flag | None = Field(None, description="Se a chave é aceita.")


class WhichApiKey(Input):
    """One API key."""

    id: IdText = Field(description="Identificador da chave.")


class ApiKeyStatus(StrEnum):
    """Whether a key is accepted."""

    active = "active"
    inactive = "inactive"


class ApiKeyFilter(Period):
    """Filtros de chaves de API; todos os enviados valem juntos."""

    status: ApiKeyStatus | None = Field(None, description="Só as aceitas ou só as desativadas.")
    environment: Environment | None = Field(None, description="Só as de um ambiente.")


class ListApiKeys(ApiKeyFilter, ListInput):
    """`GET /api-keys`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")
