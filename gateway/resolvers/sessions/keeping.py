"""Sessions at rest: begun, ended, forgotten."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, insert

from gateway.models.database import Executor, Statement
from gateway.models.sessions import sessions
from gateway.resolvers.audit.trail import record_of, recording
from gateway.resolvers.core.authentication import USED_AT_MOST_EVERY
from gateway.resolvers.core.context import Context
from gateway.values.ids import new_id

_S = sessions
_now = bindparam("session_now", type_=_S.c.begun_at.type)
_given = {name: bindparam(f"session_{name}", type_=_S.c[name].type) for name in ("id", "user_id", "ip", "user_agent")}
_begin = insert(_S).values(_given | {"begun_at": _now, "last_used_at": _now})
BEGIN = Statement(_begin)
BEGIN_ON_RECORD = Statement(recording(_begin.returning(_S.c.id).cte("begun")))
END = Statement(
    delete(_S)
    .where(_S.c.user_id == bindparam("user_id"), _S.c.id == bindparam("session_id"))
    .returning(_S.c.ip, _S.c.user_agent)
)
END_OTHERS = Statement(
    delete(_S).where(
        _S.c.user_id == bindparam("user_id"),
        _S.c.id.is_distinct_from(bindparam("kept", type_=_S.c.id.type)),
    )
)
FORGET = Statement(delete(_S).where(_S.c.last_used_at < bindparam("oldest", type_=_S.c.last_used_at.type)))


async def begin(ctx: Context, executor: Executor, user_id: str) -> str:
    """The id of a new session."""
    session_id, values = _new(ctx, user_id)
    await executor.run(BEGIN, **values)
    return session_id


async def begin_on_record(
    ctx: Context, executor: Executor, action: str, user_id: str, *, changes: dict[str, Any] | None = None
) -> str:
    """The id of a new session, which a record of this action tells of in the same statement."""
    session_id, values = _new(ctx, user_id)
    await executor.run(BEGIN_ON_RECORD, **values, **record_of(ctx, action, user_id, changes=changes))
    return session_id


async def end_others(executor: Executor, user_id: str, kept: str | None) -> int:
    """End all sessions of an account but one, or all; how many those were."""
    return await executor.run(END_OTHERS, user_id=user_id, kept=kept)


async def forget_sessions(ctx: Context) -> None:
    """Delete what no token can name any more."""
    await ctx.database.run(FORGET, oldest=over_since(ctx))


def over_since(ctx: Context) -> datetime:
    """The moment before which a session must have been used to be over: its last token was made by a request, and that
    was noted within the minute.
    """
    return ctx.real_clock.now() - ctx.services.tokens.lifetime - USED_AT_MOST_EVERY - _ROUNDED


_ROUNDED = timedelta(seconds=1)
"""A token's times are whole seconds."""


def _new(ctx: Context, user_id: str) -> tuple[str, dict[str, Any]]:
    session_id, origin = new_id(), ctx.origin
    values = {"id": session_id, "user_id": user_id, "ip": origin.ip, "user_agent": origin.user_agent}
    return session_id, {f"session_{name}": value for name, value in values.items()} | {
        "session_now": ctx.real_clock.now()
    }
