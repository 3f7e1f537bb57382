"""Statements over accounts that several verbs use."""

from sqlalchemy import bindparam, func, select

from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.resolvers.accounts.views import USER_COLUMNS

ACCOUNT = select(*USER_COLUMNS, users.c.session_version, users.c.password_hash)
BY_ID = Statement(ACCOUNT.where(users.c.id == bindparam("id")))
BY_EMAIL = Statement(ACCOUNT.where(func.lower(users.c.email) == bindparam("email")))
