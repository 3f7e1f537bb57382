"""Who belongs to the service's staff: decided at the machine (`gateway admin`), by no door."""

from sqlalchemy import bindparam, func, update

from gateway.errors import NotFound
from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.context import Context

SET_STAFF = Statement(
    update(users)
    .where(func.lower(users.c.email) == func.lower(bindparam("email", type_=users.c.email.type)))
    .values(is_admin=bindparam("staff"), updated_at=bindparam("now", type_=users.c.updated_at.type))
    .returning(users.c.id)
)


async def set_staff(ctx: Context, email: str, *, staff: bool) -> None:
    """Set or clear the staff flag; effective on the account's very next request. Raises `NotFound`."""
    async with ctx.database.transaction() as transaction:
        account = await transaction.value(SET_STAFF, email=email.strip(), staff=staff, now=ctx.clock.now())
        if account is None:
            raise NotFound(f"there is no account with the e-mail {email}")
        action = "account.promoted" if staff else "account.demoted"
        await record(ctx, transaction, action, account, store_id=account)
