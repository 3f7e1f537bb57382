"""`POST /withdrawals`, in three phases like issuing a charge, so that no engine is called
inside a transaction.

1. `_reserve`: under a lock on the store's balance, commit a withdrawal that holds its amount.
2. The engine is asked for the transfer, once and never again.
3. Its answer is written down. What surely wasn't made is unmade here, and the caller gets a 502. An answer that was
   lost leaves the withdrawal `pending`, with its money held, until the engine can say (`settle_withdrawals`).

Only then the answer is stored under an `Idempotency-Key`. Until then it is promised: a repeat hears that the request is
running, and is shown the same withdrawal if the process has died.
"""

from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select

from gateway.errors import InsufficientBalance, ManualRepayment, SubaccountMissing, WithdrawalUnderway
from gateway.integrations.engines.port import Account, Engine, EngineError, EngineTransfer, EngineUnknown, NewTransfer
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.resolvers.account_refusals import remember_refusals
from gateway.resolvers.audit.trail import record
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission, require_live_approval
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import failed
from gateway.resolvers.mail.facts import WithdrawalRequested
from gateway.resolvers.mail.outbox import Letter, discard, queue
from gateway.resolvers.receiving.accounts import Approval, OwnAccount, account_of
from gateway.resolvers.receiving.views import block
from gateway.resolvers.withdrawals.balance import pays_by_itself, read_balance
from gateway.resolvers.withdrawals.inputs import RequestWithdrawal
from gateway.resolvers.withdrawals.outcomes import FIRST_LOOK, apply, find_withdrawal
from gateway.resolvers.withdrawals.pix_keys import mask_key, normalise_key
from gateway.resolvers.withdrawals.views import WithdrawalView, withdrawal_view
from gateway.values.ids import new_id
from gateway.values.money import reais_from_centavos

_W = withdrawals
_GIVEN = (
    *("id", "user_id", "environment", "amount", "pix_key", "pix_key_type", "description", "external_reference"),
    *("engine", "receiving_account_id", "settle_after", "created_at"),
)
UNTIL_TOLD = 60.0
"""Seconds until the holder is told: what the engine refuses at once was never a withdrawal."""
NO_ACCOUNT = "A loja ainda não abriu a conta de recebimento, de onde sairia o saque."
QUEUE = Statement(select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("balance_of"), 0))))
UNDERWAY = Statement(
    select(_W.c.id).where(
        _W.c.user_id == bindparam("user_id"),
        _W.c.environment == bindparam("environment"),
        _W.c.status.in_(IN_FLIGHT),
    )
)
RESERVE = Statement(
    insert(_W).values({name: bindparam(name, type_=_W.c[name].type) for name in _GIVEN}).returning(*_W.c)
)
UNMAKE = Statement(
    delete(_W)
    .where(_W.c.id == bindparam("withdrawal_id"), _W.c.status == WithdrawalStatus.pending.value)
    .returning(_W.c.id)
)


def may_withdraw(ctx: Context) -> None:
    """Whether there is anything to ask for at all. Raises `ManualRepayment`, and `LiveNotApproved` in live."""
    if not pays_by_itself(ctx.settings.receiving_mode):
        raise ManualRepayment
    require_live_approval(ctx.actor)


@operation("withdrawals.request", Permission.finance, creates=True, premise=may_withdraw, scope=Scope.withdrawals)
async def request_withdrawal(ctx: Context, order: RequestWithdrawal) -> WithdrawalView:
    """Take money out of the store's balance to a Pix key. Raises `InvalidPixKey`, `WithdrawalUnderway`,
    `InsufficientBalance`, `SubaccountMissing` and `EngineFailed`.
    """
    key = normalise_key(order.pix_key_type, order.pix_key)
    own = await account_of(ctx, ctx.store_id, ctx.environment)
    if own is None:
        raise SubaccountMissing(NO_ACCOUNT, aprovacao=block(Approval()))
    # Asked before the lock, too, so that a crowd doesn't stand in line for it with a connection each.
    await _refuse_a_second(ctx.database, _scope(ctx))
    engine = ctx.services.engines.of(ctx.environment)
    row = await _reserve(ctx, order, key, own, engine)
    try:
        held = await engine.create_transfer(new_transfer_of(row, own.account))
    except EngineUnknown as error:
        log_engine_failure(engine, error)
        return await _conclude(ctx, row)
    except EngineError as error:
        log_engine_failure(engine, error)
        await _unmake(ctx, row, error)
        await remember_refusals(ctx, engine, ctx.environment, [(own.account, error)])
        raise failed(error) from error
    return await _write_down(ctx, row, held)


