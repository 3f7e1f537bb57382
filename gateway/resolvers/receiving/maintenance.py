"""Maintain receiving accounts: resolve unknown outcomes, register webhooks, refresh approvals, replace lost keys."""

import asyncio
from datetime import timedelta

from sqlalchemy import bindparam, select, update

from gateway.errors import EngineFailed, InvalidInput, NotFound
from gateway.integrations.engines.errors import EngineError, EngineRefused
from gateway.integrations.engines.interface import Account
from gateway.models.database import Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.audit_log import record_of, with_record
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.due_rows import DueRows
from gateway.resolvers.engine_failures import log_engine_failure
from gateway.resolvers.engine_notifications.registration import register_account_webhook
from gateway.resolvers.receiving.accounts import decrypt_account
from gateway.resolvers.receiving.approval import refresh_approval
from gateway.resolvers.receiving.reservation import resolve_unknown_outcome
from gateway.telemetry import log

BATCH_SIZE = 10
"""Accounts checked concurrently. Engines count the calls of each account separately."""
FIRST_WAIT = timedelta(minutes=2)
MAX_WAIT = timedelta(hours=6)

_R = receiving_accounts
_time = _R.c.next_attempt_at.type
DUE = DueRows(
    _R, _R.c.state != AccountState.lost.value, first_wait=FIRST_WAIT, max_wait=MAX_WAIT, batch_size=BATCH_SIZE
)
FIND_LOST = Statement(
    select(_R.c.id, _R.c.user_id, _R.c.environment, _R.c.engine).where(
        _R.c.account_id == bindparam("account_id"), _R.c.state == AccountState.lost.value
    )
)
_adopted = (
    update(_R)
    .where(_R.c.id == bindparam("account"), _R.c.state == AccountState.lost.value)
    .values(
        state=AccountState.open.value,
        secret=bindparam("secret"),
        # Now: maintenance registers the webhook and reads the approval.
        next_attempt_at=bindparam("now"),
        updated_at=bindparam("now"),
        attempts=0,
    )
    .returning(_R.c.id)
    .cte("adopted")
)
ADOPT = with_record(_adopted)


async def maintain_accounts(ctx: Context) -> int:
    """Maintain all due accounts, batch by batch. Returns how many were checked."""
    checked, full = 0, True
    while full:
        rows = (await DUE.claim(ctx)).rows
        # Not a task group: a failure must not cancel others between the engine call and its result's commit.
        results = await asyncio.gather(*(_maintain(ctx, row) for row in rows), return_exceptions=True)
        for row, failure in zip(rows, results, strict=True):
            if isinstance(failure, BaseException):
                log.error("receiving_account_stuck", account=row["id"], exc_info=failure)
                await DUE.postpone(ctx, row)
        checked, full = checked + len(rows), len(rows) == BATCH_SIZE
    return checked


async def _maintain(ctx: Context, row: Row) -> None:
    engine = ctx.services.engines.of(row["environment"])
    try:
        if engine.name != row["engine"]:
            await DUE.postpone(ctx, row, MAX_WAIT)
        elif row["state"] == AccountState.opening:
            await resolve_unknown_outcome(ctx, row)
        else:
            own = decrypt_account(ctx, row)
            await register_account_webhook(ctx, own)
            await refresh_approval(ctx, own)
    except EngineError as error:
        log_engine_failure(engine, error)
        await DUE.postpone(ctx, row)


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
