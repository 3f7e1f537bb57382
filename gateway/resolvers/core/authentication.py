"""Authentication: from the `Authorization` header to an actor (specification section 5).

A value that starts with the service's prefix is an API key, any other a session token. Both are looked up on every
request, so that a revocation is effective at once in all processes.

A session acts in the store that `x-store` names (contract section 3), if the user is a member there. Operations on the
caller's own account use `account` instead of `actor`, which ignores the header.
"""

import asyncio
import time
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Column, bindparam, or_, update

from gateway.errors import (
    ForeignStore,
    GatewayError,
    InvalidInput,
    InvalidSession,
    LiveKeyBlocked,
    MissingCredential,
    UnknownApiKey,
)
from gateway.models.api_keys import Scope, api_keys
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.members import members
from gateway.models.sessions import sessions
from gateway.resolvers.clocks.store_clock import store_clock
from gateway.resolvers.core.actor import Actor, Credential, Production, Role
from gateway.resolvers.core.context import Services
from gateway.security import SessionClaims, hash_api_key
from gateway.values.ids import is_id

TOUCH_INTERVAL = timedelta(minutes=1)
CACHE_SECONDS = 1.0
"""How long the operations of one request reuse its actor. A request may take long, and its key be revoked meanwhile."""
_MAX_SESSION_LENGTH = 4096


def _touch(used_at: Column[Any], row_id: Column[Any]) -> Statement:
    """Record a use, unless another request has done so meanwhile."""
    stale, now = bindparam("stale", type_=used_at.type), bindparam("now", type_=used_at.type)
    return Statement(
        update(used_at.table)
        .where(row_id == bindparam("row_id"), or_(used_at.is_(None), used_at < stale))
        .values({used_at: now})
    )


TOUCH_KEY = _touch(api_keys.c.last_used_at, api_keys.c.id)
TOUCH_MEMBER = _touch(members.c.last_access_at, members.c.id)
TOUCH_SESSION = _touch(sessions.c.last_used_at, sessions.c.id)


