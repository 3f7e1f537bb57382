"""The actor: the authenticated caller of an operation."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from gateway.models.accounts import ProductionStatus
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.models.production import DocumentType
from gateway.values.clock import Clock


class Credential(StrEnum):
    """The kind of the caller's credential."""

    none = "none"
    session = "session"
    api_key = "api_key"
    system = "system"


class Role(StrEnum):
    """The role of a person in a store (contract section 3)."""

    owner = "owner"
    admin = "admin"
    finance = "finance"
    operator = "operator"
    viewer = "viewer"


COMPANY_DATA = ("company", "cnpj")
"""The fields of the profile that live operation requires."""
REQUESTABLE = {ProductionStatus.sandbox, ProductionStatus.rejected}


class Production(Struct, frozen=True):
    """The store's production status, as every request needs it."""

    status: ProductionStatus
    requested_at: datetime | None = None
    reviewed_at: datetime | None = None
    reject_reason: str | None = None
    terms_url: str | None = None
    """The URL of the service's production terms."""
    owner: Mapping[str, Any] = field(default_factory=dict)
    """The owner's row, from which `missing` is computed on demand."""

    @classmethod
    def of(cls, user: Mapping[str, Any], terms_url: str | None) -> "Production":
        """From a row of `users` with `production_documents`, which may be null if approval can't be requested."""
        return cls(
            ProductionStatus(user["production_status"]),
            user["production_requested_at"],
            user["production_reviewed_at"],
            user["production_reject_reason"],
            terms_url,
            user,
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """What a request for live operation still needs."""
        if not self.owner:
            return ()
        sent = set(self.owner["production_documents"] or ())
        return (
            *(name for name in COMPANY_DATA if not self.owner[name]),
            *(document.value for document in DocumentType if document not in sent),
            *(() if self.owner["production_terms_accepted_at"] else ("accept_production_terms",)),
        )

    @property
    def approved(self) -> bool:
        return self.status is ProductionStatus.approved

    def block(self) -> dict[str, Any]:
        """The `producao` block that refusals carry (contract section 3)."""
        return {
            "liberada": self.approved,
            "status": self.status.value,
            "solicitada_em": self.requested_at.isoformat() if self.requested_at else None,
            "revisada_em": self.reviewed_at.isoformat() if self.reviewed_at else None,
            "motivo_recusa": self.reject_reason,
            "pendencias": list(self.missing) if self.status in REQUESTABLE else [],
            "termos_url": self.terms_url,
        }


class Actor(Struct, frozen=True):
    """The caller, the store acted in, and the environment. `store_id` is the user id of the store's owner."""

    credential: Credential
    environment: Environment = Environment.test
    user_id: str = ""
    store_id: str = ""
    name: str = ""
    store_name: str = ""
    role: Role = Role.owner
    is_staff: bool = False
    lacks_second_factor: bool = False
    """Whether the caller would be staff with the required second factor."""
    key_id: str | None = None
    scopes: frozenset[Scope] | None = None
    """The scopes of an API key; None for all."""
    session_id: str = ""
    session_version: int = 0
    production: Production = Production(ProductionStatus.sandbox)
    clock: Clock | None = None
    """The store's test clock; None for real time."""


ANONYMOUS = Actor(Credential.none)
SYSTEM = Actor(Credential.system)
