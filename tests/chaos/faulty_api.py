"""An API with false DNS: `python -m tests.chaos.faulty_api PORT '{"names": …}'`.

The registration of endpoints resolves names by `names`, as in `tests.chaos.faulty_worker`.
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
from tests.chaos.faulty_worker import fake_lookup


async def main(port: int, faults: dict[str, Any]) -> None:
    settings = load_settings()
    configure_logging("info")
    resolver = Resolver(fake_lookup(faults["names"]))
    addresses = WebhookUrlPolicy(AddressGuard(settings.webhook_allowed_networks), resolver)
    async with open_services(settings) as services:
        gateway = Gateway(settings, replace(services, addresses=addresses))
        config = Config(gateway, port=port, log_config=None, access_log=False, proxy_headers=False, ws="none")
        await Server(config).serve()
    resolver.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), json.loads(sys.argv[2])))
