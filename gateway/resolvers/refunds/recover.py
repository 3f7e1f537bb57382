"""Check refunds in flight at the engine. Never orders a refund again."""

from datetime import timedelta
from functools import partial

from gateway.integrations.engines.interface import EngineRefund
from gateway.models.database import Row
from gateway.models.engines import TransferState
from gateway.models.refunds import REFUND_IN_FLIGHT, RefundStatus, refunds
from gateway.resolvers.clocks.store_clock import store_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.due_rows import DueRows
from gateway.resolvers.engine_failures import log_failure
from gateway.resolvers.receiving.accounts import Accounts, load_account, load_accounts
from gateway.resolvers.refunds.transitions import IN_FLIGHT_OF_CHARGE, apply_refund, load_charge, mark_rejected
from gateway.telemetry import log

FIRST_WAIT = timedelta(minutes=1)
MAX_WAIT = timedelta(hours=1)
DUE = DueRows(refunds, refunds.c.status.in_(REFUND_IN_FLIGHT), first_wait=FIRST_WAIT, max_wait=MAX_WAIT)
MAX_ATTEMPTS_UNSEEN = 7
"""A refund whose order got no response, and which the bank does not show in this many checks, an hour, was never made.
No request of ours lives that long.
"""
NEVER_ORDERED = "O pedido não chegou ao provedor de pagamentos."


async def recover_refunds(ctx: Context) -> int:
    """Check one batch of due refunds. Returns how many changed."""
    claim = await DUE.claim(ctx)
    accounts = await load_accounts(ctx, (row["receiving_account_id"] for row in claim.rows))
    return await DUE.process(ctx, claim, partial(_check, ctx, accounts), _log_error)


async def settle_refunds(ctx: Context, charge: Row) -> None:
    """Check the refunds of a charge that are in flight, when the engine reports a refund. Raises `EngineError`."""
    rows = await ctx.database.all(IN_FLIGHT_OF_CHARGE, charge_id=charge["id"])
    if not rows:
        return
    engine = ctx.services.engines.of(charge["environment"])
    account = await load_account(ctx, charge["receiving_account_id"])
    found = await engine.list_refunds(charge["engine_id"], charge["end_to_end_id"], account)
    by_reference = {refund.external_reference: refund for refund in found}
    for row in rows:
        if row["id"] in by_reference:
            await apply_refund(ctx, row, charge, by_reference[row["id"]])


def _may_be(refund: EngineRefund, row: Row) -> bool:
    """Whether it may be ours although the engine does not name our id. Then ours is not given up."""
    unnamed = refund.external_reference is None and refund.state is not TransferState.failed
    return unnamed and refund.amount == row["amount"]


def _log_error(row: Row, error: Exception) -> None:
    log_failure("refund_still_unknown", error, refund_id=row["id"])


async def _check(ctx: Context, accounts: Accounts, row: Row) -> bool:
    engine = ctx.services.engines.of(row["environment"])
    if engine.name != row["engine"]:
        log.warning("refund_at_another_engine", refund_id=row["id"], engine=row["engine"])
        return await DUE.postpone(ctx, row)
    charge = await load_charge(ctx, row)
    account = accounts[row["receiving_account_id"]]
    refunds_found = await engine.list_refunds(charge["engine_id"], charge["end_to_end_id"], account)
    found = next((refund for refund in refunds_found if refund.external_reference == row["id"]), None)
    if found is not None:
        return await apply_refund(ctx, row, charge, found) or await DUE.postpone(ctx, row)
    unseen = not engine.has_bank or row["attempts"] >= MAX_ATTEMPTS_UNSEEN
    if row["status"] == RefundStatus.pending and unseen and not any(_may_be(refund, row) for refund in refunds_found):
        clocked = ctx.timed_by(store_clock(charge, ctx.real_clock))
        return await mark_rejected(clocked, row, charge, NEVER_ORDERED)
    log.warning("refund_not_found_at_engine", refund_id=row["id"], attempts=row["attempts"])
    return await DUE.postpone(ctx, row)