class RequestAuthenticator(Struct):
    """Authenticates one request, once for all its operations within `CACHE_SECONDS`."""

    services: Services
    authorization: str | None
    store: str | None = None
    refused: Actor | None = None
    _cached: Actor | None = None
    _cached_since: float = 0.0
    _refusal: GatewayError | None = None
    _running: asyncio.Event | None = None
    _own: "RequestAuthenticator | None" = None

    async def account(self) -> Actor:
        """The caller in their own store. Raises one of the three errors of section 5, or `LiveKeyBlocked`."""
        if self.store is None or self._is_api_key(_bearer(self.authorization)):
            return await self.actor()
        if self._own is None:
            self._own = RequestAuthenticator(self.services, self.authorization)
        return await self._own.actor()

    async def actor(self) -> Actor:
        """The caller in the store of `x-store`. Raises like `account`, `InvalidInput` for a malformed id, and
        `ForeignStore`.
        """
        while self._cached is None or time.monotonic() - self._cached_since > CACHE_SECONDS:
            if self._refusal is not None:
                raise self._refusal
            # Fields of a GraphQL query run concurrently: the first one authenticates, the others wait.
            await (self._run() if self._running is None else self._running.wait())
        return self._cached

    async def _run(self) -> None:
        self._running = finished = asyncio.Event()
        try:
            self._cached = await self._authenticate()
            self._cached_since = time.monotonic()
        except GatewayError as error:
            self._refusal = error
        finally:
            self._running = None
            finished.set()

    async def _authenticate(self) -> Actor:
        credential = _bearer(self.authorization)
        return await (self._by_key(credential) if self._is_api_key(credential) else self._by_session(credential))

    def _is_api_key(self, credential: str) -> bool:
        return credential.startswith(f"{self.services.settings.key_prefix}_")

    async def _by_key(self, key: str) -> Actor:
        row = await self.services.credentials.key(hash_api_key(key))
        if row is None or self._has_passed(row["expires_at"]):
            raise UnknownApiKey
        actor = Actor(
            Credential.api_key,
            Environment(row["environment"]),
            user_id=row["user_id"],
            store_id=row["user_id"],
            name=row["name"],
            store_name=_store_name(row),
            key_id=row["id"],
            scopes=None if row["scopes"] is None else frozenset(map(Scope, row["scopes"])),
            production=Production.of(row, self.services.settings.terms_url),
            clock=store_clock(row, self.services.clock),
        )
        if actor.environment is Environment.live and not actor.production.approved:
            self.refused = actor
            raise LiveKeyBlocked(producao=actor.production.block())
        await self._touch(TOUCH_KEY, row["id"], row["last_used_at"])
        return actor

    async def _by_session(self, token: str) -> Actor:
        claims = self.services.tokens.read(token) if len(token) <= _MAX_SESSION_LENGTH else None
        if claims is None or not _are_usable(claims):
            raise InvalidSession
        if self.store is not None and (store := self.store.strip().lower()) != claims.user_id:
            return await self._by_membership(claims, store)
        return await self._by_account(claims)

    async def _by_account(self, claims: SessionClaims) -> Actor:
        row = await self.services.credentials.user(claims.user_id, claims.session_id)
        if row is None or row["session_version"] != claims.version:
            raise InvalidSession
        await self._touch(TOUCH_SESSION, claims.session_id, row["session_used_at"])
        environment = Environment(claims.environment)
        lacks_second_factor = self.services.settings.staff_requires_2fa and not row["has_second_factor"]
        return Actor(
            Credential.session,
            environment,
            user_id=row["id"],
            store_id=row["id"],
            name=row["owner_name"],
            store_name=_store_name(row),
            is_staff=row["is_admin"] and not lacks_second_factor,
            lacks_second_factor=row["is_admin"] and lacks_second_factor,
            session_id=claims.session_id,
            session_version=row["session_version"],
            production=Production.of(row, self.services.settings.terms_url),
            clock=store_clock(row, self.services.clock) if environment is Environment.test else None,
        )

    async def _by_membership(self, claims: SessionClaims, store: str) -> Actor:
        if not is_id(store):
            await self._by_account(claims)  # Without a session, the response is only that error.
            raise InvalidInput(("x-store", "informe o id da loja, um UUID"))
        row = await self.services.credentials.member(claims.user_id, store, claims.session_id)
        if row is None or row["session_version"] != claims.version:
            raise InvalidSession
        await self._touch(TOUCH_SESSION, claims.session_id, row["session_used_at"])
        environment = Environment(claims.environment)
        if row["member_id"] is None:
            person, name = claims.user_id, row["member_name"]
            self.refused = Actor(Credential.session, environment, user_id=person, store_id=person, name=name)
            raise ForeignStore
        await self._touch(TOUCH_MEMBER, row["member_id"], row["last_access_at"])
        # Never staff: staff permissions don't apply in the stores of others.
        return Actor(
            Credential.session,
            environment,
            user_id=claims.user_id,
            store_id=store,
            name=row["member_name"],
            store_name=_store_name(row),
            role=Role(row["role"]),
            session_id=claims.session_id,
            session_version=row["session_version"],
            production=Production.of(row, self.services.settings.terms_url),
            clock=store_clock(row, self.services.clock) if environment is Environment.test else None,
        )

    async def _touch(self, statement: Statement, row_id: str, used_at: datetime | None) -> None:
        now = self.services.clock.now()
        stale = now - TOUCH_INTERVAL
        if used_at is None or used_at < stale:
            await self.services.database.run(statement, row_id=row_id, now=now, stale=stale)

    def _has_passed(self, expires_at: datetime | None) -> bool:
        return expires_at is not None and expires_at <= self.services.clock.now()


def _are_usable(claims: SessionClaims) -> bool:
    """Whether the claims can be used in a query."""
    return is_id(claims.session_id) and is_id(claims.user_id) and claims.environment in set(Environment)


def _store_name(row: Row | dict[str, Any]) -> str:
    return str(row["company"] or row["owner_name"])


def _bearer(header: str | None) -> str:
    scheme, _, credential = (header or "").strip().partition(" ")
    credential = credential.strip()
    if scheme.lower() != "bearer" or not credential:
        raise MissingCredential
    return credential
