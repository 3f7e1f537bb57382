"""The compiled executor against graphql-core: random documents over random values, good and bad, must answer alike.

Each seed makes documents with aliases, fragments, directives, unions, interfaces, resolvers and repeated fields, and for
each document values with nulls, errors, awaitables, missing attributes, wrong types. Both executors get the same.
"""

import gc
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLObjectType,
    execute,
    get_named_type,
    is_abstract_type,
    is_object_type,
    parse,
    validate,
)
from graphql.execution import Executor
from strawberry.execution import optimized_is_awaitable

from gateway.app import Gateway
from gateway.resolvers.context import Services
from gateway.schema.compiled import CompiledExecutor
from gateway.schema.compiled.plans import PlanBook
from gateway.schema.documents import Documents
from gateway.schema.kept import LONGEST, MOST_CHARACTERS, Kept
from gateway.settings import Settings
from tests.api import Api
from tests.schema.garden import SCHEMA, Bed, Colour

CORE = SCHEMA._schema
SEEDS = range(8)
DOCUMENTS = 160
VALUES = 40


class Gardener:
    """Makes documents and values from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # It makes cases, not secrets.
        self.fragments: list[str] = []

    def document(self) -> str:
        self.fragments = []
        roots = self.random.sample(["plot", "surePlot", "plots"], self.random.randint(1, 2))
        body = " ".join(f"{root} {self.selection(CORE.type_map['Plot'], 2)}" for root in roots)
        variables = "($yes: Boolean = true, $no: Boolean = false)"
        unused = "__typename @include(if: $yes) @skip(if: $no)"
        return f"query {variables} {{ {unused} {body} }} {' '.join(self.fragments)}"

    def selection(self, kind: Any, depth: int) -> str:
        if is_abstract_type(kind):
            return self._of_abstract(kind, depth)
        chosen = [self._field(kind, depth) for _ in range(self.random.randint(1, 5))]
        if self.random.random() < 0.2:
            chosen.append(f"... on {kind.name} {self._directive()} {self.selection(kind, depth - 1)}")
        if self.random.random() < 0.2:
            name = f"F{len(self.fragments)}"
            self.fragments.append("")
            self.fragments[int(name[1:])] = f"fragment {name} on {kind.name} {self.selection(kind, depth - 1)}"
            chosen.append(f"...{name} {self._directive()}")
        return f"{{ {' '.join(chosen)} }}"

    def _of_abstract(self, kind: Any, depth: int) -> str:
        members = CORE.get_possible_types(kind)
        chosen = self.random.sample(members, self.random.randint(0, len(members)))
        spread = [f"... on {member.name} {self.selection(member, depth)}" for member in chosen]
        return f"{{ __typename {' '.join(spread)} }}"

    def _field(self, kind: GraphQLObjectType, depth: int) -> str:
        name = self.random.choice(["__typename", *kind.fields])
        inner = get_named_type(kind.fields[name].type) if name in kind.fields else None
        nests = inner is not None and (is_object_type(inner) or is_abstract_type(inner))
        if nests and depth <= 0:
            name, nests = "__typename", False
        # The alias tells the field's name, so that two of the same answer key never conflict.
        alias = f"{name}_{self.random.randint(0, 2)}: " if self.random.random() < 0.25 else ""
        arguments = "(times: 3)" if alias == "doubled_1: " else ""
        return f"{alias}{name}{arguments} {self._directive()} {self.selection(inner, depth - 1) if nests else ''}"

    def _directive(self) -> str:
        if self.random.random() < 0.96:
            return ""
        return self.random.choice(["@include(if: $yes)", "@skip(if: $yes)", "@include(if: $no)"])

    def plot(self, depth: int, trouble: float) -> "Recipe":
        """What a plot holds. `trouble` is how likely each attribute is to be bad."""
        return Recipe(self, depth, trouble)

    def attribute(self, name: str, depth: int, trouble: float) -> Callable[[], Any] | None:
        """What makes an attribute of a plot; None where it is missing."""
        if self.random.random() < trouble / 8:
            return None
        if self.random.random() < trouble:
            return self.random.choice(_BAD)
        if name in _GOOD:
            value = self.random.choice(_GOOD[name])
            return lambda: value
        return self._nested(name, depth, trouble)

    def _nested(self, name: str, depth: int, trouble: float) -> Callable[[], Any]:
        if name in {"growth", "growths", "named"}:
            grown = [self._growth() for _ in range(self.random.randint(0, 2))]
            return (lambda: list(grown)) if name == "growths" else (lambda: grown[0] if grown else None)
        if name in {"plots", "spares"}:
            inner = [self.plot(depth - 1, trouble) for _ in range(self.random.randint(0, 3) if depth else 0)]
            holes = [name == "spares" and self.random.random() < 0.2 for _ in inner]
            return lambda: [None if hole else made() for made, hole in zip(inner, holes, strict=True)]
        return self.plot(depth - 1, trouble) if depth else lambda: None

    def _growth(self) -> Any:
        tree = Bed(kind="tree", name="oak", height=self.random.choice([None, 3, "tall"]))
        shrub = Bed(kind="shrub", name=self.random.choice(["box", None]), width=1.5)
        return self.random.choice([tree, shrub, Bed(kind="weed", name="nettle")])


class Recipe:
    """Makes a plot anew for each executor: an awaitable can be awaited only once. Decides on an attribute when it is
    first asked for, and then for good.
    """

    def __init__(self, gardener: Gardener, depth: int, trouble: float) -> None:
        self._gardener, self._depth, self._trouble = gardener, depth, trouble
        self._decided: dict[str, Callable[[], Any] | None] = {}

    def __call__(self) -> "Grown":
        return Grown(self)

    def make(self, name: str) -> Any:
        if name not in self._decided:
            self._decided[name] = self._gardener.attribute(name, self._depth, self._trouble)
        make = self._decided[name]
        if make is None:
            raise AttributeError(name)
        return make()


class Grown:
    """A plot by its recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe

    def __getattr__(self, name: str) -> Any:
        if name not in _GOOD and name not in _NESTED:
            raise AttributeError(name)
        value = self.__dict__[name] = self._recipe.make(name)
        return value

    def __repr__(self) -> str:
        return "Grown()"


