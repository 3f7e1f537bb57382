"""How many statements and round trips the hot paths send to PostgreSQL. A change of a figure needs a reason."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

import pytest

from gateway.resolvers.core.context import Services
from tests.api_client import Api, Merchant, charge_order
from tests.members import join
from tests.sql_log import watching

FIELDS = "id txid status amount customerName pixCode createdAt"
ISSUE = f"mutation($input: IssueChargeInput!) {{ issueCharge(input: $input) {{ {FIELDS} }} }}"
READ = f"query($id: ID!) {{ charge(id: $id) {{ {FIELDS} }} }}"
LIST = f"{{ charges(first: 100) {{ edges {{ node {{ {FIELDS} }} }} }} }}"
ORDER = {"amount": 129.9, "description": "Pedido", "customerName": "J", "customerEmail": "j@example.com"}


class Expected(NamedTuple):
    """How much was sent: `trips` counts the begin and commit of a transaction, too."""

    statements: int
    trips: int


EXPECTED = {
    # The key, the intent, the entry at the simulator, the charge with its event and audit record.
    "REST issue": Expected(4, 4),
    "REST issue, with `external_reference`": Expected(5, 7),  # The intent in a transaction that checks the reference.
    "REST issue, with `Idempotency-Key`": Expected(4, 4),
    "REST read": Expected(2, 2),
    "REST read, by a session": Expected(2, 2),
    "REST read, by a member with `x-store`": Expected(2, 2),
    "GraphQL read, by a member with `x-store`": Expected(2, 2),
    "REST checkout read": Expected(1, 1),
    "REST list, the last page": Expected(2, 2),
    "REST list, a full page": Expected(2, 2),
    "GraphQL issue": Expected(4, 4),
    "GraphQL issue, with `Idempotency-Key`": Expected(4, 4),
    "GraphQL read": Expected(2, 2),
    "GraphQL list": Expected(2, 2),
}


class Watched:
    """The application on connections of its own that note each statement they send."""

    def __init__(self, api: Api, sent: list[str]) -> None:
        self.api = api
        self.sent = sent

    async def requested_by(self, request: Callable[[Api], Awaitable[Any]]) -> Expected:
        # The first time writes when the key was last used; the second is what all others are like.
        await request(self.api)
        self.sent.clear()
        await request(self.api)
        own = [sql for sql in self.sent if not re.match("(BEGIN|COMMIT|ROLLBACK)", sql)]
        return Expected(len(own), len(self.sent))


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
    """One request for each row of EXPECTED that issues."""
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
    """One request for each row of EXPECTED that reads."""
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
    """The same charge, read by a session of the owner and by one of a member."""
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


async def test_the_hot_paths_send_as_many_statements_as_expected(watched: Watched, merchant: Merchant) -> None:
    charge = await merchant.issue()
    await merchant.issue()
    member = await merchant.api.register_merchant()
    await join(merchant, member, "viewer")
    requests = issuing(merchant) | reading(merchant, charge) | reading_as_a_person(merchant, member, charge)
    assert {name: await watched.requested_by(request) for name, request in requests.items()} == EXPECTED
