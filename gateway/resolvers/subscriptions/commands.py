"""Creating, changing and deleting subscriptions."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, insert, select

from gateway.errors import DuplicateReference, InvalidInput, NotFound
from gateway.ids import new_id
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Row, Statement, UniqueViolation, violates
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers import idempotency
from gateway.resolvers.access import Permission
from gateway.resolvers.audit.trail import record
from gateway.resolvers.changing import Change
from gateway.resolvers.context import Context
from gateway.resolvers.customers.commands import MISSING as MISSING_CUSTOMER
from gateway.resolvers.deletion import Deleted, Deletion
from gateway.resolvers.operation import operation
from gateway.resolvers.subscriptions.inputs import (
    PAST,
    CreateSubscription,
    UpdateSubscription,
    WhichSubscription,
    too_early,
)
from gateway.resolvers.subscriptions.schedule import Extent, ended, first_cycle, local
from gateway.resolvers.subscriptions.views import (
    RHYTHM_COLUMNS,
    SUBSCRIPTION_COLUMNS,
    SubscriptionView,
    subscription_view,
)

MISSING = "Assinatura não encontrada."
TAKEN = "Já existe uma assinatura com este external_reference."
_S, _K = subscriptions, customers
_GIVEN = (
    *("id", "user_id", "environment", "customer_id", "customer_name", "customer_email", "customer_cpf", "description"),
    *("amount", "interval", "status", "next_billing_at", "anchor_day", "utc_offset", "end_date", "max_cycles"),
    *("external_reference", "metadata"),
)
_now = bindparam("now", type_=_S.c.created_at.type)
CREATE = Statement(
    insert(_S)
    .values(
        {name: bindparam(name, type_=_S.c[name].type) for name in _GIVEN} | {"created_at": _now, "updated_at": _now}
    )
    .returning(*SUBSCRIPTION_COLUMNS)
)
CUSTOMER = Statement(
    select(_K.c.name.label("customer_name"), _K.c.email.label("customer_email"), _K.c.cpf.label("customer_cpf")).where(
        _K.c.user_id == bindparam("user_id"), _K.c.environment == bindparam("environment"), _K.c.id == bindparam("id")
    )
)
_own = select(_S.c.external_reference).where(_S.c.id == bindparam("id")).scalar_subquery()
HOLDER = Statement(
    select(_S.c.id).where(
        _S.c.user_id == bindparam("user_id"),
        _S.c.environment == bindparam("environment"),
        _S.c.external_reference
        == func.coalesce(bindparam("external_reference", type_=_S.c.external_reference.type), _own),
        _S.c.status != SubscriptionStatus.canceled.value,
        _S.c.id != bindparam("id"),
    )
)
"""Who has the reference that was sent, or the one that the subscription `:id` has itself and wants back."""
CHANGE = Change(
    _S,
    [*SUBSCRIPTION_COLUMNS, *RHYTHM_COLUMNS, _S.c.retry_at],
    lambda _settings, row: subscription_view(row),
)
DELETION = Deletion(_S, charges.c.subscription_id, busy=issuances.c.subscription_id)


@operation("subscriptions.create", Permission.operate, issues=True, creates=True, scope=Scope.charges)
async def create_subscription(ctx: Context, order: CreateSubscription) -> SubscriptionView:
    """Create a subscription; nothing is charged before its first date."""
    given = order.model_dump() | {"id": new_id(), "status": SubscriptionStatus.active.value}
    given |= await _payer(ctx, order)
    now = ctx.clock.now()
    _refuse_past(order.next_billing_at, now)
    given |= _scheduled(order.interval, order.next_billing_at, now)
    given |= _ending(given, given["utc_offset"])
    given["metadata"] = order.metadata or {}
    _judge(given)
    async with _unique_reference(ctx, given), ctx.database.transaction() as transaction:
        row = await transaction.one(
            CREATE, **given, user_id=ctx.store_id, environment=ctx.environment, now=ctx.clock.now()
        )
        assert row is not None
        created = SubscriptionView.of(row)
        await record(ctx, transaction, "subscription.created", created.id)
        await idempotency.conclude(ctx, transaction, created)
    return created


@operation("subscriptions.update", Permission.operate, scope=Scope.charges)
async def update_subscription(ctx: Context, order: UpdateSubscription) -> SubscriptionView:
    """Change the sent fields of a subscription; charges already made stay as they are."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    if "metadata" in given:
        given["metadata"] = given["metadata"] or {}
    if given.get("customer_id") is not None:
        await _customer(ctx, given["customer_id"])
    now, date = ctx.clock.now(), given.pop("next_billing_at", None)
    _refuse_past(date, now)
    async with _unique_reference(ctx, {**given, "id": order.id}):
        return await CHANGE.run(
            ctx,
            order.id,
            given,
            "subscription.updated",
            MISSING,
            entail=lambda row: _entailed(row, given, date, now),
            judge=_judge,
        )


