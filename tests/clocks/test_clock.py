"""A test store's clock through the API: advances, errors, and everything that uses it."""

from datetime import timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.checkout.public_charge import status_changes
from gateway.resolvers.core.context import Services
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill, count_due
from gateway.workers.periodic_jobs import expire_overdue
from tests import sql
from tests.api.actors import Scene, add_live_key, live_session, set_status
from tests.api_client import PAYER, Api, Merchant, charge_order
from tests.clocks.fixtures import (
    advance,
    charges_of,
    complete_advance,
    dump_rows,
    instant,
    job,
    read_clock,
    start_advance,
)
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import put_subscriptions, read_subscription, subscribed
from tests.workers.outbox import Outbox

ADVANCE = "mutation($to: DateTime!) { advanceTestClock(to: $to) { status } }"
DAY, YEAR = timedelta(days=1), timedelta(days=365)


async def test_a_clock_is_real_until_it_is_advanced_and_runs_on_from_there(
    merchant: Merchant, clock: MovedClock
) -> None:
    start = clock.now()
    assert await read_clock(merchant) == {
        "now": start.isoformat(),
        "offset_seconds": 0,
        "status": "ready",
        "advancing_to": None,
    }
    target = start + timedelta(days=40)
    begun = await start_advance(merchant, target)
    assert (begun["status"], instant(begun["advancing_to"])) == ("advancing", target)
    assert (await read_clock(merchant))["offset_seconds"] == 0
    clock.advance(timedelta(seconds=3))  # During an advance the store's clock is frozen; it catches up afterwards.
    result = await complete_advance(merchant)
    assert timedelta(0) <= instant(result["now"]) - target < timedelta(seconds=1)
    assert (result["status"], result["advancing_to"]) == ("ready", None)
    clock.advance(timedelta(hours=2))
    assert instant((await read_clock(merchant))["now"]) == instant(result["now"]) + timedelta(hours=2)
    again = await advance(merchant, target + 10 * DAY)
    assert again["offset_seconds"] == pytest.approx(50 * 86400 - 2 * 3600 - 3, abs=1)


async def test_an_advance_that_real_time_overtakes_never_sets_the_clock_back(
    merchant: Merchant, clock: MovedClock
) -> None:
    await start_advance(merchant, clock.now() + timedelta(seconds=1))
    clock.advance(timedelta(minutes=5))
    result = await complete_advance(merchant)
    assert (instant(result["now"]), result["offset_seconds"]) == (clock.now(), 0)


