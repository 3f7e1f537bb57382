"""Events of a store with and without endpoints, and its deliveries to all endpoints."""

import json
from typing import Any
from urllib.parse import quote

from gateway.models.database import Database
from tests import sql
from tests.api_client import Api, Merchant
from tests.resolvers.webhooks.conftest import Register
from tests.resolvers.webhooks.deliveries import CANCELED, DELIVERED, EXHAUSTED, deliveries_of

EVENTS = """query ($filter: EventFilter) { events(first: 9, filter: $filter) { totalCount edges { node {
    id type createdAt resourceId test payload deliveries { id endpointId eventId status } } } } }"""
DELIVERIES = """query ($first: Int, $after: String, $filter: DeliveryFilter) {
    deliveries(first: $first, after: $after, filter: $filter) {
        totalCount pageInfo { hasNextPage endCursor } edges { node { id endpointId } } } }"""


async def listed(merchant: Merchant, path: str) -> list[dict[str, Any]]:
    response = await merchant.api.get(path, token=merchant.key)
    assert response.status_code == 200, response.text
    rows: list[dict[str, Any]] = response.json()["data"]
    return rows


async def test_events_are_listed_without_any_endpoint(merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    paid, created = await listed(merchant, "/events")
    assert [(event["type"], event["resource_id"], event["test"]) for event in (paid, created)] == [
        ("charge.paid", charge["id"], False),
        ("charge.created", charge["id"], False),
    ]
    body = await sql.value(database, "select body from webhook_events where type = 'charge.paid'")
    assert paid["payload"].encode() == body
    assert json.loads(paid["payload"])["data"]["status"] == "paid"
    assert json.loads(created["payload"])["data"]["qr_code_url"] is None
    one = await merchant.api.get(f"/events/{paid['id']}", token=merchant.key)
    assert one.json() == {"data": paid}


async def test_an_event_shows_its_deliveries(merchant: Merchant, register: Register) -> None:
    first, second = await register(), await register(events=["charge.paid"])
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    await merchant.api.post(f"/webhook-endpoints/{second['id']}/test", token=merchant.token)
    edges = (await merchant.api.graphql(EVENTS, token=merchant.key))["data"]["events"]["edges"]
    endpoints = [
        (edge["node"]["test"], {delivery["endpointId"] for delivery in edge["node"]["deliveries"]}) for edge in edges
    ]
    assert endpoints == [(True, {second["id"]}), (False, {first["id"], second["id"]}), (False, {first["id"]})]


async def test_events_are_filtered_and_searched(merchant: Merchant) -> None:
    charge, other = await merchant.issue(), await merchant.issue()
    await merchant.pay(charge["id"])
    paid = (await listed(merchant, "/events"))[0]
    for query, count in {
        "type=charge.created": 2,
        "type=charge.paid": 1,
        f"resource_id={charge['id']}": 2,
        f"resource_id={charge['id']}&type=charge.created": 1,
        f"q={paid['id']}": 1,
        f"q={other['id']}": 1,
        "q=PAID": 1,
        "q=withdrawal": 0,
        "created_from=2099-01-01": 0,
    }.items():
        assert len(await listed(merchant, f"/events?{query}")) == count, query
    answer = await merchant.api.graphql(EVENTS, token=merchant.key, filter={"resourceId": charge["id"]})
    assert answer["data"]["events"]["totalCount"] == 2
    assert (await merchant.api.get("/events?type=charge.lost", token=merchant.key)).status_code == 400


async def test_events_and_deliveries_belong_to_their_store(api: Api, merchant: Merchant, register: Register) -> None:
    await register()
    await merchant.issue()
    (event,) = await listed(merchant, "/events")
    stranger = await api.register_merchant()
    assert await listed(stranger, "/events") == []
    assert await listed(stranger, "/webhook-deliveries") == []
    assert (await api.get(f"/events/{event['id']}", token=stranger.key)).status_code == 404


async def test_deliveries_to_all_endpoints_are_one_list(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoints = [await register(name=f"loja {n}") for n in range(3)]
    for endpoint in endpoints:
        await deliveries_of(database, endpoint, EXHAUSTED, DELIVERED, CANCELED)
    everything = await listed(merchant, "/webhook-deliveries")
    assert len(everything) == 9
    assert everything == sorted(everything, key=lambda row: (row["created_at"], row["id"]), reverse=True)
    second = await listed(merchant, "/webhook-deliveries?page=2&limit=4")
    assert [row["id"] for row in second] == [row["id"] for row in everything[4:8]]
    oldest = await listed(merchant, "/webhook-deliveries?sort=created_at&limit=2")
    assert [row["id"] for row in oldest] == [row["id"] for row in everything[:-3:-1]]

    ids, after = [], None
    for _ in range(5):
        answer = await merchant.api.graphql(DELIVERIES, token=merchant.key, first=2, after=after)
        page = answer["data"]["deliveries"]
        assert page["totalCount"] == 9
        ids += [edge["node"]["id"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
    assert ids == [row["id"] for row in everything]
    assert page["pageInfo"]["hasNextPage"] is False


async def test_deliveries_to_all_endpoints_are_filtered(
    merchant: Merchant, register: Register, database: Database
) -> None:
    first, second = await register(), await register()
    charge = await merchant.issue()
    (missed,) = await deliveries_of(database, second, EXHAUSTED)
    await sql.run(
        database,
        "update webhook_deliveries set last_status = 503, last_error = 'http_status' where id = $1",
        missed,
    )
    for query, count in {
        f"endpoint_id={first['id']}": 1,
        f"endpoint_id={second['id']}": 2,
        f"endpoint_id={charge['id']}": 0,
        "status=exhausted": 1,
        "http_status=503": 1,
        "event=charge.created": 2,
        "event=charge.paid": 1,
        f"resource_id={charge['id']}": 2,
        f"q={missed}": 1,
        f"q={quote('http_')}": 1,
    }.items():
        assert len(await listed(merchant, f"/webhook-deliveries?{query}")) == count, query
        assert len(await listed(merchant, f"/webhook-deliveries?{query}&limit=50")) == count, query
    answer = await merchant.api.graphql(DELIVERIES, token=merchant.key, filter={"status": "exhausted"})
    assert answer["data"]["deliveries"]["edges"] == [{"node": {"id": missed, "endpointId": second["id"]}}]


async def test_the_deliveries_of_a_deleted_endpoint_are_hidden(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    await merchant.issue()
    await merchant.api.delete(f"/webhook-endpoints/{endpoint['id']}", token=merchant.token)
    assert await listed(merchant, "/webhook-deliveries") == []
    (edge,) = (await merchant.api.graphql(EVENTS, token=merchant.key))["data"]["events"]["edges"]
    assert edge["node"]["deliveries"] == []


async def test_events_and_deliveries_are_exported(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    await merchant.issue()
    (event,) = await listed(merchant, "/events")
    file = await merchant.api.get("/events/export?type=charge.created", token=merchant.key)
    header, row = file.text.splitlines()
    assert header == "id,type,created_at,resource_id,test"
    assert row.split(",")[:2] == [event["id"], "charge.created"]
    assert row.split(",")[3:] == [event["resource_id"], "false"]
    file = await merchant.api.get(f"/webhook-deliveries/export?endpoint_id={endpoint['id']}", token=merchant.key)
    header, row = file.text.splitlines()
    assert "attempts" not in header.split(",")
    assert {event["id"], endpoint["id"]} <= {*row.split(",")}
