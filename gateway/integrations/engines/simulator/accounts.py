"""The simulator's table of merchants' accounts; notifications change their approval."""

import re
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.errors import AccountExists, EngineMisconfigured
from gateway.integrations.engines.interface import Account, AccountStatus, NewAccount, Notification, OpenedAccount
from gateway.integrations.engines.notifications import mapping, text
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Statement
from gateway.models.engines import Track
from gateway.models.engines import simulator_accounts as table
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
_NEEDS_DOCUMENTS = {Track.missing, Track.rejected}

_COLUMNS = ("id", "environment", "document", "name", "wallet_id", "secret_hash", "created_at")
INSERT = Statement(
    insert(table)
    .values({name: bindparam(name) for name in _COLUMNS})
    .on_conflict_do_nothing(constraint="uq_simulator_accounts_document")
    .returning(table.c.id)
)
BY_DOCUMENT = Statement(
    select(table.c.id).where(table.c.environment == bindparam("environment"), table.c.document == bindparam("document"))
)
BY_ID = Statement(select(table).where(table.c.environment == bindparam("environment"), table.c.id == bindparam("id")))
UPDATE = Statement(
    update(table)
    .where(table.c.environment == bindparam("environment_"), table.c.id == bindparam("id_"))
    .values({name: bindparam(name) for name in (*_TRACKS, "rejection")})
)


class AccountStore:
    """Accounts of one environment. `page` is the link for holders who have to send documents."""

    def __init__(self, database: Database, clock: Clock, environment: Environment, page: str) -> None:
        self._database = database
        self._clock = clock
        self._environment = environment
        self._page = page

    async def open(self, request: NewAccount) -> OpenedAccount:
        """Insert a new account. Raises `AccountExists`."""
        secret = f"sim_{secrets.token_urlsafe(32)}"
        account_id, wallet_id = str(uuid.uuid4()), str(uuid.uuid4())
        values = {
            "id": account_id,
            "environment": self._environment,
            "document": request.document,
            "name": request.name,
            "wallet_id": wallet_id,
            "secret_hash": hash_api_key(secret),
            "created_at": self._clock.now(),
        }
        if await self._database.value(INSERT, **values) is None:
            raise AccountExists(str(await self.find(request.document)))
        return OpenedAccount(Account(account_id, secret), wallet_id, webhook_registered=True)

    async def find(self, document: str) -> str | None:
        """The id of the document's account."""
        found: str | None = await self._database.value(BY_DOCUMENT, environment=self._environment, document=document)
        return found

    async def authenticate(self, account: Account) -> Row:
        """The account's row. Raises `EngineMisconfigured` for a wrong secret."""
        row = await self._database.one(BY_ID, environment=self._environment, id=account.id)
        if row is None or not same_secret(hash_api_key(account.secret).hex(), row["secret_hash"].hex()):
            raise EngineMisconfigured("the simulator has no account with this id and secret")
        return row

    async def status(self, account: Account) -> AccountStatus:
        row = await self.authenticate(account)
        tracks = {name: Track(row[name]) for name in _TRACKS}
        link = self._page if tracks["documents"] in _NEEDS_DOCUMENTS else None
        return AccountStatus(**tracks, documents_link=link, rejection=row["rejection"])

    async def apply_notification(self, notification: Notification, body: Mapping[str, Any]) -> None:
        """Update an account's approval."""
        row = await self._database.one(BY_ID, environment=self._environment, id=notification.account_id or "")
        if row is None:
            return
        content = mapping(body.get("accountStatus"))
        tracks = {name: row[name] for name in _TRACKS} | _from_event(notification.kind) | _from_body(content)
        rejected = Track.rejected in tracks.values()
        reason = (text(content.get("rejectReasons")) or row["rejection"]) if rejected else None
        await self._database.run(UPDATE, environment_=self._environment, id_=row["id"], **tracks, rejection=reason)


def _from_event(kind: str) -> dict[str, str]:
    """The tracks in the event's name. A general approval approves all tracks."""
    event = _EVENT.fullmatch(kind)
    if event is None:
        return {}
    track, state = _OF_EVENT[event["track"]], event["state"]
    if track == "general" and state == Track.approved:
        return dict.fromkeys(_TRACKS, state)
    return {track: state}


def _from_body(content: Mapping[str, Any]) -> dict[str, str]:
    known = set(Track)
    return {column: content[name] for name, column in _OF_BODY.items() if content.get(name) in known}
