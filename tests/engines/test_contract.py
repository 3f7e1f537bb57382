"""The contract of the engine interface: the same cases for the simulator and for the Asaas adapter over HTTP."""

from collections.abc import Awaitable, Callable
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
    EngineState,
    Subject,
)
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.engines import Track, TransferState
from tests.engines.engine_fixtures import World
from tests.engines.sample_requests import COMPANY, PAYER, new_charge, new_transfer
from tests.fake_clock import MovedClock


async def tell(engine: Engine, notice: dict[str, Any] | None) -> None:
    """As the inbound handler does."""
    if notice is not None and not engine.has_bank:
        await engine.apply_notification(notice)


async def tell_of_this_one(world: World, charge: EngineCharge) -> None:
    """As `tell`, of a charge that shares its reference with others."""
    notice = await world.pay(charge.id)
    assert notice
    notice["payment"].pop("externalReference")
    await tell(world.engine, notice)


async def opened(world: World) -> Account:
    return (await world.engine.open_account(COMPANY)).account


async def funded(world: World, amount: int, account: Account | None = None) -> None:
    made = await world.engine.create_charge(new_charge(amount=amount + world.fee, account=account))
    await tell(world.engine, await world.pay(made.id))


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
    "a merchant whose name no code can hold": {"merchant_name": "東京"},
    "already past its time": {"expires_at": datetime.now(UTC) - timedelta(seconds=50)},
    "due after it has expired": {"due_date": datetime.now(UTC) + timedelta(days=90)},
    "due long ago": {"due_date": datetime(1901, 1, 1, tzinfo=UTC)},
    "years away": {"expires_at": datetime.now(UTC) + timedelta(days=1800)},
}


@pytest.mark.parametrize("changes", ORDERS.values(), ids=ORDERS)
async def test_a_charge_is_made_as_ordered(world: World, changes: dict[str, Any]) -> None:
    wanted = new_charge(**changes)
    made = await world.engine.create_charge(wanted)
    check(made.br_code, amount=wanted.amount)
    assert (made.external_reference, made.amount, made.state) == (
        wanted.external_reference,
        wanted.amount,
        EngineState.pending,
    )
    assert (made.paid_amount, made.paid_at, made.end_to_end_id) == (None, None, None)
    assert await world.engine.find_charge(wanted.external_reference) == made
    read = await world.engine.read_charge(made.id)
    assert read
    assert (read.id, read.external_reference, read.amount, read.state) == (
        made.id,
        wanted.external_reference,
        wanted.amount,
        EngineState.pending,
    )


async def test_a_payment_shows_with_its_proof(world: World, clock: MovedClock) -> None:
    made = await world.engine.create_charge(new_charge())
    notice = await world.pay(made.id)
    assert notice
    await tell(world.engine, notice)
    told = world.engine.parse_notification(notice)
    assert told
    assert (told.subject, told.state, told.engine_id, told.external_reference, told.amount) == (
        Subject.charge,
        EngineState.paid,
        made.id,
        made.external_reference,
        made.amount,
    )
    read = await world.engine.read_charge(made.id)
    assert read
    assert (read.state, read.paid_amount) == (EngineState.paid, made.amount)
    assert len(read.end_to_end_id or "") == 32
    assert read.paid_at
    assert abs(read.paid_at - clock.now()) < timedelta(minutes=5)
    found = await world.engine.find_charge(made.external_reference)
    assert found
    assert found.state is EngineState.paid


async def test_a_test_payment_is_confirmed_and_says_so(world: World) -> None:
    made = await world.engine.create_charge(new_charge())
    body = await world.engine.confirm_test(made.id)
    assert body
    read = await world.engine.read_charge(made.id)
    assert read
    assert (read.state, read.paid_amount) == (EngineState.paid, made.amount)


async def test_a_retired_charge_can_be_retired_again_and_a_paid_one_stays(world: World) -> None:
    made = await world.engine.create_charge(new_charge())
    await world.engine.cancel_charge(made.id)
    await world.engine.cancel_charge(made.id)
    read = await world.engine.read_charge(made.id)
    assert read
    assert read.state is EngineState.retired
    paid = await world.engine.create_charge(new_charge())
    await tell(world.engine, await world.pay(paid.id))
    await world.engine.cancel_charge(paid.id)
    kept = await world.engine.read_charge(paid.id)
    assert kept
    assert kept.state is EngineState.paid


