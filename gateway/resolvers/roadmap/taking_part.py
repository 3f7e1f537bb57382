"""Voting and commenting: anybody with a session of the panel may."""

from sqlalchemy import bindparam, delete, exists, func, insert, select, update

from gateway.errors import NotFound
from gateway.models.database import Statement
from gateway.models.roadmap import roadmap_comments, roadmap_items, roadmap_votes
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core import idempotency
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.roadmap.curating import lock_item
from gateway.resolvers.roadmap.inputs import MISSING, CommentOnRoadmapItem, WhichRoadmapItem
from gateway.resolvers.roadmap.views import COMMENT_COLUMNS, RoadmapCommentView, RoadmapVoteView
from gateway.values.ids import new_id

_I, _V, _C = roadmap_items, roadmap_votes, roadmap_comments
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
_more = select(func.count()).select_from(_cast).scalar_subquery()
_fewer = select(func.count()).select_from(_withdrawn).scalar_subquery()
TOGGLE = Statement(
    update(_I)
    .where(_I.c.id == _item)
    .values(votes_count=_I.c.votes_count + _more - _fewer)
    .returning(_I.c.id, (_more > 0).label("voted"), _I.c.votes_count)
)
"""All of it sees the votes as they are when it begins, so it is right for whoever holds the item's lock."""

_counted = (
    update(_I).where(_I.c.id == _item).values(comments_count=_I.c.comments_count + 1).returning(_I.c.id).cte("counted")
)
_SAID = ("id", "author_id", "author_name", "is_staff", "body", "created_at")
COMMENT = Statement(
    insert(_C)
    .from_select(
        ["item_id", *_SAID],
        select(_counted.c.id, *(bindparam(f"new_{name}", type_=_C.c[name].type) for name in _SAID)),
    )
    .returning(*COMMENT_COLUMNS)
)


@operation("roadmap.vote", Permission.session)
async def vote_for_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> RoadmapVoteView:
    """Vote for an item, or withdraw the vote."""
    async with ctx.database.transaction() as transaction:
        await lock_item(transaction, which.id)
        row = await transaction.one(TOGGLE, item_id=which.id, voter=ctx.actor.user_id, now=ctx.real_clock.now())
        assert row is not None, "the item is locked"
        await record(
            ctx, transaction, "roadmap_item.voted" if row["voted"] else "roadmap_item.vote_withdrawn", row["id"]
        )
    return RoadmapVoteView.of(row)


@operation("roadmap.comment", Permission.session, creates=True)
async def comment_on_roadmap_item(ctx: Context, order: CommentOnRoadmapItem) -> RoadmapCommentView:
    """Say something of an item."""
    said = {
        "new_id": new_id(),
        "new_author_id": ctx.actor.user_id,
        "new_author_name": ctx.actor.name,
        "new_is_staff": ctx.actor.is_staff,
        "new_body": order.body,
        "new_created_at": ctx.real_clock.now(),
    }
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(COMMENT, item_id=order.id, **said)
        if row is None:
            raise NotFound(MISSING)
        written = RoadmapCommentView.of(row)
        await record(ctx, transaction, "roadmap_comment.created", written.id)
        await idempotency.conclude(ctx, transaction, written)
    return written
