"""What the gateway says at its start with the compiled executor, and what it answers without it, as JSON: with settings
from the environment, and `TOKEN`. `refused` runs it.
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


async def tried(token: str) -> dict[str, Any]:
    told = None
    try:
        Gateway(load_settings(graphql_fast_path=True))
    except SettingsError as error:
        told = str(error)
    settings = load_settings(graphql_fast_path=False)
    async with open_services(settings) as services, Api.of(Gateway(settings, services)) as api:
        return {"told": told, "answers": await answers_to_all(api, token)}


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(asyncio.run(tried(os.environ["TOKEN"]))))
