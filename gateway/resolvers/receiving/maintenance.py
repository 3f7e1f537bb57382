"""Maintain receiving accounts: resolve unknown outcomes, register webhooks, refresh approvals, replace lost keys."""

import asyncio
from datetime import timedelta

from sqlalchemy import bindparam, func, select, update

from gateway.errors import EngineFailed, InvalidInput, NotFound
from gateway.integrations.engines.errors import (
    EngineError,
    EngineRefused,
)
from gateway.integrations.engines.interface import Account
from gateway.models.database import Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.audit_log import insert_record_cte, record_of
from gateway.resolvers.charges.engine_calls import log_engine_failure
from gateway.resolvers.core.backoff import backoff
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notifications.registration import register_account_webhook
from gateway.resolvers.receiving.accounts import decrypt_account
from gateway.resolvers.receiving.approval import refresh_approval
from gateway.resolvers.receiving.reservation import resolve_unknown_outcome
from gateway.telemetry import log

BATCH_SIZE = 10
"""Accounts checked concurrently. Engines count the calls of each account separately."""
LEASE = timedelta(minutes=5)
FIRST_WAIT = timedelta(minutes=2)
MAX_WAIT = timedelta(hours=6)

_R = receiving_accounts
_time = _R.c.next_check_at.type
_due = (
    select(_R.c.id)
    .where(_R.c.state != AccountState.lost.value, _R.c.next_check_at <= bindparam("now", type_=_time))
    .order_by(_R.c.next_check_at, _R.c.id)
    .limit(BATCH_SIZE)
    .with_for_update(skip_locked=True)
    .cte("due")
)
CLAIM = Statement(
    update(_R)
    .where(_R.c.id == _due.c.id)
    .values(attempts=func.least(_R.c.attempts + 1, 1000), next_check_at=bindparam("lease", type_=_time))
    .returning(*_R.c)
)
POSTPONE = Statement(
    update(_R).where(_R.c.id == bindparam("account")).values(next_check_at=bindparam("later", type_=_time))
)
FIND_LOST = Statement(
    select(_R.c.id, _R.c.user_id, _R.c.environment, _R.c.engine).where(
        _R.c.account_id == bindparam("account_id"), _R.c.state == AccountState.lost.value
    )
)
_adopted = (
    update(_R)
    .where(_R.c.id == bindparam("account", type_=_R.c.id.type), _R.c.state == AccountState.lost.value)
    .values(
        state=AccountState.open.value,
        secret=bindparam("secret", type_=_R.c.secret.type),
        # Now: maintenance registers the webhook and reads the approval.
        next_check_at=bindparam("now", type_=_time),
        updated_at=bindparam("now", type_=_R.c.updated_at.type),
        attempts=0,
    )
    .returning(_R.c.id)
    .cte("adopted")
)
ADOPT = Statement(select(_adopted.c.id).add_cte(insert_record_cte(_adopted).cte("audit")))


async def maintain_accounts(ctx: Context) -> int:
    """Maintain all due accounts, batch by batch. Returns how many were checked."""
    checked, full = 0, True
    while full:
        now = ctx.real_clock.now()
        rows = await ctx.database.all(CLAIM, now=now, lease=now + LEASE)
        # Not a task group: a failure must not cancel others between the engine call and its result's commit.
        results = await asyncio.gather(*(_maintain(ctx, row) for row in rows), return_exceptions=True)
        for row, failure in zip(rows, results, strict=True):
            if isinstance(failure, BaseException):
                log.error("receiving_account_stuck", account=row["id"], exc_info=failure)
                await _postpone(ctx, row, backoff(FIRST_WAIT, MAX_WAIT, row["attempts"]))
        checked, full = checked + len(rows), len(rows) == BATCH_SIZE
    return checked


async def _maintain(ctx: Context, row: Row) -> None:
    engine = ctx.services.engines.of(row["environment"])
    try:
        if engine.name != row["engine"]:
            await _postpone(ctx, row, MAX_WAIT)
        elif row["state"] == AccountState.opening:
            await resolve_unknown_outcome(ctx, row)
        else:
            own = decrypt_account(ctx, row)
            await register_account_webhook(ctx, own)
            await refresh_approval(ctx, own)
    except EngineError as error:
        log_engine_failure(engine, error)
        await _postpone(ctx, row, backoff(FIRST_WAIT, MAX_WAIT, row["attempts"]))


async def _postpone(ctx: Context, row: Row, wait: timedelta) -> None:
    await ctx.database.run(POSTPONE, account=row["id"], later=ctx.real_clock.now() + wait)


async def adopt_account(ctx: Context, account_id: str, key: str) -> None:
    """`gateway admin adopt-account`: store a new key of a lost account, after the engine accepts it. Raises `NotFound`,
    `InvalidInput` where the key is refused, and `EngineFailed`.
    """
    row = await ctx.database.one(FIND_LOST, account_id=account_id)
    engine = ctx.services.engines.of(row["environment"]) if row else None
    if row is None or engine is None or engine.name != row["engine"]:
        raise NotFound(f"there is no lost account with the id {account_id}")
    try:
        await engine.account_status(Account(account_id, key))
    except EngineRefused:
        raise InvalidInput(message="the engine doesn't accept this key for this account") from None
    except EngineError as error:
        raise EngineFailed(f"the engine failed: {error}") from error
    action = "receiving_account.adopted"
    written = record_of(ctx, action, row["id"], store_id=row["user_id"], environment=row["environment"])
    secret = ctx.services.vault.encrypt(key)
    await ctx.database.run(ADOPT, account=row["id"], secret=secret, now=ctx.real_clock.now(), **written)
