"""Phase 2 of issuing: the engine is asked, for one charge or for many. No transaction is open here.

A lost answer is looked up by our id, never asked for blindly again; and no charge leaves here whose BR Code
and fee have not been checked.

A charge at the engine that holds it. Rows have `engine`, `engine_id` and `receiving_account_id`.

Expired charges at the bank: their codes would be payable for months, so they are retired there, best effort.

Nothing depends on it. A payment that wins the race, or comes for a charge that could not be retired, is late money and
counts; a bank that doesn't answer is not asked for the rest of the batch.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from gateway.integrations.engines.br_code import InvalidBrCode, check
from gateway.integrations.engines.errors import (
    FEE_EXCEEDS_NET_AMOUNT,
    EngineBusy,
    EngineError,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import (
    Account,
    Engine,
    EngineCharge,
    EngineState,
    NewCharge,
    SupportsBatchCreate,
)
from gateway.models.database import Row
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.core.batch_runner import tell_failure
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import needs_operator
from gateway.resolvers.receiving.accounts import Accounts, load_account, load_accounts
from gateway.telemetry import ENGINE_FAILURES, log
from gateway.values.ids import Id

EngineResult: TypeAlias = EngineCharge | EngineError | InvalidBrCode
"""What became of one charge of many: `EngineOutcomeUnknown` where nobody knows, any other error
where surely nothing was made.
"""
NOT_CANCELED = "a charge that must not live could not be retired"
_PAID_STATES = (EngineState.paid, EngineState.refunded)
_OPEN_STATES = (EngineState.pending, EngineState.held)


class FeeExceedsNet(EngineRefused):
    """The engine leaves less of the charge than the service's fee, and would block what is split so."""


class AmountMismatch(EngineRefused):
    """What the engine has made asks for another amount, which not every BR Code says itself."""


INVALID_RESPONSE = (InvalidBrCode, FeeExceedsNet, AmountMismatch)
"""What may be wrong with a charge that an engine has made."""


def engine_request(plan: ChargeParams, charge_id: Id) -> NewCharge:
    """What the engine is told of a plan."""
    return NewCharge(
        charge_id,
        plan.amount,
        plan.description,
        plan.payer,
        plan.expires_at,
        plan.store_name,
        plan.fee_amount,
        plan.account,
        plan.due_date,
    )


async def create_at_engine(engine: Engine, wanted: NewCharge) -> EngineCharge:
    """Create the charge. Raises `InvalidBrCode` and `EngineError`: `EngineOutcomeUnknown` if it may exist."""
    try:
        made = await engine.create_charge(wanted)
    except EngineOutcomeUnknown:
        made = await find_at_engine(engine, wanted.external_reference, wanted.account) or await engine.create_charge(
            wanted
        )
    return await validate_response(engine, made, wanted.amount, wanted.account, wanted.fee)


async def create_many_at_engine(
    engine: Engine, wanted: Sequence[NewCharge], gate: asyncio.Semaphore
) -> list[EngineResult]:
    """Let the engine make the charges; one answer for each, in their order. `gate` bounds how many calls are under
    way; an engine that takes many at once is called once.
    """
    if not isinstance(engine, SupportsBatchCreate):
        return await asyncio.gather(*(_create_one(engine, each, gate) for each in wanted))
    answers = await engine.create_charges(wanted)
    return [
        answer
        if isinstance(answer, EngineCharge) and _is_valid(answer, each)
        else await _retry_one(engine, each, answer)
        for each, answer in zip(wanted, answers, strict=True)
    ]


async def find_at_engine(engine: Engine, charge_id: str, account: Account | None) -> EngineCharge | None:
    """What the engine made for our id, or None where that is surely nothing; what it made more than once is retired but
    for one. Raises `EngineOutcomeUnknown`.
    """
    try:
        made = await engine.find_charge(charge_id, account)
    except EngineError as error:
        # However the look-up failed, it doesn't say that nothing was made.
        raise EngineOutcomeUnknown(f"the look-up after a lost answer failed: {error}") from error
    if made is not None and not all(
        [await try_cancel_at_engine(engine, duplicate, account) for duplicate in made.duplicates]
    ):
        raise EngineOutcomeUnknown(NOT_CANCELED)
    return made


async def try_cancel_at_engine(engine: Engine, engine_id: str, account: Account | None) -> bool:
    """Have the engine let go of what nobody shall pay; whether the engine took it."""
    try:
        await engine.cancel_charge(engine_id, account)
    except EngineError as error:
        log.warning(
            "engine_charge_not_retired",
            engine=engine.name,
            engine_id=engine_id,
            error=type(error).__name__,
            detail=error.detail,
        )
        return False
    return True


async def cancel_all_at_engine(engine: Engine, made: EngineCharge, account: Account | None) -> list[EngineCharge]:
    """Have the engine let go of all that it made for an order of which nothing is to become. Returns what was paid all
    the same, which no engine lets go. Raises `EngineError`, also where something can still be paid, or the bank still
    holds a payment back.
    """
    if made.state is EngineState.held:
        raise EngineOutcomeUnknown(NOT_CANCELED)
    paid = [made] if made.state in _PAID_STATES else []
    for engine_id in (made.id, *made.duplicates) if made.state is EngineState.pending else made.duplicates:
        await engine.cancel_charge(engine_id, account)
        # One that was paid a moment ago isn't let go, and no engine says so.
        held = await engine.read_charge(engine_id, account)
        if held is not None and held.state in _OPEN_STATES:
            raise EngineOutcomeUnknown(NOT_CANCELED)
        if held is not None and held.state in _PAID_STATES:
            paid.append(held)
    return paid


