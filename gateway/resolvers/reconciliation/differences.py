"""Opening and closing differences. One is opened once, however often it is found; it is closed by the look that finds
it gone, or by staff; and what staff has closed is not opened again until something else is found.

Money for an order that has no charge is told of once, when its issuance ends, and staff alone closes it.
"""

from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import ARRAY, BindParameter, Text, bindparam, exists, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.port import EngineCharge
from gateway.models.charges import charges, issuances
from gateway.models.database import Row, Statement, Transaction
from gateway.models.reconciliation import COMPARED, DifferenceKind, Resolution, differences
from gateway.resolvers.audit.trail import recording_each, records_of
from gateway.resolvers.charges.schedule_reconciliation import schedule_check
from gateway.resolvers.charges.views import effective_status
from gateway.resolvers.core.context import Context
from gateway.telemetry import log
from gateway.values.ids import new_id

_C, _D, _I = charges, differences, issuances
_EFFECTIVE = effective_status()


FIRST_LOOK = timedelta(minutes=10)
"""When a fresh difference is looked at again: an engine may not have been of one mind for a moment."""


def _given(name: str) -> BindParameter[Any]:
    return bindparam(name, type_=_D.c[name].type)


# What is only told of (a second partial refund) may be told of again, and be another one.
_settled_by_staff = exists().where(
    _D.c.charge_id == _C.c.id,
    _D.c.kind == _given("kind"),
    _D.c.kind.in_([kind.value for kind in COMPARED]),
    _D.c.resolution == Resolution.staff.value,
    _D.c.charge_status == _EFFECTIVE,
    _D.c.engine_status.is_not_distinct_from(_given("engine_status")),
    _D.c.engine_amount.is_not_distinct_from(_given("engine_amount")),
)
_now = bindparam("now", type_=_D.c.seen_at.type)
_facts = {
    "id": _given("id"),
    "user_id": _C.c.user_id,
    "environment": _C.c.environment,
    "charge_id": _C.c.id,
    "txid": _C.c.txid,
    "engine": _C.c.engine,
    "engine_id": _C.c.engine_id,
    "kind": _given("kind"),
    "charge_status": _EFFECTIVE,
    "engine_status": _given("engine_status"),
    "amount": _C.c.amount,
    "engine_amount": _given("engine_amount"),
    "event": _given("event"),
    "created_at": _now,
    "seen_at": _now,
}
_found = select(*_facts.values()).where(
    _C.c.id == bindparam("charge_id", type_=_C.c.id.type),
    # Found by comparing with this status: whoever has moved the charge since then has looked later than we have.
    _C.c.status == bindparam("stored_status", type_=_C.c.status.type),
    ~_settled_by_staff,
)
_insert = insert(_D).from_select(list(_facts), _found)
_opened = (
    _insert.on_conflict_do_update(
        index_elements=["charge_id", "kind"],
        index_where=_D.c.resolved_at.is_(None),
        set_={name: _insert.excluded[name] for name in ("charge_status", "engine_status", "engine_amount", "seen_at")},
    )
    # A row that was there before has been locked by this statement, one that is new by nobody.
    .returning(_D.c.id, _D.c.user_id, _D.c.environment, _D.c.charge_id, literal_column("(xmax = 0)").label("fresh"))
    .cte("opened")
)
_fresh = select(_opened).where(_opened.c.fresh).cte("fresh")
_about = select(_opened.c.charge_id.label("id"), _opened.c.environment).where(_opened.c.fresh).cte("about")
OPEN = Statement(
    select(_opened.c.fresh).add_cte(
        recording_each(_fresh, "").cte("audit"), schedule_check(_about, "look_at").cte("look")
    )
)

_ordered = {
    "id": _given("id"),
    **{name: _I.c[name] for name in ("user_id", "environment", "charge_id", "engine", "amount")},
    "kind": literal_column(f"'{DifferenceKind.unclaimed}'"),
    **{name: _given(name) for name in ("engine_id", "engine_status", "engine_amount")},
    "created_at": _now,
    "seen_at": _now,
}
_unclaimed = (
    insert(_D)
    .from_select(
        list(_ordered),
        select(*_ordered.values())
        .where(_I.c.charge_id == bindparam("issuance_id", type_=_I.c.charge_id.type))
        .with_for_update(of=_I),
    )
    .on_conflict_do_nothing()
    .returning(_D.c.id, _D.c.user_id, _D.c.environment)
    .cte("unclaimed")
)
OPEN_UNCLAIMED = Statement(select(_unclaimed.c.id).add_cte(recording_each(_unclaimed, "").cte("audit")))

_closed = (
    update(_D)
    .where(
        _D.c.charge_id == bindparam("charge_id", type_=_D.c.charge_id.type),
        _D.c.resolved_at.is_(None),
        _D.c.kind.in_([kind.value for kind in COMPARED]),
        _D.c.kind != func.all(bindparam("found", type_=ARRAY(Text()))),
    )
    .values(resolved_at=bindparam("now", type_=_D.c.resolved_at.type), resolution=Resolution.mended.value)
    .returning(_D.c.id, _D.c.user_id, _D.c.environment, _D.c.kind)
    .cte("closed")
)
CLOSE = Statement(select(_closed.c.kind).add_cte(recording_each(_closed, "").cte("audit")))


class EngineSide(Struct, frozen=True):
    """What is known of the engine's side when something differs. `event`: the notice that told of it, if one did."""

    held: EngineCharge | None
    event: str | None = None


async def open_difference(ctx: Context, row: Row, kind: DifferenceKind, side: EngineSide) -> bool:
    """Open a difference about a charge, unless it is open or staff has dealt with it. Whether it is open now."""
    now, held = ctx.real_clock.now(), side.held
    amount = None if held is None else held.amount if held.paid_amount is None else held.paid_amount
    fresh = await ctx.database.value(
        OPEN,
        id=new_id(),
        charge_id=row["id"],
        stored_status=row["stored_status"],
        kind=kind,
        engine_status=held.state if held else None,
        engine_amount=amount,
        event=side.event,
        now=now,
        look_at=now + FIRST_LOOK,
        **records_of(ctx, "difference.opened", ""),
    )
    if fresh:
        log.error("charge_differs", charge_id=row["id"], kind=kind, engine_status=held.state if held else None)
    return fresh is not None


async def open_unclaimed(ctx: Context, transaction: Transaction, charge_id: str, held: EngineCharge) -> None:
    """Open a difference about money that came for an issuance, in the transaction that ends it without a charge. There
    is one, whatever came twice; the log tells each.
    """
    amount = held.amount if held.paid_amount is None else held.paid_amount
    await transaction.value(
        OPEN_UNCLAIMED,
        id=new_id(),
        issuance_id=charge_id,
        engine_id=held.id,
        engine_status=held.state,
        engine_amount=amount,
        now=ctx.real_clock.now(),
        **records_of(ctx, "difference.opened", ""),
    )
    told = {"engine_id": held.id, "engine_status": held.state, "engine_amount": amount}
    log.error("charge_differs", charge_id=charge_id, kind=DifferenceKind.unclaimed, **told)


async def close_mended(ctx: Context, row: Row, found: DifferenceKind | None) -> int:
    """Close what a look at the engine finds no longer; `found` is what it still finds. How many there were."""
    kinds = [found.value] if found else []
    written = records_of(ctx, "difference.mended", "")
    closed = await ctx.database.all(CLOSE, charge_id=row["id"], found=kinds, now=ctx.real_clock.now(), **written)
    return len(closed)