_MOMENT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_GOOD: dict[str, list[Any]] = {
    "id": ["a", "b-1", 7],
    "title": ["José", "", None],
    "label": ["x", "\N{SNOWMAN}", 12, 1.5, True],
    "count": [0, 1, -5, 2**31 - 1, 3.0, "42", True],
    "size": [None, 4, -(2**31)],
    "ratio": [0.5, 1, "2.5", -0.0],
    "share": [None, 1e300],
    "open": [True, False, 1, 0.0],
    "shut": [None, False],
    "price": [0, 12990, 1],
    "discount": [None, 5],
    "made": [_MOMENT, "2026-01-01T00:00:00+00:00"],
    "gone": [None, _MOMENT],
    "colour": [Colour.red, "green", Colour.green],
    "tint": [None, Colour.red],
    "extra": [None, {"a": [1, None]}, [], "text", 0],
    "words": [[], ["a", "b"], ("c",)],
    "notes": [None, ["a", None], []],
    "grid": [None, [], [[1], [], [2, 3]]],
}
_NESTED = ("neighbour", "centre", "plots", "spares", "growth", "growths", "named")


async def _later(value: Any) -> Any:
    return value


_BAD: list[Callable[[], Any]] = [
    lambda: None,
    lambda: ValueError("stored error"),
    lambda: "text",
    lambda: 2**40,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: [None],
    lambda: [1, "a", ValueError("within")],
    lambda: {"a": 1},
    lambda: object,
    lambda: b"bytes",
    lambda: "purple",
    lambda: Asked("title"),
    lambda: Asked(None),
]


