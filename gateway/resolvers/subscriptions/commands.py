"""Creating, changing and deleting subscriptions."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, insert, select

from gateway.errors import DuplicateReference, InvalidInput, NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Executor, Row, Statement, UniqueViolation, violates
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.updates import Change
from gateway.resolvers.customers.commands import MISSING as MISSING_CUSTOMER
from gateway.resolvers.subscriptions.inputs import (
    PAST,
    CreateSubscription,
    UpdateSubscription,
    WhichSubscription,
    too_early,
)
from gateway.resolvers.subscriptions.schedule import Extent, first_cycle, local
from gateway.resolvers.subscriptions.views import (
    RHYTHM_COLUMNS,
    SUBSCRIPTION_COLUMNS,
    SubscriptionView,
    subscription_view,
)
from gateway.values.ids import new_id

MISSING = "Assinatura não encontrada."
TAKEN = "Já existe uma assinatura com este external_reference."
_S, _K = subscriptions, customers
_GIVEN = (
    *("id", "user_id", "environment", "customer_id", "customer_name", "customer_email", "customer_cpf", "description"),
    *("amount", "interval", "status", "next_billing_at", "anchor_day", "utc_offset", "end_date", "max_cycles"),
    *("external_reference", "metadata"),
)
_now = bindparam("now", type_=_S.c.created_at.type)
_given = {name: bindparam(name, type_=_S.c[name].type) for name in _GIVEN} | {"created_at": _now, "updated_at": _now}
CREATE = Statement(insert(_S).values(_given).returning(*SUBSCRIPTION_COLUMNS))


def _living(*columns: ColumnElement[Any]) -> Select[Any]:
    """Of the store's customer. Who deletes one locks it and clears the subscriptions that it sees: this lock lets the
    one at hand be seen, or finds the customer gone.
    """
    own = ((_K.c.user_id, "user_id"), (_K.c.environment, "environment"), (_K.c.id, "customer_id"))
    return (
        select(*columns)
        .where(*(column == _given[name] for column, name in own))
        .with_for_update(key_share=True, read=True)
    )


_PAYER = {"customer_name": _K.c.name, "customer_email": _K.c.email, "customer_cpf": _K.c.cpf}
_saved = _living(*(column.label(name) for name, column in _PAYER.items())).cte("saved")
_laid_over = _given | {name: func.coalesce(_given[name], _saved.c[name]) for name in _PAYER}
CREATE_FOR_CUSTOMER = Statement(
    insert(_S)
    .from_select(list(_laid_over), select(*_laid_over.values()).select_from(_saved))
    .returning(*SUBSCRIPTION_COLUMNS)
)
"""A saved customer is the base, and what was sent is laid over it; nothing is written where there is none."""
CUSTOMER = Statement(_living(_K.c.id))
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
DELETION = Deletion(
    _S,
    charges.c.subscription_id,
    busy=issuances.c.subscription_id,
    too_many="Há referências demais para excluir esta assinatura; em vez disso, cancele-a.",
)


@operation("subscriptions.create", Permission.operate, issues=True, creates=True, scope=Scope.charges)
async def create_subscription(ctx: Context, order: CreateSubscription) -> SubscriptionView:
    """Create a subscription; nothing is charged before its first date."""
    given = order.model_dump() | {"id": new_id(), "status": SubscriptionStatus.active.value}
    now = ctx.clock.now()
    _refuse_past(order.next_billing_at, now)
    given |= _scheduled(order.interval, order.next_billing_at, now)
    given["metadata"] = order.metadata or {}
    _judge(given)
    async with _unique_reference(ctx, given), ctx.database.transaction() as transaction:
        row = await transaction.one(
            CREATE if order.customer_id is None else CREATE_FOR_CUSTOMER,
            **given,
            user_id=ctx.store_id,
            environment=ctx.environment,
            now=now,
        )
        if row is None:
            raise NotFound(MISSING_CUSTOMER)
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
    now, date = ctx.clock.now(), given.pop("next_billing_at", None)
    _refuse_past(date, now)
    async with _unique_reference(ctx, {**given, "id": order.id}):
        return await CHANGE.run(
            ctx,
            order.id,
            given,
            "subscription.updated",
            MISSING,
            entail=lambda row: _rescheduled(row, given, date, now),
            judge=_judge,
            first=partial(_hold_customer, ctx, given.get("customer_id")),
        )


@operation("subscriptions.delete", Permission.operate, scope=Scope.charges)
async def delete_subscription(ctx: Context, which: WhichSubscription) -> Deleted:
    """Delete a subscription; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "subscription.deleted", MISSING)


async def _hold_customer(ctx: Context, customer_id: str | None, executor: Executor) -> None:
    """Keep the customer until the subscription is theirs. They are locked before it is, as by their deletion."""
    mine = {"user_id": ctx.store_id, "environment": ctx.environment, "customer_id": customer_id}
    if customer_id is not None and await executor.value(CUSTOMER, **mine) is None:
        raise NotFound(MISSING_CUSTOMER)


def _scheduled(interval: Interval, date: datetime | None, now: datetime) -> dict[str, Any]:
    """The columns of the rhythm: from the date that was sent, else one interval from now."""
    rhythm, first = first_cycle(interval, now, date)
    return {"next_billing_at": first, "anchor_day": rhythm.anchor_day, "utc_offset": rhythm.utc_offset}


def _refuse_past(date: datetime | None, now: datetime) -> None:
    if date is not None and date < now:
        raise InvalidInput(("next_billing_at", PAST))


def _rescheduled(row: Row, given: Mapping[str, Any], date: datetime | None, now: datetime) -> dict[str, Any]:
    """What the schedule becomes by a change (contract section 4). A new schedule forgets
    the failures of the old one.
    """
    interval = Interval(given.get("interval", row["interval"]))
    forgotten = {"last_failure": None, "retry_at": None}
    due = row["next_billing_at"]
    # Who sends back the date that was answered moves nothing: it tells neither the anchor day nor the calendar.
    if date is not None and not _is_as_answered(date, due):
        return _scheduled(interval, date, now) | forgotten
    stale = due is None or (row["status"] != SubscriptionStatus.active and due <= now)
    if date is None and given.get("status") == SubscriptionStatus.active and stale:
        return _scheduled(interval, None, now) | forgotten
    if interval != row["interval"] and row["interval"] == Interval.weekly and due is not None:
        # Weeks know no day of the month: the one of the next charge is what months and years return to.
        return {"anchor_day": local(due, row["utc_offset"]).day}
    return {}


def _is_as_answered(date: datetime, due: datetime | None) -> bool:
    """Also as JavaScript tells it again, to the millisecond."""
    return due is not None and date in {due, due.replace(microsecond=due.microsecond // 1000 * 1000)}


def _judge(subscription: Mapping[str, Any]) -> None:
    """Refuse a subscription that can't be: going on with nothing left to charge."""
    if subscription["status"] != SubscriptionStatus.active:
        return
    faults = []
    extent = Extent(subscription.get("cycles_count", 0), subscription["max_cycles"], None)
    if not extent.holds(None):
        charged = "já foi cobrado 1 ciclo" if extent.cycles == 1 else f"já foram cobrados {extent.cycles} ciclos"
        faults.append(("max_cycles", f"{charged}: aumente para a assinatura seguir ativa"))
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
