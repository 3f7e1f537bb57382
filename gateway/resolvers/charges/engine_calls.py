"""Phase 2 of creating a charge: calls to the payment engine, for one charge or many (ADR 0005).

No transaction is open here. A lost response is looked up by our id before any retry. Every response is validated: BR
Code, amount and fee.
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
)
from gateway.models.database import Row
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import log_engine_failure, log_failure
from gateway.resolvers.receiving.accounts import Accounts, load_account, load_accounts
from gateway.telemetry import log

EngineResult: TypeAlias = EngineCharge | EngineError | InvalidBrCode
"""The result for one charge of many. `EngineOutcomeUnknown`: the charge may exist. Any other error: it does not."""
NOT_CANCELED = "a charge that must not stay payable could not be canceled"
MAX_CONCURRENT_CANCELS = 10
_PAID_STATES = (EngineState.paid, EngineState.refunded)
_OPEN_STATES = (EngineState.pending, EngineState.held)


class FeeExceedsNet(EngineRefused):
    """The service fee is more than the net amount of the charge, so the engine would block the split."""


class AmountMismatch(EngineRefused):
    """The engine's charge has another amount. Not every BR Code states the amount."""


INVALID_RESPONSE = (InvalidBrCode, FeeExceedsNet, AmountMismatch)


async def create_at_engine(engine: Engine, request: NewCharge) -> EngineCharge:
    """Create the charge. Raises `InvalidBrCode` and `EngineError`, `EngineOutcomeUnknown` if it may exist."""
    try:
        engine_charge = await engine.create_charge(request)
    except EngineOutcomeUnknown:
        engine_charge = await _find_or_create(engine, request)
    return await validate_response(engine, engine_charge, request.amount, request.account, request.fee)


async def create_many_at_engine(
    engine: Engine, requests: Sequence[NewCharge], gate: asyncio.Semaphore
) -> list[EngineResult]:
    """Create the charges at the engine; one result for each, in their order. `gate` bounds the concurrent calls."""
    return await asyncio.gather(*(_create_one(engine, each, gate) for each in requests))


async def find_at_engine(engine: Engine, charge_id: str, txid: str, account: Account | None) -> EngineCharge | None:
    """The engine's charge for our id and txid, or None if there is surely none. Duplicates are canceled. Raises
    `EngineOutcomeUnknown`.
    """
    try:
        found = await engine.find_charge(charge_id, txid, account)
    except EngineError as error:
        # A failed look-up never proves that no charge exists.
        raise EngineOutcomeUnknown(f"the look-up after a lost response failed: {error}") from error
    if found is not None and not all([await try_cancel_at_engine(engine, each, account) for each in found.duplicates]):
        raise EngineOutcomeUnknown(NOT_CANCELED)
    return found


async def try_cancel_at_engine(engine: Engine, engine_id: str, account: Account | None) -> bool:
    """Cancel a charge that must not be paid. False, and a log line, if the engine did not do it."""
    try:
        await engine.cancel_charge(engine_id, account)
    except EngineError as error:
        log.warning(
            "engine_charge_not_canceled",
            engine=engine.name,
            engine_id=engine_id,
            error=type(error).__name__,
            detail=error.detail,
        )
        return False
    return True


async def cancel_all_at_engine(
    engine: Engine, engine_charge: EngineCharge, account: Account | None
) -> list[EngineCharge]:
    """Cancel all that the engine made for a failed order. Returns the charges that were paid nevertheless: no engine
    cancels those. Raises `EngineError`, also if a charge is still payable, or its payment is under review.
    """
    if engine_charge.state is EngineState.held:
        raise EngineOutcomeUnknown(NOT_CANCELED)
    paid = [engine_charge] if engine_charge.state in _PAID_STATES else []
    for engine_id in (
        (engine_charge.id, *engine_charge.duplicates)
        if engine_charge.state is EngineState.pending
        else engine_charge.duplicates
    ):
        await engine.cancel_charge(engine_id, account)
        # An engine ignores the cancellation of a charge that was just paid.
        current = await engine.read_charge(engine_id, account)
        if current is not None and current.state in _OPEN_STATES:
            raise EngineOutcomeUnknown(NOT_CANCELED)
        if current is not None and current.state in _PAID_STATES:
            paid.append(current)
    return paid


