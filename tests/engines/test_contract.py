"""The contract of the engine interface: the same cases for every engine, less those of capabilities that it lacks."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.integrations.engines.br_code import check
from gateway.integrations.engines.errors import (
    AccountExists,
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import (
    Account,
    Engine,
    EngineCharge,
    EngineRefund,
    EngineState,
    ListsPayments,
    NewCharge,
    NewRefund,
    Subject,
)
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.engines import Track, TransferState
from gateway.values.engine_capabilities import Capability
from gateway.values.ids import Id, new_txid
from tests.engines.engine_fixtures import EngineHarness, needs, of
from tests.engines.sample_requests import COMPANY, PAYER, new_charge, new_refund, new_transfer
from tests.fake_clock import MovedClock

EVERYTHING = needs(Capability.accounts, Capability.transfers)


async def notify(engine: Engine, notification: dict[str, Any] | None) -> None:
    """Apply a notification as the inbound handler does."""
    if notification is not None and not engine.has_bank:
        await engine.apply_notification(notification)


async def notify_by_id(harness: EngineHarness, charge: EngineCharge) -> None:
    """Pay and notify a charge that shares its reference with others."""
    notification = await harness.pay(charge.id)
    assert notification
    notification["payment"].pop("externalReference")
    await notify(harness.engine, notification)


async def open_account(harness: EngineHarness) -> Account:
    return (await harness.engine.open_account(COMPANY)).account


async def fund(harness: EngineHarness, amount: int, account: Account | None = None) -> None:
    made = await harness.engine.create_charge(new_charge(amount=amount + harness.fee, account=account))
    await notify(harness.engine, await harness.pay(made.id))


async def paid_charge(harness: EngineHarness, wanted: NewCharge | None = None) -> EngineCharge:
    """A paid charge, with its EndToEndId."""
    wanted = wanted or new_charge()
    made = await harness.engine.create_charge(wanted)
    await notify(harness.engine, await harness.pay(made.id))
    read = await harness.engine.read_charge(made.id, wanted.account)
    assert read
    assert read.end_to_end_id
    return read


async def refund_of(harness: EngineHarness, wanted: NewRefund) -> EngineRefund:
    """The charge's refund with the reference of a request."""
    refunds = await harness.engine.list_refunds(wanted.charge_id, wanted.end_to_end_id, wanted.account)
    [found] = [refund for refund in refunds if refund.external_reference == wanted.external_reference]
    return found


async def refund(harness: EngineHarness, wanted: NewRefund, *, well: bool = True) -> EngineRefund:
    """Order a refund, and let the bank end it. A bank may do so at once."""
    ordered = await harness.engine.create_refund(replace(wanted, simulate_rejection=not well))
    assert (ordered.external_reference, ordered.amount) == (wanted.external_reference, wanted.amount)
    await harness.finish_refund(wanted.charge_id, well=well)
    ended = await refund_of(harness, wanted)
    assert ordered.state in {TransferState.pending, ended.state}
    return ended


# ---- Charges

ORDERS = {
    "an ordinary one": {},
    "the smallest": {"amount": 500},
    "the largest": {"amount": 999_999_999},
    "one that no double holds": {"amount": 110_01},
    "a long description": {"description": "ç" * 2_000},
    "a numeric CNPJ pays": {"payer": replace(PAYER, document="11222333000181")},
    "an alphanumeric CNPJ pays": {"payer": replace(PAYER, document="12ABC34501DE35")},
    "a payer without name, mail and phone": {"payer": replace(PAYER, name="", email=None, phone=None)},
    "a merchant name without a valid character": {"merchant_name": "東京"},
    "already past its time": {"expires_at": datetime.now(UTC) - timedelta(seconds=50)},
    "due after it has expired": {"due_date": datetime.now(UTC) + timedelta(days=90)},
    "due long ago": {"due_date": datetime(1901, 1, 1, tzinfo=UTC)},
    "years away": {"expires_at": datetime.now(UTC) + timedelta(days=1800)},
}


