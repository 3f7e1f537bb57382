"""Compares operations of one root field with graphql-core: equal resolver calls and equal results for any arguments."""

import json
from typing import Any

import pytest
from graphql import (
    DocumentNode,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    get_nullable_type,
    is_enum_type,
    is_input_object_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
    is_required_argument,
    is_required_input_field,
    parse,
    validate,
)
from graphql.execution import Executor

from gateway.schema.compiled import CompiledExecutor
from gateway.schema.compiled.plan_cache import PlanCache
from gateway.schema.execution import Execution
from tests.schema.random_documents import BAD, CORE, DocumentGenerator
from tests.schema.sample_schema import SampleObject

DOCUMENTS = 100
VALUES = 12


class OperationGenerator:
    """Generates operations of one root field, with arguments omitted, as literals or as variables."""

    def __init__(self, generator: DocumentGenerator) -> None:
        self.generator, self.random = generator, generator.random
        self.variables: dict[str, Any] = {}

    def document(self, kind: GraphQLObjectType) -> str:
        """An operation; sets `variables` to the types that it declares."""
        self.generator.fragments, self.variables = [], {}
        declared: list[str] = []
        name = self.random.choice(ROOTS)
        arguments = " ".join(
            self._argument(argument, kind.fields[name].args[argument], declared) for argument in kind.fields[name].args
        )
        inner = get_named_type(kind.fields[name].type)
        chosen = self.generator.selection(inner, self.random.randint(0, 1)) if is_object_type(inner) else ""
        alias = self.random.choice(["", "", "found: "])
        extra = self.random.choice(["", "", "", "", "", "@include(if: true)", "__typename"])
        text = f"{alias}{name}{f'({arguments})' if arguments.strip() else ''} {'' if 'typename' in extra else extra} {chosen}"
        text = f"{{ {text} {extra if 'typename' in extra else ''} }} {' '.join(self.generator.fragments)}"
        declared += [
            f"${switch}: Boolean = {value}"
            for switch, value in (("yes", "true"), ("no", "false"))
            if f"${switch}" in text
        ]
        keyword = "mutation" if kind is CORE.mutation_type else "query"
        head = f"({', '.join(declared)})" if declared else ""
        return f"{keyword} {head} {text}"

    def values(self) -> dict[str, Any]:
        """Values of the variables, sometimes with missing or additional ones."""
        trouble = self.random.choice([0, 0, 0, 0.2])
        values = {
            name: self._value(kind, trouble) for name, kind in self.variables.items() if self.random.random() < 0.9
        }
        return values | ({"other": 1} if self.random.random() < 0.1 else {})

    def _argument(self, name: str, argument: Any, declared: list[str]) -> str:
        chance = self.random.random()
        required = is_required_argument(argument)
        if chance < 0.3 and not required:
            return ""
        if chance < 0.5:
            return f"{name}: {self._literal(argument.type, self._value(argument.type, 0))}"
        kind = argument.type
        if is_non_null_type(kind) and not required and self.random.random() < 0.5:
            kind = kind.of_type
        elif not is_non_null_type(kind) and self.random.random() < 0.3:
            kind = GraphQLNonNull(kind)
        default = f" = {self._literal(kind, self._value(kind, 0))}" if self.random.random() < 0.2 else ""
        declared.append(f"${name}: {kind}{default}")
        self.variables[name] = kind
        return f"{name}: ${name}"

    def _value(self, kind: Any, trouble: float) -> Any:
        """A JSON value of the input type, or sometimes of another."""
        if self.random.random() < trouble:
            return self.random.choice([None, "purple", 2**40, 1.5, True, [], {}, {"zz": 1}, [None], "red", 3])
        if is_non_null_type(kind):
            return self._of(kind.of_type, trouble)
        return None if self.random.random() < 0.2 else self._of(kind, trouble)

    def _of(self, kind: Any, trouble: float) -> Any:
        if is_list_type(kind):
            if self.random.random() < 0.2:
                return self._of(get_nullable_type(kind.of_type), trouble)
            return [self._value(kind.of_type, trouble) for _ in range(self.random.randint(0, 2))]
        if is_input_object_type(kind):
            chosen = [
                name
                for name, field in kind.fields.items()
                if is_required_input_field(field) or self.random.random() < 0.4
            ]
            self.random.shuffle(chosen)
            unknown = {"zz": 1} if self.random.random() < trouble else {}
            return {name: self._value(kind.fields[name].type, trouble) for name in chosen} | unknown
        return self.random.choice(_JSON[kind.name])

    def _literal(self, kind: Any, value: Any) -> str:
        kind = get_nullable_type(kind)
        if is_list_type(kind):
            kind = kind.of_type
            return (
                self._literal(kind, value)
                if not isinstance(value, list)
                else f"[{', '.join(self._literal(kind, one) for one in value)}]"
            )
        if is_input_object_type(kind) and value is not None:
            return f"{{{', '.join(f'{name}: {self._literal(kind.fields[name].type, one)}' for name, one in value.items())}}}"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{name}: {json.dumps(one)}' for name, one in value.items())}}}"
        return str(value) if is_enum_type(kind) and value is not None else json.dumps(value)


