"""A request with failing fields leaves no running task and no coroutine without an await."""

import asyncio
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
import strawberry
from graphql import ExecutionResult, parse
from graphql.execution import Executor
from sqlalchemy import text

from gateway.app import Gateway
from gateway.models.cancellation import ShieldedDatabase
from gateway.models.database import Database, Statement
from gateway.resolvers.core.context import Services
from gateway.schema.compiled import CompiledExecutor
from gateway.schema.execution import Execution
from gateway.settings import Settings
from tests import sql
from tests.api_client import Api, Merchant

KINDS = (CompiledExecutor, Executor)
STEPS = range(5)


async def wait(steps: int) -> None:
    for _ in range(steps):
        await asyncio.sleep(0)


@strawberry.type
class Leaf:
    size: int = 1

    @strawberry.field
    async def colour(self) -> str:
        return "green"

    @strawberry.field
    async def shade(self) -> str:
        return "dark"


@strawberry.type
class Branch:
    leaf: Leaf = strawberry.field(default_factory=Leaf)


@strawberry.type
class Query:
    @strawberry.field
    async def fails(self, after: int) -> int:
        await wait(after)
        raise LookupError

    @strawberry.field
    async def branch(self, after: int) -> Branch:
        await wait(after)
        return Branch()

    @strawberry.field
    async def leaves(self, after: int) -> list[Leaf]:
        await wait(after)
        return [Leaf(), Leaf()]


CORE = strawberry.Schema(Query)._schema  # Strawberry has no public attribute for its graphql-core schema.
ONE_FAILS = parse("""
query ($fails: Int!, $works: Int!) {
  branch(after: $works) { leaf { size colour shade } }
  fails(after: $fails)
  leaves(after: $works) { shade size colour }
}
""")
ONE_IS_REFUSED = parse("""
query ($fails: Int = 1, $works: Int!) {
  branch(after: $works) { leaf { size colour shade } }
  leaves(after: $works) { shade size colour }
  fails(after: $fails)
}
""")


@contextmanager
def assert_nothing_left() -> Iterator[None]:
    before = asyncio.all_tasks()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
    assert asyncio.all_tasks() == before


async def run_to_end(kind: type[Executor[Any]], document: Any, variables: dict[str, Any]) -> ExecutionResult:
    execution, before = Execution(CORE, kind, document, None, variables, None), asyncio.all_tasks()
    try:
        result = await execution.run()
    finally:
        await execution.end()
    assert asyncio.all_tasks() == before
    return result


async def assert_only_failure_reported(kind: type[Executor[Any]], document: Any, variables: dict[str, Any]) -> None:
    for _ in range(3):  # The third use is compiled.
        result = await run_to_end(kind, document, variables)
        assert result.data is None
        assert [error.path for error in result.errors or ()] == [["fails"]]


@pytest.mark.parametrize("kind", KINDS)
async def test_siblings_of_a_failing_field_end_before_the_response(kind: type[Executor[Any]]) -> None:
    with assert_nothing_left():
        for fails, works in product(STEPS, STEPS):
            await assert_only_failure_reported(kind, ONE_FAILS, {"fails": fails, "works": works})


@pytest.mark.parametrize("kind", KINDS)
async def test_siblings_of_a_refused_field_are_not_started(kind: type[Executor[Any]]) -> None:
    with assert_nothing_left():
        await assert_only_failure_reported(kind, ONE_IS_REFUSED, {"fails": None, "works": 1})


@pytest.mark.parametrize("kind", KINDS)
async def test_a_cancelled_request_ends_completely(kind: type[Executor[Any]]) -> None:
    with assert_nothing_left():
        for steps in range(8):
            request = asyncio.create_task(run_to_end(kind, ONE_FAILS, {"fails": 9, "works": 2}))
            await wait(steps)
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
            await wait(3)  # The cancellation takes one step per task.


@pytest.mark.parametrize("compiled", [True, False])
async def test_the_transport_responds_after_all_fields_have_ended(
    settings: Settings, services: Services, merchant: Merchant, compiled: bool
) -> None:
    query = """query ($order: ChargeOrder = created_at_desc) {
        me { user { id } } sessions { id } charges(order: $order) { totalCount }
    }"""
    chosen = settings.model_copy(update={"graphql_fast_path": compiled})
    async with Api.of(Gateway(chosen, services)) as api:
        before = asyncio.all_tasks()
        for _ in range(3):
            body = {"query": query, "variables": {"order": None}}
            answer = (await api.request("POST", "/graphql", body, token=merchant.key)).json()
            assert answer["data"] == {"me": {"user": {"id": merchant.id}}, "sessions": None, "charges": None}
            assert sorted(error["path"] for error in answer["errors"]) == [["charges"], ["sessions"]]
            assert asyncio.all_tasks() == before


async def test_statements_of_siblings_end_without_losing_connections(database: Database) -> None:
    """A cancelled statement closes its connection, so failing fields must not cancel a list's total."""
    shielded = ShieldedDatabase(database)
    waiting = "select pid from pg_locks where relation = 'products'::regclass and not granted"
    async with database.transaction() as transaction:
        await transaction.connection.execute("lock table products in access exclusive mode")
        counting = asyncio.create_task(shielded.value(Statement(text("select count(*) from products"))))
        while not (pid := await sql.value(database, waiting)):
            assert not counting.done()
            await asyncio.sleep(0.01)
        counting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await counting
        ending = asyncio.create_task(shielded.finished())
        await asyncio.sleep(0.1)
        assert not ending.done()
    await ending
    assert await sql.value(database, "select count(*) from pg_stat_activity where pid = $1", pid) == 1