# ---- What isn't there

ABSENT: dict[str, tuple[Callable[[Engine], Awaitable[object]], object]] = {
    "find_charge": (lambda engine: engine.find_charge("00000000-0000-7000-8000-000000000000"), None),
    "read_charge": (lambda engine: engine.read_charge("pay_none"), None),
    "read_charge, an id that is no path": (lambda engine: engine.read_charge("../customers?x=1#"), None),
    "cancel_charge": (lambda engine: engine.cancel_charge("pay_none"), None),
    "confirm_test": (lambda engine: engine.confirm_test("pay_none"), EngineRefused),
    "find_transfer": (lambda engine: engine.find_transfer("none", datetime.now(UTC)), None),
    "read_transfer": (lambda engine: engine.read_transfer("none"), None),
    "an account's charge": (lambda engine: engine.read_charge("pay_none", Account("a", "wrong")), EngineMisconfigured),
    "an account": (lambda engine: engine.account_status(Account("a", "wrong")), EngineMisconfigured),
}


@pytest.mark.parametrize(("act", "outcome"), ABSENT.values(), ids=ABSENT)
async def test_what_is_not_there_is_none_or_refused(
    world: World, act: Callable[[Engine], Awaitable[object]], outcome: Any
) -> None:
    if outcome is None:
        assert await act(world.engine) is None
    else:
        with pytest.raises(outcome):
            await act(world.engine)
    assert world.engine.responding, "that something isn't there, or one merchant's key is wrong, is an answer"


# ---- Bad days: what each method says, and what the bank holds afterwards

Acts = dict[str, Callable[[Engine, str], Awaitable[object]]]
READS: Acts = {
    "find_charge": lambda engine, charge: engine.find_charge(charge),
    "read_charge": lambda engine, charge: engine.read_charge(charge),
    "find_account": lambda engine, _: engine.find_account(COMPANY.document),
    "balance": lambda engine, _: engine.balance(),
    "find_transfer": lambda engine, _: engine.find_transfer("x", datetime.now(UTC)),
    "read_transfer": lambda engine, _: engine.read_transfer("x"),
}
WRITES: Acts = {
    "create_charge": lambda engine, _: engine.create_charge(new_charge()),
    "open_account": lambda engine, _: engine.open_account(COMPANY),
    "create_transfer": lambda engine, _: engine.create_transfer(new_transfer(amount=100)),
}
HELD = {"create_charge": "charges", "open_account": "accounts", "create_transfer": "transfers"}


@pytest.mark.parametrize("how", [Behaviour.unavailable, Behaviour.timeout_before])
@pytest.mark.parametrize("method", READS)
async def test_a_read_without_response_is_an_error(world: World, method: str, how: Behaviour) -> None:
    made = await world.engine.create_charge(new_charge())
    world.plan(method, how)
    with pytest.raises(EngineError):
        await READS[method](world.engine, made.id if method == "read_charge" else made.external_reference)
    assert not world.engine.responding
    await READS[method](world.engine, made.id if method == "read_charge" else made.external_reference)
    assert world.engine.responding


REFUSALS: list[tuple[Behaviour, tuple[type[EngineError], ...], int]] = [
    (Behaviour.refuse, (EngineRefused,), 0),
    (Behaviour.unavailable, (EngineUnavailable, EngineOutcomeUnknown), 0),
    (Behaviour.timeout_before, (EngineOutcomeUnknown,), 0),
    (Behaviour.timeout_after, (EngineOutcomeUnknown, AccountExists), 1),
]


@pytest.mark.parametrize(("how", "errors", "held"), REFUSALS, ids=[how for how, _, _ in REFUSALS])
@pytest.mark.parametrize("method", WRITES)
async def test_an_order_that_fails_says_whether_something_may_have_been_made(
    world: World, method: str, how: Behaviour, errors: tuple[type[EngineError], ...], held: int
) -> None:
    await funded(world, 1_000)
    before = await world.held(HELD[method])
    world.plan(method, how)
    with pytest.raises(errors):
        await WRITES[method](world.engine, "")
    assert await world.held(HELD[method]) == before + held
    assert world.engine.responding is (how is Behaviour.refuse or (method == "open_account" and world.engine.has_bank))


