"""Recording, concluding and discarding repayments: what single-account mode owes a merchant, and
that it was paid.

A charge is in at most one repayment: its id is the key of `repaid_charges`, whoever records at the same
time. The service's fee is settled here (specification section 1, rule 6), of each charge as `receiving.fees`
would split it off at the origin. What a store had got of charges that were given back later is deducted from
its next repayment.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Numeric,
    bindparam,
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
from gateway.models.reconciliation import differences
from gateway.models.repayments import RepaymentStatus, deducted_charges, repaid_charges, repayments
from gateway.resolvers.audit.trail import RECORD, record_of
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.receiving.fees import fixed_part
from gateway.resolvers.repayments.inputs import ConcludeRepayment, RecordRepayment, WhichRepayment
from gateway.resolvers.repayments.views import REPAYMENT_COLUMNS, RepaymentView
from gateway.resolvers.staff.own_store import refuse_own_store
from gateway.values.formatting import reais
from gateway.values.ids import Id, new_id
from gateway.values.money import reais_from_centavos

MISSING = "Repasse não encontrado."
NOTHING = "Não há cobranças pagas a repassar a esta loja neste período."
REFUNDED = "Há cobranças deste repasse que foram devolvidas. Descarte-o e anote de novo."
OWN_STORE = "Ninguém decide sobre o repasse da própria loja."
DISPUTED = "Há diferenças em aberto com o provedor sobre {count} das cobranças deste repasse: veja-as antes de pagar."
OWES = "A loja ainda deve {owed} por cobranças devolvidas depois de repassadas, que este repasse não desconta."
KNOWN_PROOF = "Este EndToEndId já está anotado em outro repasse."
_C, _D, _R, _P, _B = charges, differences, repayments, repaid_charges, deducted_charges
_percent = bindparam("fee_percent", type_=Numeric())
_fixed = bindparam("fee_fixed", type_=BigInteger())
# PostgreSQL rounds a numeric half away from zero, which for amounts is half up.
_fee = func.least(_C.c.amount, cast(func.round(_C.c.amount * _percent / literal_column("100")), BigInteger) + _fixed)
_owed = select(_C.c.id, bindparam("repayment_id", type_=_R.c.id.type), _C.c.amount, _fee).where(
    _C.c.user_id == bindparam("store_id", type_=_C.c.user_id.type),
    _C.c.environment == Environment.live.value,
    _C.c.status == ChargeStatus.paid.value,
    _C.c.receiving_account_id.is_(None),
    _C.c.paid_at >= bindparam("paid_from", type_=_C.c.paid_at.type),
    _C.c.paid_at <= bindparam("paid_to", type_=_C.c.paid_at.type),
    ~select(_P.c.charge_id).where(_P.c.charge_id == _C.c.id).exists(),
)
_taken = (
    insert(_P)
    # In one order, whoever records: two that met in the middle would wait for each other.
    .from_select(["charge_id", "repayment_id", "amount", "fee"], _owed.order_by(_C.c.id))
    .on_conflict_do_nothing(index_elements=["charge_id"])
    .returning(_P.c.amount, _P.c.fee)
    .cte("taken")
)
_given_back = (
    select(_C.c.id, _P.c.amount, _P.c.fee)
    .select_from(_C.join(_P, _P.c.charge_id == _C.c.id).join(_R, _R.c.id == _P.c.repayment_id))
    .where(
        _C.c.user_id == bindparam("store_id", type_=_C.c.user_id.type),
        _C.c.environment == Environment.live.value,
        _C.c.status == ChargeStatus.refunded.value,
        _R.c.status == RepaymentStatus.done.value,
        ~select(_B.c.charge_id).where(_B.c.charge_id == _C.c.id).exists(),
    )
    .subquery("given_back")
)
"""What a store has had repaid that was given back to the payers afterwards, and isn't deducted anywhere."""
_had = _given_back.c.amount - _given_back.c.fee
_debts = select(
    _given_back,
    # The smallest first: what is too large for this repayment mustn't keep others from being deducted.
    func.sum(_had).over(order_by=(_had, _given_back.c.id)).label("up_to_this"),
).subquery("debts")
_deducted = (
    insert(_B)
    .from_select(
        ["charge_id", "repayment_id", "amount", "fee"],
        select(_debts.c.id, bindparam("repayment_id", type_=_R.c.id.type), _debts.c.amount, _debts.c.fee)
        .where(
            bindparam("deduct", type_=Boolean),
            _debts.c.up_to_this <= select(func.sum(_taken.c.amount - _taken.c.fee)).scalar_subquery(),
        )
        .order_by(_debts.c.id),
    )
    .on_conflict_do_nothing(index_elements=["charge_id"])
    .returning(_B.c.amount, _B.c.fee)
    .cte("deducted")
)


