"""Permissions of each role in another store (`x-store`), for every operation and both transports.

A refusal writes only to the audit trail, and no spelling of a path bypasses it.
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
from tests.api.actors import Refusal
from tests.api.rows import fingerprint
from tests.api.table import BY_NAME, ROWS, RawInput, Row
from tests.api.transport_calls import Outcome, by_graphql, by_rest, field_of
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.members import invite, join, remove

OPERATED = ("charges", "customers", "products", "coupons", "payment_links", "subscriptions")
TRANSPORTS = ("rest", "graphql")
SECRETS = ("Loja Secreta", "José Pagador", "br.gov.bcb.pix", "Maria")


@dataclass(frozen=True)
class Store:
    """A store and its members by role; also a removed member, an invited one and a stranger."""

    owner: Merchant
    people: dict[Role | str, Merchant]


@pytest.fixture
async def store(api: Api, services: Services) -> Store:
    owner = await api.register_merchant(company="Loja Secreta")
    # The viewer is also staff, which must not matter here.
    people: dict[Role | str, Merchant] = {Role.viewer: await staff_member(api, services)}
    people |= {Role(role): await api.register_merchant() for role in MemberRole if role is not MemberRole.viewer}
    for role, person in people.items():
        await join(owner, person, str(role))
    people |= {name: await api.register_merchant() for name in ("removed", "invited", "stranger")}
    await remove(owner, await join(owner, people["removed"], "admin"))
    await invite(owner, people["invited"].email, "admin")
    return Store(owner, people)


def refusal(operation: Operation[Any, Any], role: Role | str) -> Refusal | None:
    """The refusal of this role by this operation, or None if it is admitted."""
    rule = RULES[operation.permission]
    if not isinstance(role, Role):
        return Refusal(403, "LOJA_NAO_AUTORIZADA")
    if rule.staff:
        return Refusal(403, "SOMENTE_ADMIN")
    if role not in rule.roles:
        return Refusal(403, "SOMENTE_TITULAR" if operation.permission is Permission.owner else "PERMISSAO_NEGADA")
    return None


def is_store_operation(row: Row) -> bool:
    permission = REGISTRY[row.operation].permission
    return permission is not Permission.public and not RULES[permission].own_account


def test_the_roles_are_those_of_the_contract() -> None:
    """Section 3: admin all but titular-only acts; finance reads all, withdrawals, exports; operator charges, customers,
    products, coupons, links, subscriptions; viewer reads."""
    for name, operation in REGISTRY.items():
        module, _, action = name.partition(".")
        roles = RULES[operation.permission].roles
        in_the_store = operation.permission not in {Permission.public, Permission.staff, Permission.system}
        if action.startswith("export") or (module == "withdrawals" and not _reads(name)):
            assert roles == {Role.owner, Role.admin, Role.finance} or operation.permission is Permission.staff, name
        elif module in OPERATED and in_the_store:
            assert roles == (set(Role) if _reads(name) else {Role.owner, Role.admin, Role.operator}), name
        elif module in {"api_keys", "webhooks"}:
            assert roles == (set(Role) if _reads(name) else {Role.owner}), name
        elif module == "production" and in_the_store:
            assert roles == {Role.owner}, name
    assert RULES[Permission.people].roles == {Role.owner, Role.admin}
    assert all(RULES[each].panel for each in (Permission.owner, Permission.people, Permission.staff))


def _reads(name: str) -> bool:
    found = field_of(BY_NAME[name].field) if name in BY_NAME else None
    return found is not None and found[0] == "query"


async def test_a_role_without_permission_is_refused_by_both_transports_and_changes_nothing(
    api: Api, services: Services, store: Store
) -> None:
    rows = [(row, await row.prepare(store.owner)) for row in ROWS if is_store_operation(row)]
    for turn, (role, person) in enumerate(store.people.items()):
        await call(api, BY_NAME["charges.list"], {}, person, store, "rest")  # Recorded at most once a minute.
        before, notified = await fingerprint(services.database), services.notifier.webhook_calls  # type: ignore[attr-defined]  # RecordedNotifier of the tests.
        calls = 0
        for number, (row, raw_input) in enumerate(rows):
            expected = refusal(REGISTRY[row.operation], role)
            # Without a role all refusals are the same, so one transport per operation is enough.
            transports = TRANSPORTS if isinstance(role, Role) else TRANSPORTS[(number + turn) % 2 :][:1]
            for transport in transports if expected is not None else ():
                outcome = await call(api, row, raw_input, person, store, transport)
                calls += 1
                assert expected is not None
                where = f"{row.operation} by {role} over {transport}: {outcome.body}"
                assert (outcome.status, outcome.codigo) == (expected.status, expected.codigo), where
                assert not any(secret in outcome.body for secret in (*SECRETS, store.owner.email)), where
        assert calls > 2 * 10, role
        assert await fingerprint(services.database) == before, role
        assert services.notifier.webhook_calls == notified  # type: ignore[attr-defined]  # as above.


@pytest.mark.parametrize("role", MemberRole)
async def test_permitted_operations_act_on_the_store(
    api: Api, services: Services, store: Store, role: MemberRole
) -> None:
    person = store.people[Role(role)]
    rows = [row for row in ROWS if is_store_operation(row) and refusal(REGISTRY[row.operation], Role(role)) is None]
    # Deletions come last, as other operations may use the same objects.
    rows.sort(key=lambda row: row.operation.endswith((".delete", ".remove")))
    admitted = [(row, await row.prepare(store.owner)) for row in rows]
    for number, (row, raw_input) in enumerate(admitted):
        outcome = await call(api, row, raw_input, person, store, TRANSPORTS[number % 2])
        assert outcome.status not in {400, 401, 403, 404}, f"{row.operation}: {outcome.body}"
        for item in outcome.data if isinstance(outcome.data, list) else [outcome.data or {}]:
            assert item.get("user_id" if "members" not in row.operation else "store_id") in {store.owner.id, None}
    assert len(admitted) > 15


async def test_no_spelling_of_a_path_bypasses_a_refusal(services: Services, store: Store) -> None:
    """The rule belongs to the operation (specification section 5, rule 8)."""
    app, prepared = Gateway(services.settings, services), await raw_inputs(store.owner)
    headers = {name: headers_of(store.people[name], store.owner) for name in (Role.viewer, "removed")}
    await send_raw_path(app, "GET", "/pix", headers[Role.viewer])
    before = await fingerprint(services.database)
    for endpoint in store_endpoints():
        # A removed member may do nothing; a viewer may read.
        name = "removed" if refusal(endpoint.operation, Role.viewer) is None else Role.viewer
        raw_input = prepared.get(endpoint.operation.name, {"id": store.owner.id, "document_id": store.owner.id})
        path, body = endpoint.path.format(**raw_input), orjson.dumps(raw_input)
        plain = await send_raw_path(app, endpoint.method, path, headers[name], body)
        assert plain[0] == 403, (path, plain)
        for spelling in same_path(path):
            answer = await send_raw_path(app, endpoint.method, spelling, headers[name], body)
            assert answer == plain, (endpoint.method, spelling)
        for spelling in other_paths(path):
            status, response = await send_raw_path(app, endpoint.method, spelling, headers[name], body)
            assert status in {403, 404, 405}, (endpoint.method, spelling, response)
    for path in ("/pix", "/charges", "/customers"):
        for spelling in (path, *same_path(path)):
            status, response = await send_raw_path(app, "GET", spelling, headers[Role.viewer] | {"accept": "text/csv"})
            assert (status, orjson.loads(response)["error"]["codigo"]) == (403, "PERMISSAO_NEGADA"), spelling
    assert await fingerprint(services.database) == before


async def test_a_csv_list_needs_the_export_permission(api: Api, store: Store) -> None:
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


async def raw_inputs(owner: Merchant) -> dict[str, RawInput]:
    """The raw input of each operation of a store."""
    return {row.operation: await row.prepare(owner) for row in ROWS if is_store_operation(row)}


def headers_of(person: Merchant, owner: Merchant) -> dict[str, str]:
    """The headers of a person acting in the owner's store."""
    return {"authorization": f"Bearer {person.token}", "x-store": owner.id, "content-type": "application/json"}


