"""Having the engine send an account's notices. Where that fails, the account is usable all the same, and upkeep tries again."""

from datetime import timedelta

from sqlalchemy import bindparam, select, update

from gateway.engines.port import EngineError
from gateway.models.database import Statement
from gateway.models.receiving import receiving_accounts
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.context import Context
from gateway.resolvers.receiving.accounts import OwnAccount
from gateway.telemetry import log

_R = receiving_accounts
_registered = (
    update(_R)
    .where(_R.c.id == bindparam("account", type_=_R.c.id.type), ~_R.c.webhook_registered)
    .values(webhook_registered=True, updated_at=bindparam("now", type_=_R.c.updated_at.type))
    .returning(_R.c.id)
    .cte("registered")
)
REGISTERED = Statement(select(_registered.c.id).add_cte(recording(_registered).cte("audit")))
TRIED_AGAIN_AFTER = timedelta(minutes=5)


async def register(ctx: Context, own: OwnAccount) -> bool:
    """Register the account's notices, unless that was done. Whether they are."""
    if own.registered:
        return True
    try:
        await ctx.services.engines.of(own.environment).register_notices(own.account)
    except EngineError as error:
        log.warning("receiving_account_unheard", account_id=own.account.id, error=type(error).__name__)
        return False
    written = record_of(ctx, "receiving_account.notices_registered", own.id, store_id=own.store_id)
    about = written | {"audit_environment": own.environment}
    await ctx.database.run(REGISTERED, account=own.id, now=ctx.real_clock.now(), **about)
    return True