class Asked:
    """An awaitable that leaves no warning behind when nobody awaits it."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Asked()"

    def __await__(self) -> Iterator[Any]:
        return _later(self._value).__await__()  # type: ignore[return-value]  # A coroutine's own iterator.


class Ours(CompiledExecutor):
    book = PlanBook()


async def answer(document: DocumentNode, made: Callable[[], Any], executor: type[Executor]) -> tuple[Any, list[Any]]:
    """The data, and the errors in their order, as an answer shows them."""
    result = execute(
        CORE,
        document,
        context_value={"plot": made()},
        executor_class=executor,
        is_awaitable=optimized_is_awaitable,  # type: ignore[arg-type]  # Strawberry types it as a plain predicate.
    )
    if not isinstance(result, ExecutionResult):
        result = await result
    return result.data, [error.formatted for error in result.errors or ()]


def _told(outcome: tuple[Any, list[Any]]) -> str:
    """Text that tells True from 1, 1 from 1.0, NaN from null, and the order of keys."""
    return repr(outcome)


# Where a field fails at once, graphql-core drops what its siblings began. That is its own, with and without plans.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seed", SEEDS)
async def test_random_documents_over_random_values_answer_alike(seed: int) -> None:
    gardener = Gardener(seed)
    for number in range(DOCUMENTS):
        text = gardener.document()
        document = parse(text)
        if number % 10 == 0:
            assert validate(CORE, document) == [], text
        for _ in range(VALUES):
            made = gardener.plot(1, gardener.random.choice([0, 0, 0.01, 0.05, 0.3]))
            ours, reference = await answer(document, made, Ours), await answer(document, made, Executor)
            assert _told(ours) == _told(reference), text
    gc.collect()  # What was dropped shall be complained of here, where it is expected, and not in another test.


def test_the_comparison_is_of_fifty_thousand() -> None:
    assert len(SEEDS) * DOCUMENTS * VALUES > 50_000


TWICE = "{ plot { id price doubled neighbour { label } plots { id } } }"


def _plot() -> Bed:
    inner = Bed(id="b", label="inner")
    return Bed(id="a", price=12990, count=2, neighbour=inner, plots=[inner, inner])


async def test_a_document_is_compiled_at_its_second_use() -> None:
    class Fresh(CompiledExecutor):
        book = PlanBook()

    document, plans = parse(TWICE), []
    for _ in range(3):
        data, errors = await answer(document, _plot, Fresh)
        assert errors == []
        assert data["plot"] == {
            "id": "a",
            "price": 129.9,
            "doubled": 4,
            "neighbour": {"label": "inner"},
            "plots": [{"id": "b"}, {"id": "b"}],
        }
        entry = Fresh.book.kept.get(id(document.definitions[0]))
        assert entry is not None
        plans.append(entry[2])
    assert plans[0] is None
    assert plans[1] is plans[2] is not None
    (plan,) = plans[1]._known.values()
    assert plan is not None
    assert list(plan.rest) == ["doubled"]


async def test_the_book_keeps_the_operations_used_last() -> None:
    class Small(CompiledExecutor):
        book = PlanBook(Kept(most=3))

    documents = [parse(TWICE) for _ in range(10)]
    for document in documents:
        await answer(documents[0], _plot, Small)
        await answer(document, _plot, Small)
    assert len(Small.book.kept) == 3
    assert id(documents[0].definitions[0]) in Small.book.kept


async def test_neither_documents_nor_plans_are_kept_by_the_megabyte() -> None:
    class Fresh(CompiledExecutor):
        book = PlanBook()

    documents = Documents(CORE)
    tellers = [f"query Q{number} {{ plot {{ id @skip(if: false) }} }} # {'x' * 4000}" for number in range(600)]
    tellers.append(f"{{ plot {{ id }} }} # {'x' * LONGEST}")
    for text in tellers:
        document = documents.prepare(text).document
        assert document is not None
        await answer(document, _plot, Fresh)
    for kept in (documents.kept, Fresh.book.kept):
        assert MOST_CHARACTERS - LONGEST < kept.characters <= MOST_CHARACTERS
        assert len(kept) == kept.characters // len(tellers[-2])
    assert tellers[-2] in documents.kept
    assert tellers[-1] not in documents.kept


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


async def test_one_setting_leaves_everything_to_graphql_core(settings: Settings, services: Services) -> None:
    def used_last() -> int | None:
        return next(reversed(CompiledExecutor.book.kept._known), None)

    seen: list[tuple[bool, Any]] = []
    for compiled in (True, False):
        before = used_last()
        chosen = settings.model_copy(update={"graphql_compiled": compiled})
        async with Api.of(Gateway(chosen, services)) as api:
            answers = [await api.graphql("{ me { environment } }") for _ in range(3)]
        seen.append((used_last() != before, answers))
    (used, ours), (unused, reference) = seen
    assert ours == reference
    assert (used, unused) == (True, False)
