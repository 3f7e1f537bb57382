"""Payment links over REST: fields, references and deletion."""

from typing import Any

import httpx
import pytest

from gateway.models.database import Database
from gateway.values.ids import SLUG_ALPHABET, new_slug
from tests import sql
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import a_coupon, a_link, a_product, link_order, payer
from tests.fake_clock import MovedClock
from tests.rows import put_charges


def test_a_slug_is_ten_unambiguous_characters() -> None:
    slugs = {new_slug() for _ in range(200)}
    assert len(slugs) == 200
    assert all(len(slug) == 10 and set(slug) <= set(SLUG_ALPHABET) for slug in slugs)
    assert not set(SLUG_ALPHABET) & set("0o1il")


_COLLISIONS = """
    create sequence tries;
    create function collide() returns trigger language plpgsql as $$
    begin
        if nextval('tries') = 1 then select slug into new.slug from payment_links; end if;
        return new;
    end $$;
    create trigger collide before insert on payment_links for each row execute function collide()
"""


async def test_a_slug_collision_is_retried(merchant: Merchant, database: Database) -> None:
    first = await a_link(merchant)
    await sql.run(database, _COLLISIONS)
    try:
        second = await a_link(merchant, title="Outra")
        tries = await sql.value(database, "select last_value from tries")
    finally:
        await sql.run(database, "drop function collide cascade; drop sequence tries")
    assert (tries, second["slug"] != first["slug"]) == (2, True)
    assert len((await merchant.api.get("/payment-links", token=merchant.key)).json()["data"]) == 2


async def test_a_link_is_created_read_and_changed(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, description="Uma hora.\nTraga o violão.", success_url="https://loja.example/ok")
    assert link["url"] == f"http://gateway.test/pay/{link['slug']}"
    assert (link["environment"], link["allow_coupons"], link["active"]) == ("test", True, True)
    assert (link["charge_expires_in_minutes"], link["uses_count"], link["max_uses"]) == (1440, 0, None)
    path = f"/payment-links/{link['id']}"
    changed = await api.put(path, {"active": False, "amount": 90, "success_url": ""}, token=merchant.key)
    data = changed.json()["data"]
    assert (data["active"], data["amount"], data["success_url"]) == (False, 90.0, None)
    assert data["slug"] == link["slug"]
    assert (await api.get(path, token=merchant.key)).json()["data"] == data


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"amount": None}, "amount"),
        ({"amount": "dez"}, "amount"),
        ({"product_id": "x"}, "product_id"),
        ({"max_uses": 0}, "max_uses"),
        ({"charge_expires_in_minutes": 0}, "charge_expires_in_minutes"),
        ({"charge_expires_in_minutes": 525_601}, "charge_expires_in_minutes"),
        ({"success_url": "javascript:alert(1)"}, "success_url"),
        ({"allow_coupons": 1}, "allow_coupons"),
        ({"expires_at": "logo"}, "expires_at"),
    ],
)
async def test_a_bad_field_is_named_and_nothing_is_created(
    api: Api, merchant: Merchant, changes: dict[str, Any], field: str
) -> None:
    refused = await api.post("/payment-links", link_order(**changes), token=merchant.key)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    assert (await api.get("/payment-links", token=merchant.key)).json()["data"] == []


async def test_the_minimum_of_a_charge_is_the_minimum_of_a_link(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant, amount=5)
    for answer in (
        await api.post("/payment-links", link_order(amount=4.99), token=merchant.key),
        await api.post("/payment-links", link_order(amount=-4.999, title=7), token=merchant.key),
        await api.post("/payment-links", link_order(amount="4.999"), token=merchant.key),
        await api.put(f"/payment-links/{link['id']}", {"amount": 4.99}, token=merchant.key),
        await api.put(f"/payment-links/{link['id']}", {"amount": -1}, token=merchant.key),
    ):
        error = answer.json()["error"]
        assert (answer.status_code, error["codigo"], error["valor_minimo"]) == (400, "VALOR_MINIMO", 5.0)


def refusal_of(answer: httpx.Response) -> list[str]:
    """The fields of a `VALOR_MINIMO` error."""
    error = answer.json()["error"]
    assert (answer.status_code, error["codigo"], error["valor_minimo"]) == (400, "VALOR_MINIMO", 5.0)
    return [result["campo"] for result in error["campos"]]


async def test_the_price_after_the_links_own_coupon_is_at_least_the_minimum(api: Api, merchant: Merchant) -> None:
    order = {"discount_type": "fixed", "discount_value": 95.01}
    closed = {"is_active": False, "starts_at": "2100-01-01T00:00:00Z", "max_uses": 1}
    coupon = await a_coupon(merchant, code="QUASE", **order, **closed)
    product = await a_product(merchant, price=100)
    for form in ({"amount": 100}, {"product_id": product["id"]}):
        refused = await api.post("/payment-links", link_order(coupon_id=coupon["id"], **form), token=merchant.key)
        assert refusal_of(refused) == ["coupon_id"]
    assert (await api.get("/payment-links", token=merchant.key)).json()["data"] == []

    link = await a_link(merchant, amount=100.01, coupon_id=coupon["id"])
    path = f"/payment-links/{link['id']}"
    assert refusal_of(await api.put(path, {"amount": 100}, token=merchant.key)) == ["amount"]
    assert refusal_of(await api.put(path, {"product_id": product["id"]}, token=merchant.key)) == ["product_id"]
    assert (await api.get(path, token=merchant.key)).json()["data"] == link
    plain = await a_link(merchant, amount=100)
    refused = await api.put(f"/payment-links/{plain['id']}", {"coupon_id": coupon["id"]}, token=merchant.key)
    assert refusal_of(refused) == ["coupon_id"]
    assert refused.json()["error"]["message"] == "Com este cupom o total ficaria abaixo do mínimo de R$ 5,00."
    both = {"coupon_id": coupon["id"], "amount": 100.01}
    assert (await api.put(f"/payment-links/{plain['id']}", both, token=merchant.key)).status_code == 200

    create = "mutation($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { id } }"
    answer = await api.graphql(create, token=merchant.key, input={"amount": 100, "couponId": coupon["id"]})
    assert answer["errors"][0]["extensions"]["codigo"] == "VALOR_MINIMO"
    change = "mutation($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }"
    answer = await api.graphql(change, token=merchant.key, input={"id": link["id"], "amount": 100})
    assert answer["errors"][0]["extensions"]["codigo"] == "VALOR_MINIMO"


