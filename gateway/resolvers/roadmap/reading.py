"""Reading the board: its items and what was said of them."""

from sqlalchemy import bindparam, select

from gateway.errors import NotFound
from gateway.models.api_keys import Scope
from gateway.models.database import Executor, Statement
from gateway.models.roadmap import RoadmapStatus, roadmap_comments, roadmap_items
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.roadmap.inputs import MISSING, ListRoadmap, ListRoadmapComments, WhichRoadmapItem
from gateway.resolvers.roadmap.views import (
    COMMENT_COLUMNS,
    ITEM_COLUMNS,
    RoadmapCommentView,
    RoadmapItemView,
)

_I, _C = roadmap_items, roadmap_comments
ITEMS = Listing(
    roadmap_items,
    ITEM_COLUMNS,
    scope=(),  # The board is everybody's.
    filters={
        **created(_I.c.created_at),
        "status": {status.value: _I.c.status == status.value for status in RoadmapStatus},
        "category": equals(_I.c.category),
    },
    search=search(_I.c.title, _I.c.description, _I.c.category),
)
COMMENTS = Listing(
    roadmap_comments,
    COMMENT_COLUMNS,
    scope=[equals(_C.c.item_id)],
    filters=created(_C.c.created_at),
    search=search(_C.c.body),
)
BY_ID = Statement(select(*ITEM_COLUMNS).where(_I.c.id == bindparam("id")))


@operation("roadmap.list", Permission.account, scope=Reach.any_key)
async def list_roadmap(ctx: Context, asked: ListRoadmap) -> Page[RoadmapItemView]:
    """List the items of the board."""
    return await page_of(ctx, ITEMS, asked, RoadmapItemView.adopt, voter=_voter(ctx))


@operation("roadmap.export", Permission.finance, scope=Scope.read)
async def export_roadmap(ctx: Context, asked: ListRoadmap) -> Export:
    """Export the items of the board."""
    await record(ctx, ctx.database, "roadmap_item.exported", None)
    return export_of(ctx, ITEMS, asked, RoadmapItemView, "roadmap", voter=_voter(ctx))


@operation("roadmap.read", Permission.account, scope=Reach.any_key)
async def read_roadmap_item(ctx: Context, which: WhichRoadmapItem) -> RoadmapItemView:
    """Read one item of the board."""
    return await find_item(ctx, ctx.database, which.id)


@operation("roadmap.list_comments", Permission.account, scope=Reach.any_key)
async def list_roadmap_comments(ctx: Context, asked: ListRoadmapComments) -> Page[RoadmapCommentView]:
    """List what was said of an item."""
    await find_item(ctx, ctx.database, asked.id)
    return await page_of(ctx, COMMENTS, asked, RoadmapCommentView.adopt, item_id=asked.id)


@operation("roadmap.export_comments", Permission.finance, scope=Scope.read)
async def export_roadmap_comments(ctx: Context, asked: ListRoadmapComments) -> Export:
    """Export what was said of an item."""
    await find_item(ctx, ctx.database, asked.id)
    await record(ctx, ctx.database, "roadmap_comment.exported", asked.id)
    return export_of(ctx, COMMENTS, asked, RoadmapCommentView, "comentarios", item_id=asked.id)


async def find_item(ctx: Context, executor: Executor, item_id: str) -> RoadmapItemView:
    """The item as the caller sees it, or `NotFound`."""
    row = await executor.one(BY_ID, id=item_id, voter=_voter(ctx))
    if row is None:
        raise NotFound(MISSING)
    return RoadmapItemView.of(row)


def _voter(ctx: Context) -> str | None:
    """Whose `voted` is shown; nobody's to the system."""
    return ctx.actor.user_id or None
