"""An API in a world that is a little off: `python -m tests.chaos.faulty_api PORT '{"names": …}'`.

It is `gateway.app.Gateway` to whose registration of endpoints names resolve as told (`tests.chaos.faulty_worker`).
"""

import asyncio
import json
import sys
from typing import Any

from msgspec.structs import replace
from uvicorn import Config, Server

from gateway.app import Gateway
from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import WebhookUrlPolicy
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging
from tests.chaos.faulty_worker import told_names


async def main(port: int, oddities: dict[str, Any]) -> None:
    settings = load_settings()
    configure_logging("info")
    resolver = Resolver(told_names(oddities["names"]))
    addresses = WebhookUrlPolicy(AddressGuard(settings.webhook_allowed_networks), resolver)
    async with open_services(settings) as services:
        gateway = Gateway(settings, replace(services, addresses=addresses))
        config = Config(gateway, port=port, log_config=None, access_log=False, proxy_headers=False, ws="none")
        await Server(config).serve()
    resolver.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), json.loads(sys.argv[2])))
