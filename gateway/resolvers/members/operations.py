"""List the members of a store, change their roles and remove them. Only the store owner manages administrators."""

from sqlalchemy import DateTime, and_, bindparam, cast, func, literal, null, select, union_all, update

from gateway.errors import Conflict, Forbidden, ForeignStore, OwnerOnly
from gateway.models.accounts import users
from gateway.models.api_keys import Scope
from gateway.models.database import Row, Statement, Transaction
from gateway.models.members import MemberRole, members
from gateway.models.members import MemberStatus as StoredStatus
from gateway.resolvers.accounts.queries import STORE_NAME
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.listing.definition import Listing, enum_filter, equals
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.listing.search import search
from gateway.resolvers.core.operation import REGISTRY, operation
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.core.views import Page, columns_of_view
from gateway.resolvers.members.types import (
    MEMBER_COLUMNS,
    NAME,
    ListMembers,
    MemberStatus,
    MemberView,
    RefusedOperation,
    StoreView,
    UpdateMember,
    ViewerView,
    WhichMember,
)
from gateway.values.ids import Id

_M, _U = members, users
# Invitations expire by real time, also in a store with a test clock.
_invited = _M.c.status == StoredStatus.invited.value
_expired = _M.c.expires_at <= bindparam("real_now")
_IN_STATUS = {
    **enum_filter(_M.c.status, StoredStatus),
    MemberStatus.invited.value: and_(_invited, ~_expired),
    MemberStatus.expired.value: and_(_invited, _expired),
}
ROWS = StoreRows(
    _M,
    MEMBER_COLUMNS,
    "Membro não encontrado.",
    lambda _, row: MemberView.of(row),
    scope=[equals(_M.c.store_id, "user_id")],
)
MEMBERS = Listing(
    members,
    MEMBER_COLUMNS,
    scope=ROWS.scope,
    filters={
        "status": _IN_STATUS,
        "role": enum_filter(_M.c.role, MemberRole),
    },
    search=search(_M.c.email, NAME, _M.c.id),
)
_name = STORE_NAME.label("name")
_own = select(
    _U.c.id,
    _name,
    literal(Role.owner.value).label("role"),
    _U.c.production_status,
    cast(null(), DateTime(timezone=True)).label("accepted_at"),
    _U.c.time_zone,
    literal(0).label("position"),
).where(equals(_U.c.id, "user_id"))
_shared = (
    select(_U.c.id, _name, _M.c.role, _U.c.production_status, _M.c.accepted_at, _U.c.time_zone, literal(1))
    .join_from(_M, _U, _U.c.id == _M.c.store_id)
    .where(equals(_M.c.user_id, "user_id"), _M.c.status == StoredStatus.active.value)
)
_stores = union_all(_own, _shared).subquery("stores")
STORES = Statement(
    select(*columns_of_view(StoreView, _stores)).order_by(_stores.c.position, func.lower(_stores.c.name), _stores.c.id)
)
STORE = Statement(select(*columns_of_view(StoreView, _stores)).where(_stores.c.id == bindparam("store_id")))
SET_ROLE = Statement(
    update(_M).where(_M.c.id == bindparam("member_id")).values(role=bindparam("new_role")).returning(*MEMBER_COLUMNS)
)
REMOVE = Statement(
    update(_M)
    .where(_M.c.id == bindparam("member_id"))
    .values(status=StoredStatus.removed.value, removed_at=bindparam("now"), token_hash=None)
    .returning(*MEMBER_COLUMNS)
)


@operation("members.list", Permission.read)
async def list_members(ctx: Context, request: ListMembers) -> Page[MemberView]:
    """List the members of the store: invited, active and removed."""
    now = ctx.real_clock.now()
    return await page_of(ctx, MEMBERS, request, lambda row: MemberView.adopt(row).as_of(now), real_now=now)


EXPORTED = ExportTable.of("equipe", MemberView)


@operation("members.export", Permission.finance, scope=Scope.read, table=EXPORTED)
async def export_members(ctx: Context, request: ListMembers) -> Export:
    """Export the members of the store."""
    now = ctx.real_clock.now()
    return await export_of(
        ctx,
        MEMBERS,
        request,
        EXPORTED,
        "member.exported",
        show=lambda row: MemberView.adopt(row).as_of(now),
        real_now=now,
    )


