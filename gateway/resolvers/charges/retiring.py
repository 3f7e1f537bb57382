"""Expired charges at the bank: their codes would be payable for months, so they are retired there, best effort.

Nothing depends on it. A payment that wins the race, or comes for a charge that could not be retired, is late money and
counts (ADR 0013); a bank that doesn't answer is not asked for the rest of the batch.
"""

import asyncio
from collections.abc import Sequence

from gateway.engines.port import Engine, EngineBusy, EngineState, EngineUnavailable
from gateway.models.database import Row
from gateway.resolvers.context import Context
from gateway.resolvers.receiving.accounts import Accounts, accounts_by_ids
from gateway.resolvers.rounds import tell_failure
from gateway.telemetry import log

AT_ONCE = 10


async def retire_expired(ctx: Context, expired: Sequence[Row]) -> None:
    """Retire charges that have just expired, after that was committed. Rows have `environment`, `engine`, `engine_id`
    and `receiving_account_id`. The simulator keeps its own: it has no payers who might find an old code.
    """
    of = ctx.services.engines.of
    rows = [row for row in expired if _holds(of(row["environment"]), row)]
    accounts = await accounts_by_ids(ctx, (row["receiving_account_id"] for row in rows))
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        if not all(await asyncio.gather(*(_retire(of(row["environment"]), row, accounts) for row in some))):
            log.warning("expired_charges_not_withdrawn", left=len(rows) - start)
            return


def _holds(engine: Engine, row: Row) -> bool:
    return engine.has_bank and engine.name == row["engine"]


async def _retire(engine: Engine, row: Row, accounts: Accounts) -> bool:
    """Whether it makes sense to go on asking."""
    try:
        account = accounts[row["receiving_account_id"]]
        # It may have been paid in its last moment, and the bank may hold that payment back.
        stands = await engine.read_charge(row["engine_id"], account)
        if stands is not None and stands.state is EngineState.pending:
            await engine.retire_charge(row["engine_id"], account)
    except (EngineUnavailable, EngineBusy):
        return False
    except Exception as error:  # noqa: BLE001  # One charge must not keep the others from being retired.
        tell_failure("engine_charge_not_retired", error, engine=engine.name, engine_id=row["engine_id"])
    return True