async def validate_response(
    engine: Engine, made: EngineCharge, amount: int, account: Account | None, fee: int
) -> EngineCharge:
    """The charge, whose BR Code and amount are right and which bears its fee. A bad one is retired, and raises one of
    `UNSOUND`; where that failed, or somebody has paid it, `EngineOutcomeUnknown`.
    """
    try:
        _validate(made, amount, account, fee)
    except INVALID_RESPONSE as fault:
        if made.state is not EngineState.pending or not await try_cancel_at_engine(engine, made.id, account):
            raise EngineOutcomeUnknown(NOT_CANCELED) from fault
        raise
    return made


def log_engine_failure(engine: Engine, error: Exception) -> None:
    """Count and log a failure of the engine; as an error, where somebody must act at the engine."""
    ENGINE_FAILURES.labels(engine.name, type(error).__name__).inc()
    tell = log.error if needs_operator(error) else log.warning
    tell("engine_failed", engine=engine.name, error=type(error).__name__, detail=str(error)[:500])


async def _create_one(engine: Engine, wanted: NewCharge, gate: asyncio.Semaphore) -> EngineResult:
    async with gate:
        try:
            return await create_at_engine(engine, wanted)
        except (EngineError, InvalidBrCode) as error:
            log_engine_failure(engine, error)
            return error
        except Exception as error:  # noqa: BLE001  # One must not take the others with it, and nobody knows what it did.
            log.error("engine_call_broke", engine=engine.name, exc_info=error)
            return EngineOutcomeUnknown(type(error).__name__)


def _is_valid(made: EngineCharge, wanted: NewCharge) -> bool:
    try:
        _validate(made, wanted.amount, wanted.account, wanted.fee)
    except INVALID_RESPONSE:
        return False
    return True


def _validate(made: EngineCharge, amount: int, account: Account | None, fee: int) -> None:
    check(made.br_code, amount=amount)
    if made.amount != amount:
        raise AmountMismatch(f"the engine asks for {made.amount} centavos instead of {amount}")
    if account is not None and made.net_amount is not None and fee > made.net_amount:
        raise FeeExceedsNet(
            "the service fee is more than the engine leaves of the charge", reason=FEE_EXCEEDS_NET_AMOUNT
        )


async def _retry_one(engine: Engine, wanted: NewCharge, answer: EngineCharge | EngineError) -> EngineResult:
    """What `ask` would have come to after this first answer."""
    try:
        if isinstance(answer, EngineOutcomeUnknown):
            answer = await find_at_engine(
                engine, wanted.external_reference, wanted.account
            ) or await engine.create_charge(wanted)
        if isinstance(answer, EngineError):
            raise answer
        return await validate_response(engine, answer, wanted.amount, wanted.account, wanted.fee)
    except (EngineError, InvalidBrCode) as error:
        log_engine_failure(engine, error)
        return error


def belongs_to_engine(engine: Engine, row: Mapping[str, Any]) -> bool:
    """Whether the engine that serves now is the one that made the charge: another knows nothing of it."""
    return engine.name == str(row["engine"])


async def fetch_from_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> EngineCharge | None:
    """That very charge as it stands there, or None where it has no such charge. Raises `EngineError`."""
    return await engine.read_charge(row["engine_id"], await load_account(ctx, row["receiving_account_id"]))


async def cancel_at_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> None:
    """Ask the engine to let an unpaid charge go. Raises `EngineError`."""
    await engine.cancel_charge(row["engine_id"], await load_account(ctx, row["receiving_account_id"]))


MAX_CONCURRENT_CANCELS = 10


async def cancel_expired_at_engine(ctx: Context, expired: Sequence[Row]) -> None:
    """Retire charges that have just expired, after that was committed. Rows have `environment`, `engine`, `engine_id`
    and `receiving_account_id`. The simulator keeps its own: it has no payers who might find an old code.
    """
    of = ctx.services.engines.of
    rows = [row for row in expired if _is_at_bank(of(row["environment"]), row)]
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in rows))
    for start in range(0, len(rows), MAX_CONCURRENT_CANCELS):
        some = rows[start : start + MAX_CONCURRENT_CANCELS]
        if not all(await asyncio.gather(*(_cancel_expired(of(row["environment"]), row, accounts) for row in some))):
            log.warning("expired_charges_not_withdrawn", left=len(rows) - start)
            return


def _is_at_bank(engine: Engine, row: Row) -> bool:
    return engine.has_bank and engine.name == row["engine"]


async def _cancel_expired(engine: Engine, row: Row, accounts: Accounts) -> bool:
    """Whether it makes sense to go on asking."""
    try:
        account = accounts[row["receiving_account_id"]]
        # It may have been paid in its last moment, and the bank may hold that payment back.
        stands = await engine.read_charge(row["engine_id"], account)
        if stands is not None and stands.state is EngineState.pending:
            await engine.cancel_charge(row["engine_id"], account)
    except (EngineUnavailable, EngineBusy):
        return False
    except Exception as error:  # noqa: BLE001  # One charge must not keep the others from being retired.
        tell_failure("engine_charge_not_retired", error, engine=engine.name, engine_id=row["engine_id"])
    return True
