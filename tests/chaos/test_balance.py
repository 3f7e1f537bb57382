"""Orders that race for the same balance."""

import asyncio

from tests.chaos.bank import finish_in_flight
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import NOTIFICATION_TOKENS
from tests.chaos.processes import until
from tests.chaos.report import Result
from tests.engines.fake_http import Json
from tests.resolvers.withdrawals.fixtures import COMPANY


@experiment(
    "30",
    "A refund and a withdrawal race for the same balance; `kill -9` of the API during every second race",
    "they never spend more than the balance, here and at the engine; both end",
    seconds=120,
)
async def test_experiment_30_a_refund_races_with_a_withdrawal(
    open_environment: OpenEnvironment, result: Result
) -> None:
    env: ChaosEnvironment = await open_environment(RECEIVING_MODE="subconta", SERVICE_FEE_FIXED="1")
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    opened = await merchant.call("POST", "/receiving-account", COMPANY, token=merchant.tokens["test"])
    approval = {"event": "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", "account": {"id": opened["account_id"]}}
    await _notify(env, {"id": "evt_approval", **approval})
    api, rounds = env.processes[0], 12

    async def available() -> float:
        summary = await merchant.call("GET", "/withdrawals/summary", token=merchant.keys["test"])
        return float(summary["available_amount"])

    for number in range(rounds):
        charge = await merchant.issue(amount=100)
        await merchant.pay(charge)
        known = await env.value(ORDERS)

        async def reserved(known: int = known) -> bool:
            return bool(await env.value(ORDERS) > known)

        rivals = [merchant.withdraw(await available()), merchant.refund(charge), merchant.refund(charge)]
        race = asyncio.gather(*(rivals if number % 4 < 2 else reversed(rivals)))
        if number % 2:
            await until(reserved, "an order to be reserved", every=0.001)
            await asyncio.sleep(0.001 * number)
            api.kill()
            await race
            api = await env.api()
        else:
            assert {answer and answer.status_code for answer in await race} <= {201, 400, 409}
        # The payers' banks make the transfers.
        for row in await env.rows("select id, external_reference from simulator_transfers where status = 'pending'"):
            transfer = {"id": row["id"], "externalReference": row["external_reference"]}
            await _notify(env, {"id": f"evt_{row['id']}", "event": "TRANSFER_DONE", "transfer": transfer})
        await finish_in_flight(env)
        assert await available() >= 0
        assert await env.value(BALANCE_AT_ENGINE) >= 0
    completed = "select count(*) from {} where status = 'completed'"
    refunds, withdrawals = [await env.value(completed.format(table)) for table in ("refunds", "withdrawals")]
    assert refunds == await env.value("select count(*) from simulator_refunds where status = 'done'")
    assert withdrawals == await env.value("select count(*) from simulator_transfers where status = 'done'")
    result.note(
        f"{rounds} races, 6 kills: {refunds} refunds and {withdrawals} withdrawals completed, no balance below 0"
    )


ORDERS = "select (select count(*) from refunds) + (select count(*) from withdrawals)"
# Charges that are refunded in full no longer count.
BALANCE_AT_ENGINE = """
select (select coalesce(sum(paid_amount - fee), 0) from simulator_charges where status = 'RECEIVED')
     - (select coalesce(sum(amount), 0) from simulator_transfers where status <> 'failed')
     - (select coalesce(sum(r.amount), 0) from simulator_refunds r join simulator_charges c on c.id = r.charge_id
         where r.status = 'done' and c.status = 'RECEIVED')"""


async def _notify(env: ChaosEnvironment, body: Json) -> None:
    headers = {"asaas-access-token": NOTIFICATION_TOKENS["test"]}
    answer = await env.client.post("/engine/notifications/simulator", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
