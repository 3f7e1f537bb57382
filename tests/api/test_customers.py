"""Customers through both transports."""

from typing import Any

import pytest

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests.api_client import VALID_CNPJ, VALID_CPF, Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges, put_customers

ANA = {"name": " Ana Paula ", "email": "ana@example.com", "cpf": VALID_CPF, "phone": "(11) 98765-4321"}
FIELDS = "id userId environment name email cpf phone createdAt updatedAt"


async def created(api: Api, merchant: Merchant, **changes: Any) -> dict[str, Any]:
    response = await api.post("/customers", ANA | changes, token=merchant.key)
    assert response.status_code == 201, response.text
    customer: dict[str, Any] = response.json()["data"]
    return customer


async def audited(database: Database, action: str) -> list[dict[str, Any]]:
    async with database.pool.acquire() as connection:
        rows = await connection.fetch(
            "select resource_id, changes from audit_trail where action = $1 order by id", action
        )
    return [dict(row) for row in rows]


@pytest.mark.parametrize("phone", ["+55 11 98765-4321", "+55 (11) 98765 - 4321", "5511987654321"])
async def test_a_payer_s_phone_may_have_a_country_code(api: Api, merchant: Merchant, phone: str) -> None:
    saved = await api.post("/customers", ANA | {"phone": phone}, token=merchant.key)
    assert saved.json()["data"]["phone"] == "11987654321"
    assert (await merchant.issue(customer_phone=phone))["customer_phone"] == "11987654321"


async def test_both_transports_create_and_return_the_same_customer(
    api: Api, merchant: Merchant, database: Database
) -> None:
    customer = await created(api, merchant)
    assert customer["name"] == "Ana Paula"
    assert (customer["cpf"], customer["phone"]) == ("52998224725", "11987654321")
    assert (customer["user_id"], customer["environment"]) == (merchant.id, "test")
    assert (await api.get(f"/customers/{customer['id']}", token=merchant.key)).json()["data"] == customer
    assert (await api.get("/customers", token=merchant.key)).json()["data"] == [customer]

    query = (
        f"query($id: ID!) {{ customer(id: $id) {{ {FIELDS} }} customers {{ totalCount edges {{ node {{ id }} }} }} }}"
    )
    read = (await api.graphql(query, token=merchant.key, id=customer["id"]))["data"]
    names = {"user_id": "userId"}
    for name in ("id", "user_id", "environment", "name", "email", "cpf", "phone"):
        assert read["customer"][names.get(name, name)] == customer[name]
    assert read["customers"] == {"totalCount": 1, "edges": [{"node": {"id": customer["id"]}}]}
    assert [record["resource_id"] for record in await audited(database, "customer.created")] == [customer["id"]]


async def test_graphql_saves_changes_and_deletes(api: Api, merchant: Merchant) -> None:
    create = f"mutation($input: CreateCustomerInput!) {{ createCustomer(input: $input) {{ {FIELDS} }} }}"
    new = (await api.graphql(create, token=merchant.key, input=ANA))["data"]["createCustomer"]
    assert new["cpf"] == "52998224725"
    update = f"mutation($input: UpdateCustomerInput!) {{ updateCustomer(input: $input) {{ {FIELDS} }} }}"
    changes = {"id": new["id"], "cpf": None, "name": "Ana"}
    changed = (await api.graphql(update, token=merchant.key, input=changes))["data"]["updateCustomer"]
    assert (changed["cpf"], changed["name"], changed["email"]) == (None, "Ana", "ana@example.com")
    delete = "mutation($id: ID!) { deleteCustomer(id: $id) { id deleted desvinculados } }"
    gone = (await api.graphql(delete, token=merchant.key, id=new["id"]))["data"]["deleteCustomer"]
    assert gone == {
        "id": new["id"],
        "deleted": True,
        "desvinculados": {"charges.customer_id": 0, "subscriptions.customer_id": 0},
    }
    missing = await api.graphql(delete, token=merchant.key, id=new["id"])
    assert missing["errors"][0]["extensions"]["status"] == 404


@pytest.mark.parametrize("nothing", [{"cpf": ""}, {"cpf": None}, {"cpf": "  ", "email": "", "phone": None}])
async def test_empty_and_null_values_are_ignored(api: Api, merchant: Merchant, nothing: dict[str, Any]) -> None:
    customer = await created(api, merchant, **nothing)
    assert [customer[name] for name in nothing] == [None] * len(nothing)


async def test_a_cnpj_is_a_document_even_an_alphanumeric_one(api: Api, merchant: Merchant) -> None:
    assert (await created(api, merchant, cpf=VALID_CNPJ))["cpf"] == "11222333000181"
    assert (await created(api, merchant, cpf="12.abc.345/01de-35"))["cpf"] == "12ABC34501DE35"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cpf": "529.982.247-24"}, "cpf"),
        ({"cpf": "11111111111"}, "cpf"),
        ({"cpf": 52998224725}, "cpf"),
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"name": "a\x07"}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"email": "ana"}, "email"),
        ({"phone": "123"}, "phone"),
        ({"phone": "9" * 12}, "phone"),
    ],
)
async def test_bad_fields_are_refused_and_write_nothing(
    api: Api, merchant: Merchant, database: Database, change: dict[str, Any], field: str
) -> None:
    refused = await api.post("/customers", ANA | change, token=merchant.key)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    customer = await created(api, merchant)
    worse = await api.put(f"/customers/{customer['id']}", change, token=merchant.key)
    assert worse.status_code == 400
    assert [fault["campo"] for fault in worse.json()["error"]["campos"]] == [field]
    assert (await api.get("/customers", token=merchant.key)).json()["data"] == [customer]
    assert await audited(database, "customer.updated") == []


