"""Products over REST: validation and deletion."""

import asyncio

import pytest
from sqlalchemy import select

from gateway.models.audit import audit_pending
from gateway.models.database import Database, Statement
from tests import sql
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import a_link, a_product, product_order

RECORDS = Statement(
    select(audit_pending).where(audit_pending.c.resource_type == "product").order_by(audit_pending.c.record_id)
)


async def test_a_product_is_created_read_changed_and_deleted(api: Api, merchant: Merchant) -> None:
    product = await a_product(
        merchant, sku="  VIO-1 ", image_url="https://loja.example/v.png", metadata={"cor": "azul"}
    )
    assert (product["price"], product["sku"], product["active"]) == (100.0, "VIO-1", True)
    assert product["environment"] == "test"

    path = f"/products/{product['id']}"
    changed = await api.put(path, {"price": 89.9, "image_url": "", "description": None}, token=merchant.key)
    assert changed.status_code == 200
    assert (changed.json()["data"]["price"], changed.json()["data"]["image_url"]) == (89.9, None)
    assert changed.json()["data"]["sku"] == "VIO-1"

    gone = await api.delete(path, token=merchant.key)
    assert gone.json()["data"] == {
        "id": product["id"],
        "deleted": True,
        "desvinculados": {"payment_links.product_id": 0},
    }
    assert (await api.get(path, token=merchant.key)).status_code == 404


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"price": 0}, "price"),
        ({"price": -1}, "price"),
        ({"price": 1.999}, "price"),
        ({"price": None}, "price"),
        ({"sku": "x" * 65}, "sku"),
        ({"sku": "a\nb"}, "sku"),
        ({"image_url": "ftp://loja.example/v.png"}, "image_url"),
        ({"image_url": "javascript:alert(1)"}, "image_url"),
        ({"image_url": 7}, "image_url"),
        ({"active": "sim"}, "active"),
        ({"metadata": {"": "x"}}, "metadata"),
    ],
)
async def test_a_bad_field_is_named_and_nothing_is_created(
    api: Api, merchant: Merchant, changes: dict[str, object], field: str
) -> None:
    refused = await api.post("/products", product_order(**changes), token=merchant.key)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    assert (await api.get("/products", token=merchant.key)).json()["data"] == []


async def test_a_sku_is_unique_without_regard_to_case_and_spaces(api: Api, merchant: Merchant) -> None:
    await a_product(merchant, sku="Ação-1")
    other = await a_product(merchant, sku="B")
    repeated = await api.post("/products", product_order(sku=" AÇÃO-1 "), token=merchant.key)
    assert repeated.status_code == 409
    assert repeated.json()["error"] == {
        "message": "Já existe um produto com este sku.",
        "codigo": "SKU_DUPLICADO",
        "campos": [{"campo": "sku", "mensagem": "já existe um produto com este sku"}],
    }
    moved = await api.put(f"/products/{other['id']}", {"sku": "ação-1"}, token=merchant.key)
    assert moved.json()["error"] == repeated.json()["error"]
    mutation = 'mutation { createProduct(input: { name: "Caneca", price: 10, sku: "b" }) { id } }'
    (error,) = (await api.graphql(mutation, token=merchant.key))["errors"]
    assert (error["message"], error["extensions"]["codigo"]) == ("Já existe um produto com este sku.", "SKU_DUPLICADO")
    field = {"campo": "sku", "mensagem": "já existe um produto com este sku", "caminho": ["input", "sku"]}
    assert error["extensions"]["campos"] == [field]
    await a_product(merchant)
    await a_product(merchant, sku="")
    await a_product(await api.register_merchant(), sku="Ação-1")


async def test_concurrent_products_with_one_sku_create_one(api: Api, merchant: Merchant) -> None:
    answers = await asyncio.gather(
        *(api.post("/products", product_order(sku="UNO"), token=merchant.key) for _ in range(10))
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 9


async def test_a_required_field_is_not_cleared(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant)
    for field in ("name", "price", "active"):
        refused = await api.put(f"/products/{product['id']}", {field: None}, token=merchant.key)
        assert refused.json()["error"]["campos"][0]["campo"] == field
    same = await api.put(f"/products/{product['id']}", {}, token=merchant.key)
    assert same.json()["data"] == product


async def test_another_store_and_another_environment_see_nothing(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant)
    stranger = await api.register_merchant()
    path = f"/products/{product['id']}"
    answers = [
        await api.get(path, token=stranger.key),
        await api.put(path, {"price": 1}, token=stranger.key),
        await api.delete(path, token=stranger.key),
        await api.get("/products/not-an-id", token=merchant.key),
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
    assert (await api.get(path, token=merchant.key)).json()["data"] == product


async def test_deleting_clears_the_links_and_keeps_the_charges_history(api: Api, merchant: Merchant) -> None:
    product = await a_product(merchant)
    link = await a_link(merchant, product_id=product["id"])
    charge = await merchant.issue(product_id=product["id"])
    gone = await api.delete(f"/products/{product['id']}", token=merchant.key)
    assert gone.json()["data"]["desvinculados"] == {"payment_links.product_id": 1}
    assert (await api.get(f"/payment-links/{link['id']}", token=merchant.key)).json()["data"]["product_id"] is None
    assert (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]["product_id"] == product["id"]


async def test_one_with_too_many_references_is_not_deleted(api: Api, merchant: Merchant, database: Database) -> None:
    product = await a_product(merchant)
    many = """insert into payment_links (id, user_id, environment, slug, amount, product_id, created_at, updated_at)
        select uuidv7(), $1, 'test', 'link' || n, 4990, $2, now(), now() from generate_series(1, 501) n"""
    await sql.run(database, many, merchant.id, product["id"])
    error = (await api.delete(f"/products/{product['id']}", token=merchant.key)).json()["error"]
    assert (error["codigo"], error["referencias"], error["limite"]) == ("MUITAS_REFERENCIAS", 501, 500)
    assert "este produto; em vez disso, desative-o" in error["message"]
    assert (await api.get(f"/products/{product['id']}", token=merchant.key)).json()["data"] == product


async def test_a_change_is_audited_with_old_and_new_values(merchant: Merchant, database: Database) -> None:
    product = await a_product(merchant)
    path = f"/products/{product['id']}"
    await merchant.api.put(path, {"price": 50, "name": product["name"]}, token=merchant.key)
    await merchant.api.put(path, {"price": 50}, token=merchant.key)
    await merchant.api.delete(path, token=merchant.key)
    rows = await database.all(RECORDS)
    assert [(row["action"], row["changes"]) for row in rows] == [
        ("product.created", {}),
        ("product.updated", {"price": {"from": 100.0, "to": 50.0}}),
        ("product.deleted", {}),
    ]
    assert {(row["resource_id"], row["store_id"]) for row in rows} == {(product["id"], merchant.id)}


async def test_products_are_listed_filtered_and_ordered(api: Api, merchant: Merchant) -> None:
    for name, price in (("Violão", 300), ("Capo", 40), ("Corda", 20)):
        await a_product(merchant, name=name, price=price, sku=name.upper(), active=name != "Capo")
    cheapest = (await api.get("/products?sort=price&limit=2", token=merchant.key)).json()
    assert [product["name"] for product in cheapest["data"]] == ["Corda", "Capo"]
    assert cheapest["pagination"]["total"] == 3
    inactive = (await api.get("/products?status=inactive", token=merchant.key)).json()["data"]
    assert [product["name"] for product in inactive] == ["Capo"]
    found = (await api.get("/products?sku=violÃo", token=merchant.key)).json()["data"]
    assert [product["name"] for product in found] == ["Violão"]
