"""Whole scenarios of `tests/scenarios` behind the proxy: with `make chaos`, for they take their time."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from gateway.resolvers.context import Services
from gateway.workers.wake import open_queue, open_wake
from tests.api import Api
from tests.machines.conftest import Fleet
from tests.scenarios import test_year as year


@dataclass
class Distant(Api):
    """Requests go to the processes; what a scenario asks for beside them, it finds in this one, on the same database."""

    nearby: Services = field(kw_only=True)

    @property
    def services(self) -> Services:
        return self.nearby


@pytest.fixture
def at_leisure(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--chaos"):
        pytest.skip("with --chaos")


@pytest.fixture
async def distant(at_leisure: None, fleet: Fleet, services: Services, redis_url: str) -> AsyncIterator[Distant]:
    queue = open_queue(redis_url)
    async with open_wake(queue) as wake:
        yield Distant(fleet.api.client, nearby=replace(services, wake=wake))
    await queue.aclose(True)


@pytest.mark.timeout(300)
async def test_a_year_is_lived_the_same_behind_a_proxy(distant: Distant) -> None:
    """Two APIs answer by turns, two workers and this process move the clocks and bill, and the two workers deliver."""
    await year.test_a_merchant_s_year_is_the_same_each_time_it_is_lived(distant)
