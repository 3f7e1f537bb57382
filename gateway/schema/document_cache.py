"""Parsed and validated documents, kept: parsing and validating cost twenty times what running a small one does.

The limits on a document's size are judged before it is validated, so a document in the cache has passed them.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    Source,
    SourceLocation,
    parse,
    specified_rules,
    validate,
)
from graphql.validation.rules import overlapping_fields_can_be_merged
from msgspec import Struct

from gateway.schema.query_limits import MAX_DOCUMENT_CHARACTERS, fragments_of, measure, root_fields, variable_uses
from gateway.schema.errors import in_portuguese


from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar


MOST_TOKENS = 5000
MAX_VALIDATION_ERRORS = 5
"""Errors that are answered. Looking for similar names takes milliseconds for each."""
MAX_FIELD_MERGING_COST = 20_000
"""For a whole document, in the units of graphql-core's rule."""
overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = MAX_FIELD_MERGING_COST

_NEWLINE = re.compile(r"\r\n|[\n\r]")


class Operation(Struct, frozen=True):
    """An operation of a document, with what is known of it before it is executed."""

    node: OperationDefinitionNode
    variable_uses: Mapping[str, int]
    introspects: bool
    """Whether it asks about the schema alone."""


class Prepared(Struct, frozen=True):
    """A document that may be executed, or the errors that say why not."""

    document: DocumentNode | None
    errors: tuple[GraphQLError, ...] = ()
    too_large: bool = False
    operations: tuple[Operation, ...] = ()
    costs: Mapping[int, int] = {}
    """Of what each field of the document selects, by the id of its node."""

    def operation(self, name: str | None) -> Operation | None:
        """The operation that `operationName` picks: the only one, or the one of that name."""
        found = [one for one in self.operations if name is None or (one.node.name and one.node.name.value == name)]
        return found[0] if len(found) == 1 else None


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


class Text(Source):
    """The text of a document. It finds its lines once; graphql-core's own reads the text again for each error."""

    @cached_property
    def _newlines(self) -> tuple[list[int], list[int]]:
        found = list(_NEWLINE.finditer(self.body))
        return [match.start() for match in found], [match.end() for match in found]

    def get_location(self, position: int) -> SourceLocation:
        starts, ends = self._newlines
        before = bisect_left(starts, position)
        return SourceLocation(before + 1, position + 1 - (ends[before - 1] if before else 0))


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
        if len(query) > MAX_DOCUMENT_CHARACTERS:
            told = f"O documento passa do limite de {MAX_DOCUMENT_CHARACTERS} caracteres. Use variáveis."
            return Prepared(None, (GraphQLError(told),), too_large=True)
        try:
            document = parse(Text(query), max_tokens=MOST_TOKENS)
        except GraphQLError as error:
            return Prepared(None, (in_portuguese(error),))
        measured = measure(document)
        if measured.refusal is not None:
            return Prepared(None, (measured.refusal,), too_large=True)
        errors = self._validate(document, hide_suggestions=self._hide)
        if stumbled(errors):
            errors = self._validate(document, hide_suggestions=True)
        if errors:
            return Prepared(None, tuple(map(in_portuguese, errors)))
        return Prepared(document, operations=_operations(document), costs=measured.costs)

    def _validate(self, document: DocumentNode, *, hide_suggestions: bool) -> list[GraphQLError]:
        return validate(
            self._schema, document, self._rules, max_errors=MAX_VALIDATION_ERRORS, hide_suggestions=hide_suggestions
        )


def _operations(document: DocumentNode) -> tuple[Operation, ...]:
    fragments = fragments_of(document)
    return tuple(
        Operation(
            node,
            variable_uses(node, fragments),
            all(field.name.value.startswith("__") for field in root_fields(node, fragments)),
        )
        for node in document.definitions
        if isinstance(node, OperationDefinitionNode)
    )


def _rules(*, introspection: bool) -> Collection[type[ASTValidationRule]]:
    hidden = [] if introspection else [NoSchemaIntrospectionCustomRule]
    return [*specified_rules, *hidden]


KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

MOST = 512
MOST_CHARACTERS = 256 * 1024
LONGEST = 16 * 1024


class Kept(Generic[KeyT, ValueT]):
    """At most `most` values, of at most `characters` of text together. What was made of a text longer
    than `longest` is never kept.
    """

    def __init__(self, *, most: int = MOST, characters: int = MOST_CHARACTERS, longest: int = LONGEST) -> None:
        self._most, self._most_characters, self._longest = most, characters, longest
        self._known: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self.characters = 0
        """How long the texts are together."""

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._known

    def get(self, key: KeyT) -> ValueT | None:
        """The value, which is thereby the one used last."""
        known = self._known.get(key)
        if known is None:
            return None
        self._known.move_to_end(key)
        return known[0]

    def keep(self, key: KeyT, value: ValueT, length: int) -> None:
        """Keep what was made of a text of that length, in place of what was kept under the key;
        forget those used longest ago.
        """
        if length > self._longest:
            return
        _, freed = self._known.pop(key, (None, 0))
        self._known[key] = value, length
        self.characters += length - freed
        while len(self._known) > self._most or self.characters > self._most_characters:
            _, (_, freed) = self._known.popitem(last=False)
            self.characters -= freed
