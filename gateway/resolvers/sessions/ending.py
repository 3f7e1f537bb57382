"""Signing out: of one session, or of all but the caller's. Every process refuses its tokens at the next request."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field
from sqlalchemy import bindparam, update

from gateway.errors import InvalidSession, NotFound
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Statement
from gateway.resolvers.accounts.sessions import environment_from_now_on, open_session
from gateway.resolvers.accounts.views import USER_COLUMNS, SessionView
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import IdText, Input, Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.keeping import END, begin, end_others

MISSING = "Sessão não encontrada."
NEXT_VERSION = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("shown"))
    .values(session_version=users.c.session_version + 1)
    .returning(*USER_COLUMNS, users.c.session_version)
)


class WhichSession(Input):
    """One session."""

    unknown: ClassVar[Mapping[str, str]] = {"id": MISSING}

    id: IdText = Field(description="Identificador da sessão.")


@operation("sessions.end", Permission.session)
async def end_session(ctx: Context, which: WhichSession) -> Deleted:
    """Sign out of one session, which may be the caller's own."""
    async with ctx.database.transaction() as transaction:
        ended = await transaction.one(END, user_id=ctx.actor.user_id, session_id=which.id)
        if ended is None:
            raise NotFound(MISSING)
        told = {"session_id": {"from": which.id}, "user_agent": {"from": ended["user_agent"]}}
        await record(ctx, transaction, "account.session_ended", ctx.actor.user_id, changes=told)
    return Deleted.of({"id": which.id, "deleted": True, "desvinculados": {}})


@operation("sessions.end_others", Permission.session)
async def end_other_sessions(ctx: Context, _: Nothing) -> SessionView:
    """Sign out everywhere else: only the token of the answer works from now on."""
    async with ctx.database.transaction() as transaction:
        session, ended = await replace_sessions(ctx, transaction)
        await record(
            ctx, transaction, "account.sessions_ended", ctx.actor.user_id, changes={"sessions": {"from": ended}}
        )
    return session


async def replace_sessions(ctx: Context, transaction: Executor) -> tuple[SessionView, int]:
    """End all sessions and tokens of the caller but one new token of the session they are in; how many sessions ended.

    The caller's own older tokens end, too: whoever has got hold of one shares their session.
    """
    row = await _next_version(ctx, transaction)
    user_id, kept = ctx.actor.user_id, ctx.actor.session_id
    ended = await end_others(transaction, user_id, kept)
    kept = kept or await begin(ctx, transaction, user_id)
    return open_session(ctx, row, await environment_from_now_on(ctx, transaction), kept), ended


async def _next_version(ctx: Context, transaction: Executor) -> Row:
    """The account's row with its new version. Of two who ask at a time the second isn't logged in any more."""
    row = await transaction.one(NEXT_VERSION, user_id=ctx.actor.user_id, shown=ctx.actor.session_version)
    if row is None:
        raise InvalidSession
    return row
