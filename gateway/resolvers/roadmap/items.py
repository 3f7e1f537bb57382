"""Items of the board: every account reads them, staff creates, changes and deletes them."""

from typing import Any

from sqlalchemy import Update, bindparam, delete, func, insert, select, update

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Statement, StatementCache
from gateway.models.roadmap import RoadmapStatus, roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.definition import Listing, enum_filter, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.roadmap.types import (
    ITEM_COLUMNS,
    MISSING,
    CreateRoadmapItem,
    ListRoadmap,
    RoadmapItemView,
    UpdateRoadmapItem,
    WhichRoadmapItem,
)
from gateway.values.ids import new_id

_I, _V, _C = roadmap_items, roadmap_votes, roadmap_comments
ITEMS = Listing(
    _I,
    ITEM_COLUMNS,
    scope=(),  # All stores share the board.
    filters={
        "status": enum_filter(_I.c.status, RoadmapStatus),
        "category": equals(_I.c.category),
    },
    search=search(_I.c.title, _I.c.description, _I.c.category),
)
BY_ID = Statement(select(*ITEM_COLUMNS).where(_I.c.id == bindparam("id")))
_now = bindparam("now", type_=_I.c.created_at.type)
_this = _I.c.id == bindparam("item_id")
CREATE = Statement(
    insert(_I).values(
        {name: bindparam(name) for name in ("id", *CreateRoadmapItem.model_fields)}
        | {"created_at": _now, "updated_at": _now}
    )
)
LOCK = Statement(select(_I.c.id).where(_this).with_for_update())


def _update(*names: str) -> Update:
    values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_I.c[name].type) for name in names}
    return update(_I).where(_this).values(values | {"updated_at": _now})


UPDATE = StatementCache(_update)
_deleted_votes = delete(_V).where(_V.c.item_id == bindparam("item_id")).returning(_V.c.user_id).cte("deleted_votes")
_deleted_comments = delete(_C).where(_C.c.item_id == bindparam("item_id")).returning(_C.c.id).cte("deleted_comments")
DELETE_VOTES_AND_COMMENTS = Statement(
    select(
        select(func.count()).select_from(_deleted_votes).scalar_subquery().label("roadmap_votes.item_id"),
        select(func.count()).select_from(_deleted_comments).scalar_subquery().label("roadmap_comments.item_id"),
    )
)
DELETE = Statement(delete(_I).where(_this))


@operation("roadmap.list", Permission.account, scope=KeyAccess.any_key)
async def list_roadmap(ctx: Context, request: ListRoadmap) -> Page[RoadmapItemView]:
    """List the items of the board."""
    return await page_of(ctx, ITEMS, request, RoadmapItemView.adopt, voter=ctx.actor.user_id or None)


EXPORTED = ExportTable.of("roadmap", RoadmapItemView)


@operation("roadmap.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_roadmap(ctx: Context, request: ListRoadmap) -> Export:
    """Export the items of the board."""
    return await export_of(ctx, ITEMS, request, EXPORTED, "roadmap_item.exported", voter=ctx.actor.user_id or None)


@operation("roadmap.read", Permission.account, scope=KeyAccess.any_key)
async def read_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> RoadmapItemView:
    """Read one item of the board."""
    return await find_item(ctx, ctx.database, which.id)


@operation("roadmap.create", Permission.staff, idempotent=True)
async def create_roadmap_item(ctx: Context, order: CreateRoadmapItem) -> RoadmapItemView:
    """Put an item on the board."""
    item_id = new_id()
    async with ctx.database.transaction() as transaction:
        await transaction.run(CREATE, id=item_id, **order.model_dump(), now=ctx.real_clock.now())
        item = await find_item(ctx, transaction, item_id)
        await record(ctx, transaction, "roadmap_item.created", item_id)
        await idempotency.complete(ctx, transaction, item)
    return item


@operation("roadmap.update", Permission.staff)
async def update_roadmap_item(ctx: Context, order: UpdateRoadmapItem) -> RoadmapItemView:
    """Change the sent fields of an item."""
    sent = order.sent()
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, order.id)
        before = await find_item(ctx, transaction, order.id)
        changes = differences(dict(before), sent)
        if not changes:
            return before
        values = {f"new_{name}": sent[name] for name in changes}
        await transaction.run(UPDATE.of(*sorted(changes)), item_id=order.id, **values, now=ctx.real_clock.now())
        await record(ctx, transaction, "roadmap_item.updated", order.id, changes=changes)
        return await find_item(ctx, transaction, order.id)


@operation("roadmap.delete", Permission.staff)
async def delete_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> Deleted:
    """Take an item off the board, with its votes and comments."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        counts = await transaction.single(DELETE_VOTES_AND_COMMENTS, item_id=which.id)
        await transaction.run(DELETE, item_id=which.id)
        await record(ctx, transaction, "roadmap_item.deleted", which.id)
    return Deleted.of_id(which.id, counts)


async def lock_item(transaction: Executor, item_id: str) -> None:
    """Lock the item until the transaction ends, so that its counts change one at a time. Raises `NotFound`."""
    if await transaction.value(LOCK, item_id=item_id) is None:
        raise NotFound(MISSING)


async def find_item(ctx: Context, executor: Executor, item_id: str) -> RoadmapItemView:
    """The item as the caller sees it, or `NotFound`."""
    row = await executor.one(BY_ID, id=item_id, voter=ctx.actor.user_id or None)
    if row is None:
        raise NotFound(MISSING)
    return RoadmapItemView.of(row)
