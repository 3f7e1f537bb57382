"""What a run that died, or an engine that never answered, has left behind: cycles that are reserved and not charged.

The next run finishes them before it looks at anything else. It holds the lock, so their runner is gone; if that one
should wake up all the same, `attempts` has gone on and its statement writes nothing. The engine is asked what it made:
that is adopted if the subscription is as it was, and otherwise retired; where there is surely nothing, the cycle is due
as before. It is so, too, where what was made has been paid and can't be adopted: staff is told of that money.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, bindparam, select, update

from gateway.integrations.engines.errors import EngineError
from gateway.integrations.engines.interface import (
    Account,
    Engine,
    EngineCharge,
    EngineState,
)
from gateway.models.charges import issuances
from gateway.models.database import Row
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.resolvers.charges.engine_calls import (
    INVALID_RESPONSE,
    cancel_all_at_engine,
    find_at_engine,
    log_engine_failure,
    validate_response,
)
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import Accounts
from gateway.resolvers.subscriptions.due import BILLED_COLUMNS, billed, obstacle
from gateway.resolvers.subscriptions.scope import Scoped, StoreScope
from gateway.telemetry import log

AT_A_TIME = 200
_I, _S = issuances, subscriptions


def _take_over(whose: ColumnElement[bool]) -> Select[Any]:
    left = (
        select(_I.c.charge_id)
        .where(
            whose,
            _I.c.billing_cycle.is_not(None),
            _I.c.environment == bindparam("environment"),
            _I.c.charge_id > bindparam("after", type_=_I.c.charge_id.type),
        )
        .order_by(_I.c.charge_id)
        .limit(AT_A_TIME)
        .with_for_update(skip_locked=True)
        .cte("left_behind")
    )
    taken = (
        update(_I)
        .where(_I.c.charge_id == left.c.charge_id)
        .values(attempts=(_I.c.attempts + 1) % 30000)
        .returning(
            *(_I.c.charge_id, _I.c.subscription_id, _I.c.billing_cycle, _I.c.attempts, _I.c.created_at),
            *(_I.c.receiving_account_id, _I.c.fee_amount),
        )
        .cte("taken")
    )
    told = (
        *(taken.c.charge_id, taken.c.billing_cycle, taken.c.attempts, taken.c.created_at.label("reserved_at")),
        *(taken.c.receiving_account_id, taken.c.fee_amount.label("reserved_fee")),
    )
    return (
        select(*told, *BILLED_COLUMNS)
        .select_from(billed().join(taken, taken.c.subscription_id == _S.c.id))
        .order_by(taken.c.charge_id)
    )


TAKE_OVER = Scoped(_take_over, _I.c.user_id, _I.c.environment)


class Found(Struct, frozen=True):
    """What became of a leftover: a charge to adopt, an engine that still can't say, what was paid there and can't be
    adopted, or nothing any more.
    """

    row: Row
    account: Account | None
    charge: EngineCharge | None
    unknown: bool = False
    paid: tuple[EngineCharge, ...] = ()


async def take_over(ctx: Context, scope: StoreScope, after: str) -> list[Row]:
    """Some of the leftovers beyond `after`, with their subscriptions: this run's from now on."""
    return await ctx.database.all(TAKE_OVER.of(scope), **scope.values(), after=after)


async def look_up(
    engine: Engine,
    rows: list[Row],
    accounts: Accounts,
    as_of: datetime,
    gate: asyncio.Semaphore,
) -> list[Found]:
    """Ask the engine about each, on its account."""
    return await asyncio.gather(*(_look_up(engine, row, accounts, as_of, gate) for row in rows))


async def _look_up(engine: Engine, row: Row, accounts: Accounts, as_of: datetime, gate: asyncio.Semaphore) -> Found:
    account = None
    async with gate:
        try:
            account = accounts[row["receiving_account_id"]]
            made = await find_at_engine(engine, row["charge_id"], account)
            if made is None or made.state is EngineState.retired:
                return Found(row, account, None)
            # Without a code nobody can pay it any more, and no charge is made of it.
            if made.br_code and _is_as_it_was(row, as_of):
                return Found(
                    row, account, await validate_response(engine, made, row["amount"], account, row["reserved_fee"])
                )
            return Found(row, account, None, paid=tuple(await cancel_all_at_engine(engine, made, account)))
        except INVALID_RESPONSE:
            return Found(row, account, None)
        except EngineError as error:
            log_engine_failure(engine, error)
        except Exception as error:  # noqa: BLE001  # One leftover must not keep all others from being billed.
            log.error("leftover_failed", charge_id=row["charge_id"], engine=engine.name, exc_info=error)
        return Found(row, account, None, unknown=True)


def _is_as_it_was(row: Mapping[str, Any], as_of: datetime) -> bool:
    """Whether the subscription would be charged now just as it was then."""
    return (
        row["status"] == SubscriptionStatus.active
        and row["next_billing_at"] == row["billing_cycle"]
        and row["billing_cycle"] <= as_of
        and row["updated_at"] <= row["reserved_at"]
        and obstacle(row) is None
    )
