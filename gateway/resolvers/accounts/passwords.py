"""Hash and verify passwords, limit attempts, and ask a logged-in caller for the password again."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from gateway.errors import InvalidInput, RateLimited, WrongCredentials
from gateway.rate_limits import Limit, network_of
from gateway.resolvers.audit.access_denied import count_refusal, insert_sampled_record
from gateway.resolvers.audit.audit_log import record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import missing_fields

MAX_HASHES_PER_REQUEST = 2
"""A password change takes two. A hash costs 30 ms of CPU, and a GraphQL document could request many."""
FAILURES_PER_EMAIL = (10, 900)
"""Wrong passwords and seconds, for an email from one network or for a logged-in account."""
FAILURES_PER_EMAIL_IN_ALL = (100, 900)
"""For an email from all networks. It is higher, so that others can't lock the owner out."""


async def hash_password(ctx: Context, password: str) -> str:
    """The hash to store. Raises `RateLimited`."""
    _count_hash(ctx)
    return await ctx.services.passwords.hash(password)


async def verify_password(ctx: Context, password: str, stored: str | None) -> bool:
    """Whether the password is right; without a stored hash it takes as long and is False. Raises `RateLimited`."""
    _count_hash(ctx)
    return await ctx.services.passwords.verify(password, stored)


def _count_hash(ctx: Context) -> None:
    if ctx.work.hashes >= MAX_HASHES_PER_REQUEST:
        raise RateLimited(MAX_HASHES_PER_REQUEST, 1)
    ctx.work.hashes += 1


@asynccontextmanager
async def rate_limited_attempt(ctx: Context, limits: Sequence[Limit]) -> AsyncIterator[None]:
    """Verify a password within the block. A failure counts against each limit; a success clears the first.

    Raises `RateLimited` beyond a limit, whether the password was right or not.
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
    # Concurrent attempts passed the first check together; the others may have failed meanwhile.
    for limit in limits:
        await limiter.check(*limit)
    await limiter.forget(limits[0].name)


def login_limits(ctx: Context, email: str) -> tuple[Limit, ...]:
    """Limits of failed logins with an email, or with any text in its place: from the caller's network, then in all."""
    return network_and_total(ctx, f"login:email:{email}", FAILURES_PER_EMAIL, FAILURES_PER_EMAIL_IN_ALL)


def network_and_total(
    ctx: Context, name: str, per_network: tuple[int, int], in_all: tuple[int, int]
) -> tuple[Limit, Limit]:
    """Two limits of one name: from the caller's network, and from all."""
    return Limit(f"{name}:{network_of(ctx.origin.ip)}", *per_network), Limit(name, *in_all)


async def reset_login_limits(ctx: Context, email: str) -> None:
    """Allow logins again after the owner was verified in another way."""
    for limit in login_limits(ctx, email):
        await ctx.services.limiter.forget(limit.name)


async def require_password(ctx: Context, password: str, password_hash: str | None) -> None:
    """Raise and record `WrongCredentials` for a wrong password of the caller, and `RateLimited` after too many."""
    user_id = ctx.actor.user_id
    limits = (Limit(f"password:account:{user_id}", *FAILURES_PER_EMAIL),)
    try:
        async with rate_limited_attempt(ctx, limits):
            await _require_match(ctx, password, password_hash)
    except (WrongCredentials, RateLimited):
        count = await count_refusal(ctx, "account.password_refused", user_id)
        await insert_sampled_record(
            ctx, count, record_of(ctx, "account.password_refused", user_id, changes={"attempts": count})
        )
        raise


async def _require_match(ctx: Context, password: str, password_hash: str | None) -> None:
    if not await verify_password(ctx, password, password_hash):
        raise WrongCredentials("A senha atual não confere.")


async def require_password_if_any(ctx: Context, password: str | None, password_hash: str | None) -> None:
    """As `require_password`; an account that only logs in with Google has no password."""
    if password_hash is None:
        return
    if password is None:
        raise InvalidInput(*missing_fields(["password"]))
    await require_password(ctx, password, password_hash)
