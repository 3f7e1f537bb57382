"""`POST /withdrawals`, in three phases like creating a charge, so that no engine is called inside a transaction; and
`GET /withdrawals/quote`, what one would cost.

1. Reserve: under a lock on the store's balance, commit a withdrawal that reserves the amount.
2. Order the transfer at the engine, exactly once.
3. Store the result. A definite refusal deletes the withdrawal and answers 502. After a lost response it stays
   `pending`, with its amount reserved, until `recover_withdrawals` learns the outcome.

The response is stored under an `Idempotency-Key` only at the end. Until then, a repeated request gets a conflict, or
after a crash the same withdrawal.
"""

from sqlalchemy import bindparam, delete, insert, select

from gateway.errors import InsufficientBalance, ManualRepayment, WithdrawalInProgress
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown
from gateway.integrations.engines.interface import Engine, EngineTransfer, NewTransfer
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission, require_live_approval
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.email.outbox import EmailMessage, cancel, enqueue
from gateway.resolvers.email.payment_templates import WithdrawalRequested
from gateway.resolvers.engine_failures import engine_failure, log_engine_failure, record_account_refusals
from gateway.resolvers.receiving.accounts import OwnAccount, require_store_account
from gateway.resolvers.withdrawals.balance import is_self_payout, lock_balance, read_balance
from gateway.resolvers.withdrawals.pix_keys import mask_key, normalise_key
from gateway.resolvers.withdrawals.transitions import FIRST_CHECK_AFTER, apply_transfer, find_withdrawal
from gateway.resolvers.withdrawals.types import (
    QuoteWithdrawal,
    RequestWithdrawal,
    WithdrawalQuoteView,
    WithdrawalView,
    withdrawal_view,
)
from gateway.values.ids import new_id
from gateway.values.money import reais_from_centavos

_W = withdrawals
_COLUMNS = (
    *("id", "user_id", "environment", "amount", "pix_key", "pix_key_type", "description", "external_reference"),
    *("engine", "receiving_account_id", "next_attempt_at", "created_at"),
)
EMAIL_DELAY_SECONDS = 60.0
"""Delay of the email to the store owner: an immediate refusal cancels it."""
NO_ACCOUNT = "A loja ainda não abriu a conta de recebimento, de onde sairia o saque."
FIND_IN_FLIGHT = Statement(select(_W.c.id).where(*of_store(_W), _W.c.status.in_(IN_FLIGHT)))
RESERVE = Statement(insert(_W).values({name: bindparam(name) for name in _COLUMNS}).returning(*_W.c))
DELETE_PENDING = Statement(
    delete(_W)
    .where(_W.c.id == bindparam("withdrawal_id"), _W.c.status == WithdrawalStatus.pending.value)
    .returning(_W.c.id)
)


def require_withdrawals(ctx: Context) -> None:
    """Raise `ManualRepayment` where stores cannot withdraw, and `LiveNotApproved` in live."""
    if not is_self_payout(ctx.settings.receiving_mode):
        raise ManualRepayment
    require_live_approval(ctx.actor)


@operation("withdrawals.quote", Permission.finance, precondition=require_withdrawals, scope=Scope.withdrawals)
async def quote_withdrawal(ctx: Context, order: QuoteWithdrawal) -> WithdrawalQuoteView:
    """Ask the engine for its fee. Raises `SubaccountMissing` and `EngineFailed`."""
    own = await require_store_account(ctx, ctx.store_id, ctx.environment, NO_ACCOUNT)
    engine = ctx.services.engines.of(ctx.environment)
    try:
        fee = min(await engine.transfer_fee(own.account), order.amount)
    except EngineError as error:
        log_engine_failure(engine, error)
        raise engine_failure(error) from error
    return WithdrawalQuoteView.of({"amount": order.amount, "fee_amount": fee, "net_amount": order.amount - fee})


