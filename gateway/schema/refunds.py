"""Refunds over GraphQL."""

import strawberry

from gateway.models.refunds import RefundStatus
from gateway.resolvers.charges.read import charges_by_id, read_charge
from gateway.resolvers.refunds import create, read
from gateway.resolvers.refunds.types import CreateRefund, RefundFilter, RefundOrder, RefundView, SimulatedOutcome
from gateway.schema.connections import export_field, list_field
from gateway.schema.fields import mutation_field, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_inputs, define_output

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
define_output(RefundView, "Refund", charge=relation(read_charge, charges_by_id, "charge_id", "A cobrança devolvida."))
define_inputs(RefundFilter, CreateRefund)


@strawberry.type
class RefundsQuery:
    refund = query_field(read.read_refund, "Uma devolução.", id=strawberry.ID)
    refunds = list_field(read.list_refunds, RefundFilter, "As devoluções da loja.")


@strawberry.type
class RefundsMutation:
    create_refund = mutation_field(
        create.create_refund, "Devolve ao pagador o valor de uma cobrança paga, ou parte dele.", input=CreateRefund
    )
    export_refunds = export_field(read.export_refunds, RefundFilter, "Exporta as devoluções da loja.")