def _total(value: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(value), literal_column("0")), BigInteger)


_sums = select(
    _total(_taken.c.amount).label("gross"), _total(_taken.c.fee).label("fee"), func.count().label("count")
).cte("sums")
_less = (
    select(
        _total(_deducted.c.amount).label("gross"),
        _total(_deducted.c.amount - _deducted.c.fee).label("net"),
        func.count().label("count"),
    )
    .select_from(_deducted)
    .cte("less")
)
_new: dict[str, Any] = {
    "id": bindparam("repayment_id", type_=_R.c.id.type),
    "user_id": bindparam("store_id", type_=_R.c.user_id.type),
    "environment": literal_column(f"'{Environment.live}'"),
    **{name: bindparam(name, type_=_R.c[name].type) for name in ("paid_from", "paid_to", "recorded_by", "created_at")},
    "gross": _sums.c.gross,
    "fee": _sums.c.fee,
    "deducted": _less.c.net,
    "deducted_gross": _less.c.gross,
    "net": _sums.c.gross - _sums.c.fee - _less.c.net,
    "charges_count": _sums.c.count,
    "deducted_count": _less.c.count,
}
TAKE = Statement(
    plain_insert(_R)
    .from_select(
        list(_new),
        select(*_new.values()).select_from(_sums.join(_less, true())).where(_sums.c.count > literal_column("0")),
    )
    .returning(_R.c.id)
)
STORE = Statement(select(users.c.id).where(users.c.id == bindparam("store_id")))
FIND = Statement(select(*REPAYMENT_COLUMNS).where(_R.c.id == bindparam("id")))
LOCK = Statement(select(_R.c.status).where(_R.c.id == bindparam("id")).with_for_update())
GIVEN_BACK = Statement(
    select(func.count())
    .select_from(_P.join(_C, _C.c.id == _P.c.charge_id))
    .where(_P.c.repayment_id == bindparam("id"), _C.c.status != ChargeStatus.paid.value)
)
DOUBTS = Statement(
    select(
        select(func.count(_D.c.charge_id.distinct()))
        .select_from(_D.join(_P, _P.c.charge_id == _D.c.charge_id))
        .where(_D.c.resolved_at.is_(None), _D.c.user_id == bindparam("store_id"), _P.c.repayment_id == bindparam("id"))
        .scalar_subquery()
        .label("disputed"),
        select(_R.c.id)
        .where(_R.c.end_to_end_id == bindparam("proof"), _R.c.id != bindparam("id"))
        .exists()
        .label("known_proof"),
        select(_total(_had)).scalar_subquery().label("owed"),
    )
)
CONCLUDE = Statement(
    update(_R)
    .where(_R.c.id == bindparam("repayment"))
    .values(
        status=RepaymentStatus.done.value,
        end_to_end_id=bindparam("proof", type_=_R.c.end_to_end_id.type),
        concluded_by=bindparam("who", type_=_R.c.concluded_by.type),
        concluded_at=bindparam("now", type_=_R.c.concluded_at.type),
    )
)
DISCARD = Statement(update(_R).where(_R.c.id == bindparam("repayment")).values(status=RepaymentStatus.discarded.value))
SET_FREE = Statement(
    delete(_P)
    .where(_P.c.repayment_id == bindparam("repayment"))
    .add_cte(delete(_B).where(_B.c.repayment_id == bindparam("repayment")).cte("no_longer_deducted"))
)


