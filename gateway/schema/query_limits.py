"""Limits on the size of a GraphQL request, measured before its validation and execution.

Thirty fragments that each spread the next one twice select a billion fields. So each fragment is measured once and
counted at each spread, over all operations of the document. A variable's value is counted at each use.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
)
from msgspec import Struct

from gateway.errors import InvalidInput

MAX_DOCUMENT_CHARACTERS = 100_000
MAX_FIELDS = 1000
MAX_ALIASES = 128
MAX_FRAGMENT_SPREADS = 100
MAX_REPEATED_FIELDS = 50
"""Repeated response names in a selection set; merging them takes quadratic time."""
MAX_DEPTH = 12
MAX_OPERATIONS = 50
MAX_MUTATIONS = 10
"""Mutation fields of one operation."""
MAX_INTROSPECTIONS = 10
"""Fields `__schema` and `__type` of a document."""
MAX_INTROSPECTION_DEPTH = 20
MAX_INLINE_VALUES = 1000
"""Items of lists and fields of objects in the document's literals."""
MAX_INLINE_DEPTH = 32
RELATION_COST, CONNECTION_COST = 12, 5
"""The cost of a field with a selection, and of `edges` and `node`; other fields cost one."""
MAX_VARIABLE_VALUES = 5000
MAX_VARIABLE_CHARACTERS = 1024 * 1024
_INTROSPECTION = frozenset({"__schema", "__type"})


class Size(Struct, frozen=True):
    """The size of a selection with its fragments. `depth` counts fields with selections."""

    fields: int = 0
    aliases: int = 0
    spreads: int = 0
    repeats: int = 0
    introspections: int = 0
    depth: int = 0
    introspection_depth: int = 0
    cost: int = 0

    def __add__(self, other: "Size") -> "Size":
        return Size(
            self.fields + other.fields,
            self.aliases + other.aliases,
            self.spreads + other.spreads,
            self.repeats + other.repeats,
            self.introspections + other.introspections,
            max(self.depth, other.depth),
            max(self.introspection_depth, other.introspection_depth),
            self.cost + other.cost,
        )


class Measured(Struct, frozen=True):
    """The error of a document that is too large, and the cost of each field's selection, by the node's id."""

    refusal: GraphQLError | None
    costs: Mapping[int, int] = {}


def measure(document: DocumentNode) -> Measured:
    fragments = fragments_of(document)
    measurer = _Measurer(fragments)
    total = Size()
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    if len(operations) > MAX_OPERATIONS:
        return Measured(GraphQLError(_too_many(MAX_OPERATIONS, "operações"), operations[MAX_OPERATIONS]))
    fault = _inline_fault(document)
    if fault:
        return Measured(GraphQLError(fault, document.definitions[0]))
    for node in operations:
        try:
            total += measurer.size_of(node.selection_set)
            fault = _fault(total) or _mutation_fault(node, fragments)
        except RecursionError:  # Hundreds of nested fragments.
            fault = "O documento é profundo demais."
        if fault:
            return Measured(GraphQLError(fault, node))
    return Measured(None, measurer.costs)


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    return {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}


def root_fields(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]
) -> Iterator[FieldNode]:
    """The root fields of an operation, also in fragments."""
    found = [operation.selection_set]
    spread: set[str] = set()
    while found:
        for node in found.pop().selections:
            if isinstance(node, FieldNode):
                yield node
            elif not isinstance(node, FragmentSpreadNode):
                found.append(node.selection_set)  # type: ignore[attr-defined]  # An inline fragment has one.
            elif node.name.value in fragments and node.name.value not in spread:
                spread.add(node.name.value)
                found.append(fragments[node.name.value].selection_set)


def variable_uses(
    operation: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]
) -> Mapping[str, int]:
    """How often an operation uses each variable, also in fragments. The document must be valid."""
    uses: Counter[str] = Counter()
    found: list[Any] = [operation.selection_set]
    while found:
        node = found.pop()
        if isinstance(node, VariableNode):
            uses[node.name.value] += 1
        elif isinstance(node, FragmentSpreadNode):
            found += [*(node.directives or ()), fragments[node.name.value].selection_set]
        else:
            found += _parts(node)
    return uses


def refuse_large_variables(variables: Mapping[str, Any], uses: Mapping[str, int]) -> None:
    """Raises `InvalidInput` if the values of all variables, counted at each use, are too many or too long."""
    values, characters = MAX_VARIABLE_VALUES, MAX_VARIABLE_CHARACTERS
    for name, value in variables.items():
        times = uses.get(name) or 1
        found: list[Any] = [value]
        while found:
            one = found.pop()
            values -= times
            if isinstance(one, str):
                characters -= len(one) * times
            elif isinstance(one, list | dict):
                if len(one) > values:
                    values = -1
                else:
                    found += one if isinstance(one, list) else one.values()
            if values < 0:
                raise InvalidInput(message=f"As variáveis têm mais de {MAX_VARIABLE_VALUES} valores ao todo.")
            if characters < 0:
                limit = f"{MAX_VARIABLE_CHARACTERS // 1024} KiB"
                raise InvalidInput(message=f"As variáveis, contadas a cada uso, passam de {limit} de texto.")


