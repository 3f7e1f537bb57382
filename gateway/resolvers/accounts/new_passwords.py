"""Giving an account another password: what changing it and resetting it have in common."""

from sqlalchemy import bindparam, delete, update

from gateway.errors import InvalidInput
from gateway.models.accounts import password_resets, users
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.accounts.inputs import NOT_THE_EMAIL
from gateway.resolvers.accounts.passwords import is_email
from gateway.resolvers.accounts.views import USER_COLUMNS
from gateway.resolvers.context import Context
from gateway.resolvers.mail.facts import PasswordChanged
from gateway.resolvers.mail.outbox import Letter, queue

_withdrawn = delete(password_resets).where(password_resets.c.user_id == bindparam("user_id")).cte("withdrawn")
SET_PASSWORD = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"))
    .values(
        password_hash=bindparam("new_hash"),
        session_version=users.c.session_version + 1,
        updated_at=bindparam("now", type_=users.c.updated_at.type),
    )
    .returning(*USER_COLUMNS, users.c.session_version)
    .add_cte(_withdrawn)
)


async def hashed(ctx: Context, new_password: str, email: str) -> str:
    """The hash of a password that is about to be an account's. Raises `InvalidInput` where it is the account's e-mail."""
    if is_email(new_password, email):
        raise InvalidInput(("new_password", NOT_THE_EMAIL))
    return await ctx.services.passwords.hash(new_password)


async def set_password(ctx: Context, transaction: Executor, user_id: str, new_hash: str, *, by_mail: bool) -> Row:
    """The account's row with its new password, of which its holder is told by mail. Tokens of older sessions and what was mailed for a reset are
    worth nothing from now on.
    """
    now = ctx.real_clock.now()
    row = await transaction.one(SET_PASSWORD, user_id=user_id, new_hash=new_hash, now=now)
    assert row is not None, "accounts are never deleted"
    told = PasswordChanged(user_id=user_id, email=row["email"], at=now, ip=ctx.origin.ip, by_mail=by_mail)
    await queue(ctx, transaction, Letter(told, user_id))
    return row
