"""The tables of `docs/permissions.md`: every operation with its paths, its field and who may call it."""

from typing import Any

from gateway.models.api_keys import Scope
from gateway.resolvers.core.access import RULES, KeyAccess, Permission, Rule
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.operation import REGISTRY, Operation
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema.root_fields import operations_by_field
from gateway.schema.schema import SCHEMA

HEADER = "| operation | REST | GraphQL | owner | admin | finance | operator | viewer | API key | scope | anonymous | staff | environment |"
RULER = "|" + "---|" * 13
_GLOBAL = {
    *("accounts", "api_keys", "health", "members", "onboarding", "production", "roadmap", "sessions", "staff"),
    *("service", "two_factor"),
}
"""Modules whose records belong to neither environment. Others take theirs from the credential."""
_TEST_ONLY = {"charges.simulate_payment", "checkout.simulate_payment"}
"""A payment can be simulated for a test charge alone (409 `SOMENTE_TESTE`)."""


def permissions_table() -> str:
    """A table for each module, in the order of the paths."""
    modules: dict[str, list[str]] = {}
    paths = _paths()
    fields = {operation.name: field for field, operation in operations_by_field(SCHEMA).items()}
    for name, operation in sorted(REGISTRY.items(), key=lambda item: (_rank(item[0], paths), item[0])):
        if operation.permission is not Permission.system:
            row = _row(operation, paths.get(name, []), fields.get(name))
            modules.setdefault(name.partition(".")[0], []).append(row)
    tables = ("\n".join([f"\n## {module}\n", HEADER, RULER, *rows]) for module, rows in modules.items())
    return "\n".join(tables) + "\n"


def _paths() -> dict[str, list[Endpoint]]:
    """The rows of the table of paths by operation. An export is behind the path of its list."""
    found: dict[str, list[Endpoint]] = {}
    for endpoint in ENDPOINTS:
        found.setdefault(endpoint.operation.name, []).append(endpoint)
        if endpoint.export is not None:
            found.setdefault(endpoint.export.name, []).append(endpoint)
    return found


def _rank(name: str, paths: dict[str, list[Endpoint]]) -> int:
    """The rank of an operation: by its module's first path, then by its own; those without a path come last."""
    module = name.partition(".")[0]
    paths_of_module = [
        index for index, endpoint in enumerate(ENDPOINTS) if endpoint.operation.name.partition(".")[0] == module
    ]
    first = min(paths_of_module, default=len(ENDPOINTS)) * 1000
    return first + (ENDPOINTS.index(paths[name][0]) if name in paths else 999)


def _row(operation: Operation[Any, Any], endpoints: list[Endpoint], field: str | None) -> str:
    rule = RULES[operation.permission]
    cells = [
        f"`{operation.name}`",
        "<br>".join(_path(operation, endpoint) for endpoint in endpoints) or "–",
        f"`{field}`" if field else "–",
        *(_by_role(operation, rule, role) for role in Role),
        _by_key(rule),
        _scope(operation),
        "✓" if operation.permission is Permission.public else "401",
        "✓" if rule.staff else "",
        _environment(operation),
    ]
    return "| " + " | ".join(cells) + " |"


def _path(operation: Operation[Any, Any], endpoint: Endpoint) -> str:
    return f"`{endpoint.method} {endpoint.path}`" + (" as `text/csv`" if endpoint.export is operation else "")


def _by_role(operation: Operation[Any, Any], rule: Rule, role: Role) -> str:
    if rule.own_account:
        return "own"
    if rule.staff:
        return "ADMIN"
    if role in rule.roles:
        return "✓"
    return "TITULAR" if operation.permission is Permission.owner else "PAPEL"


def _by_key(rule: Rule) -> str:
    if rule.panel:
        return "ADMIN" if rule.staff else "PAINEL"
    return "own" if rule.own_account else "✓"


def _scope(operation: Operation[Any, Any]) -> str:
    if isinstance(operation.scope, Scope):
        return f"`{operation.scope}`"
    return {KeyAccess.any_key: "any", KeyAccess.no_scoped_key: "none", None: ""}[operation.scope]


def _environment(operation: Operation[Any, Any]) -> str:
    if operation.needs_live_approval:
        return "test; live if approved"
    if operation.name in _TEST_ONLY:
        return "test"
    return "–" if operation.name.partition(".")[0] in _GLOBAL else "both"
