"""A bank of the Central Bank's Pix API that hangs, refuses its clients and loses its callbacks."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api_client import charge_order
from tests.chaos.bank import bank_variables, bank_violations, deliver, finish_open_work
from tests.chaos.conftest import OpenEnvironment
from tests.chaos.environment import ChaosEnvironment
from tests.chaos.experiment import experiment
from tests.chaos.fixtures import Merchant
from tests.chaos.processes import until
from tests.chaos.report import Result
from tests.engines.fake_bcb import FakeBcb, dropped, html, slow
from tests.engines.fake_http import JSON_TYPE, Fault, Json

PUT, GET, PATCH, TOKEN = "PUT /cob/{id}", "GET /cob/{id}", "PATCH /cob/{id}", "POST /oauth/token"
HANGS = 60.0
"""Seconds that the bank hangs, longer than any deadline."""
DEADLINE = {"ENGINE_TIMEOUT_SECONDS": "1"}


@pytest.fixture
async def bank(tmp_path: Path) -> AsyncIterator[FakeBcb]:
    async with FakeBcb.running(tmp_path) as fake:
        yield fake


async def start(env: ChaosEnvironment) -> Merchant:
    """An API, a worker, and a merchant with an unaffected endpoint."""
    await asyncio.gather(env.api(), env.worker())
    merchant = await env.merchant()
    await env.register(merchant, "/merchant", healthy=True)
    return merchant


async def order(merchant: Merchant, reference: str) -> Json | int:
    """The charge of an order, or the status of its failure; 0 if the API was killed."""
    body = charge_order(external_reference=reference)
    try:
        answer = await merchant.send("POST", "/pix", body, token=merchant.keys["test"])
    except httpx.TransportError:
        return 0
    if answer.status_code != 201:
        return answer.status_code
    charge: Json = answer.json()["data"]
    return charge


async def order_until_issued(merchant: Merchant, reference: str) -> Json:
    """What a merchant's program does: it repeats a failed order."""

    async def issued() -> Json | None:
        answer = await order(merchant, reference)
        return answer if isinstance(answer, dict) else None

    charge = await until(issued, f"order {reference} to be issued", every=0.2)
    assert charge
    return charge


def pay_all(bank: FakeBcb, charges: list[Json]) -> list[Json]:
    return [bank.bank.pay(charge["txid"]) for charge in charges]


async def paid_count(env: ChaosEnvironment) -> int:
    return int(await env.value("select count(*) from charges where status = 'paid'"))


async def kinds(env: ChaosEnvironment) -> Counter[str]:
    return Counter(row["kind"] for row in await env.rows("select kind from reconciliation_discrepancies"))


