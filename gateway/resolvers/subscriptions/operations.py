"""Create, change, delete, read, list and export subscriptions; list the upcoming charges of one."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, insert, select

from gateway.errors import DuplicateReference, InvalidInput, NotFound
from gateway.models.api_keys import Scope
from gateway.models.charges import charges, issuances
from gateway.models.customers import customers
from gateway.models.database import Executor, Row, Statement, UniqueViolation, violates
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted, Deletion
from gateway.resolvers.core.listing.definition import Listing, at_least, at_most, equals, one_of, yes_or_no
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import StoreRows, of_store
from gateway.resolvers.core.views import Page
from gateway.resolvers.customers.operations import MISSING as MISSING_CUSTOMER
from gateway.resolvers.subscriptions.schedule import CycleLimit, first_cycle, local
from gateway.resolvers.subscriptions.types import (
    PAST,
    RECURRENCE_COLUMNS,
    SUBSCRIPTION_COLUMNS,
    CreateSubscription,
    ListSubscriptions,
    SubscriptionView,
    UpdateSubscription,
    WhichSubscription,
    subscription_view,
    too_early,
)
from gateway.values.ids import new_id

MISSING = "Assinatura não encontrada."
DUPLICATE_REFERENCE = "Já existe uma assinatura com este external_reference."
_S, _K = subscriptions, customers
_INSERTED = (
    *("id", "user_id", "environment", "customer_id", "customer_name", "customer_email", "customer_cpf", "description"),
    *("amount", "interval", "interval_count", "status", "next_billing_at", "anchor_day", "utc_offset", "end_date"),
    *("max_cycles", "external_reference", "metadata"),
)
_now = bindparam("now", type_=_S.c.created_at.type)
_bound = {name: bindparam(name, type_=_S.c[name].type) for name in _INSERTED} | {"created_at": _now, "updated_at": _now}
CREATE = Statement(insert(_S).values(_bound).returning(*SUBSCRIPTION_COLUMNS))


def _locked_customer(*columns: ColumnElement[Any]) -> Select[Any]:
    """Select the store's customer and lock it. A deletion locks the customer, then clears the subscriptions it sees:
    this lock makes the new one visible to it, or finds the customer gone.
    """
    own = ((_K.c.user_id, "user_id"), (_K.c.environment, "environment"), (_K.c.id, "customer_id"))
    return (
        select(*columns)
        .where(*(column == _bound[name] for column, name in own))
        .with_for_update(key_share=True, read=True)
    )


_PAYER = {"customer_name": _K.c.name, "customer_email": _K.c.email, "customer_cpf": _K.c.cpf}
_saved = _locked_customer(*(column.label(name) for name, column in _PAYER.items())).cte("saved")
_merged = _bound | {name: func.coalesce(_bound[name], _saved.c[name]) for name in _PAYER}
CREATE_FOR_CUSTOMER = Statement(
    insert(_S)
    .from_select(list(_merged), select(*_merged.values()).select_from(_saved))
    .returning(*SUBSCRIPTION_COLUMNS)
)
"""The saved customer fills in what was not sent. Inserts nothing if the customer does not exist."""
CUSTOMER = Statement(_locked_customer(_K.c.id))
_own = select(_S.c.external_reference).where(_S.c.id == bindparam("id")).scalar_subquery()
REFERENCE_HOLDER = Statement(
    select(_S.c.id).where(
        *of_store(_S),
        _S.c.external_reference
        == func.coalesce(bindparam("external_reference", type_=_S.c.external_reference.type), _own),
        _S.c.status != SubscriptionStatus.canceled.value,
        _S.c.id != bindparam("id"),
    )
)
"""The other subscription that has the reference: the one sent, or else the one that subscription `:id` has."""
ROWS = StoreRows(
    _S,
    [*SUBSCRIPTION_COLUMNS, *RECURRENCE_COLUMNS, _S.c.retry_at],
    MISSING,
    lambda _, row: subscription_view(row),
)
DELETION = Deletion(
    ROWS,
    charges.c.subscription_id,
    busy=issuances.c.subscription_id,
    too_many="Há referências demais para excluir esta assinatura; em vez disso, cancele-a.",
)
is_failing = and_(_S.c.status == SubscriptionStatus.active.value, _S.c.last_failure.is_not(None))
_in_status = one_of(_S.c.status, SubscriptionStatus)
SUBSCRIPTIONS = Listing(
    subscriptions,
    SUBSCRIPTION_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": _in_status,
        "interval": equals(_S.c.interval),
        "interval_count": equals(_S.c.interval_count),
        "customer_id": equals(_S.c.customer_id),
        "external_reference": equals(_S.c.external_reference),
        "failing": yes_or_no(is_failing),
        "next_billing_from": at_least(_S.c.next_billing_at, "next_billing_from"),
        "next_billing_to": at_most(_S.c.next_billing_at, "next_billing_to"),
    },
    search=TextSearch(_S.c.search, indexed=True),
)


@operation("subscriptions.create", Permission.operate, needs_live_approval=True, idempotent=True, scope=Scope.charges)
async def create_subscription(ctx: Context, order: CreateSubscription) -> SubscriptionView:
    """Create a subscription; nothing is charged before its first date."""
    values = order.model_dump() | {"id": new_id(), "status": SubscriptionStatus.active.value}
    now = ctx.clock.now()
    _refuse_past(order.next_billing_at, now)
    values |= _scheduled(order.interval, order.interval_count, order.next_billing_at, now)
    values["metadata"] = order.metadata or {}
    _validate(values)
    async with _unique_reference(ctx, values), ctx.database.transaction() as transaction:
        row = await transaction.one(
            CREATE if order.customer_id is None else CREATE_FOR_CUSTOMER,
            **values,
            **ctx.scope,
            now=now,
        )
        if row is None:
            raise NotFound(MISSING_CUSTOMER)
        created = SubscriptionView.of(row)
        await record(ctx, transaction, "subscription.created", created.id)
        await idempotency.complete(ctx, transaction, created)
    return created


@operation("subscriptions.update", Permission.operate, scope=Scope.charges)
async def update_subscription(ctx: Context, order: UpdateSubscription) -> SubscriptionView:
    """Change the sent fields of a subscription; charges already made stay as they are."""
    values = order.sent()
    if "metadata" in values:
        values["metadata"] = values["metadata"] or {}
    now, date = ctx.clock.now(), values.pop("next_billing_at", None)
    _refuse_past(date, now)
    async with _unique_reference(ctx, {**values, "id": order.id}):
        return await ROWS.update(
            ctx,
            order.id,
            values,
            "subscription.updated",
            derive=lambda row: _rescheduled(row, values, date, now),
            validate=_validate,
            first=partial(_lock_customer, ctx, values.get("customer_id")),
        )


@operation("subscriptions.delete", Permission.operate, scope=Scope.charges)
async def delete_subscription(ctx: Context, which: WhichSubscription) -> Deleted:
    """Delete a subscription; its charges stay and lose the reference."""
    return await DELETION.run(ctx, which.id, "subscription.deleted")


async def _lock_customer(ctx: Context, customer_id: str | None, executor: Executor) -> None:
    """Lock the customer before the subscription, as a deletion of the customer does. Raises `NotFound`."""
    if customer_id is not None and await executor.value(CUSTOMER, **ctx.scope, customer_id=customer_id) is None:
        raise NotFound(MISSING_CUSTOMER)


def _scheduled(interval: Interval, count: int, date: datetime | None, now: datetime) -> dict[str, Any]:
    """The columns of the schedule: from the date that was sent, or else `count` intervals from now."""
    recurrence, first = first_cycle(interval, count, now, date)
    return {"next_billing_at": first, "anchor_day": recurrence.anchor_day, "utc_offset": recurrence.utc_offset}


def _refuse_past(date: datetime | None, now: datetime) -> None:
    if date is not None and date < now:
        raise InvalidInput(("next_billing_at", PAST))


def _rescheduled(row: Row, values: Mapping[str, Any], date: datetime | None, now: datetime) -> dict[str, Any]:
    """The columns of the schedule after a change (contract section 4). A new schedule clears the last failure."""
    interval = Interval(values.get("interval", row["interval"]))
    count = values.get("interval_count", row["interval_count"])
    cleared = {"last_failure": None, "retry_at": None}
    due = row["next_billing_at"]
    # A date sent back unchanged moves nothing: it has neither the anchor day nor the calendar.
    if date is not None and not _is_unchanged(date, due):
        return _scheduled(interval, count, date, now) | cleared
    stale = due is None or (row["status"] != SubscriptionStatus.active and due <= now)
    if date is None and values.get("status") == SubscriptionStatus.active and stale:
        return _scheduled(interval, count, None, now) | cleared
    if interval != row["interval"] and row["interval"] == Interval.weekly and due is not None:
        # A week has no day of the month: months and years return to the day of the next charge.
        return {"anchor_day": local(due, row["utc_offset"]).day}
    return {}


def _is_unchanged(date: datetime, due: datetime | None) -> bool:
    """Whether it is the stored date, also if cut to milliseconds as JavaScript does."""
    return due is not None and date in {due, due.replace(microsecond=due.microsecond // 1000 * 1000)}


def _validate(subscription: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` for an active subscription that has nothing left to charge."""
    if subscription["status"] != SubscriptionStatus.active:
        return
    errors = []
    limit = CycleLimit(subscription.get("cycles_count", 0), subscription["max_cycles"], None)
    if not limit.allows(None):
        charged = "já foi cobrado 1 ciclo" if limit.cycles == 1 else f"já foram cobrados {limit.cycles} ciclos"
        errors.append(("max_cycles", f"{charged}: aumente para a assinatura seguir ativa"))
    date, until = subscription["next_billing_at"], subscription["end_date"]
    if date is not None and until is not None and until < date:
        errors.append(("end_date", too_early("próxima" if subscription.get("cycles_count") else "primeira")))
    if errors:
        raise InvalidInput(*errors)


