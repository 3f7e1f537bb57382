"""Simulated banks as tests have them: the product's own, those with a fault, and one that passes for a real bank."""

from typing import TypeVar

from msgspec.structs import replace

from gateway.integrations.engines.simulator import Simulator
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.values.clock import Clock

SimulatorT = TypeVar("SimulatorT", bound=Simulator)


class Bank(Simulator):
    """As an engine with a bank behind it: what a notice says isn't entered anywhere, and staff doesn't speak for it."""

    has_bank = True


def simulator(
    database: Database,
    clock: Clock,
    environment: Environment = Environment.test,
    kind: type[SimulatorT] = Simulator,  # type: ignore[assignment]  # A default of a type that callers choose.
) -> SimulatorT:
    """A simulator whose addresses seem to be at `gateway.test`."""
    return kind(database, clock, environment, host="gateway.test", documents_page="https://gateway.test/documents")


def with_engine(services: Services, kind: type[Simulator]) -> Services:
    """The services, with an engine of this kind in test."""
    engine = simulator(services.database, services.clock, kind=kind)
    return replace(services, engines=replace(services.engines, test=engine))
