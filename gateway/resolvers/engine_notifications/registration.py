"""Register our webhook at the engine, so that it sends notifications of each account. An account works without it;
maintenance retries a failed registration.
"""

from datetime import timedelta

from msgspec import Struct
from sqlalchemy import bindparam, func, select, update

from gateway.errors import EngineFailed
from gateway.integrations.engines.errors import EngineError
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.audit_log import insert_records_cte, record_of, records_of, with_record
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import OwnAccount
from gateway.telemetry import log

RETRY_REGISTRATION_AFTER = timedelta(minutes=5)

_R = receiving_accounts
_now = bindparam("now", type_=_R.c.updated_at.type)
_registered = (
    update(_R)
    .where(_R.c.id == bindparam("account"), ~_R.c.webhook_registered)
    .values(webhook_registered=True, updated_at=_now)
    .returning(_R.c.id)
    .cte("registered")
)
MARK_REGISTERED = with_record(_registered)
_outdated = (
    update(_R)
    .where(
        _R.c.environment == bindparam("environment"),
        _R.c.engine == bindparam("engine"),
        _R.c.state == AccountState.open.value,
    )
    .values(webhook_registered=False, next_attempt_at=_now, updated_at=_now)
    .returning(_R.c.id, _R.c.user_id, _R.c.environment)
    .cte("outdated")
)
MARK_OUTDATED = Statement(select(func.count()).select_from(_outdated).add_cte(insert_records_cte(_outdated)))


class Registered(Struct, frozen=True):
    """The engine that sends notifications here, and how many merchants' accounts the worker has yet to register."""

    engine: str
    accounts: int


async def register_webhooks(ctx: Context, environment: Environment) -> Registered:
    """`gateway admin register-webhook`: register the main account's webhook, and have maintenance register those of all
    open accounts again, with the current token, address and events. Raises `EngineFailed` with the engine's message.
    """
    engine = ctx.services.engines.of(environment)
    try:
        await engine.register_webhook()
    except EngineError as error:
        raise EngineFailed(f"{engine.name} didn't register the notifications: {error}") from error
    scope = {"environment": environment, "engine": engine.name}
    written = records_of(ctx, "receiving_account.notifications_outdated")
    count = await ctx.database.value(MARK_OUTDATED, **scope, now=ctx.real_clock.now(), **written)
    return Registered(engine.name, count)


async def register_account_webhook(ctx: Context, own: OwnAccount) -> bool:
    """Register the account's webhook, unless that is done. Returns whether it is registered."""
    if own.registered:
        return True
    try:
        await ctx.services.engines.of(own.environment).register_webhook(own.account)
    except EngineError as error:
        log.warning(
            "account_webhook_not_registered", account_id=own.account.id, error=type(error).__name__, detail=error.detail
        )
        return False
    action = "receiving_account.notifications_registered"
    written = record_of(ctx, action, own.id, store_id=own.store_id, environment=own.environment)
    await ctx.database.run(MARK_REGISTERED, account=own.id, now=ctx.real_clock.now(), **written)
    return True
