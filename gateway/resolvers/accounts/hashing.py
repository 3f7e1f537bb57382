"""Hash and verify passwords, a bounded number of times in one request."""

from gateway.errors import RateLimited
from gateway.resolvers.core.context import Context

MAX_HASHES_PER_REQUEST = 2
"""A hash takes 30 ms of CPU. Changing a password takes two; a GraphQL document could ask for more."""


async def hash_password(ctx: Context, password: str) -> str:
    """The hash to store. Raises `RateLimited`."""
    _count(ctx)
    return await ctx.services.passwords.hash(password)


async def verify_password(ctx: Context, password: str, stored: str | None) -> bool:
    """Whether the password is right; without a stored hash it takes as long and is False. Raises `RateLimited`."""
    _count(ctx)
    return await ctx.services.passwords.verify(password, stored)


def _count(ctx: Context) -> None:
    if ctx.work.hashes >= MAX_HASHES_PER_REQUEST:
        raise RateLimited(MAX_HASHES_PER_REQUEST, 1)
    ctx.work.hashes += 1
