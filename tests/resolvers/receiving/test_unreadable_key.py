"""An account whose key cannot be decrypted delays its own work, but no other store's."""

import pytest
import structlog

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database
from gateway.resolvers.charges.charge_params import DEFAULT_LIFETIME
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services
from gateway.resolvers.receiving.approval import APPROVED_INTERVAL
from gateway.resolvers.receiving.maintenance import FIRST_WAIT, maintain_accounts
from gateway.resolvers.withdrawals.recover import recover_withdrawals
from gateway.resolvers.withdrawals.transitions import FIRST_CHECK_AFTER
from tests import sql
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import account, approved, job, make_key_undecryptable
from tests.resolvers.withdrawals.fixtures import create_withdrawal, earn
from tests.simulators import Bank, with_engine
from tests.subscriptions.fixtures import Biller, counts, put_subscriptions
from tests.subscriptions.test_crashes import stop_with_unfinished_cycles

OTHER_CNPJ = "45.723.174/0001-10"


@pytest.fixture
async def stores(api: Api, merchant: Merchant, database: Database) -> tuple[Merchant, Merchant]:
    """Two stores with accounts. The first, whose key becomes undecryptable, is always processed first."""
    other = await api.register_merchant()
    await approved(merchant)
    await approved(other, cnpj=OTHER_CNPJ)
    return merchant, other


async def test_its_approval_is_checked_later(
    stores: tuple[Merchant, Merchant], services: Services, clock: MovedClock, database: Database
) -> None:
    await make_key_undecryptable(database, stores[0])
    await sql.run(database, "update simulator_accounts set general = 'REJECTED'")
    clock.advance(APPROVED_INTERVAL)
    with structlog.testing.capture_logs() as logged:
        assert await maintain_accounts(job(services)) == 2
    assert [type(line["exc_info"]) for line in logged if line["event"] == "receiving_account_stuck"] == [ValueError]
    assert [(await account(each))["status"] for each in stores] == ["approved", "rejected"]
    assert await maintain_accounts(job(services)) == 0, "not before its time"
    clock.advance(FIRST_WAIT)
    assert await maintain_accounts(job(services)) == 1


async def test_its_issuances_are_recovered_later(
    stores: tuple[Merchant, Merchant], engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    assert isinstance(engines.test, Simulator)
    engines.test.scenario.plan("create_charge", *[Behaviour.timeout_after] * 2)
    engines.test.scenario.plan("find_charge", *[Behaviour.unavailable] * 2)
    for each in stores:
        assert (await each.api.post("/pix", charge_order(), token=each.key)).status_code == 502
    await make_key_undecryptable(database, stores[0])
    clock.advance(ISSUANCE_LEASE)
    assert await recover_issuances(job(services)) == 1
    assert await sql.value(database, "select user_id from issuances") == stores[0].id


async def test_its_withdrawals_are_recovered_later(
    stores: tuple[Merchant, Merchant], services: Services, clock: MovedClock, database: Database
) -> None:
    for each in stores:
        await earn(each, 100)
        await create_withdrawal(each)
    await sql.run(database, "update simulator_transfers set status = 'done'")
    await make_key_undecryptable(database, stores[0])
    clock.advance(FIRST_CHECK_AFTER)
    assert await recover_withdrawals(job(services)) == 1
    assert await sql.value(database, "select user_id from withdrawals where status = 'processing'") == stores[0].id


async def test_its_expired_charges_are_left_at_the_bank(
    stores: tuple[Merchant, Merchant], services: Services, clock: MovedClock, database: Database
) -> None:
    for each in stores:
        await each.issue()
    await make_key_undecryptable(database, stores[0])
    clock.advance(DEFAULT_LIFETIME)
    assert await expire_charges(job(with_engine(services, Bank))) == 2
    query = "select c.user_id, s.status from simulator_charges s join charges c on c.engine_id = s.id order by c.id"
    assert [tuple(row) for row in await sql.rows(database, query)] == [
        (stores[0].id, "PENDING"),
        (stores[1].id, "DELETED"),
    ]


async def test_its_unfinished_cycles_wait(
    stores: tuple[Merchant, Merchant], services: Services, clock: MovedClock, database: Database
) -> None:
    for each in stores:
        await put_subscriptions(database, each.id, [{}], due=clock.now())
    await stop_with_unfinished_cycles(services, clock)
    await make_key_undecryptable(database, stores[0])
    summary = await Biller(services, clock).run()
    assert counts(summary) == {"analisadas": 3, "cobradas": 1, "falhas": 2}, (
        "its unfinished cycle, and the due subscription"
    )
    assert await sql.value(database, "select user_id from charges") == stores[1].id
