"""Lists compared with a naive model of the same rows: filters, pairs of filters, sorts, searches, pages, cursors and
CSV, over REST and GraphQL.
"""

import csv
import io
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic.alias_generators import to_camel

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests import sql
from tests.accents import plain
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges

pytestmark = pytest.mark.timeout(300)
ROWS = 90
IDS = {
    name: [new_id() for _ in range(3)]
    for name in ("customer_id", "product_id", "coupon_id", "payment_link_id", "subscription_id")
}
NAMES = ("João da Silva", "Maria Conceição", "JOSE SOUZA", "Ana Marta", "Osmar Müller", None)
EMAILS = ("maria.silva@exemplo.com.br", "joao@loja.example", None)
DESCRIPTIONS = ("Pedido 1 de café", "Pedido 12", "50% de desconto_1", "Caneca \\ azul", None)
PHONES = ("+5511912345678", "+5521998765432", None)
DOCUMENTS = ("52998224725", "12ABC34501DE35", None)
SORTS = ("created_at", "updated_at", "paid_at", "expires_at", "amount")
SEARCHES = (
    *("joão", "JOAO silva", "silva joao", "mar", "ma", "o", "café", "cafe pedido", "pedido 1", "1", "ped 12 ido"),
    *(
        "529.982.247-25",
        "982.247",
        "52998",
        "12.abc.345/01de-35",
        "(11) 91234-5678",
        "91234",
        "maria.silva@exemplo.com.br",
    ),
    *("silva@exemplo", "@loja", "%", "_1", "\\", "muller", "nothing here", "joao 529.982", "REF-1", "ref-2 ana"),
)
QUERY = """
query ($first: Int, $after: String, $last: Int, $before: String, $order: ChargeOrder!, $filter: ChargeFilter) {
  charges(first: $first, after: $after, last: $last, before: $before, order: $order, filter: $filter) {
    totalCount totalCapped totalAmount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id } }
  }
}
"""
Row = Mapping[str, Any]
Filter = tuple[str, Callable[[Row], bool]]


def random_row(chance: random.Random, now: datetime) -> dict[str, Any]:
    created = now - timedelta(hours=chance.randrange(60 * 24))
    status = chance.choice(("pending", "paid", "paid", "paid", "expired", "canceled", "refunded"))
    row: dict[str, Any] = {
        "created_at": created,
        "updated_at": created + timedelta(hours=chance.randrange(50)),
        "expires_at": created + timedelta(days=chance.choice((1, 30, 90))),
        "status": status,
        "amount": chance.choice((500, 1000, 1999, 5000, 123456)),
        "customer_name": chance.choice(NAMES),
        "customer_email": chance.choice(EMAILS),
        "customer_phone": chance.choice(PHONES),
        "customer_cpf": chance.choice(DOCUMENTS),
        "description": chance.choice(DESCRIPTIONS),
        **{name: chance.choice((*ids, None)) for name, ids in IDS.items()},
    }
    row["paid_late"] = status in ("paid", "refunded") and chance.random() < 0.3
    if status in ("paid", "refunded"):
        row["paid_at"] = created + timedelta(minutes=chance.randrange(3000))
        row["end_to_end_id"] = f"E{chance.randrange(10**10):010}"
    return row


def filters(rows: list[Row], now: datetime) -> dict[str, Filter]:
    """Each filter with a value, and its predicate."""
    since, until, some = now - timedelta(days=40), now - timedelta(days=10), rows[5]
    same = ("txid", "external_reference", *IDS)
    return {
        **{
            name: (some[name], lambda row, name=name: row[name] == some[name])
            for name in same
            if some[name] is not None
        },
        "end_to_end_id": ("E0", lambda row: row["end_to_end_id"] == "E0"),
        "created_from": (since.isoformat(), lambda row: row["created_at"] >= since),
        "created_to": (until.isoformat(), lambda row: row["created_at"] <= until),
        "paid_from": (since.isoformat(), lambda row: row["paid_at"] is not None and row["paid_at"] >= since),
        "paid_to": (until.isoformat(), lambda row: row["paid_at"] is not None and row["paid_at"] <= until),
        "status_in": ("canceled, paid", lambda row: shown_status(row, now) in {"paid", "canceled"}),
        "paid_late": ("true", lambda row: row["paid_late"]),
        "paid_late=false": ("false", lambda row: not row["paid_late"]),
        "amount_min": ("10", lambda row: row["amount"] >= 1000),
        "amount_max": ("19.99", lambda row: row["amount"] <= 1999),
        **{
            f"status={status}": (status, lambda row, status=status: shown_status(row, now) == status)
            for status in ("pending", "expired", "paid", "canceled", "refunded")
        },
        "q": ("maria", lambda row: finds("maria", row)),
    }


