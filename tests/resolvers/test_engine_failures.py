"""Engine failures: issuing creates no duplicate and no partial charge, and holds no connection during a call
(contract section 4)."""

import asyncio
from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import (
    EngineCharge,
    Engines,
    NewCharge,
)
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.test_idempotency import count
from tests.simulators import with_engine
from tests.spy_engine import overheard
from tests.sql import run, value


async def post(merchant: Merchant, **changes: Any) -> Any:
    return await merchant.api.post("/pix", charge_order(**changes), token=merchant.key)


async def settle(services: Services) -> int:
    return await recover_issuances(system_context(services, source="job", request_id="settle"))


async def charge_statuses(database: Database) -> list[str]:
    async with database.pool.acquire() as connection:
        rows = await connection.fetch("select status from simulator_charges order by created_at, id")
    return [row["status"] for row in rows]


async def is_empty(database: Database) -> bool:
    left = [await count(database, table) for table in ("charges", "issuances", "webhook_events", "idempotency_keys")]
    return left == [0, 0, 0, 0]


@pytest.mark.parametrize("behaviour", [Behaviour.refuse, Behaviour.unavailable])
async def test_a_refused_creation_writes_nothing(
    merchant: Merchant, engines: Engines, database: Database, behaviour: Behaviour
) -> None:
    engines.test.scenario.plan("create_charge", behaviour)
    response = await post(merchant, external_reference="pedido-1")
    assert response.status_code == 502
    assert set(response.json()["error"]) == {"message"}
    assert "scripted" not in response.text
    assert await is_empty(database)
    assert (await post(merchant, external_reference="pedido-1")).status_code == 201


class WrongAmountEngine(Simulator):
    """A bank that creates a charge with another amount, which its BR Code does not have."""

    async def create_charge(self, wanted: NewCharge) -> EngineCharge:
        return replace(await super().create_charge(wanted), amount=wanted.amount - 1)


async def test_a_charge_with_another_amount_is_canceled(
    merchant: Merchant, services: Services, database: Database
) -> None:
    mistaken = with_engine(services, WrongAmountEngine)
    async with Api.of(Gateway(mistaken.settings, mistaken)) as api:
        answer = await api.post("/pix", charge_order(external_reference="pedido-1"), token=merchant.key)
    assert answer.status_code == 502
    assert await charge_statuses(database) == ["DELETED"]
    assert await is_empty(database)


