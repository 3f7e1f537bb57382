"""Views of API keys."""

from datetime import datetime
from typing import Self

from pydantic import Field

from gateway.models.api_keys import Scope, api_keys
from gateway.models.base import Environment
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


class ApiKeyView(View):
    """Uma chave de API. A chave em si nunca mais é mostrada depois da criação."""

    id: Id = Field(description="Identificador da chave (UUID).")
    name: str = Field(description="Nome da integração.")
    prefix: str = Field(description="Primeiros caracteres da chave.")
    environment: Environment = Field(description="Ambiente fixo da chave.")
    active: bool = Field(description="Se a chave é aceita agora: ativa e não vencida.")
    scopes: list[Scope] | None = Field(description="O que a chave pode fazer; nulo se tudo o que uma chave pode.")
    expires_at: datetime | None = Field(description="Até quando a chave é aceita; nulo se até ser revogada.")
    last_used_at: datetime | None = Field(description="Último uso, com precisão de um minuto.")
    created_at: datetime = Field(description="Quando foi criada.")

    def as_of(self, now: datetime) -> Self:
        """The key with its `active` at this time."""
        return self.replaced(active=self.active and (self.expires_at is None or now < self.expires_at))


class NewApiKeyView(ApiKeyView):
    """Uma chave recém-criada, com a chave completa, só desta vez."""

    key: str = Field(description="A chave completa. Guarde agora: ela não será mostrada de novo.")


API_KEY_COLUMNS = [api_keys.c[name] for name in ApiKeyView.model_fields]
