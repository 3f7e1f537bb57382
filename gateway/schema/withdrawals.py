"""Withdrawals over GraphQL: a store's own, and every store's for the service's staff."""

from typing import Annotated

import strawberry

from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.withdrawals import reading, request, review, summary
from gateway.resolvers.withdrawals.inputs import (
    RequestWithdrawal,
    StaffWithdrawalFilter,
    WithdrawalFilter,
    WithdrawalOrder,
)
from gateway.resolvers.withdrawals.views import StaffWithdrawalView, WithdrawalSummaryView, WithdrawalView
from gateway.schema.connections import list_field
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output

define_enum(
    WithdrawalStatus,
    "Situação de um saque.",
    pending="O valor está reservado; o provedor ainda não confirmou o pedido.",
    processing="O provedor está processando a transferência.",
    completed="O dinheiro foi enviado.",
    rejected="Não foi feito; o valor voltou ao saldo.",
    canceled="Cancelado; hoje nenhum saque chega a esta situação.",
)
define_enum(WithdrawalOrder, "Ordem de uma lista de saques.")
define_enum(
    PixKeyType,
    "Tipo de uma chave Pix.",
    cpf="CPF.",
    cnpj="CNPJ.",
    email="E-mail.",
    phone="Telefone.",
    random="Chave aleatória.",
)
define_output(WithdrawalView, "Withdrawal")
define_output(StaffWithdrawalView, "StoreWithdrawal")
define_output(WithdrawalSummaryView, "WithdrawalSummary")
define_input(WithdrawalFilter, "WithdrawalFilter")
define_input(StaffWithdrawalFilter, "StoreWithdrawalFilter")
define_input(RequestWithdrawal, "RequestWithdrawalInput")

Proof = Annotated[
    str | None, strawberry.argument(description="EndToEndId da transferência, quando o provedor não o informa.")
]
Reason = Annotated[str, strawberry.argument(description="Por que o saque foi recusado; a loja lê este texto.")]


@strawberry.type
class WithdrawalsQuery:
    @strawberry.field(description="Um saque.")
    async def withdrawal(self, info: Info, id: strawberry.ID) -> WithdrawalView:
        return await reading.read_withdrawal(info.context.call, {"id": id})

    @strawberry.field(description="O saldo da loja: o que entrou, o que saiu, o que está disponível.")
    async def withdrawal_summary(self, info: Info) -> WithdrawalSummaryView:
        return await summary.summarise(info.context.call, {})

    withdrawals = list_field(reading.list_withdrawals, WithdrawalFilter, description="Os saques da loja.")
    store_withdrawals = list_field(
        review.list_all_withdrawals,
        StaffWithdrawalFilter,
        description="Os saques de todas as lojas, para a equipe do serviço.",
    )


@strawberry.type
class WithdrawalsMutation:
    @strawberry.mutation(description="Pede um saque do saldo para uma chave Pix.")
    async def request_withdrawal(self, info: Info, input: RequestWithdrawal) -> WithdrawalView:
        return await request.request_withdrawal(info.context.call, input)

    @strawberry.mutation(description="Dá por concluído o saque de uma loja; só a equipe do serviço.")
    async def complete_withdrawal(self, info: Info, id: strawberry.ID, end_to_end_id: Proof = None) -> WithdrawalView:
        return await review.complete_withdrawal(info.context.call, {"id": id, "end_to_end_id": end_to_end_id})

    @strawberry.mutation(description="Recusa o saque de uma loja e diz por quê; só a equipe do serviço.")
    async def refuse_withdrawal(self, info: Info, id: strawberry.ID, motivo: Reason) -> WithdrawalView:
        return await review.refuse_withdrawal(info.context.call, {"id": id, "motivo": motivo})
