"""What refunds do to money that is paid out: by withdrawals, and by repayments."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.withdrawals.balance import roll_up_balances
from gateway.settings import ReceivingMode
from tests import sql
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock
from tests.resolvers.refunds.fixtures import available, order_refund, paid_charge, read, refund
from tests.resolvers.repayments.test_repayments import period, put_live_charges, recorded
from tests.resolvers.withdrawals.fixtures import earn, job, open_account, request_withdrawal

PROOF = "E12345678202611221200abcDEF12345"


async def statement(merchant: Merchant) -> list[tuple[str, float, float]]:
    """The entries, oldest first: kind, amount and the balance after it."""
    entries: Any = await read(merchant, "/statement")
    return [(entry["kind"], entry["amount"], entry["balance_after"]) for entry in reversed(entries)]


async def test_the_statement_has_an_entry_for_each_refund(
    merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    charge = await paid_charge(merchant)
    clock.advance(timedelta(minutes=1))
    await refund(merchant, charge, amount=30)
    clock.advance(timedelta(minutes=1))
    await refund(merchant, charge, amount=20, simulate="rejected")
    assert await statement(merchant) == [
        ("charge_paid", 100.0, 100.0),
        ("refund", -30.0, 70.0),
        ("refund", -20.0, 50.0),
        ("refund_rejected", 20.0, 70.0),
    ]
    await roll_up_balances(job(services))
    clock.advance(timedelta(minutes=1))
    await refund(merchant, charge)
    assert (await statement(merchant))[-1] == ("refund", -70.0, 0.0)
    assert await available(merchant) == (0.0, 0.0)
    found = await read(merchant, "/withdrawals/summary")
    assert (found["gross_amount"], found["charges_count"]) == (0.0, 0)


class TestOwnAccount:
    """The mode `subconta`: the money is on the store's own account."""

    @pytest.fixture
    def services(self, services: Services) -> Services:
        update = {"receiving_mode": ReceivingMode.subconta, "service_fee_fixed": Decimal(1)}
        return replace(services, settings=services.settings.model_copy(update=update))

    @pytest.fixture
    async def api(self, services: Services) -> AsyncIterator[Api]:
        async with Api.of(Gateway(services.settings, services)) as opened:
            yield opened

    @pytest.fixture
    async def shop(self, api: Api) -> Merchant:
        merchant = await api.register_merchant()
        await open_account(merchant)
        return merchant

    async def test_the_fee_comes_back_with_the_whole_amount(self, shop: Merchant, clock: MovedClock) -> None:
        charge = await paid_charge(shop)
        assert await available(shop) == (99.0, 0.0)
        clock.advance(timedelta(minutes=1))
        await refund(shop, charge, amount=40)
        assert await available(shop) == (59.0, 0.0)
        clock.advance(timedelta(minutes=1))
        await refund(shop, charge)
        assert await available(shop) == (0.0, 0.0)
        assert await statement(shop) == [
            ("charge_paid", 99.0, 99.0),
            ("refund", -40.0, 59.0),
            ("charge_refunded", 1.0, 60.0),
            ("refund", -60.0, 0.0),
        ]

    async def test_a_refund_and_a_withdrawal_never_spend_the_same_money(
        self, shop: Merchant, database: Database
    ) -> None:
        [charge_id] = await earn(shop, 100)
        answers = await asyncio.gather(
            request_withdrawal(shop, 99), order_refund(shop, {"id": charge_id}), order_refund(shop, {"id": charge_id})
        )
        assert sum(answer.status_code == 201 for answer in answers) == 1
        refused = {answer.json()["error"]["codigo"] for answer in answers if answer.status_code != 201}
        assert refused <= {"SALDO_INSUFICIENTE", "VALOR_DEVOLVIDO"}
        assert (await available(shop))[0] == 0.0
        orders = "select (select count(*) from simulator_transfers) + (select count(*) from simulator_refunds)"
        assert await sql.value(database, orders) == 1

    async def test_money_that_was_withdrawn_is_not_refunded(self, shop: Merchant) -> None:
        [charge_id] = await earn(shop, 100)
        assert (await request_withdrawal(shop, 60)).status_code == 201
        answer = await order_refund(shop, {"id": charge_id})
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "SALDO_INSUFICIENTE")
        assert answer.json()["error"]["disponivel"] == 40.0
        assert (await refund(shop, {"id": charge_id}, amount=39))["status"] == "completed"


class TestRepayments:
    """The mode `conta_unica`: staff repays what is left, and deducts what was refunded later."""

    @pytest.fixture
    async def staff(self, api: Api, services: Services) -> Merchant:
        return await staff_member(api, services)

    async def test_what_was_refunded_before_is_not_repaid(
        self, services: Services, merchant: Merchant, staff: Merchant, database: Database
    ) -> None:
        charge_id, _ = await put_live_charges(services, merchant, 10_000, 5_000)
        await sql.run(database, "update charges set refunded_amount = 4000 where id = $1", charge_id)
        made = await recorded(staff, period(services, merchant))
        assert (made["gross_amount"], made["charges_count"]) == (110.0, 2)
        await sql.run(database, "update charges set refunded_amount = 5000 where id = $1", charge_id)
        path = f"/admin/repayments/{made['id']}/concluir"
        refused = await staff.api.post(path, {"end_to_end_id": PROOF}, token=staff.token)
        assert refused.status_code == 409, "a part was refunded since it was recorded"

    async def test_what_was_refunded_later_is_deducted_once(
        self, services: Services, merchant: Merchant, staff: Merchant, database: Database, clock: MovedClock
    ) -> None:
        [charge_id] = await put_live_charges(services, merchant, 10_000)
        first = await recorded(staff, period(services, merchant))
        path = f"/admin/repayments/{first['id']}/concluir"
        assert (await staff.api.post(path, {"end_to_end_id": PROOF}, token=staff.token)).status_code == 200
        deducted = []
        for refunded in (2_500, 6_000, 10_000):
            whole = "status = 'refunded', refunded_at = now()," if refunded == 10_000 else ""
            change = f"update charges set {whole} refunded_amount = $2 where id = $1"
            await sql.run(database, change, charge_id, refunded)
            clock.advance(timedelta(seconds=1))
            await put_live_charges(services, merchant, 50_000)
            made = await recorded(staff, period(services, merchant))
            deducted.append((made["gross_amount"], made["deducted_amount"], made["deducted_count"]))
        assert deducted == [(500.0, 25.0, 1), (500.0, 35.0, 1), (500.0, 40.0, 1)]
        paid_out = await sql.value(database, "select sum(gross) - sum(deducted_gross) from repayments")
        assert paid_out == 150_000, "as much as the store received"

    async def test_a_charge_with_a_refund_in_flight_waits(
        self, services: Services, merchant: Merchant, staff: Merchant, database: Database
    ) -> None:
        [charge_id] = await put_live_charges(services, merchant, 10_000)
        add = """
            insert into refunds (id, user_id, environment, charge_id, amount, engine, next_attempt_at, created_at)
            values (uuidv7(), $1, 'live', $2, 1000, 'simulator', now(), now())
        """
        await sql.run(database, add, merchant.id, charge_id)
        refused = await staff.api.post("/admin/repayments", period(services, merchant), token=staff.token)
        assert refused.status_code == 409
        await sql.run(database, "update refunds set status = 'rejected', rejected_at = now()")
        assert (await recorded(staff, period(services, merchant)))["gross_amount"] == 100.0
