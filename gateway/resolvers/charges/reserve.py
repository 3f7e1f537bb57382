"""Phase 1 of creating a charge: commit the issuance and everything the order takes, before any engine call (ADR 0005).

An order without dependencies is one statement. An order with an external reference, a coupon, a payment link or a new
customer is one transaction, which takes all of them or nothing (`redemptions`).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Boolean, bindparam, exists, func, not_, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert

from gateway.errors import CouponExhausted, DuplicateReference, NotFound, PaymentLinkInactive
from gateway.integrations.engines.interface import Engine, Payer
from gateway.models.charges import ChargeStatus, charges, issuances
from gateway.models.database import (
    Executor,
    Row,
    Statement,
    Transaction,
    UniqueViolation,
    synchronous_commit_off,
    violates,
)
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.charges.charge_params import ChargeParams, find_or_create_customer
from gateway.resolvers.charges.expire import expire_one, expire_redemption_holders
from gateway.resolvers.charges.redemptions import may_become_available, next_release_at, redeem_uses
from gateway.resolvers.charges.status import has_expired, has_not_expired, may_end
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.store_rows import of_store
from gateway.resolvers.webhooks import outbox
from gateway.values.ids import Id, new_txid

ISSUANCE_LEASE = timedelta(minutes=2)
"""The recovery waits this long before it takes an issuance over; far longer than the engine's deadline."""
REFERENCE_IN_PROGRESS = (
    "Uma cobrança com este external_reference está sendo emitida agora. Aguarde um instante e envie de novo."
)

_I, _C, _S = issuances, charges, subscriptions
_COPIED = (
    *("environment", "amount", "external_reference", "coupon_id", "payment_link_id", "order_key"),
    *("subscription_id", "billing_cycle", "receiving_account_id", "fee_amount"),
)
"""The columns that have the names of `ChargeParams`."""
_COLUMNS = ("charge_id", "txid", "user_id", "engine", "customer_cpf", "next_attempt_at", "created_at", *_COPIED)
_values = {name: bindparam(name, type_=_I.c[name].type) for name in _COLUMNS}
# An engine without a bank need not be durable: a crash that loses the issuance loses the engine's entry too.
_commit = synchronous_commit_off(not_(bindparam("durable", type_=Boolean())))


def _insert_issuance() -> ReturningInsert[Any]:
    key = idempotency.insert_key(_commit)
    issuance = select(*_values.values()).select_from(_commit)
    return (
        insert(_I)
        .from_select(list(_values), issuance.where(or_(idempotency.has_no_key, exists(select(key.c.id)))))
        .returning(outbox.has_subscribers(_values["user_id"], _values["environment"]).label("has_subscribers"))
    )


RESERVE = Statement(_insert_issuance)
"""Insert the issuance, and the caller's `Idempotency-Key`, if there is one. No row if the key exists. Returns whether
the store `has_subscribers`.
"""
LOCK_SUBSCRIPTION = Statement(
    select(_S.c.id).where(_S.c.id == bindparam("subscription_id")).with_for_update(read=True, key_share=True)
)
_overdue = may_end & has_expired()
ACTIVE_REFERENCE = Statement(
    select(_C.c.id, _overdue.label("overdue")).where(
        *of_store(_C),
        _C.c.external_reference == bindparam("external_reference"),
        _C.c.status.in_([ChargeStatus.pending.value, ChargeStatus.paid.value]),
    )
)
REFERENCE_OF_ISSUANCE = Statement(
    select(_I.c.charge_id).where(*of_store(_I), _I.c.external_reference == bindparam("external_reference"))
)
_pending = (
    select(_C.c.id)
    .where(
        _C.c.payment_link_id == bindparam("payment_link_id"),
        _C.c.customer_cpf == bindparam("customer_cpf"),
        func.lower(_C.c.customer_email) == func.lower(bindparam("customer_email", type_=_C.c.customer_email.type)),
        _C.c.status == ChargeStatus.pending.value,
        has_not_expired(),
    )
    .order_by(_C.c.created_at.desc())
    .limit(1)
)
_of_amount = _pending.where(_C.c.amount == bindparam("amount"))
SAME_ORDER = Statement(_of_amount.where(_C.c.coupon_id.is_not_distinct_from(bindparam("coupon_id"))))
SAME_AMOUNT = Statement(_of_amount)
SAME_PAYER = Statement(_pending)


class Issuance(NamedTuple):
    """A committed issuance. `params` name the customer that was found or created for the payer."""

    charge_id: Id
    txid: str
    params: ChargeParams
    has_subscribers: bool


class OrderRepeated(Exception):  # Not an error: the order has its charge already.
    """The same order was placed before, and its charge is pending."""

    def __init__(self, charge_id: Id) -> None:
        super().__init__(charge_id)
        self.charge_id = charge_id


class OrderInProgress(Exception):  # Not an error: the order will have its charge soon.
    """The same order is at the engine now."""


