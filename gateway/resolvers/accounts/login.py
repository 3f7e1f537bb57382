"""`POST /auth/login`: open a session with email and password, and record failed logins.

Failed logins are recorded in the audit trail of the account with that email, or of no store if there is none. The
response doesn't reveal which, neither by its text nor by its time: both cases do the same work.
"""

import hashlib
from typing import Any

from gateway.errors import InvalidSession, RateLimited, SecondFactorNeeded, WrongCredentials
from gateway.models.database import Executor, Row
from gateway.rate_limits import caller_of
from gateway.resolvers.accounts.passwords import login_limits, rate_limited_attempt, verify_password
from gateway.resolvers.accounts.queries import BY_EMAIL
from gateway.resolvers.accounts.types import Login, SessionView
from gateway.resolvers.audit.access_denied import count_refusal, insert_sampled_record, should_record
from gateway.resolvers.audit.audit_log import RECORD, record_of
from gateway.resolvers.audit.changes import mask_email
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.store import insert_session_with_record
from gateway.resolvers.sessions.tokens import first_environment, open_session
from gateway.security import CHALLENGE_LIFETIME, ChallengeClaims

LOGINS_PER_ADDRESS = (60, 600)
"""Calls, and seconds (contract section 3)."""


@operation("accounts.login", Permission.public)
async def log_in(ctx: Context, login: Login) -> SessionView:
    """Open a session with email and password."""
    email = login.email.lower()
    try:
        row = await _verify_credentials(ctx, email, login.password)
    except (WrongCredentials, RateLimited) as error:
        await record_failed_login(ctx, email, error)
        raise
    return await begin_session(ctx, row)


async def begin_session(ctx: Context, row: Row, identity: tuple[str, str] | None = None) -> SessionView:
    """Open a session of the account in `row`, whose first factor was verified.

    Raises `SecondFactorNeeded` if the account has a second factor; its challenge carries the external `identity` that
    is linked after that.
    """
    if row["codes_used"] is None:
        return await open_recorded_session(ctx, ctx.database, row)
    # The record names no actor: others may know the first factor too.
    await ctx.database.run(RECORD, **record_of_account(ctx, "account.second_factor_asked", row))
    claims = ChallengeClaims(row["id"], row["session_version"], row["codes_used"], identity)
    expires_at = ctx.real_clock.now() + CHALLENGE_LIFETIME
    raise SecondFactorNeeded(desafio=ctx.services.tokens.challenge(claims), expira_em=expires_at.isoformat())


async def open_recorded_session(
    ctx: Context, executor: Executor, row: Row, *, changes: dict[str, Any] | None = None
) -> SessionView:
    """Open and record a session of the account in `row`, after all its factors were verified. Raises
    `WrongCredentials` if the account's sessions were revoked since it was read.
    """
    owner = as_owner(ctx, row)
    try:
        session_id = await insert_session_with_record(owner, executor, "account.logged_in", row, changes=changes)
    except InvalidSession:
        raise WrongCredentials from None
    return open_session(ctx, row, owner.environment, session_id)


def as_owner(ctx: Context, row: Row) -> Context:
    """The call with the account in `row` as its actor, before a session exists."""
    actor = Actor(Credential.session, first_environment(row), user_id=row["id"], store_id=row["id"], name=row["name"])
    return ctx.with_actor(actor)


async def record_failed_login(ctx: Context, email: str, error: WrongCredentials | RateLimited) -> None:
    """Record a failed login with this email."""
    action = "account.login_limited" if isinstance(error, RateLimited) else "account.login_failed"
    count = await count_refusal(ctx, action, hashlib.sha256(email.encode()).hexdigest()[:32])
    if not should_record(count):
        return
    row = await ctx.database.one(BY_EMAIL, email=email)
    changes = {"email": mask_email(email), "attempts": count}
    await insert_sampled_record(ctx, count, record_of_account(ctx, action, row, changes))


def record_of_account(
    ctx: Context, action: str, row: Row | None, changes: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The bound values of a record about the account in `row`, of whose owner there is no session. With None, of no
    store and no environment.
    """
    if row is None:
        return record_of(ctx, action, None, changes=changes) | {"audit_environment": None}
    about = {"store_id": row["id"], "environment": first_environment(row)}
    return record_of(ctx, action, row["id"], changes=changes, **about)


async def _verify_credentials(ctx: Context, email: str, password: str) -> Row:
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    async with rate_limited_attempt(ctx, login_limits(ctx, email)):
        row = await ctx.database.one(BY_EMAIL, email=email)
        correct = await verify_password(ctx, password, row["password_hash"] if row else None)
        if not correct or row is None:
            raise WrongCredentials
    return row
