"""Inputs and results of the API key operations."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field

from gateway.models.api_keys import Scope, api_keys
from gateway.models.base import Environment
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import PAST_END, End, Flag, IdText, Input, Name, NeverNull, in_context
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id


def _without_duplicates(scopes: list[Scope]) -> list[Scope]:
    if not scopes:
        raise ValueError("informe ao menos um escopo, ou deixe o campo de fora")
    return [scope for scope in Scope if scope in scopes]


Scopes = Annotated[
    list[Scope], Field(max_length=20, json_schema_extra={"minItems": 1}), AfterValidator(_without_duplicates)
]


def _refuse_past(expires_at: datetime, ctx: Context) -> None:
    if expires_at <= ctx.real_clock.now():
        raise ValueError(PAST_END)


class CreateApiKey(Input):
    """Uma nova chave de API."""

    name: Name = Field(description="Nome da integração.")
    environment: Environment = Field(Environment.live, description="`live` (padrão) ou `test`.")
    scopes: Scopes | None = Field(
        None, description="O que a chave pode fazer; sem o campo, tudo o que uma chave pode. Não muda depois."
    )
    expires_at: Annotated[End | None, in_context(_refuse_past)] = Field(
        None, description="Até quando a chave é aceita; de uma data, o dia inteiro. Sem o campo, até ser revogada."
    )


class UpdateApiKey(Input):
    """Mudanças em uma chave; só os campos enviados mudam."""

    id: IdText = Field(description="Identificador da chave.")
    name: Annotated[Name | None, NeverNull] = Field(None, description="Novo nome.")
    active: Annotated[Flag | None, NeverNull] = Field(None, description="Se a chave é aceita.")


class WhichApiKey(Input):
    """One API key."""

    id: IdText = Field(description="Identificador da chave.")


class ApiKeyStatus(StrEnum):
    """Whether a key is accepted."""

    active = "active"
    inactive = "inactive"


class ApiKeyOrder(StrEnum):
    """The orders of a list of API keys; keys that were never used come before all others."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    last_used_at_desc = "-last_used_at"
    last_used_at_asc = "last_used_at"


class ApiKeyFilter(Period):
    """Filtros de chaves de API; todos os enviados valem juntos."""

    status: ApiKeyStatus | None = Field(
        None, description="Só as aceitas agora (`active`) ou só as desativadas e vencidas (`inactive`)."
    )
    environment: Environment | None = Field(None, description="Só as de um ambiente.")


class ListApiKeys(ApiKeyFilter, ListInput):
    """`GET /api-keys`: everything optional."""

    sort: ApiKeyOrder = Field(ApiKeyOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


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


API_KEY_COLUMNS = columns_of_view(ApiKeyView, api_keys)
