"""Open and close discrepancies. A repeated find updates the open row. A check that no longer finds it closes it, or
staff does. What staff closed opens again only when a check finds another state.

`unclaimed` money, for an order that has no charge, is recorded once when its issuance ends. An `unknown_payment` is
recorded once, however often it is reported. Only staff closes them.
"""

from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import ARRAY, BindParameter, Text, bindparam, exists, func, literal_column, select, true, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.interface import Engine, EngineCharge, Notification
from gateway.models.base import Environment
from gateway.models.charges import charges, issuances
from gateway.models.database import Row, Statement, Transaction
from gateway.models.reconciliation import COMPARABLE_KINDS, DiscrepancyKind, Resolution, reconciliation_discrepancies
from gateway.resolvers.audit.audit_log import insert_records_cte, records_of
from gateway.resolvers.charges.schedule_reconciliation import schedule_check
from gateway.resolvers.charges.views import effective_status
from gateway.resolvers.core.context import Context
from gateway.telemetry import OPEN_DISCREPANCIES, log
from gateway.values.ids import new_id

_C, _D, _I = charges, reconciliation_discrepancies, issuances
_EFFECTIVE = effective_status()
FIRST_RECHECK = timedelta(minutes=10)
"""When a new discrepancy is checked again: an engine may be inconsistent for a short time."""


def _param(name: str) -> BindParameter[Any]:
    return bindparam(name, type_=_D.c[name].type)


_is_comparable = _param("kind").in_([kind.value for kind in COMPARABLE_KINDS])
# Kinds that only notifications report, such as a second partial refund, may open again.
_closed_by_staff = exists().where(
    _D.c.charge_id == _C.c.id,
    _D.c.kind == _param("kind"),
    _is_comparable,
    _D.c.resolution == Resolution.staff.value,
    _D.c.charge_status == _EFFECTIVE,
    _D.c.engine_status.is_not_distinct_from(_param("engine_status")),
    _D.c.engine_amount.is_not_distinct_from(_param("engine_amount")),
)
_now = bindparam("now", type_=_D.c.seen_at.type)
_values = {
    "id": _param("id"),
    "user_id": _C.c.user_id,
    "environment": _C.c.environment,
    "charge_id": _C.c.id,
    "txid": _C.c.txid,
    "engine": _C.c.engine,
    "engine_id": _C.c.engine_id,
    "kind": _param("kind"),
    "charge_status": _EFFECTIVE,
    "engine_status": _param("engine_status"),
    "amount": _C.c.amount,
    "engine_amount": _param("engine_amount"),
    "end_to_end_id": _param("end_to_end_id"),
    "event": _param("event"),
    "created_at": _now,
    "seen_at": _now,
}
_found = select(*_values.values()).where(
    _C.c.id == bindparam("charge_id"),
    # The status that was compared. If it has changed since, a newer check decides. No check finds the other kinds.
    (_C.c.status == bindparam("stored_status")) | ~_is_comparable,
    ~_closed_by_staff,
)
_insert = insert(_D).from_select(list(_values), _found)
_opened = (
    _insert.on_conflict_do_update(
        index_elements=["charge_id", "kind"],
        index_where=_D.c.resolved_at.is_(None),
        set_={
            name: _insert.excluded[name]
            for name in ("charge_status", "engine_status", "engine_amount", "end_to_end_id", "seen_at")
        },
    )
    # xmax is 0 for an inserted row, not for an updated one.
    .returning(_D.c.id, _D.c.user_id, _D.c.environment, _D.c.charge_id, literal_column("(xmax = 0)").label("fresh"))
    .cte("opened")
)
_fresh = select(_opened).where(_opened.c.fresh).cte("fresh")
_charge = select(_opened.c.charge_id.label("id"), _opened.c.environment).where(_opened.c.fresh).cte("charge")
OPEN = Statement(select(_opened.c.fresh).add_cte(insert_records_cte(_fresh), schedule_check(_charge)))

_unclaimed_values = {
    "id": _param("id"),
    **{name: _I.c[name] for name in ("user_id", "environment", "charge_id", "engine", "amount")},
    "kind": literal_column(f"'{DiscrepancyKind.unclaimed}'"),
    **{name: _param(name) for name in ("engine_id", "engine_status", "engine_amount", "end_to_end_id")},
    "created_at": _now,
    "seen_at": _now,
}
_unclaimed = (
    insert(_D)
    .from_select(
        list(_unclaimed_values),
        select(*_unclaimed_values.values()).where(_I.c.charge_id == bindparam("issuance_id")).with_for_update(of=_I),
    )
    .on_conflict_do_nothing()
    .returning(_D.c.id, _D.c.user_id, _D.c.environment)
    .cte("unclaimed")
)
OPEN_UNCLAIMED = Statement(select(_unclaimed.c.id).add_cte(insert_records_cte(_unclaimed)))

_unknown_values = {
    **{name: _param(name) for name in ("id", "user_id", "environment", "txid", "end_to_end_id", "engine", "engine_id")},
    "kind": literal_column(f"'{DiscrepancyKind.unknown_payment}'"),
    **{name: _param(name) for name in ("engine_status", "amount", "engine_amount", "event")},
    "created_at": _now,
    "seen_at": _now,
}
# Some engines know the EndToEndId only later.
_recorded = exists().where(
    *(_D.c[name] == _param(name) for name in ("environment", "engine", "engine_id")),
    _D.c.kind.in_([DiscrepancyKind.unclaimed.value, DiscrepancyKind.unknown_payment.value]),
    func.coalesce(_D.c.end_to_end_id == _param("end_to_end_id"), true()),
)
_unknown = (
    insert(_D)
    .from_select(list(_unknown_values), select(*_unknown_values.values()).where(~_recorded))
    .on_conflict_do_nothing()
    .returning(_D.c.id, _D.c.user_id, _D.c.environment)
    .cte("unknown")
)
OPEN_UNKNOWN = Statement(select(_unknown.c.id).add_cte(insert_records_cte(_unknown)))

