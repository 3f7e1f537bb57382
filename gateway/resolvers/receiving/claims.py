"""The row of an account that is being opened: reserved before the engine is asked, so that no store ever has two.

It stays while nobody knows what the engine did. Then the engine is asked whether the company has an
account: surely none lets the row go, and one whose key never reached us is `lost`, for staff to recover.
Nothing is opened a second time.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, delete, exists, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.port import Engine
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.approval import SHOWN
from gateway.resolvers.receiving.inputs import OpenReceivingAccount
from gateway.telemetry import log
from gateway.values.ids import new_id

GRACE = timedelta(minutes=5)
"""How long a claim is its opener's alone; beyond what opening can take with the longest deadline."""
SETTLE_AFTER = timedelta(minutes=1)
"""When an unknown outcome is looked into: what the engine was still doing is done by then."""

_R = receiving_accounts
_company = tuple(OpenReceivingAccount.model_fields)
CLAIMED = ("id", "user_id", "environment", "engine", "state", *_company, "look_after", "created_at", "updated_at")
CLAIM = Statement(
    insert(_R)
    .values({name: bindparam(name, type_=_R.c[name].type) for name in CLAIMED})
    .on_conflict_do_nothing(constraint="uq_receiving_accounts_user_id")
    .returning(_R.c.id)
)
STANDING = Statement(
    select(*SHOWN).where(
        _R.c.user_id == bindparam("store_id"),
        _R.c.environment == bindparam("environment"),
        _R.c.engine == bindparam("engine"),
    )
)
_opening = (_R.c.id == bindparam("account", type_=_R.c.id.type), _R.c.state == AccountState.opening.value)
_freed = delete(_R).where(*_opening).returning(_R.c.id).cte("freed")
FREE = Statement(select(_freed.c.id).add_cte(recording(_freed).cte("audit")))
_lost = (
    update(_R)
    .where(*_opening)
    .values(
        state=AccountState.lost.value,
        account_id=bindparam("account_id"),
        updated_at=bindparam("now", type_=_R.c.updated_at.type),
    )
    .returning(_R.c.id)
    .cte("lost")
)
LOSE = Statement(select(_lost.c.id).add_cte(recording(_lost).cte("audit")))
POSTPONE = Statement(update(_R).where(*_opening).values(look_after=bindparam("look_after", type_=_R.c.look_after.type)))
KNOWN = Statement(
    select(
        exists().where(
            _R.c.account_id == bindparam("account_id"),
            _R.c.environment == bindparam("environment"),
            _R.c.engine == bindparam("engine"),
            _R.c.state == AccountState.open.value,
        )
    )
)


def claim_of(ctx: Context, engine: Engine, order: OpenReceivingAccount) -> dict[str, Any]:
    """The row of an account that the store is about to open."""
    now = ctx.real_clock.now()
    return {
        "id": new_id(),
        "user_id": ctx.store_id,
        "environment": ctx.environment.value,
        "engine": engine.name,
        "state": AccountState.opening.value,
        **{name: getattr(order, name) for name in _company},
        "look_after": now + GRACE,
        "created_at": now,
        "updated_at": now,
    }


async def standing_of(ctx: Context) -> Row | None:
    """The row of the store's account in whatever state, without its secret."""
    engine = ctx.services.engines.of(ctx.environment).name
    scope = {"store_id": ctx.store_id, "environment": ctx.environment, "engine": engine}
    return await ctx.database.one(STANDING, **scope)


def is_being_opened(row: Row) -> bool:
    """Whether nobody but its opener has touched the claim yet. An outcome that was lost puts the look at it off."""
    return bool(row["look_after"] == row["created_at"] + GRACE)


async def settle_claim(ctx: Context, row: Row) -> None:
    """Find out what became of an account whose opening nobody saw end. Raises
    `EngineError` where the engine can't say.
    """
    engine = ctx.services.engines.of(row["environment"])
    found = await engine.find_account(row["cnpj"])
    scope = {"account_id": found, "environment": row["environment"], "engine": engine.name}
    # The company may have its account in another store, which opened it in the meantime.
    if found is None or await ctx.database.value(KNOWN, **scope):
        await free(ctx, row["id"], row["user_id"], row["environment"])
    else:
        await lose(ctx, row["id"], row["user_id"], row["environment"], found)


async def free(ctx: Context, account: str, store_id: str, environment: Environment | str) -> None:
    """Let go of a claim under which surely nothing was opened."""
    told = record_of(ctx, "receiving_account.not_opened", account, store_id=store_id)
    await ctx.database.run(FREE, account=account, **told | {"audit_environment": environment})


async def lose(ctx: Context, account: str, store_id: str, environment: Environment | str, account_id: str) -> None:
    """Write down that the account exists and its key never reached us."""
    log.error("receiving_account_lost", store_id=store_id, account_id=account_id)
    changes = {"account_id": {"from": None, "to": account_id}}
    told = record_of(ctx, "receiving_account.lost", account, changes=changes, store_id=store_id)
    about = told | {"audit_environment": environment}
    await ctx.database.run(LOSE, account=account, account_id=account_id, now=ctx.real_clock.now(), **about)