@operation("subscriptions.delete", Permission.operate, scope=Scope.charges)
async def delete_subscription(ctx: Context, which: WhichSubscription) -> Deleted:
    """Delete a subscription; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "subscription.deleted", MISSING)


async def _payer(ctx: Context, order: CreateSubscription) -> dict[str, Any]:
    """The payer's data: a saved customer is the base, and what was sent is laid over it."""
    sent = {name: getattr(order, name) for name in ("customer_name", "customer_email", "customer_cpf")}
    if order.customer_id is not None:
        saved = await _customer(ctx, order.customer_id)
        sent = {name: value or saved[name] for name, value in sent.items()}
    return sent


async def _customer(ctx: Context, customer_id: str) -> Row:
    saved = await ctx.database.one(CUSTOMER, user_id=ctx.store_id, environment=ctx.environment, id=customer_id)
    if saved is None:
        raise NotFound(MISSING_CUSTOMER)
    return saved


def _scheduled(interval: Interval, date: datetime | None, now: datetime) -> dict[str, Any]:
    """The columns of the rhythm: from the date that was sent, else one interval from now."""
    rhythm, first = first_cycle(interval, now, date)
    return {"next_billing_at": first, "anchor_day": rhythm.anchor_day, "utc_offset": rhythm.utc_offset}


def _refuse_past(date: datetime | None, now: datetime) -> None:
    if date is not None and date < now:
        raise InvalidInput(("next_billing_at", PAST))


def _entailed(row: Row, given: Mapping[str, Any], date: datetime | None, now: datetime) -> dict[str, Any]:
    """What the schedule becomes by a change, and when it ends, which is a day of the schedule as it becomes."""
    schedule = _rescheduled(row, given, date, now)
    return schedule | _ending(given, schedule.get("utc_offset", row["utc_offset"]))


def _ending(given: Mapping[str, Any], utc_offset: int | None) -> dict[str, Any]:
    written = given.get("end_date")
    return {} if written is None else {"end_date": ended(written, utc_offset)}


def _rescheduled(row: Row, given: Mapping[str, Any], date: datetime | None, now: datetime) -> dict[str, Any]:
    """What the schedule becomes by a change (contract section 4). A new schedule forgets
    the failures of the old one.
    """
    interval = Interval(given.get("interval", row["interval"]))
    forgotten = {"last_failure": None, "retry_at": None}
    if date is not None:
        return _scheduled(interval, date, now) | forgotten
    due = row["next_billing_at"]
    stale = due is None or (row["status"] != SubscriptionStatus.active and due <= now)
    if given.get("status") == SubscriptionStatus.active and stale:
        return _scheduled(interval, None, now) | forgotten
    if interval != row["interval"] and row["interval"] == Interval.weekly and due is not None:
        # Weeks know no day of the month: the one of the next charge is what months and years return to.
        return {"anchor_day": local(due, row["utc_offset"]).day}
    return {}


def _judge(subscription: Mapping[str, Any]) -> None:
    """Refuse a subscription that can't be: going on with nothing left to charge."""
    if subscription["status"] != SubscriptionStatus.active:
        return
    faults = []
    extent = Extent(subscription.get("cycles_count", 0), subscription["max_cycles"], None)
    if not extent.holds(None):
        reason = f"já foram cobrados {extent.cycles} ciclos: aumente para a assinatura seguir ativa"
        faults.append(("max_cycles", reason))
    date, until = subscription["next_billing_at"], subscription["end_date"]
    if date is not None and until is not None and until < date:
        faults.append(("end_date", too_early("próxima" if subscription.get("cycles_count") else "primeira")))
    if faults:
        raise InvalidInput(*faults)


@asynccontextmanager
async def _unique_reference(ctx: Context, given: Mapping[str, Any]) -> AsyncIterator[None]:
    try:
        yield
    except UniqueViolation as error:
        if not violates(error, "uq_subscriptions_external_reference"):
            raise
        asked = {"id": given["id"], "external_reference": given.get("external_reference")}
        holder = await ctx.database.value(HOLDER, user_id=ctx.store_id, environment=ctx.environment, **asked)
        raise DuplicateReference(TAKEN, **({"id": holder} if holder else {})) from None