@experiment(
    "25",
    "The bank hangs before and after it accepts a charge; `kill -9` of the API meanwhile",
    "no order has two payable charges at the bank; none stays payable without a charge; a payment of one is listed",
    seconds=120,
)
async def test_experiment_25_the_bank_hangs_around_an_order(
    open_environment: OpenEnvironment, bank: FakeBcb, result: Result, tmp_path: Path
) -> None:
    env: ChaosEnvironment = await open_environment(**bank_variables(bank, tmp_path), **DEADLINE)
    merchant = await start(env)
    # The first calls hang or are cut, before or after the bank executes them. Some look-ups hang, too.
    faults = [None, slow(HANGS, done=False), slow(HANGS, done=True), dropped(done=True), dropped(done=False)]
    bank.plan(PUT, *faults * 6)
    bank.plan(GET, *[slow(HANGS, done=False), None, html(503), html(404)] * 4)
    references = [f"pedido-{number}" for number in range(30)]
    answers = await asyncio.gather(*[order(merchant, reference) for reference in references])
    failed = [reference for reference, answer in zip(references, answers, strict=True) if isinstance(answer, int)]
    assert {answer for answer in answers if isinstance(answer, int)} == {502}
    # The API is killed when the bank has accepted and has not answered.
    known = len(bank.bank.cobs)
    bank.plan(PUT, *[slow(HANGS, done=True)] * 5)
    dying = [asyncio.create_task(order(merchant, f"morto-{number}")) for number in range(5)]

    async def accepted() -> bool:
        return len(bank.bank.cobs) == known + 5

    await until(accepted, "the bank to accept the orders")
    env.processes[0].kill()
    assert await asyncio.gather(*dying) == [0] * 5
    await env.api()
    # One of them is paid before the gateway looks at the bank again.
    await deliver(env, bank, bank.bank.pay(list(bank.bank.cobs)[known]))
    charges = [answer for answer in answers if isinstance(answer, dict)]
    charges += await asyncio.gather(*[order_until_issued(merchant, reference) for reference in failed])
    # Orders without an answer stay in progress until their outcome is known.
    died = [f"morto-{number}" for number in range(5)]
    assert await asyncio.gather(*[order(merchant, reference) for reference in died]) == [409] * 5
    await finish_open_work(env)
    charges += await asyncio.gather(*[order_until_issued(merchant, reference) for reference in died])
    removed = Counter(cob.status for cob in bank.bank.cobs.values())["REMOVIDA_PELO_USUARIO_RECEBEDOR"]
    await asyncio.gather(*[deliver(env, bank, pix) for pix in pay_all(bank, charges)])
    await finish_open_work(env)
    await env.settled()
    assert await paid_count(env) == len(charges) == 35
    assert await kinds(env) == {"unclaimed": 1}
    assert await bank_violations(env, bank) == []
    result.note(f"{len(failed)} of 30 orders got a 502, and 5 none; all were repeated, and 35 charges are paid once")
    result.note(f"{removed} charges of failed orders removed at the bank, 1 was paid and is listed")


@experiment(
    "26",
    "The bank refuses the token in mid-run; then the certificate expires, and is replaced without a restart",
    "orders fail with a 502 only while the bank refuses; callbacks get 200; every payment is paid afterwards",
    seconds=180,
)
async def test_experiment_26_the_bank_refuses_its_client(
    open_environment: OpenEnvironment, bank: FakeBcb, result: Result, tmp_path: Path
) -> None:
    expires = time.monotonic() + 25
    bank.authority.client(valid=timedelta(seconds=25)).write(tmp_path / "client.pem")
    env: ChaosEnvironment = await open_environment(**bank_variables(bank, tmp_path), **DEADLINE)
    merchant = await start(env)
    api = env.processes[0]
    waiting: list[Json] = []

    async def order_and_pay(reference: str) -> str:
        """Order a charge, and pay the oldest one. Returns the outcomes."""
        answer = await order(merchant, reference)
        if isinstance(answer, dict):
            waiting.append(answer)
        (pix,) = pay_all(bank, [waiting.pop(0)])
        response = await deliver(env, bank, pix)
        return f"{answer if isinstance(answer, int) else 201} {response.json()['data']['outcome']}"

    # A token that the bank forgets is replaced at once.
    for number in range(20):
        bank.revoke_tokens()
        assert await order_and_pay(f"revogado-{number}") == "201 applied"
    # Charges whose payments come while the bank refuses the gateway.
    waiting += [await order_until_issued(merchant, f"reserva-{number}") for number in range(2)]
    bank.plan(TOKEN, Fault(401, b'{"error": "invalid_client"}', JSON_TYPE))
    bank.revoke_tokens()
    assert await order_and_pay("recusado") == "502 received"
    refused = time.monotonic()
    await order_until_issued(merchant, "aceito")
    refused = time.monotonic() - refused
    # The certificate expires: the bank refuses new connections.
    await asyncio.sleep(max(0.0, expires + 0.5 - time.monotonic()))
    bank.disconnect()
    assert await order_and_pay("vencido") == "502 received"
    bank.authority.client(name="The same merchant").write(tmp_path / "client.pem")
    replaced = time.monotonic()
    await order_until_issued(merchant, "renovado")
    replaced = time.monotonic() - replaced
    assert api.alive
    assert len(api.said("bank_certificate_reloaded")) == 1
    assert bank.last(PUT).certificate == "The same merchant"
    await finish_open_work(env)
    await env.settled()
    assert await paid_count(env) == len(bank.bank.pix) == 22
    assert not await kinds(env)
    assert await bank_violations(env, bank) == []
    result.note("20 orders and callbacks, each with a forgotten token, none failed")
    result.note(f"a refused token was requested again after {refused:.0f} s")
    result.note(
        f"the new certificate was in use {replaced:.0f} s after its files; 2 callbacks waited, 22 of 22 paid once"
    )


