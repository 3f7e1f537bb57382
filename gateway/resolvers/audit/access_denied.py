"""Audit records of failed logins and refused permissions, limited so that refused callers can't fill the disk.

Repeated refusals of one caller are recorded the 1st, 2nd, 5th, 10th, 20th, 50th time and so on within an hour, with the
number in `attempts`: 10,000 attempts make 13 records. Records without a store are limited to 600 a minute in total. The
rate limiter counts, so all processes share the counts.
"""

from typing import Any

from gateway.errors import Forbidden, LiveNotApproved
from gateway.models.database import Executor
from gateway.rate_limits import caller_of
from gateway.resolvers.audit.audit_log import RECORD, record_of
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context

REFUSALS = (Forbidden, LiveNotApproved)
"""The refusals that are recorded: the caller lacks the permission (403), or the store the live approval (409)."""
WINDOW_SECONDS = 3600
WITHOUT_STORE_PER_MINUTE = 600


async def record_denial(
    ctx: Context, operation: str, refusal: Forbidden | LiveNotApproved, resource_id: str | None = None
) -> None:
    """Record that an operation was refused to the caller."""
    if ctx.actor.credential is Credential.none and ctx.authenticator.refused is not None:
        ctx = ctx.with_actor(ctx.authenticator.refused)
    changes = {"operation": operation, "codigo": refusal.codigo}
    count = await count_refusal(ctx, f"{operation}:{refusal.codigo}", counter_key(ctx))
    await insert_sampled_record(
        ctx, count, record_of(ctx, "permission.refused", resource_id, changes=changes | {"attempts": count})
    )


async def count_refusal(ctx: Context, refusal: str, caller_key: str) -> int:
    """The number of this refusal within the hour."""
    return await ctx.services.limiter.count(f"audit:{refusal}:{caller_key}", WINDOW_SECONDS)


async def insert_sampled_record(
    ctx: Context, count: int, values: dict[str, Any], executor: Executor | None = None
) -> None:
    """Insert the record if `should_record` its number. Also for public actions that anyone can repeat."""
    if not should_record(count):
        return
    if values["audit_store_id"] is None and await ctx.services.limiter.count("audit:no store", 60) > (
        WITHOUT_STORE_PER_MINUTE
    ):
        return
    await (executor or ctx.database).run(RECORD, **values)


def counter_key(ctx: Context) -> str:
    """The counter of the caller's refusals: by API key, else by user, else by address."""
    return ctx.actor.key_id or ctx.actor.user_id or caller_of(ctx.origin.ip)


def should_record(count: int) -> bool:
    """Whether a number is 1, 2 or 5 times a power of ten."""
    while count and count % 10 == 0:
        count //= 10
    return count in {1, 2, 5}
