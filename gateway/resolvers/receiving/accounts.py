"""Find receiving accounts and decrypt their keys. Keys are decrypted only here."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from sqlalchemy import ARRAY, UUID, bindparam, func, select

from gateway.errors import SubaccountMissing
from gateway.integrations.engines.interface import Account
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.types import TRACKS, Approval, approval_block, approval_from
from gateway.telemetry import log

_R = receiving_accounts
_own = select(
    *(_R.c[name] for name in ("id", "user_id", "environment", "account_id", "secret", "webhook_registered")),
    *(_R.c[name] for name in (*TRACKS, "documents_link", "rejection", "checked_at", "created_at")),
).where(_R.c.state == AccountState.open.value)
_of_stores = (_R.c.environment == bindparam("environment"), _R.c.engine == bindparam("engine"))
OF_STORE = Statement(_own.where(_R.c.user_id == bindparam("store_id"), *_of_stores))
OF_STORES = Statement(_own.where(_R.c.user_id == func.any(bindparam("store_ids", type_=ARRAY(UUID))), *_of_stores))
OF_ENGINE = Statement(_own.where(_R.c.account_id == bindparam("account_id"), *_of_stores))
BY_IDS = Statement(_own.where(_R.c.id == func.any(bindparam("ids", type_=ARRAY(UUID)))))


class OwnAccount(Struct, frozen=True):
    """A store's open account. `id` is ours, stored with charges; `account` has the engine's id and key."""

    id: str
    store_id: str
    environment: Environment
    account: Account
    registered: bool
    """Whether our webhook is registered for the account."""
    approval: Approval


class Accounts(Struct, frozen=True):
    """Accounts that were loaded together. Each key is decrypted on access, so one failure affects no other account."""

    _ctx: Context
    _rows: Mapping[str, Row]

    def __getitem__(self, receiving_account_id: str | None) -> Account | None:
        """The account; None is the service's main account. Raises ValueError where the key cannot be decrypted."""
        if receiving_account_id is None:
            return None
        return decrypt_account(self._ctx, self._rows[receiving_account_id]).account


async def find_store_account(
    ctx: Context, store_id: str, environment: Environment | str, executor: Executor | None = None
) -> OwnAccount | None:
    """The store's open account at the environment's current engine, approved or not; None where it has none. Ignores
    the receiving mode. Reads in the transaction of `executor`, if passed.
    """
    row = await (executor or ctx.database).one(OF_STORE, store_id=store_id, **_served(ctx, environment))
    return None if row is None else decrypt_account(ctx, row)


async def require_store_account(
    ctx: Context, store_id: str, environment: Environment | str, message: str | None = None
) -> OwnAccount:
    """As `find_store_account`. Raises `SubaccountMissing` where the store has none."""
    own = await find_store_account(ctx, store_id, environment)
    if own is None:
        raise SubaccountMissing(message, aprovacao=approval_block(Approval()))
    return own


async def find_store_accounts(
    ctx: Context, store_ids: Iterable[str], environment: Environment | str, executor: Executor
) -> dict[str, OwnAccount | None]:
    """The accounts of many stores, by store. None where the key cannot be decrypted, which is logged."""
    rows = await executor.all(OF_STORES, store_ids=sorted(set(store_ids)), **_served(ctx, environment))
    return {row["user_id"]: _try_decrypt(ctx, row) for row in rows}


def _try_decrypt(ctx: Context, row: Row) -> OwnAccount | None:
    try:
        return decrypt_account(ctx, row)
    except ValueError as error:
        log.error("receiving_account_unreadable", account=row["id"], reason=str(error))
        return None


async def find_account_by_engine_id(ctx: Context, environment: Environment, account_id: str) -> OwnAccount | None:
    """The open account with the engine's id, of any store."""
    row = await ctx.database.one(OF_ENGINE, account_id=account_id, **_served(ctx, environment))
    return None if row is None else decrypt_account(ctx, row)


async def load_account(ctx: Context, receiving_account_id: str | None) -> Account | None:
    """The account stored with a charge, an issuance or a withdrawal. None is the service's main account, without a
    query.
    """
    return (await load_accounts(ctx, [receiving_account_id]))[receiving_account_id]


async def load_accounts(ctx: Context, ids: Iterable[str | None]) -> Accounts:
    """As `load_account`, for many; no query where all are None."""
    unique = {each for each in ids if each is not None}
    rows = await ctx.database.all(BY_IDS, ids=sorted(unique)) if unique else []
    found = {row["id"]: row for row in rows}
    assert found.keys() == unique, "open accounts are never deleted"
    return Accounts(ctx, found)


def decrypt_account(ctx: Context, row: Row) -> OwnAccount:
    """The open account of a row, with its key."""
    account = Account(row["account_id"], ctx.services.vault.decrypt(row["secret"]), row["created_at"])
    environment = Environment(row["environment"])
    return OwnAccount(row["id"], row["user_id"], environment, account, row["webhook_registered"], approval_from(row))


def _served(ctx: Context, environment: Environment | str) -> dict[str, str]:
    return {"environment": str(environment), "engine": ctx.services.engines.of(environment).name}