@operation(
    "withdrawals.request",
    Permission.finance,
    idempotent=True,
    precondition=require_withdrawals,
    scope=Scope.withdrawals,
)
async def request_withdrawal(ctx: Context, order: RequestWithdrawal) -> WithdrawalView:
    """Transfer money from the store's balance to a Pix key. Raises `InvalidPixKey`, `WithdrawalInProgress`,
    `InsufficientBalance`, `SubaccountMissing` and `EngineFailed`.
    """
    key = normalise_key(order.pix_key_type, order.pix_key)
    own = await require_store_account(ctx, ctx.store_id, ctx.environment, NO_ACCOUNT)
    # Also before the lock, so that concurrent requests do not each hold a connection while they wait for it.
    await _require_none_in_flight(ctx, ctx.database)
    engine = ctx.services.engines.of(ctx.environment)
    row = await _reserve(ctx, order, key, own, engine)
    kind = PixKeyType(row["pix_key_type"])
    transfer = NewTransfer(row["id"], row["amount"], row["pix_key"], kind, row["description"], own.account)
    try:
        ordered = await engine.create_transfer(transfer)
    except EngineOutcomeUnknown as error:
        log_engine_failure(engine, error)
        return await _respond(ctx, row)
    except EngineError as error:
        log_engine_failure(engine, error)
        await _delete_reservation(ctx, row, error)
        await record_account_refusals(ctx, engine, ctx.environment, [(own.account, error)])
        raise engine_failure(error) from error
    return await _store_result(ctx, row, ordered)


async def _reserve(ctx: Context, order: RequestWithdrawal, key: str, own: OwnAccount, engine: Engine) -> Row:
    now = ctx.real_clock.now()
    async with ctx.database.transaction() as transaction:
        # One request of a store at a time, so that two cannot spend the same balance.
        await lock_balance(transaction, ctx.store_id, ctx.environment)
        await _require_none_in_flight(ctx, transaction)
        await _require_balance(transaction, own, order.amount)
        row = await transaction.single(
            RESERVE,
            **ctx.scope,
            id=new_id(),
            amount=order.amount,
            pix_key=key,
            pix_key_type=order.pix_key_type,
            description=order.description,
            external_reference=order.external_reference,
            engine=engine.name,
            receiving_account_id=own.id,
            next_attempt_at=now + FIRST_CHECK_AFTER,
            created_at=now,
        )
        changes = {"amount": reais_from_centavos(order.amount), "pix_key": mask_key(order.pix_key_type, key)}
        await record(ctx, transaction, "withdrawal.requested", row["id"], changes=changes)
        email = EmailMessage(_email_data(ctx, row), ctx.store_id, ctx.environment, wait=EMAIL_DELAY_SECONDS)
        await enqueue(ctx, transaction, email)
        await idempotency.save_result(ctx, transaction, withdrawal_view(row))
    return row


def _email_data(ctx: Context, row: Row) -> WithdrawalRequested:
    return WithdrawalRequested(
        withdrawal_id=row["id"],
        environment=row["environment"],
        amount=row["amount"],
        pix_key=mask_key(row["pix_key_type"], row["pix_key"]),
        at=row["created_at"],
        requested_by=ctx.actor.name,
        link=ctx.settings.panel_page(f"/saldo/saques/{row['id']}"),
    )


async def _require_none_in_flight(ctx: Context, executor: Executor) -> None:
    in_flight = await executor.value(FIND_IN_FLIGHT, **ctx.scope)
    if in_flight is not None:
        raise WithdrawalInProgress(id=in_flight)


async def _require_balance(transaction: Executor, own: OwnAccount, amount: int) -> None:
    balance = await read_balance(transaction, own.store_id, own.environment, own.id)
    if amount > balance.on_account:
        raise InsufficientBalance(disponivel=reais_from_centavos(max(balance.on_account, 0)))


async def _delete_reservation(ctx: Context, row: Row, error: EngineError) -> None:
    """Delete a withdrawal that the engine refused: its amount is available again, and the request may be repeated."""
    async with ctx.database.transaction() as transaction:
        if await transaction.value(DELETE_PENDING, withdrawal_id=row["id"]) is not None:
            await record(ctx, transaction, "withdrawal.not_made", row["id"], changes={"error": type(error).__name__})
            await cancel(transaction, _email_data(ctx, row))
            await idempotency.revoke(ctx, transaction)


async def _store_result(ctx: Context, row: Row, transfer: EngineTransfer) -> WithdrawalView:
    await apply_transfer(ctx, row, transfer)
    # Read again: a notification may have come first.
    current = await find_withdrawal(ctx.database, row["id"])
    assert current is not None, "a withdrawal that the engine accepted is never deleted"
    return await _respond(ctx, current)


async def _respond(ctx: Context, row: Row) -> WithdrawalView:
    view = withdrawal_view(row)
    await idempotency.complete(ctx, ctx.database, view)
    return view
