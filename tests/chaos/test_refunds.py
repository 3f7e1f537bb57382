"""Refunds while the API is killed, the bank hangs, and others spend the same money."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import asyncpg
import httpx
import pytest

from tests.chaos.bank import (
    bank_variables,
    bank_violations,
    deliver,
    finish_in_flight,
    finish_open_work,
)
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Merchant
from tests.chaos.processes import until
from tests.chaos.report import Result
from tests.engines.fake_bcb import FakeBcb, dropped, html, late, slow
from tests.engines.fake_http import Fault, Json

PUT = "PUT /pix/{id}/devolucao/{refund}"
HANGS = 60.0
AMOUNT = 129.9
CLIENTS_GONE = "select pg_terminate_backend(pid) from pg_stat_activity where $1::integer = any(pg_blocking_pids(pid))"
STUCK = "select count(*) from pg_stat_activity where $1::integer = any(pg_blocking_pids(pid))"
KEYS_FREE = "update idempotency_keys set lease_until = now() where lease_until > now()"


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[FakeBcb]:
    async with FakeBcb.running(tmp_path) as fake:
        yield fake


async def paid_charges(env: ChaosEnvironment, bank: FakeBcb, merchant: Merchant, count: int) -> list[Json]:
    charges = [await merchant.issue() for _ in range(count)]
    await deliver(env, bank, *[bank.bank.pay(charge["txid"]) for charge in charges])
    assert await env.value("select count(*) from charges where status = 'paid'") >= count
    return charges


def returns_of(bank: FakeBcb, charge: Json) -> list[Json]:
    (pix,) = bank.bank.cobs[charge["txid"]].pix
    found: list[Json] = pix.get("devolucoes", [])
    return found


@asynccontextmanager
async def locked_charge(env: ChaosEnvironment, charge: Json) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Lock a charge's row. Yields a wait for the API to be stuck at it; at the end its sessions are closed."""
    blocker = await asyncpg.connect(env.database_url)

    async def stuck() -> bool:
        return bool(await env.value(STUCK, blocker.get_server_pid()))

    try:
        async with blocker.transaction():
            await blocker.execute("select from charges where id = $1 for update", charge["id"])
            yield partial(_wait, stuck)
            await blocker.execute(CLIENTS_GONE, blocker.get_server_pid())
    finally:
        await blocker.close()


async def _wait(condition: Callable[[], Awaitable[bool]]) -> None:
    await until(condition, "the API to be stuck", every=0.002)


@experiment(
    "28",
    "`kill -9` of the API at each step of a refund",
    "no refund is made twice, also when its request is repeated; none stays in flight",
    seconds=180,
)
async def test_experiment_28_the_api_is_killed_at_each_step_of_a_refund(
    open_environment: OpenEnvironment, bank: FakeBcb, result: Result, tmp_path: Path
) -> None:
    env: ChaosEnvironment = await open_environment(**bank_variables(bank, tmp_path), ENGINE_TIMEOUT_SECONDS="5")
    bank.bank.manners.returns_at_once = True
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    api, steps = env.processes[0], ("reserving", "reserved", "accepted", "answered")
    charges = {step: await paid_charges(env, bank, merchant, 3) for step in steps}
    for step in steps:
        for charge in charges[step]:
            ordered = bank.call_count(PUT)

            async def reached_the_bank(step: str = step, charge: Json = charge, ordered: int = ordered) -> bool:
                return bank.call_count(PUT) > ordered and (step == "reserved" or bool(returns_of(bank, charge)))

            faults = {"reserved": slow(HANGS, done=False), "accepted": slow(HANGS, done=True), "answered": late(1.0)}
            if step in faults:
                bank.plan(PUT, faults[step])
            if step == "reserving":
                async with locked_charge(env, charge) as stuck:
                    dying = asyncio.create_task(merchant.refund(charge, charge["id"]))
                    await stuck()
                    api.kill()
            else:
                dying = asyncio.create_task(merchant.refund(charge, charge["id"]))
                await until(reached_the_bank, "the bank to get the order", every=0.002)
                if step == "answered":
                    async with locked_charge(env, charge) as stuck:
                        await stuck()
                        api.kill()
                else:
                    api.kill()
            assert await dying is None
            api = await env.api()
    made = Counter(str(row["status"]) for row in await env.rows("select status from refunds"))
    at_bank = sum(bool(returns_of(bank, charge)) for step in steps for charge in charges[step])
    # The merchant's program repeats each request under its key.
    again = [(step, charge) for step in steps for charge in charges[step]]
    codes = Counter([(await _answer(merchant, charge)).status_code for _, charge in again])
    await env.run(KEYS_FREE)
    answers = [(step, charge, await _answer(merchant, charge)) for step, charge in again]
    assert {answer.status_code for _, _, answer in answers} == {201}
    await finish_in_flight(env)
    for step, charge in again:
        if step == "reserved":  # The bank never got it. The merchant sees that, and orders another one.
            assert not returns_of(bank, charge)
            assert await env.value("select status from refunds where charge_id = $1", charge["id"]) == "rejected"
            assert (await _answer(merchant, charge, f"{charge['id']}-again")).status_code == 201
    await finish_in_flight(env)
    assert [len(returns_of(bank, charge)) for _, charge in again] == [1] * len(again)
    assert await env.value("select count(*) from charges where status = 'refunded'") == len(again)
    assert await bank_violations(env, bank) == []
    result.note(f"12 kills at 4 steps: {made['pending']} refunds reserved, {at_bank} of them at the bank")
    result.note(f"repeated at once: {_written(codes)}; after the keys' lease each is answered 201")
    result.note("12 charges refunded, each by one return")


