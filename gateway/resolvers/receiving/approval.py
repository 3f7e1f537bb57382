"""An account's approval, read at the engine and written down.

Nothing that a notice claims counts: it only makes us look. A reading that began before the one that is written down is
too late, so that readings may cross on their way.
"""

from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, select, update

from gateway.integrations.engines.port import AccountStatus
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import Track
from gateway.models.receiving import receiving_accounts
from gateway.resolvers.audit.trail import RECORD, record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import TRACKS, OwnAccount

DAILY = timedelta(days=1)
"""How often an approved account is looked at, whose notices should tell of any change; company data expires yearly."""
HOURLY = timedelta(hours=1)
"""How often one that waits is: a notice may have been lost, and the link to send documents expires."""
SOON = timedelta(seconds=20)
NEW = timedelta(minutes=5)
"""While an account is so new, the link to send documents may not be there yet: Asaas
wants 15 seconds (engine.md, A9).
"""

_R = receiving_accounts
SHOWN = [column for column in _R.c if column.name != "secret"]
LOCK = Statement(select(*SHOWN).where(_R.c.id == bindparam("id")).with_for_update())
_READ = (*TRACKS, "documents_link", "rejection", "checked_at", "look_after")
WRITE = Statement(
    update(_R)
    .where(_R.c.id == bindparam("account"))
    .values(
        {name: bindparam(name, type_=_R.c[name].type) for name in _READ}
        | {"attempts": 0, "updated_at": bindparam("checked_at", type_=_R.c.updated_at.type)}
    )
    .returning(*SHOWN)
)


class Reading(Struct, frozen=True):
    """What the engine said, and when it was asked."""

    status: AccountStatus
    asked_at: datetime


async def refresh(ctx: Context, own: OwnAccount) -> Row:
    """Read the approval and write it down; the account's row, without its secret. Raises `EngineError`."""
    reading = await read_approval(ctx, own)
    async with ctx.database.transaction() as transaction:
        return await write_approval(ctx, transaction, own.id, reading)


async def read_approval(ctx: Context, own: OwnAccount) -> Reading:
    """Ask the engine. Raises `EngineError`."""
    asked_at = ctx.real_clock.now()
    return Reading(await ctx.services.engines.of(own.environment).account_status(own.account), asked_at)


async def write_approval(ctx: Context, transaction: Executor, account: str, reading: Reading) -> Row:
    """Write a reading down, and what it changed into the audit trail; the account's row."""
    was = await transaction.one(LOCK, id=account)
    assert was is not None, "an account that was once open is never closed"
    if was["checked_at"] is not None and was["checked_at"] > reading.asked_at:
        return was
    said = _said(reading.status)
    again = reading.asked_at + _patience(reading, was)
    # Where the notices are still to be registered, that is when somebody looks.
    look_after = again if was["webhook_registered"] else min(again, was["look_after"])
    row = await transaction.one(WRITE, account=account, **said, checked_at=reading.asked_at, look_after=look_after)
    assert row is not None
    changes = {name: {"from": was[name], "to": said[name]} for name in TRACKS if was[name] != said[name]}
    if changes:
        await tell(ctx, transaction, "receiving_account.approval_changed", row, changes)
    return row


async def tell(ctx: Context, transaction: Executor, action: str, row: Row, changes: dict[str, Any]) -> None:
    """Write a record about an account of a row, in the account's own environment."""
    written = record_of(ctx, action, row["id"], changes=changes, store_id=row["user_id"])
    await transaction.run(RECORD, **written | {"audit_environment": row["environment"]})


def _patience(reading: Reading, was: Row) -> timedelta:
    """How long until somebody looks again by himself."""
    status = reading.status
    if status.general is Track.approved:
        return DAILY
    linkless = status.documents is Track.missing and status.documents_link is None
    return SOON if linkless and reading.asked_at - was["created_at"] < NEW else HOURLY


def _said(status: AccountStatus) -> dict[str, str | None]:
    tracks = {name: getattr(status, name).value for name in TRACKS}
    return tracks | {"documents_link": status.documents_link, "rejection": status.rejection}
