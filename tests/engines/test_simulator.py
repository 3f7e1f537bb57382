"""The simulator: its accounts, balances and transfers, changed by simulated notifications."""

import asyncio
from datetime import timedelta
from typing import Any

import orjson
import pytest

from gateway.integrations.engines.errors import (
    EngineMisconfigured,
    EngineRefused,
)
from gateway.integrations.engines.interface import (
    Account,
    AccountStatus,
    Engines,
    EngineState,
    Track,
)
from gateway.integrations.engines.simulator import Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.models.engines import TransferState
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.engine_notifications.process import process_notification
from tests.engines.engine_fixtures import simulator_balance
from tests.engines.sample_requests import COMPANY, new_charge, new_transfer
from tests.fake_clock import MovedClock
from tests.sql import rows


@pytest.fixture
def simulator(engines: Engines) -> Simulator:
    assert isinstance(engines.live, Simulator)
    return engines.live


@pytest.fixture
async def account(simulator: Simulator) -> Account:
    return (await simulator.open_account(COMPANY)).account


async def receive(simulator: Simulator, account: Account | None, amount: int, fee: int = 0) -> None:
    made = await simulator.create_charge(new_charge(amount=amount, fee=fee, account=account))
    await simulator.confirm_test(made.id, account)


async def test_concurrent_charges_are_inserted_in_one_statement(simulator: Simulator, database: Database) -> None:
    """Rows of one statement have the same `xmin`."""
    wanted = [new_charge(amount=100 + number) for number in range(20)]
    made = await asyncio.gather(*(simulator.create_charge(each) for each in wanted))
    inserted = await rows(database, "select id, external_reference, amount, br_code, xmin::text from simulator_charges")
    assert {(row["id"], row["external_reference"], row["amount"], row["br_code"]) for row in inserted} == {
        (charge.id, each.external_reference, each.amount, charge.br_code)
        for charge, each in zip(made, wanted, strict=True)
    }
    assert len({row["xmin"] for row in inserted}) <= 2


async def test_the_id_selects_among_charges_with_one_reference(simulator: Simulator) -> None:
    first, second = [await simulator.create_charge(new_charge(external_reference="pedido-1")) for _ in range(2)]
    payment = {"id": second.id, "externalReference": "pedido-1", "value": second.amount / 100}
    await simulator.apply_notification({"id": "evt_1", "event": "PAYMENT_RECEIVED", "payment": payment})
    states = [charge.state for each in (first, second) if (charge := await simulator.read_charge(each.id))]
    assert states == [EngineState.pending, EngineState.paid]


def account_notice(account: Account, kind: str, **statuses: Any) -> dict[str, Any]:
    status = {"accountStatus": statuses} if statuses else {}
    return {"id": f"evt_{kind}", "event": kind, "account": {"id": account.id}, **status}


def tracks(status: AccountStatus) -> tuple[str, ...]:
    return (status.general, status.commercial, status.bank, status.documents)


async def test_an_account_is_approved_by_notifications(simulator: Simulator, account: Account) -> None:
    new = await simulator.account_status(account)
    assert tracks(new) == ("PENDING", "AWAITING_APPROVAL", "PENDING", "PENDING")
    assert new.documents_link == "https://gateway.test/documents"

    await simulator.apply_notification(account_notice(account, "ACCOUNT_STATUS_DOCUMENT_AWAITING_APPROVAL"))
    sent = await simulator.account_status(account)
    assert (sent.documents, sent.documents_link) == (Track.under_review, None)

    reasons = {"documentation": "REJECTED", "general": "REJECTED", "rejectReasons": "Documento ilegível."}
    await simulator.apply_notification(account_notice(account, "ACCOUNT_STATUS_DOCUMENT_REJECTED", **reasons))
    rejected = await simulator.account_status(account)
    assert (rejected.general, rejected.documents) == (Track.rejected, Track.rejected)
    assert (rejected.rejection, bool(rejected.documents_link)) == ("Documento ilegível.", True)

    await simulator.apply_notification(account_notice(account, "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED"))
    approved = await simulator.account_status(account)
    assert tracks(approved) == ("APPROVED",) * 4
    assert (approved.documents_link, approved.rejection) == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"event": "ACCOUNT_STATUS_COMMERCIAL_INFO_EXPIRING_SOON"},
        {"event": "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", "account": {"id": "another"}},
        {"event": "ACCOUNT_STATUS_DOCUMENT_SOMETHING_NEW", "accountStatus": {"general": "SOMETHING_NEW"}},
    ],
    ids=lambda body: str(body["event"]),
)
async def test_an_irrelevant_notification_changes_no_track(
    simulator: Simulator, account: Account, body: dict[str, Any]
) -> None:
    before = await simulator.account_status(account)
    await simulator.apply_notification({"id": "evt_1", "account": {"id": account.id}, **body})
    assert await simulator.account_status(account) == before