_closed = (
    update(_D)
    .where(
        _D.c.charge_id == bindparam("charge_id"),
        _D.c.resolved_at.is_(None),
        _D.c.kind.in_([kind.value for kind in COMPARABLE_KINDS]),
        _D.c.kind != func.all(bindparam("found", type_=ARRAY(Text()))),
    )
    .values(resolved_at=bindparam("now"), resolution=Resolution.corrected.value)
    .returning(_D.c.id, _D.c.user_id, _D.c.environment, _D.c.kind)
    .cte("closed")
)
CLOSE = Statement(select(_closed.c.kind).add_cte(insert_records_cte(_closed)))
COUNT_OPEN = Statement(
    select(_D.c.environment, _D.c.kind, func.count().label("open"))
    .where(_D.c.resolved_at.is_(None))
    .group_by(_D.c.environment, _D.c.kind)
)


class EngineEvidence(Struct, frozen=True):
    """What the engine reports about a discrepancy. `event`: the notification that reported it, if any."""

    charge: EngineCharge | None
    event: str | None = None


async def open_discrepancy(ctx: Context, row: Row, kind: DiscrepancyKind, evidence: EngineEvidence) -> bool:
    """Open a discrepancy about a charge, unless one is open or staff has closed it. Returns whether it is open now."""
    now, found = ctx.real_clock.now(), evidence.charge
    fresh = await ctx.database.value(
        OPEN,
        id=new_id(),
        charge_id=row["id"],
        stored_status=row["stored_status"],
        kind=kind,
        engine_status=found.state if found else None,
        engine_amount=_amount_of(found) if found else None,
        end_to_end_id=found.end_to_end_id if found else None,
        event=evidence.event,
        now=now,
        check_at=now + FIRST_RECHECK,
        **records_of(ctx, "difference.opened"),
    )
    if fresh:
        log.error("charge_differs", charge_id=row["id"], kind=kind, engine_status=found.state if found else None)
    return fresh is not None


async def open_unclaimed_payment(ctx: Context, transaction: Transaction, charge_id: str, found: EngineCharge) -> None:
    """Record money that came for an issuance, in the transaction that ends it without a charge. One row an issuance;
    the log has each payment.
    """
    values = {
        "engine_id": found.id,
        "engine_status": found.state,
        "engine_amount": _amount_of(found),
        "end_to_end_id": found.end_to_end_id,
    }
    written = records_of(ctx, "difference.opened")
    now = ctx.real_clock.now()
    await transaction.value(OPEN_UNCLAIMED, id=new_id(), issuance_id=charge_id, **values, now=now, **written)
    log.error("charge_differs", charge_id=charge_id, kind=DiscrepancyKind.unclaimed, **values)


async def open_unknown_payment(
    ctx: Context,
    engine: Engine,
    environment: Environment,
    found: EngineCharge,
    notification: Notification,
    store_id: str | None,
) -> bool:
    """Record a payment that the engine has and that belongs to no charge of ours. `store_id`: the store of the account
    that received it, if known. False if it was recorded before, also where staff has closed it.
    """
    amount = _amount_of(found)
    values = {"engine": engine.name, "engine_id": found.id, "end_to_end_id": found.end_to_end_id, "amount": amount}
    async with ctx.database.transaction() as transaction:
        # The unique index does not see that a row without an EndToEndId is of the same payment.
        await transaction.lock(f"unknown payment {engine.name} {environment} {found.id}")
        opened = await transaction.value(
            OPEN_UNKNOWN,
            id=new_id(),
            user_id=store_id,
            environment=environment,
            txid=notification.txid,
            engine_status=found.state,
            engine_amount=amount,
            event=notification.kind,
            now=ctx.real_clock.now(),
            **values,
            **records_of(ctx, "difference.opened"),
        )
    if opened is not None:
        log.error("payment_without_charge", environment=environment.value, **values)
    return opened is not None


async def close_resolved(ctx: Context, row: Row, found: DiscrepancyKind | None) -> int:
    """Close the charge's discrepancies of other kinds than `found`, the one that the check still finds. Returns how
    many were closed.
    """
    kinds = [found.value] if found else []
    written = records_of(ctx, "difference.corrected")
    closed = await ctx.database.all(CLOSE, charge_id=row["id"], found=kinds, now=ctx.real_clock.now(), **written)
    return len(closed)


async def measure_discrepancies(ctx: Context) -> None:
    """Set the gauge of open discrepancies in this process, 0 for kinds that have none."""
    counts = {(row["environment"], row["kind"]): row["open"] for row in await ctx.database.all(COUNT_OPEN)}
    for environment in Environment:
        for kind in DiscrepancyKind:
            OPEN_DISCREPANCIES.labels(environment, kind).set(counts.get((environment.value, kind.value), 0))


def _amount_of(found: EngineCharge) -> int:
    return found.amount if found.paid_amount is None else found.paid_amount
