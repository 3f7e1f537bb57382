"""Session tokens: issue and renew them, choose their environment, and revoke them. A revoked token fails at the next
request, on every process.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field
from sqlalchemy import Select, bindparam, literal_column, select, update

from gateway.errors import InvalidSession, LiveNotApproved, NotFound
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.members import MemberStatus, members
from gateway.resolvers.accounts.queries import read_own_account
from gateway.resolvers.accounts.types import USER_COLUMNS, ChooseEnvironment, SessionView, user_view
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.inputs import Empty, IdText, Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.store import DELETE, delete_sessions, replace_cookie
from gateway.security import SessionClaims

MISSING = "Sessão não encontrada."
ONCE_APPROVED = frozenset({ProductionStatus.approved, ProductionStatus.suspended})
"""Live sessions of a suspended store still read (contract section 3)."""
_membership: Select[tuple[str]] = (
    select(literal_column("1"))
    .select_from(members.join(users, users.c.id == members.c.store_id))
    .where(members.c.user_id == bindparam("user_id"), members.c.status == MemberStatus.active.value)
    .limit(1)
)
IS_MEMBER_OF_APPROVED = Statement(_membership.where(users.c.production_status == ProductionStatus.approved.value))
IS_MEMBER_OF_ONCE_APPROVED = Statement(
    _membership.where(users.c.production_status.in_(sorted(status.value for status in ONCE_APPROVED)))
)
NEXT_VERSION = Statement(
    update(users)
    .where(users.c.id == bindparam("user_id"), users.c.session_version == bindparam("version"))
    .values(session_version=users.c.session_version + 1)
    .returning(*USER_COLUMNS, users.c.session_version)
)


class WhichSession(Input):
    """One session."""

    unknown: ClassVar[Mapping[str, str]] = {"id": MISSING}

    id: IdText = Field(description="Identificador da sessão.")


@operation("accounts.refresh", Permission.session)
async def refresh_session(ctx: Context, _: Empty) -> SessionView:
    """Renew a session that is still valid, in the same environment as long as it may be in that one."""
    environment = await next_environment(ctx, ctx.database)
    changes = differences({"environment": ctx.environment}, {"environment": environment})
    await record(ctx, ctx.database, "account.session_renewed", ctx.actor.user_id, changes=changes)
    return await _renewed(ctx, environment)


@operation("accounts.choose_environment", Permission.session)
async def choose_environment(ctx: Context, choice: ChooseEnvironment) -> SessionView:
    """Get a session for the other environment; nothing changes in storage.

    Live needs an approved store: the caller's own, or one that the caller is a member of. Each operation then checks
    the store that it is about.
    """
    if choice.environment is Environment.live and not await _may_be_live(ctx):
        raise LiveNotApproved(producao=ctx.actor.production.block())
    changes = {"environment": {"from": ctx.environment, "to": choice.environment}}
    await record(ctx, ctx.database, "account.environment_chosen", ctx.actor.user_id, changes=changes)
    return await _renewed(ctx, choice.environment)


@operation("sessions.end", Permission.session)
async def end_session(ctx: Context, which: WhichSession) -> Deleted:
    """Sign out of one session, which may be the caller's own."""
    async with ctx.database.transaction() as transaction:
        ended = await transaction.one(DELETE, user_id=ctx.actor.user_id, session_id=which.id)
        if ended is None:
            raise NotFound(MISSING)
        changes = {"session_id": {"from": which.id}, "user_agent": {"from": ended["user_agent"]}}
        await record(ctx, transaction, "account.session_ended", ctx.actor.user_id, changes=changes)
    if ctx.panel is not None and which.id == ctx.actor.session_id:
        ctx.panel.value = ""
    return Deleted.of_id(which.id)


@operation("sessions.end_others", Permission.session)
async def end_other_sessions(ctx: Context, _: Empty) -> SessionView:
    """Sign out everywhere else: only the token of the answer works from now on."""
    async with ctx.database.transaction() as transaction:
        session, ended = await replace_sessions(ctx, transaction)
        changes = {"sessions": {"from": ended}}
        await record(ctx, transaction, "account.sessions_ended", ctx.actor.user_id, changes=changes)
    return session


async def replace_sessions(ctx: Context, transaction: Executor) -> tuple[SessionView, int]:
    """Revoke all sessions and tokens of the caller, and issue one new token; the number of sessions that ended.

    The older tokens of the caller's own session are revoked too: one of them may have been stolen. Of two concurrent
    calls, the second raises `InvalidSession`.
    """
    row = await transaction.one(NEXT_VERSION, user_id=ctx.actor.user_id, version=ctx.actor.session_version)
    if row is None:
        raise InvalidSession
    return await replace_other_sessions(ctx, transaction, row)


async def replace_other_sessions(ctx: Context, transaction: Executor, row: Row) -> tuple[SessionView, int]:
    """As `replace_sessions`, where `row` is the account with its new session version."""
    user_id, session_id = ctx.actor.user_id, ctx.actor.session_id
    ended = await delete_sessions(transaction, user_id, except_id=session_id)
    await replace_cookie(ctx, transaction, session_id)
    return open_session(ctx, row, await next_environment(ctx, transaction), session_id), ended


def open_session(ctx: Context, row: Row, environment: Environment, session_id: str) -> SessionView:
    """Issue a token for a session of the account in `row`."""
    return _session_view(ctx, row, SessionClaims(row["id"], environment, row["session_version"], session_id))


def first_environment(row: Row) -> Environment:
    """Where a new session starts: live, unless the account isn't approved (specification section 5, rule 5)."""
    return Environment.live if row["production_status"] == ProductionStatus.approved else Environment.test


async def next_environment(ctx: Context, executor: Executor) -> Environment:
    """The environment of the session's next token.

    A live session stays live while its own store, or one that the caller is a member of, was ever approved. Otherwise
    it becomes a test session (specification section 5, rule 6).
    """
    if ctx.environment is Environment.test or ctx.actor.production.status in ONCE_APPROVED:
        return ctx.environment
    found = await executor.value(IS_MEMBER_OF_ONCE_APPROVED, user_id=ctx.actor.user_id)
    return Environment.test if found is None else Environment.live


async def _may_be_live(ctx: Context) -> bool:
    if ctx.actor.production.approved:
        return True
    return await ctx.database.value(IS_MEMBER_OF_APPROVED, user_id=ctx.actor.user_id) is not None


async def _renewed(ctx: Context, environment: Environment) -> SessionView:
    """A new token with the session version of the caller's token, so that a later version has revoked it."""
    row, version = await read_own_account(ctx), ctx.actor.session_version
    return _session_view(ctx, row, SessionClaims(row["id"], environment, version, ctx.actor.session_id))


def _session_view(ctx: Context, row: Row, claims: SessionClaims) -> SessionView:
    if ctx.panel is not None and row["is_admin"]:
        ctx.panel.remember = False
    token = ctx.services.tokens.issue(claims)
    return SessionView.of(
        {"user": user_view(row), "environment": Environment(claims.environment), "accessToken": token}
    )
