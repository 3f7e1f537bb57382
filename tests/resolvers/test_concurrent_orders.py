"""Concurrent orders of a merchant: each has the response that it would have alone."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from gateway.models.database import Database
from tests import sql
from tests.api_client import Merchant, charge_order
from tests.resolvers.test_idempotency import count
from tests.spy_engine import overheard


async def order(merchant: Merchant, key: str | None, **changes: Any) -> httpx.Response:
    headers = {"idempotency_key": key} if key else {}
    return await merchant.api.post("/pix", charge_order(**changes), token=merchant.key, **headers)


async def test_repeated_orders_get_the_first_answers(merchant: Merchant) -> None:
    first = await asyncio.gather(*(order(merchant, f"k-{n}", amount=5.0 + n) for n in range(12)))
    again = await asyncio.gather(*(order(merchant, f"k-{n}", amount=5.0 + n) for n in range(12)))
    assert [answer.content for answer in again] == [answer.content for answer in first]
    assert {answer.headers["idempotent-replayed"] for answer in again} == {"true"}


async def test_each_key_creates_one_charge(merchant: Merchant, database: Database) -> None:
    keys = [f"k-{number % 5}" for number in range(30)]
    answers = await asyncio.gather(*(order(merchant, key) for key in keys))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert await count(database, "charges") == 5
    assert await count(database, "simulator_charges") == 5


class EngineBarrier:
    """Blocks all orders at the engine until the last arrives, then runs a statement against one."""

    def __init__(self, database: Database, orders: int, statement: str) -> None:
        self._database = database
        self._missing = orders
        self._statement = statement
        self._open = asyncio.Event()

    async def __call__(self, call: str, *_arguments: Any) -> None:
        if call != "create_charge":
            return
        self._missing -= 1
        if not self._missing:
            await sql.run(self._database, self._statement)
            self._open.set()
        await self._open.wait()


async def order_at_once(merchant: Merchant, barrier: EngineBarrier, keys: Sequence[str | None]) -> list[httpx.Response]:
    async with overheard(merchant, barrier) as api:
        return list(await asyncio.gather(*(order(api, key, amount=10.0 + n) for n, key in enumerate(keys))))


@pytest.mark.parametrize("keyed", [False, True], ids=["without keys", "with keys"])
async def test_an_issuance_with_a_lost_lease_fails_alone(merchant: Merchant, database: Database, keyed: bool) -> None:
    barrier = EngineBarrier(database, 6, "update issuances set attempts = 1 where amount = 1300")
    answers = await order_at_once(merchant, barrier, [f"k-{number}" if keyed else None for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 201, 502, 201, 201]
    assert await count(database, "charges") == 5
    assert await count(database, "charges", "amount = 1300") == 0
    assert await count(database, "webhook_events") == 5
    assert await count(database, "audit_trail", "action = 'charge.created'") == 5
    assert await count(database, "idempotency_keys", "status is not null") == (5 if keyed else 0)


async def test_a_key_with_a_lost_lease_fails_alone(merchant: Merchant, database: Database) -> None:
    barrier = EngineBarrier(database, 6, "delete from idempotency_keys where key = 'k-2'")
    answers = await order_at_once(merchant, barrier, [f"k-{number}" for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 409, 201, 201, 201]
    assert await count(database, "charges", "amount = 1200") == 0
    assert await count(database, "charges") == await count(database, "webhook_events") == 5


async def test_a_duplicate_event_fails_only_its_own_order(merchant: Merchant, database: Database) -> None:
    barrier = EngineBarrier(
        database,
        6,
        "insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at) "
        "select uuidv7(), user_id, environment, 'charge.created', '', 'charge.created:' || charge_id, now() "
        "from issuances where amount = 1400",
    )
    answers = await order_at_once(merchant, barrier, [f"k-{number}" for number in range(6)])
    assert [answer.status_code for answer in answers] == [201, 201, 201, 201, 500, 201]
    assert await count(database, "charges") == 5
    assert await count(database, "charges", "amount = 1400") == 0
