"""Uses of coupons and links: redeemed under a lock, released, and counted correctly under concurrency."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.core.context import Services, system_context
from tests.api_client import PAYER, Api, Merchant
from tests.catalogue.fixtures import CPFS, a_coupon, a_link, a_product, payer, uses_of
from tests.fake_clock import MovedClock
from tests.resolvers.test_idempotency import Holding
from tests.spy_engine import overheard


@pytest.fixture
def simulator(engines: Engines) -> Simulator:
    assert isinstance(engines.test, Simulator)
    return engines.test


async def expire(services: Services) -> int:
    return await expire_charges(system_context(services, source="job", request_id="expiry"))


async def settle(services: Services) -> int:
    return await recover_issuances(system_context(services, source="job", request_id="settling"))


async def order(merchant: Merchant, product_id: str, **changes: str) -> tuple[int, str | None]:
    body = {"product_id": product_id, "coupon_code": "PROMO10", **PAYER, **changes}
    response = await merchant.api.post("/pix", body, token=merchant.key)
    return response.status_code, response.json().get("error", {}).get("codigo")


async def test_two_hundred_parallel_checkouts_never_exceed_the_limit(merchant: Merchant) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=37)
    answers = Counter(await asyncio.gather(*(order(merchant, product["id"]) for _ in range(200))))
    assert answers == {(201, None): 37, (400, "CUPOM_ESGOTADO"): 163}
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 37
    charges = (await merchant.api.get(f"/pix?coupon_id={coupon['id']}", token=merchant.key)).json()["data"]
    assert len(charges) == 37


async def test_parallel_orders_never_exceed_the_limit_per_customer(merchant: Merchant) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses_per_customer=2)
    orders = [order(merchant, product["id"], customer_cpf=cpf) for cpf in CPFS[:2] for _ in range(15)]
    answers = Counter(await asyncio.gather(*orders))
    assert answers == {(201, None): 4, (400, "CUPOM_ESGOTADO"): 26}
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 4


async def test_parallel_payers_never_exceed_a_links_limit(api: Api, merchant: Merchant, services: Services) -> None:
    link = await a_link(merchant, max_uses=3)
    path = f"/checkout/link/{link['slug']}/pay"
    answers = await asyncio.gather(*(api.post(path, payer(cpf=cpf)) for cpf in CPFS))
    assert Counter(answer.status_code for answer in answers) == {201: 3, 410: 2}
    assert {a.json()["error"]["codigo"] for a in answers if a.status_code == 410} == {"LINK_ENCERRADO"}
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 3
    assert (await api.get(f"/checkout/link/{link['slug']}")).json()["error"]["codigo"] == "LINK_ENCERRADO"


async def test_a_link_and_a_coupon_are_redeemed_atomically(api: Api, merchant: Merchant) -> None:
    coupon = await a_coupon(merchant, max_uses=2)
    link = await a_link(merchant, max_uses=3)
    path = f"/checkout/link/{link['slug']}/pay"
    answers = await asyncio.gather(*(api.post(path, payer(cpf=cpf, coupon_code="PROMO10")) for cpf in CPFS[:4]))
    assert Counter(answer.status_code for answer in answers) == {201: 2, 400: 2}
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 2
    await api.put(f"/coupons/{coupon['id']}", {"max_uses": 9}, token=merchant.key)
    await api.put(f"/payment-links/{link['id']}", {"max_uses": 2}, token=merchant.key)
    assert (await api.post(path, payer(cpf=CPFS[4], coupon_code="PROMO10"))).status_code == 410
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 2


async def test_an_expired_charge_releases_its_uses(
    api: Api, merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant, max_uses=3, max_uses_per_customer=1)
    link = await a_link(merchant, max_uses=3, charge_expires_in_minutes=30)
    for cpf in CPFS[:3]:
        body = payer(cpf=cpf, coupon_code="PROMO10")
        assert (await api.post(f"/checkout/link/{link['slug']}/pay", body)).status_code == 201
    clock.advance(timedelta(minutes=31))
    # Until the expiry job runs, the uses stay reserved and the limit holds.
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 3
    # Two workers run the job concurrently.
    assert sum(await asyncio.gather(expire(services), expire(services))) == 3
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 0
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 0
    again = payer(cpf=CPFS[0], coupon_code="PROMO10")
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", again)).status_code == 201


async def test_an_order_does_not_wait_for_the_periodic_job(
    api: Api, merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant, max_uses=1, max_uses_per_customer=1)
    link = await a_link(merchant, max_uses=1, charge_expires_in_minutes=30)
    path = f"/checkout/link/{link['slug']}"
    validate = "/coupons/validate?code=PROMO10&amount=50"
    first = (await api.post(f"{path}/pay", payer(coupon_code="PROMO10"))).json()["data"]
    assert (await api.get(path)).json()["error"]["codigo"] == "LINK_ENCERRADO"
    assert (await api.get(validate, token=merchant.key)).json()["error"]["codigo"] == "CUPOM_ESGOTADO"
    clock.advance(timedelta(minutes=31))
    # A read shows available uses immediately and writes nothing.
    assert (await api.get(path)).status_code == 200
    assert (await api.get(f"{path}/coupon?code=promo10")).json()["data"]["final_amount"] == 72.0
    assert (await api.get(validate, token=merchant.key)).status_code == 200
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    orders = [api.post(f"{path}/pay", payer(cpf=cpf, coupon_code="PROMO10")) for cpf in CPFS]
    answers = await asyncio.gather(*orders)
    second = [answer.json()["data"] for answer in answers if answer.status_code == 201]
    assert [charge["amount"] for charge in second] == [72.0]
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 1
    assert await expire(services) == 0
    assert (await api.get(f"/checkout/{first['txid']}")).json()["data"]["status"] == "expired"
    assert (await api.get(path)).json()["error"]["codigo"] == "LINK_ENCERRADO"


async def test_a_links_own_coupon_has_uses_again_when_a_charge_expires(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant, max_uses=1)
    link = await a_link(merchant, coupon_id=coupon["id"])
    path = f"/checkout/link/{link['slug']}"
    assert (await api.post(f"{path}/pay", payer())).json()["data"]["amount"] == 72.0
    assert (await api.get(path)).json()["data"]["final_amount"] == 80.0
    clock.advance(timedelta(hours=25))
    assert (await api.get(path)).json()["data"]["final_amount"] == 72.0
    answer = (await api.post(f"{path}/pay", payer(cpf=CPFS[1]))).json()
    assert (answer["data"]["amount"], "aviso" in answer) == (72.0, False)


async def test_a_paid_charge_keeps_its_use(merchant: Merchant, services: Services, clock: MovedClock) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant)
    charge = await merchant.issue(product_id=product["id"], coupon_code="PROMO10")
    await merchant.pay(charge["id"])
    clock.advance(timedelta(days=2))
    assert await expire(services) == 0
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1


async def test_a_late_payment_redeems_again_even_an_exhausted_coupon(
    api: Api, merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=1)
    late = await merchant.issue(product_id=product["id"], coupon_code="PROMO10")
    clock.advance(timedelta(hours=25))
    assert await expire(services) == 1
    await merchant.issue(product_id=product["id"], coupon_code="PROMO10")
    answers = await asyncio.gather(*(merchant.pay(late["id"]) for _ in range(5)))
    assert {(charge["status"], charge["paid_late"], charge["coupon_code"]) for charge in answers} == {
        ("paid", True, "PROMO10")
    }
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 2
    assert await order(merchant, product["id"]) == (400, "CUPOM_ESGOTADO")


async def test_an_overdue_order_releases_its_reference_for_the_next(merchant: Merchant, clock: MovedClock) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=1)
    order = {"product_id": product["id"], "coupon_code": "PROMO10", "external_reference": "pedido-1"}
    first = await merchant.issue(**order)
    clock.advance(timedelta(hours=25))
    # Before the expiry job runs: one transaction expires the first order and redeems its use for the second.
    second = await merchant.issue(**order)
    assert second["id"] != first["id"]
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1


async def test_paying_and_expiring_at_the_same_time_counts_once(
    merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant)
    charges = [await merchant.issue(product_id=product["id"], coupon_code="PROMO10") for _ in range(8)]
    clock.advance(timedelta(hours=25))
    payments = [merchant.pay(charge["id"]) for charge in charges[:4]]
    await asyncio.gather(*payments, expire(services), expire(services))
    while await expire(services):
        pass
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 4


@pytest.mark.parametrize("behaviour", [Behaviour.refuse, Behaviour.unavailable, Behaviour.bad_code])
async def test_a_failing_engine_leaves_no_use_reserved(
    merchant: Merchant, simulator: Simulator, behaviour: Behaviour
) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=1)
    simulator.scenario.plan("create_charge", behaviour)
    assert await order(merchant, product["id"]) == (502, None)
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 0
    assert await order(merchant, product["id"]) == (201, None)


async def test_an_order_in_progress_reserves_its_uses(api: Api, merchant: Merchant) -> None:
    coupon = await a_coupon(merchant, max_uses=2, max_uses_per_customer=1)
    link = await a_link(merchant, max_uses=2)
    path, slow = f"/checkout/link/{link['slug']}/pay", Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        first = asyncio.create_task(blocked.api.post(path, payer(coupon_code="PROMO10")))
        await slow.reached.wait()
        assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
        # The limit per customer counts orders in progress, and deleting waits for them.
        again = payer(coupon_code="PROMO10", email="outra@example.com")
        assert (await api.post(path, again)).json()["error"]["codigo"] == "CUPOM_ESGOTADO"
        assert (await api.delete(f"/coupons/{coupon['id']}", token=merchant.key)).status_code == 409
        assert (await api.delete(f"/payment-links/{link['id']}", token=merchant.key)).status_code == 409
        slow.let_go.set()
        assert (await first).status_code == 201
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 1


async def test_an_unknown_outcome_releases_its_uses_immediately_and_once(
    api: Api, merchant: Merchant, services: Services, simulator: Simulator, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant, max_uses=2, max_uses_per_customer=1)
    link = await a_link(merchant, max_uses=2)
    simulator.scenario.plan("create_charge", Behaviour.timeout_after)
    simulator.scenario.plan("find_charge", Behaviour.timeout_before)
    body = payer(coupon_code="PROMO10")
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", body)).status_code == 502
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 0
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", body)).status_code == 201
    clock.advance(timedelta(minutes=3))
    assert await settle(services) == 1
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 1


async def test_records_used_by_an_order_of_unknown_outcome_can_be_deleted(
    api: Api, merchant: Merchant, services: Services, simulator: Simulator, clock: MovedClock
) -> None:
    coupon, link = await a_coupon(merchant), await a_link(merchant)
    simulator.scenario.plan("create_charge", Behaviour.timeout_after)
    simulator.scenario.plan("find_charge", Behaviour.timeout_before)
    body = payer(coupon_code="PROMO10")
    assert (await api.post(f"/checkout/link/{link['slug']}/pay", body)).status_code == 502
    assert (await api.delete(f"/coupons/{coupon['id']}", token=merchant.key)).status_code == 200
    assert (await api.delete(f"/payment-links/{link['id']}", token=merchant.key)).status_code == 200
    clock.advance(timedelta(minutes=3))
    assert await settle(services) == 1


async def test_deleting_while_charges_are_issued_leaves_no_orphan(api: Api, merchant: Merchant) -> None:
    product, coupon = await a_product(merchant), await a_coupon(merchant)
    path = f"/coupons/{coupon['id']}"

    async def delete() -> int:
        for _ in range(50):
            answer = await api.delete(path, token=merchant.key)
            if answer.status_code != 409:
                return answer.status_code
            await asyncio.sleep(0.01)
        raise AssertionError("the coupon stayed busy")

    *answers, deleted = await asyncio.gather(*(order(merchant, product["id"]) for _ in range(40)), delete())
    assert deleted == 200
    assert {status for status, _ in answers} <= {201, 400, 404}
    charges = (await api.get("/pix", token=merchant.key)).json()["data"]
    assert {charge["coupon_id"] for charge in charges} <= {None}
