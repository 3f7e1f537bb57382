"""Prints as JSON the gateway's startup error with the compiled executor, and its responses without it.

Settings and `TOKEN` come from the environment. `tests.schema.incompatible_strawberry` runs it.
"""

import asyncio
import os
import sys
from typing import Any

import orjson

from gateway.app import Gateway
from gateway.services import open_services
from gateway.settings import SettingsError, load_settings
from tests.api_client import Api
from tests.schema.product_requests import answers_to_all


async def run(token: str) -> dict[str, Any]:
    startup_error = None
    try:
        Gateway(load_settings(graphql_fast_path=True))
    except SettingsError as error:
        startup_error = str(error)
    settings = load_settings(graphql_fast_path=False)
    async with open_services(settings) as services, Api.of(Gateway(settings, services)) as api:
        return {"startup_error": startup_error, "answers": await answers_to_all(api, token)}


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(asyncio.run(run(os.environ["TOKEN"]))))
