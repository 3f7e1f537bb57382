"""`gateway admin register-notices`: have the engine of an environment send its notices here."""

from msgspec import Struct

from gateway.errors import EngineFailed
from gateway.integrations.engines.port import EngineError
from gateway.models.base import Environment
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.registration import register_anew


class Registered(Struct, frozen=True):
    """Which engine sends its notices here, and how many merchants' accounts the worker has still to tell it of."""

    engine: str
    accounts: int


async def register_notices(ctx: Context, environment: Environment) -> Registered:
    """Register the main account's notices, and have the worker register those of merchants' accounts anew. Raises
    `EngineFailed` with what the engine says.
    """
    engine = ctx.services.engines.of(environment)
    try:
        await engine.register_notices()
    except EngineError as error:
        raise EngineFailed(f"{engine.name} didn't register the notices: {error}") from error
    return Registered(engine.name, await register_anew(ctx, environment))
