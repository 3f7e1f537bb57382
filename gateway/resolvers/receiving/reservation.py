"""The row that reserves a store's account before the engine is called, so that a store never gets two.

If the outcome is unknown, the row stays, and the engine is queried later whether the company has an account. If it has
none, the row is deleted. If its key was lost in transit, the account is `lost`, for staff to recover. Creation is never
repeated.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.interface import Engine, OpenedAccount
from gateway.models.database import Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.audit_log import record_of, with_record
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notifications.registration import RETRY_REGISTRATION_AFTER
from gateway.resolvers.receiving.accounts import OF_ENGINE
from gateway.resolvers.receiving.approval import COLUMNS_WITHOUT_SECRET
from gateway.resolvers.receiving.types import OpenReceivingAccount
from gateway.telemetry import log
from gateway.values.ids import new_id

CREATION_LEASE = timedelta(minutes=5)
"""How long only the creating request may touch the row; longer than creation takes with the longest timeout."""
RESOLVE_AFTER = timedelta(minutes=1)
"""When an unknown outcome is resolved: the engine has finished by then."""

_R = receiving_accounts
_company = tuple(OpenReceivingAccount.model_fields)
_RESERVED = (
    "id",
    "user_id",
    "environment",
    "engine",
    "state",
    *_company,
    "next_attempt_at",
    "created_at",
    "updated_at",
)
_SAVED = (*_RESERVED, "account_id", "wallet_id", "secret", "webhook_registered")
RESERVE = Statement(
    insert(_R)
    .values({name: bindparam(name) for name in _RESERVED})
    .on_conflict_do_nothing(constraint="uq_receiving_accounts_user_id")
    .returning(_R.c.id)
)
FIND = Statement(
    select(*COLUMNS_WITHOUT_SECRET).where(
        _R.c.user_id == bindparam("store_id"),
        _R.c.environment == bindparam("environment"),
        _R.c.engine == bindparam("engine"),
    )
)
_opening = (_R.c.id == bindparam("account"), _R.c.state == AccountState.opening.value)
_released = delete(_R).where(*_opening).returning(_R.c.id).cte("released")
RELEASE = with_record(_released)
_lost = (
    update(_R)
    .where(*_opening)
    .values(
        state=AccountState.lost.value,
        account_id=bindparam("account_id"),
        updated_at=bindparam("now"),
    )
    .returning(_R.c.id)
    .cte("lost")
)
MARK_LOST = with_record(_lost)
POSTPONE = Statement(update(_R).where(*_opening).values(next_attempt_at=bindparam("next_attempt_at")))
_inserted = insert(_R).values({name: bindparam(name) for name in _SAVED})
_saved = (
    # An upsert: the key must be stored even if another process has released the reservation or marked it lost.
    _inserted.on_conflict_do_update(
        constraint="uq_receiving_accounts_user_id",
        set_={
            name: _inserted.excluded[name] for name in _SAVED if name not in {"id", "user_id", "environment", "engine"}
        },
        where=_R.c.state != AccountState.open.value,
    )
    .returning(_R.c.id)
    .cte("saved")
)
SAVE = with_record(_saved)


def reservation_values(ctx: Context, engine: Engine, company: OpenReceivingAccount) -> dict[str, Any]:
    """The row for `RESERVE`."""
    now = ctx.real_clock.now()
    return {
        "id": new_id(),
        "user_id": ctx.store_id,
        "environment": ctx.environment.value,
        "engine": engine.name,
        "state": AccountState.opening.value,
        **{name: getattr(company, name) for name in _company},
        "next_attempt_at": now + CREATION_LEASE,
        "created_at": now,
        "updated_at": now,
    }


async def save_account(ctx: Context, reservation: dict[str, Any], opened: OpenedAccount) -> bool:
    """Commit the account and its encrypted key, before anything else. False where the store already has an account,
    which must not happen.
    """
    now = ctx.real_clock.now()
    account = {
        "state": AccountState.open.value,
        "account_id": opened.account.id,
        "wallet_id": opened.wallet_id,
        "secret": ctx.services.vault.encrypt(opened.account.secret),
        "webhook_registered": opened.webhook_registered,
        "next_attempt_at": now + RETRY_REGISTRATION_AFTER,
        "created_at": now,
        "updated_at": now,
    }
    changes = {"account_id": opened.account.id}
    written = record_of(ctx, "receiving_account.opened", reservation["id"], changes=changes)
    return await ctx.database.value(SAVE, **reservation | account, **written) is not None


async def find_reservation(ctx: Context) -> Row | None:
    """The row of the store's account in any state, without its secret."""
    engine = ctx.services.engines.of(ctx.environment).name
    return await ctx.database.one(FIND, store_id=ctx.store_id, environment=ctx.environment, engine=engine)


def creation_in_progress(row: Row) -> bool:
    """Whether only the creating request has touched the row. A lost response reschedules it."""
    return bool(row["next_attempt_at"] == row["created_at"] + CREATION_LEASE)


async def resolve_unknown_outcome(ctx: Context, row: Row) -> None:
    """Ask the engine whether the account was created. Raises `EngineError`."""
    engine = ctx.services.engines.of(row["environment"])
    found = await engine.find_account(row["cnpj"])
    scope = {"account_id": found, "environment": row["environment"], "engine": engine.name}
    # Another store of the same company may have opened the account meanwhile.
    if found is None or await ctx.database.value(OF_ENGINE, **scope):
        await release(ctx, row)
    else:
        await mark_lost(ctx, row, found)


async def release(ctx: Context, row: Mapping[str, Any]) -> None:
    """Delete a reservation for which no account was created."""
    about = {"store_id": row["user_id"], "environment": row["environment"]}
    written = record_of(ctx, "receiving_account.not_opened", row["id"], **about)
    await ctx.database.run(RELEASE, account=row["id"], **written)


async def mark_lost(ctx: Context, row: Mapping[str, Any], account_id: str) -> None:
    """Record that the account of a reservation exists, but its key was lost in transit."""
    log.error("receiving_account_lost", store_id=row["user_id"], account_id=account_id)
    about = {"store_id": row["user_id"], "environment": row["environment"]}
    written = record_of(ctx, "receiving_account.lost", row["id"], changes={"account_id": account_id}, **about)
    await ctx.database.run(MARK_LOST, account=row["id"], account_id=account_id, now=ctx.real_clock.now(), **written)