@pytest.mark.parametrize("changes", ORDERS.values(), ids=ORDERS)
async def test_a_charge_is_created_as_requested(harness: EngineHarness, changes: dict[str, Any]) -> None:
    wanted = new_charge(**changes)
    made = await harness.engine.create_charge(wanted)
    check(made.br_code, amount=wanted.amount)
    assert (made.external_reference, made.amount, made.state) == (
        wanted.external_reference,
        wanted.amount,
        EngineState.pending,
    )
    assert (made.paid_amount, made.paid_at, made.end_to_end_id) == (None, None, None)
    assert await harness.engine.find_charge(wanted.external_reference, wanted.txid) == made
    read = await harness.engine.read_charge(made.id)
    assert read
    assert (read.id, read.amount, read.state) == (made.id, wanted.amount, EngineState.pending)
    assert read.external_reference in {None, wanted.external_reference}


async def test_a_payment_is_read_with_its_end_to_end_id(harness: EngineHarness, clock: MovedClock) -> None:
    wanted = new_charge()
    made = await harness.engine.create_charge(wanted)
    notification = await harness.pay(made.id)
    assert notification
    await notify(harness.engine, notification)
    [parsed] = harness.engine.parse_notifications(notification)
    assert (parsed.subject, parsed.state, parsed.engine_id, parsed.amount) == (
        Subject.charge,
        EngineState.paid,
        made.id,
        made.amount,
    )
    assert parsed.external_reference in {None, made.external_reference}
    read = await harness.engine.read_charge(made.id)
    assert read
    assert (read.state, read.paid_amount) == (EngineState.paid, made.amount)
    assert len(read.end_to_end_id or "") == 32
    assert read.paid_at
    assert abs(read.paid_at - clock.now()) < timedelta(minutes=5)
    found = await harness.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert found.state is EngineState.paid


async def test_a_test_payment_can_be_confirmed(harness: EngineHarness) -> None:
    made = await harness.engine.create_charge(new_charge())
    body = await harness.engine.confirm_test(made.id)
    assert body
    read = await harness.engine.read_charge(made.id)
    assert read
    assert (read.state, read.paid_amount) == (EngineState.paid, made.amount)


async def test_cancelling_is_idempotent_and_keeps_a_paid_charge(harness: EngineHarness) -> None:
    made = await harness.engine.create_charge(new_charge())
    await harness.engine.cancel_charge(made.id)
    await harness.engine.cancel_charge(made.id)
    read = await harness.engine.read_charge(made.id)
    assert read
    assert read.state is EngineState.retired
    paid = await harness.engine.create_charge(new_charge())
    await notify(harness.engine, await harness.pay(paid.id))
    await harness.engine.cancel_charge(paid.id)
    unchanged = await harness.engine.read_charge(paid.id)
    assert unchanged
    assert unchanged.state is EngineState.paid


# ---- Unknown ids

NO_ID = "00000000-0000-7000-8000-000000000000"
ABSENT: dict[str, tuple[Callable[[Engine], Awaitable[object]], object]] = {
    "find_charge": (lambda engine: engine.find_charge(NO_ID, new_txid(Id(NO_ID))), None),
    "read_charge": (lambda engine: engine.read_charge("pay_none"), None),
    "read_charge, an id that is no path": (lambda engine: engine.read_charge("../customers?x=1#"), None),
    "cancel_charge": (lambda engine: engine.cancel_charge("pay_none"), None),
    "confirm_test": (lambda engine: engine.confirm_test("pay_none"), EngineRefused),
    "list_refunds": (lambda engine: engine.list_refunds("pay_none", None), EngineRefused),
    "list_refunds, with an EndToEndId": (lambda engine: engine.list_refunds("pay_none", "E" * 32), EngineRefused),
    "create_refund": (
        lambda engine: engine.create_refund(NewRefund(NO_ID, "pay_none", "E" * 32, 100)),
        EngineRefused,
    ),
}
ABSENT_OF_CAPABILITY: dict[str, tuple[Callable[[Engine], Awaitable[object]], object]] = {
    "find_transfer": (lambda engine: engine.find_transfer("none", datetime.now(UTC)), None),
    "read_transfer": (lambda engine: engine.read_transfer("none"), None),
    "an account's charge": (lambda engine: engine.read_charge("pay_none", Account("a", "wrong")), EngineMisconfigured),
    "an account": (lambda engine: engine.account_status(Account("a", "wrong")), EngineMisconfigured),
}


