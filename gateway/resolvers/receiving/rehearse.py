"""`gateway simulate approve-account`: the simulated bank approves a merchant's account, through the notice of any
approval.
"""

from sqlalchemy import bindparam, select

from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.notices import review_notice
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.engines import NoticeOutcome
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.receive import receive_notice

_R = receiving_accounts
BY_ACCOUNT = Statement(
    select(_R.c.environment, _R.c.engine)
    .where(_R.c.account_id == bindparam("account_id"), _R.c.state == AccountState.open.value)
    .order_by(_R.c.created_at)
)


async def approve_as_bank(ctx: Context, account_id: str) -> NoticeOutcome:
    """Approve the account and tell the gateway so. Raises `NotFound`, and `Conflict` where a real bank serves."""
    row = await ctx.database.one(BY_ACCOUNT, account_id=account_id)
    if row is None:
        raise NotFound(f"there is no receiving account with the id {account_id}")
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    if engine.has_bank or engine.name != row["engine"]:
        raise Conflict("only the simulator rehearses approvals, and this account belongs to another engine")
    return await receive_notice(ctx, engine, environment, review_notice(account_id))
