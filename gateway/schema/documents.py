"""Parsed and validated documents, kept: parsing and validating cost twenty times what running a small one does.

The limits on a document's size are judged before it is validated, so a document in the cache has passed them.
"""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    parse,
    specified_rules,
    validate,
)

from gateway.schema import limits

MOST_TOKENS = 5000
LONGEST_KEPT = 16 * 1024


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that may be executed, or the errors that say why not."""

    document: DocumentNode | None
    errors: tuple[GraphQLError, ...] = ()

    def operation(self, name: str | None) -> OperationDefinitionNode | None:
        """The operation that `operationName` picks: the only one, or the one of that name."""
        found = [node for node in self._operations() if name is None or (node.name and node.name.value == name)]
        return found[0] if len(found) == 1 else None

    def _operations(self) -> list[OperationDefinitionNode]:
        definitions = self.document.definitions if self.document else ()
        return [node for node in definitions if isinstance(node, OperationDefinitionNode)]


def is_mutation(operation: OperationDefinitionNode) -> bool:
    return operation.operation is OperationType.MUTATION


def is_one_field(operation: OperationDefinitionNode) -> bool:
    """Whether the operation selects one field and nothing that could hide others."""
    chosen = operation.selection_set.selections
    return len(chosen) == 1 and isinstance(chosen[0], FieldNode)


class Documents:
    """The least recently used of `size` documents is forgotten; invalid and very long ones are never kept."""

    def __init__(self, schema: GraphQLSchema, *, introspection: bool = True, size: int = 512) -> None:
        self._schema = schema
        self._size = size
        self._hide = not introspection
        self._rules = _rules(introspection=introspection)
        self._kept: OrderedDict[str, Prepared] = OrderedDict()

    def prepare(self, query: str) -> Prepared:
        known = self._kept.get(query)
        if known is not None:
            self._kept.move_to_end(query)
            return known
        prepared = self._judge(query)
        if not prepared.errors and len(query) <= LONGEST_KEPT:
            self._kept[query] = prepared
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return prepared

    def _judge(self, query: str) -> Prepared:
        try:
            document = parse(query, max_tokens=MOST_TOKENS)
        except GraphQLError as error:
            return Prepared(None, (error,))
        too_large = limits.refusal(document)
        if too_large is not None:
            return Prepared(None, (too_large,))
        errors = validate(self._schema, document, self._rules, max_errors=20, hide_suggestions=self._hide)
        return Prepared(document, tuple(errors))


def _rules(*, introspection: bool) -> Collection[type[ASTValidationRule]]:
    hidden = [] if introspection else [NoSchemaIntrospectionCustomRule]
    return [*specified_rules, *hidden]