async def validate_response(
    engine: Engine, engine_charge: EngineCharge, amount: int, account: Account | None, fee: int
) -> EngineCharge:
    """The charge, if its BR Code, amount and fee are valid. Otherwise it is canceled, and one of `INVALID_RESPONSE` is
    raised; `EngineOutcomeUnknown` if it could not be canceled, or was paid.
    """
    try:
        _validate(engine_charge, amount, account, fee)
    except INVALID_RESPONSE as fault:
        if engine_charge.state is not EngineState.pending or not await try_cancel_at_engine(
            engine, engine_charge.id, account
        ):
            raise EngineOutcomeUnknown(NOT_CANCELED) from fault
        raise
    return engine_charge


async def _find_or_create(engine: Engine, request: NewCharge) -> EngineCharge:
    found = await find_at_engine(engine, request.external_reference, request.txid, request.account)
    return found or await engine.create_charge(request)


async def _create_one(engine: Engine, request: NewCharge, gate: asyncio.Semaphore) -> EngineResult:
    async with gate:
        try:
            return await create_at_engine(engine, request)
        except (EngineError, InvalidBrCode) as error:
            log_engine_failure(engine, error)
            return error
        except Exception as error:  # noqa: BLE001  # One failure must not end the others, and its outcome is unknown.
            log.error("engine_call_broke", engine=engine.name, exc_info=error)
            return EngineOutcomeUnknown(type(error).__name__)


def _validate(engine_charge: EngineCharge, amount: int, account: Account | None, fee: int) -> None:
    check(engine_charge.br_code, amount=amount)
    if engine_charge.amount != amount:
        raise AmountMismatch(f"the engine asks for {engine_charge.amount} centavos instead of {amount}")
    if account is not None and engine_charge.net_amount is not None and fee > engine_charge.net_amount:
        raise FeeExceedsNet(
            "the service fee is more than the engine leaves of the charge", reason=FEE_EXCEEDS_NET_AMOUNT
        )


def belongs_to_engine(engine: Engine, row: Mapping[str, Any]) -> bool:
    """Whether this engine made the charge: another engine knows nothing of it."""
    return engine.name == str(row["engine"])


async def fetch_from_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> EngineCharge | None:
    """The charge as the engine has it, or None. Rows have `engine_id` and `receiving_account_id`. Raises
    `EngineError`.
    """
    return await engine.read_charge(row["engine_id"], await load_account(ctx, row["receiving_account_id"]))


async def cancel_at_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> None:
    """Cancel an unpaid charge at the engine. Rows as for `fetch_from_engine`. Raises `EngineError`."""
    await engine.cancel_charge(row["engine_id"], await load_account(ctx, row["receiving_account_id"]))


async def cancel_expired_at_engine(ctx: Context, expired: Sequence[Row]) -> None:
    """Cancel expired charges at the bank, after their expiry is committed: their codes stay payable there for months.
    Best effort: a payment that arrives nevertheless counts as late. Charges of the simulator stay.

    Rows have `environment`, `engine`, `engine_id` and `receiving_account_id`. If the bank is unavailable, the rest of
    the batch is skipped.
    """
    of = ctx.services.engines.of
    rows = [row for row in expired if _is_at_bank(of(row["environment"]), row)]
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in rows))
    for start in range(0, len(rows), MAX_CONCURRENT_CANCELS):
        some = rows[start : start + MAX_CONCURRENT_CANCELS]
        if not all(await asyncio.gather(*(_cancel_expired(of(row["environment"]), row, accounts) for row in some))):
            log.warning("expired_charges_not_canceled", left=len(rows) - start)
            return


def _is_at_bank(engine: Engine, row: Row) -> bool:
    return engine.has_bank and belongs_to_engine(engine, row)


async def _cancel_expired(engine: Engine, row: Row, accounts: Accounts) -> bool:
    """Whether the bank is available for further calls."""
    try:
        account = accounts[row["receiving_account_id"]]
        # It may have been paid just now, and the payment may be under review.
        current = await engine.read_charge(row["engine_id"], account)
        if current is not None and current.state is EngineState.pending:
            await engine.cancel_charge(row["engine_id"], account)
    except (EngineUnavailable, EngineBusy):
        return False
    except Exception as error:  # noqa: BLE001  # One failure must not end the batch.
        log_failure("engine_charge_not_canceled", error, engine=engine.name, engine_id=row["engine_id"])
    return True
