"""`gateway admin register-notices`: have the engine of an environment send its notices here."""

from gateway.engines.port import EngineError
from gateway.errors import EngineFailed
from gateway.models.base import Environment
from gateway.resolvers.context import Context


async def register_main_notices(ctx: Context, environment: Environment) -> str:
    """Register the main account's notices; the engine's name. Raises `EngineFailed` with what the engine says."""
    engine = ctx.services.engines.of(environment)
    try:
        await engine.register_notices()
    except EngineError as error:
        raise EngineFailed(f"O provedor {engine.name} não registrou os avisos: {error}") from error
    return engine.name
