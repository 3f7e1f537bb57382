"""Fixtures: each engine with its bank."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from gateway.integrations.engines.asaas import open_http
from gateway.models.database import Database
from gateway.values.engine_capabilities import CAPABILITIES, Capability
from tests.engines.engine_fixtures import (
    AsaasHarness,
    BcbHarness,
    EngineHarness,
    SimulatorHarness,
    asaas_engine,
    bank_settings,
    bcb_engine,
)
from tests.engines.fake_asaas import FakeAsaas
from tests.engines.fake_bcb import FakeBcb, Manners
from tests.fake_clock import MovedClock
from tests.simulators import simulator


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deselect the contract's cases that an engine declares it cannot do."""
    items[:] = [item for item in items if _is_possible(item)]


def _is_possible(item: pytest.Item) -> bool:
    engine = (
        item.callspec.params.get("harness") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""
    )
    if not engine:
        return True
    needed: set[Capability] = set().union(*(mark.args[0] for mark in item.iter_markers("needs")))
    return needed <= CAPABILITIES[engine] and all(engine in mark.args[0] for mark in item.iter_markers("of"))


@pytest.fixture
async def fake() -> AsyncIterator[FakeAsaas]:
    async with FakeAsaas.running() as running:
        yield running


@pytest.fixture(scope="session")
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """Share one client, since reading the trust store takes 30 ms."""
    async with open_http() as opened:
        yield opened


@pytest.fixture
def asaas(http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock) -> AsaasHarness:
    return AsaasHarness(asaas_engine(http, fake, database, clock), fake)


@pytest.fixture
async def fake_bank(tmp_path: Path) -> AsyncIterator[FakeBcb]:
    """A bank that authenticates clients as Inter does. All requests and answers must be valid."""
    async with FakeBcb.running(tmp_path, Manners(token_auth="body")) as running:
        yield running
        assert (running.refused, running.mistakes) == ([], [])


@pytest.fixture
async def bcb(fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock) -> AsyncIterator[BcbHarness]:
    async with bcb_engine(bank_settings(fake_bank, tmp_path), clock) as engine:
        yield BcbHarness(engine, fake_bank)


@pytest.fixture(params=["simulator", "asaas", "bcb"])
def harness(request: pytest.FixtureRequest, database: Database, clock: MovedClock) -> EngineHarness:
    """Return each engine in turn."""
    if request.param == "simulator":
        return SimulatorHarness(simulator(database, clock), database)
    found: EngineHarness = request.getfixturevalue(request.param)
    return found
