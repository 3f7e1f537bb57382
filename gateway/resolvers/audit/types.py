"""Inputs and results of the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from gateway.models.audit import ActorType, Source
from gateway.models.base import Environment
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, ShortText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period, SearchText
from gateway.resolvers.core.views import View
from gateway.values.ids import Id

_Word = Annotated[ShortText | None, EmptyToNone]


class AuditFilter(Period):
    """Filtros da trilha de auditoria; todos os enviados valem juntos."""

    q: SearchText = Field(
        None,
        description="Busca um id inteiro, ou o começo de um endereço de IP ou de uma ação.",
    )
    action: _Word = Field(None, description="Só esta ação, como `coupon.updated`.")
    actor_type: ActorType | None = Field(None, description="Só atos deste tipo de autor.")
    actor_id: _Word = Field(None, description="Só atos deste autor: o id da pessoa ou da chave de API.")
    resource_type: _Word = Field(None, description="Só atos sobre este tipo de registro, como `charge`.")
    resource_id: _Word = Field(None, description="Só atos sobre este registro.")
    source: Source | None = Field(None, description="Só atos vindos por este caminho.")


class ListAudit(AuditFilter, ListInput):
    """`GET /audit`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class WhichAuditRecord(Input):
    """One record."""

    id: IdText = Field(description="Identificador do registro de auditoria.")


class AuditRecordView(View):
    """Um ato: quem, de onde, o que mudou, e o seu lugar na cadeia da loja.

    One action. The last three fields are its chain entry; null only while the worker has a long backlog.
    """

    id: Id = Field(description="Identificador do registro (UUID).")
    store_id: Id = Field(description="Titular da loja a que o ato diz respeito.")
    actor_type: ActorType = Field(
        description="Quem agiu: uma pessoa (`user`), uma chave de API (`api_key`), a equipe do serviço (`staff`), o próprio "
        "serviço (`system`), o provedor de pagamentos (`engine`) ou alguém sem credencial (`public`)."
    )
    actor_id: str | None = Field(description="Identificador da pessoa ou da chave de API.")
    actor_name: str | None = Field(description="Nome da pessoa ou da chave de API no momento do ato.")
    action: str = Field(description="O ato, como `coupon.updated`.")
    resource_type: str | None = Field(description="Tipo do registro a que o ato se refere, como `coupon`.")
    resource_id: str | None = Field(description="Identificador do registro a que o ato se refere.")
    environment: Environment = Field(description="Ambiente em que se agiu.")
    source: Source = Field(description="Por onde o ato veio: `rest`, `graphql`, `job`, `engine` ou `checkout`.")
    ip: str | None = Field(description="Endereço IP de quem agiu.")
    user_agent: str | None = Field(description="Programa de quem agiu, como ele se apresentou.")
    request_id: str | None = Field(description="Identificador da requisição, o mesmo de `X-Request-Id`.")
    changes: dict[str, Any] = Field(
        description="O que mudou, por campo: `{campo: {from, to}}`. Segredos e documentos vêm mascarados."
    )
    created_at: datetime = Field(description="Quando aconteceu.")
    position: int | None = Field(description="Lugar na cadeia da loja, a partir de 1, contando os dois ambientes.")
    prev_hash: str | None = Field(description="`hash` do registro anterior da cadeia; nulo no primeiro.")
    hash: str | None = Field(description="SHA-256 deste registro e de `prev_hash`, em hexadecimal.")
