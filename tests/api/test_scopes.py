"""Keys that aren't for everything: every operation that keys may call, by every scope, through both transports."""

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
from tests.api.calling import by_graphql, by_rest
from tests.api.rows import fingerprint
from tests.api.table import ROWS
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock

CHANGES_OF = {
    Scope.charges: ("charges", "customers", "subscriptions"),
    Scope.catalogue: ("products", "coupons", "payment_links"),
    Scope.withdrawals: ("withdrawals",),
}
NONE_OF_THEM = {"accounts.update_profile", "onboarding.complete", "clocks.advance", "receiving.simulate_review"}
ALL_OF_THEM = {"accounts.me", "roadmap.list", "roadmap.read", "roadmap.list_comments"}
ROOMS = {room: scope for scope, rooms in CHANGES_OF.items() for room in rooms}
BY_KEYS = {name: operation for name, operation in REGISTRY.items() if allows_api_keys(operation.permission)}


@dataclass(frozen=True)
class Key:
    """A key of some scopes."""

    scopes: frozenset[Scope]
    key: str


async def made(merchant: Merchant, *scopes: Scope, **more: str) -> Key:
    form = {"name": "x", "environment": "test", "scopes": list(scopes), **more}
    answer = await merchant.api.post("/api-keys", form, token=merchant.token)
    assert answer.status_code == 201, answer.text
    assert answer.json()["data"]["scopes"] == [scope for scope in Scope if scope in scopes]
    return Key(frozenset(scopes), answer.json()["data"]["key"])


def opened_by(name: str) -> set[Scope]:
    """The scopes that open an operation, by what it is called and does; the operations'
    own declarations are not asked.
    """
    room, _, verb = name.partition(".")
    if name in NONE_OF_THEM:
        return set()
    if name in ALL_OF_THEM:
        return set(Scope)
    if BY_KEYS[name].permission is Permission.read or verb.startswith("export"):
        return {Scope.read}
    return {ROOMS[room]}


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_operation_by_every_scope(name: str) -> None:
    operation = REGISTRY[name]
    assert (operation.scope is not None) == (name in BY_KEYS)
    if name not in BY_KEYS:
        return
    for held in (None, *({scope} for scope in Scope), set(Scope), set(Scope) - {operation.scope}):
        actor = Actor(Credential.api_key, Environment.test, "u", "u", scopes=None if held is None else frozenset(held))
        if held is None or held & opened_by(name) or name in ALL_OF_THEM:
            authorise(actor, operation.permission, scope=operation.scope)
            continue
        with pytest.raises(ScopeMissing) as refused:
            authorise(actor, operation.permission, scope=operation.scope)
        assert refused.value.extra == {"escopo": next(iter(opened_by(name)), None)}


def test_an_operation_that_keys_may_call_cannot_forget_it() -> None:
    for permission in (Permission.operate, Permission.finance, Permission.manage, Permission.account):
        with pytest.raises(ValueError, match="scope"):
            scope_of("x.y", permission, None)
    for permission in (Permission.public, Permission.session, Permission.owner, Permission.staff, Permission.people):
        assert scope_of("x.y", permission, None) is None
        with pytest.raises(ValueError, match="scope"):
            scope_of("x.y", permission, Scope.read)
    assert scope_of("x.y", Permission.read, None) is Scope.read
    assert scope_of("x.y", Permission.read, KeyAccess.any_key) is KeyAccess.any_key


async def test_what_a_key_is_not_for_it_cannot_do_at_either_transport(
    api: Api, services: Services, merchant: Merchant
) -> None:
    keys = [await made(merchant, scope) for scope in Scope]
    rows = [(row, await row.prepare(merchant)) for row in ROWS if row.operation in BY_KEYS]
    for each in keys:
        await api.get("/auth/me", token=each.key)  # The first use of the minute is noted.
    before, asked = await fingerprint(services.database), 0
    for turn, each in enumerate(keys):
        for number, (row, draft) in enumerate(rows):
            if each.scopes & opened_by(row.operation):
                continue
            if (turn + number) % 2:
                outcome = await by_rest(api, row.operation, draft, each.key)
            else:
                outcome = await by_graphql(api, row.field, draft, each.key)
            asked += 1
            told = f"{row.operation} with {each.scopes}: {outcome.body}"
            assert (outcome.status, outcome.codigo) == (403, "ESCOPO_INSUFICIENTE"), told
            assert outcome.extra == {"escopo": next(iter(opened_by(row.operation)), None)}, told
        for path in ("/pix", "/customers", "/withdrawals", "/audit"):
            answer = await api.get(path, token=each.key, accept="text/csv")
            assert answer.status_code == (200 if Scope.read in each.scopes else 403), (path, each.scopes)
    assert asked > 100
    # Exports are on record; nothing else has happened.
    assert await fingerprint(services.database) == before


async def test_a_key_does_what_it_is_for_and_shows_no_more(api: Api, merchant: Merchant) -> None:
    charging, both = await made(merchant, Scope.charges), await made(merchant, Scope.read, Scope.charges)
    customer = (await api.post("/customers", {"name": "Maria"}, token=charging.key)).json()["data"]["id"]
    assert (await api.post("/pix", charge_order(), token=charging.key)).status_code == 201
    assert (await api.get("/auth/me", token=charging.key)).status_code == 200
    issue = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { txid customer { name } } }"
    order = {"amount": 10, "description": "x", "customerId": customer, "customerCpf": "52998224725"}
    order |= {"customerName": "Maria", "customerEmail": "m@example.com"}
    # Relations ask for the permission of the operation that reads the same thing.
    blind = await api.graphql(issue, token=charging.key, input=order)
    assert blind["data"]["issueCharge"]["customer"] is None
    assert blind["errors"][0]["extensions"]["codigo"] == "ESCOPO_INSUFICIENTE"
    seeing = await api.graphql(issue, token=both.key, input=order)
    assert (seeing.get("errors"), seeing["data"]["issueCharge"]["customer"]) == (None, {"name": "Maria"})
    # As it was: a key without scopes does everything, and its answer says so.
    plain = await api.get(f"/api-keys/{merchant.key_id}", token=merchant.key)
    assert (plain.json()["data"]["scopes"], plain.json()["data"]["expires_at"]) == (None, None)
    assert (await api.put("/auth/profile", {"name": "Ana"}, token=merchant.key)).status_code == 200


async def test_a_key_that_has_expired_is_no_key(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    until = clock.now() + timedelta(hours=1)
    key = (await made(merchant, Scope.read, expires_at=until.isoformat())).key
    clock.advance(timedelta(minutes=59))
    assert (await api.get("/pix", token=key)).status_code == 200
    clock.advance(timedelta(minutes=1))
    answer = await api.get("/pix", token=key)
    assert (answer.status_code, answer.json()) == (401, {"error": "Chave de API inválida ou revogada"})
    assert (await api.graphql("{ me { environment } }", token=key))["errors"][0]["extensions"] == {"status": 401}
