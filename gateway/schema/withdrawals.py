"""Withdrawals over GraphQL: a store's own, and every store's for the service's staff."""

from datetime import datetime
from typing import Annotated

import strawberry

from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.charges.read import charges_by_id, read_charge
from gateway.resolvers.core.listing.export_tickets import begin_export
from gateway.resolvers.core.listing.exports import ExportFormat
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, MAX_LIMIT
from gateway.resolvers.core.tickets import DownloadView
from gateway.resolvers.pix_keys.operations import delete_pix_key, list_pix_keys, save_pix_key
from gateway.resolvers.pix_keys.types import PixKeyView, SavePixKey
from gateway.resolvers.refunds.read import ROWS as REFUNDS
from gateway.resolvers.refunds.read import read_refund
from gateway.resolvers.repayments.read import ROWS as RECEIVED_REPAYMENTS
from gateway.resolvers.repayments.read import read_received_repayment
from gateway.resolvers.withdrawals import read, request, staff_actions
from gateway.resolvers.withdrawals.read import ROWS as WITHDRAWALS
from gateway.resolvers.withdrawals.read import read_withdrawal
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
from gateway.schema.fields import mutation_field, query_field, relation
from gateway.schema.strawberry_types import define_enum, define_input, define_inputs, define_output, define_outputs
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
define_outputs(WithdrawalView, PixKeyView)
define_input(SavePixKey, "SavePixKeyInput")
define_output(StaffWithdrawalView, "StoreWithdrawal")


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
    charge=relation(read_charge, charges_by_id, "charge_id", "A cobrança paga ou devolvida."),
    refund=relation(read_refund, REFUNDS.read_all, "refund_id", "A devolução."),
    withdrawal=relation(read_withdrawal, WITHDRAWALS.read_all, "withdrawal_id", "O saque."),
    repayment=relation(read_received_repayment, RECEIVED_REPAYMENTS.read_all, "repayment_id", "O repasse."),
)


@strawberry.type(description="Uma fatia do extrato.")
class StatementConnection(Slice[StatementEntryView]):
    pass


define_outputs(WithdrawalSummaryView, WithdrawalQuoteView)
define_input(StaffWithdrawalFilter, "StoreWithdrawalFilter")
define_inputs(WithdrawalFilter, RequestWithdrawal)

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
    withdrawal = query_field(read.read_withdrawal, "Um saque.", id=strawberry.ID)
    pix_keys = query_field(list_pix_keys, "As chaves Pix que a loja guardou para os saques.")
    store_withdrawal = query_field(
        staff_actions.read_store_withdrawal, "O saque de uma loja, para a equipe do serviço.", id=strawberry.ID
    )
    withdrawal_summary = query_field(
        read.summarise, "O saldo da loja: o que entrou, o que saiu, o que está disponível."
    )
    quote_withdrawal = query_field(
        quote_withdrawal, "Quanto um saque deste valor custaria; pergunta ao provedor.", amount=WithdrawalAmount
    )

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

    withdrawals = list_field(read.list_withdrawals, WithdrawalFilter, "Os saques da loja.")
    store_withdrawals = list_field(
        staff_actions.list_all_withdrawals,
        StaffWithdrawalFilter,
        "Os saques de todas as lojas, para a equipe do serviço.",
    )


@strawberry.type
class WithdrawalsMutation:
    request_withdrawal = mutation_field(
        request.request_withdrawal, "Pede um saque do saldo para uma chave Pix.", input=RequestWithdrawal
    )
    save_pix_key = mutation_field(
        save_pix_key, "Guarda uma chave Pix para os saques; uma já guardada só muda de nome.", input=SavePixKey
    )
    delete_pix_key = mutation_field(
        delete_pix_key, "Exclui uma chave Pix guardada; os saques para ela ficam.", id=strawberry.ID
    )
    complete_withdrawal = mutation_field(
        staff_actions.complete_withdrawal,
        "Dá por concluído o saque de uma loja; só a equipe do serviço.",
        id=strawberry.ID,
        end_to_end_id=Proof,
    )
    refuse_withdrawal = mutation_field(
        staff_actions.refuse_withdrawal,
        "Recusa o saque de uma loja e diz por quê; só a equipe do serviço.",
        id=strawberry.ID,
        motivo=Reason,
    )
    export_withdrawals = export_field(read.export_withdrawals, WithdrawalFilter, "Exporta os saques da loja.")

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
        "Exporta os saques de todas as lojas; só a equipe do serviço.",
    )
