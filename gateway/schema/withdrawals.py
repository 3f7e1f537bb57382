"""Withdrawals over GraphQL: a store's own, and every store's for the service's staff."""

from datetime import datetime
from typing import Annotated

import strawberry

from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.core.deletion import Deleted
from gateway.resolvers.core.listing.export_tickets import begin_export
from gateway.resolvers.core.listing.exports import ExportFormat
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT
from gateway.resolvers.core.tickets import DownloadView
from gateway.resolvers.pix_keys.operations import delete_pix_key, list_pix_keys, save_pix_key
from gateway.resolvers.pix_keys.types import PixKeyView, SavePixKey
from gateway.resolvers.refunds.types import RefundView
from gateway.resolvers.repayments.types import ReceivedRepaymentView
from gateway.resolvers.withdrawals import read, request, staff_actions
from gateway.resolvers.withdrawals.request import quote_withdrawal
from gateway.resolvers.withdrawals.statement import export_statement, read_statement
from gateway.resolvers.withdrawals.statement_types import StatementEntryKind, StatementEntryView
from gateway.resolvers.withdrawals.types import (
    RequestWithdrawal,
    StaffWithdrawalFilter,
    StaffWithdrawalView,
    WithdrawalFilter,
    WithdrawalOrder,
    WithdrawalQuoteView,
    WithdrawalSummaryView,
    WithdrawalView,
)
from gateway.schema.connections import (
    FORMAT,
    After,
    First,
    Slice,
    column_names,
    columns_argument,
    export_field,
    list_field,
    spend,
)
from gateway.schema.context import Info
from gateway.schema.strawberry_types import define_enum, define_input, define_output
from gateway.values.clock import SAO_PAULO
from gateway.values.money import Centavos

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
define_output(PixKeyView, "PixKey")
define_input(SavePixKey, "SavePixKeyInput")
define_output(StaffWithdrawalView, "StoreWithdrawal")


async def _charge(entry: strawberry.Parent[StatementEntryView], info: Info) -> ChargeView | None:
    return await info.context.loaders.charges.load(entry.charge_id) if entry.charge_id else None


async def _refund(entry: strawberry.Parent[StatementEntryView], info: Info) -> RefundView | None:
    return await info.context.loaders.refunds.load(entry.refund_id) if entry.refund_id else None


async def _withdrawal(entry: strawberry.Parent[StatementEntryView], info: Info) -> WithdrawalView | None:
    return await info.context.loaders.withdrawals.load(entry.withdrawal_id) if entry.withdrawal_id else None


async def _repayment(entry: strawberry.Parent[StatementEntryView], info: Info) -> ReceivedRepaymentView | None:
    return await info.context.loaders.repayments.load(entry.repayment_id) if entry.repayment_id else None


define_enum(
    StatementEntryKind,
    "O que mudou o saldo.",
    charge_paid="Uma cobrança foi paga.",
    charge_refunded="Uma cobrança paga foi devolvida pelo banco; ou a tarifa voltou, por ela ter sido toda devolvida.",
    refund="A loja pediu uma devolução.",
    refund_rejected="Uma devolução não foi feita, e o valor voltou.",
    withdrawal="Um saque foi pedido.",
    withdrawal_rejected="Um saque não foi feito, e o valor voltou.",
    repayment="Um repasse foi anotado.",
)
define_output(
    StatementEntryView,
    "StatementEntry",
    charge=strawberry.field(resolver=_charge, description="A cobrança paga ou devolvida."),
    refund=strawberry.field(resolver=_refund, description="A devolução."),
    withdrawal=strawberry.field(resolver=_withdrawal, description="O saque."),
    repayment=strawberry.field(resolver=_repayment, description="O repasse."),
)


@strawberry.type(description="Uma fatia do extrato.")
class StatementConnection(Slice[StatementEntryView]):
    pass


define_output(WithdrawalSummaryView, "WithdrawalSummary")
define_output(WithdrawalQuoteView, "WithdrawalQuote")
define_input(WithdrawalFilter, "WithdrawalFilter")
define_input(StaffWithdrawalFilter, "StoreWithdrawalFilter")
define_input(RequestWithdrawal, "RequestWithdrawalInput")

WithdrawalAmount = Annotated[Centavos, strawberry.argument(description="Valor do saque, em reais.")]
Since = Annotated[datetime | None, strawberry.argument(name="from", description="A partir deste momento.")]
Until = Annotated[datetime | None, strawberry.argument(description="Até este momento; de uma data, o dia inteiro.")]
Zone = Annotated[str, strawberry.argument(description="Fuso horário (IANA) das datas sem hora.")]
StatementColumns = columns_argument(export_statement, "StatementColumn")
Proof = Annotated[
    str | None, strawberry.argument(description="EndToEndId da transferência, quando o provedor não o informa.")
]
Reason = Annotated[str, strawberry.argument(description="Por que o saque foi recusado; a loja lê este texto.")]


