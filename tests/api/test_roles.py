"""What each role may do in another store (`x-store`): every operation, both transports. A refusal leaves
no trace but the audit trail's, and no spelling of a path gets around it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import orjson
import pytest
from starlette.types import ASGIApp, Message

from gateway.app import Gateway
from gateway.models.members import MemberRole
from gateway.resolvers.core.access import RULES, Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.operation import REGISTRY, Operation
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.routes import ENDPOINTS
from tests.api.actors import Verdict
from tests.api.calling import Outcome, by_graphql, by_rest, field_of
from tests.api.rows import fingerprint
from tests.api.table import BY_NAME, ROWS, RawInput, Row
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.members import invite, join, remove

OPERATED = ("charges", "customers", "products", "coupons", "payment_links", "subscriptions")
TRANSPORTS = ("rest", "graphql")
SECRETS = ("Loja Secreta", "José Pagador", "br.gov.bcb.pix", "Maria")


@dataclass(frozen=True)
class Store:
    """A store, whoever works in it by role, and those who don't: removed, merely invited, never asked."""

    owner: Merchant
    people: dict[Role | str, Merchant]


@pytest.fixture
async def store(api: Api, services: Services) -> Store:
    owner = await api.register_merchant(company="Loja Secreta")
    # The viewer is of the service's staff: what they are elsewhere doesn't count here.
    people: dict[Role | str, Merchant] = {Role.viewer: await staff_member(api, services)}
    people |= {Role(role): await api.register_merchant() for role in MemberRole if role is not MemberRole.viewer}
    for role, person in people.items():
        await join(owner, person, str(role))
    people |= {name: await api.register_merchant() for name in ("removed", "invited", "stranger")}
    await remove(owner, await join(owner, people["removed"], "admin"))
    await invite(owner, people["invited"].email, "admin")
    return Store(owner, people)


def refusal(operation: Operation[Any, Any], role: Role | str) -> Verdict | None:
    """What the rules say of this role and this operation: a refusal, or None for admission."""
    rule = RULES[operation.permission]
    if not isinstance(role, Role):
        return Verdict(403, "LOJA_NAO_AUTORIZADA")
    if rule.staff:
        return Verdict(403, "SOMENTE_ADMIN")
    if role not in rule.roles:
        return Verdict(403, "SOMENTE_TITULAR" if operation.permission is Permission.owner else "PERMISSAO_NEGADA")
    return None


def concerns_a_store(row: Row) -> bool:
    permission = REGISTRY[row.operation].permission
    return permission is not Permission.public and not RULES[permission].own


def test_the_roles_are_those_of_the_contract() -> None:
    """Section 3: admin all but titular-only acts; finance reads all, withdrawals, exports; operator charges, customers,
    products, coupons, links, subscriptions; viewer reads."""
    for name, operation in REGISTRY.items():
        room, _, verb = name.partition(".")
        roles = RULES[operation.permission].roles
        in_the_store = operation.permission not in {Permission.public, Permission.staff, Permission.system}
        if verb.startswith("export") or (room == "withdrawals" and not _reads(name)):
            assert roles == {Role.owner, Role.admin, Role.finance} or operation.permission is Permission.staff, name
        elif room in OPERATED and in_the_store:
            assert roles == (set(Role) if _reads(name) else {Role.owner, Role.admin, Role.operator}), name
        elif room in {"api_keys", "webhooks"}:
            assert roles == (set(Role) if _reads(name) else {Role.owner}), name
        elif room == "production":
            assert roles == {Role.owner}, name
    assert RULES[Permission.people].roles == {Role.owner, Role.admin}
    assert all(RULES[each].panel for each in (Permission.owner, Permission.people, Permission.staff))


def _reads(name: str) -> bool:
    found = field_of(BY_NAME[name].field) if name in BY_NAME else None
    return found is not None and found[0] == "query"


async def test_a_role_without_permission_is_refused_by_both_transports_and_changes_nothing(
    api: Api, services: Services, store: Store
) -> None:
    rows = [(row, await row.prepare(store.owner)) for row in ROWS if concerns_a_store(row)]
    for turn, (role, person) in enumerate(store.people.items()):
        await call(api, BY_NAME["charges.list"], {}, person, store, "rest")  # The first access of a minute is noted.
        before, woken = await fingerprint(services.database), services.wake.webhook_calls  # type: ignore[attr-defined]  # the tests' own wake counts.
        asked = 0
        for number, (row, draft) in enumerate(rows):
            verdict = refusal(REGISTRY[row.operation], role)
            # Who has no role is told the same of every operation: each of them knocks at every other transport.
            transports = TRANSPORTS if isinstance(role, Role) else TRANSPORTS[(number + turn) % 2 :][:1]
            for transport in transports if verdict is not None else ():
                outcome = await call(api, row, draft, person, store, transport)
                asked += 1
                assert verdict is not None
                told = f"{row.operation} by {role} over {transport}: {outcome.body}"
                assert (outcome.status, outcome.codigo) == (verdict.status, verdict.codigo), told
                assert not any(secret in outcome.body for secret in (*SECRETS, store.owner.email)), told
        assert asked > 2 * 10, role
        assert await fingerprint(services.database) == before, role
        assert services.wake.webhook_calls == woken  # type: ignore[attr-defined]  # as above.


