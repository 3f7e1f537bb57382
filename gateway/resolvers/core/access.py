"""Authorization. Each operation declares one `Permission`; `RULES` maps it to its requirements.

`Operation.admit` is the only place that checks them, so no transport can skip one. An operation that API keys may call
also has a `Scope`, for restricted keys.
"""

from enum import StrEnum

from msgspec import Struct

from gateway.errors import (
    LiveNotApproved,
    OwnerOnly,
    PanelOnly,
    RoleDenied,
    ScopeMissing,
    SecondFactorRequired,
    StaffOnly,
)
from gateway.models.accounts import ProductionStatus
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.resolvers.core.actor import Actor, Credential, Role


class Permission(StrEnum):
    """What an operation requires of its caller."""

    public = "public"
    """Anyone: no credential is read."""
    account = "account"
    """Any credential, about the caller's own account; `x-store` does not apply."""
    session = "session"
    """The caller's own panel session."""
    read = "read"
    """Any credential of the store."""
    operate = "operate"
    """Charges, customers and the catalogue."""
    finance = "finance"
    """Money out of the store, and exports."""
    manage = "manage"
    """The store's settings."""
    people = "people"
    """The store's members. Never an API key: a person is accountable for each invitation."""
    owner = "owner"
    """Actions on credentials: the store owner's panel session (specification section 5, rule 7)."""
    staff = "staff"
    """The service's staff, from the panel."""
    system = "system"
    """Workers and engine notifications; no transport offers it to a person."""


class Rule(Struct, frozen=True):
    """The requirements of one permission."""

    roles: frozenset[Role]
    panel: bool = False
    staff: bool = False
    own_account: bool = False
    """Whether it concerns the caller's own account, independent of `x-store`."""


_EVERYONE = frozenset(Role)
RULES: dict[Permission, Rule] = {
    Permission.public: Rule(_EVERYONE),
    Permission.account: Rule(_EVERYONE, own_account=True),
    Permission.session: Rule(_EVERYONE, panel=True, own_account=True),
    Permission.read: Rule(_EVERYONE),
    Permission.operate: Rule(frozenset({Role.owner, Role.admin, Role.operator})),
    Permission.finance: Rule(frozenset({Role.owner, Role.admin, Role.finance})),
    Permission.manage: Rule(frozenset({Role.owner, Role.admin})),
    Permission.people: Rule(frozenset({Role.owner, Role.admin}), panel=True),
    Permission.owner: Rule(frozenset({Role.owner}), panel=True),
    Permission.staff: Rule(_EVERYONE, panel=True, staff=True),
    Permission.system: Rule(frozenset()),
}


class KeyAccess(StrEnum):
    """Which API keys may call an operation that has no scope."""

    any_key = "any_key"
    """All keys: it returns the key's own store, or public data."""
    no_scoped_key = "no_scoped_key"
    """Only keys without scopes: it changes settings that no scope covers."""


OperationScope = Scope | KeyAccess


def allows_api_keys(permission: Permission) -> bool:
    """Whether API keys may call operations with this permission."""
    return permission not in {Permission.public, Permission.system} and not RULES[permission].panel


def scope_of(name: str, permission: Permission, scope: OperationScope | None) -> OperationScope | None:
    """The declared scope of an operation; `Scope.read` by default for `Permission.read`. Raises `ValueError` if an
    operation that API keys may call declares none, or another operation declares one.
    """
    if scope is None and permission is Permission.read:
        return Scope.read
    if allows_api_keys(permission) == (scope is None):
        raise ValueError(f"{name}: an operation has a scope, if and only if API keys may call it")
    return scope


def authorise(actor: Actor, permission: Permission, *, scope: OperationScope | None = None) -> None:
    """Raise the error of the specification if the caller lacks the permission."""
    if actor.credential is Credential.system:
        return
    rule = RULES[permission]
    if rule.panel and actor.credential is not Credential.session:
        raise StaffOnly if rule.staff else PanelOnly
    if rule.staff and not actor.is_staff:
        raise SecondFactorRequired if actor.lacks_second_factor else StaffOnly
    if actor.role not in rule.roles:
        raise OwnerOnly if permission is Permission.owner else RoleDenied
    if actor.scopes is not None and scope is not KeyAccess.any_key and scope not in actor.scopes:
        raise ScopeMissing(escopo=scope.value if isinstance(scope, Scope) else None)


def require_live_approval(actor: Actor) -> None:
    """Raise `LiveNotApproved` unless staff approved the merchant for live (specification section 5, rule 6)."""
    if actor.environment == Environment.live and actor.production.status != ProductionStatus.approved:
        raise LiveNotApproved(producao=actor.production.block())
