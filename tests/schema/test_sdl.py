"""The committed GraphQL schema is the one that is served, and it explains itself to who explores it."""

from pathlib import Path

from graphql import GraphQLEnumType, build_schema

from gateway.schema import schema

COMMITTED = Path(schema.__file__).with_name("schema.graphql").read_text()


def test_the_committed_schema_is_up_to_date() -> None:
    assert schema.sdl() == COMMITTED, "run `make schema`"


CLEAR = ("id", "input")
"""Arguments that say what they are by the field that they belong to."""


def test_every_type_field_argument_and_value_says_what_it_means() -> None:
    """But the orders of lists, whose names are the fields that they order by."""
    silent: list[str] = []
    for name, type_ in build_schema(COMMITTED).type_map.items():
        if name.startswith("__") or type_.ast_node is None:
            continue
        parts = type_.values if isinstance(type_, GraphQLEnumType) else getattr(type_, "fields", {})
        said = {name: type_} | {f"{name}.{part}": told for part, told in parts.items()}
        for part, told in parts.items():
            arguments = getattr(told, "args", {}).items()
            said |= {f"{name}.{part}.{one}": argument for one, argument in arguments if one not in CLEAR}
        silent += [one for one, told in said.items() if not told.description and not one.endswith(("_asc", "_desc"))]
    assert silent == []


def test_what_can_be_undone_is_not_called_an_end() -> None:
    """A canceled subscription may be made active, a canceled delivery be sent again."""
    types = build_schema(COMMITTED).type_map
    said = [types[name].values["canceled"].description for name in ("SubscriptionStatus", "DeliveryStatus")]
    assert said == ["Não cobra mais; pode ser reativada.", "Não será mais tentada, a menos que seja reenviada."]
