"""Rows of open sessions: insert, list, delete and purge."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, Select, bindparam, case, delete, insert, select, update

from gateway.errors import InvalidSession
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Statement
from gateway.models.sessions import sessions
from gateway.resolvers.audit.audit_log import record_of, with_record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.authentication import TOUCH_INTERVAL
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page, View
from gateway.values.ids import Id, new_id

MAX_LISTED_SESSIONS = 100
MAX_IDLE = timedelta(hours=12)
MAX_IDLE_REMEMBERED = timedelta(days=30)
MAX_IDLE_STAFF = timedelta(hours=1)
TOKEN_TIME_PRECISION = timedelta(seconds=1)

_S = sessions
_now = bindparam("session_now", type_=_S.c.begun_at.type)
_COOKIE = ("cookie_family", "cookie_hash", "cookie_rotated_at")
_values = {
    name: bindparam(f"session_{name}", type_=_S.c[name].type)
    for name in ("id", "user_id", "ip", "user_agent", "remembered", *_COOKIE)
}
_columns = _values | {"begun_at": _now, "last_used_at": _now}


def _unrevoked(*columns: ColumnElement[Any]) -> Select[Any]:
    """Select from the account. Waits for a transaction that revokes its sessions; a later one waits for the caller."""
    return (
        select(*columns)
        .where(users.c.id == _values["user_id"], users.c.session_version == bindparam("session_version"))
        .with_for_update(read=True)
    )


LOCK_ACCOUNT = Statement(_unrevoked(users.c.id))
_insert = insert(_S).from_select(list(_columns), _unrevoked(*_columns.values()))
INSERT = Statement(_insert)
INSERT_WITH_RECORD = with_record(_insert.returning(_S.c.id).cte("begun"))
DELETE = Statement(
    delete(_S)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.id == bindparam("session_id"))
    .returning(_S.c.ip, _S.c.user_agent)
)
DELETE_OTHERS = Statement(
    delete(_S).where(_S.c.user_id == bindparam("user_id"), _S.c.id.is_distinct_from(bindparam("except_id")))
)
REPLACE_COOKIE = Statement(
    update(_S)
    .where(_S.c.id == bindparam("id"))
    .values({name: bindparam(f"session_{name}") for name in _COOKIE})
    .values(previous_cookie_hash=None)
    .returning(_S.c.remembered)
)
_used_since = case(
    (_S.c.cookie_family.is_(None), bindparam("unresumable", type_=_S.c.last_used_at.type)),
    (_S.c.remembered, bindparam("remembered", type_=_S.c.last_used_at.type)),
    else_=bindparam("resumable", type_=_S.c.last_used_at.type),
)
PURGE = Statement(delete(_S).where(_S.c.last_used_at < _used_since))
LIST = Statement(
    select(_S.c.id, _S.c.ip, _S.c.user_agent, _S.c.begun_at, _S.c.last_used_at)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.last_used_at >= _used_since)
    .order_by(_S.c.last_used_at.desc(), _S.c.id.desc())
    .limit(MAX_LISTED_SESSIONS)
)


class OpenSessionView(View):
    """Uma sessão aberta no painel.

    An open session. Its token is not stored.
    """

    id: Id = Field(description="Identificador da sessão (UUID).")
    current: bool = Field(description="Se é a sessão que pergunta.")
    ip: str | None = Field(description="Endereço de onde foi aberta.")
    user_agent: str | None = Field(description="Navegador ou programa que a abriu.")
    begun_at: datetime = Field(description="Quando foi aberta.")
    last_used_at: datetime = Field(description="Último uso, com precisão de um minuto.")


@operation("sessions.list", Permission.session)
async def list_sessions(ctx: Context, _: Empty) -> Page[OpenSessionView]:
    """List the caller's open sessions, the last used first; of more than a hundred, those."""
    staff = ctx.actor.is_staff or ctx.actor.lacks_second_factor
    rows = await ctx.database.all(LIST, user_id=ctx.actor.user_id, **_expired_before(ctx, staff=staff))
    views = [OpenSessionView.adopt(dict(row) | {"current": row["id"] == ctx.actor.session_id}) for row in rows]
    return Page(views, limit=MAX_LISTED_SESSIONS)


