"""The composition root: settings → database, redis, engines → `Services` → doors mounted.

`create_app()` is what uvicorn's factory option calls.
"""

import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.routing import BaseRoute, Mount, Router
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from gateway.checkout.app import CheckoutApp
from gateway.http.cors import Cors
from gateway.http.middleware import Gate
from gateway.integrations.engines.registry import UNSET
from gateway.resolvers.core.context import Services
from gateway.rest_compat import reference
from gateway.rest_compat.documentation import DOCUMENTATION
from gateway.rest_compat.door import RestDoor
from gateway.rest_compat.routes import ENDPOINTS
from gateway.schema import graphiql
from gateway.schema.view import GraphQLDoor
from gateway.services import open_services
from gateway.settings import Settings, load_settings, require_long_tokens
from gateway.telemetry import configure_logging, log


class Gateway:
    """The ASGI application: a Starlette app inside the `Gate`, with the services of this process."""

    def __init__(
        self, settings: Settings, services: Services | None = None, *, pages: Sequence[BaseRoute] = ()
    ) -> None:
        """`pages`: more of them than the product has, for `gateway dev`."""
        self._settings = settings
        self._services = services
        panels = (partial(Cors, origins=settings.cors_origins),) if settings.cors_origins else ()
        self._app = Gate(self._doors(pages), lambda: self.services, *panels)

    @property
    def services(self) -> Services:
        assert self._services is not None, "the application has not started"
        return self._services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _doors(self, more: Sequence[BaseRoute]) -> Router:
        # A Router and not a Starlette application: the Gate is the only one to answer what nobody caught.
        graphql = GraphQLDoor(self._settings)
        pages = [
            graphiql.assets(),
            reference.assets(),
            Mount("/pay", app=CheckoutApp()),
            *more,
        ]
        return Doors(graphql, pages, RestDoor(ENDPOINTS, DOCUMENTATION), lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _app: object) -> AsyncIterator[None]:
        if self._services is not None:
            yield
            return
        async with open_services(self._settings) as self._services:
            log.info(
                "api_started", allowed_networks=[str(network) for network in self._settings.webhook_allowed_networks]
            )
            # What start-up made lives as long as the process: the collector need never look at it again.
            gc.collect()
            gc.freeze()
            yield


class Doors(Router):
    """Starlette's router for the pages; `/graphql` is GraphQL's, and whatever starts with no word of theirs is REST's.

    Most requests are, and matching routes by regular expression one after the other would cost each of them 10 µs.
    Letter case and a trailing slash matter to the others as little as to REST.
    """

    def __init__(self, graphql: ASGIApp, pages: list[BaseRoute], rest: ASGIApp, *, lifespan: Lifespan[Any]) -> None:
        # What no route matches, as a path with a line break, is REST's to refuse.
        super().__init__([*pages, Mount("", app=rest)], redirect_slashes=False, default=rest, lifespan=lifespan)
        self._graphql = graphql
        self._rest = rest
        self._words = {_first_word(getattr(page, "path", "")) for page in pages}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        path = scope["path"]
        word = _first_word(path)
        if word == "graphql" and path.rstrip("/").lower() == "/graphql":
            await self._graphql(scope, receive, send)
        elif word in self._words:
            if word == "pay":
                scope["path"] = f"/pay/{path[5:]}"
            await super().__call__(scope, receive, send)
        else:
            await self._rest(scope, receive, send)


def _first_word(path: str) -> str:
    return path.split("/", 2)[1].lower() if path.startswith("/") else ""


def create_app() -> Gateway:
    """The application with the settings of the environment."""
    settings = require_long_tokens(load_settings())
    configure_logging(settings.log_level, settings.log_format)
    if settings.engine_live is None:
        log.warning("live_engine_missing", reason=UNSET)
    return Gateway(settings)
