"""Compiles selections into functions, and caches them for the operations used last."""

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

from gateway.schema.compiled.completion import Fallback, complete_leaf, complete_list, complete_object, expression
from gateway.schema.compiled.single_field import FastPath
from gateway.schema.document_cache import SizeBoundedLRUCache

_TYPENAME = "__typename"

Serializer: TypeAlias = Callable[[Any], dict[str, Any]]


class Plan(Struct, frozen=True):
    """`serialize` returns an object's fields in order, with None for those of `rest`, which graphql-core executes."""

    serialize: Serializer
    rest: GroupedFieldSet


class Plans:
    """The plans of one operation. It refers to the nodes, for their ids are keys."""

    def __init__(self, executor: "Executor[Any]") -> None:
        self.schema = executor.schema
        self._nodes = (executor.operation, executor.fragment_definitions)
        self._plans: dict[tuple[GraphQLObjectType, tuple[int, ...]], Plan | None] = {}
        self.fast_path = _fast_path(executor)
        """Executes the operation without an executor, if it is simple enough."""

    def of(self, executor: "Executor[Any]", kind: GraphQLObjectType, details: FieldDetailsList) -> Plan | None:
        """The plan of an object's selection; None if graphql-core executes it."""
        key = (kind, tuple([id(each.node) for each in details]))
        try:
            return self._plans[key]
        except KeyError:
            plan = self._plans[key] = _Compiler(executor).plan(kind, details)
            return plan


Entry: TypeAlias = tuple[OperationDefinitionNode, GraphQLSchema, Plans | None]


class PlanCache:
    """Plans by operation, compiled in its second execution. An operation of an uncached document is new each time."""

    def __init__(self, cache: SizeBoundedLRUCache[int, Entry] | None = None) -> None:
        self.cache = SizeBoundedLRUCache() if cache is None else cache

    def open(self, executor: "Executor[Any]") -> Plans | None:
        """The plans of the executor's operation; None in its first execution."""
        operation, schema = executor.operation, executor.schema
        known = self.cache.get(id(operation))
        if known is None or known[1] is not schema:
            self._put(operation, schema, None)
            return None
        if known[2] is not None:
            return known[2]
        plans = Plans(executor)
        self._put(operation, schema, plans)
        return plans

    def known(self, operation: OperationDefinitionNode, schema: GraphQLSchema) -> Plans | None:
        """The plans of an operation, if it was executed twice."""
        known = self.cache.get(id(operation))
        return known[2] if known is not None and known[1] is schema else None

    def _put(self, operation: OperationDefinitionNode, schema: GraphQLSchema, plans: Plans | None) -> None:
        if operation.loc is not None:
            self.cache.put(id(operation), (operation, schema, plans), len(operation.loc.source.body))


class _Compiler:
    """Compiles the selections of one operation. The executor collects their fields."""

    def __init__(self, executor: "Executor[Any]") -> None:
        self._executor = executor

    def plan(self, kind: GraphQLObjectType, details: FieldDetailsList) -> Plan | None:
        if kind.is_type_of is not None or is_introspection_type(kind):
            return None
        if any(each.fragment_variable_values for each in details):
            return None
        if not all(self._is_plain(each.node.selection_set) for each in details):
            return None
        fields = self._executor.collect_subfields(kind, details).grouped_field_set
        return self._compiled(kind, fields)

    def _is_plain(self, selection: SelectionSetNode | None) -> bool:
        """Whether the selection is the same for all variables: it has no directives."""
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
        for response_name, details in fields.items():
            source = self._source(kind, details, names)
            if source is None:
                rest[response_name] = details
            members.append(f"{response_name!r}: {source}")
        if len(rest) == len(fields):
            return None
        code = f"def plan(s):\n    return {{{', '.join(members)}}}\n"
        exec(compile(code, f"<plan of {kind.name}>", "exec"), names)  # noqa: S102  # It contains only names of our schema, and response names, which are GraphQL names.
        return Plan(names["plan"], rest)

    def _source(self, kind: GraphQLObjectType, details: FieldDetailsList, names: dict[str, Any]) -> str | None:
        """The expression of a field, or None if it isn't plain."""
        node = details[0].node
        if node.name.value == _TYPENAME:
            return repr(kind.name)
        field = kind.fields.get(node.name.value)
        attribute = _attribute(field, node) if field is not None else None
        if field is None or attribute is None:
            return None
        inner, nullable = _nullable(field.type)
        function = f"f{len(names)}"
        if is_leaf_type(inner):
            names[function] = complete_leaf(inner, nullable=nullable)
            return expression(inner, f"s.{attribute}", function, nullable=nullable)
        complete = self.completion(field.type, details)
        if complete is None:
            return None
        names[function] = complete
        return f"{function}(s.{attribute})"

    def completion(self, kind: GraphQLOutputType, details: FieldDetailsList) -> Callable[[Any], Any] | None:
        """The function that completes a value of a plain type."""
        inner, nullable = _nullable(kind)
        if is_leaf_type(inner):
            return complete_leaf(inner, nullable=nullable)
        if is_list_type(inner):
            item = self.completion(inner.of_type, details)
            return complete_list(item, nullable=nullable) if item else None
        if is_object_type(inner):
            plan = self.plan(inner, details)
            return complete_object(plan.serialize, nullable=nullable) if plan and not plan.rest else None
        return None


def _fast_path(executor: "Executor[Any]") -> FastPath | None:
    try:
        return FastPath(executor, _Compiler(executor).completion)
    except Fallback:
        return None


def _attribute(field: GraphQLField, node: FieldNode) -> str | None:
    """The attribute that a field without a resolver returns."""
    declared = field.extensions.get("strawberry-definition")
    if not isinstance(declared, StrawberryField) or not getattr(field.resolve, "_is_default", False):
        return None
    if not declared.is_basic_field or declared.default_resolver is not getattr:
        return None
    name = declared.python_name or ""
    return name if name.isidentifier() and not field.args and not node.arguments else None


def _nullable(kind: GraphQLOutputType) -> tuple[Any, bool]:
    return (kind.of_type, False) if is_non_null_type(kind) else (kind, True)
