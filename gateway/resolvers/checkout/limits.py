"""How often one address may use the public checkout (specification section 8, contract section 3).

The limits belong to the operations, so both doors and every alias of a GraphQL document count.
"""

from msgspec import Struct

from gateway.rate_limits import caller_of
from gateway.resolvers.core.context import Context

WINDOW_SECONDS = 600


class Limit(Struct, frozen=True):
    """At most `most` per address in ten minutes."""

    name: str
    most: int


PAYMENTS = Limit("pay", 10)
CHARGE_READS = Limit("charge", 300)
LINK_READS = Limit("link", 120)
"""Of a link and of its coupon route together."""
SIMULATIONS = Limit("simulate", 30)


async def count(ctx: Context, limit: Limit) -> None:
    """Count one use. Raises `RateLimited`, with the headers of section 2 of the contract."""
    name = f"checkout:{limit.name}:{caller_of(ctx.origin.ip)}"
    await ctx.services.limiter.hit(name, limit.most, WINDOW_SECONDS)
