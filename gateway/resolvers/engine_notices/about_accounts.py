"""What follows from a notice about a merchant's account: its approval is read again at the
engine, whatever the notice says.

So late, repeated and out-of-order ones are harmless: each leaves what the engine said last.
"""

from gateway.integrations.engines.port import Engine, Notice
from gateway.models.base import Environment
from gateway.models.engines import NoticeOutcome
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.verdicts import Verdict
from gateway.resolvers.receiving.accounts import account_named
from gateway.resolvers.receiving.approval import refresh


async def judge_account(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Verdict:  # noqa: ARG001  # Every judge is asked alike.
    """Read the account's approval and write it down. Raises `EngineError` where it can't be read now."""
    own = await account_named(ctx, environment, notice.account_id) if notice.account_id else None
    if own is None:
        # One that is just being opened is read by its opener, after its key was kept.
        return Verdict(NoticeOutcome.ignored, "unknown account")
    await refresh(ctx, own)
    return Verdict(NoticeOutcome.applied)
