"""Rate limits of the public checkout, by client address (specification section 8, contract section 3).

The operations count, so REST, GraphQL and every alias of a GraphQL document share one limit.
"""

from msgspec import Struct

from gateway.rate_limits import caller_of
from gateway.resolvers.core.context import Context

WINDOW_SECONDS = 600


class Limit(Struct, frozen=True):
    """At most `max_uses` per client address in ten minutes."""

    name: str
    max_uses: int


PAYMENTS = Limit("pay", 10)
CHARGE_READS = Limit("charge", 300)
LINK_READS = Limit("link", 120)
"""Reads of a link and checks of its coupons together."""
SIMULATIONS = Limit("simulate", 30)


async def count_use(ctx: Context, limit: Limit) -> None:
    """Count one use. Raises `RateLimited`, with the headers of section 2 of the contract."""
    name = f"checkout:{limit.name}:{caller_of(ctx.origin.ip)}"
    await ctx.services.limiter.hit(name, limit.max_uses, WINDOW_SECONDS)
