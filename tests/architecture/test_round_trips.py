"""What an operation asks of PostgreSQL: the table in docs/performance.md is what is sent, statement for statement."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from gateway.resolvers.context import Services
from tests.api import Api, Merchant, charge_order
from tests.members import join
from tests.watched import watching

TABLE = Path(__file__).parents[2] / "docs" / "performance.md"
_ROW = re.compile(r"^\| (?P<name>[^|]+?) \| (?P<statements>\d+) \| (?P<trips>\d+) \| [^|]+ \|$", re.MULTILINE)
FIELDS = "id txid status amount customerName pixCode createdAt"
ISSUE = f"mutation($input: IssueChargeInput!) {{ issueCharge(input: $input) {{ {FIELDS} }} }}"
READ = f"query($id: ID!) {{ charge(id: $id) {{ {FIELDS} }} }}"
LIST = f"{{ charges(first: 100) {{ edges {{ node {{ {FIELDS} }} }} }} }}"
ORDER = {"amount": 129.9, "description": "Pedido", "customerName": "J", "customerEmail": "j@example.com"}


class Asked(NamedTuple):
    """How much was sent: `trips` counts the begin and commit of a transaction, too."""

    statements: int
    trips: int


class Watched:
    """The application on connections of its own that note each statement they send."""

    def __init__(self, api: Api, sent: list[str]) -> None:
        self.api = api
        self.sent = sent

    async def asked_by(self, request: Callable[[Api], Awaitable[Any]]) -> Asked:
        # The first time writes when the key was last used; the second is what all others are like.
        await request(self.api)
        self.sent.clear()
        await request(self.api)
        own = [sql for sql in self.sent if not re.match("(BEGIN|COMMIT|ROLLBACK)", sql)]
        return Asked(len(own), len(self.sent))


@pytest.fixture
async def watched(services: Services) -> AsyncIterator[Watched]:
    async with watching(services) as (api, sent):
        yield Watched(api, sent)


async def _status(response: Any, expected: int) -> None:
    assert response.status_code == expected, response.text


async def _data(answer: dict[str, Any]) -> None:
    assert "errors" not in answer, answer


Request: TypeAlias = Callable[[Api], Awaitable[Any]]


def issuing(merchant: Merchant) -> dict[str, Request]:
    """One request for each row of the table that issues."""
    key, number = merchant.key, iter(range(100))

    async def issue(api: Api) -> None:
        await _status(await api.post("/pix", charge_order(), token=key), 201)

    async def issue_with_reference(api: Api) -> None:
        order = charge_order(external_reference=f"pedido-{next(number)}")
        await _status(await api.post("/pix", order, token=key), 201)

    async def issue_with_idempotency_key(api: Api) -> None:
        await _status(await api.post("/pix", charge_order(), token=key, idempotency_key=f"k-{next(number)}"), 201)

    async def graphql_issue(api: Api) -> None:
        await _data(await api.graphql(ISSUE, token=key, input=ORDER | {"customerCpf": "52998224725"}))

    async def graphql_issue_with_idempotency_key(api: Api) -> None:
        headers = {"idempotency_key": f"g-{next(number)}"}
        await _data(await api.graphql(ISSUE, token=key, headers=headers, input=ORDER | {"customerCpf": "52998224725"}))

    return {
        "REST issue": issue,
        "REST issue, with `external_reference`": issue_with_reference,
        "REST issue, with `Idempotency-Key`": issue_with_idempotency_key,
        "GraphQL issue": graphql_issue,
        "GraphQL issue, with `Idempotency-Key`": graphql_issue_with_idempotency_key,
    }


def reading(merchant: Merchant, charge: dict[str, Any]) -> dict[str, Request]:
    """One request for each row of the table that reads."""
    key = merchant.key

    async def read(api: Api) -> None:
        await _status(await api.get(f"/pix/status?txid={charge['txid']}", token=key), 200)

    async def checkout_read(api: Api) -> None:
        await _status(await api.get(f"/checkout/{charge['txid']}"), 200)

    async def whole(api: Api) -> None:
        await _status(await api.get("/pix?limit=100", token=key), 200)

    async def full(api: Api) -> None:
        await _status(await api.get("/pix?limit=1", token=key), 200)

    async def graphql_read(api: Api) -> None:
        await _data(await api.graphql(READ, token=key, id=charge["id"]))

    async def graphql_list(api: Api) -> None:
        await _data(await api.graphql(LIST, token=key))

    return {
        "REST read": read,
        "REST checkout read": checkout_read,
        "REST list, the last page": whole,
        "REST list, a full page": full,
        "GraphQL read": graphql_read,
        "GraphQL list": graphql_list,
    }


def reading_as_a_person(merchant: Merchant, member: Merchant, charge: dict[str, Any]) -> dict[str, Request]:
    """The same charge, read by a session of the holder and by one of a member."""
    path = f"/pix/{charge['id']}"

    async def by_session(api: Api) -> None:
        await _status(await api.get(path, token=merchant.token), 200)

    async def by_member(api: Api) -> None:
        await _status(await api.get(path, token=member.token, x_store=merchant.id), 200)

    async def graphql_by_member(api: Api) -> None:
        await _data(await api.graphql(READ, token=member.token, headers={"x-store": merchant.id}, id=charge["id"]))

    return {
        "REST read, by a session": by_session,
        "REST read, by a member with `x-store`": by_member,
        "GraphQL read, by a member with `x-store`": graphql_by_member,
    }


def committed() -> dict[str, Asked]:
    """The table of docs/performance.md."""
    found = _ROW.finditer(TABLE.read_text())
    return {row["name"]: Asked(int(row["statements"]), int(row["trips"])) for row in found}


async def test_what_is_sent_to_postgresql_is_what_the_table_says(watched: Watched, merchant: Merchant) -> None:
    charge = await merchant.issue()
    await merchant.issue()
    member = await merchant.api.register_merchant()
    await join(merchant, member, "viewer")
    requests = issuing(merchant) | reading(merchant, charge) | reading_as_a_person(merchant, member, charge)
    assert {name: await watched.asked_by(request) for name, request in requests.items()} == committed()
