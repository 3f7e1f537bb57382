"""Parsed and validated documents, kept: parsing and validating cost twenty times what running a small one does.

The limits on a document's size are judged before it is validated, so a document in the cache has passed them.
"""

from collections.abc import Collection, Iterable

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
from msgspec import Struct

from gateway.schema import limits
from gateway.schema.kept import Kept
from gateway.schema.refusals import in_portuguese

MOST_TOKENS = 5000


class Prepared(Struct, frozen=True):
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


def stumbled(errors: Iterable[GraphQLError]) -> bool:
    """Whether graphql-core failed at looking for a similar name, as it does at letters whose
    lower case is longer, such as İ.

    Asked again without suggestions, it says what it should.
    """
    return any(isinstance(error.original_error, IndexError) for error in errors)


class Documents:
    """Documents used last are kept; invalid and very long ones never are."""

    def __init__(self, schema: GraphQLSchema, *, introspection: bool = True) -> None:
        self._schema = schema
        self._hide = not introspection
        self._rules = _rules(introspection=introspection)
        self.kept: Kept[str, Prepared] = Kept()

    def prepare(self, query: str) -> Prepared:
        known = self.kept.get(query)
        if known is not None:
            return known
        prepared = self._judge(query)
        if not prepared.errors:
            self.kept.keep(query, prepared, len(query))
        return prepared

    def _judge(self, query: str) -> Prepared:
        try:
            document = parse(query, max_tokens=MOST_TOKENS)
        except GraphQLError as error:
            return Prepared(None, (in_portuguese(error),))
        too_large = limits.refusal(document)
        if too_large is not None:
            return Prepared(None, (too_large,))
        errors = validate(self._schema, document, self._rules, max_errors=20, hide_suggestions=self._hide)
        if stumbled(errors):
            errors = validate(self._schema, document, self._rules, max_errors=20, hide_suggestions=True)
        return Prepared(document, tuple(map(in_portuguese, errors)))


def _rules(*, introspection: bool) -> Collection[type[ASTValidationRule]]:
    hidden = [] if introspection else [NoSchemaIntrospectionCustomRule]
    return [*specified_rules, *hidden]
