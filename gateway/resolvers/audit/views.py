"""What the API shows of the audit trail."""

from datetime import datetime
from typing import Any

from pydantic import Field

from gateway.models.audit import ActorType, Source
from gateway.models.base import Environment
from gateway.resolvers.core.views import View
from gateway.values.ids import Id


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
