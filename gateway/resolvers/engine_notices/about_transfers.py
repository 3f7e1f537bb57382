"""What follows from a notice about a transfer: it is read again at the engine, and its withdrawal follows what is read.

So late, repeated and out-of-order ones are harmless, and none is believed. Transfers that are no withdrawal of ours,
such as one that staff orders in the engine's own panel, are put aside.
"""

from sqlalchemy import bindparam, select

from gateway.integrations.engines.port import Engine, Notice
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.engines import NoticeOutcome
from gateway.models.withdrawals import withdrawals
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.verdicts import Verdict
from gateway.resolvers.receiving.accounts import account_by_id
from gateway.resolvers.withdrawals.engine_side import look_up
from gateway.resolvers.withdrawals.outcomes import Ending, apply
from gateway.telemetry import log
from gateway.values.ids import is_id

_W = withdrawals
_served = (_W.c.engine == bindparam("engine"), _W.c.environment == bindparam("environment"))
BY_REFERENCE = Statement(select(_W).where(_W.c.id == bindparam("id"), *_served))
BY_ENGINE_ID = Statement(select(_W).where(_W.c.engine_id == bindparam("engine_id"), *_served))


async def judge_transfer(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Verdict:
    """Read the transfer and let its withdrawal follow. Raises `EngineError` where it can't be read now."""
    row = await withdrawal_of(ctx, engine, environment, notice.external_reference, notice.engine_id)
    if row is None:
        return Verdict(NoticeOutcome.ignored, "unknown transfer")
    held = await look_up(ctx, row, await account_by_id(ctx, row["receiving_account_id"]))
    if held is None:
        return Verdict(NoticeOutcome.mismatch, "not at the engine")
    if notice.misstates(row["amount"]):
        log.error("engine_notice_mismatch", withdrawal_id=row["id"], event_id=notice.event_id, fault="amount")
        return Verdict(NoticeOutcome.mismatch, "amount of the notice")
    ending = await apply(ctx, row, held)
    if ending is Ending.mismatch:
        return Verdict(NoticeOutcome.mismatch, "not what was ordered")
    return Verdict(NoticeOutcome.applied, None if ending is Ending.moved else "already")


async def withdrawal_of(
    ctx: Context, engine: Engine, environment: Environment, reference: str | None, engine_id: str | None
) -> Row | None:
    """The withdrawal of a transfer: by our reference, or else by the engine's id."""
    served = {"engine": engine.name, "environment": environment}
    if reference and is_id(reference):
        row = await ctx.database.one(BY_REFERENCE, id=reference, **served)
        if row is not None:
            return row
    return await ctx.database.one(BY_ENGINE_ID, engine_id=engine_id, **served) if engine_id else None
