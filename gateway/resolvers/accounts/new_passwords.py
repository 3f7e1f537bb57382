"""Giving an account another password: what changing it and resetting it have in common."""

from sqlalchemy import bindparam, update

from gateway.errors import InvalidInput, InvalidSession
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.accounts.hashing import hash_password
from gateway.resolvers.accounts.inputs import NOT_THE_EMAIL
from gateway.resolvers.accounts.passwords import is_email
from gateway.resolvers.accounts.unproven import ShutOut
from gateway.resolvers.accounts.views import USER_COLUMNS
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.facts import PasswordChanged
from gateway.resolvers.mail.outbox import Letter, queue

SET_PASSWORD = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("shown"))
    .values(
        password_hash=bindparam("new_hash"),
        session_version=users.c.session_version + 1,
        updated_at=bindparam("now", type_=users.c.updated_at.type),
    )
    .returning(*USER_COLUMNS, users.c.session_version)
)


async def hashed(ctx: Context, new_password: str, email: str) -> str:
    """The hash of a password that is about to be an account's. Raises `InvalidInput`
    where it is the account's e-mail.
    """
    if is_email(new_password, email):
        raise InvalidInput(("new_password", NOT_THE_EMAIL))
    return await hash_password(ctx, new_password)


async def set_password(
    ctx: Context, transaction: Executor, account: Row, new_hash: str, *, reset: ShutOut | None = None
) -> Row:
    """The account's row with its new password, of which its holder is told by mail; `reset` says that it was by a
    mailed code, and who was shut out. Tokens of older sessions are worth nothing from now on.

    Raises `InvalidSession` where the account has got another password, or ended its sessions, since `account` was read:
    of two who set one at a time, the one who showed the old password comes too late.
    """
    now, user_id = ctx.real_clock.now(), account["id"]
    row = await transaction.one(
        SET_PASSWORD, user_id=user_id, shown=account["session_version"], new_hash=new_hash, now=now
    )
    if row is None:
        raise InvalidSession
    shut_out = (reset or ShutOut())._asdict()
    told = PasswordChanged(
        user_id=user_id, email=row["email"], at=now, ip=ctx.origin.ip, by_mail=reset is not None, **shut_out
    )
    await queue(ctx, transaction, Letter(told, user_id))
    return row
