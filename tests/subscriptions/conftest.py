"""The billing job in this process, on the real database."""

import pytest

from gateway.resolvers.core.context import Services
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import Biller


@pytest.fixture
def biller(services: Services, clock: MovedClock) -> Biller:
    return Biller(services, clock)
