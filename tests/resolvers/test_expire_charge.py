"""A store expires a pending charge: `POST /pix/{id}/expire`, `expireCharge`."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from gateway.integrations.engines.interface import Engines
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.core.context import Services, system_context
from tests.api.actors import set_status
from tests.api_client import Api, Merchant
from tests.catalogue.fixtures import a_coupon, a_link, a_product, payer, uses_of
from tests.clocks.fixtures import advance, instant, read_clock
from tests.fake_clock import MovedClock
from tests.sql import rows, value


async def end(merchant: Merchant, charge_id: str) -> Any:
    return await merchant.api.post(f"/pix/{charge_id}/expire", token=merchant.key)


async def test_a_pending_charge_expires_now_and_again_unchanged(
    merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    charge = await merchant.issue(external_reference="pedido-1")
    clock.advance(timedelta(minutes=5))
    answer = await end(merchant, charge["id"])
    assert answer.status_code == 200, answer.text
    ended = answer.json()["data"]
    assert (ended["status"], ended["qr_code_url"]) == ("expired", None)
    assert instant(ended["expires_at"]) == clock.now()
    clock.advance(timedelta(minutes=5))
    again = await end(merchant, charge["id"])
    assert (again.status_code, again.json()["data"]) == (200, ended)
    found = await rows(database, "select changes from audit_pending where action = 'charge.expired'")
    assert [record["changes"]["status"] for record in found] == [{"from": "pending", "to": "expired"}]
    # Its reference is released, and the list of pending charges is without it.
    await merchant.issue(external_reference="pedido-1")
    listed = await merchant.api.get("/pix?status=expired", token=merchant.key)
    assert [each["id"] for each in listed.json()["data"]] == [charge["id"]]


async def test_an_overdue_charge_is_unchanged(merchant: Merchant, services: Services, clock: MovedClock) -> None:
    charge = await merchant.issue()
    clock.advance(timedelta(hours=25))
    answer = await end(merchant, charge["id"])
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, "expired")
    assert answer.json()["data"]["expires_at"] == charge["expires_at"]
    assert await expire_charges(system_context(services, source="job", request_id="job")) == 1


@pytest.mark.parametrize("status", ["paid", "canceled", "refunded"])
async def test_a_paid_or_canceled_charge_is_refused(merchant: Merchant, database: Database, status: str) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    if status != "paid":
        ends = "refunded_at = now(), refunded_amount = amount" if status == "refunded" else "paid_at = null"
        await value(database, f"update charges set status = $1, {ends} returning 1", status)
    answer = await end(merchant, charge["id"])
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "COBRANCA_ENCERRADA")
    assert await value(database, "select status from charges") == status
    assert await value(database, "select count(*) from audit_pending where action = 'charge.expired'") == 0


async def test_its_uses_are_released_and_a_late_payment_redeems_them_again(
    api: Api, merchant: Merchant, clock: MovedClock
) -> None:
    coupon = await a_coupon(merchant, max_uses=1, max_uses_per_customer=1)
    link = await a_link(merchant, max_uses=1)
    path = f"/checkout/link/{link['slug']}/pay"
    txid = (await api.post(path, payer(coupon_code="PROMO10"))).json()["data"]["txid"]
    charge = (await api.get(f"/pix/status?txid={txid}", token=merchant.key)).json()["data"]
    assert (await end(merchant, charge["id"])).status_code == 200
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 0
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 0
    assert (await api.post(path, payer(coupon_code="PROMO10"))).status_code == 201
    clock.advance(timedelta(seconds=1))
    late = await merchant.pay(charge["id"])
    assert (late["status"], late["paid_late"]) == ("paid", True)
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 2
    assert await uses_of(merchant, f"/payment-links/{link['id']}") == 2


async def test_a_concurrent_payment_wins_and_uses_are_counted_once(
    merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    """Several callers expire and pay each charge concurrently, while the expiry job runs."""
    product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=12)
    charges = [await merchant.issue(product_id=product["id"], coupon_code="PROMO10") for _ in range(12)]
    clock.advance(timedelta(seconds=1))
    ids = [charge["id"] for charge in charges]
    job = system_context(services, source="job", request_id="job")
    answers = await asyncio.gather(
        *(end(merchant, charge_id) for charge_id in ids for _ in range(2)),
        *(merchant.pay(charge_id) for charge_id in ids[:8] for _ in range(2)),
        expire_charges(job),
    )
    statuses = {answer.status_code for answer in answers[: 2 * len(ids)]}
    assert statuses <= {200, 409}
    found = await rows(database, "select id, status from charges order by id")
    assert {row["status"] for row in found if row["id"] in ids[:8]} == {"paid"}
    assert {row["status"] for row in found if row["id"] in ids[8:]} == {"expired"}
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 8
    events = "select count(*) from audit_pending where action = 'charge.paid'"
    assert await value(database, events) == 8


async def test_expiring_waits_for_a_payment_that_locks_the_charge(merchant: Merchant, database: Database) -> None:
    """One connection locks the row as a payment does, while another expires the charge."""
    product = await a_product(merchant)
    coupon = await a_coupon(merchant, max_uses=1)
    charge = await merchant.issue(product_id=product["id"], coupon_code="PROMO10")
    async with database.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute(
            "update charges set status = 'paid', paid_at = now() + interval '1 minute' where id = $1", charge["id"]
        )
        ending = asyncio.create_task(end(merchant, charge["id"]))
        waits = "select exists (select 1 from pg_locks where not granted)"
        while not await value(database, waits):  # noqa: ASYNC110  # PostgreSQL has no notification of lock waits.
            await asyncio.sleep(0.01)
        await transaction.commit()
    answer = await ending
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "COBRANCA_ENCERRADA")
    assert await uses_of(merchant, f"/coupons/{coupon['id']}") == 1
    assert await value(database, "select count(*) from audit_pending where action = 'charge.expired'") == 0


async def test_by_reference_and_txid_through_graphql(api: Api, merchant: Merchant) -> None:
    first, second = await merchant.issue(external_reference="pedido-7"), await merchant.issue()
    mutation = """mutation($reference: String, $txid: String) {
      a: expireCharge(externalReference: $reference) { id status }
      b: expireCharge(txid: $txid) { id status } }"""
    answer = await api.graphql(mutation, token=merchant.key, reference="pedido-7", txid=second["txid"])
    assert answer["data"] == {
        "a": {"id": first["id"], "status": "expired"},
        "b": {"id": second["id"], "status": "expired"},
    }
    paid = await merchant.issue(external_reference="pedido-7")
    await merchant.pay(paid["id"])
    refused = (await api.graphql(mutation, token=merchant.key, reference="pedido-7", txid=second["txid"]))["errors"][0]
    assert refused["extensions"] == {"codigo": "COBRANCA_ENCERRADA", "status": 409}


async def test_the_payers_page_shows_it_as_expired(api: Api, merchant: Merchant) -> None:
    charge = await merchant.issue()
    await end(merchant, charge["id"])
    assert "Este Pix expirou" in (await api.get(f"/pay/c/{charge['txid']}")).text
    seen = (await api.get(f"/checkout/{charge['txid']}")).json()["data"]
    assert (seen["status"], seen["seconds_left"], seen["pix_code"], seen["qr_code_url"]) == ("expired", 0, None, None)


async def test_on_a_test_clock_it_expires_at_the_clocks_time(merchant: Merchant) -> None:
    start = instant((await read_clock(merchant))["now"])
    await advance(merchant, start + timedelta(days=40))
    charge = await merchant.issue()
    ended = (await end(merchant, charge["id"])).json()["data"]
    assert start + timedelta(days=40) <= instant(ended["expires_at"]) < start + timedelta(days=41)
    late = await merchant.pay(charge["id"])
    assert late["status"] == "paid"


async def test_the_charge_is_not_found_in_the_other_environment(api: Api, merchant: Merchant, engines: Engines) -> None:
    charge = await merchant.issue()
    await set_status(api.services.database, merchant, "approved")
    session = await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    token = session.json()["data"]["accessToken"]
    assert (await api.post(f"/pix/{charge['id']}/expire", token=token)).status_code == 404
    assert (await api.post(f"/pix/{charge['id']}/send", token=token)).status_code == 404
    seen = await api.get(f"/pix/{charge['id']}", token=merchant.key)
    assert seen.json()["data"]["status"] == "pending"
