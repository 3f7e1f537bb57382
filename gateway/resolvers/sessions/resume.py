"""Resume a session of the panel after a reload, with a HttpOnly cookie that opens nothing else (ADR 0035).

Each use replaces the cookie's value. The value before stays valid for a moment, because several tabs may be reloaded at
once. An older one means that two browsers have a copy of the cookie, and ends the session.
"""

from datetime import datetime, timedelta

from pydantic import Field
from sqlalchemy import bindparam, select, update

from gateway.errors import InvalidSession, PanelOnly
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.sessions import sessions
from gateway.resolvers.accounts.types import USER_COLUMNS, SessionView
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Actor, Credential, Production
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.store import DELETE, idle_limit
from gateway.resolvers.sessions.tokens import first_environment, next_environment, open_session

GRACE = timedelta(seconds=30)
"""How long the value before stays valid."""
FROM_THE_PANEL = "Só o painel retoma uma sessão, a partir do próprio endereço."
_S = sessions
_COLUMNS = ("last_used_at", "cookie_hash", "previous_cookie_hash", "cookie_rotated_at", "remembered")
LOCK = Statement(
    select(*USER_COLUMNS, users.c.session_version, _S.c.id.label("session_id"), *(_S.c[name] for name in _COLUMNS))
    .join_from(_S, users, users.c.id == _S.c.user_id)
    .where(_S.c.cookie_family == bindparam("family"))
    .with_for_update(of=_S)
)
ROTATE = Statement(
    update(_S)
    .where(_S.c.id == bindparam("session_id"))
    .values(
        cookie_hash=bindparam("new_hash"),
        previous_cookie_hash=_S.c.cookie_hash,
        cookie_rotated_at=bindparam("now"),
        last_used_at=bindparam("now"),
    )
)


class ResumeSession(Input):
    """O ambiente em que a sessão retomada opera."""

    environment: Environment | None = Field(None, description="`test` ou `live`; sem ele, o de um novo acesso.")


@operation("sessions.resume", Permission.public)
async def resume_session(ctx: Context, choice: ResumeSession) -> SessionView:
    """Get a new token for the session of the panel's cookie, in test if it may not be in live, and a new cookie.

    Raises `PanelOnly` for a request that isn't the panel's, and `InvalidSession` for an unknown cookie, or an unused
    session. A cookie that was replaced ends its session.
    """
    if ctx.panel is None:
        raise PanelOnly(FROM_THE_PANEL)
    if ctx.panel.received is None:
        raise InvalidSession
    cookies, value = ctx.services.tokens.cookies, ctx.panel.received
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(LOCK, family=cookies.family(value))
        if row is None or _is_idle(row, ctx.real_clock.now()):
            raise InvalidSession
        owner = ctx.with_actor(_owner(row, choice.environment or first_environment(row)))
        session = await _resume(owner, transaction, row, value)
    if session is None:
        raise InvalidSession
    return session


async def _resume(ctx: Context, transaction: Executor, row: Row, value: str) -> SessionView | None:
    """The session with its next cookie; None if the value was replaced before, and the session has ended."""
    cookies, now, user_id = ctx.services.tokens.cookies, ctx.real_clock.now(), ctx.actor.user_id
    received, following = cookies.hash(value), cookies.next(value)
    if received == row["cookie_hash"]:
        await transaction.run(ROTATE, session_id=row["session_id"], new_hash=cookies.hash(following), now=now)
    elif received != row["previous_cookie_hash"] or now - row["cookie_rotated_at"] > GRACE:
        ended = await transaction.single(DELETE, user_id=user_id, session_id=row["session_id"])
        changes = {"session_id": {"from": row["session_id"]}, "user_agent": {"from": ended["user_agent"]}}
        await record(ctx, transaction, "account.session_cookie_reused", user_id, changes=changes)
        return None
    environment = await next_environment(ctx, transaction)
    await record(ctx, transaction, "account.session_resumed", user_id, changes={"environment": environment})
    assert ctx.panel is not None, "the caller has it"
    ctx.panel.value, ctx.panel.remember = following, row["remembered"]
    return open_session(ctx, row, environment, row["session_id"])


def _is_idle(row: Row, now: datetime) -> bool:
    last_used_at: datetime = row["last_used_at"]
    return now - last_used_at > idle_limit(remembered=row["remembered"], staff=row["is_admin"])


def _owner(row: Row, environment: Environment) -> Actor:
    return Actor(
        Credential.session,
        environment,
        user_id=row["id"],
        store_id=row["id"],
        name=row["name"],
        session_id=row["session_id"],
        session_version=row["session_version"],
        production=Production(ProductionStatus(row["production_status"])),
    )
