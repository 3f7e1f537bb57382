"""Check withdrawals in flight at the engine. Never orders a transfer again.

A transfer that a bank's engine does not find is left to staff: it may be lost, or not processed yet (engine reference,
A12). At an engine without a bank, it was never ordered.
"""

from datetime import timedelta
from functools import partial

from gateway.models.database import Row
from gateway.models.withdrawals import IN_FLIGHT, withdrawals
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.due_rows import DueRows
from gateway.resolvers.engine_failures import log_failure
from gateway.resolvers.receiving.accounts import Accounts, load_accounts
from gateway.resolvers.withdrawals.transitions import ApplyResult, apply_transfer, fetch_transfer, mark_rejected
from gateway.telemetry import log

FIRST_WAIT = timedelta(minutes=10)
MAX_WAIT = timedelta(hours=6)
NEVER_ORDERED = "O pedido não chegou ao provedor de pagamentos."
DUE = DueRows(withdrawals, withdrawals.c.status.in_(IN_FLIGHT), first_wait=FIRST_WAIT, max_wait=MAX_WAIT)


async def recover_withdrawals(ctx: Context) -> int:
    """Check one batch of due withdrawals. Returns how many changed."""
    claim = await DUE.claim(ctx)
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in claim.rows))
    return await DUE.process(ctx, claim, partial(_check, ctx, accounts), _log_error)


def _log_error(row: Row, error: Exception) -> None:
    log_failure("withdrawal_still_unknown", error, withdrawal_id=row["id"])


async def _check(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine = ctx.services.engines.of(row["environment"])
    if engine.name != row["engine"]:
        log.warning("withdrawal_at_another_engine", withdrawal_id=row["id"], engine=row["engine"])
        return await DUE.postpone(ctx, row)
    transfer = await fetch_transfer(ctx, row, accounts[row["receiving_account_id"]])
    if transfer is None and not engine.has_bank:
        return await mark_rejected(ctx, row, NEVER_ORDERED)
    if transfer is None:
        log.error("withdrawal_not_found_at_engine", withdrawal_id=row["id"], attempts=row["attempts"])
    elif await apply_transfer(ctx, row, transfer) is ApplyResult.changed:
        return True
    return await DUE.postpone(ctx, row)