async def test_an_account_requires_its_own_secret(
    simulator: Simulator, account: Account, engines: Engines, database: Database
) -> None:
    for wrong in (Account(account.id, "sim_guessed"), Account("another", account.secret)):
        with pytest.raises(EngineMisconfigured):
            await simulator.create_charge(new_charge(account=wrong))
        with pytest.raises(EngineMisconfigured):
            await simulator.transfer_fee(wrong)
    with pytest.raises(EngineMisconfigured):
        await engines.test.account_status(account)
    assert await rows(database, "select id from simulator_charges") == []
    assert account.secret not in repr(account)
    stored = await rows(database, "select to_jsonb(a)::text as all from simulator_accounts a")
    assert account.secret not in stored[0]["all"]


async def test_a_balance_is_received_minus_split_and_sent(
    simulator: Simulator, account: Account, database: Database
) -> None:
    await receive(simulator, account, 10_000, fee=150)
    await receive(simulator, None, 3_000)
    assert (
        await simulator_balance(database, Environment.live, account),
        await simulator_balance(database, Environment.live),
    ) == (9_850, 3_150)
    sent = await simulator.create_transfer(new_transfer(amount=4_000, account=account))
    assert await simulator_balance(database, Environment.live, account) == 5_850
    await simulator.apply_notification(
        {"id": "e", "event": "TRANSFER_FAILED", "transfer": {"id": sent.id, "failReason": "Chave."}}
    )
    failed = await simulator.read_transfer(sent.id, account)
    assert failed
    assert (failed.state, failed.fail_reason, failed.end_to_end_id) == (TransferState.failed, "Chave.", None)
    assert await simulator_balance(database, Environment.live, account) == 9_850


async def test_concurrent_transfers_never_exceed_the_balance(
    simulator: Simulator, account: Account, database: Database
) -> None:
    await receive(simulator, account, 10_000)
    transfers = [simulator.create_transfer(new_transfer(amount=1_500, account=account)) for _ in range(12)]
    outcomes = await asyncio.gather(*transfers, return_exceptions=True)
    assert sum(isinstance(outcome, EngineRefused) for outcome in outcomes) == 6
    assert await simulator_balance(database, Environment.live, account) == 1_000


async def test_a_finished_transfer_stays_finished(simulator: Simulator, clock: MovedClock) -> None:
    await receive(simulator, None, 10_000)
    ordered_at = clock.now()
    sent = await simulator.create_transfer(new_transfer())
    await simulator.apply_notification({"id": "e1", "event": "TRANSFER_DONE", "transfer": {"id": sent.id}})
    await simulator.apply_notification({"id": "e2", "event": "TRANSFER_CANCELLED", "transfer": {"id": sent.id}})
    found = await simulator.find_transfer(sent.external_reference or "", ordered_at)
    assert found
    assert (found.state, found.fail_reason) == (TransferState.done, None)
    assert found.end_to_end_id
    clock.advance(timedelta(seconds=1))
    assert await simulator.find_transfer(sent.external_reference or "", clock.now()) is None


async def test_the_inbound_handler_applies_notifications_of_accounts_and_transfers(
    services: Services, simulator: Simulator, account: Account
) -> None:
    await receive(simulator, account, 10_000)
    sent = await simulator.create_transfer(new_transfer(account=account))
    ctx = system_context(services, source="engine", request_id="notification")
    for body in (
        account_notice(account, "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED"),
        {"id": "evt_t", "event": "TRANSFER_DONE", "transfer": {"id": sent.id, "status": "DONE"}},
    ):
        await process_notification(ctx, simulator, Environment.live, orjson.dumps(body))
    assert (await simulator.account_status(account)).general is Track.approved
    done = await simulator.read_transfer(sent.id, account)
    assert done
    assert done.state is TransferState.done
