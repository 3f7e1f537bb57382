"""Rows of open sessions: insert, list, delete and purge."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import Field
from sqlalchemy import bindparam, delete, insert, select

from gateway.models.database import Executor, Statement
from gateway.models.sessions import sessions
from gateway.resolvers.audit.audit_log import insert_record_cte, record_of
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.authentication import TOUCH_INTERVAL
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page, View
from gateway.values.ids import Id, new_id

MAX_LISTED_SESSIONS = 100
TOKEN_TIME_PRECISION = timedelta(seconds=1)

_S = sessions
_now = bindparam("session_now", type_=_S.c.begun_at.type)
_values = {name: bindparam(f"session_{name}", type_=_S.c[name].type) for name in ("id", "user_id", "ip", "user_agent")}
_insert = insert(_S).values(_values | {"begun_at": _now, "last_used_at": _now})
INSERT = Statement(_insert)
INSERT_WITH_RECORD = Statement(insert_record_cte(_insert.returning(_S.c.id).cte("begun")))
DELETE = Statement(
    delete(_S)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.id == bindparam("session_id"))
    .returning(_S.c.ip, _S.c.user_agent)
)
DELETE_OTHERS = Statement(
    delete(_S).where(
        _S.c.user_id == bindparam("user_id"), _S.c.id.is_distinct_from(bindparam("except_id", type_=_S.c.id.type))
    )
)
PURGE = Statement(delete(_S).where(_S.c.last_used_at < bindparam("oldest", type_=_S.c.last_used_at.type)))
LIST = Statement(
    select(_S.c.id, _S.c.ip, _S.c.user_agent, _S.c.begun_at, _S.c.last_used_at)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.last_used_at >= bindparam("since", type_=_S.c.last_used_at.type))
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
async def list_sessions(ctx: Context, _: Nothing) -> Page[OpenSessionView]:
    """List the caller's open sessions, the last used first; of more than a hundred, those."""
    rows = await ctx.database.all(LIST, user_id=ctx.actor.user_id, since=_expired_before(ctx))
    views = [OpenSessionView.adopt(dict(row) | {"current": row["id"] == ctx.actor.session_id}) for row in rows]
    return Page(views, limit=MAX_LISTED_SESSIONS)


async def insert_session(ctx: Context, executor: Executor, user_id: str) -> str:
    """Insert a session, and return its id."""
    session_id, values = _new(ctx, user_id)
    await executor.run(INSERT, **values)
    return session_id


async def insert_session_with_record(
    ctx: Context, executor: Executor, action: str, user_id: str, *, changes: dict[str, Any] | None = None
) -> str:
    """As `insert_session`, with an audit record in the same statement."""
    session_id, values = _new(ctx, user_id)
    await executor.run(INSERT_WITH_RECORD, **values, **record_of(ctx, action, user_id, changes=changes))
    return session_id


async def delete_sessions(executor: Executor, user_id: str, *, except_id: str | None = None) -> int:
    """Delete an account's sessions, all or all but one; the number of deleted sessions."""
    return await executor.run(DELETE_OTHERS, user_id=user_id, except_id=except_id)


async def purge_sessions(ctx: Context) -> None:
    """Delete sessions whose last token has expired."""
    await ctx.database.run(PURGE, oldest=_expired_before(ctx))


def _expired_before(ctx: Context) -> datetime:
    """Sessions last used before this have no valid token. A token is issued in a request, which updates `last_used_at`
    within a minute.
    """
    return ctx.real_clock.now() - ctx.services.tokens.lifetime - TOUCH_INTERVAL - TOKEN_TIME_PRECISION


def _new(ctx: Context, user_id: str) -> tuple[str, dict[str, Any]]:
    session_id, origin = new_id(), ctx.origin
    return session_id, {
        "session_id": session_id,
        "session_user_id": user_id,
        "session_ip": origin.ip,
        "session_user_agent": origin.user_agent,
        "session_now": ctx.real_clock.now(),
    }