@pytest.mark.parametrize(
    ("read", "outcome"),
    [
        *(pytest.param(*case, id=name) for name, case in ABSENT.items()),
        *(pytest.param(*case, id=name, marks=EVERYTHING) for name, case in ABSENT_OF_CAPABILITY.items()),
    ],
)
async def test_unknown_ids_return_none_or_are_refused(
    harness: EngineHarness, read: Callable[[Engine], Awaitable[object]], outcome: Any
) -> None:
    if outcome is None:
        assert await read(harness.engine) is None
    else:
        with pytest.raises(outcome):
            await read(harness.engine)
    assert harness.engine.responding, "a 404 or a merchant's wrong key is a response"


# ---- Failures: the error of each method, and the objects at the bank

READS: dict[str, Callable[[Engine, EngineCharge, str], Awaitable[object]]] = {
    "find_charge": lambda engine, charge, txid: engine.find_charge(charge.external_reference or "", txid),
    "read_charge": lambda engine, charge, _: engine.read_charge(charge.id),
    "find_account": lambda engine, *_: engine.find_account(COMPANY.document),
    "transfer_fee": lambda engine, *_: engine.transfer_fee(),
    "find_transfer": lambda engine, *_: engine.find_transfer("x", datetime.now(UTC)),
    "read_transfer": lambda engine, *_: engine.read_transfer("x"),
    "list_refunds": lambda engine, charge, _: engine.list_refunds(charge.id, charge.end_to_end_id),
}
WRITES: dict[str, Callable[[Engine, EngineCharge], Awaitable[object]]] = {
    "create_charge": lambda engine, _: engine.create_charge(new_charge()),
    "open_account": lambda engine, _: engine.open_account(COMPANY),
    "create_transfer": lambda engine, _: engine.create_transfer(new_transfer(amount=100)),
    "create_refund": lambda engine, charge: engine.create_refund(new_refund(charge, amount=100)),
}
CAPABILITY_OF = {
    "open_account": Capability.accounts,
    "find_account": Capability.accounts,
    "transfer_fee": Capability.transfers,
    "create_transfer": Capability.transfers,
    "find_transfer": Capability.transfers,
    "read_transfer": Capability.transfers,
    "create_refund": Capability.refunds,
    "list_refunds": Capability.refunds,
}


def methods(names: Iterable[str]) -> list[Any]:
    """Parameters with the capability that each method needs."""
    marks = {name: [needs(CAPABILITY_OF[name])] if name in CAPABILITY_OF else [] for name in names}
    return [pytest.param(name, marks=marks[name]) for name in names]


OBJECTS = {
    "create_charge": "charges",
    "open_account": "accounts",
    "create_transfer": "transfers",
    "create_refund": "refunds",
}


@pytest.mark.parametrize("how", [Behaviour.unavailable, Behaviour.timeout_before])
@pytest.mark.parametrize("method", methods(READS))
async def test_a_read_without_response_is_an_error(harness: EngineHarness, method: str, how: Behaviour) -> None:
    wanted = new_charge()
    made = await paid_charge(harness, wanted)
    harness.plan(method, how)
    with pytest.raises(EngineError):
        await READS[method](harness.engine, made, wanted.txid)
    assert not harness.engine.responding
    await READS[method](harness.engine, made, wanted.txid)
    assert harness.engine.responding


REFUSALS: list[tuple[Behaviour, tuple[type[EngineError], ...], int]] = [
    (Behaviour.refuse, (EngineRefused,), 0),
    (Behaviour.unavailable, (EngineUnavailable, EngineOutcomeUnknown), 0),
    (Behaviour.timeout_before, (EngineOutcomeUnknown,), 0),
    (Behaviour.timeout_after, (EngineOutcomeUnknown, AccountExists), 1),
]


@pytest.mark.parametrize(("how", "errors", "created"), REFUSALS, ids=[how for how, _, _ in REFUSALS])
@pytest.mark.parametrize("method", methods(WRITES))
async def test_a_failed_write_reports_if_the_object_may_exist(
    harness: EngineHarness, method: str, how: Behaviour, errors: tuple[type[EngineError], ...], created: int
) -> None:
    charge = await paid_charge(harness)
    before = await harness.count(OBJECTS[method])
    harness.plan(method, how)
    with pytest.raises(errors):
        await WRITES[method](harness.engine, charge)
    assert await harness.count(OBJECTS[method]) == before + created
    assert harness.engine.responding is (
        how is Behaviour.refuse or (method == "open_account" and harness.engine.has_bank)
    )


