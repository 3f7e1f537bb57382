"""How values travel: money as the `Reais` scalar, moments as text, ids as plain UUID text.

Input scalars pass values on unjudged: the operation validates them, so that both doors refuse with the same words.
"""

from datetime import datetime
from functools import cache
from typing import Any

import strawberry
from graphql import FloatValueNode, IntValueNode, ValueNode, value_from_ast_untyped
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.name_converter import NameConverter
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY

from gateway.http.request_body import exactly, whole
from gateway.values.ids import Id
from gateway.values.money import Centavos, Hundredths, reais_from_centavos


def _unjudged(value: Any) -> Any:
    return value


def _literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    return value_from_ast_untyped(node, variables)


def _amount(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
    """A number to its last digit, as the decoder of bodies reads one: a double may be another amount."""
    match node:
        case FloatValueNode():
            return exactly(node.value)
        case IntValueNode():
            return whole(node.value)
    return _literal(node, variables)


REAIS = strawberry.scalar(
    name="Reais",
    description="Valor em reais: um número JSON com no máximo duas casas decimais. Ex.: 129.9.",
    serialize=reais_from_centavos,
    parse_value=_unjudged,
    parse_literal=_amount,
)
DISCOUNT = strawberry.scalar(
    name="DiscountValue",
    description="Por cento ou reais, conforme `discountType`: um número JSON com no máximo duas casas decimais.",
    serialize=reais_from_centavos,
    parse_value=_unjudged,
    parse_literal=_amount,
)
MOMENT = strawberry.scalar(
    name="DateTime",
    description="Data e hora ISO 8601; sem fuso horário, vale UTC. Uma data sem hora, que só se envia, é um dia de São Paulo: como "
    "fim o dia inteiro, como início o seu primeiro instante.",
    specified_by_url="https://scalars.graphql.org/andimarek/date-time",
    serialize=_unjudged,  # The encoder of the answer writes datetimes, ten times faster than `isoformat`.
    parse_value=_unjudged,
    parse_literal=_literal,
)
_JSON = DEFAULT_SCALAR_REGISTRY[JSON]
_ID = DEFAULT_SCALAR_REGISTRY[strawberry.ID]


class Names(NameConverter):
    """camelCase, made once for each name of the schema: Strawberry asks anew for each argument and
    input field of each request.
    """

    def __init__(self) -> None:
        super().__init__()
        self.apply_naming_config = cache(super().apply_naming_config)  # type: ignore[method-assign]  # The same, remembered.


CONFIG = StrawberryConfig(
    name_converter=Names(),
    scalar_map={
        Centavos: REAIS,
        Hundredths: DISCOUNT,
        datetime: MOMENT,
        Id: _ID,
        dict[str, str]: _JSON,
        dict[str, int]: _JSON,
        dict[str, Any]: _JSON,
    },
)
