"""Who may do what. Each operation declares one `Permission`; what a permission asks for is the table below, and
`admit` is the only place that checks it. A new transport cannot forget a rule, because rules belong to operations.

An operation that API keys may call also has a `Scope`, for restricted keys.
"""

from enum import StrEnum

from msgspec import Struct

from gateway.errors import (
    HolderOnly,
    LiveNotApproved,
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
    """What an operation needs of its caller."""

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
    """The store's people: a person answers for whom they let in, so never an API key."""
    holder = "holder"
    """Credential acts: the panel session of the store's holder (specification section 5, rule 7)."""
    staff = "staff"
    """The service's staff, from the panel."""
    system = "system"
    """Workers and engine notifications; no transport offers it to a person."""


class Rule(Struct, frozen=True):
    """What one permission asks for."""

    roles: frozenset[Role]
    panel: bool = False
    staff: bool = False
    own: bool = False
    """Whether it concerns the caller's own account, independent of `x-store`."""


_EVERYONE = frozenset(Role)
RULES: dict[Permission, Rule] = {
    Permission.public: Rule(_EVERYONE),
    Permission.account: Rule(_EVERYONE, own=True),
    Permission.session: Rule(_EVERYONE, panel=True, own=True),
    Permission.read: Rule(_EVERYONE),
    Permission.operate: Rule(frozenset({Role.owner, Role.admin, Role.operator})),
    Permission.finance: Rule(frozenset({Role.owner, Role.admin, Role.finance})),
    Permission.manage: Rule(frozenset({Role.owner, Role.admin})),
    Permission.people: Rule(frozenset({Role.owner, Role.admin}), panel=True),
    Permission.holder: Rule(frozenset({Role.owner}), panel=True),
    Permission.staff: Rule(_EVERYONE, panel=True, staff=True),
    Permission.system: Rule(frozenset()),
}


class Reach(StrEnum):
    """Which keys with scopes may call an operation that isn't of any scope."""

    any_key = "any_key"
    """All keys: it returns the key's own store, or public data."""
    no_scoped_key = "no_scoped_key"
    """None: it changes what keys of a few purposes have no business with."""


Purpose = Scope | Reach


def opens_to_keys(permission: Permission) -> bool:
    """Whether API keys may call what has this permission, by credential."""
    return permission not in {Permission.public, Permission.system} and not RULES[permission].panel


def purpose_of(name: str, permission: Permission, scope: Purpose | None) -> Purpose | None:
    """The declared scope of an operation, or that of all reading. Raises ValueError for
    one that must say, and doesn't.
    """
    if scope is None and permission is Permission.read:
        return Scope.read
    if opens_to_keys(permission) == (scope is None):
        raise ValueError(f"{name}: an operation has a scope, if and only if API keys may call it")
    return scope


def authorise(actor: Actor, permission: Permission, *, scope: Purpose | None = None) -> None:
    """Raise what the specification says for a caller who may not."""
    if actor.credential is Credential.system:
        return
    rule = RULES[permission]
    if rule.panel and actor.credential is not Credential.session:
        raise StaffOnly if rule.staff else PanelOnly
    if rule.staff and not actor.is_staff:
        raise SecondFactorRequired if actor.lacks_second_factor else StaffOnly
    if actor.role not in rule.roles:
        raise HolderOnly if permission is Permission.holder else RoleDenied
    if actor.scopes is not None and scope is not Reach.any_key and scope not in actor.scopes:
        raise ScopeMissing(escopo=scope.value if isinstance(scope, Scope) else None)


def require_live_approval(actor: Actor) -> None:
    """Live issuing needs staff approval of the merchant (specification section 5, rule 6)."""
    if actor.environment == Environment.live and actor.production.status != ProductionStatus.approved:
        raise LiveNotApproved(producao=actor.production.block())