async def test_only_sent_fields_change_and_the_trail_hides_documents(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    customer = await created(api, merchant)
    path = f"/customers/{customer['id']}"
    same = await api.put(path, {"name": "Ana Paula", "user_id": new_id(), "id": new_id()}, token=merchant.key)
    assert same.json()["data"] == customer
    assert await audited(database, "customer.updated") == []
    changed = (await api.put(path, {"cpf": VALID_CNPJ, "phone": ""}, token=merchant.key)).json()["data"]
    assert changed == customer | {"cpf": "11222333000181", "phone": None, "updated_at": changed["updated_at"]}
    [record] = await audited(database, "customer.updated")
    assert record["changes"] == {
        "cpf": {"from": "***.982.247-**", "to": "11.***.***/0001-**"},
        "phone": {"from": "11987654321", "to": None},
    }


async def test_an_idempotency_key_creates_once(api: Api, merchant: Merchant) -> None:
    first = await api.post("/customers", ANA, token=merchant.key, idempotency_key="cliente-1")
    again = await api.post("/customers", ANA, token=merchant.key, idempotency_key="cliente-1")
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    other = await api.post("/customers", ANA | {"name": "Bia"}, token=merchant.key, idempotency_key="cliente-1")
    assert other.json()["error"]["codigo"] == "IDEMPOTENCIA_CONFLITO"
    assert len((await api.get("/customers", token=merchant.key)).json()["data"]) == 1


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_customers_of_other_stores_are_not_found(api: Api, merchant: Merchant, method: str) -> None:
    customer = await created(api, merchant)
    other = await api.register_merchant()
    for path in (f"/customers/{customer['id']}", f"/customers/{new_id()}"):
        answer = await api.request(method, path, {"name": "Outro"} if method == "PUT" else None, token=other.key)
        assert answer.status_code == 404
        assert answer.json() == {"error": {"message": "Cliente não encontrado."}}
    assert (await api.request(method, "/customers/1", token=merchant.key)).status_code == 404
    assert (await api.get(f"/customers/{customer['id']}", token=merchant.key)).json()["data"] == customer


async def test_deleting_clears_the_charges_references(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    customer, other = await created(api, merchant), await created(api, merchant)
    rows = [{"customer_id": customer["id"], "customer_name": "Ana"}] * 3 + [{"customer_id": other["id"]}]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    gone = await api.delete(f"/customers/{customer['id']}", token=merchant.key)
    assert gone.status_code == 200
    expected = {
        "id": customer["id"],
        "deleted": True,
        "desvinculados": {"charges.customer_id": 3, "subscriptions.customer_id": 0},
    }
    assert gone.json()["data"] == expected
    charges = {row["id"]: row for row in (await api.get("/pix", token=merchant.key)).json()["data"]}
    assert [charges[row_id]["customer_id"] for row_id in ids] == [None, None, None, other["id"]]
    assert charges[ids[0]]["customer_name"] == "Ana"
    assert (await api.delete(f"/customers/{customer['id']}", token=merchant.key)).status_code == 404
    assert [record["resource_id"] for record in await audited(database, "customer.deleted")] == [customer["id"]]


async def test_over_500_references_nothing_is_deleted(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    customer = await created(api, merchant)
    path = f"/customers/{customer['id']}"
    await put_charges(database, merchant.id, [{"customer_id": customer["id"]}] * 501, now=clock.now())
    refused = await api.delete(path, token=merchant.key)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert (error["codigo"], error["referencias"], error["limite"]) == ("MUITAS_REFERENCIAS", 501, 500)
    assert "desativ" not in error["message"], "a customer can't be"
    assert "altere os dados" in error["message"]
    assert (await api.get(path, token=merchant.key)).json()["data"] == customer
    listed = (await api.get(f"/pix?customer_id={customer['id']}&limit=1", token=merchant.key)).json()
    assert listed["pagination"]["total"] == 501
    async with database.pool.acquire() as connection:
        await connection.execute("delete from charges where id = $1", listed["data"][0]["id"])
    allowed = (await api.delete(path, token=merchant.key)).json()["data"]
    assert allowed["desvinculados"] == {"charges.customer_id": 500, "subscriptions.customer_id": 0}


async def test_customers_are_found_by_their_filters(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    rows = [
        {"name": "José", "cpf": "52998224725", "email": "Ze@Example.com", "phone": "11987654321"},
        {"name": "Maria", "created_at": "2026-01-31T12:00:00+00:00"},
        {"name": "De produção", "environment": "live"},
    ]
    ids = await put_customers(database, merchant.id, rows, now=clock.now())

    async def found(query: str) -> list[str]:
        return [row["id"] for row in (await api.get(f"/customers?{query}", token=merchant.key)).json()["data"]]

    assert await found("q=jos%C3%A9") == [ids[0]]
    assert await found("q=529.982") == [ids[0]]
    assert await found("cpf=529.982.247-25") == [ids[0]]
    assert await found("email=ze@example.com") == [ids[0]]
    assert await found("created_to=2026-01-31") == [ids[1]]
    assert await found("created_from=2026-02-01") == [ids[0]]
    assert await found("sort=-name") == [ids[1], ids[0]]
    assert await found("q=produ") == []
    for query in ("cpf=1", "email=x", "sort=email", "created_from=x"):
        assert (await api.get(f"/customers?{query}", token=merchant.key)).status_code == 400
    filtered = '{ customers(filter: {cpf: "529.982.247-25"}) { totalCount edges { node { id } } } }'
    connection = (await api.graphql(filtered, token=merchant.key))["data"]["customers"]
    assert connection == {"totalCount": 1, "edges": [{"node": {"id": ids[0]}}]}
