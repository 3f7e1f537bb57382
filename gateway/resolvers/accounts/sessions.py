"""Making sessions, and changing them: log in, renew, choose an environment."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Select, bindparam, literal_column, select

from gateway.errors import LiveNotApproved, RateLimited, SecondFactorNeeded, WrongCredentials
from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.database import Executor, Row, Statement
from gateway.models.members import MemberStatus, members
from gateway.rate_limits import Limit, caller_of, network_of
from gateway.resolvers.accounts.hashing import verify_password
from gateway.resolvers.accounts.inputs import ChooseEnvironment, Login
from gateway.resolvers.accounts.records import BY_EMAIL, BY_ID
from gateway.resolvers.accounts.refused_logins import first_environment, note_refused_login
from gateway.resolvers.accounts.views import IdentityView, SessionView, user_view
from gateway.resolvers.audit.changes import differences
from gateway.resolvers.audit.trail import RECORD, record, record_of
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.actor import Actor, Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.sessions.keeping import begin, begin_on_record
from gateway.security import CHALLENGE_LIFETIME, ChallengeClaims, SessionClaims

LOGINS_PER_ADDRESS = (60, 600)
"""How many, in how many seconds (contract section 3)."""
FAILURES_PER_EMAIL = (10, 900)
"""Wrong passwords of an e-mail from one network, or of an account that is logged in."""
FAILURES_PER_EMAIL_IN_ALL = (100, 900)
"""Wrong passwords of an e-mail from all networks. Strangers in one network can't lock the owner out of another."""
GOES_ON_LIVE = frozenset({ProductionStatus.approved, ProductionStatus.suspended})
"""A store that has been approved: where it is suspended, live sessions still read (contract section 3)."""
_works_for: Select[tuple[str]] = (
    select(literal_column("1"))
    .select_from(members.join(users, users.c.id == members.c.store_id))
    .where(members.c.user_id == bindparam("user_id"), members.c.status == MemberStatus.active.value)
    .limit(1)
)
WORKS_FOR_APPROVED = Statement(_works_for.where(users.c.production_status == ProductionStatus.approved.value))
WORKS_FOR_ONCE_APPROVED = Statement(
    _works_for.where(users.c.production_status.in_(sorted(status.value for status in GOES_ON_LIVE)))
)


@operation("accounts.login", Permission.public)
async def log_in(ctx: Context, login: Login) -> SessionView:
    """Open a session with e-mail and password."""
    email = login.email.lower()
    try:
        row = await _let_in(ctx, email, login.password)
    except (WrongCredentials, RateLimited) as refusal:
        await note_refused_login(ctx, email, refusal)
        raise
    return await begin_session(ctx, row)


async def begin_session(ctx: Context, row: Row, identity: tuple[str, str] | None = None) -> SessionView:
    """A session of whoever has just shown that the account in `row` is theirs, on record. Raises
    `SecondFactorNeeded` where that isn't all that the account asks for; what the factor is to open, too, is an
    external identity to be linked.
    """
    if row["codes_used"] is None:
        return await enter(ctx, ctx.database, row)
    # Nobody in particular yet: all that was shown is what others may know.
    told = record_of(ctx, "account.second_factor_asked", row["id"], store_id=row["id"])
    await ctx.database.run(RECORD, **told | {"audit_environment": first_environment(row)})
    claims = ChallengeClaims(row["id"], row["session_version"], row["codes_used"], identity)
    expires_at = ctx.real_clock.now() + CHALLENGE_LIFETIME
    raise SecondFactorNeeded(desafio=ctx.services.tokens.challenge(claims), expira_em=expires_at.isoformat())


async def enter(ctx: Context, executor: Executor, row: Row, *, changes: dict[str, Any] | None = None) -> SessionView:
    """A new session, on record, of whoever has shown all that the account asks for."""
    holder = as_holder(ctx, row)
    session_id = await begin_on_record(holder, executor, "account.logged_in", row["id"], changes=changes)
    return open_session(ctx, row, holder.environment, session_id)


def as_holder(ctx: Context, row: Row) -> Context:
    """The call in the name of whose account the row is, before there is a session."""
    environment = first_environment(row)
    return ctx.acting_as(
        Actor(Credential.session, environment, user_id=row["id"], store_id=row["id"], name=row["name"])
    )


async def _let_in(ctx: Context, email: str, password: str) -> Row:
    await ctx.services.limiter.hit(f"login:ip:{caller_of(ctx.origin.ip)}", *LOGINS_PER_ADDRESS)
    async with guarded_guess(ctx, login_limits(ctx, email)):
        row = await ctx.database.one(BY_EMAIL, email=email)
        right = await verify_password(ctx, password, row["password_hash"] if row else None)
        if not right or row is None:
            raise WrongCredentials
    return row