def store_endpoints() -> list[Endpoint]:
    """The endpoints of a store, which accept `x-store`."""
    return [
        endpoint
        for endpoint in ENDPOINTS
        if endpoint.operation.permission is not Permission.public
        and not RULES[endpoint.operation.permission].own_account
    ]


def same_path(path: str) -> Iterator[str]:
    """Spellings that the gateway reads as the same path."""
    yield path.upper()
    yield f"{path}/"
    yield f"/{path}"
    yield f"{path}//"
    yield "/" + "".join(f"%{ord(char):02X}" for char in path[1:4]) + path[4:]
    yield "/%2F" + path[1:]


def other_paths(path: str) -> Iterator[str]:
    """Spellings that another server might read as the same path."""
    yield path.replace("/", "//")
    yield "/." + path
    yield "/auth/.." + path
    yield "/auth/%2e%2e" + path
    yield f"{path}%20"
    yield f"{path}%00"
    yield f"{path};a=b"


async def send_raw_path(
    app: ASGIApp, method: str, spelling: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, bytes]:
    """Status and body of a request with the path sent unchanged, which HTTP clients would normalise."""
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


async def call(api: Api, row: Row, raw_input: RawInput, person: Merchant, store: Store, transport: str) -> Outcome:
    headers = {"x_store": store.owner.id}
    if transport == "rest":
        return await by_rest(api, row.operation, raw_input, person.token, **headers)
    return await by_graphql(api, row.field, raw_input, person.token, **headers)
