"""The billing job is killed, run twice and delayed."""

import asyncio
from typing import Any

from gateway.models.subscriptions import subscriptions
from tests.api_client import PAYER
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Merchant
from tests.chaos.processes import until
from tests.chaos.report import Result

SUBSCRIPTIONS = 2500
LATE = "interval '3 days'"
MADE = "select count(*) from simulator_charges"
DUE = "select count(*) from subscriptions where next_billing_at <= now()"
# Copies of the first subscription with other ids and dates.
_COLUMNS = [column.name for column in subscriptions.c if column.computed is None]
MULTIPLY = f"""
insert into subscriptions ({", ".join(_COLUMNS)})
select {", ".join("uuidv7()" if name == "id" else f"s.{name}" for name in _COLUMNS)}
from subscriptions s, generate_series(2, $1::integer)
"""
DOUBLES = (
    "select count(*) from (select from charges group by subscription_id, billing_cycle having count(*) > 1) as twice"
)


@experiment(
    "22",
    "Daily subscription job: two runners, missed tick, crash after charge before advance",
    "one charge per (subscription, period); missed day is caught up once",
    seconds=240,
)
async def test_experiment_22_the_billing_job_is_killed_and_doubled(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment()
    kills = 0
    await env.api()
    merchant = await env.merchant()
    order = {**PAYER, "amount": 49.9, "interval": "weekly"}
    await merchant.call("POST", "/subscriptions", order, token=merchant.tokens["test"])
    await env.register(merchant, "/merchant")
    await env.run(MULTIPLY, SUBSCRIPTIONS)
    await env.run(f"update subscriptions set next_billing_at = now() - {LATE}")
    while await env.value(DUE) > SUBSCRIPTIONS // 4:
        await _kill_in_mid_run(env)
        kills += 1
    created = await env.value(MADE)
    left = await env.value(DUE)
    runs = [env.bill(), env.bill()]
    await asyncio.gather(env.worker(), env.worker())

    async def none_due() -> bool:
        return await env.value(DUE) == 0

    await until(none_due, "all that is due to be billed", 120)
    await env.settled(120)
    counts = "select count(*), count(distinct subscription_id) from charges where billing_cycle is not null"
    assert tuple((await env.rows(counts))[0]) == (SUBSCRIPTIONS, SUBSCRIPTIONS)
    assert await env.value(DOUBLES) == 0
    assert await env.value(MADE) == SUBSCRIPTIONS
    assert await env.value("select count(*) from webhook_events where type = 'subscription.charged'") == SUBSCRIPTIONS
    assert await env.value("select bool_and(cycles_count = 1 and next_billing_at > now()) from subscriptions")
    await asyncio.gather(*[run.ends() for run in runs])
    result.note(
        f"{SUBSCRIPTIONS} subscriptions three days late; {kills} runs killed with {created} charges created, {left} left"
    )
    result.note("then two `gateway bill` and two workers at once: one charge, one event, one date ahead for each")


async def _kill_in_mid_run(env: ChaosEnvironment) -> None:
    before = await env.value(MADE)
    bill = env.bill()

    async def under_way() -> bool:
        assert bill.alive, bill.log.read_text()[-2000:]
        return await env.value(MADE) > before

    await until(under_way, "a charge to be made", every=0.001)
    bill.kill()


@experiment(
    "18b",
    "Engine notification and simulate-payment race with the billing job on its fresh charges",
    "same as 17",
)
async def test_experiment_18b_payments_race_with_the_billing_job(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment()
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant")
    order = {**PAYER, "amount": 49.9, "interval": "weekly"}
    await merchant.call("POST", "/subscriptions", order, token=merchant.tokens["test"])
    await env.run(MULTIPLY, 200)
    await env.run("update subscriptions set next_billing_at = now()")
    runs = [env.bill(), env.bill()]
    paid: set[str] = set()

    async def all_paid() -> bool:
        fresh = [row for row in await env.rows("select id, amount from charges") if str(row["id"]) not in paid]
        await asyncio.gather(*[_pay_three_ways(merchant, row) for row in fresh])
        paid.update(str(row["id"]) for row in fresh)
        return len(paid) == 200

    await until(all_paid, "every charge to be made and paid", 120)
    await env.settled(120)
    transitions = "select count(*) from audit_trail where action = 'charge.paid'"
    assert await env.value(transitions) == 200
    assert await env.value("select count(*) from charges where status = 'paid'") == 200
    assert any(await asyncio.gather(*[run.ends() for run in runs]))
    result.note(
        "200 charges of two runs, each paid by two notifications and a simulation at once: 200 transitions and events"
    )


async def _pay_three_ways(merchant: Merchant, row: Any) -> None:
    charge = {"id": str(row["id"]), "amount": row["amount"] / 100}
    answers = await asyncio.gather(
        merchant.notify(charge, f"evt_{charge['id']}_1"),
        merchant.notify(charge, f"evt_{charge['id']}_2"),
        merchant.send("POST", "/pix/simulate-payment", {"id": charge["id"]}, token=merchant.keys["test"]),
    )
    assert {answer.status_code for answer in answers} == {200}
