"""Lists of charges through both transports: pages, filters, sort orders and refused parameters."""

import base64
import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock
from tests.rows import put_charges

CHARGES = """
query($first: Int, $after: String, $last: Int, $before: String, $filter: ChargeFilter, $order: ChargeOrder! = created_at_desc) {
  charges(first: $first, after: $after, last: $last, before: $before, filter: $filter, order: $order) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { id amount status qrCodeUrl } }
  }
}
"""


async def listed(api: Api, merchant: Merchant, **query: Any) -> dict[str, Any]:
    response = await api.get(f"/pix?{urlencode(query)}", token=merchant.key)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.title() for word in tail)


def typed(name: str, value: Any) -> Any:
    return float(value) if name.startswith("amount") else value


async def found(api: Api, merchant: Merchant, **filters: Any) -> list[str]:
    """The ids that a filter finds. Asserts that both transports agree and the count matches."""
    rest = [row["id"] for row in (await listed(api, merchant, **filters))["data"]]
    graphql_filter = {camel(name): typed(name, value) for name, value in filters.items()}
    answer = await api.graphql(CHARGES, token=merchant.key, filter=graphql_filter)
    assert "errors" not in answer, answer
    connection = answer["data"]["charges"]
    assert [edge["node"]["id"] for edge in connection["edges"]] == rest
    assert connection["totalCount"] == len(rest)
    return rest


