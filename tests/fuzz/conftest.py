"""How much is made up, and from which seed."""

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

USUAL_SEED = 20_261_122
COUNTED = {"requests", "operations that did what they are for", "documents", "steps"}


thorough_only = pytest.mark.fuzz
"""What is left to `make fuzz`; there, all that is here."""


@dataclass(frozen=True)
class Budget:
    """`thorough`: thousands of cases, as `make fuzz` has them; else a handful, the same ones every time."""

    seed: int
    thorough: bool

    def random(self, *what: object) -> Random:
        """A generator of its own for each test, so that one can be run without the others."""
        return Random(f"{self.seed} {what}")  # It makes cases, not secrets.

    def of(self, few: int, many: int) -> int:
        return many if self.thorough else few


@pytest.fixture
def budget(request: pytest.FixtureRequest) -> Budget:
    seed, thorough = request.config.getoption("fuzz_seed"), request.config.getoption("fuzz")
    return Budget(USUAL_SEED if seed is None else seed, thorough)


@pytest.fixture
def unlimited(services: Services) -> Iterator[Services]:
    """Without the limits of attempts, which would answer for the operations after the first hundred, and with a network
    in which no name has an address: not even a question about one leaves this machine.
    """
    resolver = Resolver(_nameless)
    guard = AddressGuard(services.settings.webhook_allowed_networks)
    yield replace(services, limiter=Unlimited(), addresses=WebhookUrlPolicy(guard, resolver))
    resolver.close()


def _nameless(host: str) -> list[str]:
    raise OSError(host)


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("fuzz_seed")
    return f'fuzz seed: {seed}; again with make fuzz ARGS="--fuzz-seed {seed}"' if config.getoption("fuzz") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`part`: a share of the work, for workers side by side; few parts where there is little to do."""
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
    """How much was made up, in all."""
    sums: Counter[str] = Counter()
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        sums.update({name: value for name, value in report.user_properties if name in COUNTED})
    if config.getoption("fuzz") and sums:
        terminalreporter.write_line("fuzz: " + ", ".join(f"{number} {name}" for name, number in sums.items()))
