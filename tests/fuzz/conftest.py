"""The number of generated cases, and their seed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import WebhookUrlPolicy
from gateway.rate_limits import Unlimited
from gateway.resolvers.core.context import Services

DEFAULT_SEED = 20_261_122
COUNTED = {"requests", "operations that did what they are for", "documents", "steps"}


thorough_only = pytest.mark.fuzz
"""Marks tests for `make fuzz` only."""


@dataclass(frozen=True)
class Budget:
    """`thorough`: thousands of cases (`make fuzz`), else the same few in each run."""

    seed: int
    thorough: bool

    def random(self, *what: object) -> Random:
        """A generator per test, so that each can run alone."""
        return Random(f"{self.seed} {what}")  # For test cases, not secrets.

    def of(self, few: int, many: int) -> int:
        return many if self.thorough else few


@pytest.fixture
def budget(request: pytest.FixtureRequest) -> Budget:
    seed, thorough = request.config.getoption("fuzz_seed"), request.config.getoption("fuzz")
    return Budget(DEFAULT_SEED if seed is None else seed, thorough)


@pytest.fixture
def unlimited(services: Services) -> Iterator[Services]:
    """Services without rate limits, which would refuse most requests, and without name resolution."""
    resolver = Resolver(_refuse_lookup)
    guard = AddressGuard(services.settings.webhook_allowed_networks)
    yield replace(services, limiter=Unlimited(), addresses=WebhookUrlPolicy(guard, resolver))
    resolver.close()


def _refuse_lookup(host: str) -> list[str]:
    raise OSError(host)


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("fuzz_seed")
    return f'fuzz seed: {seed}; again with make fuzz ARGS="--fuzz-seed {seed}"' if config.getoption("fuzz") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrizes `part`: shares of the work for parallel workers."""
    if "part" in metafunc.fixturenames:
        parts = 12 if metafunc.config.getoption("fuzz") else 2
        metafunc.parametrize("part", [(number, parts) for number in range(parts)], ids=lambda part: f"part{part[0]}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    if config.getoption("fuzz"):
        for item in here:
            item.add_marker(thorough_only)
            item.add_marker(pytest.mark.timeout(1800))
        return
    long = [item for item in here if item.get_closest_marker("fuzz")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the total numbers of generated cases."""
    sums: Counter[str] = Counter()
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        sums.update({name: value for name, value in report.user_properties if name in COUNTED})
    if config.getoption("fuzz") and sums:
        terminalreporter.write_line("fuzz: " + ", ".join(f"{number} {name}" for name, number in sums.items()))