async def test_a_charge_whose_answer_was_lost_is_found(world: World) -> None:
    wanted = new_charge()
    world.plan("create_charge", Behaviour.timeout_after)
    with pytest.raises(EngineOutcomeUnknown):
        await world.engine.create_charge(wanted)
    found = await world.engine.find_charge(wanted.external_reference)
    assert found
    check(found.br_code, amount=wanted.amount)


async def test_a_charge_is_found_with_its_duplicates(world: World) -> None:
    wanted = new_charge()
    made = [await world.engine.create_charge(wanted) for _ in range(4)]
    found = await world.engine.find_charge(wanted.external_reference)
    assert found
    assert {found.id, *found.duplicates} == {charge.id for charge in made}
    assert (len(found.duplicates), found.state) == (3, EngineState.pending)
    check(found.br_code, amount=wanted.amount)

    paid, retired = made[1], made[3]
    await world.engine.cancel_charge(retired.id)
    await tell_of_this_one(world, paid)
    found = await world.engine.find_charge(wanted.external_reference)
    assert found
    assert (found.id, found.state) == (paid.id, EngineState.paid)
    assert sorted(found.duplicates) == sorted([made[0].id, made[2].id])
    for engine_id in found.duplicates:
        await world.engine.cancel_charge(engine_id)
    found = await world.engine.find_charge(wanted.external_reference)
    assert found
    assert (found.id, found.duplicates) == (paid.id, ())


async def test_a_transfer_whose_answer_was_lost_is_found(world: World, clock: MovedClock) -> None:
    await funded(world, 10_000)
    wanted, ordered_at = new_transfer(), clock.now()
    world.plan("create_transfer", Behaviour.timeout_after)
    with pytest.raises(EngineOutcomeUnknown):
        await world.engine.create_transfer(wanted)
    found = await world.engine.find_transfer(wanted.external_reference, ordered_at)
    assert found
    assert (found.amount, found.state) == (wanted.amount, TransferState.pending)


async def test_an_account_whose_answer_was_lost_exists_and_is_never_doubled(world: World) -> None:
    world.plan("open_account", Behaviour.timeout_after)
    with pytest.raises((EngineOutcomeUnknown, AccountExists)):
        await world.engine.open_account(COMPANY)
    with pytest.raises(AccountExists) as refusal:
        await world.engine.open_account(COMPANY)
    assert refusal.value.account_id == await world.engine.find_account(COMPANY.document)
    assert not refusal.value.just_created
    assert await world.held("accounts") == 1


# ---- Merchants' accounts


async def test_an_account_is_opened_and_approved(world: World) -> None:
    assert await world.engine.find_account(COMPANY.document) is None
    new = await world.engine.open_account(COMPANY)
    assert await world.engine.find_account(COMPANY.document) == new.account.id
    assert new.webhook_registered
    assert new.account.id
    assert new.account.secret
    assert new.wallet_id
    fresh = await world.engine.account_status(new.account)
    assert fresh.general is Track.missing
    assert fresh.documents is Track.missing
    assert (fresh.documents_link or "").startswith("https://")
    notice = await world.approve(new.account)
    assert notice
    await tell(world.engine, notice)
    told = world.engine.parse_notification(notice)
    assert told
    assert (told.subject, told.account_id, told.state) == (Subject.account, new.account.id, None)
    approved = await world.engine.account_status(new.account)
    assert {approved.general, approved.commercial, approved.bank, approved.documents} == {Track.approved}
    assert approved.documents_link is None


async def test_the_fee_of_a_merchants_charge_goes_to_the_main_account(world: World) -> None:
    account = await opened(world)
    made = await world.engine.create_charge(new_charge(amount=10_000, fee=150, account=account))
    assert await world.engine.read_charge(made.id, account)
    await tell(world.engine, await world.pay(made.id))
    assert await world.engine.balance(account) == 10_000 - 150 - world.fee
    assert await world.engine.balance() == 150


async def test_the_webhook_can_be_registered_again(world: World) -> None:
    account = await opened(world)
    for _ in range(2):
        await world.engine.register_webhook()
        await world.engine.register_webhook(account)


# ---- Money out


