"""Experiments are marked with `experiment(…)`; the long ones run with `--chaos` only (`make chaos`).

Every environment is checked against the invariants when its test ends.
"""

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.assertions import Evidence
from tests.chaos.environment import ChaosEnvironment, running_environment
from tests.chaos.invariants import healthy_waits, percentile, violations
from tests.chaos.report import Experiment, Result, caption, table, write
from tests.chaos.servers import Servers
from tests.subprocesses import Forks

RESULTS = pytest.StashKey[list[Result]]()
QUICK_SLACK = 5.0
"""The factor for time limits when other tests run in parallel."""

OpenEnvironment = Callable[..., Any]


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
def servers(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    servers = Servers(tmp_path_factory.mktemp("servers"), forks)
    servers.start()
    yield servers
    servers.stop()


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the experiment has its full size (`--chaos`)."""
    return bool(request.config.getoption("--chaos"))


@pytest.fixture
def result(request: pytest.FixtureRequest) -> Iterator[Result]:
    """Collects the figures of an experiment."""
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
async def open_environment(
    servers: Servers, tmp_path: Path, full: bool, result: Result, request: pytest.FixtureRequest
) -> AsyncIterator[OpenEnvironment]:
    """`await open_environment(**settings)`: an experiment's environment, checked before it is closed.

    It has an unaffected merchant, unless `alone` gives the reason why there can't be one.
    """
    slack = 1.0 if full else QUICK_SLACK
    async with AsyncExitStack() as stack:

        async def open_one(
            listeners: list[dict[str, Any]] | None = None, *, alone: str = "", **settings: str
        ) -> ChaosEnvironment:
            servers.heal()
            env = await stack.enter_async_context(
                running_environment(servers, tmp_path, slack=slack, alone=alone, listeners=listeners, **settings)
            )
            stack.push_async_callback(_check, env, result, request.node)
            return env

        yield open_one


async def _check(env: ChaosEnvironment, result: Result, item: pytest.Item) -> None:
    # Before the servers restart. After a failed experiment there may be no worker to deliver.
    await env.bystander.leave(wait=not item.stash.get(FAILED, False))
    env.servers.heal()
    found = await env.evidence()
    result.others = f"not checked: {env.alone}" if env.alone else _others(found)
    result.wrong = violations(found, env.slack, alone=env.alone)
    assert result.wrong == []


def _others(found: Evidence) -> str:
    waits = healthy_waits(found)
    return f"{len(waits)} events, p99 {percentile(waits, 99):.2f} s" if waits else "nothing arrived"
