"""`POST /refunds`, in three phases like a withdrawal, so that no engine is called inside a transaction.

1. Reserve: under a lock on the store's balance and on the charge, commit a refund that reserves the amount.
2. Order the refund at the engine, once. Our id goes with it.
3. Store the result. A definite refusal deletes the refund and answers 502. After a lost response it stays `pending`,
   with its amount reserved, until `recover_refunds` learns the outcome.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, delete, exists, func, insert, select

from gateway.errors import (
    ChargeNotPaid,
    InsufficientBalance,
    InvalidInput,
    NotFound,
    RefundTooLarge,
    RefundTooLate,
    RefundUnavailable,
    TestOnly,
)
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown
from gateway.integrations.engines.interface import Engine, NewRefund
from gateway.models.api_keys import Scope
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Row, Statement, Transaction
from gateway.models.reconciliation import DiscrepancyKind, reconciliation_discrepancies
from gateway.models.refunds import REFUND_IN_FLIGHT, RefundStatus, refunds
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.engine_calls import belongs_to_engine
from gateway.resolvers.charges.inputs import WhichCharge
from gateway.resolvers.charges.read import find_charge
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_failures import engine_failure, log_engine_failure, record_account_refusals
from gateway.resolvers.receiving.accounts import load_account
from gateway.resolvers.refunds.transitions import FIND, FIRST_CHECK_AFTER, apply_refund, load_charge
from gateway.resolvers.refunds.types import CreateRefund, RefundView, SimulatedOutcome, refund_view
from gateway.resolvers.withdrawals.balance import is_self_payout, lock_balance, read_balance
from gateway.values.engine_capabilities import Capability
from gateway.values.ids import new_id
from gateway.values.money import reais_from_centavos

MAX_AGE = timedelta(days=90)
"""How long after the payment a Pix may be returned (Regulamento do Pix)."""
DISPUTED = "Este pagamento está em contestação no banco: a devolução seria em dobro. Espere o resultado."
_R, _C, _D = refunds, charges, reconciliation_discrepancies
_COLUMNS = (
    *("id", "user_id", "environment", "charge_id", "amount", "reason", "external_reference", "end_to_end_id"),
    *("engine", "receiving_account_id", "next_attempt_at", "created_at"),
)
RESERVE = Statement(insert(_R).values({name: bindparam(name) for name in _COLUMNS}).returning(*_R.c))
LOCK_CHARGE = Statement(
    select(
        *(_C.c[name] for name in ("id", "status", "amount", "fee_amount", "refunded_amount", "paid_at", "engine")),
        *(_C.c[name] for name in ("end_to_end_id", "receiving_account_id")),
    )
    .where(_C.c.id == bindparam("id"), _C.c.user_id == bindparam("user_id"))
    .with_for_update()
)
_disputes = exists().where(
    _D.c.charge_id == bindparam("id"), _D.c.kind == DiscrepancyKind.chargeback.value, _D.c.resolved_at.is_(None)
)
IN_FLIGHT = Statement(
    select(
        cast(func.coalesce(func.sum(_R.c.amount), 0), BigInteger).label("amount"), _disputes.label("is_disputed")
    ).where(_R.c.charge_id == bindparam("id"), _R.c.status.in_(REFUND_IN_FLIGHT))
)
"""Run after LOCK_CHARGE: only a second statement sees what was committed while that waited."""
DELETE_PENDING = Statement(
    delete(_R).where(_R.c.id == bindparam("refund_id"), _R.c.status == RefundStatus.pending.value).returning(_R.c.id)
)


@operation("refunds.create", Permission.finance, idempotent=True, scope=Scope.refunds)
async def create_refund(ctx: Context, order: CreateRefund) -> RefundView:
    """Return money to the payer of a charge. Raises `ChargeNotPaid`, `RefundTooLate`, `RefundTooLarge`,
    `RefundUnavailable`, `InsufficientBalance` and `EngineFailed`.
    """
    engine = ctx.services.engines.of(ctx.environment)
    if order.simulate is not None and engine.has_bank:
        raise TestOnly("Só o simulador, em teste, escolhe o resultado de uma devolução.")
    if order.charge_id is None and order.txid is None:
        raise InvalidInput(("charge_id", "informe charge_id ou txid"))
    charge = await find_charge(ctx, WhichCharge(id=order.charge_id, txid=order.txid))
    if order.txid not in {None, charge.txid}:
        raise NotFound("Nenhuma cobrança tem este charge_id e este txid.")
    row = await _reserve(ctx, order, charge.id, engine)
    stored = await load_charge(ctx, row)
    account = await load_account(ctx, row["receiving_account_id"])
    rejected = order.simulate is SimulatedOutcome.rejected
    request = NewRefund(
        *(row["id"], stored["engine_id"], row["end_to_end_id"], row["amount"], row["reason"], account, rejected)
    )
    try:
        found = await engine.create_refund(request)
    except EngineOutcomeUnknown as error:
        log_engine_failure(engine, error)
    except EngineError as error:
        log_engine_failure(engine, error)
        await _delete_reservation(ctx, row, error)
        await record_account_refusals(ctx, engine, ctx.environment, [(account, error)])
        raise engine_failure(error) from error
    else:
        await apply_refund(ctx, row, stored, found)
    return await _respond(ctx, row)


async def _reserve(ctx: Context, order: CreateRefund, charge_id: str, engine: Engine) -> Row:
    async with ctx.database.transaction() as transaction:
        # One order of a store at a time, so that a withdrawal cannot spend the same balance.
        await lock_balance(transaction, ctx.store_id, ctx.environment)
        charge = await transaction.one(LOCK_CHARGE, id=charge_id, user_id=ctx.store_id)
        assert charge is not None, "charges are never deleted"
        amount = await _validate(ctx, transaction, order, charge, engine)
        row = await transaction.single(
            RESERVE,
            id=new_id(),
            **ctx.scope,
            charge_id=charge_id,
            amount=amount,
            reason=order.reason,
            external_reference=order.external_reference,
            end_to_end_id=charge["end_to_end_id"],
            engine=engine.name,
            receiving_account_id=charge["receiving_account_id"],
            next_attempt_at=ctx.real_clock.now() + FIRST_CHECK_AFTER,
            created_at=ctx.clock.now(),
        )
        values: dict[str, Any] = {"amount": reais_from_centavos(amount), "charge_id": charge_id}
        await record(ctx, transaction, "refund.requested", row["id"], changes=values)
        await idempotency.save_result(ctx, transaction, refund_view(row))
    return row


async def _validate(ctx: Context, transaction: Transaction, order: CreateRefund, charge: Row, engine: Engine) -> int:
    """The amount to refund, in centavos, if the locked charge allows it."""
    if charge["status"] not in {ChargeStatus.paid, ChargeStatus.refunded}:
        raise ChargeNotPaid
    if Capability.refunds not in engine.capabilities or not belongs_to_engine(engine, charge):
        raise RefundUnavailable
    in_flight = await transaction.single(IN_FLIGHT, id=charge["id"])
    if in_flight["is_disputed"]:
        raise RefundUnavailable(DISPUTED)
    if ctx.clock.now() - charge["paid_at"] > MAX_AGE:
        raise RefundTooLate
    left = charge["amount"] - charge["refunded_amount"] - in_flight["amount"]
    amount: int = left if order.amount is None else order.amount
    if left <= 0 or amount > left:
        raise RefundTooLarge(left)
    if charge["receiving_account_id"] is not None and is_self_payout(ctx.settings.receiving_mode):
        balance = await read_balance(transaction, ctx.store_id, ctx.environment, charge["receiving_account_id"])
        # A charge that is refunded in full gives the service's fee back, too.
        available = balance.on_account + (charge["fee_amount"] if amount == left else 0)
        if amount > available:
            raise InsufficientBalance(disponivel=reais_from_centavos(max(available, 0)))
    return amount


async def _delete_reservation(ctx: Context, row: Row, error: EngineError) -> None:
    """Delete a refund that the engine refused: its amount is free again, and the request may be repeated."""
    async with ctx.database.transaction() as transaction:
        if await transaction.value(DELETE_PENDING, refund_id=row["id"]) is not None:
            await record(ctx, transaction, "refund.not_made", row["id"], changes={"error": type(error).__name__})
            await idempotency.revoke(ctx, transaction)


async def _respond(ctx: Context, row: Row) -> RefundView:
    # Read again: a notification may have come first.
    current = await ctx.database.one(FIND, refund_id=row["id"])
    assert current is not None, "a refund that the engine accepted is never deleted"
    view = refund_view(current)
    await idempotency.complete(ctx, ctx.database, view)
    return view
