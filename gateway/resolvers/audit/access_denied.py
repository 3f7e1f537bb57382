"""Refusals on record: failed logins and refused permissions, without letting who is refused fill the disk.

A refused call changed nothing, so its record is a statement of its own, after the refused transaction. Of the same
refusal by the same caller the first is written down, and the 2nd, 5th, 10th, 20th, 50th and so on within the hour, with
the number in `attempts`: ten thousand attempts are 13 records. What concerns no store is written 600 times a minute at
most, for all callers together. The counts are those of the rate limits, shared by all processes.
"""

from typing import Any

from gateway.errors import Forbidden, LiveNotApproved
from gateway.models.database import Executor
from gateway.rate_limits import caller_of
from gateway.resolvers.audit.audit_log import RECORD, record_of
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context

REFUSALS = (Forbidden, LiveNotApproved)
"""What an operation refuses for who the caller is (403), or for the store's standing with live operation (409)."""
WINDOW_SECONDS = 3600
WITHOUT_STORE_PER_MINUTE = 600


async def record_denial(
    ctx: Context, operation: str, refusal: Forbidden | LiveNotApproved, resource_id: str | None = None
) -> None:
    """Record that the caller was refused an operation."""
    if ctx.actor.credential is Credential.none and ctx.authenticator.refused is not None:
        ctx = ctx.acting_as(ctx.authenticator.refused)
    changes = {"operation": operation, "codigo": refusal.codigo}
    count = await counted(ctx, f"{operation}:{refusal.codigo}", caller(ctx))
    await note(ctx, count, record_of(ctx, "permission.refused", resource_id, changes=changes | {"attempts": count}))


async def counted(ctx: Context, what: str, whose: str) -> int:
    """The number of this refusal within the hour."""
    return await ctx.services.limiter.count(f"audit:{what}:{whose}", WINDOW_SECONDS)


async def note(ctx: Context, count: int, values: dict[str, Any], executor: Executor | None = None) -> None:
    """Write the record of a refusal, or of what anybody may ask for, if its number is one that is written down."""
    if not should_record(count):
        return
    if values["audit_store_id"] is None and await ctx.services.limiter.count("audit:no store", 60) > (
        WITHOUT_STORE_PER_MINUTE
    ):
        return
    await (executor or ctx.database).run(RECORD, **values)


def caller(ctx: Context) -> str:
    """Whose refusals are counted together: a key's, a person's, else an address's."""
    return ctx.actor.key_id or ctx.actor.user_id or caller_of(ctx.origin.ip)


def should_record(count: int) -> bool:
    """Whether a number is 1, 2 or 5 times a power of ten."""
    while count and count % 10 == 0:
        count //= 10
    return count in {1, 2, 5}
