"""Refunds over GraphQL."""

import strawberry

from gateway.models.refunds import RefundStatus
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.refunds import create, read
from gateway.resolvers.refunds.types import CreateRefund, RefundFilter, RefundOrder, RefundView, SimulatedOutcome
from gateway.schema.connections import export_field, list_field
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output


async def _charge(refund: strawberry.Parent[RefundView], info: Info) -> ChargeView | None:
    return await info.context.loaders.charges.load(refund.charge_id)


define_enum(
    RefundStatus,
    "Situação de uma devolução.",
    pending="O valor está reservado; o provedor ainda não confirmou o pedido.",
    processing="O provedor está processando a devolução.",
    completed="O dinheiro voltou ao pagador.",
    rejected="Não foi feita; o valor continua na loja.",
)
define_enum(
    SimulatedOutcome,
    "O que o simulador faz de uma devolução de teste.",
    completed="Conclui.",
    rejected="O banco do pagador a recusa.",
)
define_enum(RefundOrder, "Ordem de uma lista de devoluções.")
define_output(RefundView, "Refund", charge=strawberry.field(resolver=_charge, description="A cobrança devolvida."))
define_input(RefundFilter, "RefundFilter")
define_input(CreateRefund, "CreateRefundInput")


@strawberry.type
class RefundsQuery:
    @strawberry.field(description="Uma devolução.")
    async def refund(self, info: Info, id: strawberry.ID) -> RefundView:
        return await read.read_refund(info.context.call, {"id": id})

    refunds = list_field(read.list_refunds, RefundFilter, description="As devoluções da loja.")


@strawberry.type
class RefundsMutation:
    @strawberry.mutation(description="Devolve ao pagador o valor de uma cobrança paga, ou parte dele.")
    async def create_refund(self, info: Info, input: CreateRefund) -> RefundView:
        return await create.create_refund(info.context.call, input)

    export_refunds = export_field(read.export_refunds, RefundFilter, description="Exporta as devoluções da loja.")
