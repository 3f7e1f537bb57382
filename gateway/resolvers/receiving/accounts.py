"""Which account at the engine is a store's own, with the key that acts on it. The key leaves the database only here."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct
from sqlalchemy import ARRAY, UUID, bindparam, func, select

from gateway.integrations.engines.port import Account
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.engines import Track
from gateway.models.receiving import AccountState, receiving_accounts
from gateway.resolvers.core.context import Context
from gateway.telemetry import log

TRACKS = ("general", "commercial", "bank", "documents")
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


class Approval(Struct, frozen=True):
    """An account's approval as it was last read; without `checked_at` it never was, and the tracks are None."""

    general: Track | None = None
    commercial: Track | None = None
    bank: Track | None = None
    documents: Track | None = None
    documents_link: str | None = None
    rejection: str | None = None
    checked_at: datetime | None = None

    @property
    def granted(self) -> bool:
        """Whether charges may be made on the account."""
        return self.general is Track.approved


class OwnAccount(Struct, frozen=True):
    """A store's open account. `id` is ours, what charges remember; `account` is what the engine is given."""

    id: str
    store_id: str
    environment: Environment
    account: Account
    registered: bool
    """Whether the engine sends the account's notices."""
    approval: Approval


class Accounts(Struct, frozen=True):
    """Accounts that were read together. The key of each is opened when it is asked for: one
    that can't be fails no other.
    """

    _ctx: Context
    _rows: Mapping[str, Row]

    def __getitem__(self, receiving_account_id: str | None) -> Account | None:
        """The account; None is the service's main account. Raises ValueError where the vault can't open its key."""
        return (
            None if receiving_account_id is None else own_account(self._ctx, self._rows[receiving_account_id]).account
        )


async def account_of(
    ctx: Context, store_id: str, environment: Environment | str, executor: Executor | None = None
) -> OwnAccount | None:
    """The store's open account at the engine that serves the environment now, approved or not; None where it has none.

    What the receiving mode makes of it is the caller's to decide. Read in `executor`'s transaction where one is given.
    """
    row = await (executor or ctx.database).one(OF_STORE, store_id=store_id, **_served(ctx, environment))
    return None if row is None else own_account(ctx, row)


async def accounts_of(
    ctx: Context, store_ids: Iterable[str], environment: Environment | str, executor: Executor
) -> dict[str, OwnAccount | None]:
    """As `account_of`, of many stores that have one. None where the vault can't open its key, which is logged."""
    rows = await executor.all(OF_STORES, store_ids=sorted(set(store_ids)), **_served(ctx, environment))
    return {row["user_id"]: _opened(ctx, row) for row in rows}


def _opened(ctx: Context, row: Row) -> OwnAccount | None:
    try:
        return own_account(ctx, row)
    except ValueError as error:
        log.error("receiving_account_unreadable", account=row["id"], reason=str(error))
        return None


async def account_named(ctx: Context, environment: Environment, account_id: str) -> OwnAccount | None:
    """The open account that the engine calls so, whosever it is."""
    row = await ctx.database.one(OF_ENGINE, account_id=account_id, **_served(ctx, environment))
    return None if row is None else own_account(ctx, row)


async def account_by_id(ctx: Context, receiving_account_id: str | None) -> Account | None:
    """The account that a charge, an issuance or a withdrawal remembers, as the engine is given it. None, without asking
    the database, is the service's main account.
    """
    return (await accounts_by_ids(ctx, [receiving_account_id]))[receiving_account_id]


async def accounts_by_ids(ctx: Context, ids: Iterable[str | None]) -> Accounts:
    """As `account_by_id`, of many; where all are None, the database isn't asked."""
    wanted = {each for each in ids if each is not None}
    rows = await ctx.database.all(BY_IDS, ids=sorted(wanted)) if wanted else []
    found = {row["id"]: row for row in rows}
    assert found.keys() == wanted, "an account that was once open is never closed"
    return Accounts(ctx, found)


def approval_of(row: Row) -> Approval:
    """The approval in a row of `receiving_accounts`."""
    tracks = {name: Track(row[name]) if row[name] else None for name in TRACKS}
    return Approval(
        **tracks, documents_link=row["documents_link"], rejection=row["rejection"], checked_at=row["checked_at"]
    )


def own_account(ctx: Context, row: Row) -> OwnAccount:
    """An open account of a row that has its secret."""
    account = Account(row["account_id"], ctx.services.vault.open(row["secret"]), row["created_at"])
    environment = Environment(row["environment"])
    return OwnAccount(row["id"], row["user_id"], environment, account, row["webhook_registered"], approval_of(row))


def _served(ctx: Context, environment: Environment | str) -> dict[str, str]:
    return {"environment": str(environment), "engine": ctx.services.engines.of(environment).name}
