"""Compares the compiled executor with graphql-core: equal results for random documents over random values.

Documents have aliases, fragments, directives, unions, interfaces, resolvers and repeated fields. Values include nulls,
errors, awaitables, missing attributes and wrong types.
"""

from collections.abc import Callable
from typing import Any

import pytest
from graphql import DocumentNode, execute, parse, validate
from graphql.execution import Executor

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.schema.compiled import CompiledExecutor
from gateway.schema.compiled.plan_cache import PlanCache
from gateway.schema.document_cache import MAX_CHARACTERS, MAX_ENTRY_CHARACTERS, DocumentCache, SizeBoundedLRUCache
from gateway.schema.execution import Execution
from gateway.settings import Settings
from tests.api_client import Api
from tests.schema.plans import plans_of
from tests.schema.product_requests import REQUESTS, answers_to_all
from tests.schema.random_documents import CORE, DocumentGenerator
from tests.schema.sample_schema import SampleObject

DOCUMENTS = 160
VALUES = 40  # Per document.


class Ours(CompiledExecutor):
    plan_cache = PlanCache()


async def execute_plot(
    document: DocumentNode, create: Callable[[], Any], executor: type[Executor]
) -> tuple[Any, list[Any]]:
    """The data, and the errors in their order, as in a response."""
    execution = Execution(CORE, executor, document, {"plot": create()}, None, None)
    result = await execution.run()
    await execution.end()
    return result.data, [error.formatted for error in result.errors or ()]


def _comparable(outcome: tuple[Any, list[Any]]) -> str:
    """A text that distinguishes True from 1, 1 from 1.0, NaN from null, and orders of keys."""
    return repr(outcome)


@pytest.mark.seeds(8)
async def test_random_documents_over_random_values_have_equal_results(seed: int) -> None:
    generator = DocumentGenerator(seed)
    for number in range(DOCUMENTS):
        text = generator.document()
        document = parse(text)
        if number % 10 == 0:
            assert validate(CORE, document) == [], text
        for _ in range(VALUES):
            create = generator.plot(1, generator.random.choice([0, 0, 0.01, 0.05, 0.3]))
            ours, reference = await execute_plot(document, create, Ours), await execute_plot(document, create, Executor)
            assert _comparable(ours) == _comparable(reference), text


TWICE = "{ plot { id price doubled neighbour { label } plots { id } } }"


def _plot() -> SampleObject:
    inner = SampleObject(id="b", label="inner")
    return SampleObject(id="a", price=12990, count=2, neighbour=inner, plots=[inner, inner])


async def test_a_document_is_compiled_at_its_second_use() -> None:
    class Fresh(CompiledExecutor):
        plan_cache = PlanCache()

    document, plans = parse(TWICE), []
    for _ in range(3):
        data, errors = await execute_plot(document, _plot, Fresh)
        assert errors == []
        assert data["plot"] == {
            "id": "a",
            "price": 129.9,
            "doubled": 4,
            "neighbour": {"label": "inner"},
            "plots": [{"id": "b"}, {"id": "b"}],
        }
        entry = Fresh.plan_cache.cache.get(id(document.definitions[0]))
        assert entry is not None
        plans.append(entry[2])
    assert plans[0] is None
    assert plans[1] is plans[2] is not None
    (plan,) = plans[1]._plans.values()
    assert plan is not None
    assert list(plan.rest) == ["doubled"]


async def test_the_plan_cache_evicts_the_least_recently_used() -> None:
    class Small(CompiledExecutor):
        plan_cache = PlanCache(SizeBoundedLRUCache(max_entries=3))

    documents = [parse(TWICE) for _ in range(10)]
    for document in documents:
        await execute_plot(documents[0], _plot, Small)
        await execute_plot(document, _plot, Small)
    assert len(Small.plan_cache.cache) == 3
    assert id(documents[0].definitions[0]) in Small.plan_cache.cache


async def test_caches_of_documents_and_plans_are_bounded() -> None:
    class Fresh(CompiledExecutor):
        plan_cache = PlanCache()

    documents = DocumentCache(CORE)
    texts = [f"query Q{number} {{ plot {{ id @skip(if: false) }} }} # {'x' * 4000}" for number in range(600)]
    texts.append(f"{{ plot {{ id }} }} # {'x' * MAX_ENTRY_CHARACTERS}")
    for text in texts:
        document = documents.prepare(text).operations[0].document
        assert document is not None
        await execute_plot(document, _plot, Fresh)
    for cache in (documents.cache, Fresh.plan_cache.cache):
        assert MAX_CHARACTERS - MAX_ENTRY_CHARACTERS < cache.characters <= MAX_CHARACTERS
        assert len(cache) == cache.characters // len(texts[-2])
    assert texts[-2] in documents.cache
    assert texts[-1] not in documents.cache


def test_middleware_sees_every_field() -> None:
    seen: list[str] = []

    def watch(following: Callable[..., Any], source: Any, info: Any, **arguments: Any) -> Any:
        seen.append(info.field_name)
        return following(source, info, **arguments)

    document = parse("{ plot { id price } }")
    for _ in range(3):
        seen.clear()
        execute(CORE, document, context_value={"plot": _plot()}, middleware=[watch], executor_class=Ours)
        assert seen == ["plot", "id", "price"]


async def test_a_setting_disables_the_compiled_executor(settings: Settings, services: Services) -> None:
    seen: list[tuple[int, Any]] = []
    token: str | None = None
    for comment, compiled in (("by plans", True), ("by graphql-core", False)):
        chosen = settings.model_copy(update={"graphql_fast_path": compiled})
        async with Api.of(Gateway(chosen, services)) as api:
            token = token or (await api.register_merchant()).key
            answers = await answers_to_all(api, token, comment)
        seen.append((len(plans_of(comment)), answers))
    (used, ours), (unused, reference) = seen
    assert ours == reference
    assert (used, unused) == (len({text for text, _ in REQUESTS}), 0)
