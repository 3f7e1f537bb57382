"""Read an account's approval at the engine and store it.

A notification only triggers a read. Concurrent reads are safe: one that began before the stored one is discarded.
"""

from datetime import datetime, timedelta

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from gateway.integrations.engines.interface import AccountStatus
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import Track
from gateway.models.receiving import receiving_accounts
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import OwnAccount
from gateway.resolvers.receiving.types import TRACKS

APPROVED_INTERVAL = timedelta(days=1)
"""Between checks of an approved account. Notifications should report changes; company data expires yearly."""
PENDING_INTERVAL = timedelta(hours=1)
"""Between other checks: a notification may be lost, and the documents link expires."""
NEW_INTERVAL = timedelta(seconds=20)
NEW_ACCOUNT_AGE = timedelta(minutes=5)
"""A new account may not have its documents link yet: Asaas needs 15 seconds (engine reference, A9)."""

_R = receiving_accounts
COLUMNS_WITHOUT_SECRET = [column for column in _R.c if column.name != "secret"]
LOCK = Statement(select(*COLUMNS_WITHOUT_SECRET).where(_R.c.id == bindparam("id")).with_for_update())
_UPDATED = (*TRACKS, "documents_link", "rejection", "checked_at", "next_attempt_at")
UPDATE = Statement(
    update(_R)
    .where(_R.c.id == bindparam("account"))
    .values({name: bindparam(name) for name in _UPDATED} | {"attempts": 0, "updated_at": bindparam("checked_at")})
    .returning(*COLUMNS_WITHOUT_SECRET)
)


class ApprovalReading(Struct, frozen=True):
    """What the engine returned, and when the request began."""

    status: AccountStatus
    started_at: datetime


async def refresh_approval(ctx: Context, own: OwnAccount) -> None:
    """Read the approval and store it. Raises `EngineError`."""
    reading = await read_approval(ctx, own)
    async with ctx.database.transaction() as transaction:
        await save_approval(ctx, transaction, own.id, reading)


async def read_approval(ctx: Context, own: OwnAccount) -> ApprovalReading:
    """Read the approval at the engine. Raises `EngineError`."""
    started_at = ctx.real_clock.now()
    return ApprovalReading(await ctx.services.engines.of(own.environment).account_status(own.account), started_at)


async def save_approval(ctx: Context, transaction: Executor, account: str, reading: ApprovalReading) -> Row:
    """Store a reading and audit what it changed. Returns the account's row."""
    was = await transaction.single(LOCK, id=account)
    if was["checked_at"] is not None and was["checked_at"] > reading.started_at:
        return was
    values = _values(reading.status)
    again = reading.started_at + _interval(reading, was)
    # An earlier check to register the webhook stays.
    next_attempt_at = again if was["webhook_registered"] else min(again, was["next_attempt_at"])
    row = await transaction.single(
        UPDATE, account=account, **values, checked_at=reading.started_at, next_attempt_at=next_attempt_at
    )
    changes = {name: {"from": was[name], "to": values[name]} for name in TRACKS if was[name] != values[name]}
    if changes:
        action = "receiving_account.approval_changed"
        about = {"store_id": row["user_id"], "environment": row["environment"]}
        await record(ctx, transaction, action, row["id"], changes=changes, **about)
    return row


def _interval(reading: ApprovalReading, was: Row) -> timedelta:
    status = reading.status
    if status.general is Track.approved:
        return APPROVED_INTERVAL
    linkless = status.documents is Track.missing and status.documents_link is None
    return NEW_INTERVAL if linkless and reading.started_at - was["created_at"] < NEW_ACCOUNT_AGE else PENDING_INTERVAL


def _values(status: AccountStatus) -> dict[str, str | None]:
    tracks = {name: getattr(status, name).value for name in TRACKS}
    return tracks | {"documents_link": status.documents_link, "rejection": status.rejection}