async def test_a_transfer_is_ordered_and_done(world: World) -> None:
    await funded(world, 10_000)
    ordered = await world.engine.create_transfer(new_transfer(amount=4_000))
    assert (ordered.amount, ordered.state, ordered.authorized) == (4_000, TransferState.pending, True)
    assert await world.engine.balance() == 6_000
    notice = await world.finish(ordered.id, well=True)
    assert notice
    await tell(world.engine, notice)
    told = world.engine.parse_notification(notice)
    assert told
    assert (told.subject, told.engine_id, told.state) == (Subject.transfer, ordered.id, None)
    done = await world.engine.read_transfer(ordered.id)
    assert done
    assert (done.state, done.fail_reason) == (TransferState.done, None)
    assert len(done.end_to_end_id or "") == 32


async def test_a_transfer_that_fails_says_why_and_gives_the_money_back(world: World) -> None:
    account = await opened(world)
    await funded(world, 10_000, account)
    ordered = await world.engine.create_transfer(new_transfer(account=account))
    await tell(world.engine, await world.finish(ordered.id, well=False))
    failed = await world.engine.read_transfer(ordered.id, account)
    assert failed
    assert (failed.state, bool(failed.fail_reason)) == (TransferState.failed, True)
    assert await world.engine.balance(account) == 10_000


async def test_a_transfer_is_taken_back_until_it_is_done(world: World) -> None:
    account = await opened(world)
    await funded(world, 10_000, account)
    ordered = await world.engine.create_transfer(new_transfer(account=account))
    canceled = await world.engine.cancel_transfer(ordered.id, account)
    assert (canceled.id, canceled.state) == (ordered.id, TransferState.failed)
    assert await world.engine.balance(account) == 10_000
    done = await world.engine.create_transfer(new_transfer(account=account))
    await tell(world.engine, await world.finish(done.id, well=True))
    for refused in (ordered.id, done.id, "unknown"):
        with pytest.raises(EngineRefused):
            await world.engine.cancel_transfer(refused, account)
    stands = await world.engine.read_transfer(done.id, account)
    assert stands
    assert stands.state is TransferState.done


@pytest.mark.parametrize(
    ("how", "error", "state"),
    [
        (Behaviour.timeout_before, EngineOutcomeUnknown, TransferState.pending),
        (Behaviour.timeout_after, EngineOutcomeUnknown, TransferState.failed),
        (Behaviour.refuse, EngineRefused, TransferState.pending),
    ],
)
async def test_taking_back_without_an_answer_says_nothing_of_what_happened(
    world: World, how: Behaviour, error: type[EngineError], state: TransferState
) -> None:
    await funded(world, 10_000)
    ordered = await world.engine.create_transfer(new_transfer())
    world.plan("cancel_transfer", how)
    with pytest.raises(error):
        await world.engine.cancel_transfer(ordered.id)
    stands = await world.engine.read_transfer(ordered.id)
    assert stands
    assert stands.state is state


async def test_nobody_transfers_what_is_not_there(world: World) -> None:
    await funded(world, 1_000)
    with pytest.raises(EngineRefused):
        await world.engine.create_transfer(new_transfer(amount=1_001))
    assert await world.held("transfers") == 0
    assert await world.engine.balance() == 1_000


# ---- Notices

NOTICES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no event": {"id": "evt_1"},
    "no id": {"event": "PAYMENT_RECEIVED"},
    "an id of the wrong type": {"id": 5, "event": "PAYMENT_RECEIVED"},
    "a NUL": {"id": "evt\x00", "event": "PAYMENT_RECEIVED"},
    "a very long id": {"id": "e" * 201, "event": "PAYMENT_RECEIVED"},
}


@pytest.mark.parametrize("body", NOTICES.values(), ids=NOTICES)
async def test_what_is_no_notification_is_none(world: World, body: dict[str, Any]) -> None:
    assert world.engine.parse_notification(body) is None
    await world.engine.apply_notification(body)


@pytest.mark.parametrize(
    ("event", "subject"),
    [
        ("PAYMENT_SOMETHING_NEW", Subject.charge),
        ("TRANSFER_BLOCKED", Subject.transfer),
        ("ACCOUNT_STATUS_COMMERCIAL_INFO_EXPIRED", Subject.account),
        ("INVOICE_CREATED", Subject.other),
    ],
)
async def test_an_unknown_kind_is_legal_and_changes_nothing(world: World, event: str, subject: Subject) -> None:
    told = world.engine.parse_notification({"id": "evt_1", "event": event, "payment": "?", "account": []})
    assert told
    assert (told.subject, told.kind, told.state, told.engine_id, told.account_id) == (subject, event, None, None, None)
