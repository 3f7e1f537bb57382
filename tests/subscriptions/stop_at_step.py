"""A job that stops between two steps: every statement, every commit and every call of the engine is a step.

`Stops.at(7, "after")` lets the seventh step happen and then stops the runner, by raising or by killing the process.
"""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from gateway.models.database import Database, Row, Statement, Transaction


class Stopped(BaseException):
    """The runner stopped, as a process that dies: nothing in it handles that."""


def stop_by_raising() -> None:
    raise Stopped


def stop_by_dying() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Stops:
    """Counts steps by name, and stops at one of them."""

    def __init__(self, stop: Callable[[], None] = stop_by_raising) -> None:
        self.names: list[str] = []
        self._stop = stop
        self._number = -1
        self._name = ""
        self._when = ""

    def at(self, number: int, when: str) -> None:
        """Stop `before` or `after` the step of this number, from 0."""
        self._number, self._when = number, when

    def at_name(self, name: str, when: str) -> None:
        """As `at`, at the first step whose name has this prefix."""
        self._name, self._when = name, when

    async def step(self, name: str, act: Callable[[], Awaitable[Any]]) -> Any:
        due = len(self.names) == self._number or bool(self._name and name.startswith(self._name))
        self.names.append(name)
        if due and self._when == "before":
            self._stop()
        result = await act()
        if due and self._when == "after":
            self._stop()
        return result


class SteppingTransaction(Transaction):
    __slots__ = ("stops",)

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        return await self.stops.step(_name(statement), lambda: Transaction.one(self, statement, **values))  # type: ignore[no-any-return,attr-defined]  # the slot is set at once.

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        return await self.stops.step(_name(statement), lambda: Transaction.all(self, statement, **values))  # type: ignore[no-any-return,attr-defined]  # as above.

    async def run(self, statement: Statement, /, **values: Any) -> int:
        return await self.stops.step(_name(statement), lambda: Transaction.run(self, statement, **values))  # type: ignore[no-any-return,attr-defined]  # as above.


class SteppingDatabase(Database):
    """The database, one step at a time."""

    def __init__(self, database: Database, stops: Stops) -> None:
        super().__init__(database.pool)
        self._stops = stops

    async def one(self, statement: Statement, /, **values: Any) -> Row | None:
        return await self._stops.step(_name(statement), lambda: Database.one(self, statement, **values))  # type: ignore[no-any-return]  # what it runs says.

    async def all(self, statement: Statement, /, **values: Any) -> list[Row]:
        return await self._stops.step(_name(statement), lambda: Database.all(self, statement, **values))  # type: ignore[no-any-return]  # as above.

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        return await self._stops.step(_name(statement), lambda: Database.value(self, statement, **values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        return await self._stops.step(_name(statement), lambda: Database.run(self, statement, **values))  # type: ignore[no-any-return]  # as above.

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        async with self.pool.acquire() as connection:
            open_transaction = connection.transaction()
            await open_transaction.start()
            stepping = SteppingTransaction(connection)
            stepping.stops = self._stops  # type: ignore[attr-defined]  # as above.
            try:
                yield stepping
                committed = False
                await self._stops.step("commit", open_transaction.commit)
                committed = True
            except BaseException:
                if connection.is_in_transaction():
                    await open_transaction.rollback()
                raise
            del committed


class SteppingEngine:
    """A simulator with steps."""

    def __init__(self, engine: Any, stops: Stops) -> None:
        self._engine, self._stops = engine, stops

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def create_charge(self, order: Any) -> Any:
        return await self._stops.step("engine creates", lambda: self._engine.create_charge(order))

    async def find_charge(self, reference: str, txid: str, account: Any = None) -> Any:
        return await self._stops.step("engine finds", lambda: self._engine.find_charge(reference, txid, account))

    async def cancel_charge(self, engine_id: str, account: Any = None) -> None:
        await self._stops.step("engine retires", lambda: self._engine.cancel_charge(engine_id, account))


def _name(statement: Statement) -> str:
    """The last table that the statement writes, to name the step."""
    words = statement.sql.replace("\n", " ").split()
    written = [words[n + 2] for n, word in enumerate(words) if word in {"INSERT", "DELETE"}]
    if "inserted_charges" in statement.sql:
        return "insert cycle charges"
    return f"writes {written[-1]}" if written else f"{words[0].lower()} {words[-1][:20]}"
