"""Inputs of API keys."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import PAST_END, End, Flag, IdText, Input, Name, NeverNull, in_context
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period


def _without_duplicates(scopes: list[Scope]) -> list[Scope]:
    if not scopes:
        raise ValueError("informe ao menos um escopo, ou deixe o campo de fora")
    return [scope for scope in Scope if scope in scopes]


Scopes = Annotated[list[Scope], Field(max_length=20), AfterValidator(_without_duplicates)]


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


class ApiKeyFilter(Period):
    """Filtros de chaves de API; todos os enviados valem juntos."""

    status: ApiKeyStatus | None = Field(
        None, description="Só as aceitas agora (`active`) ou só as desativadas e vencidas (`inactive`)."
    )
    environment: Environment | None = Field(None, description="Só as de um ambiente.")


class ListApiKeys(ApiKeyFilter, ListInput):
    """`GET /api-keys`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")
