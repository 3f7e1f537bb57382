"""Relations over GraphQL: correct for each row, in one query for any number of rows."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database, Row, Statement
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from gateway.values.ids import new_id
from tests import sql
from tests.api.transport_calls import RELATIONS
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges, put_customers
from tests.subscriptions.fixtures import put_subscriptions


class CountingDatabase(Database):
    """Records the statements outside of transactions, as operations that read have no others."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.pool)
        self.statements: list[str] = []

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        self.statements.append(statement.sql)
        return await super().one(statement, **values)

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        self.statements.append(statement.sql)
        return await super().all(statement, **values)

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        self.statements.append(statement.sql)
        return await super().value(statement, **values)

    async def run(self, statement: Statement, /, **values: Any) -> int:
        self.statements.append(statement.sql)
        return await super().run(statement, **values)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        self.statements.append("begin")
        async with super().transaction() as transaction:
            yield transaction


@pytest.fixture
def counting(services: Services) -> CountingDatabase:
    return CountingDatabase(services.database)


@pytest.fixture
async def counted(services: Services, counting: CountingDatabase) -> AsyncIterator[Api]:
    async with Api.of(
        Gateway(services.settings, replace(services, database=counting, credentials=Credentials(counting)))
    ) as api:
        yield api


@pytest.fixture
async def store(merchant: Merchant, database: Database, clock: MovedClock, counted: Api) -> Merchant:
    """A merchant with eight customers of five charges each, and four charges without a customer."""
    ids = await put_customers(database, merchant.id, [{}] * 8, now=clock.now())
    rows: list[dict[str, Any]] = [
        {"customer_id": ids[n % 8], "created_at": clock.now() + timedelta(seconds=n)} for n in range(40)
    ]
    await put_charges(database, merchant.id, [*rows, *[{}] * 4], now=clock.now())
    await counted.get("/auth/me", token=merchant.key)  # Updates the key's last use, at most once a minute.
    return merchant


AUTHENTICATION, LIST, RELATION, TOTAL = 1, 1, 1, 1
# Queries, and the number of statements that each may take.
COUNTS = {
    "{ charges { edges { node { id } } } }": AUTHENTICATION + LIST,
    "{ charges(first: 5) { totalCount } }": AUTHENTICATION + LIST + TOTAL,
    "{ charges(first: 5) { a: totalCount b: totalCount } }": AUTHENTICATION + LIST + TOTAL,
    "{ charges(first: 5) { totalCount totalCapped totalAmount } }": AUTHENTICATION + LIST + TOTAL,
    "{ customers { edges { node { charges(first: 2) { totalAmount } } } } }": AUTHENTICATION + LIST + RELATION + TOTAL,
    "{ customers { edges { node { paidCount paidAmount lastPaidAt } } } }": AUTHENTICATION + LIST + RELATION,
    "{ charges(first: 50) { totalCount edges { node { id } } } }": AUTHENTICATION + LIST,
    "{ charges { edges { node { customer { name } } } } }": AUTHENTICATION + LIST + RELATION,
    "{ a: charges { edges { node { customer { name } } } } b: customers { edges { node { id } } } }": AUTHENTICATION
    + 2 * LIST
    + RELATION,
    "{ customers { edges { node { charges(first: 2) { edges { node { id } } } } } } }": AUTHENTICATION
    + LIST
    + RELATION,
    "{ customers { edges { node { charges(first: 2) { totalCount edges { node { id } } } } } } }": AUTHENTICATION
    + LIST
    + RELATION
    + TOTAL,
    "{ customers { edges { node { charges { edges { node { customer { name } } } } } } } }": AUTHENTICATION
    + LIST
    + 2 * RELATION,
    "{ customers { edges { node { a: charges(first: 1) { edges { node { id } } } b: charges(last: 1) { edges { node { id } } } } } } }": AUTHENTICATION
    + LIST
    + 2 * RELATION,
    "{ apiKeys { totalCount edges { node { id } } } }": AUTHENTICATION + LIST,
}


@pytest.mark.parametrize(("query", "statements"), COUNTS.items())
async def test_a_request_takes_as_many_statements_as_it_has_lists_and_relations(
    store: Merchant, counted: Api, counting: CountingDatabase, query: str, statements: int
) -> None:
    counting.statements.clear()
    answer = await counted.graphql(query, token=store.key)
    assert "errors" not in answer, answer
    assert len(counting.statements) == statements, "\n\n".join(counting.statements)


