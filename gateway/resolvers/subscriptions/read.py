"""Read, list and export subscriptions; list the upcoming charges of one."""

from collections.abc import Sequence

from sqlalchemy import ARRAY, bindparam, func, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Row, Statement
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, at_least, at_most, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import TextSearch
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.subscriptions.operations import MISSING
from gateway.resolvers.subscriptions.schedule import CycleLimit, Recurrence, upcoming
from gateway.resolvers.subscriptions.types import (
    RECURRENCE_COLUMNS,
    SUBSCRIPTION_COLUMNS,
    ListSubscriptions,
    SubscriptionView,
    UpcomingChargeView,
    UpcomingParams,
    WhichSubscription,
    subscription_view,
)

_S = subscriptions
_scope = (equals(_S.c.user_id), equals(_S.c.environment))
BY_ID = Statement(select(*SUBSCRIPTION_COLUMNS, *RECURRENCE_COLUMNS).where(*_scope, _S.c.id == bindparam("id")))
BY_IDS = Statement(
    select(*SUBSCRIPTION_COLUMNS).where(*_scope, _S.c.id == func.any(bindparam("ids", type_=ARRAY(_S.c.id.type))))
)
_in_status = {status.value: _S.c.status == status.value for status in SubscriptionStatus}
SUBSCRIPTIONS = Listing(
    subscriptions,
    SUBSCRIPTION_COLUMNS,
    scope=_scope,
    filters={
        **created(_S.c.created_at),
        "status": _in_status,
        "interval": equals(_S.c.interval),
        "customer_id": equals(_S.c.customer_id),
        "external_reference": equals(_S.c.external_reference),
        "next_billing_from": at_least(_S.c.next_billing_at, "next_billing_from"),
        "next_billing_to": at_most(_S.c.next_billing_at, "next_billing_to"),
    },
    search=TextSearch(_S.c.search, indexed=True),
)


@operation("subscriptions.read", Permission.read)
async def read_subscription(ctx: Context, which: WhichSubscription) -> SubscriptionView:
    """Read one subscription."""
    return subscription_view(await find_subscription(ctx, which.id))


@operation("subscriptions.list", Permission.read)
async def list_subscriptions(ctx: Context, params: ListSubscriptions) -> Page[SubscriptionView]:
    """List the subscriptions of the store."""
    return await page_of(ctx, SUBSCRIPTIONS, params, SubscriptionView.adopt)


@operation("subscriptions.export", Permission.finance, scope=Scope.read)
async def export_subscriptions(ctx: Context, params: ListSubscriptions) -> Export:
    """Export the subscriptions of the store."""
    await record(ctx, ctx.database, "subscription.exported", None)
    return export_of(ctx, SUBSCRIPTIONS, params, SubscriptionView, "assinaturas")


@operation("subscriptions.upcoming", Permission.read)
async def upcoming_charges(ctx: Context, params: UpcomingParams) -> Page[UpcomingChargeView]:
    """See when and what a subscription will charge next; one that isn't active charges nothing."""
    row = await find_subscription(ctx, params.id)
    if row["status"] != SubscriptionStatus.active or row["next_billing_at"] is None:
        return Page([], limit=params.count)
    recurrence = Recurrence(Interval(row["interval"]), row["anchor_day"], row["utc_offset"])
    limit = CycleLimit(row["cycles_count"], row["max_cycles"], row["end_date"])
    dates = upcoming(recurrence, limit, row["next_billing_at"], params.count)
    items = [
        UpcomingChargeView.of({"cycle": limit.cycles + number, "billing_at": date, "amount": row["amount"]})
        for number, date in enumerate(dates, 1)
    ]
    return Page(items, limit=params.count)


async def find_subscription(ctx: Context, subscription_id: str) -> Row:
    """The row of the store's subscription, with its recurrence. Raises `NotFound`."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, environment=ctx.environment, id=subscription_id)
    if row is None:
        raise NotFound(MISSING)
    return row


async def subscriptions_by_id(ctx: Context, ids: Sequence[str]) -> dict[str, SubscriptionView]:
    """The store's subscriptions among these ids."""
    rows = await ctx.database.all(BY_IDS, user_id=ctx.store_id, environment=ctx.environment, ids=list(ids))
    return {row["id"]: SubscriptionView.of(row) for row in rows}
