"""Paging by cursor or number returns each row exactly once, with ties and concurrent inserts."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from pydantic.alias_generators import to_snake

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import place_in_order, put_charges, put_customers

REFERENCE_IDS = [new_id() for _ in range(4)]
"""Two products and two customers."""
QUERY = """
query($first: Int, $after: String, $last: Int, $before: String, $order: ChargeOrder!, $filter: ChargeFilter) {
  charges(first: $first, after: $after, last: $last, before: $before, order: $order, filter: $filter) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { id } }
  }
}
"""
# Each example makes many requests, so there are few examples and no shrinking.
FEW_EXAMPLES = settings(
    max_examples=8,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
COLUMNS = st.sampled_from(["created_at", "amount", "paid_at", "updated_at"])
# Few values, so most rows tie.
VALUES = st.lists(st.integers(min_value=0, max_value=3), min_size=1, max_size=11)


def row_of(column: str, value: int, clock: MovedClock) -> dict[str, Any]:
    if column == "amount":
        return {"amount": 500 + value}
    if column == "paid_at" and value == 0:
        return {}
    paid = {"status": "paid"} if column == "paid_at" else {}
    return {column: clock.now() + timedelta(microseconds=value)} | paid


async def turn(api: Api, merchant: Merchant, order: str, **window: Any) -> dict[str, Any]:
    answer = await api.graphql(QUERY, token=merchant.key, order=order, **window)
    assert "errors" not in answer, answer
    connection: dict[str, Any] = answer["data"]["charges"]
    edges, info = connection["edges"], connection["pageInfo"]
    assert info["startCursor"] == (edges[0]["cursor"] if edges else None)
    assert info["endCursor"] == (edges[-1]["cursor"] if edges else None)
    return connection


def ids(connection: dict[str, Any]) -> list[str]:
    return [edge["node"]["id"] for edge in connection["edges"]]


async def forward(
    api: Api, merchant: Merchant, order: str, size: int, between: Any = None, **filters_: Any
) -> list[str]:
    seen: list[str] = []
    after = None
    while True:
        connection = await turn(api, merchant, order, first=size, after=after, **filters_)
        seen += ids(connection)
        if not connection["pageInfo"]["hasNextPage"]:
            return seen
        assert len(connection["edges"]) == size
        assert len(seen) < 200, "the cursor does not advance"
        after = connection["pageInfo"]["endCursor"]
        if between is not None:
            await between()


async def backward(api: Api, merchant: Merchant, order: str, size: int, **filters_: Any) -> list[str]:
    seen: list[str] = []
    before = None
    while True:
        connection = await turn(api, merchant, order, last=size, before=before, **filters_)
        seen = ids(connection) + seen
        assert len(seen) < 200, "the cursor does not advance"
        if not connection["pageInfo"]["hasPreviousPage"]:
            return seen
        before = connection["pageInfo"]["startCursor"]


@FEW_EXAMPLES
@example(column="paid_at", values=[2, 0, 3, 0, 0, 1], size=2, descending=True)
@example(column="paid_at", values=[2, 0, 3, 0, 0, 1], size=1, descending=False)
@given(column=COLUMNS, values=VALUES, size=st.integers(1, 5), descending=st.booleans())
async def test_both_directions_return_each_row_once_in_order(
    api: Api, database: Database, clock: MovedClock, column: str, values: list[int], size: int, descending: bool
) -> None:
    merchant = await api.register_merchant()
    made = await put_charges(database, merchant.id, [row_of(column, value, clock) for value in values], now=clock.now())
    expected = [row_id for _, row_id in sorted(zip(values, made, strict=True), reverse=descending)]
    order = f"{column}_{'desc' if descending else 'asc'}"

    assert await forward(api, merchant, order, size) == expected
    assert await backward(api, merchant, order, size) == expected

    sort = f"-{column}" if descending else column
    pages: list[str] = []
    for page in range(1, len(values) + 2):
        answer = (await api.get(f"/pix?page={page}&limit={size}&sort={sort}", token=merchant.key)).json()
        pages += [row["id"] for row in answer["data"]]
        assert answer["pagination"]["total"] == len(values)
        assert answer["pagination"]["has_more"] is (page * size < len(values))
    assert pages == expected


@FEW_EXAMPLES
@given(values=VALUES, size=st.integers(1, 4), added=st.lists(st.integers(0, 3), max_size=4), descending=st.booleans())
async def test_rows_inserted_meanwhile_do_not_shift_pages(
    api: Api, database: Database, clock: MovedClock, values: list[int], size: int, added: list[int], descending: bool
) -> None:
    merchant = await api.register_merchant()
    rows = [row_of("created_at", value, clock) for value in values]
    made = await put_charges(database, merchant.id, rows, now=clock.now())
    late: set[str] = set()

    async def insert() -> None:
        rows = [row_of("created_at", value, clock) for value in added]
        if len(late) < 40:
            late.update(await put_charges(database, merchant.id, rows, now=clock.now()))

    seen = await forward(api, merchant, f"created_at_{'desc' if descending else 'asc'}", size, between=insert)
    assert len(seen) == len(set(seen))
    expected = [row_id for _, row_id in sorted(zip(values, made, strict=True), reverse=descending)]
    assert [row_id for row_id in seen if row_id not in late] == expected


async def test_a_cursor_at_a_row_with_a_null_sort_value_finds_its_neighbours(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    values = (2, 0, 0, 2)
    made = await put_charges(
        database, merchant.id, [row_of("paid_at", value, clock) for value in values], now=clock.now()
    )
    expected = [row_id for _, row_id in sorted(zip(values, made, strict=True))]
    assert await forward(api, merchant, "paid_at_asc", 1) == expected
    assert await backward(api, merchant, "paid_at_asc", 3) == expected


@pytest.mark.parametrize("status", [None, "canceled"])
async def test_unpaid_charges_come_first_by_creation(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, status: str | None
) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(12):
        # Inserted in another order than `created_at`, so ids are no substitute.
        at = clock.now() - timedelta(days=number * 5 % 12)
        paid = {"status": "paid", "paid_at": at} if number % 3 == 0 else {"status": "canceled"}
        rows.append({"created_at": at, "updated_at": at} | paid)
    made = await put_charges(database, merchant.id, rows, now=clock.now())
    found = [(row, one) for row, one in zip(rows, made, strict=True) if status in (None, row["status"])]
    expected = [one for _, one in sorted(found, key=lambda of: ("paid_at" in of[0], of[0]["created_at"]))]
    filters_ = {} if status is None else {"filter": {"status": status}}
    for size in (1, 5):
        assert await forward(api, merchant, "paid_at_asc", size, **filters_) == expected
        assert await backward(api, merchant, "paid_at_asc", size, **filters_) == expected
        assert await forward(api, merchant, "paid_at_desc", size, **filters_) == expected[::-1]
    filter_ = "" if status is None else f"&status={status}"
    pages: list[str] = []
    for page in range(1, 5):
        path = f"/pix?page={page}&limit=4&sort=-paid_at{filter_}"
        pages += [row["id"] for row in (await api.get(path, token=merchant.key)).json()["data"]]
    assert pages == expected[::-1]


def filters(now: datetime) -> dict[str, tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]]:
    """Filters and their predicates."""
    start, end = now - timedelta(minutes=95), now - timedelta(minutes=15)
    return {
        "a common name": ({"q": "maria"}, lambda row: row["customer_name"] == "Maria Silva"),
        "a rare name": ({"q": "raríssimo"}, lambda row: row["customer_name"] == "Ruy Raríssimo"),
        "a wide range": ({"amountMin": 5.02}, lambda row: row["amount"] >= 502),
        "a narrow range": ({"amountMin": 5.60, "amountMax": 5.65}, lambda row: 560 <= row["amount"] <= 565),
        "a common name in a range": (
            {"q": "maria", "amountMin": 5.50},
            lambda row: row["customer_name"] == "Maria Silva" and row["amount"] >= 550,
        ),
        "a common name of a product": (
            {"q": "maria", "productId": REFERENCE_IDS[0]},
            lambda row: row["customer_name"] == "Maria Silva" and row["product_id"] == REFERENCE_IDS[0],
        ),
        "the beginning of a name, of a product": (
            {"q": "si", "productId": REFERENCE_IDS[0]},
            lambda row: row["customer_name"] == "Maria Silva" and row["product_id"] == REFERENCE_IDS[0],
        ),
        "a common name of a product, paid, in a range and a period": (
            {
                "q": "an",
                "productId": REFERENCE_IDS[1],
                "status": "paid",
                "amountMin": 5.10,
                "createdTo": end.isoformat(),
            },
            lambda row: (
                row["customer_name"] == "Ana Lima"
                and row["product_id"] == REFERENCE_IDS[1]
                and row.get("status") == "paid"
                and row["amount"] >= 510
                and row["created_at"] <= end
            ),
        ),
        "a rare name of a common product": (
            {"q": "raríssimo", "productId": REFERENCE_IDS[1]},
            lambda row: row["customer_name"] == "Ruy Raríssimo" and row["product_id"] == REFERENCE_IDS[1],
        ),
        "a common name of a customer": (
            {"q": "maria", "customerId": REFERENCE_IDS[2]},
            lambda row: row["customer_name"] == "Maria Silva" and row["customer_id"] == REFERENCE_IDS[2],
        ),
        "a period of payment": (
            {"paidFrom": start.isoformat(), "paidTo": end.isoformat()},
            lambda row: "paid_at" in row and start <= row["paid_at"] <= end,
        ),
        "a period of creation": (
            {"createdFrom": start.isoformat(), "createdTo": end.isoformat()},
            lambda row: start <= row["created_at"] <= end,
        ),
        "the last of it": ({"createdFrom": start.isoformat()}, lambda row: start <= row["created_at"]),
        "the first of it": ({"createdTo": end.isoformat()}, lambda row: row["created_at"] <= end),
    }


@pytest.mark.parametrize("order", ["created_at_desc", "created_at_asc", "amount_desc", "paid_at_desc"])
async def test_filtered_rows_are_paged_in_order(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, order: str
) -> None:
    chance = random.Random(order)
    now = clock.now()
    names = ["Maria Silva", "João Souza", "Ana Lima"] * 30 + ["Ruy Raríssimo"] * 2
    rows: list[dict[str, Any]] = []
    for name in chance.sample(names, len(names)):
        at = now - timedelta(minutes=chance.randrange(120))
        known = {"created_at": at, "customer_name": name, "amount": 500 + chance.randrange(80)}
        # One row in ten has the first product, the others the second. Both customers have rows of each name.
        known |= {
            "product_id": REFERENCE_IDS[chance.randrange(10) > 0],
            "customer_id": REFERENCE_IDS[2 + chance.randrange(5) % 2],
        }
        rows.append(known | chance.choice(({}, {"status": "paid", "paid_at": at + timedelta(minutes=1)})))
    made = await put_charges(database, merchant.id, rows, now=now)

    for kind, (filters_, meets) in filters(now).items():
        matching = [row | {"id": row_id} for row, row_id in zip(rows, made, strict=True) if meets(row)]
        matching.sort(key=lambda row: place_in_order(row, order.rpartition("_")[0]), reverse=order.endswith("_desc"))
        await is_walked(api, merchant, order, filters_, [row["id"] for row in matching], kind)


async def is_walked(
    api: Api, merchant: Merchant, order: str, filters_: dict[str, Any], expected: list[str], kind: str
) -> None:
    """GraphQL forward and backward, REST pages and REST cursors return `expected`."""
    column, _, direction = order.rpartition("_")
    assert len(expected) > 1, kind
    for size in (2, 7):
        assert await forward(api, merchant, order, size, filter=filters_) == expected, kind
        assert await backward(api, merchant, order, size, filter=filters_) == expected, kind
    whole = await turn(api, merchant, order, first=100, filter=filters_)
    assert (ids(whole), whole["totalCount"]) == (expected, len(expected)), kind
    query = "&".join(f"{to_snake(name)}={quote(str(value))}" for name, value in filters_.items())
    sort = f"-{column}" if direction == "desc" else column
    pages: list[str] = []
    for page in range(1, len(expected) // 7 + 3):
        answer = (await api.get(f"/pix?page={page}&limit=7&sort={sort}&{query}", token=merchant.key)).json()
        pages += [row["id"] for row in answer["data"]]
        assert answer["pagination"]["total"] == len(expected), kind
    assert pages == expected, kind
    pages, after = [], ""
    while after is not None:
        answer = (await api.get(f"/pix?after={after}&limit=7&sort={sort}&{query}", token=merchant.key)).json()
        pages += [row["id"] for row in answer["data"]]
        after = answer["pagination"]["next_cursor"] if answer["pagination"]["has_more"] else None
    assert pages == expected, kind


async def test_a_slice_between_two_cursors(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    rows = [{"amount": 500 + number} for number in range(9)]
    made = await put_charges(database, merchant.id, rows, now=clock.now())
    edges = (await turn(api, merchant, "amount_asc"))["edges"]
    between = {"after": edges[1]["cursor"], "before": edges[7]["cursor"]}
    assert ids(await turn(api, merchant, "amount_asc", **between)) == made[2:7]
    start = await turn(api, merchant, "amount_asc", first=2, **between)
    assert ids(start) == made[2:4]
    assert start["pageInfo"]["hasNextPage"] is True
    end = await turn(api, merchant, "amount_asc", last=2, **between)
    assert ids(end) == made[5:7]
    assert end["pageInfo"]["hasPreviousPage"] is True
    assert end["totalCount"] == 9
    none = await turn(api, merchant, "amount_asc", first=0)
    assert (none["edges"], none["totalCount"], none["pageInfo"]["hasNextPage"]) == ([], 9, True)


async def test_names_are_ordered_without_regard_to_case_and_accents(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    names = ["ana", "Ana", "Ágata", "áureo", "Zé", "zé", "Bia \U0001f600", "O'Brien", "100%"]
    await put_customers(database, merchant.id, [{"name": name} for name in names], now=clock.now())
    query = "query($after: String) { customers(first: 2, after: $after, order: name_asc) { pageInfo { endCursor hasNextPage } edges { node { name } } } }"
    seen: list[str] = []
    after, more = None, True
    while more:
        connection = (await api.graphql(query, token=merchant.key, after=after))["data"]["customers"]
        seen += [edge["node"]["name"] for edge in connection["edges"]]
        after, more = connection["pageInfo"]["endCursor"], connection["pageInfo"]["hasNextPage"]
    rest = (await api.get("/customers?sort=name", token=merchant.key)).json()["data"]
    assert seen == [customer["name"] for customer in rest]
    assert sorted(seen) == sorted(names)
    assert [name.lower() for name in seen] == [
        *("100%", "ágata", "ana", "ana", "áureo", "bia \U0001f600", "o'brien", "zé", "zé"),
    ]
