"""Votes and comments: any account with a session writes them, staff deletes comments."""

from sqlalchemy import bindparam, delete, exists, func, insert, select, update

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.roadmap import roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.roadmap.items import find_item, lock_item
from gateway.resolvers.roadmap.types import (
    COMMENT_COLUMNS,
    MISSING,
    MISSING_COMMENT,
    CommentOnRoadmapItem,
    ListRoadmapComments,
    RoadmapCommentView,
    RoadmapVoteView,
    WhichRoadmapComment,
    WhichRoadmapItem,
)
from gateway.values.ids import new_id

_I, _V, _C = roadmap_items, roadmap_votes, roadmap_comments
COMMENTS = Listing(
    _C,
    COMMENT_COLUMNS,
    scope=[equals(_C.c.item_id)],
    search=search(_C.c.body),
)
_item = bindparam("item_id", type_=_I.c.id.type)
_voter = bindparam("voter", type_=_V.c.user_id.type)
_now = bindparam("now", type_=_V.c.created_at.type)
_own = (_V.c.item_id == _item, _V.c.user_id == _voter)
_withdrawn = delete(_V).where(*_own).returning(_V.c.user_id).cte("withdrawn")
_cast = (
    insert(_V)
    .from_select(["item_id", "user_id", "created_at"], select(_item, _voter, _now).where(~exists().where(*_own)))
    .returning(_V.c.user_id)
    .cte("cast_vote")
)
_added = select(func.count()).select_from(_cast).scalar_subquery()
_removed = select(func.count()).select_from(_withdrawn).scalar_subquery()
TOGGLE_VOTE = Statement(
    update(_I)
    .where(_I.c.id == _item)
    .values(votes_count=_I.c.votes_count + _added - _removed)
    .returning(_I.c.id, (_added > 0).label("voted"), _I.c.votes_count)
)
"""The caller holds the item's lock, so both CTEs see the same votes."""
_counted = (
    update(_I).where(_I.c.id == _item).values(comments_count=_I.c.comments_count + 1).returning(_I.c.id).cte("counted")
)
_NEW = ("id", "author_id", "author_name", "is_staff", "body", "created_at")
COMMENT = Statement(
    insert(_C)
    .from_select(
        ["item_id", *_NEW],
        select(_counted.c.id, *(bindparam(f"new_{name}", type_=_C.c[name].type) for name in _NEW)),
    )
    .returning(*COMMENT_COLUMNS)
)
_deleted = (
    delete(_C)
    .where(_C.c.item_id == bindparam("item_id"), _C.c.id == bindparam("comment_id"))
    .returning(_C.c.item_id)
    .cte("deleted")
)
DELETE_COMMENT = Statement(
    update(_I).where(_I.c.id == _deleted.c.item_id).values(comments_count=_I.c.comments_count - 1)
)


@operation("roadmap.vote", Permission.session)
async def vote_for_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> RoadmapVoteView:
    """Vote for an item, or withdraw the vote."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        row = await transaction.single(TOGGLE_VOTE, item_id=which.id, voter=ctx.actor.user_id, now=ctx.real_clock.now())
        action = "roadmap_item.voted" if row["voted"] else "roadmap_item.vote_withdrawn"
        await record(ctx, transaction, action, row["id"])
    return RoadmapVoteView.of(row)


@operation("roadmap.list_comments", Permission.account, scope=KeyAccess.any_key)
async def list_roadmap_comments(ctx: Context, request: ListRoadmapComments) -> Page[RoadmapCommentView]:
    """List the comments on an item."""
    await find_item(ctx, ctx.database, request.id)
    return await page_of(ctx, COMMENTS, request, RoadmapCommentView.adopt, item_id=request.id)


EXPORTED = ExportTable.of("comentarios", RoadmapCommentView)


@operation("roadmap.export_comments", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_roadmap_comments(ctx: Context, request: ListRoadmapComments) -> Export:
    """Export the comments on an item."""
    await find_item(ctx, ctx.database, request.id)
    action, item_id = "roadmap_comment.exported", request.id
    return await export_of(ctx, COMMENTS, request, EXPORTED, action, resource_id=item_id, item_id=item_id)


@operation("roadmap.comment", Permission.session, idempotent=True)
async def comment_on_roadmap_item(ctx: Context, order: CommentOnRoadmapItem) -> RoadmapCommentView:
    """Comment on an item."""
    values = {
        "new_id": new_id(),
        "new_author_id": ctx.actor.user_id,
        "new_author_name": ctx.actor.name,
        "new_is_staff": ctx.actor.is_staff,
        "new_body": order.body,
        "new_created_at": ctx.real_clock.now(),
    }
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(COMMENT, item_id=order.id, **values)
        if row is None:
            raise NotFound(MISSING)
        comment = RoadmapCommentView.of(row)
        await record(ctx, transaction, "roadmap_comment.created", comment.id)
        await idempotency.complete(ctx, transaction, comment)
    return comment


@operation("roadmap.delete_comment", Permission.staff)
async def delete_roadmap_comment(ctx: Context, which: WhichRoadmapComment) -> Deleted:
    """Delete a comment of any author."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        if not await transaction.run(DELETE_COMMENT, item_id=which.id, comment_id=which.comment_id):
            raise NotFound(MISSING_COMMENT)
        await record(ctx, transaction, "roadmap_comment.deleted", which.comment_id)
    return Deleted.of_id(which.comment_id)