async def test_a_charge_with_a_lost_response_is_found(harness: EngineHarness) -> None:
    wanted = new_charge()
    harness.plan("create_charge", Behaviour.timeout_after)
    with pytest.raises(EngineOutcomeUnknown):
        await harness.engine.create_charge(wanted)
    found = await harness.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    check(found.br_code, amount=wanted.amount)


@of("simulator", "asaas")
async def test_a_charge_is_found_with_its_duplicates(harness: EngineHarness) -> None:
    wanted = new_charge()
    made = [await harness.engine.create_charge(wanted) for _ in range(4)]
    found = await harness.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert {found.id, *found.duplicates} == {charge.id for charge in made}
    assert (len(found.duplicates), found.state) == (3, EngineState.pending)
    check(found.br_code, amount=wanted.amount)

    paid, retired = made[1], made[3]
    await harness.engine.cancel_charge(retired.id)
    await notify_by_id(harness, paid)
    found = await harness.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert (found.id, found.state) == (paid.id, EngineState.paid)
    assert sorted(found.duplicates) == sorted([made[0].id, made[2].id])
    for engine_id in found.duplicates:
        await harness.engine.cancel_charge(engine_id)
    found = await harness.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert (found.id, found.duplicates) == (paid.id, ())


@needs(Capability.transfers)
async def test_a_transfer_with_a_lost_response_is_found(harness: EngineHarness, clock: MovedClock) -> None:
    await fund(harness, 10_000)
    wanted, ordered_at = new_transfer(), clock.now()
    harness.plan("create_transfer", Behaviour.timeout_after)
    with pytest.raises(EngineOutcomeUnknown):
        await harness.engine.create_transfer(wanted)
    found = await harness.engine.find_transfer(wanted.external_reference, ordered_at)
    assert found
    assert (found.amount, found.state) == (wanted.amount, TransferState.pending)


@needs(Capability.accounts)
async def test_an_account_with_a_lost_response_is_never_created_twice(harness: EngineHarness) -> None:
    harness.plan("open_account", Behaviour.timeout_after)
    with pytest.raises((EngineOutcomeUnknown, AccountExists)):
        await harness.engine.open_account(COMPANY)
    with pytest.raises(AccountExists) as refusal:
        await harness.engine.open_account(COMPANY)
    assert refusal.value.account_id == await harness.engine.find_account(COMPANY.document)
    assert not refusal.value.just_created
    assert await harness.count("accounts") == 1


# ---- Merchants' accounts


@needs(Capability.accounts)
async def test_an_account_is_opened_and_approved(harness: EngineHarness) -> None:
    assert await harness.engine.find_account(COMPANY.document) is None
    new = await harness.engine.open_account(COMPANY)
    assert await harness.engine.find_account(COMPANY.document) == new.account.id
    assert new.webhook_registered
    assert new.account.id
    assert new.account.secret
    assert new.wallet_id
    new_status = await harness.engine.account_status(new.account)
    assert new_status.general is Track.missing
    assert new_status.documents is Track.missing
    assert (new_status.documents_link or "").startswith("https://")
    notification = await harness.approve(new.account)
    assert notification
    await notify(harness.engine, notification)
    [parsed] = harness.engine.parse_notifications(notification)
    assert (parsed.subject, parsed.account_id, parsed.state) == (Subject.account, new.account.id, None)
    approved = await harness.engine.account_status(new.account)
    assert {approved.general, approved.commercial, approved.bank, approved.documents} == {Track.approved}
    assert approved.documents_link is None


@EVERYTHING
async def test_the_fee_of_a_merchants_charge_goes_to_the_main_account(harness: EngineHarness) -> None:
    account = await open_account(harness)
    made = await harness.engine.create_charge(new_charge(amount=10_000, fee=150, account=account))
    assert await harness.engine.read_charge(made.id, account)
    await notify(harness.engine, await harness.pay(made.id))
    assert await harness.balance(account) == 10_000 - 150 - harness.fee
    assert await harness.balance() == 150


async def test_the_webhook_can_be_registered_again(harness: EngineHarness) -> None:
    accounts = [await open_account(harness)] if Capability.accounts in harness.engine.capabilities else []
    for account in (None, None, *accounts, *accounts):
        await harness.engine.register_webhook(account)


