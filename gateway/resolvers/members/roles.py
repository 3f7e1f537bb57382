"""Changing a member's role, and removing members. An administrator's membership is the holder's business alone."""

from sqlalchemy import bindparam, select, update

from gateway.errors import Conflict, HolderOnly, NotFound
from gateway.models.database import Row, Statement, Transaction
from gateway.models.members import MemberRole, MemberStatus, members
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Role
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.members.inputs import UpdateMember, WhichMember
from gateway.resolvers.members.reading import MISSING
from gateway.resolvers.members.views import MEMBER_COLUMNS, MemberView
from gateway.values.ids import Id

_M = members
LOCK = Statement(
    select(*MEMBER_COLUMNS)
    .where(_M.c.id == bindparam("member_id"), _M.c.store_id == bindparam("store"))
    .with_for_update()
)
SET_ROLE = Statement(
    update(_M).where(_M.c.id == bindparam("member_id")).values(role=bindparam("new_role")).returning(*MEMBER_COLUMNS)
)
REMOVE = Statement(
    update(_M)
    .where(_M.c.id == bindparam("member_id"))
    .values(status=MemberStatus.removed.value, removed_at=bindparam("now", type_=_M.c.removed_at.type), token_hash=None)
    .returning(*MEMBER_COLUMNS)
)


@operation("members.update", Permission.people)
async def update_member(ctx: Context, order: UpdateMember) -> MemberView:
    """Give a member, or an open invitation, another role; effective on the very next request.

    Raises `HolderOnly` where the old or the new role is an administrator's and an administrator asks, and
    `Conflict` for who was removed.
    """
    require_holder_for(ctx, order.role)
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, order.id)
        if before["role"] == order.role:
            return MemberView.of(before).as_of(ctx.real_clock.now())
        after = await transaction.one(SET_ROLE, member_id=order.id, new_role=order.role)
        assert after is not None, "the row is locked"
        changes = {"role": {"from": before["role"], "to": order.role}}
        await record(ctx, transaction, "member.updated", order.id, changes=changes)
    return MemberView.of(after).as_of(ctx.real_clock.now())


@operation("members.remove", Permission.people)
async def remove_member(ctx: Context, which: WhichMember) -> MemberView:
    """Remove a member, or withdraw an invitation; effective on the very next request, on every process.

    Raises `HolderOnly` where an administrator asks for another's removal, and `Conflict` for who was removed already.
    """
    async with ctx.database.transaction() as transaction:
        before = await lock_member(ctx, transaction, which.id)
        after = await transaction.one(REMOVE, member_id=which.id, now=ctx.real_clock.now())
        assert after is not None, "the row is locked"
        changes = {"status": {"from": before["status"], "to": MemberStatus.removed}}
        await record(ctx, transaction, "member.removed", which.id, changes=changes)
    return MemberView.of(after)


async def lock_member(ctx: Context, transaction: Transaction, member_id: Id) -> Row:
    """A member whom the caller may manage, and whom nobody else changes until the transaction ends."""
    row = await transaction.one(LOCK, member_id=member_id, store=ctx.store_id)
    if row is None:
        raise NotFound(MISSING)
    # Judged under the lock: the holder may be making an administrator of them in this very moment.
    require_holder_for(ctx, row["role"])
    if row["status"] == MemberStatus.removed:
        raise Conflict("Esta pessoa já foi removida da equipe; convide-a de novo.")
    return row


def require_holder_for(ctx: Context, role: str) -> None:
    """Raise `HolderOnly` if it is about an administrator, and the caller isn't the holder. So nobody changes their own
    role either: below administrators nobody changes any.
    """
    if role == MemberRole.admin and ctx.actor.role is not Role.owner:
        raise HolderOnly("Só o titular da loja convida, altera ou remove administradores.")
