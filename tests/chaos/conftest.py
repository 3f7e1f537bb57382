"""Experiments are marked with `experiment(…)`; the long ones run with `--chaos` only (`make chaos`).

Every world is judged when its test ends: an experiment that forgot to would prove nothing.
"""

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.assertions import Evidence
from tests.chaos.environment import World, opened_world
from tests.chaos.invariants import healthy_waits, percentile, violations
from tests.chaos.report import Experiment, Result, caption, table, write
from tests.chaos.servers import Plant
from tests.subprocesses import Forks

RESULTS = pytest.StashKey[list[Result]]()
CROWDED = 5.0
"""How much longer things may take where other tests run beside the experiment."""

OpenWorld = Callable[..., Any]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--chaos"):
        return
    long = [item for item in items if (marker := item.get_closest_marker("chaos")) and not marker.args[0].quick]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    results = config.stash.get(RESULTS, [])
    if not results or not config.getoption("--chaos"):
        return
    text = f"{caption(results, os.cpu_count() or 1)}\n\n{table(results)}"
    terminalreporter.section("failure experiments")
    terminalreporter.write_line(text)
    if page := config.getoption("--chaos-page"):
        write(Path(page), text)


@pytest.fixture(scope="session")
def plant(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    plant = Plant(tmp_path_factory.mktemp("plant"), forks)
    plant.start()
    yield plant
    plant.stop()


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the experiment has its whole size: with `--chaos`."""
    return bool(request.config.getoption("--chaos"))


@pytest.fixture
def result(request: pytest.FixtureRequest) -> Iterator[Result]:
    """Where an experiment notes its figures."""
    marker = request.node.get_closest_marker("chaos")
    assert marker is not None
    experiment = marker.args[0]
    assert isinstance(experiment, Experiment)
    result = Result(experiment)
    started = time.monotonic()
    yield result
    result.seconds = time.monotonic() - started
    assert result.wrong is not None, "the invariants were not checked"
    result.held = not result.wrong and not request.node.stash.get(FAILED, False)
    request.config.stash.setdefault(RESULTS, []).append(result)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if call.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture
async def open_world(
    plant: Plant, tmp_path: Path, full: bool, result: Result, request: pytest.FixtureRequest
) -> AsyncIterator[OpenWorld]:
    """`await open_world(**settings)`: one experiment's world, judged at the end while it is still there.

    In it is a merchant that nothing is done to, unless the experiment tells by `alone` why that can't mean anything.
    """
    slack = 1.0 if full else CROWDED
    async with AsyncExitStack() as stack:

        async def open_one(listeners: list[dict[str, Any]] | None = None, *, alone: str = "", **settings: str) -> World:
            plant.heal()
            world = await stack.enter_async_context(
                opened_world(plant, tmp_path, slack=slack, alone=alone, listeners=listeners, **settings)
            )
            stack.push_async_callback(_judge, world, result, request.node)
            return world

        yield open_one


async def _judge(world: World, result: Result, item: pytest.Item) -> None:
    # First, for the servers start again. Where the experiment has failed, whoever should deliver may be gone.
    await world.bystander.leave(told=not item.stash.get(FAILED, False))
    world.plant.heal()
    found = await world.evidence()
    result.others = f"not judged: {world.alone}" if world.alone else _others(found)
    result.wrong = violations(found, world.slack, alone=world.alone)
    assert result.wrong == []


def _others(found: Evidence) -> str:
    waits = healthy_waits(found)
    return f"{len(waits)} events, p99 {percentile(waits, 99):.2f} s" if waits else "nothing arrived"
