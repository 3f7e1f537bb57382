"""`@experiment("4", …)`: marks a test as an experiment."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.chaos.report import Experiment

F = TypeVar("F", bound=Callable[..., object])


def experiment(number: str, title: str, must: str, *, quick: bool = False, seconds: int = 300) -> Callable[[F], F]:
    """Mark a test as an experiment that ends within `seconds`."""

    def mark(test: F) -> F:
        return pytest.mark.timeout(seconds)(pytest.mark.chaos(Experiment(number, title, must, quick))(test))

    return mark
