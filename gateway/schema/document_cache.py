"""A cache of parsed and validated documents, for parsing and validating cost more than executing a small one.

The limits on a document's size are checked before it is validated, so a cached document is within them.
"""

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from graphql import (
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

from gateway.schema.errors import translate_error
from gateway.schema.query_limits import MAX_DOCUMENT_CHARACTERS, fragments_of, measure, root_fields, variable_uses

MAX_TOKENS = 5000
MAX_VALIDATION_ERRORS = 5
"""Reported errors. Each takes milliseconds to find similar names."""
MAX_FIELD_MERGING_COST = 20_000
"""For a document, in the units of graphql-core's rule."""
overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = MAX_FIELD_MERGING_COST

_NEWLINE = re.compile(r"\r\n|[\n\r]")


class Operation(Struct, frozen=True):
    """An operation of a document, and what is known of it before its execution."""

    node: OperationDefinitionNode
    document: DocumentNode
    variable_uses: Mapping[str, int]
    introspects: bool
    """Whether it selects introspection fields only."""
    costs: Mapping[int, int]
    """The cost of each field's selection, by the id of its node."""


class ParsedDocument(Struct, frozen=True):
    """The operations of a valid document, or the errors of another."""

    operations: tuple[Operation, ...] = ()
    errors: tuple[GraphQLError, ...] = ()
    too_large: bool = False

    def operation(self, name: str | None) -> Operation | None:
        """The operation that `operationName` selects: the only one, or the one of that name."""
        found = [one for one in self.operations if name is None or (one.node.name and one.node.name.value == name)]
        return found[0] if len(found) == 1 else None


def is_mutation(operation: OperationDefinitionNode) -> bool:
    return operation.operation is OperationType.MUTATION


def is_one_field(operation: OperationDefinitionNode) -> bool:
    """Whether the operation selects one field, and no fragment."""
    chosen = operation.selection_set.selections
    return len(chosen) == 1 and isinstance(chosen[0], FieldNode)


def failed_validation(errors: Iterable[GraphQLError]) -> bool:
    """Whether graphql-core failed to find similar names, as for letters whose lower case is longer, such as İ."""
    return any(isinstance(error.original_error, IndexError) for error in errors)


class Text(Source):
    """The text of a document. It finds its lines once; graphql-core would for each error."""

    @cached_property
    def _newlines(self) -> tuple[list[int], list[int]]:
        found = list(_NEWLINE.finditer(self.body))
        return [match.start() for match in found], [match.end() for match in found]

    def get_location(self, position: int) -> SourceLocation:
        starts, ends = self._newlines
        before = bisect_left(starts, position)
        return SourceLocation(before + 1, position + 1 - (ends[before - 1] if before else 0))


class DocumentCache:
    """Holds the documents used last; invalid and very long ones are not cached."""

    def __init__(self, schema: GraphQLSchema, *, introspection: bool = True) -> None:
        self._schema = schema
        self._hide = not introspection
        self._rules = specified_rules if introspection else [*specified_rules, NoSchemaIntrospectionCustomRule]
        self.cache: SizeBoundedLRUCache[str, ParsedDocument] = SizeBoundedLRUCache()

    def prepare(self, query: str) -> ParsedDocument:
        known = self.cache.get(query)
        if known is not None:
            return known
        prepared = self._parse(query)
        if not prepared.errors:
            self.cache.put(query, prepared, len(query))
        return prepared

    def _parse(self, query: str) -> ParsedDocument:
        if len(query) > MAX_DOCUMENT_CHARACTERS:
            message = f"O documento passa do limite de {MAX_DOCUMENT_CHARACTERS} caracteres. Use variáveis."
            return ParsedDocument(errors=(GraphQLError(message),), too_large=True)
        try:
            document = parse(Text(query), max_tokens=MAX_TOKENS)
        except GraphQLError as error:
            return ParsedDocument(errors=(translate_error(error),))
        measured = measure(document)
        if measured.refusal is not None:
            return ParsedDocument(errors=(measured.refusal,), too_large=True)
        errors = self._validate(document, hide_suggestions=self._hide)
        if failed_validation(errors):
            errors = self._validate(document, hide_suggestions=True)
        if errors:
            return ParsedDocument(errors=tuple(map(translate_error, errors)))
        fragments = fragments_of(document)
        return ParsedDocument(
            tuple(
                Operation(
                    node,
                    document,
                    variable_uses(node, fragments),
                    all(field.name.value.startswith("__") for field in root_fields(node, fragments)),
                    measured.costs,
                )
                for node in document.definitions
                if isinstance(node, OperationDefinitionNode)
            )
        )

    def _validate(self, document: DocumentNode, *, hide_suggestions: bool) -> list[GraphQLError]:
        return validate(
            self._schema, document, self._rules, max_errors=MAX_VALIDATION_ERRORS, hide_suggestions=hide_suggestions
        )


KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

MAX_ENTRIES = 512
MAX_CHARACTERS = 256 * 1024
MAX_ENTRY_CHARACTERS = 16 * 1024


class SizeBoundedLRUCache(Generic[KeyT, ValueT]):
    """Values made of texts, with limits on their number, and on the texts' characters: together, and of each.

    A parsed document takes a hundred times the memory of its text, so a limit on their number is not enough.
    """

    def __init__(
        self,
        *,
        max_entries: int = MAX_ENTRIES,
        max_characters: int = MAX_CHARACTERS,
        max_entry_characters: int = MAX_ENTRY_CHARACTERS,
    ) -> None:
        self._max_entries, self._max_characters = max_entries, max_characters
        self._max_entry_characters = max_entry_characters
        self._entries: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self.characters = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._entries

    def get(self, key: KeyT) -> ValueT | None:
        known = self._entries.get(key)
        if known is None:
            return None
        self._entries.move_to_end(key)
        return known[0]

    def put(self, key: KeyT, value: ValueT, length: int) -> None:
        """Store the value of a text of that length, and evict those used longest ago."""
        if length > self._max_entry_characters:
            return
        _, freed = self._entries.pop(key, (None, 0))
        self._entries[key] = value, length
        self.characters += length - freed
        while len(self._entries) > self._max_entries or self.characters > self._max_characters:
            _, (_, freed) = self._entries.popitem(last=False)
            self.characters -= freed