@asynccontextmanager
async def guarded_guess(ctx: Context, limits: Sequence[Limit]) -> AsyncIterator[None]:
    """Around looking at a password: a wrong one, and one that this request may not try any more, counts against each
    limit, and a right password clears the first count. Beyond a limit, `RateLimited` hides whether it was right.
    """
    limiter = ctx.services.limiter
    for limit in limits:
        await limiter.check(*limit)
    try:
        yield
    except (WrongCredentials, RateLimited):
        for limit in limits:
            await limiter.hit(*limit)
        raise
    # Guesses of the same moment passed the first check together: this one may come after ten that failed.
    for limit in limits:
        await limiter.check(*limit)
    await limiter.forget(limits[0].name)


async def forget_failures(ctx: Context, email: str) -> None:
    """Let who has shown otherwise that the account is theirs log in at once."""
    for limit in login_limits(ctx, email):
        await ctx.services.limiter.forget(limit.name)


def login_limits(ctx: Context, email: str) -> tuple[Limit, ...]:
    """Limits of failed logins with an e-mail, or with any text in its place: from the caller's network, then in all."""
    name = f"login:email:{email}"
    return (
        Limit(f"{name}:{network_of(ctx.origin.ip)}", *FAILURES_PER_EMAIL),
        Limit(name, *FAILURES_PER_EMAIL_IN_ALL),
    )


def password_limits(user_id: str) -> tuple[Limit, ...]:
    """The limit of wrong passwords of somebody who is logged in: strangers have no part in this count."""
    return (Limit(f"password:account:{user_id}", *FAILURES_PER_EMAIL),)


@operation("accounts.refresh", Permission.session)
async def refresh_session(ctx: Context, _: Nothing) -> SessionView:
    """Renew a session that is still valid, in the same environment as long as it may be in that one."""
    environment = await environment_from_now_on(ctx, ctx.database)
    changes = differences({"environment": ctx.environment}, {"environment": environment})
    await record(ctx, ctx.database, "account.session_renewed", ctx.actor.user_id, changes=changes)
    return await _renewed(ctx, environment)


@operation("accounts.choose_environment", Permission.session)
async def choose_environment(ctx: Context, choice: ChooseEnvironment) -> SessionView:
    """Get a session for the other environment; nothing changes in storage.

    Live is for whose own store is approved, and for the members of one that is: who operates an approved store need not
    have a business of their own. Each operation then judges the store that it is about.
    """
    if choice.environment is Environment.live and not await _may_be_live(ctx):
        raise LiveNotApproved(producao=ctx.actor.production.block())
    changes = {"environment": {"from": ctx.environment, "to": choice.environment}}
    await record(ctx, ctx.database, "account.environment_chosen", ctx.actor.user_id, changes=changes)
    return await _renewed(ctx, choice.environment)


async def _renewed(ctx: Context, environment: Environment) -> SessionView:
    """A new token of the caller's session, of the version they have shown: one that has come since has ended it."""
    row = await _own_row(ctx)
    session_id = ctx.actor.session_id or await begin(ctx, ctx.database, row["id"])
    claims = SessionClaims(row["id"], environment, ctx.actor.session_version, session_id)
    return _session_view(ctx, row, claims)


async def environment_from_now_on(ctx: Context, executor: Executor) -> Environment:
    """Where the caller's session goes on with a new token. A live one is judged anew: who has neither a store that was
    ever approved nor works in one any more is before approval, where a session is always test (specification section
    5, rule 6).
    """
    if ctx.environment is Environment.test or ctx.actor.production.status in GOES_ON_LIVE:
        return ctx.environment
    works = await executor.value(WORKS_FOR_ONCE_APPROVED, user_id=ctx.actor.user_id)
    return Environment.test if works is None else Environment.live


async def _may_be_live(ctx: Context) -> bool:
    if ctx.actor.production.approved:
        return True
    return await ctx.database.value(WORKS_FOR_APPROVED, user_id=ctx.actor.user_id) is not None


@operation("accounts.me", Permission.account, scope=Reach.any_key)
async def read_me(ctx: Context, _: Nothing) -> IdentityView:
    """The owner of the credential."""
    user = user_view(await _own_row(ctx), by_key=ctx.actor.credential is Credential.api_key)
    return IdentityView.of({"user": user, "environment": ctx.environment})


def open_session(ctx: Context, row: Row, environment: Environment, session_id: str) -> SessionView:
    """A token of a session of the account in `row`."""
    return _session_view(ctx, row, SessionClaims(row["id"], environment, row["session_version"], session_id))


def _session_view(ctx: Context, row: Row, claims: SessionClaims) -> SessionView:
    token = ctx.services.tokens.issue(claims)
    return SessionView.of(
        {"user": user_view(row), "environment": Environment(claims.environment), "accessToken": token}
    )


async def _own_row(ctx: Context) -> Row:
    row = await ctx.database.one(BY_ID, id=ctx.actor.user_id)
    assert row is not None, "authentication has just read this account, and accounts are never deleted"
    return row