async def _answer(merchant: Merchant, charge: Json, key: str = "") -> httpx.Response:
    answer = await merchant.refund(charge, key or charge["id"])
    assert answer is not None
    return answer


def _written(codes: Counter[int]) -> str:
    return ", ".join(f"{count} × {code}" for code, count in sorted(codes.items()))


@experiment(
    "29",
    "Refunds of one charge race with one another and with a chargeback, while the bank hangs and loses answers",
    "the bank returns no more than was paid, and nothing twice; a disputed charge gets no refund; every refund ends",
    seconds=120,
)
async def test_experiment_29_refunds_race_while_the_bank_hangs(
    open_environment: OpenEnvironment, bank: FakeBcb, result: Result, tmp_path: Path
) -> None:
    env: ChaosEnvironment = await open_environment(**bank_variables(bank, tmp_path), ENGINE_TIMEOUT_SECONDS="1")
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    charges = await paid_charges(env, bank, merchant, 20)
    faults: list[Fault | None] = [
        None,
        slow(HANGS, done=False),
        slow(HANGS, done=True),
        dropped(),
        html(503, done=True),
    ]
    bank.plan(PUT, *faults * 8)
    disputed = charges[10:]

    async def dispute(charge: Json, after: float) -> None:
        """The payer's bank demands a part of the payment."""
        (pix,) = bank.bank.cobs[charge["txid"]].pix
        await asyncio.sleep(after)
        if sum(float(each["valor"]) for each in pix.get("devolucoes", [])) + 20 <= AMOUNT:
            bank.bank.refund(pix["endToEndId"], 2000, nature="MED_FRAUDE")
        await deliver(env, bank, pix)

    calls = [merchant.refund(charge, amount=amount) for charge in charges for amount in (80, 80, 49.9, 30)]
    answers = await asyncio.gather(*calls, *[dispute(charge, 0.1 * n) for n, charge in enumerate(disputed)])
    codes = Counter(answer.status_code for answer in answers if answer is not None)
    assert set(codes) <= {201, 400, 409, 502}, codes
    await finish_open_work(env)
    # The bank makes the returns. Half of the callbacks are lost.
    for number, charge in enumerate(charges):
        (pix,) = bank.bank.cobs[charge["txid"]].pix
        for each in [each for each in pix.get("devolucoes", []) if each["status"] == "EM_PROCESSAMENTO"]:
            bank.bank.finish_return(pix["endToEndId"], each["id"])
        if number % 2:
            await deliver(env, bank, pix)
    await finish_in_flight(env)
    await finish_open_work(env)
    listed = await env.rows("select charge_id::text from reconciliation_discrepancies where kind = 'chargeback'")
    for row in listed:
        answer = await merchant.refund({"id": row[0]}, amount=1)
        assert answer is not None
        assert answer.status_code == 409, answer.text
    ended = Counter(str(row["status"]) for row in await env.rows("select status from refunds"))
    assert await bank_violations(env, bank) == []
    result.note(f"80 orders for 20 charges: {_written(codes)}; {len(listed)} chargebacks listed")
    result.note(f"{ended['completed']} completed, {ended['rejected']} rejected, 0 in flight")
