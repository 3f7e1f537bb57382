"""The panel of a gateway in this process."""

from collections.abc import AsyncIterator

import pytest

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from tests.chromium import served


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the marked walks: a page has its phone's walk in `make test`, and the desk's in `make pages`."""
    if config.getoption("pages"):
        return
    later = [item for item in items if item.get_closest_marker("pages")]
    items[:] = [item for item in items if item not in later]
    config.hook.pytest_deselected(items=later)


@pytest.fixture
async def panel(services: Services) -> AsyncIterator[str]:
    async with served(Gateway(services.settings, services)) as url:
        yield f"{url}/painel"
