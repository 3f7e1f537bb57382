"""What the `gateway` commands run operations with: the services of one short-lived process, and the system as actor."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from gateway.embedded.defaults import required_settings
from gateway.errors import GatewayError
from gateway.ids import new_id
from gateway.mendable import Mendable
from gateway.models.database import DatabaseUnavailable
from gateway.models.reach import prove_reachable
from gateway.resolvers.context import Context, system_context
from gateway.services import open_services
from gateway.settings import Settings, load_settings

ResultT = TypeVar("ResultT")


class ConsoleError(Mendable):
    """A command can't do what it was asked. The message is one line."""

    exit_code = 1


def run(data_dir: Path, act: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    """Run `act` on the configured servers, or else the embedded ones of `data_dir`. Raises `ConsoleError`,
    and `DatabaseUnreachable`.
    """
    with required_settings(data_dir) as given:
        settings = load_settings(**given)
        prove_reachable(settings.asyncpg_dsn)
        try:
            return asyncio.run(_within_services(settings, act))
        except GatewayError as error:
            raise ConsoleError(error.message) from error
        except DatabaseUnavailable as error:
            raise ConsoleError(f"the database can't be reached: {error}") from error


async def _within_services(settings: Settings, act: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    async with open_services(settings) as services:
        return await act(system_context(services, source="job", request_id=new_id()))
