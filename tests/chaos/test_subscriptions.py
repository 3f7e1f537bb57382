"""The billing job, killed, doubled and late."""

import asyncio
from typing import Any

from gateway.models.subscriptions import subscriptions
from tests.api_client import PAYER
from tests.chaos.conftest import OpenWorld
from tests.chaos.environment import World
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Shop
from tests.chaos.processes import until
from tests.chaos.report import Result

SUBSCRIPTIONS = 2500
LATE = "interval '3 days'"
MADE = "select count(*) from simulator_charges"
DUE = "select count(*) from subscriptions where next_billing_at <= now()"
# All but the id and the date as the first one, which was made through the API.
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
async def test_experiment_22_the_billing_job_is_killed_and_doubled(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    kills = 0
    await world.api()
    shop = await world.shop()
    order = {**PAYER, "amount": 49.9, "interval": "weekly"}
    await shop.call("POST", "/subscriptions", order, token=shop.tokens["test"])
    await world.register(shop, "/shop")
    await world.run(MULTIPLY, SUBSCRIPTIONS)
    await world.run(f"update subscriptions set next_billing_at = now() - {LATE}")
    while await world.value(DUE) > SUBSCRIPTIONS // 4:
        await _kill_in_mid_run(world)
        kills += 1
    made = await world.value(MADE)
    left = await world.value(DUE)
    runs = [world.bill(), world.bill()]
    await asyncio.gather(world.worker(), world.worker())

    async def none_due() -> bool:
        return await world.value(DUE) == 0

    await until(none_due, "all that is due to be billed", 120)
    await world.settled(120)
    told = "select count(*), count(distinct subscription_id) from charges where billing_cycle is not null"
    assert tuple((await world.rows(told))[0]) == (SUBSCRIPTIONS, SUBSCRIPTIONS)
    assert await world.value(DOUBLES) == 0
    assert await world.value(MADE) == SUBSCRIPTIONS
    assert await world.value("select count(*) from webhook_events where type = 'subscription.charged'") == SUBSCRIPTIONS
    assert await world.value("select bool_and(cycles_count = 1 and next_billing_at > now()) from subscriptions")
    await asyncio.gather(*[run.ends() for run in runs])
    result.note(
        f"{SUBSCRIPTIONS} subscriptions three days late; {kills} runs killed with {made} charges made, {left} left"
    )
    result.note("then two `gateway bill` and two workers at once: one charge, one event, one date ahead for each")


async def _kill_in_mid_run(world: World) -> None:
    before = await world.value(MADE)
    bill = world.bill()

    async def under_way() -> bool:
        assert bill.alive, bill.log.read_text()[-2000:]
        return await world.value(MADE) > before

    await until(under_way, "a charge to be made", every=0.001)
    bill.kill()


@experiment(
    "18b",
    "Engine notice and simulate-payment race with the billing job on its fresh charges",
    "same as 17",
)
async def test_experiment_18b_payments_race_with_the_billing_job(open_world: OpenWorld, result: Result) -> None:
    world: World = await open_world()
    await asyncio.gather(world.api(), world.worker())
    shop = await world.shop()
    await world.register(shop, "/shop")
    order = {**PAYER, "amount": 49.9, "interval": "weekly"}
    await shop.call("POST", "/subscriptions", order, token=shop.tokens["test"])
    await world.run(MULTIPLY, 200)
    await world.run("update subscriptions set next_billing_at = now()")
    runs = [world.bill(), world.bill()]
    paid: set[str] = set()

    async def all_paid() -> bool:
        fresh = [row for row in await world.rows("select id, amount from charges") if str(row["id"]) not in paid]
        await asyncio.gather(*[_pay_three_ways(shop, row) for row in fresh])
        paid.update(str(row["id"]) for row in fresh)
        return len(paid) == 200

    await until(all_paid, "every charge to be made and paid", 120)
    await world.settled(120)
    transitions = "select count(*) from audit_trail where action = 'charge.paid'"
    assert await world.value(transitions) == 200
    assert await world.value("select count(*) from charges where status = 'paid'") == 200
    assert any(await asyncio.gather(*[run.ends() for run in runs]))
    result.note(
        "200 charges of two runs, each paid by two notices and a simulation at once: 200 transitions and events"
    )


async def _pay_three_ways(shop: Shop, row: Any) -> None:
    charge = {"id": str(row["id"]), "amount": row["amount"] / 100}
    answers = await asyncio.gather(
        shop.notify(charge, f"evt_{charge['id']}_1"),
        shop.notify(charge, f"evt_{charge['id']}_2"),
        shop.send("POST", "/pix/simulate-payment", {"id": charge["id"]}, token=shop.keys["test"]),
    )
    assert {answer.status_code for answer in answers} == {200}