async def reserve_issuance(ctx: Context, params: ChargeParams, charge_id: Id, engine: Engine) -> Issuance:
    """Commit the issuance, and reserve the caller's `Idempotency-Key`. Raises `DuplicateReference`, `CouponExhausted`,
    `PaymentLinkInactive`, `OrderRepeated`, `OrderInProgress` and `KeyInUse`, and `NotFound` if the subscription was
    deleted. Nothing is taken then.
    """
    txid = new_txid(charge_id)
    values = issuance_row(ctx, params, charge_id, txid, engine)
    if params.has_no_dependencies:
        row = await idempotency.reserve_with(ctx, RESERVE, **values, durable=engine.has_bank)
        return Issuance(charge_id, txid, params, row["has_subscribers"])
    await idempotency.reserve(ctx)
    while True:
        try:
            issuance = await _reserve_with_dependencies(ctx, params, values)
        except (CouponExhausted, PaymentLinkInactive) as refusal:
            # Expired charges may hold uses that the periodic job has not released yet.
            if await expire_redemption_holders(ctx, params.coupon_id, params.payment_link_id):
                continue
            if await may_become_available(ctx.database, params):
                refusal.retryable()
            else:
                await _add_release_time(ctx, refusal, params)
            raise
        # None: the reference was released, or became a charge, between the two statements.
        if issuance is not None:
            return issuance


async def _reserve_with_dependencies(ctx: Context, params: ChargeParams, values: dict[str, Any]) -> Issuance | None:
    """As `reserve_issuance`, or None if another order released the reference in the meantime."""
    try:
        async with ctx.database.transaction() as transaction:
            has_subscribers = await transaction.value(RESERVE, **values, durable=True, **idempotency.NO_KEY)
            params = await _take_dependencies(ctx, transaction, params, values)
            return Issuance(values["charge_id"], values["txid"], params, has_subscribers)
    except UniqueViolation as error:
        if violates(error, "uq_issuances_order_key"):
            raise OrderInProgress from None
        if not violates(error, "uq_issuances_external_reference"):
            raise
    if await ctx.database.value(REFERENCE_OF_ISSUANCE, **values) is not None:
        # Not a charge yet, so the refusal names no id.
        raise DuplicateReference(REFERENCE_IN_PROGRESS).retryable()
    return None


def issuance_row(ctx: Context, params: ChargeParams, charge_id: Id, txid: str, engine: Engine) -> dict[str, Any]:
    """The row of an issuance."""
    return {
        "charge_id": charge_id,
        "txid": txid,
        "user_id": params.store_id,
        "engine": engine.name,
        "customer_cpf": params.payer.document if params.coupon_id else None,
        **{name: getattr(params, name) for name in _COPIED},
        "next_attempt_at": ctx.real_clock.now() + ISSUANCE_LEASE,
        "created_at": ctx.clock.now(),
    }


async def _take_dependencies(
    ctx: Context, transaction: Transaction, params: ChargeParams, values: Mapping[str, Any]
) -> ChargeParams:
    # The insert has waited for other orders with the same reference or order key, so these reads are current. A
    # repeated order is checked first: the reference may belong to its own charge.
    await _refuse_repeated_order(transaction, params, ctx.clock.now())
    expired = await _refuse_active_reference(ctx, transaction, values)
    if params.subscription_id is not None and await transaction.value(LOCK_SUBSCRIPTION, **values) is None:
        raise NotFound("Assinatura não encontrada.")
    await redeem_uses(transaction, params, expired)
    if not params.creates_customer:
        return params
    return replace(params, customer_id=await find_or_create_customer(ctx, transaction, params.payer))


async def _refuse_active_reference(ctx: Context, transaction: Executor, values: Mapping[str, Any]) -> list[Row]:
    """Refuse a reference of a pending or paid charge. Returns the overdue charges with the reference, now expired."""
    if values["external_reference"] is None:
        return []
    active = await transaction.all(ACTIVE_REFERENCE, **values, now=ctx.clock.now())
    # The periodic job may not have marked an overdue charge yet, or may just be marking it.
    overdue = [charge["id"] for charge in active if charge["overdue"]]
    expired = [await expire_one(ctx, transaction, charge_id, values["user_id"]) for charge_id in overdue]
    if overdue:
        active = await transaction.all(ACTIVE_REFERENCE, **values, now=ctx.clock.now())
    if active:
        raise DuplicateReference(id=active[0]["id"])
    return [row for row in expired if row is not None]


async def _refuse_repeated_order(transaction: Executor, params: ChargeParams, now: datetime) -> None:
    if params.order_key is None:
        return
    repeated = await transaction.value(
        SAME_ORDER,
        payment_link_id=params.payment_link_id,
        customer_cpf=params.payer.document,
        customer_email=params.payer.email,
        coupon_id=params.coupon_id,
        amount=params.amount,
        now=now,
    )
    if repeated is not None:
        raise OrderRepeated(repeated)


async def find_pending_charge(
    executor: Executor, link_id: Id, payer: Payer, now: datetime, *, amount: int | None = None
) -> Id | None:
    """The payer's newest pending charge of the link; with `amount`, the newest of that amount. A payer is a document
    and an email address: one alone may be known to others.
    """
    whose = {"customer_cpf": payer.document, "customer_email": payer.email}
    statement = SAME_PAYER if amount is None else SAME_AMOUNT
    found: Id | None = await executor.value(statement, payment_link_id=link_id, **whose, now=now, amount=amount)
    return found


async def _add_release_time(ctx: Context, refusal: CouponExhausted | PaymentLinkInactive, params: ChargeParams) -> None:
    """Add to the refusal when the next use may be released by a pending charge, if any holds one."""
    next_release = partial(next_release_at, ctx.database, ctx.clock.now())
    if isinstance(refusal, PaymentLinkInactive):
        until = await next_release(payment_link_id=params.payment_link_id)
    elif refusal.of_customer:
        until = await next_release(coupon_id=params.coupon_id, document=params.payer.document)
    else:
        until = await next_release(coupon_id=params.coupon_id)
    refusal.hold(until)
