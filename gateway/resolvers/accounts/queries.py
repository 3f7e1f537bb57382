"""Statements over accounts that several modules use."""

from typing import Any

from sqlalchemy import Column, ColumnElement, bindparam, func, select, update

from gateway.models.accounts import users
from gateway.models.database import Row, Statement
from gateway.models.sessions import two_factors
from gateway.resolvers.accounts.types import USER_COLUMNS
from gateway.resolvers.core.context import Context

_factor = select(two_factors.c.uses).where(two_factors.c.user_id == users.c.id, two_factors.c.confirmed_at.is_not(None))
CODES_USED = _factor.scalar_subquery().label("codes_used")
"""The number of second-factor codes that the account has used; null without a second factor."""
ACCOUNT = select(*USER_COLUMNS, users.c.session_version, users.c.password_hash, CODES_USED)
BY_ID = Statement(ACCOUNT.where(users.c.id == bindparam("id")))
BY_EMAIL = Statement(ACCOUNT.where(func.lower(users.c.email) == bindparam("email")))
STORE_NAME = func.coalesce(users.c.company, users.c.name)
_now = bindparam("now", type_=users.c.email_verified_at.type)
MARK_VERIFIED = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("version"))
    .values(email_verified_at=func.coalesce(users.c.email_verified_at, _now))
)
"""The account's email is verified. Updates no row if the password changed since the account was read."""


def person_name_of(account: Column[Any]) -> ColumnElement[Any]:
    """The name of the person whose account the column names."""
    return _of_account(users.c.name, account)


def store_name_of(account: Column[Any]) -> ColumnElement[Any]:
    """The name of the store whose owner's account the column names."""
    return _of_account(STORE_NAME, account)


def _of_account(value: ColumnElement[Any], account: Column[Any]) -> ColumnElement[Any]:
    return select(value).where(users.c.id == account).correlate(account.table).scalar_subquery()


async def read_own_account(ctx: Context) -> Row:
    """The caller's account."""
    return await ctx.database.single(BY_ID, id=ctx.actor.user_id)
