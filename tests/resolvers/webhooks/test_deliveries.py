"""The delivery log, test events and redelivery."""

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from gateway.models.database import Database
from gateway.models.webhooks import EventType
from tests import sql
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.resolvers.webhooks.conftest import Register
from tests.rows import put_withdrawal
from tests.subscriptions.fixtures import subscribed


async def deliveries(merchant: Merchant, endpoint: dict[str, Any], query: str = "") -> dict[str, Any]:
    response = await merchant.api.get(f"/webhook-endpoints/{endpoint['id']}/deliveries{query}", token=merchant.key)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def test_the_log_shows_each_event_of_the_endpoint(merchant: Merchant, register: Register) -> None:
    endpoint, paid_only = await register(), await register(events=["charge.paid"])
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    log = await deliveries(merchant, endpoint)
    assert [delivery["event"] for delivery in log["data"]] == ["charge.paid", "charge.created"]
    assert log["pagination"] == {"page": 1, "limit": 50, "total": 2, "total_pages": 1, "has_more": False}
    newest = log["data"][0]
    assert (newest["status"], newest["attempts"], newest["attempts_count"]) == ("pending", [], 0)
    assert newest["next_attempt_at"] is not None
    assert [delivery["event"] for delivery in (await deliveries(merchant, paid_only))["data"]] == ["charge.paid"]

    second = await deliveries(merchant, endpoint, "?page=2&limit=1")
    assert [delivery["event"] for delivery in second["data"]] == ["charge.created"]
    for query in ("?limit=101", "?limit=0", "?page=0", "?page=x", "?page=99999999999"):
        path = f"/webhook-endpoints/{endpoint['id']}/deliveries{query}"
        assert (await merchant.api.get(path, token=merchant.key)).status_code == 400


async def test_the_log_names_the_resource_of_each_event(api: Api, merchant: Merchant, register: Register) -> None:
    endpoint, staff = await register(), await staff_member(api, api.services)
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    subscription = await subscribed(merchant)
    charged = await api.post(f"/subscriptions/{subscription['id']}/charge", token=merchant.key)
    assert charged.status_code == 201, charged.text
    withdrawals = []
    for decision in ("concluir", "recusar"):  # A store may have one pending withdrawal.
        withdrawals.append(await put_withdrawal(api.services, merchant.id))
        path = f"/admin/withdrawals/{withdrawals[-1]}/{decision}"
        decided = await api.post(path, {"motivo": "Não."}, token=staff.token)
        assert decided.status_code == 200, decided.text
    await api.post(f"/webhook-endpoints/{endpoint['id']}/test", {"event": "charge.paid"}, token=merchant.token)

    log = (await deliveries(merchant, endpoint))["data"]
    second = charged.json()["data"]["id"]
    assert {(each["event"], each["resource_id"]) for each in log} == {
        ("charge.created", charge["id"]),
        ("charge.paid", charge["id"]),
        ("charge.created", second),
        ("subscription.charged", second),
        ("withdrawal.completed", withdrawals[0]),
        ("withdrawal.rejected", withdrawals[1]),
        ("charge.paid", None),
    }
    query = "query ($id: ID!) { webhookDeliveries(endpointId: $id) { edges { node { id resourceId } } } }"
    listed = (await api.graphql(query, token=merchant.key, id=endpoint["id"]))["data"]["webhookDeliveries"]
    assert [edge["node"] for edge in listed["edges"]] == [
        {"id": each["id"], "resourceId": each["resource_id"]} for each in log
    ]


async def test_the_log_is_filtered_by_resource(api: Api, merchant: Merchant, register: Register) -> None:
    endpoint, other = await register(), await register(events=["charge.paid"])
    charge, _ = await merchant.issue(), await merchant.issue()
    await merchant.pay(charge["id"])
    log = await deliveries(merchant, endpoint, f"?resource_id={charge['id']}")
    assert [each["event"] for each in log["data"]] == ["charge.paid", "charge.created"]
    assert log["pagination"]["total"] == 2
    assert len((await deliveries(merchant, other, f"?resource_id={charge['id']}&limit=5"))["data"]) == 1
    one = log["data"][0]
    [of_event] = (await deliveries(merchant, endpoint, f"?event_id={one['event_id']}"))["data"]
    assert of_event == one
    for query in (f"?resource_id={one['id']}", f"?event_id={charge['id']}"):
        assert (await deliveries(merchant, endpoint, query))["data"] == []

    query = """query ($id: ID!, $charge: ID!) { webhookDeliveries(endpointId: $id, filter: { resourceId: $charge, status: pending }) {
        totalCount edges { node { id } } } }"""
    found = (await api.graphql(query, token=merchant.key, id=endpoint["id"], charge=charge["id"]))["data"]
    assert found["webhookDeliveries"]["totalCount"] == 2
    assert [edge["node"]["id"] for edge in found["webhookDeliveries"]["edges"]] == [each["id"] for each in log["data"]]


