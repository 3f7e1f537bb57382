"""Who judges a notice: one judge for each subject, as data."""

from gateway.integrations.engines.port import Engine, Notice, Subject
from gateway.models.base import Environment
from gateway.models.engines import NoticeOutcome
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.about_accounts import judge_account
from gateway.resolvers.engine_notices.about_charges import judge_charge
from gateway.resolvers.engine_notices.about_transfers import judge_transfer
from gateway.resolvers.engine_notices.verdicts import Judge, Verdict


async def put_aside(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Verdict:  # noqa: ARG001  # Every judge is asked alike.
    """What we do nothing about is on record, and that is all."""
    return Verdict(NoticeOutcome.ignored, "kind")


JUDGES: dict[Subject, Judge] = {
    Subject.charge: judge_charge,
    Subject.account: judge_account,
    Subject.transfer: judge_transfer,
    Subject.other: put_aside,
}


async def judge(ctx: Context, engine: Engine, environment: Environment, notice: Notice) -> Verdict:
    """Verify a notice and apply what follows from it. Raises `EngineError` where it can't be verified now."""
    return await JUDGES[notice.subject](ctx, engine, environment, notice)
