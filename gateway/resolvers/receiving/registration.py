"""Having the engine send an account's notices. Where that fails, the account is usable all the
same, and upkeep tries again.
"""

from datetime import timedelta

from sqlalchemy import bindparam, func, select, update

from gateway.integrations.engines.port import EngineError
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.trail import record_of, recording, recording_each, records_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import OwnAccount
from gateway.telemetry import log

_R = receiving_accounts
_now = bindparam("now", type_=_R.c.updated_at.type)
_registered = (
    update(_R)
    .where(_R.c.id == bindparam("account", type_=_R.c.id.type), ~_R.c.webhook_registered)
    .values(webhook_registered=True, updated_at=_now)
    .returning(_R.c.id)
    .cte("registered")
)
REGISTERED = Statement(select(_registered.c.id).add_cte(recording(_registered).cte("audit")))
_outdated = (
    update(_R)
    .where(
        _R.c.environment == bindparam("environment", type_=_R.c.environment.type),
        _R.c.engine == bindparam("engine", type_=_R.c.engine.type),
        _R.c.state == AccountState.open.value,
    )
    .values(webhook_registered=False, look_after=_now, updated_at=_now)
    .returning(_R.c.id, _R.c.user_id, _R.c.environment)
    .cte("outdated")
)
OUTDATED = Statement(select(func.count()).select_from(_outdated).add_cte(recording_each(_outdated, "").cte("audit")))
TRIED_AGAIN_AFTER = timedelta(minutes=5)


async def register(ctx: Context, own: OwnAccount) -> bool:
    """Register the account's notices, unless that was done. Whether they are."""
    if own.registered:
        return True
    try:
        await ctx.services.engines.of(own.environment).register_notices(own.account)
    except EngineError as error:
        log.warning(
            "receiving_account_unheard", account_id=own.account.id, error=type(error).__name__, detail=error.detail
        )
        return False
    written = record_of(ctx, "receiving_account.notices_registered", own.id, store_id=own.store_id)
    about = written | {"audit_environment": own.environment}
    await ctx.database.run(REGISTERED, account=own.id, now=ctx.real_clock.now(), **about)
    return True


async def register_anew(ctx: Context, environment: Environment) -> int:
    """Have upkeep register the notices of every open account of an environment, whatever was registered before: with
    the token, the address and the events of now. Returns how many accounts that are.
    """
    about = {"environment": environment, "engine": ctx.services.engines.of(environment).name}
    told = records_of(ctx, "receiving_account.notices_outdated", "")
    count: int = await ctx.database.value(OUTDATED, **about, now=ctx.real_clock.now(), **told)
    return count
