"""Creating, changing and deleting what the board holds: staff's work."""

from typing import Any

from sqlalchemy import Update, bindparam, delete, func, insert, select, update

from gateway.errors import NotFound
from gateway.models.database import Executor, Shapes, Statement
from gateway.models.roadmap import roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.operation import operation
from gateway.resolvers.roadmap.inputs import (
    MISSING,
    MISSING_COMMENT,
    CreateRoadmapItem,
    UpdateRoadmapItem,
    WhichRoadmapComment,
    WhichRoadmapItem,
)
from gateway.resolvers.roadmap.reading import find_item
from gateway.resolvers.roadmap.views import RoadmapItemView
from gateway.values.ids import new_id

_I, _V, _C = roadmap_items, roadmap_votes, roadmap_comments
_GIVEN = tuple(CreateRoadmapItem.model_fields)
_now = bindparam("now", type_=_I.c.created_at.type)
_this = _I.c.id == bindparam("item_id", type_=_I.c.id.type)
CREATE = Statement(
    insert(_I).values({name: bindparam(name) for name in ("id", *_GIVEN)} | {"created_at": _now, "updated_at": _now})
)
LOCK = Statement(select(_I.c.id).where(_this).with_for_update())
"""Whoever counts anew takes the item first: votes and comments of one item come one after the other."""


def _update(*names: str) -> Update:
    values: dict[str, Any] = {name: bindparam(f"new_{name}", type_=_I.c[name].type) for name in names}
    return update(_I).where(_this).values(values | {"updated_at": _now})


UPDATE = Shapes(_update)
_lost_votes = delete(_V).where(_V.c.item_id == bindparam("item_id")).returning(_V.c.user_id).cte("lost_votes")
_lost_comments = delete(_C).where(_C.c.item_id == bindparam("item_id")).returning(_C.c.id).cte("lost_comments")
EMPTY = Statement(
    select(
        select(func.count()).select_from(_lost_votes).scalar_subquery().label("roadmap_votes.item_id"),
        select(func.count()).select_from(_lost_comments).scalar_subquery().label("roadmap_comments.item_id"),
    )
)
DELETE = Statement(delete(_I).where(_this))
_lost_comment = (
    delete(_C)
    .where(_C.c.item_id == bindparam("item_id"), _C.c.id == bindparam("comment_id"))
    .returning(_C.c.item_id)
    .cte("lost_comment")
)
DELETE_COMMENT = Statement(
    update(_I).where(_I.c.id == _lost_comment.c.item_id).values(comments_count=_I.c.comments_count - 1)
)


@operation("roadmap.create", Permission.staff, creates=True)
async def create_roadmap_item(ctx: Context, order: CreateRoadmapItem) -> RoadmapItemView:
    """Put an item on the board."""
    item_id = new_id()
    async with ctx.database.transaction() as transaction:
        await transaction.run(CREATE, id=item_id, **order.model_dump(), now=ctx.real_clock.now())
        made = await find_item(ctx, transaction, item_id)
        await record(ctx, transaction, "roadmap_item.created", item_id)
        await idempotency.conclude(ctx, transaction, made)
    return made


@operation("roadmap.update", Permission.staff)
async def update_roadmap_item(ctx: Context, order: UpdateRoadmapItem) -> RoadmapItemView:
    """Change the sent fields of an item."""
    given = {name: value for name, value in order.sent().items() if name != "id"}
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, order.id)
        before = await find_item(ctx, transaction, order.id)
        changes = {name: {"from": getattr(before, name), "to": given[name]} for name in sorted(given)}
        changes = {name: change for name, change in changes.items() if change["from"] != change["to"]}
        if not changes:
            return before
        values = {f"new_{name}": given[name] for name in changes}
        await transaction.run(UPDATE.of(*changes), item_id=order.id, **values, now=ctx.real_clock.now())
        await record(ctx, transaction, "roadmap_item.updated", order.id, changes=changes)
        return await find_item(ctx, transaction, order.id)


@operation("roadmap.delete", Permission.staff)
async def delete_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> Deleted:
    """Take an item off the board, with its votes and comments."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        gone = await transaction.one(EMPTY, item_id=which.id)
        assert gone is not None
        await transaction.run(DELETE, item_id=which.id)
        await record(ctx, transaction, "roadmap_item.deleted", which.id)
    return Deleted.of({"id": which.id, "deleted": True, "desvinculados": dict(gone)})


@operation("roadmap.delete_comment", Permission.staff)
async def delete_roadmap_comment(ctx: Context, which: WhichRoadmapComment) -> Deleted:
    """Delete a comment, whoever wrote it."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        if not await transaction.run(DELETE_COMMENT, item_id=which.id, comment_id=which.comment_id):
            raise NotFound(MISSING_COMMENT)
        await record(ctx, transaction, "roadmap_comment.deleted", which.comment_id)
    return Deleted.of({"id": which.comment_id, "deleted": True, "desvinculados": {}})


async def lock_item(transaction: Executor, item_id: str) -> None:
    """Take the item until the transaction ends, or raise `NotFound`."""
    if await transaction.value(LOCK, item_id=item_id) is None:
        raise NotFound(MISSING)
