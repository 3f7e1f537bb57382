"""Scopes of API keys: every operation that keys may call, with every scope, through both transports."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from gateway.errors import ScopeMissing
from gateway.models.api_keys import Scope
from gateway.models.base import Environment
from gateway.resolvers.core.access import KeyAccess, Permission, allows_api_keys, authorise, scope_of
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY
from tests.api.rows import fingerprint
from tests.api.table import ROWS
from tests.api.transport_calls import by_graphql, by_rest
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock

CHANGES_OF = {
    Scope.charges: ("charges", "customers", "subscriptions"),
    Scope.catalogue: ("products", "coupons", "payment_links"),
    Scope.withdrawals: ("withdrawals", "pix_keys"),
    Scope.refunds: ("refunds",),
}
NONE_OF_THEM = {
    *("accounts.update_profile", "onboarding.read", "onboarding.complete", "clocks.advance"),
    "receiving.simulate_review",
}
ALL_OF_THEM = {"accounts.me", "members.viewer", "roadmap.list", "roadmap.read", "roadmap.list_comments"}
SCOPE_OF_MODULE = {module: scope for scope, modules in CHANGES_OF.items() for module in modules}
BY_KEYS = {name: operation for name, operation in REGISTRY.items() if allows_api_keys(operation.permission)}


@dataclass(frozen=True)
class Key:
    """A key with these scopes."""

    scopes: frozenset[Scope]
    key: str


async def create_key(merchant: Merchant, *scopes: Scope, **more: str) -> Key:
    form = {"name": "x", "environment": "test", "scopes": list(scopes), **more}
    answer = await merchant.api.post("/api-keys", form, token=merchant.token)
    assert answer.status_code == 201, answer.text
    assert answer.json()["data"]["scopes"] == [scope for scope in Scope if scope in scopes]
    return Key(frozenset(scopes), answer.json()["data"]["key"])


def opened_by(name: str) -> set[Scope]:
    """The scopes that open an operation, by its name and permission, independent of its own declaration."""
    module, _, action = name.partition(".")
    if name in NONE_OF_THEM:
        return set()
    if name in ALL_OF_THEM:
        return set(Scope)
    if BY_KEYS[name].permission is Permission.read or action.startswith("export"):
        return {Scope.read}
    return {SCOPE_OF_MODULE[module]}


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_operation_by_every_scope(name: str) -> None:
    operation = REGISTRY[name]
    assert (operation.scope is not None) == (name in BY_KEYS)
    if name not in BY_KEYS:
        return
    for scopes in (None, *({scope} for scope in Scope), set(Scope), set(Scope) - {operation.scope}):
        actor = Actor(
            Credential.api_key, Environment.test, "u", "u", scopes=None if scopes is None else frozenset(scopes)
        )
        if scopes is None or scopes & opened_by(name) or name in ALL_OF_THEM:
            authorise(actor, operation.permission, scope=operation.scope)
            continue
        with pytest.raises(ScopeMissing) as refused:
            authorise(actor, operation.permission, scope=operation.scope)
        assert refused.value.extra == {"escopo": next(iter(opened_by(name)), None)}


def test_an_operation_for_keys_must_declare_a_scope() -> None:
    for permission in (Permission.operate, Permission.finance, Permission.manage, Permission.account):
        with pytest.raises(ValueError, match="scope"):
            scope_of("x.y", permission, None)
    for permission in (Permission.public, Permission.session, Permission.owner, Permission.staff, Permission.people):
        assert scope_of("x.y", permission, None) is None
        with pytest.raises(ValueError, match="scope"):
            scope_of("x.y", permission, Scope.read)
    assert scope_of("x.y", Permission.read, None) is Scope.read
    assert scope_of("x.y", Permission.read, KeyAccess.any_key) is KeyAccess.any_key


async def test_a_key_without_the_scope_is_refused_by_both_transports(
    api: Api, services: Services, merchant: Merchant
) -> None:
    keys = [await create_key(merchant, scope) for scope in Scope]
    rows = [(row, await row.prepare(merchant)) for row in ROWS if row.operation in BY_KEYS]
    for each in keys:
        await api.get("/auth/me", token=each.key)  # Updates the key's last use, at most once a minute.
    before, refused = await fingerprint(services.database), 0
    for turn, each in enumerate(keys):
        for number, (row, raw_input) in enumerate(rows):
            if each.scopes & opened_by(row.operation):
                continue
            if (turn + number) % 2:
                outcome = await by_rest(api, row.operation, raw_input, each.key)
            else:
                outcome = await by_graphql(api, row.field, raw_input, each.key)
            refused += 1
            where = f"{row.operation} with {each.scopes}: {outcome.body}"
            assert (outcome.status, outcome.codigo) == (403, "ESCOPO_INSUFICIENTE"), where
            assert outcome.extra == {"escopo": next(iter(opened_by(row.operation)), None)}, where
        for path in ("/pix", "/customers", "/withdrawals", "/audit"):
            answer = await api.get(path, token=each.key, accept="text/csv")
            assert answer.status_code == (200 if Scope.read in each.scopes else 403), (path, each.scopes)
    assert refused > 100
    # Refusals leave audit records only.
    assert await fingerprint(services.database) == before


async def test_a_key_with_a_scope_reads_only_its_objects(api: Api, merchant: Merchant) -> None:
    charging, both = await create_key(merchant, Scope.charges), await create_key(merchant, Scope.read, Scope.charges)
    customer = (await api.post("/customers", {"name": "Maria"}, token=charging.key)).json()["data"]["id"]
    assert (await api.post("/pix", charge_order(), token=charging.key)).status_code == 201
    assert (await api.get("/auth/me", token=charging.key)).status_code == 200
    issue = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { txid customer { name } } }"
    order = {"amount": 10, "description": "x", "customerId": customer, "customerCpf": "52998224725"}
    order |= {"customerName": "Maria", "customerEmail": "m@example.com"}
    # Relations need the permission of the operation that reads the same object.
    blind = await api.graphql(issue, token=charging.key, input=order)
    assert blind["data"]["issueCharge"]["customer"] is None
    assert blind["errors"][0]["extensions"]["codigo"] == "ESCOPO_INSUFICIENTE"
    seeing = await api.graphql(issue, token=both.key, input=order)
    assert (seeing.get("errors"), seeing["data"]["issueCharge"]["customer"]) == (None, {"name": "Maria"})
    # A key without scopes may do everything.
    plain = await api.get(f"/api-keys/{merchant.key_id}", token=merchant.key)
    assert (plain.json()["data"]["scopes"], plain.json()["data"]["expires_at"]) == (None, None)
    assert (await api.put("/auth/profile", {"name": "Ana"}, token=merchant.key)).status_code == 200


async def test_an_expired_key_is_refused(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    until = clock.now() + timedelta(hours=1)
    key = (await create_key(merchant, Scope.read, expires_at=until.isoformat())).key
    clock.advance(timedelta(minutes=59))
    assert (await api.get("/pix", token=key)).status_code == 200
    clock.advance(timedelta(minutes=1))
    answer = await api.get("/pix", token=key)
    assert (answer.status_code, answer.json()) == (401, {"error": "Chave de API inválida ou revogada"})
    assert (await api.graphql("{ me { environment } }", token=key))["errors"][0]["extensions"] == {"status": 401}
