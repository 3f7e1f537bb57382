"""Recover issuances whose outcome at the engine is unknown: cancel what the engine made, then delete the issuance.

The caller got a 502, or no response, and has no BR Code. So every charge that the engine made is canceled there. Money
that was paid nevertheless is listed for staff. If the engine has no answer, it is queried again, with back-off. The
billing job recovers its own issuances (subscriptions.recover_cycles), because no caller got an error.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from gateway.integrations.engines.interface import EngineCharge
from gateway.models.charges import issuances
from gateway.models.database import Row
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.engine_calls import belongs_to_engine, cancel_all_at_engine
from gateway.resolvers.charges.redemptions import delete_issuance
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.due_rows import DueRows
from gateway.resolvers.engine_failures import log_failure
from gateway.resolvers.receiving.accounts import Accounts, load_accounts
from gateway.resolvers.reconciliation.discrepancies import open_unclaimed_payment
from gateway.telemetry import log

FIRST_WAIT = timedelta(minutes=4)
MAX_WAIT = timedelta(hours=1)
DUE = DueRows(issuances, issuances.c.billing_cycle.is_(None), first_wait=FIRST_WAIT, max_wait=MAX_WAIT)


async def recover_issuances(ctx: Context) -> int:
    """Recover one batch of due issuances; returns how many were closed."""
    claim = await DUE.claim(ctx)
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in claim.rows))
    return await DUE.process(ctx, claim, partial(_recover, ctx, accounts), _log_error)


def _log_error(row: Row, error: Exception) -> None:
    log_failure("issuance_still_unknown", error, charge_id=row["charge_id"])


async def _recover(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine, account = ctx.services.engines.of(row["environment"]), accounts[row["receiving_account_id"]]
    if not belongs_to_engine(engine, row):
        log.warning("issuance_at_another_engine", charge_id=row["charge_id"], engine=row["engine"])
        return await DUE.postpone(ctx, row)
    engine_charge = await engine.find_charge(row["charge_id"], row["txid"], account)
    paid = await cancel_all_at_engine(engine, engine_charge, account) if engine_charge else []
    return await close_issuance(ctx, row, paid, "retired" if engine_charge else "never_made")


async def close_issuance(ctx: Context, row: Row, paid: Sequence[EngineCharge], outcome: str) -> bool:
    """Delete an issuance that becomes no charge. What was `paid` at the engine is listed for staff. Rows have
    `charge_id`, `user_id` and `environment`. False if it is gone already.
    """
    charge_id, changes = row["charge_id"], {"outcome": {"from": "unknown", "to": "paid" if paid else outcome}}
    about = {"store_id": row["user_id"], "environment": row["environment"]}
    async with ctx.database.transaction() as transaction:
        for charge in paid:
            await open_unclaimed_payment(ctx, transaction, charge_id, charge)
        if not await delete_issuance(transaction, charge_id):
            return False
        await record(ctx, transaction, "charge.issuance_closed", charge_id, changes=changes, **about)
    return True
