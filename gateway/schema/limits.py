"""How large a GraphQL document may be, measured before it is validated.

Fragments make a short document long: each of thirty fragments that spreads the next one twice names a billion fields.
So each fragment is measured once, and what it holds is counted as often as it is spread.
"""

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
)
from msgspec import Struct

MOST_FIELDS = 1000
MOST_ALIASES = 128
MOST_SPREADS = 100
MOST_REPEATS = 50
"""A name that stands again and again in one selection set: merging such fields costs their number squared."""
DEEPEST = 12


class Size(Struct, frozen=True):
    """What a selection holds, its fragments spread. `depth` counts fields that select others."""

    fields: int = 0
    aliases: int = 0
    spreads: int = 0
    repeats: int = 0
    depth: int = 0

    def __add__(self, other: "Size") -> "Size":
        return Size(
            self.fields + other.fields,
            self.aliases + other.aliases,
            self.spreads + other.spreads,
            self.repeats + other.repeats,
            max(self.depth, other.depth),
        )


def refusal(document: DocumentNode) -> GraphQLError | None:
    """Why the document is too large, if it is."""
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    ruler = _Ruler(fragments)
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode | FragmentDefinitionNode):
            try:
                fault = _fault(ruler.size_of(node.selection_set))
            except RecursionError:  # Hundreds of fragments, each within the one before.
                fault = "O documento é profundo demais."
            if fault:
                return GraphQLError(fault, node)
    return None


def _fault(size: Size) -> str | None:
    limits = (
        ("campos", size.fields, MOST_FIELDS),
        ("apelidos (aliases)", size.aliases, MOST_ALIASES),
        ("usos de fragmentos", size.spreads, MOST_SPREADS),
        ("campos repetidos", size.repeats, MOST_REPEATS),
        ("níveis de profundidade", size.depth, DEEPEST),
    )
    over = next((limit for limit in limits if limit[1] > limit[2]), None)
    return f"O documento passa do limite de {over[2]} {over[0]}." if over else None


class _Ruler:
    """Measures selections. A fragment that is unknown, or within itself, counts nothing: validation refuses it."""

    def __init__(self, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, Size] = {}

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
        # Introspection has a limit of its own in the standard rules.
        depth = inner.depth + 1 if inner and not node.name.value.startswith("__") else 0
        counted = inner or Size()
        return Size(counted.fields + 1, counted.aliases + bool(node.alias), counted.spreads, counted.repeats, depth)

    def _of_fragment(self, name: str) -> Size:
        if name not in self._known:
            self._known[name] = Size()  # What a cycle finds on its way back.
            fragment = self._fragments.get(name)
            if fragment is not None:
                self._known[name] = self.size_of(fragment.selection_set)
        return self._known[name]


def _response_name(field: FieldNode) -> str:
    return field.alias.value if field.alias else field.name.value
