"""The clock of a test store over GraphQL."""

from datetime import datetime
from typing import Annotated

import strawberry

from gateway.resolvers.clocks import operations
from gateway.resolvers.clocks.operations import ClockStatus, StoreClockView
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_output

define_enum(
    ClockStatus,
    "Se o relógio de teste anda por si ou está avançando.",
    ready="Pode ser movido.",
    advancing="Está avançando; o que vence no caminho acontece na ordem.",
)
define_output(StoreClockView, "TestClock")

To = Annotated[
    datetime, strawberry.argument(description="Momento futuro pelo relógio da loja, até 366 dias à frente dele.")
]


@strawberry.type
class ClocksQuery:
    test_clock = query_field(operations.read_clock, "O relógio do ambiente de teste da loja.")


@strawberry.type
class ClocksMutation:
    advance_test_clock = mutation_field(
        operations.advance_clock,
        "Avança o relógio de teste; o que vence no caminho acontece em ordem. Consulte `testClock` até `ready`.",
        to=To,
    )