@pytest.fixture
async def related(merchant: Merchant, counted: Api, database: Database, clock: MovedClock) -> Merchant:
    """A merchant with three objects of each type with relations, each related to other rows."""

    async def three(path: str, bodies: Iterable[dict[str, Any]]) -> list[str]:
        answers = [await counted.post(path, body, token=merchant.key) for body in bodies]
        return [answer.json()["data"]["id"] for answer in answers]

    customers = await put_customers(database, merchant.id, [{}] * 3, now=clock.now())
    products = await three("/products", [{"name": f"Curso {n}", "price": 100} for n in range(3)])
    discount = {"discount_type": "percentage", "discount_value": 10}
    coupons = await three("/coupons", [{"code": f"CURSO{n}", **discount} for n in range(3)])
    sold = [{"product_id": a, "coupon_id": b} for a, b in zip(products, coupons, strict=True)]
    links = await three("/payment-links", [{"amount": 100, **each} for each in sold])
    known = [{"customer_id": each} for each in customers]
    subscriptions = await put_subscriptions(database, merchant.id, known, due=clock.now())
    rows = [
        {**a, **b, "payment_link_id": link, "subscription_id": subscription}
        for a, b, link, subscription in zip(known, sold, links, subscriptions, strict=True)
    ]
    charges = await put_charges(database, merchant.id, rows, now=clock.now())
    add = """insert into refunds (id, user_id, environment, charge_id, amount, engine, next_attempt_at, created_at)
             select uuidv7(), $1, 'test', id, 100, 'simulator', now(), now() from unnest($2::uuid[]) as charges (id)"""
    await sql.run(database, add, merchant.id, charges)
    before = clock.now() - timedelta(days=2)
    paid = [
        {**row, "status": "paid", "created_at": before, "paid_at": before + timedelta(hours=n), "discount_amount": n}
        for n, row in enumerate(rows, 1)
        for _ in range(n)
    ]
    refunded = [{**row, "status": "refunded", "created_at": before, "paid_at": clock.now()} for row in rows]
    await put_charges(database, merchant.id, paid + [row | {"discount_amount": 0} for row in refunded], now=clock.now())
    return merchant


AMOUNTS = ("paidCount", "paidAmount", "lastPaidAt", "discountedAmount")


async def test_a_relation_takes_as_many_statements_for_three_as_for_one(
    related: Merchant, counted: Api, counting: CountingDatabase
) -> None:
    lists = {
        "Charge": "charges",
        "Customer": "customers",
        "PaymentLink": "paymentLinks",
        "Product": "products",
        "Coupon": "coupons",
        "SubscriptionContract": "subscriptions",
        "Refund": "refunds",
    }
    taken = {}
    of_lists = [relation for relation in sorted(RELATIONS) if not relation.startswith("StatementEntry.")]
    for relation in of_lists:
        parent, _, field = relation.partition(".")
        selected = {"charges": "{ edges { node { id } } }", **dict.fromkeys(AMOUNTS, "")}.get(field, "{ id }")
        for parents in (1, 3):
            counting.statements.clear()
            query = f"{{ parents: {lists[parent]}(first: {parents}) {{ edges {{ node {{ {field} {selected} }} }} }} }}"
            answer = await counted.graphql(query, token=related.key)
            found = {str(edge["node"][field]) for edge in answer["data"]["parents"]["edges"]}
            assert len(found - {"None"}) == parents, (relation, answer)
            taken[relation, parents] = len(counting.statements)
    assert taken == dict.fromkeys(taken, AUTHENTICATION + LIST + RELATION)
    assert len(taken) == 2 * len(of_lists)


async def test_the_charges_and_the_refunds_of_a_statement_take_one_statement_each(
    related: Merchant, counted: Api, counting: CountingDatabase
) -> None:
    counting.statements.clear()
    relations = "charge { id } refund { id } withdrawal { id } repayment { id }"
    query = f"{{ statement {{ edges {{ node {{ chargeId refundId {relations} }} }} }} }}"
    entries = (await counted.graphql(query, token=related.key))["data"]["statement"]["edges"]
    assert len({entry["node"]["chargeId"] for entry in entries} - {None}) == 9
    assert len({entry["node"]["refundId"] for entry in entries} - {None}) == 3
    for entry in entries:
        for name in ("charge", "refund"):
            found = entry["node"][name]
            assert (found and found["id"]) == entry["node"][f"{name}Id"]
    in_a_transaction = 1
    assert len(counting.statements) == AUTHENTICATION + in_a_transaction + 2 * RELATION