async def test_methods_of_an_absent_capability_are_refused(harness: EngineHarness) -> None:
    absent = [name for name, capability in CAPABILITY_OF.items() if capability not in harness.engine.capabilities]
    charge = await harness.engine.create_charge(new_charge())
    for name in absent:
        with pytest.raises(EngineRefused):
            await (WRITES[name](harness.engine, charge) if name in WRITES else READS[name](harness.engine, charge, ""))
    assert harness.engine.responding


# ---- Money out


@needs(Capability.transfers)
async def test_a_transfer_is_created_and_completed(harness: EngineHarness) -> None:
    await fund(harness, 10_000)
    ordered = await harness.engine.create_transfer(new_transfer(amount=4_000))
    assert (ordered.amount, ordered.state) == (4_000, TransferState.pending)
    assert await harness.balance() == 6_000
    notification = await harness.finish(ordered.id, well=True)
    assert notification
    await notify(harness.engine, notification)
    [parsed] = harness.engine.parse_notifications(notification)
    assert (parsed.subject, parsed.engine_id, parsed.state) == (Subject.transfer, ordered.id, None)
    done = await harness.engine.read_transfer(ordered.id)
    assert done
    assert (done.state, done.fail_reason) == (TransferState.done, None)
    assert len(done.end_to_end_id or "") == 32


@EVERYTHING
async def test_a_failed_transfer_has_a_reason_and_returns_the_money(harness: EngineHarness) -> None:
    account = await open_account(harness)
    await fund(harness, 10_000, account)
    ordered = await harness.engine.create_transfer(new_transfer(account=account))
    await notify(harness.engine, await harness.finish(ordered.id, well=False))
    failed = await harness.engine.read_transfer(ordered.id, account)
    assert failed
    assert (failed.state, bool(failed.fail_reason)) == (TransferState.failed, True)
    assert await harness.balance(account) == 10_000


@EVERYTHING
async def test_a_transfer_can_be_cancelled_until_it_is_done(harness: EngineHarness) -> None:
    account = await open_account(harness)
    await fund(harness, 10_000, account)
    ordered = await harness.engine.create_transfer(new_transfer(account=account))
    canceled = await harness.engine.cancel_transfer(ordered.id, account)
    assert (canceled.id, canceled.state) == (ordered.id, TransferState.failed)
    assert await harness.balance(account) == 10_000
    done = await harness.engine.create_transfer(new_transfer(account=account))
    await notify(harness.engine, await harness.finish(done.id, well=True))
    for refused in (ordered.id, done.id, "unknown"):
        with pytest.raises(EngineRefused):
            await harness.engine.cancel_transfer(refused, account)
    unchanged = await harness.engine.read_transfer(done.id, account)
    assert unchanged
    assert unchanged.state is TransferState.done


@needs(Capability.transfers)
@pytest.mark.parametrize(
    ("how", "error", "state"),
    [
        (Behaviour.timeout_before, EngineOutcomeUnknown, TransferState.pending),
        (Behaviour.timeout_after, EngineOutcomeUnknown, TransferState.failed),
        (Behaviour.refuse, EngineRefused, TransferState.pending),
    ],
)
async def test_a_failed_cancellation_leaves_the_state_to_the_bank(
    harness: EngineHarness, how: Behaviour, error: type[EngineError], state: TransferState
) -> None:
    await fund(harness, 10_000)
    ordered = await harness.engine.create_transfer(new_transfer())
    harness.plan("cancel_transfer", how)
    with pytest.raises(error):
        await harness.engine.cancel_transfer(ordered.id)
    unchanged = await harness.engine.read_transfer(ordered.id)
    assert unchanged
    assert unchanged.state is state


@needs(Capability.transfers)
async def test_a_transfer_above_the_balance_is_refused(harness: EngineHarness) -> None:
    await fund(harness, 1_000)
    with pytest.raises(EngineRefused):
        await harness.engine.create_transfer(new_transfer(amount=1_001))
    assert await harness.count("transfers") == 0
    assert await harness.balance() == 1_000


# ---- Refunds


