"""Retries with the same `Idempotency-Key` after failed, interrupted or concurrent orders (docs/idempotency.md)."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.core.idempotency import LEASE
from tests.api_client import PAYER, Merchant, charge_order
from tests.catalogue.fixtures import CPFS, a_coupon, a_link, a_product, payer, uses_of
from tests.fake_clock import MovedClock
from tests.models.test_pool import until
from tests.resolvers.test_engine_failures import charge_statuses, settle
from tests.resolvers.test_idempotency import Holding, count, issue
from tests.spy_engine import overheard, overhearing
from tests.sql import value

Send = Callable[[Merchant], Awaitable[Any]]
KEY = {"idempotency_key": "pedido-1"}
SOON = timedelta(seconds=1)


def summary(answer: Any) -> tuple[int, str | None, str | None, bool]:
    """Status, `codigo`, the `id` in the error, and whether the response was replayed."""
    error = answer.json().get("error", {})
    return answer.status_code, error.get("codigo"), error.get("id"), "idempotent-replayed" in answer.headers


async def with_the_last_use(merchant: Merchant, what: str) -> tuple[str, Send, Send]:
    """The path of a single-use coupon or link, and two orders: one with a key, and one of another payer."""
    if what == "coupon":
        product, coupon = await a_product(merchant), await a_coupon(merchant, max_uses=1)
        order = {"product_id": product["id"], "coupon_code": "PROMO10", **PAYER}
        return (
            f"/coupons/{coupon['id']}",
            lambda who: who.api.post("/pix", order, token=who.key, **KEY),
            lambda who: who.api.post("/pix", order | {"customer_cpf": CPFS[1]}, token=who.key),
        )
    link = await a_link(merchant, max_uses=1)
    path = f"/checkout/link/{link['slug']}/pay"
    return (
        f"/payment-links/{link['id']}",
        lambda who: who.api.post(path, payer(), **KEY),
        lambda who: who.api.post(path, payer(cpf=CPFS[1])),
    )


async def killed(merchant: Merchant, send: Send) -> None:
    """Send an order whose process dies during the engine call."""
    slow = Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        order = asyncio.ensure_future(send(blocked))
        await slow.reached.wait()
        order.cancel()
        with suppress(asyncio.CancelledError):
            await order


async def test_an_order_with_an_unexpected_error_can_be_retried_immediately(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    """The engine has created the charge, and the order fails before it is stored."""

    async def breaking(call: str, *_: object) -> None:
        if call == "find_charge":
            raise RuntimeError("broken")

    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    async with overheard(merchant, breaking) as unlucky:
        assert (await issue(unlucky, "pedido-1", external_reference="pedido-1")).status_code == 500
    retried = await issue(merchant, "pedido-1", external_reference="pedido-1")
    assert summary(retried) == (201, None, None, False)
    clock.advance(ISSUANCE_LEASE + SOON)
    assert await settle(services) == 1
    assert sorted(await charge_statuses(database)) == ["DELETED", "PENDING"]
    assert await count(database, "charges") == 1
    assert (await issue(merchant, "pedido-1", external_reference="pedido-1")).content == retried.content


async def test_an_order_with_a_lost_connection_can_be_retried_immediately(
    merchant: Merchant, database: Database
) -> None:
    """The connection is closed during the insert, as by a restart of PostgreSQL."""
    waiting = "datname = current_database() and wait_event_type = 'Lock'"

    async def someone_waits() -> bool:
        return await value(database, f"select exists(select from pg_stat_activity where {waiting})")

    async with database.transaction() as transaction:
        await transaction.connection.execute("lock table charges in exclusive mode")
        order = asyncio.create_task(issue(merchant, "pedido-1", external_reference="pedido-1"))
        await until(someone_waits)
        await value(database, f"select pg_terminate_backend(pid) from pg_stat_activity where {waiting}")
        assert (await order).status_code == 500
    assert summary(await issue(merchant, "pedido-1", external_reference="pedido-1")) == (201, None, None, False)


@pytest.mark.parametrize("what", ["coupon", "link"])
async def test_after_an_unknown_outcome_the_last_use_is_available_again(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database, what: str
) -> None:
    path, send, _ = await with_the_last_use(merchant, what)
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)
    assert (await send(merchant)).status_code == 502
    assert await uses_of(merchant, path) == 0
    retried = await send(merchant)
    assert summary(retried) == (201, None, None, False)
    clock.advance(ISSUANCE_LEASE + SOON)
    assert await settle(services) == 1
    assert sorted(await charge_statuses(database)) == ["DELETED", "PENDING"]
    assert (await count(database, "charges"), await uses_of(merchant, path)) == (1, 1), "nothing was released twice"


async def test_an_interrupted_order_reserves_its_reference_until_recovery(
    merchant: Merchant, services: Services, clock: MovedClock, database: Database
) -> None:
    async def send(who: Merchant) -> Any:
        return await issue(who, "pedido-1", external_reference="pedido-1")

    await killed(merchant, send)
    assert summary(await send(merchant)) == (409, "IDEMPOTENCIA_EM_ANDAMENTO", None, False)
    clock.advance(LEASE + SOON)
    assert summary(await send(merchant)) == (409, "REFERENCIA_DUPLICADA", None, False), "there is no charge to name"
    clock.advance(ISSUANCE_LEASE)
    assert await settle(services) == 1
    assert summary(await send(merchant)) == (201, None, None, False)
    assert await count(database, "charges") == 1


@pytest.mark.parametrize(("what", "refusal"), [("coupon", (400, "CUPOM_ESGOTADO")), ("link", (410, "LINK_ENCERRADO"))])
async def test_an_interrupted_order_reserves_its_use_until_recovery(
    merchant: Merchant,
    services: Services,
    clock: MovedClock,
    database: Database,
    what: str,
    refusal: tuple[int, str],
) -> None:
    path, send, other = await with_the_last_use(merchant, what)
    await killed(merchant, other)
    assert summary(await send(merchant)) == (*refusal, None, False)
    clock.advance(ISSUANCE_LEASE + SOON)
    assert await settle(services) == 1
    assert summary(await send(merchant)) == (201, None, None, False)
    assert (await count(database, "charges"), await uses_of(merchant, path)) == (1, 1)


@pytest.mark.parametrize("what", ["coupon", "link"])
async def test_an_error_about_uses_of_paid_charges_is_stored(merchant: Merchant, what: str) -> None:
    _, send, other = await with_the_last_use(merchant, what)
    holder = (await other(merchant)).json()["data"]
    await merchant.api.post(f"/checkout/{holder['txid']}/simular-pagamento")
    first, again = await send(merchant), await send(merchant)
    assert (first.status_code, summary(first)[3], summary(again)[3]) == (400 if what == "coupon" else 410, False, True)
    assert again.content == first.content


@pytest.mark.parametrize("what", ["coupon", "link"])
async def test_an_error_about_a_reserved_use_is_not_stored(merchant: Merchant, clock: MovedClock, what: str) -> None:
    _, send, other = await with_the_last_use(merchant, what)
    assert (await other(merchant)).status_code == 201
    refused = [await send(merchant) for _ in range(2)]
    assert [summary(answer)[3] for answer in refused] == [False, False]
    assert all(answer.json()["error"]["reservado_ate"] for answer in refused)
    clock.advance(timedelta(hours=25))
    assert (await send(merchant)).status_code == 201


async def test_the_limit_per_customer_counts_orders_in_progress_temporarily(
    merchant: Merchant, engines: Engines
) -> None:
    product = await a_product(merchant)
    await a_coupon(merchant, max_uses_per_customer=1)
    order = {"product_id": product["id"], "coupon_code": "PROMO10"}
    slow = Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        first = asyncio.create_task(blocked.api.post("/pix", charge_order(**order), token=merchant.key))
        await slow.reached.wait()
        assert summary(await issue(merchant, "k", **order)) == (400, "CUPOM_ESGOTADO", None, False)
        engines.test.scenario.plan("create_charge", Behaviour.refuse)
        slow.let_go.set()
        assert (await first).status_code == 502
    assert summary(await issue(merchant, "k", **order)) == (201, None, None, False)
    await merchant.pay((await issue(merchant, "k", **order)).json()["data"]["id"])
    assert summary(await issue(merchant, "l", **order)) == (400, "CUPOM_ESGOTADO", None, False)
    assert summary(await issue(merchant, "l", **order)) == (400, "CUPOM_ESGOTADO", None, True)


@pytest.mark.parametrize("ends", ["well", "badly"])
async def test_an_error_about_a_reference_in_progress_is_not_stored(
    merchant: Merchant, database: Database, ends: str
) -> None:
    slow = Holding()

    async def on_call(call: str, *_: object) -> None:
        await slow.on_call()
        if call == "create_charge" and ends == "badly":
            raise EngineRefused("no")

    async with overheard(merchant, on_call) as blocked:
        first = asyncio.create_task(issue(blocked, "first", external_reference="pedido-1"))
        await slow.reached.wait()
        during = await issue(merchant, "second", external_reference="pedido-1")
        slow.let_go.set()
        holder = await first
    assert summary(during) == (409, "REFERENCIA_DUPLICADA", None, False)
    assert "sendo emitida" in during.json()["error"]["message"]
    after = [summary(await issue(merchant, "second", external_reference="pedido-1")) for _ in range(2)]
    if ends == "badly":
        assert holder.status_code == 502
        assert after == [(201, None, None, False), (201, None, None, True)]
    else:
        named = holder.json()["data"]["id"]
        assert after == [(409, "REFERENCIA_DUPLICADA", named, replayed) for replayed in (False, True)]
    assert await count(database, "charges") == 1


async def test_an_order_that_timed_out_behind_an_equal_one_can_be_retried(
    merchant: Merchant, database: Database
) -> None:
    link = await a_link(merchant)
    path, slow = f"/checkout/link/{link['slug']}/pay", Holding()
    async with overheard(merchant, slow.on_call) as blocked:
        first = asyncio.create_task(blocked.api.post(path, payer()))
        await slow.reached.wait()
        waited = await merchant.api.post(path, payer(), **KEY)
        slow.let_go.set()
        charge = (await first).json()["data"]
    assert summary(waited) == (409, None, None, False)
    again = await merchant.api.post(path, payer(), **KEY)
    assert (again.status_code, again.json()["data"]["txid"]) == (201, charge["txid"])
    assert await count(database, "charges") == 1


async def test_an_issuer_gives_up_when_recovery_cancels_its_charge(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    """Recovery has found the charge and is about to cancel it, so it must not be returned."""
    slow = Holding()
    answers: list[Any] = []

    async def hold(call: str, *_: object) -> None:
        if call == "find_charge":
            await slow.on_call()

    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)
    async with overheard(merchant, hold) as blocked:
        issuer = asyncio.create_task(issue(blocked, "pedido-1", external_reference="pedido-1"))
        await slow.reached.wait()

        async def wake(call: str, *_: object) -> None:
            if call == "cancel_charge" and not answers:
                slow.let_go.set()
                answers.append(await issuer)

        clock.advance(ISSUANCE_LEASE + SOON)
        job = system_context(overhearing(services, wake), source="job", request_id="settle")
        assert await recover_issuances(job) == 1
    assert [summary(answer) for answer in answers] == [(502, None, None, False)]
    assert await charge_statuses(database) == ["DELETED"]
    assert (await count(database, "charges"), await count(database, "issuances")) == (0, 0)
    assert summary(await issue(merchant, "pedido-1", external_reference="pedido-1")) == (201, None, None, False)
