"""Accounts that an engine refuses to serve until somebody mends them, kept for `gateway doctor`."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import bindparam, case
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.port import Account, Engine, EngineNotConfigured
from gateway.integrations.engines.reasons import reason_of
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.engines import account_refusals
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import is_alarming

FORGOTTEN_AFTER = timedelta(days=1)
"""Without another refusal for so long, the next one is counted as the first."""

_R = account_refusals
_KEY = ("engine", "environment", "account_id")
_now = bindparam("now", type_=_R.c.last_at.type)
_told = insert(_R).values(
    {name: bindparam(name) for name in (*_KEY, "reason")} | {"refusals": 1, "first_at": _now, "last_at": _now}
)
_is_old = _R.c.last_at <= bindparam("forgotten", type_=_R.c.last_at.type)
REMEMBER = Statement(
    _told.on_conflict_do_update(
        constraint="pk_account_refusals",
        set_={
            "reason": _told.excluded.reason,
            "refusals": case((_is_old, 1), else_=_R.c.refusals + 1),
            "first_at": case((_is_old, _told.excluded.first_at), else_=_R.c.first_at),
            "last_at": _told.excluded.last_at,
        },
    )
)


async def remember_refusals(
    ctx: Context, engine: Engine, environment: Environment | str, refused: Iterable[tuple[Account | None, Exception]]
) -> None:
    """Keep the refusals that concern an account; one for each account, of all these. Others are not kept."""
    reasons = {
        account.id if account else "": reason_of(str(error)) or type(error).__name__
        for account, error in refused
        if is_alarming(error) and not isinstance(error, EngineNotConfigured)
    }
    now = ctx.real_clock.now()
    rows = [
        {
            "engine": engine.name,
            "environment": str(environment),
            "account_id": account_id,
            "reason": reason,
            "now": now,
            "forgotten": now - FORGOTTEN_AFTER,
        }
        for account_id, reason in sorted(reasons.items())
    ]
    if rows:
        async with ctx.database.transaction() as transaction:
            await transaction.run_many(REMEMBER, rows)