async def test_a_refused_request_changes_nothing(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    rows = [{"interval": "weekly"}] * 400
    await put_subscriptions(database, merchant.id, rows, due=clock.now() + DAY)
    scene = Scene(api, services, merchant, merchant)
    await set_status(database, merchant, "approved")
    live = {"key": await add_live_key(services, merchant), "session": await live_session(scene)}
    before = await dump_rows(database, [merchant.id])
    now = clock.now()
    for to, words in (
        (now.isoformat(), "depois da hora"),
        ((now - DAY).isoformat(), "depois da hora"),
        ((now + 367 * DAY).isoformat(), "366 dias"),
        ((now + 360 * DAY).isoformat(), "20000 ciclos"),
        ("amanhã", "data"),
        (None, ""),
    ):
        refused = await api.post("/test-clock/advance", {"to": to}, token=merchant.key)
        (field,) = refused.json()["error"]["campos"]
        assert (refused.status_code, field["campo"]) == (400, "to")
        assert words in field["mensagem"]
    for token in live.values():
        answers = [
            await api.get("/test-clock", token=token),
            await api.post("/test-clock/advance", {"to": (now + DAY).isoformat()}, token=token),
        ]
        assert [answer.status_code for answer in answers] == [409, 409]
        assert {answer.json()["error"]["codigo"] for answer in answers} == {"SOMENTE_TESTE"}
        by_graphql = await api.graphql(ADVANCE, token=token, to=(now + DAY).isoformat())
        assert by_graphql["errors"][0]["extensions"]["codigo"] == "SOMENTE_TESTE"
    assert await dump_rows(database, [merchant.id]) == before


async def test_one_advance_at_a_time_and_ten_years_in_all(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    await start_advance(merchant, clock.now() + DAY)
    again = await api.post("/test-clock/advance", {"to": (clock.now() + 2 * DAY).isoformat()}, token=merchant.key)
    assert (again.status_code, again.json()["error"]["codigo"]) == (409, "RELOGIO_EM_AVANCO")
    result = await complete_advance(merchant)
    assert instant(result["now"]) < clock.now() + 2 * DAY
    for _ in range(9):
        result = await advance(merchant, instant(result["now"]) + 366 * DAY)
    beyond = await api.post("/test-clock/advance", {"to": (clock.now() + 3661 * DAY).isoformat()}, token=merchant.key)
    assert beyond.status_code == 400
    assert "10 anos" in beyond.json()["error"]["campos"][0]["mensagem"]


async def test_graphql_uses_the_same_clock(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    begun = await api.graphql(ADVANCE, token=merchant.key, to=(clock.now() + DAY).isoformat())
    assert begun["data"]["advanceTestClock"]["status"] == "advancing"
    rest = await complete_advance(merchant)
    query = "{ testClock { now offsetSeconds status advancingTo } }"
    result = (await api.graphql(query, token=merchant.key))["data"]["testClock"]
    assert instant(result["now"]) == instant(rest["now"])
    assert (result["offsetSeconds"], result["status"], result["advancingTo"]) == (86400, "ready", None)


async def test_the_store_uses_its_clock_and_security_uses_real_time(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    real = clock.now()
    early = await merchant.issue()
    code = {"code": "outono", "discount_type": "percentage", "discount_value": 10}
    window = {"starts_at": (real + 20 * DAY).isoformat(), "expires_at": (real + 60 * DAY).isoformat()}
    await _created(merchant, "/coupons", code | window)
    link = await _created(
        merchant, "/payment-links", {"title": "Aula", "amount": 80, "expires_at": (real + 90 * DAY).isoformat()}
    )
    ahead = instant((await advance(merchant, real + 30 * DAY))["now"])

    async def quoted() -> Any:
        return (await api.get("/coupons/validate?code=OUTONO&amount=100", token=merchant.key)).json()

    assert (await quoted())["data"]["final_amount"] == 90
    (expired,) = await charges_of(merchant, status="expired")
    assert (expired["id"], instant(expired["expires_at"])) == (early["id"], real + DAY)
    charge = await merchant.issue(expires_at=(ahead + timedelta(hours=1)).isoformat())
    assert instant(charge["created_at"]) == ahead
    refused = await api.post("/pix", charge_order(expires_at=(real + DAY).isoformat()), token=merchant.key)
    assert refused.json()["error"]["codigo"] == "EXPIRACAO_INVALIDA"
    gone = await api.post(
        "/subscriptions", {**PAYER, "amount": 10, "next_billing_at": (real + DAY).isoformat()}, token=merchant.key
    )
    assert gone.status_code == 400
    plan = await subscribed(merchant)
    assert instant(plan["next_billing_at"]) > ahead + 27 * DAY

    # A payer sees the same time without a credential.
    seen = (await api.get(f"/checkout/{charge['txid']}")).json()["data"]
    assert (seen["status"], seen["seconds_left"]) == ("pending", 3600)
    txids = [charge["txid"], early["txid"]]
    assert await status_changes(services, txids) == {early["txid"]: "expired"}
    order = {"name": "José", "email": "jose@example.com", "cpf": PAYER["customer_cpf"]}
    paid_link = await api.post(f"/checkout/link/{link['slug']}/pay", order)
    assert paid_link.status_code == 201, paid_link.text
    assert instant(paid_link.json()["data"]["created_at"]) == ahead
    paid = await merchant.pay(charge["id"])
    assert (instant(paid["paid_at"]), paid["paid_late"]) == (ahead, False)
    body = await sql.value(database, "select convert_from(body, 'utf8') from webhook_events where type = 'charge.paid'")
    assert f'"sequence":{int(ahead.timestamp() * 1_000_000)}' in body
    late = await merchant.pay(early["id"])
    assert (instant(late["paid_at"]), late["paid_late"]) == (ahead, True)

    # Sessions, API keys, the audit trail and idempotency keys use real time.
    assert (await api.get("/auth/me", token=merchant.token)).status_code == 200
    first = await api.post("/pix", charge_order(), token=merchant.key, idempotency_key="um")
    again = await api.post("/pix", charge_order(), token=merchant.key, idempotency_key="um")
    assert first.json()["data"]["id"] == again.json()["data"]["id"]
    latest = await sql.value(database, "select max(created_at) from audit_trail")
    assert latest <= clock.now()
    settled = await sql.value(database, "select max(lease_until) from idempotency_keys")
    assert settled < real + DAY

    await advance(merchant, real + 100 * DAY)
    assert (await quoted())["error"]["codigo"] == "CUPOM_EXPIRADO"
    assert (await api.get(f"/checkout/link/{link['slug']}")).status_code == 410
    closed = await api.post(f"/checkout/link/{link['slug']}/pay", order)
    assert closed.json()["error"]["codigo"] == "LINK_ENCERRADO"


async def test_periodic_jobs_use_the_clock_of_each_store(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    real = clock.now()
    ahead = instant((await advance(merchant, real + 100 * DAY))["now"])
    mine, theirs = await merchant.issue(), await other.issue()
    due = await subscribed(merchant, next_billing_at=(ahead + DAY).isoformat())
    unpayable = await subscribed(merchant, next_billing_at=(ahead + DAY).isoformat(), customer_cpf=None)
    waits = await subscribed(other, next_billing_at=(ahead + DAY).isoformat())
    ctx = job(services)
    await expire_overdue(ctx)
    assert (await bill(ctx, BillingOptions())).analisadas == 0
    clock.advance(DAY + timedelta(minutes=1))
    assert await count_due(ctx, BillingOptions()) == 2
    assert (await bill(ctx, BillingOptions(dry_run=True))).cobradas == 1
    summary = await bill(ctx, BillingOptions())
    assert (summary.cobradas, summary.falhas, summary.sem_data) == (1, 1, 0)
    assert summary.iniciado_em == clock.now()
    (charged,) = await charges_of(merchant, status="pending")
    assert (charged["subscription_id"], instant(charged["created_at"])) == (
        due["id"],
        ahead + DAY + timedelta(minutes=1),
    )
    assert (await read_subscription(merchant, unpayable["id"]))["last_failure"]
    assert (await read_subscription(other, waits["id"]))["cycles_count"] == 0
    assert await sql.value(database, "select status from charges where id = $1", mine["id"]) == "pending"
    await expire_overdue(ctx)
    stored = await sql.rows(
        database, "select id, status, updated_at from charges where id = any($1)", [mine["id"], theirs["id"]]
    )
    found = {row["id"]: (row["status"], row["updated_at"]) for row in stored}
    assert found[mine["id"]] == ("expired", ahead + DAY + timedelta(minutes=1))
    assert found[theirs["id"]] == ("expired", clock.now())


async def test_other_stores_and_live_are_not_changed(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    await set_status(database, merchant, "approved")
    live_key = await add_live_key(services, merchant)
    now = clock.now()
    for token in (live_key, other.key):
        made = await api.post("/pix", charge_order(), token=token)
        assert made.status_code == 201, made.text
        order = {**PAYER, "amount": 10, "interval": "weekly"}
        assert (await api.post("/subscriptions", order, token=token)).status_code == 201
    await merchant.issue()
    await put_subscriptions(database, merchant.id, [{"environment": "live", "next_billing_at": None}], due=now)
    outbox = Outbox(services, database, merchant.id)
    theirs = Outbox(services, database, other.id)
    await outbox.emit(await outbox.endpoint("http://127.0.0.1:1/", environment="live"))
    await theirs.emit(await theirs.endpoint("http://127.0.0.1:1/"))
    waiting = "update webhook_deliveries set next_attempt_at = now() + interval '1 hour'"
    await sql.run(database, waiting)
    before = await dump_rows(database, [merchant.id], "live"), await dump_rows(database, [other.id])
    assert before[0]["charges"]
    assert before[0]["webhook_deliveries"]
    assert before[1]["subscriptions"]
    assert before[1]["webhook_deliveries"]
    await subscribed(merchant, interval="weekly")
    await advance(merchant, now + YEAR)
    assert len(await charges_of(merchant)) == 53
    after = await dump_rows(database, [merchant.id], "live"), await dump_rows(database, [other.id])
    before[0].pop("test_clocks")
    after[0].pop("test_clocks")
    assert after == before
    live = (await api.post("/pix", charge_order(), token=live_key)).json()["data"]
    assert instant(live["created_at"]) == now
    session = await live_session(Scene(api, services, merchant, other))
    assert (await api.get("/pix?status=pending&limit=10", token=session)).json()["pagination"]["total"] == 2


async def _created(merchant: Merchant, path: str, order: dict[str, Any]) -> dict[str, Any]:
    answer = await merchant.api.post(path, order, token=merchant.key)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["data"]
    return made
