"""The committed GraphQL schema is the one that is served."""

from pathlib import Path

from gateway.schema import schema


def test_the_committed_schema_is_up_to_date() -> None:
    committed = Path(schema.__file__).with_name("schema.graphql")
    assert committed.read_text() == schema.sdl(), "run `make schema`"