def in_variables(name: str, value: str) -> Any:
    """The value of a filter as GraphQL takes it."""
    if name.startswith("amount"):
        return float(value)
    if name == "paid_late":
        return value == "true"
    return value.split(", ") if name == "status_in" else value


def shown_status(row: Row, now: datetime) -> str:
    return "expired" if row["status"] == "pending" and row["expires_at"] <= now else str(row["status"])


TEXTS = (
    *("customer_name", "customer_email", "description", "external_reference", "txid", "end_to_end_id", "id"),
    *("customer_cpf", "customer_phone"),
)


def finds(q: str, row: Row) -> bool:
    """The rules of `q` in docs/lists.md."""
    texts = [plain(str(row[name])) for name in TEXTS if row[name] is not None]

    def has(word: str) -> bool:
        if len(word) < 3 and word.isalnum():
            return any(_begins_word(word, text) for text in texts)
        return any(word in text for text in texts)

    bare = "".join(one for one in q if one not in " .-/()+")
    is_number = bare.isdecimal() or bare.lower() == "12abc34501de35"
    words = plain(q).split()
    each = all(has(word) or (_bare(word) != word and len(_bare(word)) > 2 and has(_bare(word))) for word in words)
    return each or (is_number and len(words) > 1 and any(plain(bare) in text for text in texts))


def _bare(word: str) -> str:
    bare = "".join(one for one in word if one not in " .-/()+")
    return bare if bare.isdecimal() or bare == "12abc34501de35" else word


def _begins_word(word: str, text: str) -> bool:
    starts = [0, *(n + 1 for n, one in enumerate(text) if one.isascii() and not one.isalnum())]
    return any(text.startswith(word, start) for start in starts)


def ordered(rows: list[Row], sort: str) -> list[str]:
    column = sort.removeprefix("-")

    def position(row: Row) -> Any:
        value = row[column]
        return (value is not None, row["created_at"] if value is None else value, row["id"])

    return [row["id"] for row in sorted(rows, key=position, reverse=sort.startswith("-"))]