ATTEMPTS = 1
HEALTH = "health { consecutiveFailures }"


@pytest.mark.parametrize(
    ("field", "selected", "statements"),
    [
        ("webhookEndpoints", HEALTH, RELATION),
        ("deliveries", f"payload endpoint {{ name {HEALTH} }}", ATTEMPTS + 3 * RELATION),
        ("events", "deliveries { payload endpoint { name } }", RELATION + ATTEMPTS + 2 * RELATION),
    ],
)
async def test_relations_of_webhooks_take_as_many_statements_for_three_as_for_one(
    merchant: Merchant, counted: Api, counting: CountingDatabase, field: str, selected: str, statements: int
) -> None:
    for n in range(3):
        form = {"name": f"loja {n}", "url": f"http://127.0.0.1:8080/{n}"}
        assert (await counted.post("/webhook-endpoints", form, token=merchant.token)).status_code == 201
        await merchant.issue()
    for first in (1, 3):
        counting.statements.clear()
        query = f"{{ found: {field}(first: {first}) {{ edges {{ node {{ {selected} }} }} }} }}"
        answer = await counted.graphql(query, token=merchant.key)
        assert len(answer["data"]["found"]["edges"]) == first, answer
        assert len(counting.statements) == AUTHENTICATION + LIST + statements, "\n\n".join(counting.statements)


async def test_the_paid_charges_of_an_object_are_summed(related: Merchant, counted: Api, database: Database) -> None:
    """In one statement for all three fields; refunded and pending charges don't count."""
    names = {
        "customers": "customer_id",
        "products": "product_id",
        "coupons": "coupon_id",
        "paymentLinks": "payment_link_id",
        "subscriptions": "subscription_id",
    }
    charges = await sql.rows(database, "select * from charges where status = 'paid' and user_id = $1", related.id)
    for field, column in names.items():
        discounts = "discountedAmount" if field == "coupons" else ""
        query = f"{{ {field} {{ edges {{ node {{ id paidCount paidAmount lastPaidAt {discounts} }} }} }} }}"
        found = [edge["node"] for edge in (await counted.graphql(query, token=related.key))["data"][field]["edges"]]
        assert sorted(node["paidCount"] for node in found) == [1, 2, 3]
        for node in found:
            own = [charge for charge in charges if charge[column] == node["id"]]
            assert (node["paidCount"], node["paidAmount"]) == (len(own), sum(each["amount"] for each in own) / 100)
            assert datetime.fromisoformat(node["lastPaidAt"]) == max(each["paid_at"] for each in own)
            if discounts:
                assert node[discounts] == sum(each["discount_amount"] for each in own) / 100
    newest = await counted.graphql("{ subscriptions { edges { node { lastCharge { status } } } } }", token=related.key)
    shown = [edge["node"]["lastCharge"] for edge in newest["data"]["subscriptions"]["edges"]]
    assert shown == [{"status": "pending"}] * 3


@pytest.mark.parametrize(
    ("path", "statements"),
    [
        ("/pix", 2),
        ("/pix?limit=100", 2),
        ("/pix?limit=10", 2),
        ("/pix?limit=10&status=pending", 2),
        ("/pix?limit=10&page=9", 3),
        ("/customers", 2),
        ("/api-keys", 2),
    ],
)
async def test_a_rest_list_is_one_statement_and_at_most_a_count(
    store: Merchant, counted: Api, counting: CountingDatabase, path: str, statements: int
) -> None:
    counting.statements.clear()
    assert (await counted.get(path, token=store.key)).status_code == 200
    assert len(counting.statements) == statements, "\n\n".join(counting.statements)


async def test_many_fields_authenticate_once(store: Merchant, counted: Api, counting: CountingDatabase) -> None:
    counting.statements.clear()
    many = " ".join(f"a{n}: customers(first: 1) {{ totalCount }}" for n in range(20))
    refused = await counted.graphql(f"{{ {many} }}", token="service_test_unknown")
    assert {error["message"] for error in refused["errors"]} == {"Chave de API inválida ou revogada"}
    assert len(counting.statements) == AUTHENTICATION


