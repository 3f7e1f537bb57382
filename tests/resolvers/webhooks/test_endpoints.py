"""Webhook endpoints, over REST and GraphQL."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.webhooks.endpoint_commands import LOCK, UPDATE
from tests import sql
from tests.api_client import Api, Merchant
from tests.resolvers.webhooks.conftest import Register

SECRET = "whsec_0123456789abcdef0123456789ABCDEF"
URL = "http://127.0.0.1:18200/hook"


async def test_a_secret_is_shown_once_and_stored_encrypted(
    merchant: Merchant, register: Register, services: Services
) -> None:
    created = await register(events=["charge.paid", "charge.paid"])
    assert re.fullmatch(r"whsec_[0-9a-f]{32}", created["secret"])
    assert created["secret_preview"] == created["secret"][:12]
    assert created["events"] == ["charge.paid"]
    assert (created["version"], created["active"], created["environment"]) == ("v1", True, "test")

    read = (await merchant.api.get(f"/webhook-endpoints/{created['id']}", token=merchant.key)).json()["data"]
    assert read == {name: value for name, value in created.items() if name != "secret"}
    listed = (await merchant.api.get("/webhook-endpoints", token=merchant.key)).json()
    assert listed == {"data": [read]}

    stored = await sql.value(services.database, "select secret from webhook_endpoints")
    assert created["secret"].encode() not in stored
    assert services.vault.decrypt(stored) == created["secret"]


async def test_a_merchant_may_choose_the_secret(register: Register) -> None:
    assert (await register(secret=SECRET))["secret"] == SECRET


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"secret": "whsec_123"}, "secret"),
        ({"secret": ""}, "secret"),
        ({"secret": f" {SECRET}"}, "secret"),
        ({"secret": f"{SECRET}\n"}, "secret"),
        ({"secret": "whsec_" + "g" * 32}, "secret"),
        ({"events": ["charge.refunded"]}, "events.0"),
        ({"events": "charge.paid"}, "events"),
        ({"name": " "}, "name"),
        ({"name": None}, "name"),
        ({"url": None}, "url"),
        ({"url": "ftp://loja.example/hook"}, "url"),
        ({"url": "http://10.0.0.1/hook"}, "url"),
        ({"url": "http://169.254.169.254/latest"}, "url"),
        ({"url": "https://user:pass@loja.example/"}, "url"),
        ({"url": "http://127.0.0.1:6379/"}, "url"),
    ],
)
async def test_a_bad_field_is_a_400_that_names_it_and_writes_nothing(
    merchant: Merchant, database: Database, change: dict[str, Any], field: str
) -> None:
    body = {"name": "loja", "url": URL} | change
    response = await merchant.api.post("/webhook-endpoints", body, token=merchant.token)
    assert response.status_code == 400
    error = response.json()["error"]
    assert [entry["campo"] for entry in error["campos"]] == [field]
    assert "codigo" not in error
    assert await sql.value(database, "select count(*) from webhook_endpoints") == 0


async def test_writes_need_the_owner_in_the_dashboard(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}"
    for method, where in [
        ("POST", "/webhook-endpoints"),
        ("PUT", path),
        ("DELETE", path),
        ("POST", f"{path}/test"),
        ("POST", f"{path}/rotate-secret"),
        ("POST", f"{path}/deliveries/{endpoint['id']}/redeliver"),
    ]:
        response = await merchant.api.request(method, where, {"name": "x"}, token=merchant.key)
        assert (response.status_code, response.json()["error"]["codigo"]) == (403, "SOMENTE_PAINEL"), where
    assert (await merchant.api.get(path, token=merchant.key)).json()["data"]["name"] == "loja"


async def test_the_catalogue_holds_exactly_five_events(merchant: Merchant) -> None:
    events = (await merchant.api.get("/webhook-endpoints/Eventos/", token=merchant.key)).json()["data"]
    assert [event["event"] for event in events] == [
        "charge.created",
        "charge.paid",
        "subscription.charged",
        "withdrawal.completed",
        "withdrawal.rejected",
    ]
    assert all(set(event) == {"event", "description", "version"} and event["version"] == "v1" for event in events)


async def test_only_sent_fields_change(merchant: Merchant, register: Register) -> None:
    endpoint = await register(events=["charge.paid"])
    path = f"/webhook-endpoints/{endpoint['id']}"
    renamed = (await merchant.api.put(path, {"name": "outro"}, token=merchant.token)).json()["data"]
    assert (renamed["name"], renamed["url"], renamed["events"]) == ("outro", endpoint["url"], ["charge.paid"])
    opened = (await merchant.api.put(path, {"events": None}, token=merchant.token)).json()["data"]
    assert opened["events"] == []
    refused = await merchant.api.put(path, {"url": "http://192.168.0.1/"}, token=merchant.token)
    assert refused.json()["error"]["campos"][0]["campo"] == "url"
    for body in ({}, {"active": None}, {"active": "yes"}):
        assert (await merchant.api.put(path, body, token=merchant.token)).status_code == 400


async def test_an_empty_update_names_the_changeable_fields(merchant: Merchant, register: Register) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}"
    fields = ["name", "url", "events", "active"]
    message = "Envie ao menos um campo a mudar: name, url, events ou active."
    for body in ({}, {"version": "v2"}, {"secret": "whsec_" + "0" * 32}):
        refused = await merchant.api.put(path, body, token=merchant.token)
        assert (refused.status_code, refused.json()["error"]["message"]) == (400, message)
        assert [field["campo"] for field in refused.json()["error"]["campos"]] == fields
        assert "codigo" not in refused.json()["error"]
    change = "mutation($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }"
    (error,) = (await merchant.api.graphql(change, token=merchant.token, input={"id": endpoint["id"]}))["errors"]
    assert (error["message"], error["extensions"]["status"]) == (message, 400)
    emptied = await merchant.api.put(path, {"url": None, "active": None, "version": "v2"}, token=merchant.token)
    assert emptied.json()["error"]["campos"] == [
        {"campo": name, "mensagem": "não pode ficar vazio"} for name in ("url", "active")
    ]


async def test_another_store_finds_nothing(api: Api, register: Register) -> None:
    endpoint = await register()
    stranger = await api.register_merchant()
    path = f"/webhook-endpoints/{endpoint['id']}"
    for method, where in [
        ("GET", path),
        ("PUT", path),
        ("DELETE", path),
        ("POST", f"{path}/test"),
        ("POST", f"{path}/rotate-secret"),
        ("GET", f"{path}/deliveries"),
        ("POST", f"{path}/deliveries/{endpoint['id']}/redeliver"),
    ]:
        response = await api.request(method, where, {"name": "x"} if method == "PUT" else None, token=stranger.token)
        assert response.status_code == 404, where
    assert (await api.get("/webhook-endpoints", token=stranger.token)).json() == {"data": []}


async def test_twenty_active_endpoints_are_the_limit_even_for_concurrent_requests(
    merchant: Merchant, register: Register
) -> None:
    first = await register()
    body = {"name": "loja", "url": URL}
    answers = await asyncio.gather(
        *(merchant.api.post("/webhook-endpoints", body, token=merchant.token) for _ in range(24))
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 19 + [409] * 5
    assert "codigo" not in next(a for a in answers if a.status_code == 409).json()["error"]

    path = f"/webhook-endpoints/{first['id']}"
    off = await merchant.api.put(path, {"active": False}, token=merchant.token)
    assert off.json()["data"]["active"] is False
    assert (await merchant.api.post("/webhook-endpoints", body, token=merchant.token)).status_code == 201
    assert (await merchant.api.put(path, {"active": True}, token=merchant.token)).status_code == 409
    assert (await merchant.api.put(path, {"name": "x"}, token=merchant.token)).status_code == 200


async def test_rotation_keeps_the_previous_secret_for_its_grace(
    merchant: Merchant, register: Register, services: Services
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}/rotate-secret"
    rotated = (await merchant.api.post(path, {"grace_hours": 2}, token=merchant.token)).json()["data"]
    assert rotated["secret"] != endpoint["secret"]
    assert rotated["secret_preview"] == rotated["secret"][:12]
    row = await sql.row(services.database, "select * from webhook_endpoints")
    assert services.vault.decrypt(row["secret"]) == rotated["secret"]
    assert services.vault.decrypt(row["previous_secret"]) == endpoint["secret"]
    assert (row["previous_secret_until"] - services.clock.now()).total_seconds() == 7200

    again = (await merchant.api.post(path, {"grace_hours": 0}, token=merchant.token)).json()["data"]
    assert again["previous_secret_until"] is None
    assert await sql.value(services.database, "select previous_secret from webhook_endpoints") is None
    for grace in (-1, 169, "2", 1.5, True):
        assert (await merchant.api.post(path, {"grace_hours": grace}, token=merchant.token)).status_code == 400


async def test_a_repeated_rotation_or_creation_with_its_key_answers_the_same_secret(
    merchant: Merchant, register: Register
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}/rotate-secret"
    first = await merchant.api.post(path, token=merchant.token, idempotency_key="rotate-1")
    second = await merchant.api.post(path, token=merchant.token, idempotency_key="rotate-1")
    assert second.headers["idempotent-replayed"] == "true"
    assert second.json() == first.json()

    body = {"name": "loja", "url": URL}
    made = [
        await merchant.api.post("/webhook-endpoints", body, token=merchant.token, idempotency_key="create-1")
        for _ in range(2)
    ]
    assert made[0].json() == made[1].json()
    assert len((await merchant.api.get("/webhook-endpoints", token=merchant.key)).json()["data"]) == 2


async def test_deleting_stops_deliveries_immediately(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    await merchant.issue()
    path = f"/webhook-endpoints/{endpoint['id']}"
    answer = await merchant.api.delete(path, token=merchant.token)
    assert answer.json() == {"data": {"id": endpoint["id"], "deleted": True, "desvinculados": {}}}
    assert (await merchant.api.get(path, token=merchant.key)).status_code == 404
    assert (await merchant.api.delete(path, token=merchant.token)).status_code == 404
    assert (await merchant.api.get("/webhook-endpoints", token=merchant.key)).json() == {"data": []}
    assert await sql.value(database, "select secret from webhook_endpoints") == b""

    await merchant.issue()
    assert await sql.value(database, "select count(*) from webhook_deliveries") == 1


async def test_an_endpoint_update_blocks_no_payment(merchant: Merchant, register: Register, database: Database) -> None:
    """The transaction of an update may be long. The foreign key of a delivery must not wait for it."""
    endpoint = await register()
    async with database.transaction() as changing:
        scope = {"endpoint_id": endpoint["id"], "user_id": merchant.id, "environment": "test"}
        assert await changing.one(LOCK, **scope)
        values = {"new_name": "outro", "now": datetime.now(UTC)}
        assert await changing.one(UPDATE.of("name"), **scope, **values)
        async with asyncio.timeout(20):  # A waiting statement fails after thirty.
            charge = await merchant.issue()
            await merchant.pay(charge["id"])
    assert await sql.value(database, "select count(*) from webhook_deliveries") == 2


async def test_operations_are_audited_without_secrets(
    merchant: Merchant, register: Register, database: Database
) -> None:
    endpoint = await register()
    path = f"/webhook-endpoints/{endpoint['id']}"
    await merchant.api.put(path, {"active": False}, token=merchant.token)
    rotated = (await merchant.api.post(f"{path}/rotate-secret", token=merchant.token)).json()["data"]
    await merchant.api.delete(path, token=merchant.token)
    rows = await sql.rows(database, "select * from audit_trail where resource_type = 'webhook_endpoint' order by id")
    assert [row["action"].partition(".")[2] for row in rows] == ["created", "updated", "secret_rotated", "deleted"]
    assert all(row["store_id"] == merchant.id and row["resource_id"] == endpoint["id"] for row in rows)
    assert endpoint["secret"] not in str(rows)
    assert rotated["secret"] not in str(rows)


async def test_graphql_calls_the_same_operations(merchant: Merchant, api: Api) -> None:
    mutation = """mutation($input: CreateWebhookEndpointInput!) {
        createWebhookEndpoint(input: $input) { id name secret secretPreview events environment active }
    }"""
    answer = await api.graphql(mutation, token=merchant.token, input={"name": "loja", "url": URL})
    created = answer["data"]["createWebhookEndpoint"]
    assert created["secret"].startswith("whsec_")
    query = """query($id: ID!) {
        webhookEndpoints { totalCount edges { node { id } } }
        webhookEndpoint(id: $id) { name url disabledReason }
        webhookEvents { event description version }
        webhookDeliveries(endpointId: $id) { totalCount edges { node { id attempts { number } } } }
    }"""
    read = (await api.graphql(query, token=merchant.key, id=created["id"]))["data"]
    assert read["webhookEndpoints"] == {"totalCount": 1, "edges": [{"node": {"id": created["id"]}}]}
    assert read["webhookEndpoint"] == {"name": "loja", "url": URL, "disabledReason": None}
    assert len(read["webhookEvents"]) == 5
    assert read["webhookDeliveries"] == {"totalCount": 0, "edges": []}

    update = "mutation($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { active events } }"
    changed = await api.graphql(update, token=merchant.token, input={"id": created["id"], "active": False})
    assert changed["data"]["updateWebhookEndpoint"] == {"active": False, "events": []}
    rotate = "mutation($input: RotateSecretInput!) { rotateWebhookSecret(input: $input) { secret } }"
    rotated = await api.graphql(rotate, token=merchant.token, input={"id": created["id"]})
    assert rotated["data"]["rotateWebhookSecret"]["secret"] != created["secret"]
    refused = await api.graphql(mutation, token=merchant.key, input={"name": "loja", "url": URL})
    assert refused["errors"][0]["extensions"]["codigo"] == "SOMENTE_PAINEL"
    delete = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) { deleted } }"
    assert (await api.graphql(delete, token=merchant.token, id=created["id"]))["data"]["deleteWebhookEndpoint"][
        "deleted"
    ]