@pytest.mark.parametrize("role", MemberRole)
async def test_what_a_role_may_do_is_done_in_the_store(
    api: Api, services: Services, store: Store, role: MemberRole
) -> None:
    person = store.people[Role(role)]
    rows = [row for row in ROWS if concerns_a_store(row) and refusal(REGISTRY[row.operation], Role(role)) is None]
    # Whatever takes something away comes last: others may have been prepared with it.
    rows.sort(key=lambda row: row.operation.endswith((".delete", ".remove")))
    admitted = [(row, await row.prepare(store.owner)) for row in rows]
    for number, (row, draft) in enumerate(admitted):
        outcome = await call(api, row, draft, person, store, TRANSPORTS[number % 2])
        assert outcome.status not in {400, 401, 403, 404}, f"{row.operation}: {outcome.body}"
        for item in outcome.data if isinstance(outcome.data, list) else [outcome.data or {}]:
            assert item.get("user_id" if "members" not in row.operation else "store_id") in {store.owner.id, None}
    assert len(admitted) > 15


async def test_no_spelling_of_a_path_gets_around_a_refusal(services: Services, store: Store) -> None:
    """The rule belongs to the operation (specification section 5, rule 8)."""
    app, prepared = Gateway(services.settings, services), await drafts(store.owner)
    headers = {name: headers_of(store.people[name], store.owner) for name in (Role.viewer, "removed")}
    await knock(app, "GET", "/pix", headers[Role.viewer])
    before = await fingerprint(services.database)
    for endpoint in store_endpoints():
        # Who was removed may do nothing at all; a viewer may read.
        name = "removed" if refusal(endpoint.operation, Role.viewer) is None else Role.viewer
        draft = prepared.get(endpoint.operation.name, {"id": store.owner.id, "document_id": store.owner.id})
        path, body = endpoint.path.format(**draft), orjson.dumps(draft)
        plain = await knock(app, endpoint.method, path, headers[name], body)
        assert plain[0] == 403, (path, plain)
        for spelling in same_path(path):
            answer = await knock(app, endpoint.method, spelling, headers[name], body)
            assert answer == plain, (endpoint.method, spelling)
        for spelling in other_paths(path):
            status, told = await knock(app, endpoint.method, spelling, headers[name], body)
            assert status in {403, 404, 405}, (endpoint.method, spelling, told)
    for path in ("/pix", "/charges", "/customers"):
        for spelling in (path, *same_path(path)):
            status, told = await knock(app, "GET", spelling, headers[Role.viewer] | {"accept": "text/csv"})
            assert (status, orjson.loads(told)["error"]["codigo"]) == (403, "PERMISSAO_NEGADA"), spelling
    assert await fingerprint(services.database) == before


async def test_a_list_is_a_file_for_those_only_who_may_export(api: Api, store: Store) -> None:
    await store.owner.issue()
    for role in MemberRole:
        may = role in {MemberRole.admin, MemberRole.finance}
        for accept in ("text/csv", "TEXT/CSV;q=1", "application/json;q=0.5, text/csv", "text/csv, */*"):
            answer = await api.get("/pix", token=store.people[Role(role)].token, x_store=store.owner.id, accept=accept)
            assert answer.status_code == (200 if may else 403), (role, accept)
            assert answer.headers["content-type"].startswith("text/csv") == may
            assert ("José Pagador" in answer.text) == may
        for accept in ("text/*", "*/*", "text/csv;q=0", "text/csv;q=0.1, application/json"):
            answer = await api.get("/pix", token=store.people[Role(role)].token, x_store=store.owner.id, accept=accept)
            assert answer.headers["content-type"] == "application/json", (role, accept)


async def drafts(owner: Merchant) -> dict[str, RawInput]:
    """What each operation that concerns a store is called with."""
    return {row.operation: await row.prepare(owner) for row in ROWS if concerns_a_store(row)}


def headers_of(person: Merchant, owner: Merchant) -> dict[str, str]:
    """The headers of a person who acts in the owner's store."""
    return {"authorization": f"Bearer {person.token}", "x-store": owner.id, "content-type": "application/json"}


def store_endpoints() -> list[Endpoint]:
    """The paths that lead to a store, which `x-store` may name."""
    return [
        endpoint
        for endpoint in ENDPOINTS
        if endpoint.operation.permission is not Permission.public and not RULES[endpoint.operation.permission].own
    ]


def same_path(path: str) -> Iterator[str]:
    """Spellings that are the path itself to the gateway."""
    yield path.upper()
    yield f"{path}/"
    yield f"/{path}"
    yield f"{path}//"
    yield "/" + "".join(f"%{ord(letter):02X}" for letter in path[1:4]) + path[4:]
    yield "/%2F" + path[1:]


def other_paths(path: str) -> Iterator[str]:
    """Spellings that another server might take for the path."""
    yield path.replace("/", "//")
    yield "/." + path
    yield "/auth/.." + path
    yield "/auth/%2e%2e" + path
    yield f"{path}%20"
    yield f"{path}%00"
    yield f"{path};a=b"


async def knock(
    app: ASGIApp, method: str, spelling: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, bytes]:
    """Status and body of a request whose path is sent as it is spelt: clients put paths in
    order before they send them.
    """
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": unquote(spelling),
        "raw_path": spelling.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 40000),
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


async def call(api: Api, row: Row, draft: RawInput, person: Merchant, store: Store, transport: str) -> Outcome:
    headers = {"x_store": store.owner.id}
    if transport == "rest":
        return await by_rest(api, row.operation, draft, person.token, **headers)
    return await by_graphql(api, row.field, draft, person.token, **headers)
