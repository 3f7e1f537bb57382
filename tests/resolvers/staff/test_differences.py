"""Discrepancies: opened once, shown to staff only, and resolved once, by reconciliation or by staff."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from gateway.doctor.payments import check_payments
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.resolvers.engine_notifications.process import retry_notifications
from gateway.resolvers.reconciliation.queue import FIRST_CHECK_AGE
from gateway.resolvers.reconciliation.runner import run_due_checks
from gateway.settings import Settings
from tests import sql
from tests.api.table import difference
from tests.api_client import Api, Merchant, charge_order
from tests.applicants import staff_member
from tests.fake_clock import MovedClock
from tests.resolvers.engine_notifications.test_notifications import notification, outcome

GAUGE = 'gateway_differences_open{environment="test",kind="amount"}'


@pytest.fixture
async def staff(api: Api, services: Services) -> Merchant:
    return await staff_member(api, services)


@pytest.fixture
def job(services: Services) -> Context:
    return system_context(services, source="job", request_id="a job")


async def listed(staff: Merchant, query: str = "") -> list[dict[str, Any]]:
    answer = await staff.api.get(f"/admin/differences{query}", token=staff.token)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def gauge(api: Api) -> float:
    text = (await api.get("/metrics")).text
    return float(next(line.rpartition(" ")[2] for line in text.splitlines() if line.startswith(GAUGE)))


async def findings(settings: Settings) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.text) async for finding in check_payments(settings)]


async def test_a_wrong_amount_is_listed_once_and_closed_by_the_right_payment(
    api: Api, merchant: Merchant, staff: Merchant, database: Database, settings: Settings
) -> None:
    assert await findings(settings) == [("ok", "nothing differs from the engines")]
    charge = await merchant.issue()
    for number in range(3):
        assert await outcome(api, notification(charge, f"evt_{number}", value=1.5)) == "mismatch"
    (found,) = await listed(staff)
    assert found["store_name"] == "Loja da Ana"
    assert {name: found[name] for name in ("kind", "status", "charge_status", "engine_status", "resolution")} == {
        "kind": "amount",
        "status": "open",
        "charge_status": "pending",
        "engine_status": "paid",
        "resolution": None,
    }
    assert (found["amount"], found["engine_amount"], found["event"]) == (129.9, 1.5, "PAYMENT_RECEIVED")
    assert (found["charge_id"], found["txid"], found["user_id"]) == (charge["id"], charge["txid"], merchant.id)
    assert await sql.value(database, "select count(*) from audit_trail where action = 'difference.opened'") == 1
    assert await gauge(api) == 1
    assert [mark for mark, _ in await findings(settings)] == ["warning"]
    assert await outcome(api, notification(charge, "evt_right")) == "applied"
    (found,) = await listed(staff, "?status=resolved")
    assert (found["resolution"], found["resolved_by_id"]) == ("corrected", None)
    assert await gauge(api) == 0
    assert await sql.value(database, "select count(*) from audit_trail where action = 'difference.corrected'") == 1


async def test_staff_closes_one_once_until_a_value_changes(
    api: Api, merchant: Merchant, staff: Merchant, database: Database, clock: MovedClock, job: Context
) -> None:
    made = await difference(merchant)
    (charge_id,) = [each["charge_id"] for each in await listed(staff)]
    path = f"/admin/differences/{made['id']}"
    refused = await api.post(f"{path}/resolver", {"nota": " "}, token=staff.token)
    assert (refused.status_code, refused.json()["error"]["campos"][0]["campo"]) == (400, "nota")
    calls = [api.post(f"{path}/resolver", {"nota": f"Devolvido {n}."}, token=staff.token) for n in range(4)]
    answers = await asyncio.gather(*calls)
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    closed = (await api.get(path, token=staff.token)).json()["data"]
    assert (closed["status"], closed["resolution"], closed["resolved_by_name"]) == ("resolved", "staff", "Bia Equipe")
    record = await sql.rows(database, "select * from audit_trail where action = 'difference.resolved'")
    assert [(each["store_id"], each["actor_type"], each["environment"]) for each in record] == [
        (merchant.id, "staff", "test")
    ]
    assert closed["note"] in str(record[0]["changes"])
    clock.advance(FIRST_CHECK_AGE)
    assert (await run_due_checks(job)).checked == 1
    assert await listed(staff, "?status=open") == [], "a resolved one is not opened again"
    charge = {"id": charge_id, "amount": 129.9}
    assert await outcome(api, notification(charge, "evt_2", value=7.0)) == "mismatch"
    (again,) = await listed(staff, "?status=open")
    assert (again["engine_amount"], again["id"] != made["id"]) == (7.0, True)


async def test_staff_can_not_resolve_one_of_its_own_store(api: Api, staff: Merchant) -> None:
    made = await difference(staff)
    path = f"/admin/differences/{made['id']}/resolver"
    assert (await api.post(path, {"nota": "Resolvido."}, token=staff.token)).status_code == 403
    assert [each["status"] for each in await listed(staff)] == ["open"]


async def test_the_list_is_for_staff_only_and_can_be_filtered(api: Api, merchant: Merchant, staff: Merchant) -> None:
    other = await api.register_merchant()
    first, second = await difference(merchant), await difference(other)
    for token in (merchant.token, merchant.key):
        assert (await api.get("/admin/differences", token=token)).status_code == 403
        assert (await api.get(f"/admin/differences/{first['id']}", token=token)).status_code == 403
        assert (
            await api.post(f"/admin/differences/{first['id']}/resolver", {"nota": "x"}, token=token)
        ).status_code == 403
    ids = [each["id"] for each in await listed(staff)]
    assert set(ids) == {first["id"], second["id"]}
    assert [each["id"] for each in await listed(staff, f"?store_id={other.id}")] == [second["id"]]
    page = (await api.get("/admin/differences?page=2&limit=1", token=staff.token)).json()
    assert (len(page["data"]), page["pagination"]["total"]) == (1, 2)
    assert [each["id"] for each in await listed(staff, "?sort=created_at")] == ids[::-1]
    assert len(await listed(staff, "?kind=amount&environment=test&status=open")) == 2
    for query in ("?kind=missing", "?environment=live", "?status=resolved", f"?charge_id={first['id']}"):
        assert await listed(staff, query) == []
    assert (await api.get("/admin/differences?kind=x", token=staff.token)).status_code == 400
    assert (await api.get(f"/admin/differences/{merchant.id}", token=staff.token)).status_code == 404


async def test_a_charge_that_is_paid_only_here_is_listed_and_resolved_by_the_bank(
    merchant: Merchant,
    staff: Merchant,
    database: Database,
    clock: MovedClock,
    job: Context,
) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    await sql.run(database, "update simulator_charges set status = 'DELETED'")
    await sql.run(
        database,
        "insert into charge_reconciliations (charge_id, environment, next_attempt_at) values ($1, 'test', $2)",
        charge["id"],
        clock.now(),
    )
    await sql.run(database, "update charges set end_to_end_id = null")
    tally = await run_due_checks(job)
    assert (tally.differing, tally.proved) == (1, 1)
    (found,) = await listed(staff)
    assert (found["kind"], found["charge_status"], found["engine_status"]) == ("status", "paid", "retired")
    await sql.run(database, "update simulator_charges set status = 'RECEIVED'")
    clock.advance(timedelta(days=1))
    assert (await run_due_checks(job)).corrected == 1
    assert await sql.value(database, "select count(*) from charge_reconciliations") == 0


async def test_a_payment_without_a_charge_is_listed_until_staff_resolves_it(
    api: Api,
    merchant: Merchant,
    staff: Merchant,
    services: Services,
    engines: Engines,
    clock: MovedClock,
    database: Database,
    job: Context,
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)
    assert (await api.post("/pix", charge_order(), token=merchant.key)).status_code == 502
    row = (await sql.rows(database, "select * from simulator_charges"))[0]
    result = notification({"id": row["external_reference"], "amount": 129.9})
    assert await outcome(api, result) == "received", "the order may still become a charge"
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job) == 1
    clock.advance(timedelta(minutes=1))
    await retry_notifications(job)
    await run_due_checks(job)
    (found,) = await listed(staff, "?kind=unclaimed")
    assert {name: found[name] for name in ("charge_id", "txid", "charge_status", "engine_id", "engine_status")} == {
        "charge_id": row["external_reference"],
        "txid": None,
        "charge_status": None,
        "engine_id": row["id"],
        "engine_status": "paid",
    }
    assert (found["amount"], found["engine_amount"], found["status"]) == (129.9, 129.9, "open")
    query = "{ differences(filter: {kind: unclaimed}) { edges { node { id txid chargeStatus } } } }"
    (edge,) = (await api.graphql(query, token=staff.token))["data"]["differences"]["edges"]
    assert edge["node"] == {"id": found["id"], "txid": None, "chargeStatus": None}
    path = f"/admin/differences/{found['id']}/resolver"
    assert (await api.post(path, {"nota": "Devolvido ao pagador."}, token=staff.token)).status_code == 200
    assert await listed(staff, "?status=open") == []
