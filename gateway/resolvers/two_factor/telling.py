"""Telling an account's holder that something was done to their second factor, whoever did it."""

from gateway.models.database import Executor, Row
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.facts import TwoFactorChange, TwoFactorChanged
from gateway.resolvers.mail.outbox import Letter, queue


async def tell_holder(ctx: Context, transaction: Executor, account: Row, change: TwoFactorChange) -> None:
    """Queue the mail in the transaction of the change. `account` has `id` and `email`."""
    user_id, now = account["id"], ctx.real_clock.now()
    told = TwoFactorChanged(user_id=user_id, email=account["email"], at=now, ip=ctx.origin.ip, change=change)
    await queue(ctx, transaction, Letter(told, user_id))
