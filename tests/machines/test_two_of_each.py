"""Two API processes and two workers over one PostgreSQL and one Redis, behind a proxy: nothing that a merchant sees tells which
of them answered, and one that dies takes nothing with it.
"""

import asyncio
import json
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from gateway.models.database import Database
from gateway.resolvers.accounts.sessions import FAILURES_PER_EMAIL
from tests import sql
from tests.api import Api, Merchant, charge_order
from tests.chaos.processes import until
from tests.machines.proxy import Address, Proxy
from tests.scenarios import test_first_charge as first_charge
from tests.workers.receivers import Receiver, receiving

HOST = "127.0.0.9"
"""Nobody else's: a port that is free stays so, for no connection of this machine begins at this address."""
NAME = "two of each"
SESSIONS = "select count(*) from pg_stat_activity where application_name = $1"
STUCK = f"{SESSIONS} and wait_event_type = 'Lock'"
HANG_UP = (
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'"
)


@dataclass
class Fleet:
    """The processes behind the proxy, and the merchants' way to them."""

    proxy: Proxy
    api: Api
    apis: dict[Address, int]
    """Process ids by address."""
    workers: list[int]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def settings_of(database_url: str, redis_url: str) -> dict[str, str]:
    return {
        "GATEWAY_DATABASE_URL": f"{database_url}{'&' if '?' in database_url else '?'}application_name={NAME}",
        "GATEWAY_REDIS_URL": redis_url,
        "GATEWAY_SECRET_KEY": "a secret key for tests only, 32 characters or more",
        "GATEWAY_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.1/32",
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
        "GATEWAY_ARGON2_MEMORY_KIB": "8",
        "GATEWAY_ARGON2_TIME_COST": "1",
    }