async def test_a_page_has_its_position_and_totals(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    rows = [{"created_at": clock.now() + timedelta(seconds=n)} for n in range(7)]
    newest_first = (await put_charges(database, merchant.id, rows, now=clock.now()))[::-1]

    first = await listed(api, merchant, limit=3)
    assert [row["id"] for row in first["data"]] == newest_first[:3]
    assert first["pagination"] == {"page": 1, "limit": 3, "total": 7, "total_pages": 3, "has_more": True}
    last = await listed(api, merchant, limit=3, page=3)
    assert [row["id"] for row in last["data"]] == newest_first[6:]
    assert last["pagination"] == {"page": 3, "limit": 3, "total": 7, "total_pages": 3, "has_more": False}
    beyond = await listed(api, merchant, limit=3, page=4)
    assert beyond["data"] == []
    assert beyond["pagination"] == {"page": 4, "limit": 3, "total": 7, "total_pages": 3, "has_more": False}
    exact = await listed(api, merchant, limit=7)
    assert exact["pagination"] == {"page": 1, "limit": 7, "total": 7, "total_pages": 1, "has_more": False}
    default = await listed(api, merchant, page=1)
    assert default["pagination"]["limit"] == 50


async def test_a_list_is_read_by_cursor_over_rest(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    rows = [{"created_at": clock.now() + timedelta(seconds=n)} for n in range(7)]
    newest_first = (await put_charges(database, merchant.id, rows, now=clock.now()))[::-1]

    first = await listed(api, merchant, limit=3, after="")
    assert [row["id"] for row in first["data"]] == newest_first[:3]
    cursor = first["pagination"].pop("next_cursor")
    assert first["pagination"] == {"limit": 3, "has_more": True}
    # New rows move nothing.
    await put_charges(database, merchant.id, [{"created_at": clock.now() + timedelta(minutes=1)}], now=clock.now())
    second = await listed(api, merchant, limit=3, after=cursor)
    assert [row["id"] for row in second["data"]] == newest_first[3:6]
    last = await listed(api, merchant, limit=3, after=second["pagination"]["next_cursor"])
    assert [row["id"] for row in last["data"]] == newest_first[6:]
    assert last["pagination"]["has_more"] is False
    beyond = await listed(api, merchant, limit=3, after=last["pagination"]["next_cursor"])
    assert beyond == {"data": [], "pagination": {"limit": 3, "has_more": False, "next_cursor": None}}
    assert (await listed(api, merchant, after=cursor))["pagination"]["limit"] == 50

    # GraphQL has the same cursor.
    answer = await api.graphql(CHARGES, token=merchant.key, first=1, after=cursor)
    [edge] = answer["data"]["charges"]["edges"]
    assert edge["node"]["id"] == newest_first[3]
    assert [row["id"] for row in (await listed(api, merchant, limit=2, after=edge["cursor"]))["data"]] == newest_first[
        4:6
    ]


async def test_a_cursor_replaces_a_page_and_belongs_to_its_order(api: Api, merchant: Merchant) -> None:
    await merchant.issue()
    cursor = (await listed(api, merchant, after=""))["pagination"]["next_cursor"]
    for query, reason in [
        ({"after": cursor, "page": 1}, "use page ou after, não os dois"),
        ({"after": "", "page": 2}, "use page ou after, não os dois"),
        ({"after": cursor, "sort": "amount"}, "cursor inválido para esta lista e ordem"),
        ({"after": "não é cursor"}, "cursor inválido para esta lista e ordem"),
    ]:
        response = await api.get(f"/pix?{urlencode(query)}", token=merchant.key)
        assert response.status_code == 400
        assert response.json()["error"]["campos"] == [{"campo": "after", "mensagem": reason}]
    both = await api.get(f"/pix?{urlencode({'after': '', 'page': 2, 'status': 'x'})}", token=merchant.key)
    assert {fault["campo"] for fault in both.json()["error"]["campos"]} == {"after", "status"}
    [charge] = (await listed(api, merchant, after="", include="qr_code_url"))["data"]
    assert charge["qr_code_url"] is not None


async def test_a_cursor_at_an_unpaid_charge_has_its_creation_time(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    charge = await merchant.issue()
    cursor = (await listed(api, merchant, after="", sort="-paid_at"))["pagination"]["next_cursor"]
    sort, sort_key, row_id = json.loads(base64.urlsafe_b64decode(cursor + "=="))
    assert (sort, [*sort_key], row_id) == ("-paid_at", ["created_at"], charge["id"])
    at = sort_key["created_at"]
    forged = [["-paid_at", None, row_id], ["-paid_at", {}, row_id], ["-paid_at", {"created_at": 1}, row_id]]
    forged += [["-paid_at", [at], row_id], ["-created_at", sort_key, row_id], ["-amount", sort_key, row_id]]
    forged += [["-paid_at", {"created_at": f"{year}-01-01T00:00:00Z"}, row_id] for year in (1200, 1950, 9999)]
    for content in forged:
        after = base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()
        response = await api.get(f"/pix?{urlencode({'after': after, 'sort': content[0]})}", token=merchant.key)
        assert response.status_code == 400, content
        assert response.json()["error"]["campos"][0]["campo"] == "after"
    # A cursor with any payment time is after all unpaid charges.
    for timestamp in (clock.now().isoformat(), "8999-12-31T23:59:59Z"):
        after = base64.urlsafe_b64encode(json.dumps(["-paid_at", timestamp, row_id]).encode()).rstrip(b"=").decode()
        for status in ("", "pending"):
            query = {"after": after, "sort": "-paid_at"} | ({"status": status} if status else {})
            assert [one["id"] for one in (await listed(api, merchant, **query))["data"]] == [row_id], query


LISTS = [
    "/pix",
    "/customers",
    "/products",
    "/coupons",
    "/payment-links",
    "/subscriptions",
    "/withdrawals",
    "/repayments",
]
LISTS += ["/api-keys", "/members", "/webhook-endpoints", "/audit", "/roadmap"]


@pytest.mark.parametrize("path", LISTS)
async def test_every_list_is_read_by_cursor(api: Api, merchant: Merchant, path: str) -> None:
    response = await api.get(f"{path}?after=&limit=1", token=merchant.token)
    assert response.status_code == 200, response.text
    pagination = response.json()["pagination"]
    assert pagination.keys() == {"limit", "has_more", "next_cursor"}
    assert (pagination["next_cursor"] is None) == (response.json()["data"] == [])


async def test_the_staff_s_lists_are_read_by_cursor(api: Api) -> None:
    staff = await staff_member(api, api.services)
    stores = {(await api.register_merchant()).id for _ in range(3)} | {staff.id}
    seen, after = [], ""
    while after is not None:
        answer = (await api.get(f"/admin/lojistas?after={after}&limit=2", token=staff.token)).json()
        seen += [store["id"] for store in answer["data"]]
        after = answer["pagination"]["next_cursor"] if answer["pagination"]["has_more"] else None
    assert len(seen) == len(stores)
    assert {*seen} == stores
    for path in ("/admin/withdrawals", "/admin/repayments", "/admin/differences"):
        answer = (await api.get(f"{path}?after=", token=staff.token)).json()
        assert answer == {"data": [], "pagination": {"limit": 50, "has_more": False, "next_cursor": None}}


async def test_the_deliveries_of_an_endpoint_are_read_by_cursor(api: Api, merchant: Merchant) -> None:
    endpoint = {"name": "loja", "url": "https://loja.example.com/webhooks"}
    made = (await api.post("/webhook-endpoints", endpoint, token=merchant.token)).json()["data"]
    answer = (await api.get(f"/webhook-endpoints/{made['id']}/deliveries?after=", token=merchant.token)).json()
    assert answer == {"data": [], "pagination": {"limit": 50, "has_more": False, "next_cursor": None}}


async def test_an_empty_list_has_no_pages(api: Api, merchant: Merchant) -> None:
    empty = await listed(api, merchant, page=1)
    assert empty["pagination"] == {"page": 1, "limit": 50, "total": 0, "total_pages": 0, "has_more": False}
    assert await listed(api, merchant) == {"data": []}
    connection = (await api.graphql(CHARGES, token=merchant.key))["data"]["charges"]
    page_info = {"hasNextPage": False, "hasPreviousPage": False, "startCursor": None, "endCursor": None}
    assert connection == {"totalCount": 0, "edges": [], "pageInfo": page_info}


async def test_a_list_without_pages_is_cut_at_5000_with_a_notice(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    await put_charges(database, merchant.id, [{}] * 5000, now=clock.now())
    whole = await listed(api, merchant)
    assert len(whole["data"]) == 5000
    assert "pagination" not in whole
    assert "aviso" not in whole

    oldest = {"created_at": clock.now() - timedelta(days=1)}
    [forgotten] = await put_charges(database, merchant.id, [oldest], now=clock.now())
    cut = await listed(api, merchant)
    assert len(cut["data"]) == 5000
    assert cut["pagination"] == {"truncated": True}
    assert "5000" in cut["aviso"]
    assert forgotten not in {row["id"] for row in cut["data"]}


async def test_both_paths_return_the_same_list_with_charges_as_read(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue(metadata={"pedido": "1"})
    [row] = (await listed(api, merchant))["data"]
    assert (await api.get("/charges", token=merchant.key)).json()["data"] == [row]
    assert row == charge | {"qr_code_url": None}
    [listed_charge] = (await listed(api, merchant, include="qr_code_url", limit=1))["data"]
    assert listed_charge == charge
    [edge] = (await api.graphql(CHARGES, token=merchant.key))["data"]["charges"]["edges"]
    assert edge["node"]["qrCodeUrl"] == charge["qr_code_url"]


async def test_a_list_is_of_one_store_and_one_environment(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    await put_charges(database, other.id, [{}], now=clock.now())
    await put_charges(database, merchant.id, [{"environment": "live"}], now=clock.now())
    [mine] = await put_charges(database, merchant.id, [{}], now=clock.now())
    assert await found(api, merchant) == [mine]
    assert await found(api, merchant, q=mine) == [mine]
    spoofed = await api.get(f"/pix?user_id={other.id}&environment=live&slice=x&page=1", token=merchant.key)
    assert spoofed.status_code == 400
    assert [fault["campo"] for fault in spoofed.json()["error"]["campos"]] == ["user_id", "environment", "slice"]


SAME = ["customer_id", "product_id", "coupon_id", "subscription_id", "payment_link_id"]


@pytest.mark.parametrize("column", [*SAME, "txid", "end_to_end_id", "external_reference"])
async def test_a_filter_by_reference(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, column: str
) -> None:
    mine, other = new_id(), new_id()
    rows = [{column: mine}, {column: other}, {} if column == "txid" else {column: None}]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    assert await found(api, merchant, **{column: mine}) == [ids[0]]
    assert await found(api, merchant, **{column: new_id()}) == []


async def test_the_status_filter_finds_expired_charges(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    now = clock.now()
    soon = {"expires_at": now + timedelta(minutes=5)}
    paid = {"status": "paid", "paid_at": now}
    rows = [soon, {}, {"status": "expired"}, paid, {"status": "canceled"}, paid | {"status": "refunded"}]
    ids = await put_charges(database, merchant.id, rows, now=now)
    assert set(await found(api, merchant, status="pending")) == {ids[0], ids[1]}
    assert await found(api, merchant, status="expired") == [ids[2]]
    clock.advance(timedelta(minutes=5))
    assert await found(api, merchant, status="pending") == [ids[1]]
    assert set(await found(api, merchant, status="expired")) == {ids[0], ids[2]}
    assert await found(api, merchant, status="paid") == [ids[3]]
    assert await found(api, merchant, status="canceled") == [ids[4]]
    assert await found(api, merchant, status="refunded") == [ids[5]]
    statuses = {row["id"]: row["status"] for row in (await listed(api, merchant))["data"]}
    assert statuses[ids[0]] == "expired"


async def test_amount_filters_are_in_reais_and_inclusive(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    ids = await put_charges(database, merchant.id, [{"amount": n} for n in (12989, 12990, 12991)], now=clock.now())
    assert set(await found(api, merchant, amount_min="129.90")) == {ids[1], ids[2]}
    assert set(await found(api, merchant, amount_max="129.9")) == {ids[0], ids[1]}
    assert await found(api, merchant, amount_min="129.90", amount_max="129.90") == [ids[1]]
    assert await found(api, merchant, amount_min="130") == []


@pytest.mark.parametrize(
    ("column", "start", "end"), [("created_at", "created_from", "created_to"), ("paid_at", "paid_from", "paid_to")]
)
async def test_periods_include_both_ends_and_the_whole_last_day(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, column: str, start: str, end: str
) -> None:
    days = [
        "2026-01-31T02:59:59.999999+00:00",
        "2026-01-31T03:00:00+00:00",
        "2026-02-01T02:59:59.999999+00:00",
        "2026-02-01T03:00:00+00:00",
    ]
    timestamps = [datetime.fromisoformat(day) for day in days]
    rows = [{"status": "paid", "created_at": timestamps[0], "paid_at": at, column: at} for at in timestamps]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    assert set(await found(api, merchant, **{start: "2026-01-31"})) == set(ids[1:])
    assert set(await found(api, merchant, **{end: "2026-01-31"})) == set(ids[:3])
    assert set(await found(api, merchant, **{end: "2026-01-31T03:00:00"})) == set(ids[:2])
    assert await found(api, merchant, **{start: "2026-01-31T00:00:01-03:00", end: days[2]}) == [ids[2]]


async def test_search_has_no_wildcards(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    rows = [
        {"customer_name": "José da Silva", "customer_cpf": "52998224725", "customer_phone": "11987654321"},
        {"customer_email": "maria_souza@example.com", "description": "100% algodão"},
        {"external_reference": "PEDIDO\\42", "description": "O'Brien; drop table charges; --"},
    ]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    assert await found(api, merchant, q="josé DA") == [ids[0]]
    assert await found(api, merchant, q="529.982.247-25") == [ids[0]]
    assert await found(api, merchant, q="(11) 98765-4321") == [ids[0]]
    assert await found(api, merchant, q="a_s") == [ids[1]]
    assert await found(api, merchant, q="0%") == [ids[1]]
    assert await found(api, merchant, q="o\\4") == [ids[2]]
    assert await found(api, merchant, q="'; drop table") == []
    assert await found(api, merchant, q="'brien; drop table") == [ids[2]]
    assert await found(api, merchant, q=ids[1].upper()) == [ids[1]]
    assert await found(api, merchant, q="__") == []
    assert len(await found(api, merchant, q="  ")) == 3


async def test_filters_are_combined(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    customer = new_id()
    rows = [{"customer_id": customer, "amount": 700}, {"customer_id": customer, "amount": 900}, {"amount": 700}]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    both = await found(api, merchant, customer_id=customer, amount_max="8.00", q="pedido", status="pending")
    assert both == [ids[0]]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("created_at", "created_at_asc"),
        ("-updated_at", "updated_at_desc"),
        ("amount", "amount_asc"),
        ("-amount", "amount_desc"),
        ("-paid_at", "paid_at_desc"),
        ("paid_at", "paid_at_asc"),
        ("-expires_at", "expires_at_desc"),
    ],
)
async def test_orders(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, sort: str, order: str
) -> None:
    column = sort.removeprefix("-")
    now = clock.now()
    values: list[Any] = [300, 100, 200] if column == "amount" else [now + timedelta(hours=n) for n in (3, 1, 2)]
    paid = {"status": "paid"} if column == "paid_at" else {}
    ids = await put_charges(database, merchant.id, [{column: value} | paid for value in values], now=now)
    ordered = [ids[1], ids[2], ids[0]]
    if column == "paid_at":  # Rows without a timestamp come first.
        [unpaid] = await put_charges(database, merchant.id, [{}], now=now)
        ordered.insert(0, unpaid)
    expected = ordered[::-1] if sort.startswith("-") else ordered
    assert [row["id"] for row in (await listed(api, merchant, sort=sort))["data"]] == expected
    connection = (await api.graphql(CHARGES, token=merchant.key, order=order))["data"]["charges"]
    assert [edge["node"]["id"] for edge in connection["edges"]] == expected


MALFORMED = [
    ("page", "0"), ("page", "-1"), ("page", "1.0"), ("page", "um"), ("page", ""), ("page", "1_0"), ("page", "99999999999999999999"),
    ("limit", "0"), ("limit", "101"), ("limit", "1e2"), ("limit", "true"),
    ("sort", "id"), ("sort", "-customer_cpf"), ("sort", "created_at desc; --"), ("sort", ""), ("sort", "--created_at"),
    ("status", "paid'"), ("status", ""), ("status", "PAID"),
    ("created_from", "ontem"), ("created_to", "2026-02-30"), ("paid_from", "9999-12-31T23:59:59Z"), ("paid_to", "1"),
    ("amount_min", "1.234"), ("amount_min", "-1"), ("amount_max", "1e400"), ("amount_max", "NaN"), ("amount_max", "10,00"),
    ("customer_id", "1"), ("product_id", "' or 1=1"), ("coupon_id", ""), ("subscription_id", "{}"), ("payment_link_id", "null"),
    ("txid", ""), ("txid", "a\x00b"), ("external_reference", "a\nb"), ("end_to_end_id", "x" * 256),
    ("paid_late", "sim"), ("paid_late", ""), ("paid_late", "1"),
    ("q", "a\x00b"), ("q", "x" * 256), ("include", "pix_code"), ("include", ""), ("include", "qr_code_url"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), MALFORMED)
async def test_a_malformed_value_is_refused_by_name(api: Api, merchant: Merchant, name: str, value: str) -> None:
    response = await api.get(f"/pix?{urlencode({name: value})}", token=merchant.key)
    assert response.status_code == 400
    error = response.json()["error"]
    assert [field["campo"] for field in error["campos"]] == [name]
    assert "codigo" not in error


async def test_all_malformed_values_are_reported_together(api: Api, merchant: Merchant) -> None:
    response = await api.get("/pix?page=x&limit=0&status=y&amount_min=z", token=merchant.key)
    named = [field["campo"] for field in response.json()["error"]["campos"]]
    assert sorted(named) == ["amount_min", "limit", "page", "status"]
    repeated = await api.get("/pix?status=paid&status=pending", token=merchant.key)
    assert (repeated.status_code, repeated.json()["error"]["campos"]) == (
        400,
        [{"campo": "status", "mensagem": "aparece mais de uma vez no endereço"}],
    )
    assert (await api.get("/pix?%FF=%FF", token=merchant.key)).status_code == 400
    assert (await api.get("/pix")).status_code == 401


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"first": 101}, "first"),
        ({"first": -1}, "first"),
        ({"last": 101}, "last"),
        ({"first": 1, "last": 1}, "last"),
        ({"after": "x"}, "after"),
        ({"after": "é" * 3000}, "after"),
        ({"before": "WyItY3JlYXRlZF9hdCIsMSwyXQ"}, "before"),
        ({"filter": {"amountMin": 1.234}}, "amount_min"),
        ({"filter": {"customerId": "x"}}, "customer_id"),
        ({"filter": {"createdFrom": "ontem"}}, "created_from"),
    ],
)
async def test_graphql_refuses_malformed_arguments(
    api: Api, merchant: Merchant, arguments: dict[str, Any], field: str
) -> None:
    answer = await api.graphql(CHARGES, token=merchant.key, **arguments)
    [error] = answer["errors"]
    assert error["extensions"]["status"] == 400
    assert [fault["campo"] for fault in error["extensions"]["campos"]] == [field]


async def test_a_cursor_belongs_to_its_order(api: Api, merchant: Merchant) -> None:
    await merchant.issue()
    connection = (await api.graphql(CHARGES, token=merchant.key))["data"]["charges"]
    cursor = connection["pageInfo"]["endCursor"]
    assert cursor == connection["edges"][0]["cursor"]
    answer = await api.graphql(CHARGES, token=merchant.key, after=cursor, order="amount_desc")
    assert answer["errors"][0]["extensions"]["campos"][0]["campo"] == "after"
    same = await api.graphql(CHARGES, token=merchant.key, after=cursor)
    assert same["data"]["charges"]["edges"] == []
    assert same["data"]["charges"]["pageInfo"]["hasPreviousPage"] is True


async def test_rows_of_one_request_are_limited(api: Api, merchant: Merchant) -> None:
    aliases = " ".join(f"a{n}: charges(first: 100) {{ totalCount }}" for n in range(51))
    answer = await api.graphql(f"{{ {aliases} }}", token=merchant.key)
    assert "5000" in answer["errors"][0]["message"]
    nested = "{ customers(first: 100) { edges { node { charges(first: 100) { totalCount } } } } }"
    assert "errors" not in await api.graphql(nested, token=merchant.key)
    turn = "charges(first: 1) { edges { node { customer { %s } } } }"
    deep = f"{{ customer(id: 1) {{ {turn % (turn % (turn % 'id'))} }} }}"
    [refused] = (await api.graphql(deep, token=merchant.key))["errors"]
    assert "profundidade" in refused["message"]
