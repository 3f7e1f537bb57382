"""Phase 3 of billing: what the engine made is written, many cycles in one statement.

The issuance goes, the charge comes, the subscription moves on to its next date, with both events, their deliveries and
the audit records: all or nothing, so no crash leaves a charge whose subscription is still due, or the other way round.
An issuance that was taken over (`attempts`) or is gone gives birth to nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import ARRAY, Boolean, SmallInteger, bindparam, case, delete, func, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.interface import (
    Engine,
    EngineCharge,
)
from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Statement, columns_of, despite_deadlocks, given_rows
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.models.webhooks import EventType
from gateway.resolvers.audit.trail import recording_each, records_of
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.charges.insert_charge import COLUMNS, row_of, view_values
from gateway.resolvers.charges.reserve import is_charged
from gateway.resolvers.charges.views import charge_view
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.views import rendered
from gateway.resolvers.subscriptions.charging import Trigger, told
from gateway.resolvers.subscriptions.due import Advance
from gateway.resolvers.subscriptions.views import subscription_view
from gateway.resolvers.webhooks import outbox
from gateway.resolvers.webhooks.outbox import EventOfAct
from gateway.values.ids import Id

AT_A_TURN = 32
"""Events are composed this many charges at a time, and then the event loop has its turn: a QR image takes 0.3 ms."""

_C, _I, _K, _S = charges, issuances, customers, subscriptions
_FURTHER = {
    "attempts": SmallInteger(),
    "coming": _S.c.next_billing_at.type,
    "over": Boolean(),
}
_SAME = (
    *("environment", "status", "discount_amount", "product_id", "coupon_id", "coupon_code", "payment_link_id"),
    *("external_reference", "metadata", "success_url", "cancel_url", "due_date", "engine", "end_to_end_id", "held_at"),
    *("paid_at", "paid_late", "store_name", "store_document", "created_at", "updated_at"),
)
"""What the charges of one page have in common, bound once: binding costs by the value."""
_OWN = tuple(name for name in COLUMNS if name not in _SAME)
_born_as = given_rows("charge", {name: _C.c[name].type for name in _OWN} | _FURTHER, many=True)
# A customer may be deleted while the engine is asked. Who deletes one locks it and clears the charges it sees: this
# lock lets the charges be seen, or finds the customer gone. It is taken before the subscriptions are, as there.
_living = (
    select(_K.c.id)
    .where(_K.c.id == func.any(bindparam("page_customers", type_=ARRAY(_K.c.id.type))))
    .with_for_update(key_share=True, read=True)
    .cte("living")
)
_stored = (
    {name: _born_as.c[name] for name in _OWN}
    | {name: bindparam(f"page_{name}", type_=_C.c[name].type) for name in _SAME}
    | {"customer_id": _living.c.id}
)
_settled = (
    delete(_I)
    .where(_I.c.charge_id == _born_as.c.id, _I.c.attempts == _born_as.c.attempts)
    .returning(_I.c.charge_id)
    .cte("settled")
)
_born = (
    insert(_C)
    .from_select(
        list(_stored),
        select(*_stored.values())
        .select_from(
            _born_as.join(_settled, _settled.c.charge_id == _born_as.c.id).outerjoin(
                _living, _living.c.id == _born_as.c.customer_id
            )
        )
        # In a part, its index keeps a cycle from being charged twice; this does where the other charge is in another.
        .where(~is_charged(_born_as)),
    )
    .on_conflict_do_nothing()
    .returning(_C.c.id, _C.c.user_id, _C.c.environment, _C.c.subscription_id, _C.c.billing_cycle)
    .cte("born")
)
# A merchant may have moved the date, paused or canceled while the engine was asked: that stands.
_moves = _S.c.next_billing_at == _born.c.billing_cycle
_ends = _moves & _born_as.c.over & (_S.c.status == SubscriptionStatus.active.value)
_moved = (
    update(_S)
    .where(_S.c.id == _born.c.subscription_id, _born_as.c.id == _born.c.id)
    .values(
        next_billing_at=case((_moves, _born_as.c.coming), else_=_S.c.next_billing_at),
        status=case((_ends, SubscriptionStatus.canceled.value), else_=_S.c.status),
        cycles_count=_S.c.cycles_count + 1,
        last_failure=None,
        retry_at=None,
        updated_at=bindparam("now", type_=_S.c.updated_at.type),
    )
    .returning(_S.c.id, _S.c.user_id, _S.c.environment, _S.c.next_billing_at, _born.c.billing_cycle)
    .cte("moved")
)
_change = func.jsonb_build_object(
    literal_column("'next_billing_at'"),
    func.jsonb_build_object(
        literal_column("'from'"), _moved.c.billing_cycle, literal_column("'to'"), _moved.c.next_billing_at
    ),
)
BEAR_CYCLES = Statement(
    select(_born.c.id).add_cte(
        outbox.emitting_many(_born),
        recording_each(_born, "charge_").cte("charge_audit"),
        recording_each(_moved, "subscription_", _change).cte("subscription_audit"),
    )
)


HELD = Statement(
    select(_I.c.charge_id.label("held"))
    .where(_I.c.charge_id == func.any(bindparam("charge_ids", type_=ARRAY(_I.c.charge_id.type))))
    .union_all(
        select(_C.c.id).where(
            _C.c.engine_id == func.any(bindparam("engine_ids", type_=ARRAY(_C.c.engine_id.type))),
            _C.c.environment == bindparam("environment"),
        )
    )
)
"""Of charges that an engine made: whose issuance is still there, and which have been born, under whatever name."""


class Claim(Struct, frozen=True):
    """A cycle that this run has reserved: the subscription's row, the plan of its charge, where it will stand."""

    charge_id: Id
    row: Mapping[str, Any]
    plan: ChargeParams
    advance: Advance
    attempts: int = 0


