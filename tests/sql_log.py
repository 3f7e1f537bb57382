"""Logs every SQL statement that the application sends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import Engines
from gateway.models.base import Environment
from gateway.models.database import open_database
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from tests.api_client import Api
from tests.simulators import simulator

_OF_THE_DRIVER = ("typeinfo_tree", "current_setting('jit')", "set_config('jit'")
"""Queries that asyncpg sends once per connection to look up a type."""


@asynccontextmanager
async def watching(services: Services) -> AsyncIterator[tuple[Api, list[str]]]:
    """The application on its own connections, and the list of the statements that they send."""
    database = await open_database(services.settings.asyncpg_dsn, size=2)
    sent: list[str] = []

    def note(query: asyncpg.connection.LoggedQuery) -> None:
        if not any(word in query.query for word in _OF_THE_DRIVER):
            sent.append(query.query)

    connections = [await database.pool.take() for _ in range(2)]
    for connection in connections:
        connection.add_query_logger(note)
        database.pool.give(connection)
    simulators = [simulator(database, services.clock, environment) for environment in Environment]
    own = replace(services, database=database, credentials=Credentials(database), engines=Engines(*simulators))
    try:
        async with Api.of(Gateway(services.settings, own)) as api:
            yield api, sent
    finally:
        for connection in connections:
            connection.remove_query_logger(note)
        await database.close()
