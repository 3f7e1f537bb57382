"""Which engine serves which environment. The only module that knows an adapter by name."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from gateway.integrations.engines.absent import AbsentEngine
from gateway.integrations.engines.asaas import AsaasClient, AsaasEngine, open_http
from gateway.integrations.engines.port import Engine, Engines
from gateway.integrations.engines.simulator import Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.settings import EngineName, Settings
from gateway.values.clock import Clock

REVIEW_GUIDE = "/docs/ambiente-de-teste#conta-de-recebimento"
"""Where the guide of the test environment tells how an account is approved there."""


@asynccontextmanager
async def open_engines(settings: Settings, database: Database, clock: Clock) -> AsyncIterator[Engines]:
    """The engines of both environments, as the settings choose them; their connections close with the block."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(open_http()) if _asks_asaas(settings) else None
        test, live = (_open(environment, settings, database, clock, http) for environment in Environment)
        yield Engines(test, live)


def _asks_asaas(settings: Settings) -> bool:
    return EngineName.asaas in {settings.engine_test, settings.engine_live}


def _open(
    environment: Environment, settings: Settings, database: Database, clock: Clock, http: httpx.AsyncClient | None
) -> Engine:
    name = settings.engine_test if environment is Environment.test else settings.engine_live
    if name is None:
        return AbsentEngine()
    if name is EngineName.simulator or http is None:
        return Simulator(
            database, clock, environment, host=_host(settings), documents_page=f"{settings.base_url}{REVIEW_GUIDE}"
        )
    if environment is Environment.test:
        url, key, token = settings.asaas_test_url, settings.asaas_test_api_key, settings.engine_test_token
    else:
        url, key, token = settings.asaas_live_url, settings.asaas_live_api_key, settings.engine_live_token
    client = AsaasClient(http, url, _opened(key), deadline=settings.engine_timeout_seconds)
    return AsaasEngine(
        client,
        database,
        clock,
        environment,
        base_url=settings.base_url,
        token=_opened(token),
        email=settings.asaas_contact_email,
    )


def _opened(secret: SecretStr | None) -> str:
    assert secret is not None, "the settings refuse an engine without its secrets"
    return secret.get_secret_value()


def _host(settings: Settings) -> str:
    """Where the simulator's payloads live, short enough for the BR Code's URL field (77 characters)."""
    host = urlsplit(settings.base_url).netloc
    return host if len(host) <= 40 else "pix.example.com"
