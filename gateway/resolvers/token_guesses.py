"""Wrong tokens of programs (engines, jobs, metrics) are counted by network. A right token is never limited, whoever
else guesses from its network: a bank sends thousands of notices from a few addresses.
"""

from gateway.errors import InvalidSession
from gateway.rate_limits import network_of
from gateway.resolvers.context import Context

WRONG_TOKENS = (20, 600)
"""From one network, in how many seconds."""


async def wrong_token(ctx: Context, kind: str) -> InvalidSession:
    """Count a wrong token; the error to raise. Raises `RateLimited` after too many."""
    await ctx.services.limiter.hit(f"token:{kind}:{network_of(ctx.origin.ip)}", *WRONG_TOKENS)
    return InvalidSession()