def _fault(size: Size) -> str | None:
    limits = (
        ("campos", size.fields, MAX_FIELDS),
        ("apelidos (aliases)", size.aliases, MAX_ALIASES),
        ("usos de fragmentos", size.spreads, MAX_FRAGMENT_SPREADS),
        ("campos repetidos", size.repeats, MAX_REPEATED_FIELDS),
        ("campos de introspecção", size.introspections, MAX_INTROSPECTIONS),
        ("níveis de profundidade", size.depth, MAX_DEPTH),
        ("níveis de introspecção", size.introspection_depth, MAX_INTROSPECTION_DEPTH),
    )
    over = next((limit for limit in limits if limit[1] > limit[2]), None)
    return _too_many(over[2], over[0]) if over else None


def _mutation_fault(node: OperationDefinitionNode, fragments: Mapping[str, FragmentDefinitionNode]) -> str | None:
    if node.operation is not OperationType.MUTATION:
        return None
    fields = {_response_name(field) for field in root_fields(node, fragments)}
    return _too_many(MAX_MUTATIONS, "comandos (campos de mutação)") if len(fields) > MAX_MUTATIONS else None


def _inline_fault(document: DocumentNode) -> str | None:
    """The error of too many or too deep literals."""
    values = 0
    found: list[tuple[Node, int]] = [(node, 0) for node in document.definitions]
    while found:
        node, depth = found.pop()
        parts = _parts(node)
        if isinstance(node, ListValueNode | ObjectValueNode):
            depth += 1
            values += len(parts)
            if depth > MAX_INLINE_DEPTH:
                return "O documento é profundo demais."
        found += [(part, depth) for part in parts]
    if values > MAX_INLINE_VALUES:
        return f"{_too_many(MAX_INLINE_VALUES, 'valores escritos nele')} Use variáveis."
    return None


def _parts(node: Node) -> list[Any]:
    """The child nodes with selections, values or directives."""
    parts: list[Any] = []
    for name in ("variable_definitions", "directives", "arguments", "selections", "values", "fields"):
        parts += getattr(node, name, None) or ()
    for name in ("default_value", "value", "selection_set"):
        part = getattr(node, name, None)
        if isinstance(part, ValueNode | SelectionSetNode):
            parts.append(part)
    return parts


def _too_many(limit: int, things: str) -> str:
    return f"O documento passa do limite de {limit} {things}."


class _Measurer:
    """Measures selections. An unknown or cyclic fragment counts nothing; validation refuses it."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, Size] = {}
        self.costs: dict[int, int] = {}

    def size_of(self, selection_set: SelectionSetNode) -> Size:
        chosen = selection_set.selections
        names = [_response_name(node) for node in chosen if isinstance(node, FieldNode)]
        size = Size(repeats=len(names) - len(set(names)))
        for node in chosen:
            size += self._of(node)
        return size

    def _of(self, node: SelectionNode) -> Size:
        if isinstance(node, FragmentSpreadNode):
            return self._of_fragment(node.name.value) + Size(spreads=1)
        inner = self.size_of(node.selection_set) if node.selection_set else None  # type: ignore[attr-defined]  # fields and inline fragments have one.
        if not isinstance(node, FieldNode):
            return (inner or Size()) + Size(spreads=1)
        counted = inner or Size()
        self.costs[id(node)] = counted.cost
        introspects = node.name.value in _INTROSPECTION
        return Size(
            counted.fields + 1,
            counted.aliases + bool(node.alias),
            counted.spreads,
            counted.repeats,
            counted.introspections + introspects,
            # Introspection has its own depth.
            counted.depth + 1 if inner and not introspects else 0,
            max(counted.introspection_depth, counted.depth + 1 if introspects else 0),
            counted.cost + (_cost_of_object(node) if inner else 1),
        )

    def _of_fragment(self, name: str) -> Size:
        if name not in self._known:
            self._known[name] = Size()  # For cycles.
            fragment = self._fragments.get(name)
            if fragment is not None:
                self._known[name] = self.size_of(fragment.selection_set)
        return self._known[name]


def _cost_of_object(field: FieldNode) -> int:
    return CONNECTION_COST if field.name.value in {"edges", "node"} else RELATION_COST


def _response_name(field: FieldNode) -> str:
    return field.alias.value if field.alias else field.name.value
