"""Recover cycles that an earlier run reserved and didn't record: it crashed, or the engine never answered.

Each run does this first. It holds the lock, so the earlier run has ended. If that run resumes after all, `attempts` has
changed and its statement writes nothing. The engine says what it made. A charge is adopted if the subscription is
unchanged, and otherwise canceled. If the engine has nothing, the cycle stays due. A charge that was paid and can't be
adopted is listed for the platform admins.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, bindparam, select, update

from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.interface import Account, Engine, EngineCharge, EngineState
from gateway.models.charges import issuances
from gateway.models.database import Row
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.resolvers.charges.engine_calls import (
    INVALID_RESPONSE,
    belongs_to_engine,
    cancel_all_at_engine,
    find_at_engine,
    validate_response,
)
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import log_engine_failure
from gateway.resolvers.receiving.accounts import Accounts
from gateway.resolvers.subscriptions.due import BILLED_COLUMNS, ScopedStatement, StoreScope, billed, blocking_reason
from gateway.resolvers.subscriptions.reserve_cycles import NEXT_ATTEMPTS
from gateway.telemetry import log

BATCH_SIZE = 200
_I, _S = issuances, subscriptions


def _take_over(scope: ColumnElement[bool]) -> Select[Any]:
    unfinished = (
        select(_I.c.charge_id)
        .where(
            scope,
            _I.c.billing_cycle.is_not(None),
            _I.c.environment == bindparam("environment"),
            _I.c.charge_id > bindparam("after", type_=_I.c.charge_id.type),
        )
        .order_by(_I.c.charge_id)
        .limit(BATCH_SIZE)
        .with_for_update(skip_locked=True)
        .cte("unfinished")
    )
    taken = (
        update(_I)
        .where(_I.c.charge_id == unfinished.c.charge_id)
        .values(attempts=NEXT_ATTEMPTS)
        .returning(
            *(_I.c.charge_id, _I.c.txid, _I.c.subscription_id, _I.c.billing_cycle, _I.c.attempts, _I.c.created_at),
            *(_I.c.receiving_account_id, _I.c.fee_amount, _I.c.engine),
        )
        .cte("taken")
    )
    columns = (
        *(taken.c.charge_id, taken.c.txid, taken.c.billing_cycle, taken.c.attempts),
        taken.c.created_at.label("reserved_at"),
        *(taken.c.receiving_account_id, taken.c.fee_amount.label("reserved_fee"), taken.c.engine),
    )
    return (
        select(*columns, *BILLED_COLUMNS)
        .select_from(billed().join(taken, taken.c.subscription_id == _S.c.id))
        .order_by(taken.c.charge_id)
    )


TAKE_OVER = ScopedStatement(_take_over, _I.c.user_id, _I.c.environment)


class RecoveredCycle(Struct, frozen=True):
    """What the engine says of a cycle: a charge to adopt, unknown, paid charges that can't be adopted, or nothing."""

    row: Row
    account: Account | None
    charge: EngineCharge | None
    unknown: bool = False
    paid: tuple[EngineCharge, ...] = ()


async def take_over(ctx: Context, scope: StoreScope, after: str) -> list[Row]:
    """Take over a batch of unfinished cycles after `after`. Returns them with their subscriptions."""
    return await ctx.database.all(TAKE_OVER.of(scope), **scope.values(), after=after)


async def look_up(
    engine: Engine, rows: list[Row], accounts: Accounts, as_of: datetime, gate: asyncio.Semaphore
) -> list[RecoveredCycle]:
    """Look up each charge at the engine, in its account."""
    return await asyncio.gather(*(_look_up(engine, row, accounts, as_of, gate) for row in rows))


async def _look_up(
    engine: Engine, row: Row, accounts: Accounts, as_of: datetime, gate: asyncio.Semaphore
) -> RecoveredCycle:
    account = None
    if not belongs_to_engine(engine, row):
        log.warning("cycle_at_another_engine", charge_id=row["charge_id"], engine=row["engine"])
        return RecoveredCycle(row, account, None, unknown=True)
    async with gate:
        try:
            account = accounts[row["receiving_account_id"]]
            engine_charge = await find_at_engine(engine, row["charge_id"], row["txid"], account)
            if engine_charge is None or engine_charge.state is EngineState.retired:
                return RecoveredCycle(row, account, None)
            # A charge without a code can't be paid any more.
            if engine_charge.br_code and _is_unchanged(row, as_of):
                return RecoveredCycle(
                    row,
                    account,
                    await validate_response(engine, engine_charge, row["amount"], account, row["reserved_fee"]),
                )
            return RecoveredCycle(
                row, account, None, paid=tuple(await cancel_all_at_engine(engine, engine_charge, account))
            )
        except INVALID_RESPONSE:
            return RecoveredCycle(row, account, None)
        except EngineError as error:
            log_engine_failure(engine, error)
        except Exception as error:  # noqa: BLE001  # One failure must not stop the others.
            log.error("cycle_recovery_failed", charge_id=row["charge_id"], engine=engine.name, exc_info=error)
        return RecoveredCycle(row, account, None, unknown=True)


def _is_unchanged(row: Mapping[str, Any], as_of: datetime) -> bool:
    """Whether the subscription would get the same charge now."""
    return (
        row["status"] == SubscriptionStatus.active
        and row["next_billing_at"] == row["billing_cycle"]
        and row["billing_cycle"] <= as_of
        and row["updated_at"] <= row["reserved_at"]
        and blocking_reason(row) is None
    )
