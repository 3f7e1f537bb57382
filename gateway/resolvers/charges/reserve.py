"""Phase 1 of issuing: the issuance, and all that the order takes, committed before any engine is called.

An order that nothing can stand in the way of is one statement. One with a reference of its own, a coupon, a link or a
new customer is one transaction, which takes its use of them (gateway.resolvers.charges.uses) or none of it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Boolean, ColumnElement, FromClause, bindparam, exists, func, not_, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert

from gateway.errors import CouponExhausted, DuplicateReference, LinkClosed, NotFound
from gateway.integrations.engines.interface import (
    Engine,
    Payer,
)
from gateway.models.charges import ChargeStatus, charges, issuances
from gateway.models.database import (
    Executor,
    Row,
    Statement,
    Transaction,
    UniqueViolation,
    columns_of,
    given_rows,
    unflushed,
    violates,
)
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.charges.charge_params import ChargeParams, find_or_create_customer
from gateway.resolvers.charges.expire import expire_one, expire_redemption_holders
from gateway.resolvers.charges.redemptions import may_become_available, next_release_at, redeem_uses
from gateway.resolvers.charges.status import has_expired, has_not_expired, may_end
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.context import Context
from gateway.resolvers.webhooks import outbox
from gateway.values.ids import Id

ISSUANCE_LEASE = timedelta(minutes=2)
"""How long an issuance is its issuer's alone; far beyond the engine's deadline."""
REFERENCE_IN_PROGRESS = (
    "Uma cobrança com este external_reference está sendo emitida agora. Aguarde um instante e envie de novo."
)

_I, _C, _S = issuances, charges, subscriptions
_COLUMNS = (
    "charge_id",
    "user_id",
    "environment",
    "engine",
    "amount",
    "external_reference",
    "coupon_id",
    "payment_link_id",
    "customer_cpf",
    "order_key",
    "subscription_id",
    "billing_cycle",
    "receiving_account_id",
    "fee_amount",
    "settle_after",
    "created_at",
)
_values = {name: bindparam(name, type_=_I.c[name].type) for name in _COLUMNS}
# An engine without a bank loses its entry in the same crash that loses the issuance.
_commit = unflushed(not_(bindparam("engine_has_bank", type_=Boolean())))


def _insert_issuance() -> ReturningInsert[Any]:
    key = idempotency.reserving(_commit)
    issuance = select(*_values.values()).select_from(_commit)
    return (
        insert(_I)
        .from_select(list(_values), issuance.where(or_(idempotency.has_no_key, exists(select(key.c.id)))))
        .returning(outbox.listening(_values["user_id"], _values["environment"]).label("heard"))
    )


RESERVE = Statement(_insert_issuance)
"""The issuance, with the caller's `Idempotency-Key`, if there is one: no row where it is taken. Returns `heard`."""
_CYCLE_COLUMNS = (
    *("charge_id", "user_id", "amount", "subscription_id", "billing_cycle"),
    *("receiving_account_id", "fee_amount"),
)
_PAGE_COLUMNS = ("environment", "engine", "settle_after", "created_at")
"""What the cycles of one page have in common: an array of five hundred equal values costs
what five hundred others do.
"""
_cycles = given_rows("cycle", {name: _I.c[name].type for name in _CYCLE_COLUMNS})


def is_charged(cycle: FromClause) -> ColumnElement[bool]:
    """Whether a `subscription_id` has a charge of its `billing_cycle`."""
    return exists().where(_C.c.subscription_id == cycle.c.subscription_id, _C.c.billing_cycle == cycle.c.billing_cycle)


def _insert_cycle_issuances() -> ReturningInsert[Any]:
    given: dict[str, Any] = {name: _cycles.c[name] for name in _CYCLE_COLUMNS}
    given |= {name: bindparam(f"page_{name}", type_=_I.c[name].type) for name in _PAGE_COLUMNS}
    return (
        insert(_I)
        # In one order, whoever reserves: two runners that met in the middle would wait for each other.
        .from_select(
            list(given),
            select(*given.values())
            .select_from(_cycles, _commit)
            .where(~is_charged(_cycles))
            .order_by(_cycles.c.subscription_id, _cycles.c.billing_cycle),
        )
        .on_conflict_do_nothing(
            index_elements=["subscription_id", "billing_cycle"], index_where=_I.c.subscription_id.is_not(None)
        )
        .returning(_I.c.charge_id)
    )


