"""Simulated engines of the tests: the product's own, faulty ones, and one that passes for a real bank."""

from typing import TypeVar

from msgspec.structs import replace

from gateway.integrations.engines.simulator import Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.values.clock import Clock

SimulatorT = TypeVar("SimulatorT", bound=Simulator)


class Bank(Simulator):
    """Acts as an engine with a real bank: notifications record no payment, and staff can't simulate for it."""

    has_bank = True


def simulator(
    database: Database,
    clock: Clock,
    environment: Environment = Environment.test,
    kind: type[SimulatorT] = Simulator,  # type: ignore[assignment]  # A default of a type that callers choose.
) -> SimulatorT:
    """A simulator with URLs at `gateway.test`."""
    return kind(database, clock, environment, host="gateway.test", documents_page="https://gateway.test/documents")


def with_engine(services: Services, kind: type[Simulator]) -> Services:
    """The services with an engine of this kind in the test environment."""
    engine = simulator(services.database, services.clock, kind=kind)
    return replace(services, engines=replace(services.engines, test=engine))
