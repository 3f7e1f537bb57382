"""Inputs of the audit trail."""

from typing import Annotated

from pydantic import Field

from gateway.models.audit import ActorType, Source
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, ShortText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period, SearchText

_Word = Annotated[ShortText | None, EmptyToNone]


class AuditFilter(Period):
    """Filtros da trilha de auditoria; todos os enviados valem juntos."""

    q: SearchText = Field(
        None,
        description="Busca um id inteiro, um endereço de IP ou o começo de um, ou parte da ação ou do nome de quem agiu.",
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
