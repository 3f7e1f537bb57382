"""`gateway admin reset-two-factor`: for who has lost the phone and the recovery codes. No door offers it to anybody."""

from sqlalchemy import bindparam, delete, func, update

from gateway.errors import NotFound, SecondFactorOff
from gateway.models.accounts import users
from gateway.models.database import Statement
from gateway.models.sessions import two_factors
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.facts import TwoFactorChange
from gateway.resolvers.sessions.keeping import end_others
from gateway.resolvers.two_factor.telling import tell_holder

END_TOKENS = Statement(
    update(users)
    .where(func.lower(users.c.email) == func.lower(bindparam("email", type_=users.c.email.type)))
    .values(session_version=users.c.session_version + 1, updated_at=bindparam("now", type_=users.c.updated_at.type))
    .returning(users.c.id, users.c.email)
)
REMOVE = Statement(
    delete(two_factors).where(two_factors.c.user_id == bindparam("user_id"), two_factors.c.confirmed_at.is_not(None))
)


async def reset_two_factor(ctx: Context, email: str) -> None:
    """Take an account's second factor away, and end its sessions: whoever has the phone may be in one. Raises
    `NotFound` and `SecondFactorOff`.
    """
    async with ctx.database.transaction() as transaction:
        account = await transaction.one(END_TOKENS, email=email.strip(), now=ctx.real_clock.now())
        if account is None:
            raise NotFound(f"there is no account with the e-mail {email}")
        user_id: str = account["id"]
        if not await transaction.run(REMOVE, user_id=user_id):
            raise SecondFactorOff("two-factor login is not active for this account")
        ended = await end_others(transaction, user_id, None)
        await tell_holder(ctx, transaction, account, TwoFactorChange.reset)
        changes = {"two_factor": {"from": True, "to": False}, "sessions": {"from": ended}}
        await record(ctx, transaction, "account.two_factor_reset", user_id, changes=changes, store_id=user_id)
