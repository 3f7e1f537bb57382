"""The simulator's books of merchants' accounts, and their approval as the bank's notices rehearse it."""

import re
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.notices import mapping, text
from gateway.integrations.engines.port import (
    Account,
    AccountExists,
    AccountStatus,
    EngineMisconfigured,
    NewAccount,
    Notice,
    OpenedAccount,
)
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement
from gateway.models.engines import Track
from gateway.models.engines import simulator_accounts as books
from gateway.security import hash_api_key, same_secret
from gateway.values.clock import Clock

_EVENT = re.compile(
    r"ACCOUNT_STATUS_(?P<track>BANK_ACCOUNT_INFO|COMMERCIAL_INFO|DOCUMENT|GENERAL_APPROVAL)"
    r"_(?P<state>APPROVED|AWAITING_APPROVAL|PENDING|REJECTED)"
)
_OF_EVENT = {
    "BANK_ACCOUNT_INFO": "bank",
    "COMMERCIAL_INFO": "commercial",
    "DOCUMENT": "documents",
    "GENERAL_APPROVAL": "general",
}
_OF_BODY = {
    "general": "general",
    "commercialInfo": "commercial",
    "bankAccountInfo": "bank",
    "documentation": "documents",
}
_TRACKS = tuple(_OF_BODY.values())
_ASKS_FOR_DOCUMENTS = {Track.missing, Track.rejected}

_ENTERED = ("id", "environment", "document", "name", "wallet_id", "secret_hash", "created_at")
ENTER = Statement(
    insert(books)
    .values({name: bindparam(name) for name in _ENTERED})
    .on_conflict_do_nothing(constraint="uq_simulator_accounts_document")
    .returning(books.c.id)
)
BY_DOCUMENT = Statement(
    select(books.c.id).where(books.c.environment == bindparam("environment"), books.c.document == bindparam("document"))
)
BY_ID = Statement(select(books).where(books.c.environment == bindparam("environment"), books.c.id == bindparam("id")))
MOVE = Statement(
    update(books)
    .where(books.c.environment == bindparam("environment_"), books.c.id == bindparam("id_"))
    .values({name: bindparam(name) for name in (*_TRACKS, "rejection")})
)


class AccountBook:
    """Accounts of one environment. `page` is where their holders are sent who have documents to send."""

    def __init__(self, database: Database, clock: Clock, environment: Environment, page: str) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment
        self._page = page

    async def open(self, wanted: NewAccount) -> OpenedAccount:
        """Enter a new account. Raises `AccountExists`."""
        secret = f"sim_{secrets.token_urlsafe(32)}"
        account_id, wallet_id = str(uuid.uuid4()), str(uuid.uuid4())
        values = {
            "id": account_id,
            "environment": self._environment,
            "document": wanted.document,
            "name": wanted.name,
            "wallet_id": wallet_id,
            "secret_hash": hash_api_key(secret),
            "created_at": self._clock.now(),
        }
        if await self._database.value(ENTER, **values) is None:
            raise AccountExists(str(await self.of(wanted.document)))
        return OpenedAccount(Account(account_id, secret), wallet_id, notices_registered=True)

    async def of(self, document: str) -> str | None:
        """The id of the document's account."""
        found: str | None = await self._database.value(BY_DOCUMENT, environment=self._environment, document=document)
        return found

    async def admit(self, account: Account) -> Row:
        """The account's row. Raises `EngineMisconfigured` where the secret isn't its own."""
        row = await self._database.one(BY_ID, environment=self._environment, id=account.id)
        if row is None or not same_secret(hash_api_key(account.secret).hex(), row["secret_hash"].hex()):
            raise EngineMisconfigured("the simulator has no account with this id and secret")
        return row

    async def status(self, account: Account) -> AccountStatus:
        row = await self.admit(account)
        tracks = {name: Track(row[name]) for name in _TRACKS}
        asks = tracks["documents"] in _ASKS_FOR_DOCUMENTS
        link = self._page if asks else None
        return AccountStatus(**tracks, documents_link=link, rejection=row["rejection"])

    async def hear(self, notice: Notice, body: Mapping[str, Any]) -> None:
        """Enter what the bank says of an account's approval."""
        row = await self._database.one(BY_ID, environment=self._environment, id=notice.account_id or "")
        if row is None:
            return
        said = mapping(body.get("accountStatus"))
        tracks = {name: row[name] for name in _TRACKS} | _named(notice.kind) | _listed(said)
        rejected = Track.rejected in tracks.values()
        reason = (text(said.get("rejectReasons")) or row["rejection"]) if rejected else None
        await self._database.run(MOVE, environment_=self._environment, id_=row["id"], **tracks, rejection=reason)


def _named(kind: str) -> dict[str, str]:
    """What the event's name alone says. The general approval crowns the others, so it brings them along."""
    event = _EVENT.fullmatch(kind)
    if event is None:
        return {}
    track, state = _OF_EVENT[event["track"]], event["state"]
    if track == "general" and state == Track.approved:
        return dict.fromkeys(_TRACKS, state)
    return {track: state}


def _listed(said: Mapping[str, Any]) -> dict[str, str]:
    known = set(Track)
    return {column: said[name] for name, column in _OF_BODY.items() if said.get(name) in known}
