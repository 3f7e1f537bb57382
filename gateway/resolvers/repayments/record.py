"""Record, conclude and discard repayments: what the service pays to merchants in single-account mode.

A charge is in at most one repayment, because its id is the primary key of `repaid_charges`. The service's fee is
deducted here (specification section 1, rule 6), with the formula of `service_fee`. What a store received for charges
refunded later, also in part, is deducted from its next repayment.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Numeric,
    bindparam,
    case,
    cast,
    delete,
    func,
    literal_column,
    select,
    true,
    update,
)
from sqlalchemy import insert as plain_insert
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import Conflict, NotFound
from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.charges import ChargeStatus, charges
from gateway.models.database import Executor, Statement
from gateway.models.reconciliation import reconciliation_discrepancies
from gateway.models.refunds import REFUND_IN_FLIGHT, refunds
from gateway.models.repayments import RepaymentStatus, deducted_charges, repaid_charges, repayments
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.receiving.account_for_charge import fixed_fee
from gateway.resolvers.repayments.types import (
    REPAYMENT_COLUMNS,
    ConcludeRepayment,
    RecordRepayment,
    RepaymentView,
    WhichRepayment,
)
from gateway.resolvers.staff.access import refuse_own_store
from gateway.resolvers.withdrawals.balance import lock_balance
from gateway.values.formatting import reais
from gateway.values.ids import Id, new_id
from gateway.values.money import reais_from_centavos

MISSING = "Repasse não encontrado."
NOTHING = "Não há cobranças pagas a repassar a esta loja neste período."
REFUNDED = "Há cobranças deste repasse que foram devolvidas. Descarte-o e anote de novo."
OWN_STORE = "Ninguém decide sobre o repasse da própria loja."
DISPUTED = "Há diferenças em aberto com o provedor sobre {count} das cobranças deste repasse: veja-as antes de pagar."
OUTSTANDING = "A loja ainda deve {owed} por cobranças devolvidas depois de repassadas, que este repasse não desconta."
DUPLICATE_END_TO_END_ID = "Este EndToEndId já está anotado em outro repasse."
_C, _D, _R, _P, _B = charges, reconciliation_discrepancies, repayments, repaid_charges, deducted_charges
_percent = bindparam("fee_percent", type_=Numeric())
_fixed = bindparam("fee_fixed", type_=BigInteger())
# PostgreSQL rounds numeric half away from zero: half up for positive amounts.
_fee = func.least(_C.c.amount, cast(func.round(_C.c.amount * _percent / literal_column("100")), BigInteger) + _fixed)
_repayable = _C.c.amount - _C.c.refunded_amount
_in_flight = select(refunds.c.id).where(refunds.c.charge_id == _C.c.id, refunds.c.status.in_(REFUND_IN_FLIGHT)).exists()
_outstanding = select(
    _C.c.id, bindparam("repayment_id", type_=_R.c.id.type), _repayable, func.least(_repayable, _fee)
).where(
    _C.c.user_id == bindparam("store_id"),
    _C.c.environment == Environment.live.value,
    _C.c.status == ChargeStatus.paid.value,
    _C.c.receiving_account_id.is_(None),
    _C.c.paid_at >= bindparam("paid_from"),
    _C.c.paid_at <= bindparam("paid_to"),
    ~select(_P.c.charge_id).where(_P.c.charge_id == _C.c.id).exists(),
    ~_in_flight,
)
_taken = (
    insert(_P)
    # Ordered, to avoid deadlocks between transactions.
    .from_select(["charge_id", "repayment_id", "amount", "fee"], _outstanding.order_by(_C.c.id))
    .on_conflict_do_nothing(index_elements=["charge_id"])
    .returning(_P.c.amount, _P.c.fee)
    .cte("taken")
)
_deducted_before = (
    select(func.coalesce(cast(func.sum(_B.c.amount), BigInteger), 0)).where(_B.c.charge_id == _C.c.id).scalar_subquery()
)
_outstanding_amount = _P.c.amount - _repayable - _deducted_before
_refunded = (
    select(
        _C.c.id,
        _outstanding_amount.label("amount"),
        # The service's fee comes back when all is refunded.
        case((_C.c.status == ChargeStatus.refunded.value, func.least(_P.c.fee, _outstanding_amount)), else_=0).label(
            "fee"
        ),
    )
    .select_from(_C.join(_P, _P.c.charge_id == _C.c.id).join(_R, _R.c.id == _P.c.repayment_id))
    .where(
        _C.c.user_id == bindparam("store_id"),
        _C.c.environment == Environment.live.value,
        _C.c.refunded_amount > 0,
        _R.c.status == RepaymentStatus.done.value,
        _outstanding_amount > 0,
    )
    .subquery("refunded")
)
"""What the store had received of charges that were refunded afterwards, and that is not deducted yet."""
_paid_out = _refunded.c.amount - _refunded.c.fee
_debts = select(
    _refunded,
    # Smallest first, so that one that exceeds this repayment does not block the others.
    func.sum(_paid_out).over(order_by=(_paid_out, _refunded.c.id)).label("running_total"),
).subquery("debts")
_deducted = (
    insert(_B)
    .from_select(
        ["charge_id", "repayment_id", "amount", "fee"],
        select(_debts.c.id, bindparam("repayment_id", type_=_R.c.id.type), _debts.c.amount, _debts.c.fee)
        .where(
            bindparam("deduct", type_=Boolean),
            _debts.c.running_total <= select(func.sum(_taken.c.amount - _taken.c.fee)).scalar_subquery(),
        )
        .order_by(_debts.c.id),
    )
    .returning(_B.c.amount, _B.c.fee)
    .cte("deducted")
)


def _total(value: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value), literal_column("0")), BigInteger)


_sums = select(
    _total(_taken.c.amount).label("gross"), _total(_taken.c.fee).label("fee"), func.count().label("count")
).cte("sums")
_deductions = (
    select(
        _total(_deducted.c.amount).label("gross"),
        _total(_deducted.c.amount - _deducted.c.fee).label("net"),
        func.count().label("count"),
    )
    .select_from(_deducted)
    .cte("deductions")
)
_new: dict[str, Any] = {
    "id": bindparam("repayment_id", type_=_R.c.id.type),
    "user_id": bindparam("store_id", type_=_R.c.user_id.type),
    "environment": literal_column(f"'{Environment.live}'"),
    **{name: bindparam(name, type_=_R.c[name].type) for name in ("paid_from", "paid_to", "recorded_by", "created_at")},
    "gross": _sums.c.gross,
    "fee": _sums.c.fee,
    "deducted": _deductions.c.net,
    "deducted_gross": _deductions.c.gross,
    "net": _sums.c.gross - _sums.c.fee - _deductions.c.net,
    "charges_count": _sums.c.count,
    "deducted_count": _deductions.c.count,
}
RECORD_REPAYMENT = Statement(
    plain_insert(_R)
    .from_select(
        list(_new),
        select(*_new.values()).select_from(_sums.join(_deductions, true())).where(_sums.c.count > literal_column("0")),
    )
    .returning(_R.c.id)
)
STORE = Statement(select(users.c.id).where(users.c.id == bindparam("store_id")))
FIND = Statement(select(*REPAYMENT_COLUMNS).where(_R.c.id == bindparam("id")))
LOCK = Statement(select(_R.c.status).where(_R.c.id == bindparam("id")).with_for_update())
COUNT_REFUNDED = Statement(
    select(func.count())
    .select_from(_P.join(_C, _C.c.id == _P.c.charge_id))
    .where(_P.c.repayment_id == bindparam("id"), _P.c.amount != _repayable)
)
FIND_WARNINGS = Statement(
    select(
        select(func.count(_D.c.charge_id.distinct()))
        .select_from(_D.join(_P, _P.c.charge_id == _D.c.charge_id))
        .where(_D.c.resolved_at.is_(None), _D.c.user_id == bindparam("store_id"), _P.c.repayment_id == bindparam("id"))
        .scalar_subquery()
        .label("disputed"),
        select(_R.c.id)
        .where(_R.c.end_to_end_id == bindparam("end_to_end_id"), _R.c.id != bindparam("id"))
        .exists()
        .label("duplicate_id"),
        select(_total(_paid_out)).scalar_subquery().label("outstanding"),
    )
)
COMPLETE = Statement(
    update(_R)
    .where(_R.c.id == bindparam("repayment"))
    .values(
        status=RepaymentStatus.done.value,
        end_to_end_id=bindparam("new_end_to_end_id"),
        concluded_by=bindparam("who"),
        concluded_at=bindparam("now"),
    )
)
DISCARD = Statement(update(_R).where(_R.c.id == bindparam("repayment")).values(status=RepaymentStatus.discarded.value))
RELEASE_CHARGES = Statement(
    delete(_P)
    .where(_P.c.repayment_id == bindparam("repayment"))
    .add_cte(delete(_B).where(_B.c.repayment_id == bindparam("repayment")).cte("released"))
)


@operation("repayments.record", Permission.staff, idempotent=True)
async def record_repayment(ctx: Context, order: RecordRepayment) -> RepaymentView:
    """Record a repayment of a store's paid live charges of a period: those on the service's main account that are in
    no other repayment, less outstanding deductions up to that amount. Raises `Conflict` where there are none.
    """
    if await ctx.database.value(STORE, store_id=order.store_id) is None:
        raise NotFound("Lojista não encontrado.")
    await refuse_own_store(ctx, order.store_id, OWN_STORE)
    repayment_id = new_id()
    async with ctx.database.transaction() as transaction:
        # One repayment of a store at a time, so that two cannot deduct the same refund.
        await lock_balance(transaction, order.store_id, Environment.live)
        recorded = await transaction.value(
            RECORD_REPAYMENT,
            repayment_id=repayment_id,
            store_id=order.store_id,
            paid_from=order.paid_from,
            paid_to=order.paid_to,
            fee_percent=ctx.settings.service_fee_percent,
            fee_fixed=fixed_fee(ctx.settings),
            deduct=order.deduct_refunds,
            recorded_by=ctx.actor.user_id,
            created_at=ctx.real_clock.now(),
        )
        if recorded is None:
            raise Conflict(NOTHING).retryable()
        view = await find_repayment(transaction, repayment_id)
        await _warn(ctx, transaction, view)
        await _audit(ctx, transaction, "repayment.recorded", view)
        await idempotency.complete(ctx, transaction, view)
    return view


@operation("repayments.conclude", Permission.staff)
async def conclude_repayment(ctx: Context, order: ConcludeRepayment) -> RepaymentView:
    """Mark a repayment done. Raises `Conflict` where one of its charges was refunded since, or it is not `recorded`."""
    await _refuse_own_repayment(ctx, order.id)
    async with ctx.database.transaction() as transaction:
        await _lock(transaction, order.id)
        if await transaction.value(COUNT_REFUNDED, id=order.id):
            raise Conflict(REFUNDED)
        values = {"new_end_to_end_id": order.end_to_end_id, "who": ctx.actor.user_id, "now": ctx.real_clock.now()}
        await transaction.run(COMPLETE, repayment=order.id, **values)
        view = await find_repayment(transaction, order.id)
        await _warn(ctx, transaction, view)
        await _audit(ctx, transaction, "repayment.concluded", view)
    return view


@operation("repayments.discard", Permission.staff)
async def discard_repayment(ctx: Context, which: WhichRepayment) -> RepaymentView:
    """Discard a recorded repayment, which releases its charges for another. Raises `Conflict`."""
    await _refuse_own_repayment(ctx, which.id)
    async with ctx.database.transaction() as transaction:
        await _lock(transaction, which.id)
        await transaction.run(RELEASE_CHARGES, repayment=which.id)
        await transaction.run(DISCARD, repayment=which.id)
        view = await find_repayment(transaction, which.id)
        await _audit(ctx, transaction, "repayment.discarded", view)
    return view


async def _refuse_own_repayment(ctx: Context, repayment_id: Id) -> None:
    view = await find_repayment(ctx.database, repayment_id)
    await refuse_own_store(ctx, view.user_id, OWN_STORE)


async def _lock(transaction: Executor, repayment_id: Id) -> None:
    if await transaction.value(LOCK, id=repayment_id) != RepaymentStatus.recorded:
        raise Conflict("Este repasse já foi concluído ou descartado.")


async def find_repayment(executor: Executor, repayment_id: Id) -> RepaymentView:
    """The repayment, of any store. Raises `NotFound`."""
    row = await executor.one(FIND, id=repayment_id)
    if row is None:
        raise NotFound(MISSING)
    return RepaymentView.of(row)


async def _warn(ctx: Context, transaction: Executor, view: RepaymentView) -> None:
    """Add warnings to the response. One transfer may pay two repayments, so a duplicate EndToEndId is no error."""
    found = await transaction.single(FIND_WARNINGS, id=view.id, store_id=view.user_id, end_to_end_id=view.end_to_end_id)
    if found["disputed"]:
        ctx.reply.notices.append(DISPUTED.format(count=found["disputed"]))
    if found["outstanding"]:
        ctx.reply.notices.append(OUTSTANDING.format(owed=reais(found["outstanding"])))
    if found["duplicate_id"]:
        ctx.reply.notices.append(DUPLICATE_END_TO_END_ID)


async def _audit(ctx: Context, transaction: Executor, action: str, view: RepaymentView) -> None:
    about = {"store_id": view.user_id, "environment": view.environment}
    await record(ctx, transaction, action, view.id, changes={"net": reais_from_centavos(view.net_amount)}, **about)