@asynccontextmanager
async def processes(commands: list[dict[str, Any]], settings: dict[str, str], home: Path) -> AsyncIterator[list[int]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY_")}
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.machines.fleet"),
        env={**kept, **settings, "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=home,  # Away from a developer's `.env`.
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdin
    assert parent.stdout
    parent.stdin.write(json.dumps(commands).encode() + b"\n")
    try:
        yield json.loads(await parent.stdout.readline())
    finally:
        parent.stdin.close()
        await parent.wait()


@pytest.fixture
async def fleet(database: Database, database_url: str, redis_url: str, tmp_path: Path) -> AsyncIterator[Fleet]:
    addresses = [(HOST, free_port()) for _ in range(2)]
    serving = [["serve", "--host", host, "--port", str(port), "--workers", "1"] for host, port in addresses]
    words = [*serving, ["worker"], ["worker"]]
    commands = [{"words": each, "log": str(tmp_path / f"{number}.log")} for number, each in enumerate(words)]
    async with (
        processes(commands, settings_of(database_url, redis_url), tmp_path) as pids,
        Proxy.before(addresses) as proxy,
        httpx.AsyncClient(base_url=proxy.url, trust_env=False, timeout=60) as client,
    ):
        await until(lambda: _ready(client, addresses, commands), "all of them to be ready", every=0.05)
        yield Fleet(proxy, Api(client), dict(zip(addresses, pids[:2], strict=True)), pids[2:])
    # Whoever was killed in the middle of something may still be at it in PostgreSQL, and must not be when the tables are emptied.
    await until(lambda: _nobody(database), "their sessions to end")
    redis = Redis.from_url(redis_url)
    await redis.flushdb()
    await redis.aclose()


async def _ready(client: httpx.AsyncClient, addresses: list[Address], commands: list[dict[str, Any]]) -> bool:
    try:
        answers = [await client.get(f"http://{host}:{port}/health/ready") for host, port in addresses]
    except httpx.TransportError:
        return False
    started = ["worker_started" in Path(command["log"]).read_text() for command in commands[2:]]
    return all(answer.status_code == 200 for answer in answers) and all(started)


async def _nobody(database: Database) -> bool:
    return await sql.value(database, SESSIONS, NAME) == 0


async def test_two_of_each_serve_as_one(fleet: Fleet, database: Database, redis_url: str) -> None:
    merchant = await fleet.api.register_merchant()
    await first_charge.test_a_charge_is_issued_paid_once_and_read_through_both_doors(fleet.api, merchant)
    await first_charge.test_an_order_below_the_minimum_is_refused_alike_by_both_doors(fleet.api, merchant)
    async with receiving() as receiver:
        await endpoint_at(receiver, merchant)
        await an_open_page_hears_of_a_payment_at_the_other(fleet, merchant)
        await one_key_makes_one_charge_whoever_is_asked(merchant, database)
        await guesses_are_counted_together(fleet, merchant, redis_url)
        took = list(fleet.proxy.taken.values())
        assert abs(took[0] - took[1]) <= 1, "the proxy gives each process its turn"
        await everything_arrived(receiver, database)
        # One worker goes, in the middle of nothing; one API goes, in the middle of a payment.
        os.kill(fleet.workers[0], signal.SIGKILL)
        await a_payment_survives_the_process_that_took_it(fleet, merchant, database)
        await everything_arrived(receiver, database)


async def endpoint_at(receiver: Receiver, merchant: Merchant) -> None:
    order = {"name": "loja", "url": receiver.url()}
    made = await merchant.api.post("/webhook-endpoints", order, token=merchant.token)
    assert made.status_code == 201, made.text


async def an_open_page_hears_of_a_payment_at_the_other(fleet: Fleet, merchant: Merchant) -> None:
    charge = await merchant.issue()
    before = fleet.proxy.taken.copy()
    async with merchant.api.client.stream("GET", f"/pay/c/{charge['txid']}/events") as page:
        lines = page.aiter_lines()
        assert await _status(lines) == "pending"
        await merchant.pay(charge["id"])
        assert await _status(lines) == "paid"
    assert fleet.proxy.taken - before == Counter(fleet.proxy.backends), "the page is at one, the payment at the other"


async def _status(lines: AsyncIterator[str]) -> str:
    async for line in lines:
        if line.startswith("data: ") and line != "data: ":
            return line.removeprefix("data: ")
    raise AssertionError("the stream ended")


async def one_key_makes_one_charge_whoever_is_asked(merchant: Merchant, database: Database) -> None:
    before = await sql.value(database, "select count(*) from charges")

    async def issue(**changes: Any) -> httpx.Response:
        order = charge_order(external_reference="pedido 7", **changes)
        return await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="pedido-7")

    answers = await asyncio.gather(*(issue() for _ in range(6)))
    told = Counter(answer.status_code for answer in answers)
    assert told.keys() <= {201, 409}, "who comes while the first one is at work is told so"
    assert told[201] >= 1
    again = [await issue() for _ in range(2)]
    assert {answer.status_code for answer in again} == {201}
    made = {answer.json()["data"]["id"] for answer in (*answers, *again) if answer.status_code == 201}
    assert len(made) == 1
    assert await sql.value(database, "select count(*) from charges") == before + 1
    # Another order under the same key is refused by either.
    others = [(await issue(amount=55)).json()["error"]["codigo"] for _ in range(2)]
    assert others == ["IDEMPOTENCIA_CONFLITO"] * 2


async def guesses_are_counted_together(fleet: Fleet, merchant: Merchant, redis_url: str) -> None:
    most = FAILURES_PER_EMAIL[0]

    async def guess() -> int:
        form = {"email": merchant.email, "password": "uma senha errada"}
        return (await fleet.api.post("/auth/login", form)).status_code

    redis = Redis.from_url(redis_url)
    try:
        # A process counts alone for a moment where Redis is slow to answer, so what has been counted is what Redis says.
        while int(await redis.get(f"limit:login:email:{merchant.email}") or 0) < most:
            assert await guess() == 401
    finally:
        await redis.aclose()
    before = fleet.proxy.taken.copy()
    assert [await guess() for _ in range(2)] == [429, 429]
    assert fleet.proxy.taken - before == Counter(fleet.proxy.backends), (
        "either refuses, though each has seen half of them"
    )


async def a_payment_survives_the_process_that_took_it(fleet: Fleet, merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    before = fleet.proxy.taken.copy()
    async with database.transaction() as blocker:
        await blocker.connection.execute("select from charges where id = $1 for update", charge["id"])
        paying = asyncio.create_task(
            merchant.api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.key)
        )
        await until(lambda: sql.value(database, STUCK, NAME), "the payment to wait for the charge")
        (taker,) = fleet.proxy.taken - before
        os.kill(fleet.apis[taker], signal.SIGKILL)
        assert (await paying).status_code == 502
        await sql.run(database, HANG_UP, NAME)
    assert await sql.value(database, "select status from charges where id = $1", charge["id"]) == "pending"
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    before = fleet.proxy.taken.copy()
    assert [await _read(merchant, charge) for _ in range(3)] == ["paid"] * 3
    assert (fleet.proxy.taken - before).keys() == fleet.apis.keys() - {taker}, "the other one answers for both"


async def _read(merchant: Merchant, charge: dict[str, Any]) -> str:
    answer = await merchant.api.get(f"/pix/status?txid={charge['txid']}", token=merchant.key)
    status: str = answer.json()["data"]["status"]
    return status


async def everything_arrived(receiver: Receiver, database: Database) -> None:
    """Every event once, and none is under way any more."""

    async def settled() -> bool:
        return not await sql.value(database, "select exists(select from webhook_deliveries where state = 0)")

    await until(settled, "all deliveries to settle")
    events = await sql.rows(database, "select event_id from webhook_deliveries order by event_id")
    assert sorted(request.event_id for request in receiver.requests) == [str(event["event_id"]) for event in events]