async def test_relations_return_the_referenced_rows(store: Merchant, api: Api) -> None:
    query = """{ customers { edges { node { id name
      newest: charges(first: 2) { totalCount pageInfo { hasNextPage endCursor } edges { node { id customer { id } } } }
      oldest: charges(last: 2) { edges { node { id } } }
      none: charges(filter: {status: paid}) { totalCount edges { node { id } } } } } } }"""
    customers = [edge["node"] for edge in (await api.graphql(query, token=store.key))["data"]["customers"]["edges"]]
    charges = (await api.get("/pix", token=store.key)).json()["data"]
    assert len(customers) == 8
    for customer in customers:
        own = [charge["id"] for charge in charges if charge["customer_id"] == customer["id"]]
        assert len(own) == 5
        newest = customer["newest"]
        assert [edge["node"]["id"] for edge in newest["edges"]] == own[:2]
        assert {edge["node"]["customer"]["id"] for edge in newest["edges"]} == {customer["id"]}
        assert (newest["totalCount"], newest["pageInfo"]["hasNextPage"]) == (5, True)
        assert [edge["node"]["id"] for edge in customer["oldest"]["edges"]] == own[-2:]
        assert customer["none"] == {"totalCount": 0, "edges": []}
    first = customers[0]
    follow = "query($id: ID!, $after: String) { customer(id: $id) { charges(first: 9, after: $after) { edges { node { id } } } } }"
    after = first["newest"]["pageInfo"]["endCursor"]
    rest = (await api.graphql(follow, token=store.key, id=first["id"], after=after))["data"]["customer"]["charges"]
    assert len(rest["edges"]) == 3


async def test_a_relation_can_be_searched(store: Merchant, api: Api) -> None:
    query = """query ($one: String, $all: String) { customers { edges { node { id
      one: charges(filter: {q: $one}) { totalCount edges { node { id } } }
      all: charges(first: 2, filter: {q: $all}) { totalCount edges { node { id } } } } } } }"""
    charges = (await api.get("/pix", token=store.key)).json()["data"]
    sought = next(charge for charge in charges if charge["customer_id"])
    for words in ("pedido", "pe"):
        answer = await api.graphql(query, token=store.key, one=sought["id"], all=words)
        for customer in (edge["node"] for edge in answer["data"]["customers"]["edges"]):
            own = [charge["id"] for charge in charges if charge["customer_id"] == customer["id"]]
            found = [sought["id"]] if sought["id"] in own else []
            assert customer["one"] == {"totalCount": len(found), "edges": [{"node": {"id": each}} for each in found]}
            assert customer["all"]["totalCount"] == len(own) == 5
            assert [edge["node"]["id"] for edge in customer["all"]["edges"]] == own[:2]


async def test_a_relation_never_leaves_the_store_or_the_environment(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    [foreign] = await put_customers(database, other.id, [{"name": "de outra loja"}], now=clock.now())
    [live] = await put_customers(database, merchant.id, [{"environment": "live"}], now=clock.now())
    [mine] = await put_customers(database, merchant.id, [{}], now=clock.now())
    rows = [{"customer_id": row_id} for row_id in (foreign, live, new_id())]
    await put_charges(database, merchant.id, rows, now=clock.now())
    await put_charges(database, other.id, [{"customer_id": mine}], now=clock.now())
    await put_charges(database, merchant.id, [{"customer_id": mine, "environment": "live"}], now=clock.now())
    query = (
        "{ charges { edges { node { customer { name } } } } customers { edges { node { charges { totalCount } } } } }"
    )
    data = (await api.graphql(query, token=merchant.key))["data"]
    assert [edge["node"]["customer"] for edge in data["charges"]["edges"]] == [None] * 3
    assert [edge["node"]["charges"]["totalCount"] for edge in data["customers"]["edges"]] == [0]


async def test_a_bad_argument_of_a_relation_is_refused(store: Merchant, api: Api) -> None:
    for arguments in ('after: "x"', "first: 101", "first: 1, last: 1"):
        query = f"{{ customers(first: 1) {{ edges {{ node {{ charges({arguments}) {{ totalCount }} }} }} }} }}"
        answer = await api.graphql(query, token=store.key)
        assert answer["errors"][0]["extensions"]["status"] == 400


async def test_related_charges_are_filtered_by_several_statuses(merchant: Merchant, api: Api) -> None:
    customer = await merchant.api.post("/customers", {"name": "Carla"}, token=merchant.token)
    assert customer.status_code == 201, customer.text
    query = "{ customers { edges { node { charges(filter: {statusIn: [paid, pending]}) { totalCount } } } } }"
    answer = await api.graphql(query, token=merchant.key)
    assert answer["data"]["customers"]["edges"] == [{"node": {"charges": {"totalCount": 0}}}]
