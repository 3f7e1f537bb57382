"""Redemptions: the uses of coupons and payment links that issuances and charges hold.

A use is held by an issuance that may become a charge, and by a charge that is pending, paid or refunded. `uses_count`
is changed in the transaction of the change that takes or releases a use:

    issuance inserted            takes a use, if one is left                                     (reserve)
    engine fails                 issuance deleted, its use released                              (create_charge)
    outcome unknown              issuance stays, its use released                                (create_charge)
    request died                 issuance recovered, its use released                            (recover_issuances)
    charge inserted              takes over the use of its issuance; the count does not change   (insert_charge)
    charge expires unpaid        use released, by the periodic job or by an order that needs it  (expire)
    store expires the charge     use released                                                    (expire)
    engine cancels the charge    use released                                                    (transitions)
    paid after that              use taken again, even beyond the limit: the discount was        (mark_paid,
                                 promised, and the money has come                                transitions)

Locks are always taken in one order, also by deletions: charges or issuances, then coupons, then links.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Select, Table, Update, Uuid, bindparam, exists, func, or_, select, update

from gateway.errors import CouponExhausted, PaymentLinkInactive
from gateway.models.charges import ChargeStatus, charges, issuances
from gateway.models.coupons import coupons
from gateway.models.database import Executor, Statement, Transaction
from gateway.models.payment_links import payment_links
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.status import NOW, may_end

_C, _I = charges, issuances
HOLDING_STATUSES = [ChargeStatus.pending.value, ChargeStatus.paid.value, ChargeStatus.refunded.value]
_coupon_id = bindparam("coupon_id", type_=_C.c.coupon_id.type)
_link_id = bindparam("payment_link_id", type_=_C.c.payment_link_id.type)
_document = bindparam("customer_cpf", type_=_C.c.customer_cpf.type)
_charge_id = bindparam("charge_id", type_=_I.c.charge_id.type)
_ids = bindparam("ids", type_=ARRAY(Uuid(as_uuid=False)))


def _has_uses_left(table: Table) -> Any:
    return table.c.max_uses.is_(None) | (table.c.uses_count < table.c.max_uses)


def _lock_in_order(table: Table, which: ColumnElement[bool]) -> Select[Any]:
    return select(table.c.id).where(which).order_by(table.c.id).with_for_update()


def _increment(table: Table) -> Update:
    this = table.c.id == bindparam("id_", type_=table.c.id.type)
    return update(table).where(this).values(uses_count=table.c.uses_count + 1)


def _decrement(table: Table) -> Update:
    """One use less for each of `:ids`, which may repeat. Rows are locked in the order of their ids."""
    ids = func.unnest(_ids).table_valued("id").render_derived()
    counted = select(ids.c.id, func.count().label("uses")).group_by(ids.c.id).cte("counted")
    locked = _lock_in_order(table, table.c.id.in_(select(counted.c.id))).cte("locked")
    return (
        update(table)
        .where(table.c.id == locked.c.id, table.c.id == counted.c.id)
        .values(uses_count=table.c.uses_count - counted.c.uses)
    )


REDEEM_COUPON = Statement(_increment(coupons).where(_has_uses_left(coupons)).returning(coupons.c.max_uses_per_customer))
REDEEM_LINK = Statement(_increment(payment_links).where(_has_uses_left(payment_links), payment_links.c.active))
LOCK_COUPONS = Statement(_lock_in_order(coupons, coupons.c.id == func.any(_ids)))
RESTORE_COUPON = Statement(_increment(coupons))
RESTORE_LINK = Statement(_increment(payment_links))
RELEASE_COUPONS = Statement(_decrement(coupons))
RELEASE_LINKS = Statement(_decrement(payment_links))
_of_customer = (
    select(func.count())
    .where(_C.c.coupon_id == _coupon_id, _C.c.customer_cpf == _document, _C.c.status.in_(HOLDING_STATUSES))
    .scalar_subquery()
)
_in_progress = (
    select(func.count()).where(_I.c.coupon_id == _coupon_id, _I.c.customer_cpf == _document).scalar_subquery()
)
USES_OF_CUSTOMER = Statement(select(_of_customer + _in_progress))


def uses_coupon_or_link() -> ColumnElement[bool]:
    """Whether a charge uses this coupon or this link."""
    return or_(_C.c.coupon_id == _coupon_id, _C.c.payment_link_id == _link_id)


COUNT_EXPIRED = Statement(select(func.count()).where(may_end, _C.c.expires_at <= NOW, uses_coupon_or_link()))
_customer_is_full = coupons.c.max_uses_per_customer <= _of_customer
_coupon_is_full = exists().where(coupons.c.id == _coupon_id, ~_has_uses_left(coupons) | _customer_is_full)
_link_is_full = exists().where(payment_links.c.id == _link_id, ~_has_uses_left(payment_links))
_held_in_progress = exists().where(or_(_I.c.coupon_id == _coupon_id, _I.c.payment_link_id == _link_id))
MAY_BECOME_AVAILABLE = Statement(select(or_(_held_in_progress, ~or_(_coupon_is_full, _link_is_full))))
_pending_expiry = select(_C.c.expires_at).where(may_end, _C.c.expires_at > NOW).order_by(_C.c.expires_at).limit(1)


def _beyond(table: Table, row_id: ColumnElement[Any]) -> Any:
    """How many uses must be released before one is free: late payments may have exceeded the limit."""
    return select(func.greatest(table.c.uses_count - table.c.max_uses, 0)).where(table.c.id == row_id).scalar_subquery()


LINK_RELEASED_AT = Statement(
    _pending_expiry.where(_C.c.payment_link_id == _link_id, _link_is_full).offset(_beyond(payment_links, _link_id))
)
COUPON_RELEASED_AT = Statement(_pending_expiry.where(_C.c.coupon_id == _coupon_id).offset(_beyond(coupons, _coupon_id)))
_limit_of_each = select(coupons.c.max_uses_per_customer).where(coupons.c.id == _coupon_id).scalar_subquery()
CUSTOMER_RELEASED_AT = Statement(
    _pending_expiry.where(_C.c.coupon_id == _coupon_id, _C.c.customer_cpf == _document).offset(
        func.greatest(_of_customer - _limit_of_each, 0)
    )
)
DELETE_ISSUANCE = Statement(
    _I.delete().where(_I.c.charge_id == _charge_id).returning(_I.c.coupon_id, _I.c.payment_link_id)
)
_failed = (
    select(_I.c.charge_id, _I.c.coupon_id, _I.c.payment_link_id)
    .where(_I.c.charge_id == _charge_id)
    .with_for_update()
    .cte("failed")
)
_HELD = ("external_reference", "order_key", "coupon_id", "payment_link_id", "customer_cpf", "subscription_id")
ABANDON = Statement(
    update(_I)
    .where(_I.c.charge_id == _failed.c.charge_id)
    .values(dict.fromkeys(_HELD) | {"attempts": _I.c.attempts + 1})
    .returning(_failed.c.coupon_id, _failed.c.payment_link_id)
)


async def redeem_uses(transaction: Transaction, params: ChargeParams, expired: Sequence[Mapping[str, Any]]) -> None:
    """Take the uses of an inserted issuance, and release those of `expired` charges, which expired in the same
    transaction. Raises `CouponExhausted` and `PaymentLinkInactive`.
    """
    if expired:
        touched = {params.coupon_id, *(charge["coupon_id"] for charge in expired)} - {None}
        await transaction.run(LOCK_COUPONS, ids=list(touched))
        await release_uses(transaction, expired)
    if params.coupon_id is not None:
        await _redeem_coupon(transaction, params.coupon_id, params.payer.document)
    if params.payment_link_id is not None and not await transaction.run(REDEEM_LINK, id_=params.payment_link_id):
        raise PaymentLinkInactive


async def restore_uses(transaction: Transaction, charge: Mapping[str, Any]) -> None:
    """Take the uses of an expired charge again; no limit applies."""
    if charge["coupon_id"] is not None:
        await transaction.run(RESTORE_COUPON, id_=charge["coupon_id"])
    if charge["payment_link_id"] is not None:
        await transaction.run(RESTORE_LINK, id_=charge["payment_link_id"])


async def count_expired_uses(
    database: Executor, now: datetime, *, coupon_id: str | None = None, payment_link_id: str | None = None
) -> int:
    """How many uses are held by overdue charges that are not marked as expired yet."""
    count: int = await database.value(COUNT_EXPIRED, coupon_id=coupon_id, payment_link_id=payment_link_id, now=now)
    return count


async def may_become_available(database: Executor, params: ChargeParams) -> bool:
    """Whether a use may become available shortly: an order in progress holds one, or one was just released. One
    statement, so that False means that only charges hold them.
    """
    which = {"coupon_id": params.coupon_id, "payment_link_id": params.payment_link_id}
    available: bool = await database.value(MAY_BECOME_AVAILABLE, **which, customer_cpf=params.payer.document)
    return available


async def next_release_at(
    database: Executor,
    now: datetime,
    *,
    coupon_id: str | None = None,
    payment_link_id: str | None = None,
    document: str | None = None,
) -> datetime | None:
    """When the next pending charge that holds a use expires, if no use of the link or coupon is left; with a
    `document`, if none is left for that customer. None if no pending charge holds one.
    """
    if payment_link_id is not None:
        statement = LINK_RELEASED_AT
    else:
        statement = COUPON_RELEASED_AT if document is None else CUSTOMER_RELEASED_AT
    which = {"payment_link_id": payment_link_id, "coupon_id": coupon_id, "customer_cpf": document}
    released_at: datetime | None = await database.value(statement, now=now, **which)
    return released_at


async def release_uses(transaction: Transaction, holders: Sequence[Mapping[str, Any]]) -> None:
    """Release the uses of these charges or issuances."""
    by_coupon = [row["coupon_id"] for row in holders if row["coupon_id"] is not None]
    by_link = [row["payment_link_id"] for row in holders if row["payment_link_id"] is not None]
    if by_coupon:
        await transaction.run(RELEASE_COUPONS, ids=by_coupon)
    if by_link:
        await transaction.run(RELEASE_LINKS, ids=by_link)


async def delete_issuance(transaction: Transaction, charge_id: str) -> bool:
    """Delete an issuance that becomes no charge, and release its uses. False if it is gone already."""
    return await _end_issuance(transaction, DELETE_ISSUANCE, charge_id)


async def abandon_issuance(transaction: Transaction, charge_id: str) -> bool:
    """Release what an issuance with an unknown outcome holds. The caller got an error, so only the engine may have a
    charge. False if the issuance is gone already.
    """
    return await _end_issuance(transaction, ABANDON, charge_id)


async def _end_issuance(transaction: Transaction, statement: Statement, charge_id: str) -> bool:
    ended = await transaction.all(statement, charge_id=charge_id)
    await release_uses(transaction, ended)
    return bool(ended)


async def _redeem_coupon(transaction: Transaction, coupon_id: str, document: str | None) -> None:
    coupon = await transaction.one(REDEEM_COUPON, id_=coupon_id)
    if coupon is None:
        raise CouponExhausted
    limit = coupon["max_uses_per_customer"]
    if limit is None:
        return
    # Counted under the coupon's lock and with this issuance, so a customer's parallel orders count each other.
    if await transaction.value(USES_OF_CUSTOMER, coupon_id=coupon_id, customer_cpf=document) > limit:
        raise CouponExhausted(of_customer=True)
