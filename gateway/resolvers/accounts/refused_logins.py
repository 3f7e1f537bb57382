"""Failed logins on record: in the trail of the account whose e-mail was typed, or of no store where nobody has it.

The answer tells nothing of this, neither by its words nor by its time: refusals are counted by what was typed, and
whether somebody has it is looked up for both alike.
"""

import hashlib
from typing import Any

from gateway.errors import RateLimited, WrongCredentials
from gateway.models.accounts import ProductionStatus
from gateway.models.base import Environment
from gateway.resolvers.accounts.records import BY_EMAIL
from gateway.resolvers.audit.changes import mask_email
from gateway.resolvers.audit.refusals import counted, is_told, note
from gateway.resolvers.audit.trail import record_of
from gateway.resolvers.core.context import Context


async def note_refused_login(ctx: Context, email: str, refusal: WrongCredentials | RateLimited) -> None:
    """Record that somebody was not let in with this e-mail."""
    action = "account.login_limited" if isinstance(refusal, RateLimited) else "account.login_failed"
    count = await counted(ctx, action, hashlib.sha256(email.encode()).hexdigest()[:32])
    if not is_told(count):
        return
    row = await ctx.database.one(BY_EMAIL, email=email)
    values = record_of(
        ctx,
        action,
        row["id"] if row else None,
        changes={"email": mask_email(email), "attempts": count},
        store_id=row["id"] if row else None,
    )
    await note(ctx, count, values | {"audit_environment": first_environment(row) if row else None})


def first_environment(row: Any) -> Environment:
    """Where a new session starts: live, unless the account isn't approved (specification section 5, rule 5)."""
    return Environment.live if row["production_status"] == ProductionStatus.approved else Environment.test