@needs(Capability.refunds)
async def test_a_charge_is_refunded_in_parts(harness: EngineHarness) -> None:
    charge = await paid_charge(harness)
    assert await harness.engine.list_refunds(charge.id, charge.end_to_end_id) == []
    first, second = [await refund(harness, new_refund(charge, amount=amount)) for amount in (3_000, 4_500)]
    for ended, amount in ((first, 3_000), (second, 4_500)):
        assert (ended.amount, ended.state, ended.fail_reason) == (amount, TransferState.done, None)
        assert len(ended.return_id or "") == 32
    assert first.return_id != second.return_id
    read = await harness.engine.read_charge(charge.id)
    assert read
    assert (read.state, read.paid_amount, read.refunded_amount) == (EngineState.paid, charge.amount, 7_500)


@needs(Capability.refunds)
async def test_a_charge_is_refunded_in_whole(harness: EngineHarness) -> None:
    await fund(harness, 1_000)
    charge = await paid_charge(harness)
    wanted = new_refund(charge, reason=None)
    await harness.engine.create_refund(wanted)
    notification = await harness.finish_refund(charge.id, well=True)
    ended = await refund_of(harness, wanted)
    assert (ended.amount, ended.state) == (charge.amount, TransferState.done)
    read = await harness.engine.read_charge(charge.id)
    assert read
    assert (read.state, read.refunded_amount) == (EngineState.refunded, charge.amount)
    if notification is not None:
        parsed = harness.engine.parse_notifications(notification)[-1]
        assert (parsed.subject, parsed.state, parsed.engine_id) == (Subject.charge, EngineState.refunded, charge.id)


@needs(Capability.refunds)
async def test_more_than_what_is_left_is_not_refunded(harness: EngineHarness) -> None:
    await fund(harness, 20_000)
    charge = await paid_charge(harness)
    await harness.engine.create_refund(new_refund(charge, amount=4_000))
    for amount in (charge.amount - 3_999, charge.amount):
        with pytest.raises(EngineRefused) as refusal:
            await harness.engine.create_refund(new_refund(charge, amount=amount))
        assert refusal.value.reason
    assert await harness.count("refunds") == 1
    await harness.finish_refund(charge.id, well=True)
    rest = await refund(harness, new_refund(charge, amount=charge.amount - 4_000))
    assert rest.state is TransferState.done
    read = await harness.engine.read_charge(charge.id)
    assert read
    assert (read.state, read.refunded_amount) == (EngineState.refunded, charge.amount)
    with pytest.raises(EngineRefused):
        await harness.engine.create_refund(new_refund(charge, amount=1))


@needs(Capability.refunds)
async def test_an_unpaid_charge_is_not_refunded(harness: EngineHarness) -> None:
    charge = await harness.engine.create_charge(new_charge())
    with pytest.raises(EngineRefused) as refusal:
        await harness.engine.create_refund(new_refund(charge, amount=100))
    assert refusal.value.reason
    assert await harness.engine.list_refunds(charge.id, None) == []


@needs(Capability.refunds)
async def test_a_refund_with_a_lost_response_is_found(harness: EngineHarness) -> None:
    charge = await paid_charge(harness)
    await refund(harness, new_refund(charge, amount=500))
    wanted = new_refund(charge, amount=500)
    harness.plan("create_refund", Behaviour.timeout_after)
    with pytest.raises(EngineOutcomeUnknown):
        await harness.engine.create_refund(wanted)
    found = await refund_of(harness, wanted)
    assert (found.amount, found.state is TransferState.failed) == (500, False)
    assert await harness.count("refunds") == 2


@needs(Capability.refunds)
async def test_a_rejected_refund_has_a_reason_and_can_be_ordered_again(harness: EngineHarness) -> None:
    await fund(harness, 1_000)
    charge = await paid_charge(harness)
    rejected = await refund(harness, new_refund(charge), well=False)
    assert (rejected.state, bool(rejected.fail_reason)) == (TransferState.failed, True)
    read = await harness.engine.read_charge(charge.id)
    assert read
    assert (read.state, read.refunded_amount) == (EngineState.paid, 0)
    assert (await refund(harness, new_refund(charge))).state is TransferState.done
    assert len(await harness.engine.list_refunds(charge.id, charge.end_to_end_id)) == 2