async def test_a_lost_response_is_looked_up_and_not_sent_again(
    merchant: Merchant, engines: Engines, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    assert (await post(merchant)).status_code == 201
    assert await charge_statuses(database) == ["PENDING"]


async def test_a_duplicate_engine_charge_is_canceled(merchant: Merchant, engines: Engines, database: Database) -> None:
    ordered: list[NewCharge] = []

    async def doubling(call: str, *arguments: Any) -> None:
        ordered.extend(arguments if call == "create_charge" else ())
        if call == "find_charge":
            await engines.test.create_charge(ordered[0])

    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    async with overheard(merchant, doubling) as unlucky:
        assert (await post(unlucky)).status_code == 201
    assert sorted(await charge_statuses(database)) == ["DELETED", "PENDING"]
    remaining = await value(database, "select id from simulator_charges where status = 'PENDING'")
    assert await value(database, "select engine_id from charges") == remaining


async def test_a_charge_that_was_never_created_is_created_once(
    merchant: Merchant, engines: Engines, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_before)
    assert (await post(merchant)).status_code == 201
    assert await charge_statuses(database) == ["PENDING"]


async def test_an_unknown_outcome_waits_for_its_own_engine(
    services: Services, engines: Engines, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    """The operator has chosen another engine meanwhile, which knows nothing of the charge."""
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)
    assert (await post(merchant)).status_code == 502
    assert await value(database, "update issuances set engine = 'asaas' returning engine") == "asaas"
    clock.advance(ISSUANCE_LEASE + timedelta(minutes=1))
    assert await settle(services) == 0
    assert await charge_statuses(database) == ["PENDING"]
    assert await value(database, "update issuances set engine = 'simulator' returning engine") == "simulator"
    clock.advance(timedelta(hours=2))
    assert await settle(services) == 1
    assert await charge_statuses(database) == ["DELETED"]


@pytest.mark.parametrize("look_up", [Behaviour.timeout_before, Behaviour.unavailable, Behaviour.refuse])
async def test_an_unknown_outcome_is_a_502_and_is_canceled_later(
    merchant: Merchant,
    engines: Engines,
    services: Services,
    clock: MovedClock,
    database: Database,
    look_up: Behaviour,
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", look_up)
    assert (await post(merchant, external_reference="pedido-1")).status_code == 502
    assert await count(database, "charges") == 0
    assert await count(database, "issuances") == 1
    assert await settle(services) == 0, "not due yet: the response may still arrive"

    assert (await post(merchant, external_reference="pedido-1")).status_code == 201, (
        "the merchant can retry immediately"
    )

    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await settle(services) == 1
    assert sorted(await charge_statuses(database)) == ["DELETED", "PENDING"]
    assert (await count(database, "issuances"), await count(database, "charges")) == (0, 1)
    assert await count(database, "audit_trail", "action = 'charge.issuance_closed'") == 1
    assert await settle(services) == 0


async def test_a_closed_issuance_is_recorded_in_its_environment(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_before)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)
    assert (await post(merchant)).status_code == 502
    await run(database, "update issuances set environment = 'live'")
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await settle(services) == 1
    recorded = await value(database, "select environment from audit_trail where action = 'charge.issuance_closed'")
    assert recorded == "live"


async def test_recovery_backs_off(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", *[Behaviour.unavailable] * 4)
    await post(merchant)
    closed = []
    for _ in range(4):
        clock.advance(timedelta(hours=1, seconds=1))
        closed.append(await settle(services))
    assert closed == [0, 0, 0, 1]
    assert await charge_statuses(database) == ["DELETED"]


async def test_recovery_continues_after_many_attempts(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable, Behaviour.unavailable)
    await post(merchant)
    async with database.pool.acquire() as connection:
        await connection.execute("update issuances set attempts = 1000")
    clock.advance(timedelta(hours=1))
    assert await settle(services) == 0
    clock.advance(timedelta(hours=1, seconds=1))
    assert await settle(services) == 1


@pytest.mark.parametrize("settlers", [8])
async def test_concurrent_recoveries_close_it_once(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database, settlers: int
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)
    await post(merchant)
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert sum(await asyncio.gather(*(settle(services) for _ in range(settlers)))) == 1
    assert await count(database, "audit_trail", "action = 'charge.issuance_closed'") == 1


async def test_the_txid_is_drawn_before_the_order_and_becomes_the_charges(
    merchant: Merchant, engines: Engines, database: Database
) -> None:
    txids: list[str] = []

    async def recording(call: str, *arguments: Any) -> None:
        if call == "create_charge":
            txids.append(arguments[0].txid)
            assert await value(database, "select txid from issuances") == txids[0]
        if call == "find_charge":
            txids.append(arguments[1])

    engines.test.scenario.plan("create_charge", Behaviour.timeout_before)
    async with overheard(merchant, recording) as watched:
        response = await post(watched)
    assert txids == [response.json()["data"]["txid"]] * 3, "ordered, looked up, ordered again"


async def test_an_invalid_br_code_is_canceled_immediately(
    merchant: Merchant, engines: Engines, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.bad_code)
    assert (await post(merchant)).status_code == 502
    assert await charge_statuses(database) == ["DELETED"]
    assert await is_empty(database)


async def test_a_failed_cancellation_of_an_invalid_br_code_is_retried_later(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    engines.test.scenario.plan("create_charge", Behaviour.bad_code)
    engines.test.scenario.plan("cancel_charge", Behaviour.unavailable)
    assert (await post(merchant)).status_code == 502
    assert (await charge_statuses(database), await count(database, "charges")) == (["PENDING"], 0)
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await settle(services) == 1
    assert await charge_statuses(database) == ["DELETED"]


async def test_an_issuer_slower_than_the_recovery_gives_up(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    async def slow(call: str, *_: object) -> None:
        if call == "create_charge":
            clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
            assert await settle(services) == 1, "the charge did not exist yet"

    async with overheard(merchant, slow) as unlucky:
        assert (await post(unlucky)).status_code == 502
    assert await charge_statuses(database) == ["DELETED"]
    assert await is_empty(database)


async def test_an_unexpected_failure_is_a_500_and_is_recovered_later(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("segredo do provedor")

    async with overheard(merchant, broken) as unlucky:
        response = await unlucky.api.post("/pix", charge_order(), token=merchant.key, idempotency_key="k")
    assert response.status_code == 500
    assert response.json()["error"]["id"] == response.headers["x-request-id"]
    assert "segredo" not in response.text
    assert await count(database, "idempotency_keys") == 0
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await settle(services) == 1
    assert await is_empty(database)


@pytest.mark.parametrize("method", ["create_charge", "find_charge", "read_charge", "confirm_test", "cancel_charge"])
async def test_no_connection_is_held_during_an_engine_call(
    merchant: Merchant, engines: Engines, database: Database, method: str
) -> None:
    seen: dict[str, set[tuple[int, int]]] = defaultdict(set)
    pool = database.pool

    async def watching(call: str, *_: object) -> None:
        busy = len(pool._busy)
        async with pool.acquire() as connection:
            waiting = await connection.fetchval(
                "select count(*) from pg_stat_activity where datname = current_database()"
                " and state like 'idle in transaction%'"
            )
        seen[call].add((busy, waiting))

    if method == "find_charge":
        engines.test.scenario.plan("create_charge", Behaviour.timeout_before)
    if method == "cancel_charge":
        engines.test.scenario.plan("create_charge", Behaviour.bad_code)
    key = {"idempotency_key": "k"}
    async with overheard(merchant, watching) as watched:
        response = await watched.api.post("/pix", charge_order(external_reference="r"), token=merchant.key, **key)
        if response.status_code == 201:
            await watched.pay(response.json()["data"]["id"])
    assert method in seen
    assert set.union(*seen.values()) == {(0, 0)}


@pytest.mark.parametrize(
    ("method", "behaviour"),
    [
        ("confirm_test", Behaviour.refuse),
        ("confirm_test", Behaviour.timeout_before),
        ("read_charge", Behaviour.unavailable),
    ],
)
async def test_a_simulated_payment_that_fails_is_a_502_and_can_be_repeated(
    merchant: Merchant, engines: Engines, database: Database, method: str, behaviour: Behaviour
) -> None:
    charge = await merchant.issue()
    engines.test.scenario.plan(method, behaviour)
    failed = await merchant.api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.key)
    assert failed.status_code == 502
    assert (await merchant.pay(charge["id"]))["status"] == "paid"
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 1


async def test_a_payment_of_another_amount_leaves_the_charge_pending(
    merchant: Merchant, engines: Engines, database: Database
) -> None:
    charge = await merchant.issue()
    engines.test.scenario.plan("confirm_test", Behaviour.wrong_amount)
    assert (await merchant.pay(charge["id"]))["status"] == "pending"
    assert await count(database, "engine_notifications", "outcome = 'mismatch'") == 1
    assert await count(database, "webhook_events", "type = 'charge.paid'") == 0
