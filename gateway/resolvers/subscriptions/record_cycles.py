"""Phase 3 of billing: insert the charges of many cycles in one statement (ADR 0005, ADR 0019).

One statement deletes the issuance, inserts the charge, advances the subscription, and inserts both events, their
deliveries and the audit records. So no crash leaves a charge whose subscription is still due, or the reverse. An
issuance that another run has taken over (`attempts`) produces no charge.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import ARRAY, Boolean, SmallInteger, and_, bindparam, case, delete, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.interface import Engine, EngineCharge
from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Statement, columns_of, retry_on_deadlock, unnest_rows
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.models.webhooks import EventType
from gateway.resolvers.audit.audit_log import insert_records_cte, records_of
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.insert_charge import COLUMNS, charge_row, new_charge_view
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import serialize
from gateway.resolvers.subscriptions.charge import Trigger, event_data
from gateway.resolvers.subscriptions.due import NextCycle
from gateway.resolvers.subscriptions.reserve_cycles import NEXT_ATTEMPTS
from gateway.resolvers.subscriptions.types import subscription_view
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.webhooks.outbox import EventForRow
from gateway.values.ids import Id

CHARGES_PER_SLICE = 32
"""The event loop runs other tasks after composing the events of so many charges."""

_C, _I, _K, _S = charges, issuances, customers, subscriptions
_TERMS = ("interval", "interval_count", "max_cycles", "end_date")
"""What the next date depends on."""
_EXTRA = {
    "attempts": SmallInteger(),
    "next_date": _S.c.next_billing_at.type,
    "ended": Boolean(),
    **{name: _S.c[name].type for name in _TERMS},
}
_SHARED = (
    *("environment", "status", "discount_amount", "product_id", "coupon_id", "coupon_code", "payment_link_id"),
    *("external_reference", "metadata", "success_url", "cancel_url", "due_date", "engine", "end_to_end_id", "held_at"),
    *("paid_at", "paid_late", "store_name", "store_document", "created_at", "updated_at"),
)
"""Columns that are equal in all charges of a page. Each is bound once."""
_OWN = tuple(name for name in COLUMNS if name not in _SHARED)
_rows = unnest_rows("charge", {name: _C.c[name].type for name in _OWN} | _EXTRA, many=True)
# A customer may be deleted during the engine call. The deletion locks the customer, then clears the charges it sees.
# This lock, taken before the subscriptions as there, makes the charges visible to it or finds the customer gone.
_customers = (
    select(_K.c.id)
    .where(_K.c.id == func.any(bindparam("page_customers", type_=ARRAY(_K.c.id.type))))
    .with_for_update(key_share=True, read=True)
    .cte("locked_customers")
)
_values = (
    {name: _rows.c[name] for name in _OWN}
    | {name: bindparam(f"page_{name}", type_=_C.c[name].type) for name in _SHARED}
    | {"customer_id": _customers.c.id}
)
_released = (
    delete(_I)
    .where(_I.c.charge_id == _rows.c.id, _I.c.attempts == _rows.c.attempts)
    .returning(_I.c.charge_id)
    .cte("released")
)
_inserted = (
    insert(_C)
    .from_select(
        list(_values),
        select(*_values.values()).select_from(
            _rows.join(_released, _released.c.charge_id == _rows.c.id).outerjoin(
                _customers, _customers.c.id == _rows.c.customer_id
            )
        ),
    )
    .on_conflict_do_nothing()
    .returning(_C.c.id, _C.c.user_id, _C.c.environment, _C.c.subscription_id, _C.c.billing_cycle)
    .cte("inserted_charges")
)
# A change that a merchant made during the engine call wins: another date, a pause or a cancellation. With other terms,
# the subscription stays due, and its next claim finds the cycle charged.
_is_unmoved = and_(
    _S.c.next_billing_at == _inserted.c.billing_cycle,
    *(_S.c[name].is_not_distinct_from(_rows.c[name]) for name in _TERMS),
)
_ends = _is_unmoved & _rows.c.ended & (_S.c.status == SubscriptionStatus.active.value)
_advanced = (
    update(_S)
    .where(_S.c.id == _inserted.c.subscription_id, _rows.c.id == _inserted.c.id)
    .values(
        next_billing_at=case((_is_unmoved, _rows.c.next_date), else_=_S.c.next_billing_at),
        status=case((_ends, SubscriptionStatus.canceled.value), else_=_S.c.status),
        cycles_count=_S.c.cycles_count + 1,
        last_failure=None,
        retry_at=None,
        updated_at=bindparam("now"),
    )
    .returning(_S.c.id, _S.c.user_id, _S.c.environment, _S.c.next_billing_at, _inserted.c.billing_cycle)
    .cte("advanced")
)
_change = func.jsonb_build_object(
    literal_column("'next_billing_at'"),
    func.jsonb_build_object(
        literal_column("'from'"), _advanced.c.billing_cycle, literal_column("'to'"), _advanced.c.next_billing_at
    ),
)
INSERT_CYCLE_CHARGES = Statement(
    select(_inserted.c.id).add_cte(
        outbox.insert_events_and_deliveries(_inserted),
        insert_records_cte(_inserted, "charge_"),
        insert_records_cte(_advanced, "subscription_", _change),
    )
)
RETURN_ISSUANCES = Statement(
    update(_I)
    .where(_I.c.charge_id == func.any(bindparam("charge_ids", type_=ARRAY(_I.c.charge_id.type))))
    .values(attempts=NEXT_ATTEMPTS)
    .returning(_I.c.charge_id)
)
"""The run that took over an issuance may have queried the engine before the charge existed. New `attempts` keep it from
deleting the issuance, so the next run queries again.
"""
RECORDED = Statement(
    select(_C.c.engine_id).where(
        _C.c.engine_id == func.any(bindparam("engine_ids", type_=ARRAY(_C.c.engine_id.type))),
        _C.c.environment == bindparam("environment"),
    )
)
"""Run after RETURN_ISSUANCES, which waits for a run that records: only a second statement sees what that committed."""


class ClaimedCycle(Struct, frozen=True):
    """A cycle that this run has reserved: the subscription's row, the charge to create, and the schedule after it."""

    charge_id: Id
    txid: str
    row: Mapping[str, Any]
    params: ChargeParams
    following: NextCycle
    attempts: int = 0


