"""The GraphQL documents of the panel's sources, against the schema and the limits of the gateway."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLObjectType, TypeInfo, TypeInfoVisitor, Visitor, build_schema, parse, visit

from gateway.schema.document_cache import DocumentCache

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "panel" / "src"
SCHEMA = build_schema((ROOT / "gateway" / "schema" / "schema.graphql").read_text())
FILES = [path for path in SOURCES.rglob("*.ts*") if "gql" not in path.parts]
DOCUMENTS = {
    f"{path.relative_to(SOURCES)}:{number}": text
    for path in FILES
    for number, text in enumerate(re.findall(r"graphql\(`(.*?)`\)", path.read_text(), re.DOTALL))
}


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_a_document_is_valid_and_within_the_limits(name: str) -> None:
    assert DocumentCache(SCHEMA).prepare(DOCUMENTS[name]).errors == ()


def test_operations_have_names_of_their_own() -> None:
    names = [
        name
        for text in DOCUMENTS.values()
        for name in re.findall(r"^ *(?:query|mutation|subscription) (\w+)", text, re.MULTILINE)
    ]
    assert len(names) == len(set(names)) == len(DOCUMENTS)


UNUSED = Path(__file__).with_name("unused_fields.txt")


class FieldsOf(Visitor):
    """Collects the fields that a document selects, as `Charge.amount`."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self.types = types
        self.found: set[str] = set()

    def enter_field(self, node: Any, *_: Any) -> None:
        parent = self.types.get_parent_type()
        if parent is not None:
            self.found.add(f"{parent.name}.{node.name.value}")


def selected(document: str) -> set[str]:
    types = TypeInfo(SCHEMA)
    fields = FieldsOf(types)
    visit(parse(document), TypeInfoVisitor(types, fields))
    return fields.found


def fields_of_schema() -> Iterator[str]:
    for name, kind in SCHEMA.type_map.items():
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__"):
            yield from (f"{name}.{field}" for field in kind.fields)


def test_every_field_is_on_a_page_or_named_as_unused() -> None:
    """A new field of the API is either shown, or put on the list: `Type: field field`."""
    lines = (line.partition(": ") for line in UNUSED.read_text().splitlines() if line and not line.startswith("#"))
    named = {f"{name}.{field}" for name, _, fields in lines for field in fields.split()}
    used = set().union(*(selected(text) for text in DOCUMENTS.values()))
    assert named & used == set()
    assert set(fields_of_schema()) - used == named


def test_buttons_ask_for_fields_that_exist() -> None:
    assert SCHEMA.query_type is not None
    assert SCHEMA.mutation_type is not None
    fields = {*SCHEMA.query_type.fields, *SCHEMA.mutation_type.fields}
    named = {name for path in FILES for name in re.findall(r"(?:\bcan\(|\bneeds: )'(\w+)'", path.read_text())}
    assert len(named) > 3
    assert named <= fields