async def insert_session(ctx: Context, executor: Executor, user_id: str, version: int) -> str:
    """Insert a session, and return its id. Raises `InvalidSession` if the account has another session version now."""
    session_id, values = _new(ctx, user_id, version)
    if not await executor.run(INSERT, **values):
        raise InvalidSession
    return session_id


async def insert_session_with_record(
    ctx: Context, executor: Executor, action: str, account: Row, *, changes: dict[str, Any] | None = None
) -> str:
    """As `insert_session`, with an audit record in the same statement."""
    session_id, values = _new(ctx, account["id"], account["session_version"])
    audit = record_of(ctx, action, account["id"], changes=changes)
    if await executor.value(INSERT_WITH_RECORD, **values, **audit) is None:
        raise InvalidSession
    return session_id


async def lock_account(ctx: Context, executor: Executor) -> None:
    """Let no transaction revoke the caller's session before this one ends. Raises `InvalidSession` if one has. Take
    this lock before those of the store's rows, as a password reset does.
    """
    caller = {"session_user_id": ctx.actor.user_id, "session_version": ctx.actor.session_version}
    if await executor.value(LOCK_ACCOUNT, **caller) is None:
        raise InvalidSession


async def delete_sessions(executor: Executor, user_id: str, *, except_id: str | None = None) -> int:
    """Delete an account's sessions, all or all but one; the number of deleted sessions."""
    return await executor.run(DELETE_OTHERS, user_id=user_id, except_id=except_id)


async def purge_sessions(ctx: Context) -> None:
    """Delete sessions whose last token has expired and that no cookie resumes."""
    await ctx.database.run(PURGE, **_expired_before(ctx, staff=False))


async def replace_cookie(ctx: Context, transaction: Executor, session_id: str) -> None:
    """Give a session a new cookie if the panel calls, else none: earlier values stop working."""
    remembered = await transaction.value(REPLACE_COOKIE, id=session_id, **_new_cookie(ctx))
    if ctx.panel is not None:
        ctx.panel.remember = bool(remembered)


def idle_limit(*, remembered: bool, staff: bool) -> timedelta:
    """How long an unused session can be resumed."""
    if staff:
        return MAX_IDLE_STAFF
    return MAX_IDLE_REMEMBERED if remembered else MAX_IDLE


def _expired_before(ctx: Context, *, staff: bool) -> dict[str, datetime]:
    """Sessions last used before this have no valid token, and can't be resumed. A token is issued in a request, which
    updates `last_used_at` within a minute.
    """
    now = ctx.real_clock.now()
    without_token = now - ctx.services.tokens.lifetime - TOUCH_INTERVAL - TOKEN_TIME_PRECISION
    return {
        "unresumable": without_token,
        "resumable": min(without_token, now - idle_limit(remembered=False, staff=staff)),
        "remembered": min(without_token, now - idle_limit(remembered=True, staff=staff)),
    }


def _new(ctx: Context, user_id: str, version: int) -> tuple[str, dict[str, Any]]:
    session_id, origin = new_id(), ctx.origin
    return session_id, {
        "session_id": session_id,
        "session_user_id": user_id,
        "session_version": version,
        "session_ip": origin.ip,
        "session_user_agent": origin.user_agent,
        "session_now": ctx.real_clock.now(),
        "session_remembered": ctx.panel is not None and ctx.panel.remember,
        **_new_cookie(ctx),
    }


def _new_cookie(ctx: Context) -> dict[str, Any]:
    """The values of a new cookie, which the response sets; without the panel, of none."""
    if ctx.panel is None:
        return dict.fromkeys((f"session_{name}" for name in _COOKIE), None)
    cookies = ctx.services.tokens.cookies
    ctx.panel.value = value = cookies.new()
    return {
        "session_cookie_family": cookies.family(value),
        "session_cookie_hash": cookies.hash(value),
        "session_cookie_rotated_at": ctx.real_clock.now(),
    }
