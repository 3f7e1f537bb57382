"""Generates documents and values for the differential tests, determined by the seed."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from graphql import GraphQLObjectType, get_named_type, is_abstract_type, is_object_type

from tests.schema.sample_schema import SCHEMA, Colour, SampleObject

CORE = SCHEMA._schema


class DocumentGenerator:
    """Generates documents and values from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # For test cases, not secrets.
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
        # The alias contains the field's name, so that equal response keys never conflict.
        alias = f"{name}_{self.random.randint(0, 2)}: " if self.random.random() < 0.25 else ""
        arguments = "(times: 3)" if alias == "doubled_1: " else ""
        return f"{alias}{name}{arguments} {self._directive()} {self.selection(inner, depth - 1) if nests else ''}"

    def _directive(self) -> str:
        if self.random.random() < 0.96:
            return ""
        return self.random.choice(["@include(if: $yes)", "@skip(if: $yes)", "@include(if: $no)"])

    def plot(self, depth: int, trouble: float) -> "PlotFactory":
        """The values of a plot. `trouble` is the probability of an invalid attribute."""
        return PlotFactory(self, depth, trouble)

    def attribute(self, name: str, depth: int, trouble: float) -> Callable[[], Any] | None:
        """A factory of an attribute of a plot; None if it is missing."""
        if self.random.random() < trouble / 8:
            return None
        if self.random.random() < trouble:
            return self.random.choice(BAD)
        if name in GOOD:
            value = self.random.choice(GOOD[name])
            return lambda: value
        return self._nested(name, depth, trouble)

    def _nested(self, name: str, depth: int, trouble: float) -> Callable[[], Any]:
        if name in {"growth", "growths", "named"}:
            grown = [self._growth() for _ in range(self.random.randint(0, 2))]
            return (lambda: list(grown)) if name == "growths" else (lambda: grown[0] if grown else None)
        if name in {"plots", "spares"}:
            inner = [self.plot(depth - 1, trouble) for _ in range(self.random.randint(0, 2) if depth else 0)]
            holes = [name == "spares" and self.random.random() < 0.2 for _ in inner]
            return lambda: [None if hole else create() for create, hole in zip(inner, holes, strict=True)]
        return self.plot(depth - 1, trouble) if depth else lambda: None

    def _growth(self) -> Any:
        tree = SampleObject(kind="tree", name="oak", height=self.random.choice([None, 3, "tall"]))
        shrub = SampleObject(kind="shrub", name=self.random.choice(["box", None]), width=1.5)
        return self.random.choice([tree, shrub, SampleObject(kind="weed", name="nettle")])


class PlotFactory:
    """Creates equal plots for each executor, as an awaitable can be awaited only once.

    An attribute is chosen at its first use.
    """

    def __init__(self, generator: DocumentGenerator, depth: int, trouble: float) -> None:
        self._generator, self._depth, self._trouble = generator, depth, trouble
        self._decided: dict[str, Callable[[], Any] | None] = {}

    def __call__(self) -> "GeneratedPlot":
        return GeneratedPlot(self)

    def create(self, name: str) -> Any:
        if name not in self._decided:
            self._decided[name] = self._generator.attribute(name, self._depth, self._trouble)
        create = self._decided[name]
        if create is None:
            raise AttributeError(name)
        return create()


class GeneratedPlot:
    """A plot with attributes of its factory."""

    def __init__(self, factory: PlotFactory) -> None:
        self._factory = factory

    def __getattr__(self, name: str) -> Any:
        if name not in GOOD and name not in NESTED:
            raise AttributeError(name)
        value = self.__dict__[name] = self._factory.create(name)
        return value

    def __repr__(self) -> str:
        return "GeneratedPlot()"


TIMESTAMP = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
GOOD: dict[str, list[Any]] = {
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
    "made": [TIMESTAMP, "2026-01-01T00:00:00+00:00"],
    "gone": [None, TIMESTAMP],
    "colour": [Colour.red, "green", Colour.green],
    "tint": [None, Colour.red],
    "extra": [None, {"a": [1, None]}, [], "text", 0],
    "words": [[], ["a", "b"], ("c",)],
    "notes": [None, ["a", None], []],
    "grid": [None, [], [[1], [], [2, 3]]],
}
NESTED = ("neighbour", "centre", "plots", "spares", "growth", "growths", "named")


async def _later(value: Any) -> Any:
    return value


BAD: list[Callable[[], Any]] = [
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
    lambda: SilentAwaitable("title"),
    lambda: SilentAwaitable(None),
]


class SilentAwaitable:
    """An awaitable that causes no warning if it is never awaited."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "SilentAwaitable()"

    def __await__(self) -> Iterator[Any]:
        return _later(self._value).__await__()  # type: ignore[return-value]  # A coroutine's own iterator.
