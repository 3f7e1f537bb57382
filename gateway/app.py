"""The ASGI application: settings, services, mounted transports. uvicorn calls `create_app()`."""

import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from msgspec.structs import replace
from starlette.routing import BaseRoute, Mount, Router
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from gateway.checkout.app import CheckoutApp
from gateway.http.cors import Cors
from gateway.http.middleware import RequestMiddleware
from gateway.integrations.engines.registry import UNSET
from gateway.panel import app as panel
from gateway.resolvers.core.context import Development, Services
from gateway.rest_compat import documentation
from gateway.rest_compat.app import RestApp
from gateway.rest_compat.documentation import DOCUMENTATION
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema import graphiql
from gateway.schema.http import GraphQLApp
from gateway.services import open_services
from gateway.settings import Settings, load_settings, require_long_tokens
from gateway.telemetry import configure_logging, log


class Gateway:
    """The ASGI application: the transports inside the `RequestMiddleware`, with the services of this process."""

    def __init__(
        self,
        settings: Settings,
        services: Services | None = None,
        *,
        pages: Sequence[BaseRoute] = (),
        development: Development | None = None,
    ) -> None:
        """`pages`: further routes, for `gateway dev`, as is `development`."""
        self._settings = settings
        self._development = development
        self._services = services and self._in_development(services)
        panels = (partial(Cors, origins=settings.cors_origins),) if settings.cors_origins else ()
        self._app = RequestMiddleware(self._router(pages), lambda: self.services, *panels)

    def _in_development(self, services: Services) -> Services:
        return services if self._development is None else replace(services, development=self._development)

    @property
    def services(self) -> Services:
        assert self._services is not None, "the application has not started"
        return self._services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _router(self, more: Sequence[BaseRoute]) -> Router:
        graphql = GraphQLApp(self._settings)
        pages = [
            graphiql.assets(),
            documentation.assets(),
            Mount("/pay", app=CheckoutApp()),
            *(panel.routes() if self._settings.panel else ()),
            *more,
        ]
        return PathRouter(graphql, pages, RestApp(ENDPOINTS, DOCUMENTATION), lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _app: object) -> AsyncIterator[None]:
        if self._services is not None:
            yield
            return
        async with open_services(self._settings) as services:
            self._services = self._in_development(services)
            log.info(
                "api_started", allowed_networks=[str(network) for network in self._settings.webhook_allowed_networks]
            )
            gc.collect()  # Then exclude the objects of the start, which live as long as the process.
            gc.freeze()
            gc.set_threshold(10_000)  # The default, 700, is fewer objects than a burst of requests holds.
            yield


class PathRouter(Router):
    """Routes by the first path segment: pages to Starlette's router, `/graphql` to GraphQL, all else to REST.

    Most requests are REST, and matching them with each route's regular expression is slow.
    """

    def __init__(self, graphql: ASGIApp, pages: list[BaseRoute], rest: ASGIApp, *, lifespan: Lifespan[Any]) -> None:
        # REST refuses what no route matches, for example a path with a line break.
        super().__init__([*pages, Mount("", app=rest)], redirect_slashes=False, default=rest, lifespan=lifespan)
        self._graphql = graphql
        self._rest = rest
        self._page_segments = {_first_segment(getattr(page, "path", "")) for page in pages}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        path = scope["path"]
        segment = _first_segment(path)
        if segment == "graphql" and path.rstrip("/").lower() == "/graphql":
            await self._graphql(scope, receive, send)
        elif segment in self._page_segments:
            if segment == "pay":
                scope["path"] = f"/pay/{path[5:]}"
            await super().__call__(scope, receive, send)
        else:
            await self._rest(scope, receive, send)


def _first_segment(path: str) -> str:
    return path.split("/", 2)[1].lower() if path.startswith("/") else ""


def create_app() -> Gateway:
    """The application with the settings of the environment."""
    settings = require_long_tokens(load_settings())
    configure_logging(settings.log_level, settings.log_format)
    if settings.engine_live is None:
        log.warning("live_engine_missing", reason=UNSET)
    return Gateway(settings)
