"""`gateway simulate`: send the notifications that the simulated bank would send about accounts and transfers."""

import orjson
from sqlalchemy import Text, bindparam, cast, or_, select

from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.notifications import account_review_notification
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.engines import NotificationOutcome
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.models.withdrawals import withdrawals
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notifications.process import process_notification
from gateway.values.ids import new_id

_R, _W = receiving_accounts, withdrawals
ACCOUNT = Statement(
    select(_R.c.environment, _R.c.engine)
    .where(_R.c.account_id == bindparam("account_id"), _R.c.state == AccountState.open.value)
    .order_by(_R.c.created_at)
)
WITHDRAWAL_BY_ANY_ID = Statement(
    select(_W.c.id, _W.c.environment, _W.c.engine, _W.c.engine_id).where(
        or_(
            cast(_W.c.id, Text) == bindparam("any_id"),
            _W.c.engine_id == bindparam("any_id"),
        )
    )
)


async def simulate_account_approval(ctx: Context, account_id: str) -> NotificationOutcome:
    """`gateway simulate approve-account`. Raises `NotFound`, and `Conflict` where a real bank serves."""
    row = await ctx.database.one(ACCOUNT, account_id=account_id)
    if row is None:
        raise NotFound(f"there is no receiving account with the id {account_id}")
    return await _notify(ctx, row, account_review_notification(account_id), "approvals, and this account")


async def simulate_transfer_result(ctx: Context, any_id: str, *, succeeds: bool = True) -> NotificationOutcome:
    """`gateway simulate finish-transfer`: finish a withdrawal's transfer, by the id of either.
    Raises `NotFound`, and `Conflict` where a real bank serves.
    """
    row = await ctx.database.one(WITHDRAWAL_BY_ANY_ID, any_id=any_id.lower())
    if row is None:
        raise NotFound(f"there is no withdrawal or transfer with the id {any_id}")
    event = "TRANSFER_DONE" if succeeds else "TRANSFER_FAILED"
    transfer = {"id": row["engine_id"], "externalReference": row["id"]}
    body = orjson.dumps({"id": f"evt_{new_id()}", "event": event, "transfer": transfer})
    return await _notify(ctx, row, body, "transfers, and this withdrawal")


async def _notify(ctx: Context, row: Row, body: bytes, subject: str) -> NotificationOutcome:
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    if engine.has_bank or engine.name != row["engine"]:
        raise Conflict(f"only the simulator can simulate {subject} belongs to another engine")
    return await process_notification(ctx, engine, environment, body)