@operation("members.read", Permission.read)
async def read_member(ctx: Context, which: WhichMember) -> MemberView:
    """Read one member of the store."""
    return (await ROWS.read(ctx, which.id)).as_of(ctx.real_clock.now())


@operation("members.stores", Permission.session)
async def list_stores(ctx: Context, _: Empty) -> Page[StoreView]:
    """List the stores that the caller may name in `x-store`: their own first, then the others by name."""
    rows = await ctx.database.all(STORES, user_id=ctx.actor.user_id)
    return Page([StoreView.of(row) for row in rows], limit=len(rows))


@operation("members.update", Permission.people)
async def update_member(ctx: Context, order: UpdateMember) -> MemberView:
    """Give a member, or an open invitation, another role; effective on the very next request.

    Raises `OwnerOnly` if the old or the new role is administrator and the caller isn't the store owner, and `Conflict`
    for a removed member.
    """
    require_owner_for(ctx, order.role)
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, order.id)
        if before["role"] == order.role:
            return MemberView.of(before).as_of(ctx.real_clock.now())
        after = await transaction.single(SET_ROLE, member_id=order.id, new_role=order.role)
        changes = {"role": {"from": before["role"], "to": order.role}}
        await record(ctx, transaction, "member.updated", order.id, changes=changes)
    return MemberView.of(after).as_of(ctx.real_clock.now())


@operation("members.remove", Permission.people)
async def remove_member(ctx: Context, which: WhichMember) -> MemberView:
    """Remove a member, or withdraw an invitation; effective on the very next request, on every process.

    Raises `OwnerOnly` if the member is an administrator and the caller isn't the store owner, and `Conflict` for a
    removed member.
    """
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, which.id)
        after = await transaction.single(REMOVE, member_id=which.id, now=ctx.real_clock.now())
        changes = {"status": {"from": before["status"], "to": StoredStatus.removed}}
        await record(ctx, transaction, "member.removed", which.id, changes=changes)
    return MemberView.of(after)


@operation("members.viewer", Permission.read, scope=KeyAccess.any_key)
async def read_viewer(ctx: Context, _: Empty) -> ViewerView:
    """Read the caller's store, role and environment, the names of the operations that accept the caller now, and those
    that only the store or the environment refuses.

    Each operation decides by its own rules. Raises `ForeignStore` if the membership has just ended.
    """
    store = await ctx.database.one(STORE, user_id=ctx.actor.user_id, store_id=ctx.store_id)
    if store is None:
        raise ForeignStore
    refusals = {name: each.refusal(ctx) for name, each in sorted(REGISTRY.items())}
    return ViewerView.of(
        {
            "store": StoreView.of(store),
            "role": ctx.actor.role,
            "environment": ctx.environment,
            "is_staff": ctx.actor.is_staff,
            "lacks_second_factor": ctx.actor.lacks_second_factor,
            "operations": [name for name, refusal in refusals.items() if refusal is None],
            "refused": [
                RefusedOperation(operation=name, codigo=refusal.codigo)
                for name, refusal in refusals.items()
                if refusal is not None and not isinstance(refusal, Forbidden)
            ],
        }
    )


async def lock_member(ctx: Context, transaction: Transaction, member_id: Id) -> Row:
    """Lock a member that the caller may manage, until the transaction ends."""
    row = await ROWS.lock(ctx, transaction, member_id)
    # Checked under the lock: a concurrent call may make the member an administrator.
    require_owner_for(ctx, row["role"])
    if row["status"] == StoredStatus.removed:
        raise Conflict("Esta pessoa já foi removida da equipe; convide-a de novo.")
    return row


def require_owner_for(ctx: Context, role: str) -> None:
    """Raise `OwnerOnly` if the role is administrator and the caller isn't the store owner."""
    if role == MemberRole.admin and ctx.actor.role is not Role.owner:
        raise OwnerOnly("Só o titular da loja convida, altera ou remove administradores.")