@experiment(
    "27",
    "Callbacks of the bank lost, doubled, grouped, of other systems; `kill -9` of the API during one",
    "each payment of a charge is paid once; each one of another system is listed once, however often it comes",
    seconds=120,
)
async def test_experiment_27_callbacks_are_lost_and_come_twice(
    open_environment: OpenEnvironment, bank: FakeBcb, result: Result, tmp_path: Path
) -> None:
    env: ChaosEnvironment = await open_environment(**bank_variables(bank, tmp_path), **DEADLINE)
    merchant = await start(env)
    charges = [await order_until_issued(merchant, f"pedido-{number}") for number in range(50)]
    # Ten of them expire here, and the bank does not remove them: their payers are just in time there.
    late = charges[40:]
    bank.plan(PATCH, *[slow(HANGS, done=False), html(503)] * 5)
    for charge in late:
        answer = await merchant.send("POST", f"/pix/{charge['id']}/expire", token=merchant.keys["test"])
        assert answer.status_code == 200, answer.text
    pix = pay_all(bank, charges)
    foreign = [_payment_of_others(bank, number) for number in range(10)]
    other_key = _payment_of_others(bank, 10, chave="outra@example.com")
    # Each of the first ten comes ten times at once; the next ten come together, twice, with those of others.
    calls = [deliver(env, bank, each) for each in pix[:10] for _ in range(10)]
    calls += [deliver(env, bank, *pix[10:20], *foreign[:5], other_key) for _ in range(2)]
    statuses = Counter(answer.status_code for answer in await asyncio.gather(*calls))
    # The API is killed while it verifies the next ten. The rest is lost.
    bank.plan(GET, *[slow(HANGS, done=False)] * 10)
    known = bank.call_count(GET)
    dying = [asyncio.create_task(_deliver_or_die(env, bank, each)) for each in pix[20:30]]

    async def verifying() -> bool:
        return bank.call_count(GET) >= known + 10

    await until(verifying, "the API to verify the callbacks")
    env.processes[0].kill()
    await asyncio.gather(*dying)
    await env.api()
    for _ in range(2):
        await finish_open_work(env)
    await env.settled()
    assert statuses == {200: len(calls)}
    assert await paid_count(env) == len(charges)
    assert await kinds(env) == {"unknown_payment": len(foreign)}
    assert await bank_violations(env, bank) == []
    result.note(f"{len(calls)} callbacks of 20 payments, 10 that the API was killed with, 20 lost: 50 of 50 paid once")
    result.note("10 payments of other systems, 5 of them reported twice and then listed: one difference each")


def _payment_of_others(bank: FakeBcb, number: int, **changes: Any) -> Json:
    """A payment of a charge that another system made."""
    pix: Json = {
        "endToEndId": f"E12345678202611211200{number:011d}",
        "txid": f"venda{number}",
        "valor": "30.00",
        "chave": bank.bank.key,
        "horario": bank.bank.now(),
        **changes,
    }
    bank.bank.pix[pix["endToEndId"]] = pix
    return pix


async def _deliver_or_die(env: ChaosEnvironment, bank: FakeBcb, pix: Json) -> None:
    with suppress(httpx.TransportError):
        await deliver(env, bank, pix)
