"""Runs operations for the `gateway` commands, with the services of one process and the system as actor."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from gateway.dev.embedded.defaults import required_settings
from gateway.errors import GatewayError, JobInProgress
from gateway.models.connectivity import require_migrated
from gateway.models.database import DatabaseUnavailable
from gateway.resolvers.core.context import Context, system_context
from gateway.services import open_services
from gateway.settings import Settings, load_settings
from gateway.values.ids import new_id
from gateway.values.user_error import UserError

ResultT = TypeVar("ResultT")


class ConsoleError(UserError):
    """A command failed for a reason that its caller can't fix. The message is one line."""

    exit_code = 1


class UsageError(UserError):
    """A command was called with invalid arguments. The message is one line."""


def run(data_dir: Path, act: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    """Run `act` on the configured servers, or else the embedded ones of `data_dir`. Raises `ConsoleError`,
    `UsageError`, `DatabaseUnreachable`, `NotMigrated`.
    """
    with required_settings(data_dir) as values:
        settings = load_settings(**values)
        require_migrated(settings.asyncpg_dsn)
        try:
            return asyncio.run(_within_services(settings, act))
        except JobInProgress:
            raise  # Its message is Portuguese; the command has its own.
        except GatewayError as error:
            raise (UsageError if error.status < 500 else ConsoleError)(error.message) from error
        except DatabaseUnavailable as error:
            raise ConsoleError(f"the database can't be reached: {error}") from error


async def _within_services(settings: Settings, act: Callable[[Context], Awaitable[ResultT]]) -> ResultT:
    async with open_services(settings) as services:
        return await act(system_context(services, source="job", request_id=new_id()))