@strawberry.type
class WithdrawalsQuery:
    @strawberry.field(description="Um saque.")
    async def withdrawal(self, info: Info, id: strawberry.ID) -> WithdrawalView:
        return await read.read_withdrawal(info.context.call, {"id": id})

    @strawberry.field(description="As chaves Pix que a loja guardou para os saques.")
    async def pix_keys(self, info: Info) -> list[PixKeyView]:
        return (await list_pix_keys(info.context.call, {})).items

    @strawberry.field(description="O saque de uma loja, para a equipe do serviço.")
    async def store_withdrawal(self, info: Info, id: strawberry.ID) -> StaffWithdrawalView:
        return await staff_actions.read_store_withdrawal(info.context.call, {"id": id})

    @strawberry.field(description="O saldo da loja: o que entrou, o que saiu, o que está disponível.")
    async def withdrawal_summary(self, info: Info) -> WithdrawalSummaryView:
        return await read.summarise(info.context.call, {})

    @strawberry.field(description="Quanto um saque deste valor custaria; pergunta ao provedor.")
    async def quote_withdrawal(self, info: Info, amount: WithdrawalAmount) -> WithdrawalQuoteView:
        return await quote_withdrawal(info.context.call, {"amount": amount})

    @strawberry.field(description="O que mudou o saldo da loja, do mais novo ao mais antigo.")
    async def statement(
        self,
        info: Info,
        from_: Since = None,
        to: Until = None,
        first: First = None,
        after: After = None,
        time_zone: Zone = SAO_PAULO.key,
    ) -> StatementConnection:
        spend(info, DEFAULT_LIMIT if first is None else max(0, min(first, MAX_LIMIT)))
        limit = {} if first is None else {"limit": first}
        raw = {"from": from_, "to": to, "after": after, "tz": time_zone, **limit}
        return StatementConnection.of(await read_statement(info.context.call, raw))

    withdrawals = list_field(read.list_withdrawals, WithdrawalFilter, description="Os saques da loja.")
    store_withdrawals = list_field(
        staff_actions.list_all_withdrawals,
        StaffWithdrawalFilter,
        description="Os saques de todas as lojas, para a equipe do serviço.",
    )


@strawberry.type
class WithdrawalsMutation:
    @strawberry.mutation(description="Pede um saque do saldo para uma chave Pix.")
    async def request_withdrawal(self, info: Info, input: RequestWithdrawal) -> WithdrawalView:
        return await request.request_withdrawal(info.context.call, input)

    @strawberry.mutation(description="Guarda uma chave Pix para os saques; uma já guardada só muda de nome.")
    async def save_pix_key(self, info: Info, input: SavePixKey) -> PixKeyView:
        return await save_pix_key(info.context.call, input)

    @strawberry.mutation(description="Exclui uma chave Pix guardada; os saques para ela ficam.")
    async def delete_pix_key(self, info: Info, id: strawberry.ID) -> Deleted:
        return await delete_pix_key(info.context.call, {"id": id})

    @strawberry.mutation(description="Dá por concluído o saque de uma loja; só a equipe do serviço.")
    async def complete_withdrawal(self, info: Info, id: strawberry.ID, end_to_end_id: Proof = None) -> WithdrawalView:
        return await staff_actions.complete_withdrawal(info.context.call, {"id": id, "end_to_end_id": end_to_end_id})

    @strawberry.mutation(description="Recusa o saque de uma loja e diz por quê; só a equipe do serviço.")
    async def refuse_withdrawal(self, info: Info, id: strawberry.ID, motivo: Reason) -> WithdrawalView:
        return await staff_actions.refuse_withdrawal(info.context.call, {"id": id, "motivo": motivo})

    export_withdrawals = export_field(
        read.export_withdrawals, WithdrawalFilter, description="Exporta os saques da loja."
    )

    @strawberry.mutation(description="Exporta o extrato da loja. O endereço vale uma vez, por 60 segundos.")
    async def export_statement(
        self,
        info: Info,
        from_: Since = None,
        to: Until = None,
        time_zone: Zone = SAO_PAULO.key,
        format: Annotated[ExportFormat, FORMAT] = ExportFormat.csv,
        columns: StatementColumns = None,  # type: ignore[valid-type]  # Made of data.
    ) -> DownloadView:
        request = {"from": from_, "to": to, "tz": time_zone}
        return await begin_export(info.context.call, export_statement, request, format, column_names(columns))

    export_store_withdrawals = export_field(
        staff_actions.export_all_withdrawals,
        StaffWithdrawalFilter,
        description="Exporta os saques de todas as lojas; só a equipe do serviço.",
    )
