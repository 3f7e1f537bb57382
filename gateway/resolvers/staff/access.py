"""Who is staff, and which stores a member of staff may not decide about."""

from sqlalchemy import bindparam, func, select, update

from gateway.errors import Forbidden, NotFound
from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.models.members import MemberStatus, members
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.values.ids import Id

_M = members
SET_STAFF = Statement(
    update(users)
    .where(func.lower(users.c.email) == func.lower(bindparam("email", type_=users.c.email.type)))
    .values(is_admin=bindparam("staff"), updated_at=bindparam("now"))
    .returning(users.c.id)
)
MEMBERSHIP = Statement(
    select(_M.c.id).where(
        _M.c.user_id == bindparam("user_id"),
        _M.c.store_id == bindparam("store_id"),
        _M.c.status == MemberStatus.active.value,
    )
)


async def set_staff(ctx: Context, email: str, *, staff: bool) -> None:
    """Set or clear the staff flag (`gateway admin`); effective on the account's next request. Raises `NotFound`."""
    async with ctx.database.transaction() as transaction:
        account = await transaction.value(SET_STAFF, email=email.strip(), staff=staff, now=ctx.clock.now())
        if account is None:
            raise NotFound(f"there is no account with the e-mail {email}")
        action = "account.promoted" if staff else "account.demoted"
        await record(ctx, transaction, action, account, store_id=account)


async def refuse_own_store(ctx: Context, store_id: Id, message: str) -> None:
    """Raise `Forbidden` with this message for the owner of the store and its members."""
    own = store_id == ctx.actor.user_id
    if own or await ctx.database.value(MEMBERSHIP, user_id=ctx.actor.user_id, store_id=store_id):
        raise Forbidden(message)
