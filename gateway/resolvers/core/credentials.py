"""Look up credentials in the database, batched across concurrent requests."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    ARRAY,
    UUID,
    ColumnElement,
    LargeBinary,
    Text,
    and_,
    bindparam,
    case,
    cast,
    false,
    func,
    null,
    select,
)
from sqlalchemy.types import TypeEngine

from gateway.models.accounts import ProductionStatus, users
from gateway.models.api_keys import api_keys
from gateway.models.base import Environment
from gateway.models.batching import BatchLoader
from gateway.models.database import Database, Row, Statement, unnest_rows
from gateway.models.members import MemberStatus, members
from gateway.models.production import production_documents
from gateway.models.sessions import sessions, two_factors
from gateway.resolvers.clocks.store_clock import clock_columns

_U, _K = users, api_keys
_approval_columns = (
    _U.c.name.label("owner_name"),
    _U.c.company,
    _U.c.cnpj,
    _U.c.production_status,
    _U.c.production_requested_at,
    _U.c.production_reviewed_at,
    _U.c.production_reject_reason,
    _U.c.production_terms_accepted_at,
)


def _documents(wanted: ColumnElement[bool]) -> ColumnElement[list[str]]:
    """The types of a store's documents, read only if `wanted`: `CASE` evaluates no other branch."""
    sent = select(production_documents.c.type).where(production_documents.c.user_id == _U.c.id)
    return case((wanted, func.array(sent.scalar_subquery(), type_=ARRAY(Text))), else_=null()).label(
        "production_documents"
    )


def _any_of(name: str, kind: type[TypeEngine[Any]]) -> ColumnElement[Any]:
    """`any` of a bound array, in a subquery that hides it from the planner.

    Otherwise arrays of one element get a custom plan each time, which takes longer than the look-up.
    """
    bound = select(bindparam(name, type_=ARRAY(kind))).scalar_subquery()
    return func.any(cast(bound, ARRAY(kind)))


_needs_documents = _U.c.production_status.in_([ProductionStatus.sandbox.value, ProductionStatus.rejected.value])
BY_KEYS = Statement(
    select(
        _K.c.key_hash,
        _K.c.id,
        _K.c.user_id,
        _K.c.name,
        _K.c.environment,
        _K.c.last_used_at,
        _K.c.expires_at,
        _K.c.scopes,
        *_approval_columns,
        *clock_columns(_K.c.environment),
        # A test key reveals nothing about production.
        _documents(and_(_K.c.environment == Environment.live.value, _needs_documents)),
    )
    .join_from(_K, _U, _U.c.id == _K.c.user_id)
    .where(_K.c.key_hash == _any_of("hashes", LargeBinary), _K.c.active)
)
_S = sessions
_confirmed = (
    select(two_factors.c.user_id)
    .where(two_factors.c.user_id == _U.c.id, two_factors.c.confirmed_at.is_not(None))
    .exists()
)
BY_SESSIONS = Statement(
    select(
        _U.c.id,
        _U.c.is_admin,
        _U.c.session_version,
        _S.c.id.label("session_id"),
        _S.c.last_used_at.label("session_used_at"),
        # Only for staff, who may be required to have it: `CASE` runs no other branch.
        case((_U.c.is_admin, _confirmed), else_=false()).label("has_second_factor"),
        *_approval_columns,
        # The token has the environment; `authentication` ignores the clock in live.
        _U.c.test_clock_offset.label("clock_offset"),
        _U.c.test_clock_frozen_time.label("clock_frozen_time"),
        _documents(_needs_documents),
    )
    .join_from(_S, _U, _U.c.id == _S.c.user_id)
    .where(_U.c.id == _any_of("user_ids", UUID), _S.c.id == _any_of("session_ids", UUID))
)
_M = members
_person = users.alias("person")  # The caller; the store's owner is another row.
_requested = unnest_rows("requested", dict.fromkeys(("user_id", "store_id", "session_id"), UUID(as_uuid=False)))
BY_MEMBERS = Statement(
    select(
        _requested.c.user_id,
        _requested.c.store_id,
        _person.c.name.label("member_name"),
        _person.c.session_version,
        _S.c.id.label("session_id"),
        _S.c.last_used_at.label("session_used_at"),
        _M.c.id.label("member_id"),
        _M.c.role,
        _M.c.last_access_at,
        *_approval_columns,
        _U.c.test_clock_offset.label("clock_offset"),
        _U.c.test_clock_frozen_time.label("clock_frozen_time"),
        _documents(_needs_documents),
    )
    .join_from(_requested, _person, _person.c.id == _requested.c.user_id)
    .join(_S, and_(_S.c.id == _requested.c.session_id, _S.c.user_id == _requested.c.user_id))
    .outerjoin(
        _M,
        and_(
            _M.c.user_id == _requested.c.user_id,
            _M.c.store_id == _requested.c.store_id,
            _M.c.status == MemberStatus.active.value,
        ),
    )
    .outerjoin(_U, _U.c.id == _M.c.store_id)
)


UserKey = tuple[str, str]
"""The ids of a user and of the session."""
MemberKey = tuple[str, str, str]
"""The ids of a user, of a store, and of the session."""


class Credentials:
    """Active API keys by hash, users by session, members by user and store; each with the store's production status."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys: BatchLoader[bytes, Row] = BatchLoader(self._find_keys)
        self._users: BatchLoader[UserKey, Row] = BatchLoader(self._find_users)
        self._members: BatchLoader[MemberKey, Row] = BatchLoader(self._find_members)

    async def key(self, key_hash: bytes) -> Row | None:
        """The active key with that hash, and its owner."""
        return await self._keys.load(key_hash)

    async def user(self, user_id: str, session_id: str) -> Row | None:
        """The user of a session, or None if it has ended."""
        return await self._users.load((user_id, session_id))

    async def member(self, user_id: str, store_id: str, session_id: str) -> Row | None:
        """The user of a session with their membership in a store, or None if the session has ended.

        `member_id` and the store are null without a membership.
        """
        return await self._members.load((user_id, store_id, session_id))

    async def _find_keys(self, hashes: list[bytes]) -> Mapping[bytes, Row]:
        return {row["key_hash"]: row for row in await self._database.all(BY_KEYS, hashes=hashes)}

    async def _find_users(self, requested: list[UserKey]) -> Mapping[UserKey, Row]:
        user_ids, session_ids = (list(column) for column in zip(*requested, strict=True))
        rows = await self._database.all(BY_SESSIONS, user_ids=user_ids, session_ids=session_ids)
        return {(row["id"], row["session_id"]): row for row in rows}

    async def _find_members(self, requested: list[MemberKey]) -> Mapping[MemberKey, Row]:
        user_ids, store_ids, session_ids = (list(column) for column in zip(*requested, strict=True))
        rows = await self._database.all(
            BY_MEMBERS, requested_user_id=user_ids, requested_store_id=store_ids, requested_session_id=session_ids
        )
        return {(row["user_id"], row["store_id"], row["session_id"]): row for row in rows}
