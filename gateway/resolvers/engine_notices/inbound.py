"""`POST /engine/notifications/{engine}` (contract section 6): the engine speaks, and shows the token it was given."""

from msgspec.structs import replace
from pydantic import Field

from gateway.errors import NotFound
from gateway.integrations.engines.port import Engine
from gateway.models.base import Environment
from gateway.models.engines import NoticeOutcome
from gateway.rate_limits import wrong_token
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import SYSTEM
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Input
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View
from gateway.resolvers.engine_notices.receive import receive_notice
from gateway.security import same_secret
from gateway.settings import EngineName


class InboundNotice(Input):
    """A notice as it came."""

    engine: str = Field(description="Provedor: `simulator` ou `asaas`.")
    token: str | None = Field(None, description="Token do cabeçalho `asaas-access-token`.")
    body: bytes = Field(description="Corpo do aviso.")


class NoticeTakenView(View):
    """A notice was taken in."""

    outcome: NoticeOutcome = Field(description="O que foi feito do aviso.")


@operation("engine_notices.take", Permission.public)
async def take_notice(ctx: Context, sent: InboundNotice) -> NoticeTakenView:
    """Take in a notice of an engine; the token that matches says which environment it is about.

    Raises `InvalidSession` for a wrong token, and `NotFound` for an engine that isn't known or, told by a right token,
    serves no environment here. Whatever a notice with the right token says, it was taken: an engine that is answered
    with an error, or only after a while, stops sending.
    """
    environment, engine = await recognised(ctx, sent)
    as_engine = replace(ctx, actor=SYSTEM, origin=replace(ctx.origin, source="engine"))
    within = ctx.settings.engine_notice_seconds
    outcome = await receive_notice(as_engine, engine, environment, sent.body, within=within)
    return NoticeTakenView.of({"outcome": outcome})


async def recognised(ctx: Context, sent: InboundNotice) -> tuple[Environment, Engine]:
    """Who speaks, and about which environment, by the token. Raises `NotFound`, `InvalidSession` and `RateLimited`."""
    name = sent.engine.lower()
    told = [environment for environment in Environment if same_secret(sent.token, _token(ctx, environment))]
    engines = {environment: ctx.services.engines.of(environment) for environment in told}
    for environment, engine in engines.items():
        if engine.name == name:
            return environment, engine
    served = {ctx.services.engines.of(environment).name for environment in Environment}
    if name not in set(EngineName) or (told and name not in served):
        raise NotFound("Provedor não encontrado.")
    raise await wrong_token(ctx.services.limiter, "engine", ctx.origin.ip)


def _token(ctx: Context, environment: Environment) -> str | None:
    settings = ctx.settings
    token = settings.engine_test_token if environment is Environment.test else settings.engine_live_token
    return token.get_secret_value() if token else None
