"""Whose subscriptions a run of the billing job looks at: those of all stores that go by the same clock."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Executable, bindparam

from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.resolvers.clocks.own import by_real_time


class StoreScope(Struct, frozen=True):
    """An environment, and in test the one store with a clock of its own; None for all that go by real time."""

    environment: Environment
    store: str | None = None

    def values(self) -> dict[str, Any]:
        """The bound values of a `Scoped` statement."""
        return {"environment": self.environment.value, "store": self.store}


class Scoped:
    """A statement in two forms: over all stores that go by real time, and over one store."""

    def __init__(
        self,
        build: Callable[[ColumnElement[bool]], Executable],
        store: ColumnElement[Any],
        environment: ColumnElement[str],
    ) -> None:
        """`build` makes the statement from the condition that says whose rows are meant."""
        self._all = Statement(build(by_real_time(store, environment)))
        self._one = Statement(build(store == bindparam("store")))

    def of(self, scope: StoreScope) -> Statement:
        return self._all if scope.store is None else self._one
