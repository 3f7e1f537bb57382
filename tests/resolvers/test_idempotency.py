"""`Idempotency-Key` (contract section 2): one key, one creation, one response, through either transport."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.webhooks.endpoint_commands import MAX_ACTIVE_ENDPOINTS
from tests.api_client import Api, Merchant, charge_order
from tests.catalogue.fixtures import a_coupon, a_product
from tests.fake_clock import MovedClock
from tests.spy_engine import overheard

UNKNOWN = "00000000-0000-7000-8000-000000000000"


async def count(database: Database, table: str, where: str = "true") -> int:
    async with database.pool.acquire() as connection:
        return int(await connection.fetchval(f"select count(*) from {table} where {where}"))


async def issue(merchant: Merchant, key: str, **changes: Any) -> Any:
    return await merchant.api.post("/pix", charge_order(**changes), token=merchant.key, idempotency_key=key)


async def test_a_repeat_returns_the_same_bytes_with_a_header(merchant: Merchant, database: Database) -> None:
    first = await issue(merchant, "pedido-1", coupon_code="X")
    again = await issue(merchant, "pedido-1", coupon_code="X")
    assert (again.status_code, again.content) == (201, first.content)
    assert "aviso" in again.json()
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert await count(database, "charges") == 1
    assert await count(database, "simulator_charges") == 1
    assert await count(database, "webhook_events") == 1


async def test_a_repeat_through_the_other_transport_is_replayed(merchant: Merchant) -> None:
    first = (await issue(merchant, "pedido-1")).json()["data"]
    query = "mutation($input: IssueChargeInput!) { issueCharge(input: $input) { id amount createdAt qrCodeUrl } }"
    order = {
        "amount": 129.9,
        "description": "Pedido 1",
        "customerName": "José Pagador",
        "customerEmail": "jose@example.com",
        "customerCpf": "529.982.247-25",
    }
    response = await merchant.api.request(
        "POST",
        "/graphql",
        {"query": query, "variables": {"input": order}},
        token=merchant.key,
        idempotency_key="pedido-1",
    )
    charge = response.json()["data"]["issueCharge"]
    assert (charge["id"], charge["amount"], charge["createdAt"]) == (first["id"], 129.9, first["created_at"])
    assert response.headers["idempotent-replayed"] == "true"


async def test_another_body_is_a_conflict(merchant: Merchant, database: Database) -> None:
    await issue(merchant, "pedido-1")
    other = await issue(merchant, "pedido-1", amount=10)
    assert (other.status_code, other.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_CONFLITO")
    assert await count(database, "charges") == 1


async def test_an_error_is_replayed_too(merchant: Merchant) -> None:
    first = await issue(merchant, "pedido-1", product_id=UNKNOWN)
    again = await issue(merchant, "pedido-1", product_id=UNKNOWN)
    assert first.status_code == 404, first.text
    assert (again.status_code, again.content) == (404, first.content)
    assert again.headers["idempotent-replayed"] == "true"


async def test_an_invalid_body_stores_no_response(merchant: Merchant) -> None:
    """An invalid body is refused before the key is reserved, so a corrected body can use the key."""
    assert (await issue(merchant, "pedido-1", amount=1)).json()["error"]["codigo"] == "VALOR_MINIMO"
    corrected = await issue(merchant, "pedido-1", amount=10)
    assert (corrected.status_code, corrected.headers.get("idempotent-replayed")) == (201, None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"description": None},
        {"customer_name": " "},
        {"amount": None, "customer_email": None},
        {"expires_at": "2020-01-01T00:00:00Z"},
    ],
    ids=", ".join,
)
async def test_a_validation_error_stores_no_response(merchant: Merchant, wrong: dict[str, Any]) -> None:
    refused = await issue(merchant, "pedido-1", **wrong)
    assert (refused.status_code, {field["campo"] for field in refused.json()["error"]["campos"]}) == (400, set(wrong))
    corrected = await issue(merchant, "pedido-1")
    assert (corrected.status_code, corrected.headers.get("idempotent-replayed")) == (201, None)


async def test_an_order_can_be_corrected_under_the_same_key(merchant: Merchant) -> None:
    saved = await merchant.api.post("/customers", {"name": "José Pagador"}, token=merchant.key)
    path = f"/customers/{saved.json()['data']['id']}"
    no_customer = dict.fromkeys(("customer_name", "customer_email", "customer_cpf"))
    order = {**no_customer, "customer_id": saved.json()["data"]["id"]}
    refused = await issue(merchant, "pedido-1", **order)
    assert [field["campo"] for field in refused.json()["error"]["campos"]] == ["customer_email", "customer_cpf"]
    known = {"email": "jose@example.com", "cpf": "529.982.247-25"}
    assert (await merchant.api.put(path, known, token=merchant.key)).status_code == 200
    assert (await issue(merchant, "pedido-1", **order)).status_code == 201


async def test_a_refused_coupon_is_stored_as_a_response(merchant: Merchant) -> None:
    product = await a_product(merchant)
    await a_coupon(merchant, code="FIM", is_active=False)
    field = [await issue(merchant, "pedido-1", product_id=product["id"], coupon_code="FIM") for _ in range(2)]
    assert [answer.json()["error"]["codigo"] for answer in field] == ["CUPOM_INATIVO"] * 2
    assert field[1].headers["idempotent-replayed"] == "true"


async def test_an_error_about_a_limit_is_not_stored(merchant: Merchant) -> None:
    """After one of twenty active endpoints is deleted, the same request with the same key succeeds."""

    async def create(number: int) -> httpx.Response:
        body = {"name": "loja", "url": f"https://loja.example/{number}"}
        return await merchant.api.post("/webhook-endpoints", body, token=merchant.token, idempotency_key=f"{number}")

    made = [await create(number) for number in range(MAX_ACTIVE_ENDPOINTS)]
    assert {answer.status_code for answer in made} == {201}
    assert (await create(MAX_ACTIVE_ENDPOINTS)).status_code == 409
    gone = f"/webhook-endpoints/{made[0].json()['data']['id']}"
    assert (await merchant.api.delete(gone, token=merchant.token)).status_code == 200
    last = await create(MAX_ACTIVE_ENDPOINTS)
    assert (last.status_code, last.headers.get("idempotent-replayed")) == (201, None)


async def test_a_failure_of_the_engine_is_not_stored(merchant: Merchant, engines: Engines, database: Database) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.unavailable)
    assert (await issue(merchant, "pedido-1")).status_code == 502
    retried = await issue(merchant, "pedido-1")
    assert retried.status_code == 201
    assert "idempotent-replayed" not in retried.headers
    assert await count(database, "charges") == 1


async def test_a_repeat_is_replayed_before_validation(merchant: Merchant, database: Database) -> None:
    """Issuing validates the order before it reserves the key; on a repeat the result is ignored."""
    product = await a_product(merchant)
    first = await issue(merchant, "pedido-1", product_id=product["id"])
    assert (await merchant.api.delete(f"/products/{product['id']}", token=merchant.key)).status_code == 200
    again = await issue(merchant, "pedido-1", product_id=product["id"])
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    other = await issue(merchant, "pedido-1", product_id=product["id"], customer_name="Outro Nome")
    assert (other.status_code, other.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_CONFLITO")
    unknown = await issue(merchant, "pedido-2", product_id=product["id"])
    assert unknown.status_code == 404, unknown.text
    assert await count(database, "charges") == 1


async def test_a_key_creates_one_charge_for_multi_statement_orders(merchant: Merchant, database: Database) -> None:
    order = {"external_reference": "pedido-1"}
    first = await issue(merchant, "k", **order)
    again = await issue(merchant, "k", **order)
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    taken = [await issue(merchant, "other", **order) for _ in range(2)]
    assert [answer.json()["error"]["codigo"] for answer in taken] == ["REFERENCIA_DUPLICADA"] * 2
    assert taken[1].headers["idempotent-replayed"] == "true"
    assert await count(database, "charges") == 1


async def test_scope_is_store_environment_operation_and_key(api: Api, merchant: Merchant, database: Database) -> None:
    other = await api.register_merchant()
    ids = {(await issue(who, key)).json()["data"]["id"] for who in (merchant, other) for key in ("a", "b")}
    direct = await api.post("/charges", charge_order(), token=merchant.key, idempotency_key="a")
    assert direct.status_code == 201
    assert len(ids | {direct.json()["data"]["id"]}) == 5
    assert await count(database, "charges") == 5


async def test_fifty_concurrent_orders_create_one_charge(merchant: Merchant, database: Database) -> None:
    answers = await asyncio.gather(*(issue(merchant, "pedido-1") for _ in range(50)))
    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {201, 409}
    refused = {answer.json()["error"]["codigo"] for answer in answers if answer.status_code == 409}
    assert refused <= {"IDEMPOTENCIA_EM_ANDAMENTO"}
    made = {answer.json()["data"]["id"] for answer in answers if answer.status_code == 201}
    assert len(made) == 1
    for table in ("charges", "simulator_charges", "webhook_events"):
        assert await count(database, table) == 1, table
    assert (await issue(merchant, "pedido-1")).json()["data"]["id"] in made


class Holding:
    """Blocks the first engine call until `let_go` is set."""

    def __init__(self) -> None:
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()

    async def on_call(self, *_: object) -> None:
        if not self.reached.is_set():
            self.reached.set()
            await self.let_go.wait()


async def test_a_repeat_during_the_first_request_is_a_conflict(merchant: Merchant) -> None:
    slow = Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        first = asyncio.create_task(issue(blocked, "pedido-1"))
        await slow.reached.wait()
        during = await issue(merchant, "pedido-1")
        other = await issue(merchant, "pedido-1", amount=10)
        slow.let_go.set()
        assert (await first).status_code == 201
    assert (during.status_code, during.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_EM_ANDAMENTO")
    assert (other.status_code, other.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_CONFLITO")


async def test_an_expired_lease_is_taken_over_and_its_owner_commits_nothing(
    merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    slow = Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        asleep = asyncio.create_task(issue(blocked, "pedido-1"))
        await slow.reached.wait()
        clock.advance(timedelta(seconds=61))
        taken_over = await issue(merchant, "pedido-1")
        assert taken_over.status_code == 201
        slow.let_go.set()
        woken = await asleep
    assert (woken.status_code, woken.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_EM_ANDAMENTO")
    assert await count(database, "charges") == 1
    assert await count(database, "issuances") == 1, "the first issuance stays, so its engine charge is canceled"


async def test_a_key_expires_after_a_day(merchant: Merchant, clock: MovedClock, database: Database) -> None:
    first = await issue(merchant, "pedido-1")
    clock.advance(timedelta(hours=23, minutes=59))
    token = merchant.key
    assert (
        await merchant.api.post("/pix", charge_order(), token=token, idempotency_key="pedido-1")
    ).content == first.content
    clock.advance(timedelta(minutes=2))
    assert (await issue(merchant, "pedido-1", amount=10)).status_code == 201
    assert await count(database, "charges") == 2


async def test_the_worker_deletes_keys_after_a_day(
    merchant: Merchant, clock: MovedClock, services: Services, database: Database
) -> None:
    await issue(merchant, "pedido-1")
    ctx = system_context(services, source="job", request_id="job")
    clock.advance(timedelta(hours=23, minutes=59))
    await idempotency.delete_expired(ctx)
    assert await count(database, "idempotency_keys") == 1
    clock.advance(timedelta(minutes=2))
    await idempotency.delete_expired(ctx)
    assert await count(database, "idempotency_keys") == 0


async def test_a_replayed_key_of_the_api_is_encrypted_at_rest(api: Api, merchant: Merchant, database: Database) -> None:
    order = {"name": "nova", "environment": "test"}
    made = [await api.post("/api-keys", order, token=merchant.token, idempotency_key="k") for _ in range(2)]
    assert made[0].content == made[1].content
    async with database.pool.acquire() as connection:
        answer = await connection.fetchval("select answer from idempotency_keys")
    assert made[0].json()["data"]["key"].encode() not in answer
    assert await count(database, "api_keys") == 2


@pytest.mark.parametrize("key", ["", "com espaço", "é", "x" * 256, "a\tb", "\x7f"])
async def test_a_key_is_one_to_255_visible_ascii(merchant: Merchant, database: Database, key: str) -> None:
    headers = {"authorization": f"Bearer {merchant.key}".encode(), "idempotency-key": key.encode()}
    answer = await merchant.api.client.post("/pix", json=charge_order(), headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["campos"][0]["campo"] == "Idempotency-Key"
    assert await count(database, "charges") == 0


@pytest.mark.parametrize("key", ["x" * 255, "!", "~", '{"a":1}'])
async def test_keys_of_maximum_length_and_special_characters_work(merchant: Merchant, key: str) -> None:
    assert (await issue(merchant, key)).status_code == 201


_ISSUE = 'issueCharge(input: {amount: 10, description: "x", customerName: "J", customerEmail: "j@example.com", customerCpf: "52998224725"}) { id }'


@pytest.mark.parametrize(
    "document",
    [
        f"mutation {{ a: {_ISSUE} b: {_ISSUE} }}",
        f"mutation {{ ...F }} fragment F on Mutation {{ a: {_ISSUE} b: {_ISSUE} }}",
        f"mutation {{ ... on Mutation {{ a: {_ISSUE} b: {_ISSUE} }} }}",
    ],
)
async def test_graphql_takes_a_key_for_one_mutation_field_only(
    merchant: Merchant, database: Database, document: str
) -> None:
    response = await merchant.api.request(
        "POST", "/graphql", {"query": document}, token=merchant.key, idempotency_key="k"
    )
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"] == {"status": 400}
    assert await count(database, "charges") == 0
    assert await count(database, "idempotency_keys") == 0