async def test_an_inapplicable_coupon_does_not_discount_a_link(merchant: Merchant) -> None:
    other = await a_product(merchant)
    free = {"discount_value": 100, "discount_type": "percentage"}
    elsewhere = await a_coupon(merchant, code="OUTRO", product_ids=[other["id"]], **free)
    large = await a_coupon(merchant, code="GRANDE", min_amount=80.01, **free)
    for coupon in (elsewhere, large):
        assert (await a_link(merchant, amount=80, coupon_id=coupon["id"]))["coupon_id"] == coupon["id"]


async def test_a_product_below_the_minimum_has_no_link(api: Api, merchant: Merchant) -> None:
    cheap, product = await a_product(merchant, price=4.99), await a_product(merchant, price=5)
    order = link_order(product_id=cheap["id"])
    assert refusal_of(await api.post("/payment-links", order, token=merchant.key)) == ["product_id"]
    link = await a_link(merchant, product_id=product["id"])
    path = f"/payment-links/{link['id']}"
    assert refusal_of(await api.put(path, {"product_id": cheap["id"]}, token=merchant.key)) == ["product_id"]

    # A link below the minimum can still be changed and deactivated.
    await api.put(f"/products/{product['id']}", {"price": 4.5}, token=merchant.key)
    stored = {"active": False, "title": "Fim", "amount": 90, "product_id": product["id"]}
    assert (await api.put(path, stored, token=merchant.key)).status_code == 200


async def test_a_link_refers_only_to_records_of_its_store(api: Api, merchant: Merchant) -> None:
    stranger = await api.register_merchant()
    foreign = {"product_id": (await a_product(stranger))["id"], "coupon_id": (await a_coupon(stranger))["id"]}
    own = await a_link(merchant)
    for field, value in foreign.items():
        assert (await api.post("/payment-links", link_order(**{field: value}), token=merchant.key)).status_code == 404
        assert (await api.put(f"/payment-links/{own['id']}", {field: value}, token=merchant.key)).status_code == 404
    assert len((await api.get("/payment-links", token=merchant.key)).json()["data"]) == 1


async def test_deleting_a_link_leaves_its_charges(api: Api, merchant: Merchant) -> None:
    link = await a_link(merchant)
    public = (await api.post(f"/checkout/link/{link['slug']}/pay", payer())).json()["data"]
    charge = (await api.get(f"/pix/status?txid={public['txid']}", token=merchant.key)).json()["data"]
    assert charge["payment_link_id"] == link["id"]
    gone = await api.delete(f"/payment-links/{link['id']}", token=merchant.key)
    assert gone.json()["data"]["desvinculados"] == {"charges.payment_link_id": 1}
    assert (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]["payment_link_id"] is None
    assert (await api.get(f"/checkout/link/{link['slug']}")).status_code == 404
    assert (await api.get(f"/checkout/{public['txid']}")).json()["data"]["status"] == "pending"


async def test_one_with_too_many_references_is_not_deleted(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    link = await a_link(merchant)
    await put_charges(database, merchant.id, [{"payment_link_id": link["id"]}] * 501, now=clock.now())
    error = (await api.delete(f"/payment-links/{link['id']}", token=merchant.key)).json()["error"]
    assert (error["codigo"], error["referencias"], error["limite"]) == ("MUITAS_REFERENCIAS", 501, 500)
    assert "este link de pagamento; em vez disso, desative-o" in error["message"]
    assert (await api.get(f"/payment-links/{link['id']}", token=merchant.key)).json()["data"] == link


async def test_relations_of_links_and_charges_are_resolved(api: Api, merchant: Merchant) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant)
    link = await a_link(merchant, product_id=product["id"], coupon_id=coupon["id"])
    await api.post(f"/checkout/link/{link['slug']}/pay", payer())
    relations = "product { name } coupon { code }"
    query = f"{{ paymentLinks {{ edges {{ node {{ url {relations} }} }} }} charges {{ edges {{ node {{ {relations} paymentLink {{ slug }} }} }} }} }}"
    answer = await api.graphql(query, token=merchant.key)
    expected = {"product": {"name": "Curso de violão"}, "coupon": {"code": "PROMO10"}}
    assert answer["data"]["paymentLinks"]["edges"][0]["node"] == {"url": link["url"], **expected}
    assert answer["data"]["charges"]["edges"][0]["node"] == {**expected, "paymentLink": {"slug": link["slug"]}}
