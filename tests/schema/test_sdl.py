"""The committed GraphQL schema equals the served one and is fully described."""

from pathlib import Path

from graphql import GraphQLEnumType, build_schema

from gateway.schema import schema

COMMITTED = Path(schema.__file__).with_name("schema.graphql").read_text()


def test_the_committed_schema_is_up_to_date() -> None:
    assert schema.sdl() == COMMITTED, "run `make schema`"


SELF_EXPLANATORY = ("id", "input")
"""Arguments that need no description."""


def test_every_type_field_argument_and_value_has_a_description() -> None:
    """Except sort orders, which are named after fields."""
    undescribed: list[str] = []
    for name, type_ in build_schema(COMMITTED).type_map.items():
        if name.startswith("__") or type_.ast_node is None:
            continue
        parts = type_.values if isinstance(type_, GraphQLEnumType) else getattr(type_, "fields", {})
        nodes = {name: type_} | {f"{name}.{part}": node for part, node in parts.items()}
        for part, node in parts.items():
            arguments = getattr(node, "args", {}).items()
            nodes |= {f"{name}.{part}.{one}": argument for one, argument in arguments if one not in SELF_EXPLANATORY}
        undescribed += [
            one for one, node in nodes.items() if not node.description and not one.endswith(("_asc", "_desc"))
        ]
    assert undescribed == []


def test_reversible_statuses_are_not_described_as_final() -> None:
    """A canceled subscription can be reactivated, and a canceled delivery sent again."""
    types = build_schema(COMMITTED).type_map
    descriptions = [types[name].values["canceled"].description for name in ("SubscriptionStatus", "DeliveryStatus")]
    assert descriptions == ["Não cobra mais; pode ser reativada.", "Não será mais tentada, a menos que seja reenviada."]
