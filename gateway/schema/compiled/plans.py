"""Selections as functions, kept for the operations used last."""

from collections.abc import Callable
from typing import Any, TypeAlias

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    OperationDefinitionNode,
    SelectionSetNode,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetailsList, GroupedFieldSet
from graphql.type import is_introspection_type
from msgspec import Struct
from strawberry.types.field import StrawberryField

from gateway.schema.compiled import leaves
from gateway.schema.compiled.straight import Straight
from gateway.schema.document_cache import Kept

_TYPENAME = "__typename"

Show: TypeAlias = Callable[[Any], dict[str, Any]]


class Plan(Struct, frozen=True):
    """`show` gives the whole object in the order of the selection, with None for each field of `rest`, which are
    graphql-core's to execute.
    """

    show: Show
    rest: GroupedFieldSet


class Plans:
    """The plans of one operation. Holds the nodes by whose identity it knows them."""

    def __init__(self, executor: "Executor[Any]") -> None:
        self.schema = executor.schema
        self._held = (executor.operation, executor.fragment_definitions)
        self._known: dict[tuple[GraphQLObjectType, tuple[int, ...]], Plan | None] = {}
        self.straight = _straight(executor)
        """What executes the operation without an executor, if it is that simple."""

    def of(self, executor: "Executor[Any]", kind: GraphQLObjectType, asked: FieldDetailsList) -> Plan | None:
        """The plan of an object's selection, or None where graphql-core does better."""
        key = (kind, tuple([id(details.node) for details in asked]))
        try:
            return self._known[key]
        except KeyError:
            plan = self._known[key] = _Compiler(executor).plan(kind, asked)
            return plan


Entry: TypeAlias = tuple[OperationDefinitionNode, GraphQLSchema, Plans | None]


class PlanBook:
    """Plans by operation. An operation that is executed once costs one entry and no compilation; one of a document that
    isn't kept is another operation each time, and costs nothing.
    """

    def __init__(self, kept: Kept[int, Entry] | None = None) -> None:
        self.kept = Kept() if kept is None else kept

    def open(self, executor: "Executor[Any]") -> Plans | None:
        """The plans of the executor's operation; None when it is executed for the first time."""
        operation, schema = executor.operation, executor.schema
        known = self.kept.get(id(operation))
        if known is None or known[1] is not schema:
            self._keep(operation, schema, None)
            return None
        if known[2] is not None:
            return known[2]
        plans = Plans(executor)
        self._keep(operation, schema, plans)
        return plans

    def known(self, operation: OperationDefinitionNode, schema: GraphQLSchema) -> Plans | None:
        """The plans of an operation that was executed twice."""
        known = self.kept.get(id(operation))
        return known[2] if known is not None and known[1] is schema else None

    def _keep(self, operation: OperationDefinitionNode, schema: GraphQLSchema, plans: Plans | None) -> None:
        if operation.loc is not None:
            self.kept.keep(id(operation), (operation, schema, plans), len(operation.loc.source.body))


class _Compiler:
    """Compiles selections of one operation, with the executor to collect their fields."""

    def __init__(self, executor: "Executor[Any]") -> None:
        self._executor = executor

    def plan(self, kind: GraphQLObjectType, asked: FieldDetailsList) -> Plan | None:
        if kind.is_type_of is not None or is_introspection_type(kind):
            return None
        if any(details.fragment_variable_values for details in asked):
            return None
        if not all(self._is_plain(details.node.selection_set) for details in asked):
            return None
        fields = self._executor.collect_subfields(kind, asked).grouped_field_set
        return self._compiled(kind, fields)

    def _is_plain(self, selection: SelectionSetNode | None) -> bool:
        """Whether what is selected is the same for all variables: no directive anywhere within."""
        return selection is None or all(
            not node.directives and self._is_plain_within(node) for node in selection.selections
        )

    def _is_plain_within(self, node: Any) -> bool:
        if isinstance(node, FragmentSpreadNode):
            fragment = self._executor.fragment_definitions[node.name.value]
            return not fragment.variable_definitions and self._is_plain(fragment.selection_set)
        return self._is_plain(node.selection_set)

    def _compiled(self, kind: GraphQLObjectType, fields: GroupedFieldSet) -> Plan | None:
        members: list[str] = []
        names: dict[str, Any] = {}
        rest: GroupedFieldSet = {}
        for shown, asked in fields.items():
            source = self._source(kind, asked, names)
            if source is None:
                rest[shown] = asked
            members.append(f"{shown!r}: {source}")
        if len(rest) == len(fields):
            return None
        code = f"def plan(s):\n    return {{{', '.join(members)}}}\n"
        exec(compile(code, f"<plan of {kind.name}>", "exec"), names)  # noqa: S102  # The text is made of our own schema's names and the document's response names, which are GraphQL names.
        return Plan(names["plan"], rest)

    def _source(self, kind: GraphQLObjectType, asked: FieldDetailsList, names: dict[str, Any]) -> str | None:
        """The expression that shows a field, or None if it isn't plain."""
        node = asked[0].node
        if node.name.value == _TYPENAME:
            return repr(kind.name)
        field = kind.fields.get(node.name.value)
        attribute = _attribute(field, node) if field is not None else None
        if field is None or attribute is None:
            return None
        inner, nullable = _nullable(field.type)
        function = f"f{len(names)}"
        if is_leaf_type(inner):
            names[function] = leaves.completion(inner, nullable=nullable)
            return leaves.expression(inner, f"s.{attribute}", function, nullable=nullable)
        complete = self.completion(field.type, asked)
        if complete is None:
            return None
        names[function] = complete
        return f"{function}(s.{attribute})"

    def completion(self, kind: GraphQLOutputType, asked: FieldDetailsList) -> Callable[[Any], Any] | None:
        """What shows a value of any plain type."""
        inner, nullable = _nullable(kind)
        if is_leaf_type(inner):
            return leaves.completion(inner, nullable=nullable)
        if is_list_type(inner):
            item = self.completion(inner.of_type, asked)
            return leaves.listed(item, nullable=nullable) if item else None
        if is_object_type(inner):
            plan = self.plan(inner, asked)
            return leaves.guarded(plan.show, nullable=nullable) if plan and not plan.rest else None
        return None


def _straight(executor: "Executor[Any]") -> Straight | None:
    try:
        return Straight(executor, _Compiler(executor).completion)
    except leaves.Irregular:
        return None


def _attribute(field: GraphQLField, node: FieldNode) -> str | None:
    """The attribute that a field merely shows."""
    declared = field.extensions.get("strawberry-definition")
    if not isinstance(declared, StrawberryField) or not getattr(field.resolve, "_is_default", False):
        return None
    if not declared.is_basic_field or declared.default_resolver is not getattr:
        return None
    name = declared.python_name or ""
    return name if name.isidentifier() and not field.args and not node.arguments else None


def _nullable(kind: GraphQLOutputType) -> tuple[Any, bool]:
    return (kind.of_type, False) if is_non_null_type(kind) else (kind, True)
