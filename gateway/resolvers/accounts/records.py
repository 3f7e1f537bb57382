"""Statements over accounts that several verbs use."""

from sqlalchemy import bindparam, func, select, update

from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.models.sessions import two_factors
from gateway.resolvers.accounts.views import USER_COLUMNS

_factor = select(two_factors.c.uses).where(two_factors.c.user_id == users.c.id, two_factors.c.confirmed_at.is_not(None))
CODES_USED = _factor.scalar_subquery().label("codes_used")
"""How many codes of its second factor an account has used; null for one that has none."""
ACCOUNT = select(*USER_COLUMNS, users.c.session_version, users.c.password_hash, CODES_USED)
BY_ID = Statement(ACCOUNT.where(users.c.id == bindparam("id")))
BY_EMAIL = Statement(ACCOUNT.where(func.lower(users.c.email) == bindparam("email")))
_now = bindparam("now", type_=users.c.email_proven_at.type)
PROVE = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("shown"))
    .values(email_proven_at=func.coalesce(users.c.email_proven_at, _now))
)
"""That the mail of the account's address is its holder's; no row, where its password is another since the account was
read.
"""
