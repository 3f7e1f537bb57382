"""The GraphQL documents of the panel's sources, against the schema and the limits of the gateway."""

import re
from pathlib import Path

import pytest
from graphql import build_schema

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


def test_buttons_ask_for_fields_that_exist() -> None:
    assert SCHEMA.query_type is not None
    assert SCHEMA.mutation_type is not None
    fields = {*SCHEMA.query_type.fields, *SCHEMA.mutation_type.fields}
    named = {name for path in FILES for name in re.findall(r"(?:\bcan\(|\bneeds: )'(\w+)'", path.read_text())}
    assert len(named) > 3
    assert named <= fields
