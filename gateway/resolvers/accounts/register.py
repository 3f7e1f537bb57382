"""`POST /auth/register`: a new merchant, who starts in the test environment."""

from typing import Any

from sqlalchemy import bindparam, insert, null

from gateway.errors import EmailTaken
from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.database import Row, Statement, Transaction
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.passwords import hash_password
from gateway.resolvers.accounts.types import USER_COLUMNS, Register, SessionView
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.store_rows import translate_violations
from gateway.resolvers.sessions.store import insert_session
from gateway.resolvers.sessions.tokens import open_session
from gateway.values.ids import new_id

REGISTRATIONS_PER_ADDRESS = (60, 3600)
_COLUMNS = ("id", "name", "email", "password_hash", "cnpj", "company")
CREATE = Statement(
    insert(users)
    .values(
        {name: bindparam(name) for name in _COLUMNS} | {name: bindparam("now") for name in ("created_at", "updated_at")}
    )
    .returning(*USER_COLUMNS, users.c.session_version, null().label("codes_used"))
)


@operation("accounts.register", Permission.public)
async def register(ctx: Context, form: Register) -> SessionView:
    """Open an account, and a session in it. Raises `EmailTaken`; emails compare without regard to case."""
    await ctx.services.limiter.hit(f"register:ip:{caller_of(ctx.origin.ip)}", *REGISTRATIONS_PER_ADDRESS)
    values = {"name": form.name, "email": form.email.lower(), "cnpj": form.cnpj, "company": form.company}
    password_hash = await hash_password(ctx, form.password)
    with translate_violations(uq_users_email=EmailTaken):
        async with ctx.database.transaction() as transaction:
            row = await insert_account(ctx, transaction, values | {"password_hash": password_hash})
    session_id = await insert_session(ctx, ctx.database, row["id"], row["session_version"])
    return open_session(ctx, row, Environment.test, session_id)


async def insert_account(ctx: Context, transaction: Transaction, values: dict[str, Any]) -> Row:
    """Insert and record an account with these columns, and without the others."""
    columns = dict.fromkeys(_COLUMNS) | values | {"id": new_id()}
    row = await transaction.single(CREATE, **columns, now=ctx.real_clock.now())
    await record(ctx, transaction, "account.registered", row["id"], store_id=row["id"])
    return row
