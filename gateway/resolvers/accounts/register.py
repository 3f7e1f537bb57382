"""`POST /auth/register`: a new merchant, who starts in the test environment."""

from sqlalchemy import bindparam, insert, null

from gateway.errors import EmailTaken
from gateway.models.accounts import users
from gateway.models.base import Environment
from gateway.models.database import Statement, UniqueViolation, violates
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.passwords import hash_password
from gateway.resolvers.accounts.types import USER_COLUMNS, Register, SessionView
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.store import insert_session
from gateway.resolvers.sessions.tokens import open_session
from gateway.values.ids import new_id

REGISTRATIONS_PER_ADDRESS = (60, 3600)
_COLUMNS = ("id", "name", "email", "password_hash", "cnpj", "company")
CREATE = Statement(
    insert(users)
    .values(
        {name: bindparam(name) for name in _COLUMNS}
        | {name: bindparam("now", type_=users.c.created_at.type) for name in ("created_at", "updated_at")}
    )
    .returning(*USER_COLUMNS, users.c.session_version, null().label("codes_used"))
)


@operation("accounts.register", Permission.public)
async def register(ctx: Context, form: Register) -> SessionView:
    """Open an account, and a session in it. Raises `EmailTaken`; emails compare without regard to case."""
    await ctx.services.limiter.hit(f"register:ip:{caller_of(ctx.origin.ip)}", *REGISTRATIONS_PER_ADDRESS)
    password_hash, account_id = await hash_password(ctx, form.password), new_id()
    try:
        async with ctx.database.transaction() as transaction:
            row = await transaction.single(
                CREATE,
                id=account_id,
                name=form.name,
                email=form.email.lower(),
                password_hash=password_hash,
                cnpj=form.cnpj,
                company=form.company,
                now=ctx.clock.now(),
            )
            await record(ctx, transaction, "account.registered", account_id, store_id=account_id)
    except UniqueViolation as error:
        if violates(error, "uq_users_email"):
            raise EmailTaken from None
        raise
    session_id = await insert_session(ctx, ctx.database, account_id, row["session_version"])
    return open_session(ctx, row, Environment.test, session_id)