async def test_the_log_is_filtered_by_event(api: Api, merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    charge, other = await merchant.issue(), await merchant.issue()
    await merchant.pay(charge["id"])
    paid = await deliveries(merchant, endpoint, "?event=charge.paid&limit=5")
    assert [each["resource_id"] for each in paid["data"]] == [charge["id"]]
    query = """query ($id: ID!) { webhookDeliveries(endpointId: $id, filter: { event: "charge.created" }) {
        totalCount edges { node { resourceId } } } }"""
    created = (await api.graphql(query, token=merchant.key, id=endpoint["id"]))["data"]["webhookDeliveries"]
    assert created["totalCount"] == 2
    assert [edge["node"]["resourceId"] for edge in created["edges"]] == [other["id"], charge["id"]]
    unknown = await api.get(f"/webhook-endpoints/{endpoint['id']}/deliveries?event=charge.lost", token=merchant.key)
    assert [each["campo"] for each in unknown.json()["error"]["campos"]] == ["event"]


async def test_the_log_is_searched_by_whole_ids_and_by_error(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint, other = await register(), await register()
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    paid, created = (await deliveries(merchant, endpoint))["data"]
    failed = "update webhook_deliveries set last_error = $2, last_status = 503 where id = $1"
    await sql.run(database, failed, created["id"], "http_status")
    for typed, found in {
        paid["id"]: [paid["id"]],
        paid["id"].upper(): [paid["id"]],
        created["event_id"]: [created["id"]],
        created["id"][:13]: [],
        charge["id"]: [],
        "http_": [created["id"]],
        "STATUS": [created["id"]],
        "timeout": [],
        "%": [],
    }.items():
        log = await deliveries(merchant, endpoint, f"?q={quote(typed)}")
        assert [each["id"] for each in log["data"]] == found, typed
        assert log["pagination"]["total"] == len(found)
    # The event has a delivery to each endpoint, and each log shows its own.
    assert len((await deliveries(merchant, other, f"?q={created['event_id']}"))["data"]) == 1
    assert (await deliveries(merchant, other, f"?q={created['id']}"))["data"] == []
    assert (await deliveries(merchant, endpoint, f"?q={paid['id']}&status=exhausted"))["data"] == []
    assert len((await deliveries(merchant, endpoint, "?q=http&status=pending"))["data"]) == 1
    query = "query ($id: ID!, $q: String) { webhookDeliveries(endpointId: $id, filter: {q: $q}) { totalCount edges { node { id } } } }"
    for typed in (created["event_id"], "status"):
        answer = await merchant.api.graphql(query, token=merchant.key, id=endpoint["id"], q=typed)
        found = {"totalCount": 1, "edges": [{"node": {"id": created["id"]}}]}
        assert answer["data"]["webhookDeliveries"] == found, typed


async def test_attempts_are_shown_with_any_response_bytes(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await merchant.issue()
    await sql.run(database, "update webhook_deliveries set attempts = 2, state = 2, finished_at = now()")
    await sql.run(
        database,
        """insert into webhook_attempts (delivery_id, number, started_at, duration_ms, address, status, error_code, response)
           select id, n, now(), 12, '127.0.0.1', 500, 'http_status', '\\x00ff6f6b'::bytea
             from webhook_deliveries, generate_series(1, 2) n""",
    )
    (logged,) = (await deliveries(merchant, endpoint))["data"]
    assert (logged["status"], logged["next_attempt_at"], logged["attempts_count"]) == ("exhausted", None, 2)
    assert [attempt["number"] for attempt in logged["attempts"]] == [1, 2]
    assert logged["attempts"][0]["response"] == "\x00\ufffdok"


@pytest.mark.parametrize("event", list(EventType))
async def test_a_test_event_is_marked(merchant: Merchant, register: Register, database: Database, event: str) -> None:
    endpoint = await register(events=["withdrawal.rejected"])
    path = f"/webhook-endpoints/{endpoint['id']}/test"
    response = await merchant.api.post(path, {"event": event}, token=merchant.token)
    assert response.status_code == 200, response.text
    sent = response.json()["data"]
    assert (sent["event"], sent["status"], sent["endpoint_id"]) == (event, "pending", endpoint["id"])
    body = json.loads(await sql.value(database, "select body from webhook_events"))
    assert body["test"] is True
    assert (body["id"], body["event"], body["environment"]) == (sent["event_id"], event, "test")
    if event == "charge.created":
        assert base64.b64decode(body["data"]["qr_code_url"].partition(",")[2]).startswith(b"\x89PNG")
    if event == "charge.paid":
        assert (body["data"]["status"], body["data"]["amount"]) == ("paid", 129.9)


async def test_a_test_event_has_the_fields_of_a_real_charge(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    charge = await merchant.issue()
    await merchant.api.post(f"/webhook-endpoints/{endpoint['id']}/test", token=merchant.token)
    bodies = await sql.rows(database, "select body from webhook_events order by id")
    real, sample = (json.loads(row["body"])["data"] for row in bodies)
    assert set(real) == set(sample) == set(charge)


@pytest.mark.parametrize("event", list(EventType))
async def test_a_sample_is_what_a_test_event_sends(
    merchant: Merchant, register: Register, database: Database, event: str
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}/test"
    await merchant.api.post(path, {"event": event}, token=merchant.token)
    sent = json.loads(await sql.value(database, "select body from webhook_events"))
    through_rest = await merchant.api.get(f"/webhook-samples/{event}", token=merchant.key)
    query = "query ($event: String!) { webhookSample(event: $event) }"
    through_graphql = await merchant.api.graphql(query, token=merchant.key, event=event)
    for sample in (through_rest.json()["data"], through_graphql["data"]["webhookSample"]):
        assert sample.keys() == sent.keys()
        assert sample["data"].keys() == sent["data"].keys()
        assert (sample["event"], sample["test"]) == (event, True)
    assert await sql.value(database, "select count(*) from webhook_events") == 1
    assert (await merchant.api.get("/webhook-samples/x", token=merchant.key)).status_code == 404


async def test_a_test_event_needs_a_known_type_and_an_active_endpoint(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}"
    assert (await merchant.api.post(f"{path}/test", {"event": "x"}, token=merchant.token)).status_code == 400
    await merchant.api.put(path, {"active": False}, token=merchant.token)
    assert (await merchant.api.post(f"{path}/test", token=merchant.token)).status_code == 409
    assert await sql.value(database, "select count(*) from webhook_events") == 0


async def test_redelivery_restarts_the_schedule(
    api: Api, merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await merchant.issue()
    await sql.run(
        database,
        "update webhook_deliveries set state = 2, attempts = 12, failures = 12, finished_at = now(), next_attempt_at = 'infinity'",
    )
    (exhausted,) = (await deliveries(merchant, endpoint))["data"]
    path = f"/webhook-endpoints/{endpoint['id']}/deliveries/{exhausted['id']}/redeliver"
    again = (await merchant.api.post(path, token=merchant.token)).json()["data"]
    assert (again["status"], again["attempts_count"], again["finished_at"]) == ("pending", 12, None)
    row = await sql.row(database, "select state, failures, next_attempt_at <= now() as due from webhook_deliveries")
    assert tuple(row) == (0, 0, True)

    mutation = "mutation($e: ID!, $d: ID!) { redeliverWebhook(endpointId: $e, deliveryId: $d) { status } }"
    answer = await api.graphql(mutation, token=merchant.token, e=endpoint["id"], d=exhausted["id"])
    assert answer["data"]["redeliverWebhook"] == {"status": "pending"}


async def test_redelivery_is_refused_during_an_attempt(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await merchant.issue()
    (delivery,) = (await deliveries(merchant, endpoint))["data"]
    path = f"/webhook-endpoints/{endpoint['id']}/deliveries/{delivery['id']}/redeliver"
    lease = "update webhook_deliveries set lease_token = uuidv7(), lease_until = now() + $1 * interval '1 s'"
    await sql.run(database, lease, 60)
    assert (await merchant.api.post(path, token=merchant.token)).status_code == 409
    await sql.run(database, lease, -1)
    assert (await merchant.api.post(path, token=merchant.token)).status_code == 200
    await sql.run(database, "update webhook_deliveries set attempts = 500")
    assert (await merchant.api.post(path, token=merchant.token)).status_code == 409
    other = await register()
    foreign = f"/webhook-endpoints/{other['id']}/deliveries/{delivery['id']}/redeliver"
    assert (await merchant.api.post(foreign, token=merchant.token)).status_code == 404


async def test_events_missed_while_inactive_are_in_the_log_with_the_reason(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint, switched_off_by_merchant = await register(), await register()
    unsubscribed = await register(events=["charge.paid"])
    await merchant.api.put(f"/webhook-endpoints/{unsubscribed['id']}", {"active": False}, token=merchant.token)
    await sql.run(
        database,
        "update webhook_endpoints set active = false, disabled_reason = 'failing' where id = $1",
        endpoint["id"],
    )
    path = f"/webhook-endpoints/{switched_off_by_merchant['id']}"
    await merchant.api.put(path, {"active": False}, token=merchant.token)
    await merchant.issue()
    (missed,) = (await deliveries(merchant, endpoint))["data"]
    assert (missed["status"], missed["attempts_count"]) == ("canceled", 0)
    assert missed["finished_at"] is not None
    assert missed["canceled_reason"] == "failing"
    (paused,) = (await deliveries(merchant, switched_off_by_merchant))["data"]
    assert (paused["status"], paused["canceled_reason"]) == ("canceled", "inactive")

    assert (await deliveries(merchant, unsubscribed))["data"] == []
    again = f"/webhook-endpoints/{endpoint['id']}/deliveries/{missed['id']}/redeliver"
    assert (await merchant.api.post(again, token=merchant.token)).status_code == 409
    back = await merchant.api.put(f"/webhook-endpoints/{endpoint['id']}", {"active": True}, token=merchant.token)
    assert back.json()["data"]["disabled_reason"] is None
    sent_again = (await merchant.api.post(again, token=merchant.token)).json()["data"]
    assert (sent_again["status"], sent_again["canceled_reason"]) == ("pending", None)


@pytest.mark.parametrize("act", ["test", "redeliver"])
async def test_a_repeated_request_with_its_key_sends_one_event(
    merchant: Merchant, register: Register, database: Database, act: str
) -> None:
    endpoint = await register()
    await merchant.issue()
    (delivery,) = (await deliveries(merchant, endpoint))["data"]
    await sql.run(database, "update webhook_deliveries set state = 1, finished_at = now()")
    path = f"/webhook-endpoints/{endpoint['id']}/" + (act if act == "test" else f"deliveries/{delivery['id']}/{act}")
    first = await merchant.api.post(path, token=merchant.token, idempotency_key="once-1")
    await sql.run(database, "update webhook_deliveries set state = 1, finished_at = now()")
    second = await merchant.api.post(path, token=merchant.token, idempotency_key="once-1")
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.headers["idempotent-replayed"] == "true"
    assert second.json() == first.json()
    assert await sql.value(database, "select count(*) from webhook_deliveries where state = 0") == 0


async def test_one_delivery_is_read_by_its_id(merchant: Merchant, register: Register) -> None:
    endpoint, other = await register(), await register()
    await merchant.issue()
    (delivery,) = (await deliveries(merchant, endpoint))["data"]
    path = f"/webhook-endpoints/{endpoint['id']}/deliveries/{delivery['id']}"
    assert (await merchant.api.get(path, token=merchant.key)).json() == {"data": delivery}
    for wrong in (
        f"/webhook-endpoints/{other['id']}/deliveries/{delivery['id']}",
        f"/webhook-endpoints/{endpoint['id']}/deliveries/{endpoint['id']}",
    ):
        assert (await merchant.api.get(wrong, token=merchant.key)).status_code == 404
