"""A request leaves nothing behind, however its fields fail: no task that goes on, no coroutine that nobody awaits."""

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
MOMENTS = range(5)


async def wait(moments: int) -> None:
    for _ in range(moments):
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


CORE = strawberry.Schema(Query)._schema  # Strawberry offers no public way to its graphql-core schema.
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
def nothing_dropped() -> Iterator[None]:
    before = asyncio.all_tasks()
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert [str(complaint.message) for complaint in complaints] == []
    assert asyncio.all_tasks() == before


async def executed(kind: type[Executor[Any]], document: Any, variables: dict[str, Any]) -> ExecutionResult:
    execution, before = Execution(CORE, kind, document, None, variables, None), asyncio.all_tasks()
    try:
        result = await execution.run()
    finally:
        await execution.end()
    assert asyncio.all_tasks() == before
    return result


async def assert_the_failure_alone_is_told(kind: type[Executor[Any]], document: Any, variables: dict[str, Any]) -> None:
    for _ in range(3):  # By then it is compiled.
        result = await executed(kind, document, variables)
        assert result.data is None
        assert [error.path for error in result.errors or ()] == [["fails"]]


@pytest.mark.parametrize("kind", KINDS)
async def test_siblings_of_a_field_that_fails_end_before_the_answer(kind: type[Executor[Any]]) -> None:
    with nothing_dropped():
        for fails, works in product(MOMENTS, MOMENTS):
            await assert_the_failure_alone_is_told(kind, ONE_FAILS, {"fails": fails, "works": works})


@pytest.mark.parametrize("kind", KINDS)
async def test_siblings_of_a_field_that_is_refused_at_once_are_not_begun(kind: type[Executor[Any]]) -> None:
    with nothing_dropped():
        await assert_the_failure_alone_is_told(kind, ONE_IS_REFUSED, {"fails": None, "works": 1})


@pytest.mark.parametrize("kind", KINDS)
async def test_a_request_that_is_given_up_ends_as_a_whole(kind: type[Executor[Any]]) -> None:
    with nothing_dropped():
        for moment in range(8):
            request = asyncio.create_task(executed(kind, ONE_FAILS, {"fails": 9, "works": 2}))
            await wait(moment)
            request.cancel()
            with pytest.raises(asyncio.CancelledError):
                await request
            await wait(3)  # The cancellation passes from task to task, a step at a time.


@pytest.mark.parametrize("compiled", [True, False])
async def test_the_transport_answers_when_all_has_ended(
    settings: Settings, services: Services, merchant: Merchant, compiled: bool
) -> None:
    query = """query ($order: ChargeOrder = created_at_desc) {
        me { user { id } } sessions { id } charges(order: $order) { totalCount }
    }"""
    chosen = settings.model_copy(update={"graphql_fast_path": compiled})
    async with Api.of(Gateway(chosen, services)) as api:
        before = asyncio.all_tasks()
        for _ in range(3):
            asked = {"query": query, "variables": {"order": None}}
            answer = (await api.request("POST", "/graphql", asked, token=merchant.key)).json()
            assert answer["data"] == {"me": {"user": {"id": merchant.id}}, "sessions": None, "charges": None}
            assert sorted(error["path"] for error in answer["errors"]) == [["charges"], ["sessions"]]
            assert asyncio.all_tasks() == before


async def test_statements_of_siblings_end_and_their_connections_live(database: Database) -> None:
    """A statement that is canceled costs its connection: a list with a field that fails beside its
    total would cost one each time.
    """
    patient = ShieldedDatabase(database)
    waiting = "select pid from pg_locks where relation = 'products'::regclass and not granted"
    async with database.transaction() as transaction:
        await transaction.connection.execute("lock table products in access exclusive mode")
        asking = asyncio.create_task(patient.value(Statement(text("select count(*) from products"))))
        while not (pid := await sql.value(database, waiting)):
            assert not asking.done()
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        ending = asyncio.create_task(patient.finished())
        await asyncio.sleep(0.1)
        assert not ending.done()
    await ending
    assert await sql.value(database, "select count(*) from pg_stat_activity where pid = $1", pid) == 1
