"""Repayments over GraphQL: those to a store, and every store's for the service's staff. The list of a repayment's
charges is a CSV file, over REST.
"""

from typing import Annotated

import strawberry

from gateway.models.repayments import RepaymentStatus
from gateway.resolvers.repayments import reading, recording
from gateway.resolvers.repayments.inputs import (
    ReceivedRepaymentFilter,
    ReceivedStatus,
    RecordRepayment,
    RepaymentFilter,
)
from gateway.resolvers.repayments.views import ReceivedRepaymentView, RepaymentView
from gateway.schema.connections import list_field
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    RepaymentStatus,
    "Situação de um repasse.",
    recorded="Anotado; o dinheiro ainda será enviado.",
    done="O dinheiro foi enviado.",
    discarded="Era um engano; as cobranças estão livres para outro repasse.",
)
define_enum(
    ReceivedStatus,
    "Situação de um repasse, para a loja.",
    recorded="Anotado; o dinheiro ainda será enviado.",
    done="O dinheiro foi enviado.",
)
define_output(ReceivedRepaymentView, "ReceivedRepayment")
define_output(RepaymentView, "Repayment")
define_input(ReceivedRepaymentFilter, "ReceivedRepaymentFilter")
define_input(RepaymentFilter, "RepaymentFilter")
define_input(RecordRepayment, "RecordRepaymentInput")

Proof = Annotated[str | None, strawberry.argument(description="EndToEndId da transferência feita à loja.")]


@strawberry.type
class RepaymentsQuery:
    @strawberry.field(description="Um repasse do serviço à loja.")
    async def received_repayment(self, info: Info, id: strawberry.ID) -> ReceivedRepaymentView:
        return await reading.read_received_repayment(info.context.call, {"id": id})

    received_repayments = list_field(
        reading.list_received_repayments,
        ReceivedRepaymentFilter,
        description="Os repasses do serviço à loja, anotados ou feitos.",
    )

    @strawberry.field(description="Um repasse, para a equipe do serviço.")
    async def repayment(self, info: Info, id: strawberry.ID) -> RepaymentView:
        return await reading.read_repayment(info.context.call, {"id": id})

    repayments = list_field(
        reading.list_repayments, RepaymentFilter, description="Os repasses às lojas, para a equipe do serviço."
    )


@strawberry.type
class RepaymentsMutation:
    @strawberry.mutation(description="Anota o que uma loja tem a receber das cobranças pagas num período.")
    async def record_repayment(self, info: Info, input: RecordRepayment) -> RepaymentView:
        return await recording.record_repayment(info.context.call, input)

    @strawberry.mutation(description="Dá um repasse por feito.")
    async def conclude_repayment(self, info: Info, id: strawberry.ID, end_to_end_id: Proof = None) -> RepaymentView:
        return await recording.conclude_repayment(info.context.call, {"id": id, "end_to_end_id": end_to_end_id})

    @strawberry.mutation(description="Descarta um repasse anotado por engano.")
    async def discard_repayment(self, info: Info, id: strawberry.ID) -> RepaymentView:
        return await recording.discard_repayment(info.context.call, {"id": id})