class Store:
    """A store with random charges, and its expected lists."""

    def __init__(self, api: Api, merchant: Merchant, rows: list[Row], now: datetime) -> None:
        self.api, self.merchant, self.rows = api, merchant, rows
        self.filters = filters(rows, now)
        self.amounts = {row["id"]: row["amount"] for row in rows}

    def found(self, names: tuple[str, ...]) -> list[Row]:
        return [row for row in self.rows if all(self.filters[name][1](row) for name in names)]

    def sent(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name.partition("=")[0]: self.filters[name][0] for name in names}

    async def page(self, expected: list[str], **query: Any) -> None:
        """The first, a middle and the last page by number."""
        for page in {1, 2, max(1, -(-len(expected) // 7)), len(expected) // 7 + 2}:
            answer = await self.api.get(
                f"/pix?{urlencode({'page': page, 'limit': 7, **query})}", token=self.merchant.key
            )
            assert answer.status_code == 200, (query, answer.text)
            body = answer.json()
            assert [row["id"] for row in body["data"]] == expected[7 * page - 7 : 7 * page], (query, page)
            assert body["pagination"]["total"] == len(expected), (query, page)
            assert body["pagination"]["has_more"] is (7 * page < len(expected)), (query, page)

    async def by_cursor(self, expected: list[str], **query: Any) -> None:
        after, seen = "", []
        while after is not None:
            answer = await self.api.get(
                f"/pix?{urlencode({'after': after, 'limit': 11, **query})}", token=self.merchant.key
            )
            body = answer.json()
            seen += [row["id"] for row in body["data"]]
            after = body["pagination"]["next_cursor"] if body["pagination"]["has_more"] else None
        assert seen == expected, query

    async def in_graphql(self, expected: list[str], sort: str, **query: Any) -> None:
        """Backward by cursors, with the total; cursors of REST and of GraphQL are the same."""
        column = sort.removeprefix("-")
        order = f"{column}_{'desc' if sort.startswith('-') else 'asc'}"
        variables = {to_camel(name): in_variables(name, value) for name, value in query.items()}
        before, seen = None, []
        while True:
            answer = await self.api.graphql(
                QUERY, token=self.merchant.key, last=13, before=before, order=order, filter=variables
            )
            assert "errors" not in answer, (query, answer)
            charges = answer["data"]["charges"]
            seen = [edge["node"]["id"] for edge in charges["edges"]] + seen
            assert (charges["totalCount"], charges["totalCapped"]) == (len(expected), False), query
            assert charges["totalAmount"] == sum(self.amounts[each] for each in expected) / 100, query
            if not charges["pageInfo"]["hasPreviousPage"]:
                break
            before = charges["pageInfo"]["startCursor"]
        assert seen == expected, query

    async def exported(self, expected: list[str], **query: Any) -> None:
        answer = await self.api.get(f"/pix/export?{urlencode(query)}", token=self.merchant.token)
        assert [row["id"] for row in csv.DictReader(io.StringIO(answer.text))] == expected, query


@pytest.fixture
async def store(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> Store:
    chance, now = random.Random(44), clock.now()
    made = [random_row(chance, now) | {"external_reference": f"REF-{number}"} for number in range(ROWS)]
    made[5] = dict.fromkeys(IDS) | made[5] | {name: ids[0] for name, ids in IDS.items()}
    await put_charges(database, merchant.id, made, now=now)
    rows = await sql.rows(database, "select * from charges where user_id = $1", merchant.id)
    # Another store's rows are never found.
    other = await api.register_merchant()
    await put_charges(database, other.id, [random_row(chance, now) for _ in range(9)], now=now)
    return Store(api, merchant, [dict(row) for row in rows], datetime.now(UTC) if clock is None else now)


def pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    for one, other in combinations(names, 2):
        if one.partition("=")[0] != other.partition("=")[0]:
            yield one, other


async def test_every_filter_in_every_order(store: Store) -> None:
    for name in ("", *store.filters):
        names = (name,) if name else ()
        found, sent = store.found(names), store.sent(names)
        for column in SORTS:
            for sort in (column, f"-{column}"):
                await store.page(ordered(found, sort), sort=sort, **sent)
        sort = random.Random(name).choice(SORTS)
        await store.by_cursor(ordered(found, sort), sort=sort, **sent)
        await store.in_graphql(ordered(found, f"-{sort}"), f"-{sort}", **sent)
        await store.exported(ordered(found, sort), sort=sort, **sent)


async def test_every_pair_of_filters(store: Store) -> None:
    for number, names in enumerate(pairs([*store.filters])):
        found, sent = store.found(names), store.sent(names)
        sort = ("", "-")[number % 2] + SORTS[number % 5]
        await store.page(ordered(found, sort), sort=sort, **sent)
        if number % 3 == 0:
            await store.in_graphql(ordered(found, sort), sort, **sent)
            await store.by_cursor(ordered(found, sort), sort=sort, **sent)


async def test_every_search(store: Store) -> None:
    one = store.rows[0]
    ids = (one["id"], one["id"][3:12], one["txid"], one["txid"][5:20].upper())
    for number, q in enumerate((*SEARCHES, *ids)):
        found = [row for row in store.rows if finds(q, row)]
        for sort in ("-created_at", SORTS[number % 5]):
            await store.page(ordered(found, sort), sort=sort, q=q)
        await store.in_graphql(ordered(found, "-amount"), "-amount", q=q)
        await store.by_cursor(ordered(found, "created_at"), sort="created_at", q=q)
        await store.exported(ordered(found, "-created_at"), sort="-created_at", q=q)
        paid = [row for row in found if row["status"] == "paid"]
        await store.page(ordered(paid, "-paid_at"), sort="-paid_at", q=q, status="paid")


USED = """
query ($after: String) {
  %s(first: 4, after: $after, order: uses_count_%s) { pageInfo { hasNextPage endCursor } edges { node { id } } }
}
"""


@pytest.mark.parametrize("path", ["/coupons", "/payment-links"])
@pytest.mark.parametrize("descending", [True, False])
async def test_an_order_by_uses(api: Api, merchant: Merchant, database: Database, path: str, descending: bool) -> None:
    used = {}
    for number, uses in enumerate((3, 0, 12, 3, 2_000_000_000, 1)):
        body = {"code": f"C{number}", "discount_type": "fixed", "discount_value": 1}
        made = await api.post(path, body if path == "/coupons" else {"amount": 10}, token=merchant.key)
        used[made.json()["data"]["id"]] = uses
        table = path.strip("/").replace("-", "_")
        await sql.run(database, f"update {table} set uses_count = $2 where id = $1", made.json()["data"]["id"], uses)
    expected = sorted(used, key=lambda each: (used[each], each), reverse=descending)
    sort = "-uses_count" if descending else "uses_count"
    assert await read_by_cursor(api, merchant.key, path, sort) == expected
    field, after, seen = {"/coupons": "coupons", "/payment-links": "paymentLinks"}[path], None, []
    while after is not None or not seen:
        document = USED % (field, "desc" if descending else "asc")
        listed = (await api.graphql(document, token=merchant.key, after=after))["data"][field]
        seen += [edge["node"]["id"] for edge in listed["edges"]]
        after = listed["pageInfo"]["endCursor"] if listed["pageInfo"]["hasNextPage"] else None
    assert seen == expected


async def test_api_keys_by_their_last_use(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    ids = [merchant.key_id]
    for name in ("a", "b", "c"):
        made = await api.post("/api-keys", {"name": name, "environment": "test"}, token=merchant.token)
        ids.append(made.json()["data"]["id"])
    for number, each in enumerate((ids[3], ids[1])):
        used = clock.now() - timedelta(days=number)
        await sql.run(database, "update api_keys set last_used_at = $2 where id = $1", each, used)
    for each in (ids[0], ids[2]):
        await sql.run(database, "update api_keys set last_used_at = null where id = $1", each)
    expected = [ids[3], ids[1], *sorted((ids[0], ids[2]), reverse=True)]
    assert await read_by_cursor(api, merchant.token, "/api-keys", "-last_used_at") == expected
    assert await read_by_cursor(api, merchant.token, "/api-keys", "last_used_at") == expected[::-1]


async def test_failing_subscriptions(api: Api, merchant: Merchant, database: Database) -> None:
    ids = []
    for status, failure in (("active", "sem conta"), ("active", None), ("paused", "sem conta")):
        body = {"customer_name": "Ana", "amount": 30}
        ids.append((await api.post("/subscriptions", body, token=merchant.key)).json()["data"]["id"])
        change = "update subscriptions set status = $2, last_failure = $3 where id = $1"
        await sql.run(database, change, ids[-1], status, failure)

    async def found(failing: bool) -> set[str]:
        query = "query ($failing: Boolean) { subscriptions(filter: {failing: $failing}) { edges { node { id } } } }"
        answer = await api.graphql(query, token=merchant.key, failing=failing)
        nodes = {edge["node"]["id"] for edge in answer["data"]["subscriptions"]["edges"]}
        listed = await api.get(f"/subscriptions?failing={str(failing).lower()}", token=merchant.key)
        assert {row["id"] for row in listed.json()["data"]} == nodes
        return nodes

    assert await found(failing=True) == {ids[0]}
    assert await found(failing=False) == {ids[1], ids[2]}


async def read_by_cursor(api: Api, token: str, path: str, sort: str) -> list[str]:
    after, seen = "", []
    while after is not None:
        body = (await api.get(f"{path}?{urlencode({'after': after, 'limit': 2, 'sort': sort})}", token=token)).json()
        seen += [row["id"] for row in body["data"]]
        after = body["pagination"]["next_cursor"]
    return seen