class CreatedCharge(Struct, frozen=True):
    """A claimed cycle with the charge that the engine created."""

    claim: ClaimedCycle
    charge: EngineCharge


async def insert_cycle_charges(ctx: Context, engine: Engine, created: Sequence[CreatedCharge]) -> set[str]:
    """Insert the charges, all of one environment. Returns the ids of those inserted; another run finishes the rest."""
    now = ctx.clock.now()
    subscribed = await outbox.stores_with_subscribers(ctx.database, {each.claim.params.store_id for each in created})
    rows: list[dict[str, Any]] = []
    events: list[EventForRow] = []
    for number, each in enumerate(created):
        if number % CHARGES_PER_SLICE == 0:
            await asyncio.sleep(0)
        claim, following = each.claim, each.claim.following
        row = charge_row(claim.params, claim.charge_id, claim.txid, engine, each.charge, now)
        has_subscribers = (row["user_id"], row["environment"]) in subscribed
        events += _events(ctx, claim, row, now, has_subscribers=has_subscribers)
        schedule = {"next_date": following.next_billing_at, "ended": following.ended}
        schedule |= {name: claim.row[name] for name in _TERMS}
        rows.append(row | schedule | {"attempts": claim.attempts})
    values = {
        **columns_of(rows, (*_OWN, *_EXTRA), "charge"),
        **{f"page_{name}": rows[0][name] for name in _SHARED},
        "page_customers": list({row["customer_id"] for row in rows if row["customer_id"]}),
        **outbox.event_columns(events),
        **records_of(ctx, "charge.created", "charge_"),
        **records_of(ctx, "subscription.charged", "subscription_"),
        "now": now,
    }
    # A subscription may have got another customer since, whose deletion takes these locks in another order.
    inserted = await retry_on_deadlock(lambda: ctx.database.all(INSERT_CYCLE_CHARGES, **values))
    if subscribed:
        ctx.services.notifier.webhooks()
    return {row["id"] for row in inserted}


async def find_orphaned(ctx: Context, lost: Sequence[CreatedCharge]) -> list[CreatedCharge]:
    """Of charges whose cycle another run took over, those that no run uses or may adopt: cancel them at the engine."""
    if not lost:
        return []
    charge_ids = [each.claim.charge_id for each in lost]
    returned = await retry_on_deadlock(lambda: ctx.database.all(RETURN_ISSUANCES, charge_ids=charge_ids))
    recorded = await ctx.database.all(
        RECORDED, engine_ids=[each.charge.id for each in lost], environment=lost[0].claim.params.environment
    )
    unrecorded, used = {row["charge_id"] for row in returned}, {row["engine_id"] for row in recorded}
    return [each for each in lost if each.claim.charge_id not in unrecorded and each.charge.id not in used]


def _events(
    ctx: Context, claim: ClaimedCycle, row: Mapping[str, Any], now: datetime, *, has_subscribers: bool
) -> list[EventForRow]:
    """The two events of a charge. Without subscribers, skip the QR image."""
    view = new_charge_view(ctx.settings, row)
    # Both events hold the charge: encode it once.
    charge = orjson.Fragment(orjson.dumps(serialize(view, computed=has_subscribers)))
    bodies: dict[EventType, Any] = {
        EventType.charge_created: charge,
        EventType.subscription_charged: event_data(_view_after(claim, now), charge, Trigger.schedule),
    }
    return [
        EventForRow(
            claim.charge_id,
            outbox.compose(
                ctx,
                kind,
                claim.params.environment,
                f"{kind.value}:{claim.charge_id}",
                data,
                has_subscribers=has_subscribers,
            ),
        )
        for kind, data in bodies.items()
    ]


def _view_after(claim: ClaimedCycle, now: datetime) -> dict[str, Any]:
    following = claim.following
    changed = {
        "next_billing_at": following.next_billing_at,
        "cycles_count": following.cycles_count,
        "last_failure": None,
        "updated_at": now,
        **({"status": SubscriptionStatus.canceled} if following.ended else {}),
    }
    return serialize(subscription_view({**claim.row, **changed}))
