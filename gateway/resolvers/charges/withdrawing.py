"""Expired charges at the bank: their codes would be payable for months, so they are withdrawn there, best effort.

Nothing depends on it. A payment that wins the race, or comes for a charge that could not be withdrawn, is late money and
counts (ADR 0013); a bank that doesn't answer is not asked for the rest of the batch.
"""

import asyncio
from collections.abc import Sequence

from gateway.engines.port import Account, Engine, EngineBusy, EngineError, EngineUnavailable
from gateway.models.database import Row
from gateway.resolvers.context import Context
from gateway.resolvers.receiving.accounts import accounts_by_ids
from gateway.telemetry import log

AT_ONCE = 10


async def withdraw_expired(ctx: Context, expired: Sequence[Row]) -> None:
    """Withdraw charges that have just expired, after that was committed. Rows have `environment`, `engine`, `engine_id`
    and `receiving_account_id`. The simulator keeps its own: it has no payers who might find an old code.
    """
    of = ctx.services.engines.of
    rows = [row for row in expired if _holds(of(row["environment"]), row)]
    accounts = await accounts_by_ids(ctx, (row["receiving_account_id"] for row in rows))
    held = [(of(row["environment"]), row["engine_id"], accounts[row["receiving_account_id"]]) for row in rows]
    for start in range(0, len(held), AT_ONCE):
        if not all(await asyncio.gather(*(_withdraw(*charge) for charge in held[start : start + AT_ONCE]))):
            log.warning("expired_charges_not_withdrawn", left=len(held) - start)
            return


def _holds(engine: Engine, row: Row) -> bool:
    return engine.has_bank and engine.name == row["engine"]


async def _withdraw(engine: Engine, engine_id: str, account: Account | None) -> bool:
    """Whether it makes sense to go on asking."""
    try:
        await engine.retire_charge(engine_id, account)
    except (EngineUnavailable, EngineBusy):
        return False
    except EngineError as error:
        log.warning(
            "engine_charge_not_retired",
            engine=engine.name,
            engine_id=engine_id,
            error=type(error).__name__,
            detail=error.detail,
        )
    return True