def new_transfer_of(row: Row, account: Account | None) -> NewTransfer:
    """What the engine is asked for."""
    kind = PixKeyType(row["pix_key_type"])
    return NewTransfer(row["id"], row["amount"], row["pix_key"], kind, row["description"], account)


async def _reserve(ctx: Context, order: RequestWithdrawal, key: str, own: OwnAccount, engine: Engine) -> Row:
    scope, now = _scope(ctx), ctx.real_clock.now()
    async with ctx.database.transaction() as transaction:
        # One request of a store at a time, so that two can't both see the money for one.
        await transaction.value(QUEUE, balance_of=f"withdrawal {ctx.environment} {ctx.store_id}")
        await _refuse_a_second(transaction, scope)
        await _refuse_too_much(transaction, own, order.amount)
        row = await transaction.one(
            RESERVE,
            **scope,
            id=new_id(),
            amount=order.amount,
            pix_key=key,
            pix_key_type=order.pix_key_type,
            description=order.description,
            external_reference=order.external_reference,
            engine=engine.name,
            receiving_account_id=own.id,
            settle_after=now + FIRST_LOOK,
            created_at=now,
        )
        assert row is not None
        told = {"amount": reais_from_centavos(order.amount), "pix_key": mask_key(order.pix_key_type, key)}
        changes = {name: {"from": None, "to": value} for name, value in told.items()}
        await record(ctx, transaction, "withdrawal.requested", row["id"], changes=changes)
        await queue(ctx, transaction, Letter(_told(ctx, row), ctx.store_id, ctx.environment, wait=UNTIL_TOLD))
        await idempotency.promise(ctx, transaction, withdrawal_view(row))
    return row


def _told(ctx: Context, row: Row) -> WithdrawalRequested:
    return WithdrawalRequested(
        withdrawal_id=row["id"],
        environment=row["environment"],
        amount=row["amount"],
        pix_key=mask_key(row["pix_key_type"], row["pix_key"]),
        at=row["created_at"],
        asked_by=ctx.actor.name,
    )


def _scope(ctx: Context) -> dict[str, Any]:
    return {"user_id": ctx.store_id, "environment": ctx.environment}


async def _refuse_a_second(executor: Executor, scope: dict[str, Any]) -> None:
    underway = await executor.value(UNDERWAY, **scope)
    if underway is not None:
        raise WithdrawalUnderway(id=underway)


async def _refuse_too_much(transaction: Executor, own: OwnAccount, amount: int) -> None:
    balance = await read_balance(transaction, own.store_id, own.environment, own.id)
    if amount > balance.on_account:
        raise InsufficientBalance(disponivel=reais_from_centavos(max(balance.on_account, 0)))


async def _unmake(ctx: Context, row: Row, error: EngineError) -> None:
    """Nothing was made at the engine: the money is free again, and the same order may be sent again."""
    async with ctx.database.transaction() as transaction:
        if await transaction.value(UNMAKE, withdrawal_id=row["id"]) is not None:
            told = {"error": {"from": None, "to": type(error).__name__}}
            await record(ctx, transaction, "withdrawal.not_made", row["id"], changes=told)
            await discard(transaction, _told(ctx, row))
            await idempotency.revoke(ctx, transaction)


async def _write_down(ctx: Context, row: Row, held: EngineTransfer) -> WithdrawalView:
    await apply(ctx, row, held)
    # Read anew: a notice may have been quicker than the answer.
    now = await find_withdrawal(ctx.database, row["id"])
    assert now is not None, "what the engine has taken on is never unmade"
    return await _conclude(ctx, now)


async def _conclude(ctx: Context, row: Row) -> WithdrawalView:
    view = withdrawal_view(row)
    await idempotency.conclude(ctx, ctx.database, view)
    return view