@asynccontextmanager
async def _unique_reference(ctx: Context, values: Mapping[str, Any]) -> AsyncIterator[None]:
    try:
        yield
    except UniqueViolation as error:
        if not violates(error, "uq_subscriptions_external_reference"):
            raise
        params = {"id": values["id"], "external_reference": values.get("external_reference")}
        holder = await ctx.database.value(REFERENCE_HOLDER, **ctx.scope, **params)
        raise DuplicateReference(DUPLICATE_REFERENCE, **({"id": holder} if holder else {})) from None


@operation("subscriptions.read", Permission.read)
async def read_subscription(ctx: Context, which: WhichSubscription) -> SubscriptionView:
    """Read one subscription."""
    return await ROWS.read(ctx, which.id)


@operation("subscriptions.list", Permission.read)
async def list_subscriptions(ctx: Context, params: ListSubscriptions) -> Page[SubscriptionView]:
    """List the subscriptions of the store."""
    return await page_of(ctx, SUBSCRIPTIONS, params, SubscriptionView.adopt)


EXPORTED = ExportTable.of("assinaturas", SubscriptionView)


@operation("subscriptions.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_subscriptions(ctx: Context, params: ListSubscriptions) -> Export:
    """Export the subscriptions of the store."""
    return await export_of(ctx, SUBSCRIPTIONS, params, EXPORTED, "subscription.exported")