RESERVE_CYCLES = Statement(_insert_cycle_issuances)
"""The issuances of many cycles of subscriptions, each cycle once: those that are charged, or
being charged, are left out.
"""
CHARGED_CYCLES = Statement(select(_cycles.c.charge_id).where(is_charged(_cycles)))
LOCK_SUBSCRIPTION = Statement(
    select(_S.c.id).where(_S.c.id == bindparam("subscription_id")).with_for_update(read=True, key_share=True)
)
_overdue = may_end & has_expired()
ACTIVE_REFERENCE = Statement(
    select(_C.c.id, _overdue.label("overdue")).where(
        _C.c.user_id == bindparam("user_id"),
        _C.c.environment == bindparam("environment"),
        _C.c.external_reference == bindparam("external_reference"),
        _C.c.status.in_([ChargeStatus.pending.value, ChargeStatus.paid.value]),
    )
)
REFERENCE_OF_ISSUANCE = Statement(
    select(_I.c.charge_id).where(
        _I.c.user_id == bindparam("user_id"),
        _I.c.environment == bindparam("environment"),
        _I.c.external_reference == bindparam("external_reference"),
    )
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
SAME_ORDER = Statement(
    _of_amount.where(_C.c.coupon_id.is_not_distinct_from(bindparam("coupon_id", type_=_C.c.coupon_id.type)))
)
SAME_AMOUNT = Statement(_of_amount)
SAME_PAYER = Statement(_pending)


class Reserved(NamedTuple):
    """What is planned by now, with the customer that its payer is. `heard`: the store has an endpoint to be told at."""

    plan: ChargeParams
    has_subscribers: bool


class OrderRepeated(Exception):  # It is no error: the order has its charge already.
    """The same order was made before, and its charge still waits for payment."""

    def __init__(self, charge_id: Id) -> None:
        super().__init__(charge_id)
        self.charge_id = charge_id


class OrderInProgress(Exception):  # It is no error: the order will have its charge in a moment.
    """The same order is at the engine right now."""


async def reserve_issuance(ctx: Context, plan: ChargeParams, charge_id: Id, engine: Engine) -> Reserved:
    """Commit the issuance. Raises `DuplicateReference`, `CouponExhausted`, `LinkClosed`, `OrderRepeated`,
    `OrderUnderway` and, where the subscription has just gone, `NotFound`; then nothing is taken. The caller's
    `Idempotency-Key` is reserved with it, if that is to be done: `KeyTaken`.
    """
    values = issuance_row(ctx, plan, charge_id, engine)
    if plan.has_no_dependencies:
        row = await idempotency.reserve_by(ctx, RESERVE, **values, engine_has_bank=engine.has_bank)
        return Reserved(plan, row["heard"])
    await idempotency.reserve(ctx)
    while True:
        try:
            reserved = await _reserve_with_dependencies(ctx, plan, values)
        except (CouponExhausted, LinkClosed) as refusal:
            # The uses of charges that have expired are there to be had, though the sweeper hasn't come by.
            if await expire_redemption_holders(ctx, plan.coupon_id, plan.payment_link_id):
                continue
            if await may_become_available(ctx.database, plan.coupon_id, plan.payment_link_id, plan.payer.document):
                refusal.for_now()
            else:
                await _add_release_time(ctx, refusal, plan)
            raise
        # Where it is None, whoever held the reference let it go, or made a charge of it, in the moment between.
        if reserved is not None:
            return reserved


async def reserve_cycles(
    transaction: Transaction, rows: Sequence[Mapping[str, Any]], *, engine_has_bank: bool
) -> dict[str, bool | None]:
    """Write the issuances of subscriptions' cycles (`issuance_of`), all of one environment, whose subscriptions the
    transaction has locked. For each `charge_id`: True where it is reserved, False where its cycle has been charged,
    None where somebody is at it.
    """
    shared = {f"page_{name}": rows[0][name] for name in _PAGE_COLUMNS} | {"engine_has_bank": engine_has_bank}
    reserved = await transaction.all(RESERVE_CYCLES, **columns_of(rows, _CYCLE_COLUMNS, "cycle"), **shared)
    outcome: dict[str, bool | None] = dict.fromkeys((row["charge_id"] for row in rows), None)
    outcome |= dict.fromkeys((row["charge_id"] for row in reserved), True)
    if len(reserved) < len(rows):
        rest = [row for row in rows if not outcome[row["charge_id"]]]
        charged = await transaction.all(CHARGED_CYCLES, **columns_of(rest, _CYCLE_COLUMNS, "cycle"))
        outcome |= dict.fromkeys((row["charge_id"] for row in charged), False)
    return outcome


async def _reserve_with_dependencies(ctx: Context, plan: ChargeParams, values: dict[str, Any]) -> Reserved | None:
    """As `reserve`, or None where the reference has just changed hands."""
    try:
        async with ctx.database.transaction() as transaction:
            has_subscribers = await transaction.value(RESERVE, **values, engine_has_bank=True, **idempotency.NO_KEY)
            return Reserved(await _take_dependencies(ctx, transaction, plan, values), has_subscribers)
    except UniqueViolation as error:
        if violates(error, "uq_issuances_order_key"):
            raise OrderInProgress from None
        if not violates(error, "uq_issuances_external_reference"):
            raise
    if await ctx.database.value(REFERENCE_OF_ISSUANCE, **values) is not None:
        # It is no charge yet, and may become none.
        raise DuplicateReference(REFERENCE_IN_PROGRESS).for_now()
    return None


def issuance_row(ctx: Context, plan: ChargeParams, charge_id: Id, engine: Engine) -> dict[str, Any]:
    """The row of a plan's issuance."""
    return {
        "charge_id": charge_id,
        "user_id": plan.store_id,
        "environment": plan.environment,
        "engine": engine.name,
        "amount": plan.amount,
        "external_reference": plan.external_reference,
        "coupon_id": plan.coupon_id,
        "payment_link_id": plan.payment_link_id,
        "customer_cpf": plan.payer.document if plan.coupon_id else None,
        "order_key": plan.order_key,
        "subscription_id": plan.subscription_id,
        "billing_cycle": plan.billing_cycle,
        "receiving_account_id": plan.receiving_account_id,
        "fee_amount": plan.fee_amount,
        "settle_after": ctx.real_clock.now() + ISSUANCE_LEASE,
        "created_at": ctx.clock.now(),
    }


async def _take_dependencies(
    ctx: Context, transaction: Transaction, plan: ChargeParams, values: Mapping[str, Any]
) -> ChargeParams:
    # Read after the insert has waited for whoever held the same reference or order: nothing can slip between. A
    # repeated order comes first: the reference may be its own charge's.
    await _refuse_repeated_order(transaction, plan, ctx.clock.now())
    lapsed = await _refuse_active_reference(ctx, transaction, values)
    if plan.subscription_id is not None and await transaction.value(LOCK_SUBSCRIPTION, **values) is None:
        raise NotFound("Assinatura não encontrada.")
    await redeem_uses(
        transaction,
        coupon_id=plan.coupon_id,
        payment_link_id=plan.payment_link_id,
        document=plan.payer.document,
        lapsed=lapsed,
    )
    if not plan.creates_customer:
        return plan
    return replace(plan, customer_id=await find_or_create_customer(ctx, transaction, plan.payer))


async def _refuse_active_reference(ctx: Context, transaction: Executor, values: Mapping[str, Any]) -> list[Row]:
    """Refuse a reference that a charge lives under. Returns the charges that turned out to be overdue, now expired."""
    if values["external_reference"] is None:
        return []
    lapsed = []
    for charge in await transaction.all(ACTIVE_REFERENCE, **values, now=ctx.clock.now()):
        # An overdue one that the sweeper hasn't met is as good as expired.
        expired = await expire_one(ctx, transaction, charge["id"], values["user_id"]) if charge["overdue"] else None
        if expired is None:
            raise DuplicateReference(id=charge["id"])
        lapsed.append(expired)
    return lapsed


async def _refuse_repeated_order(transaction: Executor, plan: ChargeParams, now: datetime) -> None:
    if plan.order_key is None:
        return
    repeated = await transaction.value(
        SAME_ORDER,
        payment_link_id=plan.payment_link_id,
        customer_cpf=plan.payer.document,
        customer_email=plan.payer.email,
        coupon_id=plan.coupon_id,
        amount=plan.amount,
        now=now,
    )
    if repeated is not None:
        raise OrderRepeated(repeated)


async def find_pending_charge(
    executor: Executor, link_id: Id, payer: Payer, now: datetime, *, amount: int | None = None
) -> Id | None:
    """The newest charge of the payer at the link that waits for payment, whatever the link costs by now; with
    `amount`, the newest of that amount. A payer is a document and an e-mail address: one alone is known to others.
    """
    whose = {"customer_cpf": payer.document, "customer_email": payer.email}
    statement = SAME_PAYER if amount is None else SAME_AMOUNT
    found: Id | None = await executor.value(
        statement, payment_link_id=link_id, **whose, now=now, **({} if amount is None else {"amount": amount})
    )
    return found


async def _add_release_time(ctx: Context, refusal: CouponExhausted | LinkClosed, plan: ChargeParams) -> None:
    """Say of a refusal until when the missing use is held by charges that wait, if it is."""
    held = partial(next_release_at, ctx.database, ctx.clock.now())
    if isinstance(refusal, LinkClosed):
        until = await held(payment_link_id=plan.payment_link_id)
    elif refusal.of_customer:
        until = await held(coupon_id=plan.coupon_id, document=plan.payer.document)
    else:
        until = await held(coupon_id=plan.coupon_id)
    refusal.hold(until)