@operation("repayments.record", Permission.staff, creates=True)
async def record_repayment(ctx: Context, order: RecordRepayment) -> RepaymentView:
    """Record what a store's paid live charges of a period come to, those on the service's main account that are in no
    other repayment, less what the store had got of charges that were given back later, as far as it goes. Raises
    `Conflict` where there is nothing to repay.
    """
    if await ctx.database.value(STORE, store_id=order.store_id) is None:
        raise NotFound("Lojista não encontrado.")
    await refuse_own_store(ctx, order.store_id, OWN_STORE)
    repayment_id = new_id()
    async with ctx.database.transaction() as transaction:
        made = await transaction.value(
            TAKE,
            repayment_id=repayment_id,
            store_id=order.store_id,
            paid_from=order.paid_from,
            paid_to=order.paid_to,
            fee_percent=ctx.settings.service_fee_percent,
            fee_fixed=fixed_part(ctx.settings),
            deduct=order.deduct_refunds,
            recorded_by=ctx.actor.user_id,
            created_at=ctx.real_clock.now(),
        )
        if made is None:
            raise Conflict(NOTHING).for_now()
        view = await _found(transaction, repayment_id)
        await _warn(ctx, transaction, view)
        await _tell(ctx, transaction, "repayment.recorded", view, {"net": reais_from_centavos(view.net_amount)})
        await idempotency.conclude(ctx, transaction, view)
    return view


@operation("repayments.conclude", Permission.staff)
async def conclude_repayment(ctx: Context, order: ConcludeRepayment) -> RepaymentView:
    """Say that the store has its money. Raises `Conflict` where one of the charges has been given back to its payer, or
    somebody has decided before.
    """
    await _judge(ctx, order.id)
    async with ctx.database.transaction() as transaction:
        await _lock(transaction, order.id)
        if await transaction.value(GIVEN_BACK, id=order.id):
            raise Conflict(REFUNDED)
        await transaction.run(
            CONCLUDE, repayment=order.id, proof=order.end_to_end_id, who=ctx.actor.user_id, now=ctx.real_clock.now()
        )
        view = await _found(transaction, order.id)
        await _warn(ctx, transaction, view)
        await _tell(ctx, transaction, "repayment.concluded", view, {"net": reais_from_centavos(view.net_amount)})
    return view


@operation("repayments.discard", Permission.staff)
async def discard_repayment(ctx: Context, which: WhichRepayment) -> RepaymentView:
    """Take a record back before the money was sent: its charges are free for another. Raises `Conflict`."""
    await _judge(ctx, which.id)
    async with ctx.database.transaction() as transaction:
        await _lock(transaction, which.id)
        await transaction.run(SET_FREE, repayment=which.id)
        await transaction.run(DISCARD, repayment=which.id)
        view = await _found(transaction, which.id)
        await _tell(ctx, transaction, "repayment.discarded", view, {"net": reais_from_centavos(view.net_amount)})
    return view


async def _judge(ctx: Context, repayment_id: Id) -> None:
    """Whether it is this caller's to decide about."""
    view = await _found(ctx.database, repayment_id)
    await refuse_own_store(ctx, view.user_id, OWN_STORE)


async def _lock(transaction: Executor, repayment_id: Id) -> None:
    if await transaction.value(LOCK, id=repayment_id) != RepaymentStatus.recorded:
        raise Conflict("Este repasse já foi concluído ou descartado.")


async def _found(executor: Executor, repayment_id: Id) -> RepaymentView:
    row = await executor.one(FIND, id=repayment_id)
    if row is None:
        raise NotFound(MISSING)
    return RepaymentView.of(row)


async def _warn(ctx: Context, transaction: Executor, view: RepaymentView) -> None:
    """Tell what staff may have overlooked. One payment may settle two records, so a known proof is no fault."""
    doubts = await transaction.one(DOUBTS, id=view.id, store_id=view.user_id, proof=view.end_to_end_id)
    assert doubts is not None
    if doubts["disputed"]:
        ctx.reply.notices.append(DISPUTED.format(count=doubts["disputed"]))
    if doubts["owed"]:
        ctx.reply.notices.append(OWES.format(owed=reais(doubts["owed"])))
    if doubts["known_proof"]:
        ctx.reply.notices.append(KNOWN_PROOF)


async def _tell(ctx: Context, transaction: Executor, action: str, view: RepaymentView, told: dict[str, Any]) -> None:
    changes = {name: {"from": None, "to": value} for name, value in told.items()}
    written = record_of(ctx, action, view.id, changes=changes, store_id=view.user_id)
    await transaction.run(RECORD, **written | {"audit_environment": view.environment})