ROOTS = ["find", "sureFind", "order", "orders", "place", "maybe", "refused", "sum", "shade"]
_JSON: dict[str, list[Any]] = {
    "ID": ["a", 7],
    "String": ["José", ""],
    "Int": [0, -3, 2],
    "Float": [0.5, 1],
    "Boolean": [True, False],
    "Colour": ["red", "green"],
    "JSON": [{"a": 1}, [], "text", {}],
    "Reais": [12.5, 3, "a"],
    "DateTime": ["2026-01-01T00:00:00Z", "soon"],
}


class Ours(CompiledExecutor):
    plan_cache = PlanCache()


async def execute_recorded(
    document: DocumentNode, variables: dict[str, Any], context: dict[str, Any], executor: type[Executor]
) -> tuple[Any, list[Any], list[str], bool]:
    """The data, the errors, the resolvers' arguments, and whether it took the fast path."""
    context["seen"] = seen = []
    (operation, *_) = document.definitions
    execution = Execution(CORE, executor, document, context, variables, None)
    fast_path = executor.fast_path(CORE, operation) if issubclass(executor, CompiledExecutor) else None
    result = await fast_path.run(context, variables, execution.build) if fast_path is not None else None
    went = result is not None
    result = result or await execution.run()
    await execution.end()
    return result.data, [error.formatted for error in result.errors or ()], seen, went


@pytest.mark.seeds(6)
async def test_one_field_with_random_arguments_has_equal_results(seed: int) -> None:
    generator = DocumentGenerator(seed)
    operations, went = OperationGenerator(generator), 0
    for number in range(DOCUMENTS):
        kind = generator.random.choice([CORE.query_type, CORE.mutation_type])
        text = operations.document(kind)
        document = parse(text)
        assert number % 10 or validate(CORE, document) == [], text
        for _ in range(VALUES):
            variables, trouble = operations.values(), generator.random.choice([0, 0, 0, 0.05, 0.3])
            create = generator.plot(1, trouble) if generator.random.random() < 0.9 else generator.random.choice(BAD)
            read_info, raises = generator.random.random() < 0.1, generator.random.random() < 0.05
            *ours, fast_path = await execute_recorded(
                document, variables, {"plot": create(), "read_info": read_info, "raises": raises}, Ours
            )
            *reference, _ = await execute_recorded(
                document, variables, {"plot": create(), "read_info": read_info, "raises": raises}, Executor
            )
            assert repr(ours) == repr(reference), (text, variables)
            went += fast_path
    assert went > DOCUMENTS * VALUES / 6


FIND = "query($key: ID, $count: Int! = 7) { find(key: $key, count: $count, colour: red, title: null) { id } }"
ORDER = "mutation($order: Order!) { order(order: $order) { id } }"
STRAIGHT = {
    FIND: {"key": 7},
    ORDER: {"order": {"count": 1, "labels": ["a"], "metadata": {"a": "b"}}},
    "query($inputs: [Order!]) { orders(inputs: $inputs) { id } }": {"inputs": [{"count": 1}]},
    "query($first: Order) { orders(first: $first) { id } }": {"first": None},
    "query($spot: Spot!) { place(spot: $spot) { id plots { id } } }": {"spot": {"row": 1, "order": {"count": 1}}},
    "query($title: String) { maybe(title: $title) { id } }": {"title": None},
    "query($count: Int!) { more: sum(count: $count) }": {"count": 2},
    "{ plots { id doubled } }": {},
}
NOT_STRAIGHT = {
    "{ refused(count: 1) { id } }": {},
    "{ order(order: {count: 1}) { id } }": {},
    "query($place: Place, $spot: Spot!) { place(place: $place, spot: $spot) { id } }": {"spot": {"row": 1}},
    "query($yes: Boolean!) { plot @include(if: $yes) { id } }": {"yes": True},
    "{ plot { id } plots { id } }": {},
    "{ ... { plot { id } } }": {},
    "{ __typename }": {},
    FIND: {"count": None},
    ORDER: {"order": {}},
}


@pytest.mark.parametrize(
    ("text", "variables", "expected"),
    [(*case, True) for case in STRAIGHT.items()] + [(*case, False) for case in NOT_STRAIGHT.items()],
)
async def test_eligible_operations_take_the_fast_path_from_the_third_use(
    text: str, variables: dict[str, Any], expected: bool
) -> None:
    class Fresh(CompiledExecutor):
        plan_cache = PlanCache()

    document, went = parse(text), []
    assert validate(CORE, document) == []
    for _ in range(4):
        context = {"plot": SampleObject(id="a", count=1, plots=[]), "read_info": False, "raises": False}
        *ours, fast_path = await execute_recorded(document, variables, context, Fresh)
        *reference, _ = await execute_recorded(document, variables, context, Executor)
        assert ours == reference
        went.append(fast_path)
    assert went == [False, False, expected, expected]


async def test_an_executor_is_created_only_if_needed() -> None:
    class Counting(CompiledExecutor):
        plan_cache = PlanCache()
        created = 0

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            Counting.created += 1

    document, good, bad = (
        parse("{ find { id price } }"),
        SampleObject(id="a", price=12990),
        SampleObject(id=None, price=1),
    )
    created = []
    for plot, read_info, raises in [(good, False, False)] * 4 + [
        (good, True, False),
        (good, False, True),
        (bad, False, False),
    ]:
        before = Counting.created
        await execute_recorded(document, {}, {"plot": plot, "read_info": read_info, "raises": raises}, Counting)
        created.append(Counting.created - before)
    assert created == [1, 1, 0, 0, 1, 1, 1]