class Made(Struct, frozen=True):
    """A claim whose charge the engine has made."""

    claim: Claim
    charge: EngineCharge


async def bear_cycles(ctx: Context, engine: Engine, made: Sequence[Made]) -> set[str]:
    """Write the charges, all of one environment. Returns the ids of those that were born; the others
    were somebody else's to finish.
    """
    now = ctx.clock.now()
    listening = await outbox.stores_that_listen(ctx.database, {each.claim.plan.store_id for each in made})
    rows: list[dict[str, Any]] = []
    events: list[EventOfAct] = []
    for number, each in enumerate(made):
        if number % AT_A_TURN == 0:
            await asyncio.sleep(0)
        row = row_of(each.claim.plan, each.claim.charge_id, engine, each.charge, now)
        heard = (row["user_id"], row["environment"]) in listening
        events += _events(ctx, each.claim, row, now, heard=heard)
        advance = each.claim.advance
        rows.append(row | {"attempts": each.claim.attempts, "coming": advance.next_billing_at, "over": advance.over})
    values = {
        **columns_of(rows, (*_OWN, *_FURTHER), "charge"),
        **{f"page_{name}": rows[0][name] for name in _SAME},
        "page_customers": list({row["customer_id"] for row in rows if row["customer_id"]}),
        **outbox.told_values(events),
        **records_of(ctx, "charge.created", "charge_"),
        **records_of(ctx, "subscription.charged", "subscription_"),
    }
    born = await _bear(ctx, values | {"now": now})
    if listening:
        ctx.services.wake.webhooks()
    return born


async def _bear(ctx: Context, values: dict[str, Any]) -> set[str]:
    # Subscriptions may have been given to another customer meanwhile, whose deletion locks them in an order of its own.
    rows = await despite_deadlocks(lambda: ctx.database.all(BEAR_CYCLES, **values))
    return {row["id"] for row in rows}


async def unheld(ctx: Context, lost: Sequence[Made]) -> list[Made]:
    """Of the charges that another runner took over, those that nobody has or may still adopt,
    so that they can be retired.
    """
    if not lost:
        return []
    rows = await ctx.database.all(
        HELD,
        charge_ids=[each.claim.charge_id for each in lost],
        engine_ids=[each.charge.id for each in lost],
        environment=lost[0].claim.plan.environment,
    )
    held = {row["held"] for row in rows}
    return [each for each in lost if each.claim.charge_id not in held]


def _events(ctx: Context, claim: Claim, row: Mapping[str, Any], now: datetime, *, heard: bool) -> list[EventOfAct]:
    """The two events of a charge. Nobody sees those that no endpoint hears, so nobody draws their QR image."""
    view = charge_view(ctx.settings, view_values(row))
    # Both events show it: its JSON is made once.
    charge = orjson.Fragment(orjson.dumps(rendered(view, computed=heard)))
    subscription = _as_charged(claim, now)
    bodies: dict[EventType, Any] = {
        EventType.charge_created: charge,
        EventType.subscription_charged: told(subscription, charge, Trigger.schedule),
    }
    return [
        EventOfAct(
            claim.charge_id,
            outbox.compose(ctx, kind, claim.plan.environment, f"{kind.value}:{claim.charge_id}", data),
            heard,
        )
        for kind, data in bodies.items()
    ]


def _as_charged(claim: Claim, now: datetime) -> dict[str, Any]:
    moved = {
        "next_billing_at": claim.advance.next_billing_at,
        "cycles_count": claim.advance.cycles_count,
        "last_failure": None,
        "updated_at": now,
        **({"status": SubscriptionStatus.canceled} if claim.advance.over else {}),
    }
    return rendered(subscription_view({**claim.row, **moved}))
