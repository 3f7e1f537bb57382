"""Reading the people of a store, and the stores of a person."""

from sqlalchemy import DateTime, and_, bindparam, cast, func, literal, null, select, union_all

from gateway.errors import NotFound
from gateway.models.accounts import users
from gateway.models.api_keys import Scope
from gateway.models.database import Statement
from gateway.models.members import MemberRole, members
from gateway.models.members import MemberStatus as StoredStatus
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.listing.definition import Listing, created, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.members.inputs import ListMembers, WhichMember
from gateway.resolvers.members.views import MEMBER_COLUMNS, NAME, MemberStatus, MemberView, StoreView

MISSING = "Membro não encontrado."
_M, _U = members, users
_scope = equals(_M.c.store_id, "user_id")
# Invitations go by real time, also in a store with a test clock.
_invited = _M.c.status == StoredStatus.invited.value
_lapsed = _M.c.expires_at <= bindparam("real_now", type_=_M.c.expires_at.type)
_IN_STATUS = {
    **{status.value: _M.c.status == status.value for status in StoredStatus},
    MemberStatus.invited.value: and_(_invited, ~_lapsed),
    MemberStatus.expired.value: and_(_invited, _lapsed),
}
BY_ID = Statement(select(*MEMBER_COLUMNS).where(_scope, _M.c.id == bindparam("id")))
MEMBERS = Listing(
    members,
    MEMBER_COLUMNS,
    scope=(_scope,),
    filters={
        **created(_M.c.created_at),
        "status": _IN_STATUS,
        "role": {role.value: _M.c.role == role.value for role in MemberRole},
    },
    search=search(_M.c.email, NAME, _M.c.id),
)
_name = func.coalesce(_U.c.company, _U.c.name).label("name")
_mine = select(
    _U.c.id,
    _name,
    literal(Role.owner.value).label("role"),
    _U.c.production_status,
    cast(null(), DateTime(timezone=True)).label("accepted_at"),
    literal(0).label("place"),
).where(equals(_U.c.id, "user_id"))
_shared = (
    select(_U.c.id, _name, _M.c.role, _U.c.production_status, _M.c.accepted_at, literal(1))
    .join_from(_M, _U, _U.c.id == _M.c.store_id)
    .where(equals(_M.c.user_id, "user_id"), _M.c.status == StoredStatus.active.value)
)
_stores = union_all(_mine, _shared).subquery("stores")
STORES = Statement(
    select(*(_stores.c[name] for name in StoreView.model_fields)).order_by(
        _stores.c.place, func.lower(_stores.c.name), _stores.c.id
    )
)


@operation("members.list", Permission.read)
async def list_members(ctx: Context, asked: ListMembers) -> Page[MemberView]:
    """List the people of the store: invited, active and removed."""
    now = ctx.real_clock.now()
    return await page_of(ctx, MEMBERS, asked, lambda row: MemberView.adopt(row).as_of(now), real_now=now)


@operation("members.export", Permission.finance, scope=Scope.read)
async def export_members(ctx: Context, asked: ListMembers) -> Export:
    """Export the people of the store."""
    await record(ctx, ctx.database, "member.exported", None)
    now = ctx.real_clock.now()
    return export_of(
        ctx, MEMBERS, asked, MemberView, "equipe", show=lambda row: MemberView.adopt(row).as_of(now), real_now=now
    )


@operation("members.read", Permission.read)
async def read_member(ctx: Context, which: WhichMember) -> MemberView:
    """Read one member of the store."""
    row = await ctx.database.one(BY_ID, user_id=ctx.store_id, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return MemberView.of(row).as_of(ctx.real_clock.now())


@operation("members.stores", Permission.session)
async def list_stores(ctx: Context, _: Nothing) -> Page[StoreView]:
    """List the stores that the caller may name in `x-store`: their own first, then the others by name."""
    rows = await ctx.database.all(STORES, user_id=ctx.actor.user_id)
    return Page([StoreView.of(row) for row in rows], limit=len(rows))