@needs(Capability.accounts, Capability.transfers, Capability.refunds)
async def test_a_merchants_charge_is_refunded_from_its_account(harness: EngineHarness) -> None:
    account = await open_account(harness)
    await fund(harness, 1_000, account)
    charge = await paid_charge(harness, new_charge(amount=10_000, fee=150, account=account))
    before = await harness.balance(account)
    part = new_refund(charge, amount=2_000, account=account)
    assert (await refund(harness, part, well=False)).state is TransferState.failed
    assert await harness.balance(account) == before
    assert (await refund(harness, new_refund(charge, amount=2_000, account=account))).state is TransferState.done
    assert (await harness.balance(account), await harness.balance()) == (before - 2_000, 150)

    whole = await paid_charge(harness, new_charge(amount=10_000, fee=150, account=account))
    before = await harness.balance(account)
    assert (await refund(harness, new_refund(whole, account=account))).state is TransferState.done
    assert await harness.balance(account) == before - 10_000 + 150
    assert await harness.balance() == 150, "the fee is given back"


@needs(Capability.accounts, Capability.refunds)
async def test_a_refund_above_the_balance_is_refused(harness: EngineHarness) -> None:
    account = await open_account(harness)
    charge = await paid_charge(harness, new_charge(amount=10_000, account=account))
    balance = await harness.balance(account)
    await harness.engine.create_transfer(new_transfer(amount=balance - 1_000, account=account))
    with pytest.raises(EngineRefused) as refusal:
        await harness.engine.create_refund(new_refund(charge, amount=1_001, account=account))
    assert "saldo" in refusal.value.reason
    assert await harness.count("refunds") == 0


# ---- Payments of a period


def test_an_engine_that_lists_payments_declares_it(harness: EngineHarness) -> None:
    assert isinstance(harness.engine, ListsPayments) is (Capability.period in harness.engine.capabilities)


@needs(Capability.period)
async def test_the_payments_of_a_period_are_listed_as_notifications(harness: EngineHarness) -> None:
    assert isinstance(harness.engine, ListsPayments)
    begin = datetime.now(UTC) - timedelta(minutes=1)
    notifications = []
    for _ in range(3):
        made = await harness.engine.create_charge(new_charge())
        notifications.append(await harness.pay(made.id) or {})
    expected = [each for notification in notifications for each in harness.engine.parse_notifications(notification)]
    end = datetime.now(UTC) + timedelta(minutes=1)
    page = await harness.engine.list_payments(begin, end, 0)
    assert harness.engine.parse_notifications(page.body) == expected
    assert not page.has_more
    assert (
        harness.engine.parse_notifications((await harness.engine.list_payments(begin, end, 0, returned=True)).body)
        == []
    )
    assert harness.engine.parse_notifications((await harness.engine.list_payments(end, end, 0)).body) == []


# ---- Notifications

INVALID_NOTIFICATIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no event": {"id": "evt_1"},
    "no id": {"event": "PAYMENT_RECEIVED"},
    "an id of the wrong type": {"id": 5, "event": "PAYMENT_RECEIVED"},
    "a NUL": {"id": "evt\x00", "event": "PAYMENT_RECEIVED"},
    "a very long id": {"id": "e" * 201, "event": "PAYMENT_RECEIVED"},
}


@pytest.mark.parametrize("body", INVALID_NOTIFICATIONS.values(), ids=INVALID_NOTIFICATIONS)
async def test_an_invalid_notification_is_ignored(harness: EngineHarness, body: dict[str, Any]) -> None:
    assert harness.engine.parse_notifications(body) == []
    await harness.engine.apply_notification(body)


@of("simulator", "asaas")
@pytest.mark.parametrize(
    ("event", "subject"),
    [
        ("PAYMENT_SOMETHING_NEW", Subject.charge),
        ("TRANSFER_BLOCKED", Subject.transfer),
        ("ACCOUNT_STATUS_COMMERCIAL_INFO_EXPIRED", Subject.account),
        ("INVOICE_CREATED", Subject.other),
    ],
)
async def test_an_unknown_kind_is_accepted_without_a_state(
    harness: EngineHarness, event: str, subject: Subject
) -> None:
    body = {"id": "evt_1", "event": event, "payment": "?", "account": []}
    [parsed] = harness.engine.parse_notifications(body)
    assert (parsed.subject, parsed.kind, parsed.state, parsed.engine_id, parsed.account_id) == (
        subject,
        event,
        None,
        None,
        None,
    )
