"""`python -m tests.subscriptions.kill_at_step NAME WHEN`: a billing run that dies by SIGKILL at a step."""

import asyncio
import sys

from msgspec.structs import replace

from gateway.integrations.engines.interface import Engines
from gateway.resolvers.core.context import system_context
from gateway.resolvers.subscriptions.billing import BillingOptions
from gateway.resolvers.subscriptions.billing_job import bill
from gateway.services import open_services
from gateway.settings import load_settings
from tests.subscriptions.stop_at_step import SteppingDatabase, SteppingEngine, Stops, stop_by_dying


async def main(name: str, when: str) -> None:
    async with open_services(load_settings(_env_file=None)) as services:
        stops = Stops(stop_by_dying)
        stops.at_name(name, when)
        engines = Engines(*(SteppingEngine(engine, stops) for engine in (services.engines.test, services.engines.live)))
        dying = replace(services, database=SteppingDatabase(services.database, stops), engines=engines)
        await bill(system_context(dying, source="job", request_id="killed"), BillingOptions())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
