"""Merchant review and differences with the engines over GraphQL, for staff."""

from typing import Annotated

import strawberry

from gateway.models.reconciliation import DiscrepancyKind, Resolution
from gateway.resolvers.staff import reviews
from gateway.resolvers.staff.differences import (
    export_differences,
    list_differences,
    read_difference,
    resolve_difference,
)
from gateway.resolvers.staff.merchants import begin_download, export_merchants, list_merchants, read_merchant
from gateway.resolvers.staff.types import (
    DifferenceFilter,
    DifferenceStatus,
    DifferenceView,
    MerchantDetailView,
    MerchantFilter,
    MerchantOrder,
    MerchantView,
    ProductionMoveView,
)
from gateway.schema.connections import export_field, list_field
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_input, define_output, define_outputs

define_enum(MerchantOrder, "Ordem da lista de lojistas.", queue="Primeiro quem espera há mais tempo por uma decisão.")
define_outputs(ProductionMoveView, MerchantView, MerchantDetailView)
define_input(MerchantFilter, "MerchantFilter")

MerchantId = Annotated[strawberry.ID, strawberry.argument(name="merchantId", description="O lojista.")]
DocumentId = Annotated[strawberry.ID, strawberry.argument(description="O documento.")]
Reason = Annotated[str, strawberry.argument(description="Por que a loja não foi liberada; ela lê este texto.")]
OptionalReason = Annotated[
    str | None, strawberry.argument(description="Por que a operação foi suspensa; a loja lê este texto.")
]


@strawberry.type
class StaffQuery:
    merchants = list_field(
        list_merchants,
        MerchantFilter,
        "Os lojistas, para a equipe do serviço; primeiro quem espera há mais tempo.",
    )
    merchant = query_field(
        read_merchant, "Um lojista com documentos e histórico, para a equipe do serviço.", id=strawberry.ID
    )


@strawberry.type
class StaffMutation:
    document_download = mutation_field(
        begin_download,
        "O endereço que baixa um documento de um lojista, uma vez.",
        id=MerchantId,
        document_id=DocumentId,
    )
    approve_merchant = mutation_field(
        reviews.approve_merchant, "Libera para produção uma loja que pediu.", id=strawberry.ID
    )
    refuse_merchant = mutation_field(
        reviews.refuse_merchant, "Recusa o pedido de uma loja e diz por quê.", id=strawberry.ID, motivo=Reason
    )
    suspend_merchant = mutation_field(
        reviews.suspend_merchant,
        "Suspende a operação em produção de uma loja liberada.",
        id=strawberry.ID,
        motivo=OptionalReason,
    )
    reactivate_merchant = mutation_field(
        reviews.reactivate_merchant, "Devolve a liberação a uma loja suspensa.", id=strawberry.ID
    )
    export_merchants = export_field(
        export_merchants,
        MerchantFilter,
        "Exporta os lojistas; só a equipe do serviço.",
    )


define_enum(
    DiscrepancyKind,
    "O que difere entre o gateway e um provedor de pagamentos.",
    amount="Foi pago outro valor.",
    status="Aqui consta paga ou devolvida, lá não.",
    missing="O provedor não tem a cobrança.",
    payable="Aqui venceu ou foi cancelada, lá ainda pode ser paga.",
    mistaken="O provedor tem outra cobrança com este identificador.",
    partial_refund="Uma parte foi devolvida.",
    chargeback="O pagamento foi contestado.",
    unclaimed="Foi pago um pedido que falhou aqui e não tem cobrança.",
    unknown_payment="O provedor recebeu um pagamento que não é de nenhuma cobrança daqui.",
)
define_enum(
    Resolution,
    "Como uma diferença foi encerrada.",
    corrected="Já não difere.",
    staff="A equipe do serviço resolveu.",
)
define_enum(
    DifferenceStatus,
    "Se uma diferença ainda espera alguém.",
    open="Espera alguém.",
    resolved="Foi encerrada.",
)
define_output(DifferenceView, "Difference")
define_input(DifferenceFilter, "DifferenceFilter")

Note = Annotated[str, strawberry.argument(description="O que foi feito; fica na auditoria da loja.")]


@strawberry.type
class DifferencesQuery:
    differences = list_field(
        list_differences,
        DifferenceFilter,
        "O que difere entre o gateway e os provedores, para a equipe do serviço.",
    )
    difference = query_field(read_difference, "Uma diferença, para a equipe do serviço.", id=strawberry.ID)


@strawberry.type
class DifferencesMutation:
    resolve_difference = mutation_field(
        resolve_difference, "Encerra uma diferença de que a equipe já cuidou.", id=strawberry.ID, nota=Note
    )
    export_differences = export_field(
        export_differences,
        DifferenceFilter,
        "Exporta as diferenças; só a equipe do serviço.",
    )
