"""Repayments over GraphQL: those to a store, and every store's for the service's staff."""

from typing import Annotated

import strawberry

from gateway.models.repayments import RepaymentStatus
from gateway.resolvers.core.listing.export_tickets import begin_export
from gateway.resolvers.core.listing.exports import ExportFormat
from gateway.resolvers.core.tickets import DownloadView
from gateway.resolvers.repayments import read, record
from gateway.resolvers.repayments.types import (
    ReceivedRepaymentFilter,
    ReceivedRepaymentView,
    ReceivedStatus,
    RecordRepayment,
    RepaymentFilter,
    RepaymentView,
)
from gateway.schema.connections import FORMAT, column_names, columns_argument, export_field, list_field
from gateway.schema.context import Info
from gateway.schema.fields import mutation_field, query_field
from gateway.schema.strawberry_types import define_enum, define_inputs, define_outputs
from gateway.values.clock import SAO_PAULO

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
define_outputs(ReceivedRepaymentView, RepaymentView)
define_inputs(ReceivedRepaymentFilter, RepaymentFilter, RecordRepayment)

Zone = Annotated[str, strawberry.argument(description="Fuso horário (IANA) dos horários.")]
RepaidChargeColumns = columns_argument(read.export_repayment, "RepaidChargeColumn")
Proof = Annotated[str | None, strawberry.argument(description="EndToEndId da transferência feita à loja.")]


@strawberry.type
class RepaymentsQuery:
    received_repayment = query_field(read.read_received_repayment, "Um repasse do serviço à loja.", id=strawberry.ID)
    received_repayments = list_field(
        read.list_received_repayments,
        ReceivedRepaymentFilter,
        "Os repasses do serviço à loja, anotados ou feitos.",
    )
    repayment = query_field(read.read_repayment, "Um repasse, para a equipe do serviço.", id=strawberry.ID)
    repayments = list_field(read.list_repayments, RepaymentFilter, "Os repasses às lojas, para a equipe do serviço.")


@strawberry.type
class RepaymentsMutation:
    record_repayment = mutation_field(
        record.record_repayment,
        "Anota o que uma loja tem a receber das cobranças pagas num período.",
        input=RecordRepayment,
    )
    conclude_repayment = mutation_field(
        record.conclude_repayment, "Dá um repasse por feito.", id=strawberry.ID, end_to_end_id=Proof
    )
    discard_repayment = mutation_field(
        record.discard_repayment, "Descarta um repasse anotado por engano.", id=strawberry.ID
    )
    export_received_repayments = export_field(
        read.export_received_repayments,
        ReceivedRepaymentFilter,
        "Exporta os repasses do serviço à loja.",
    )
    export_repayments = export_field(
        read.export_repayments,
        RepaymentFilter,
        "Exporta os repasses às lojas; só a equipe do serviço.",
    )

    @strawberry.mutation(
        description="Exporta as cobranças de um repasse; só a equipe do serviço. O endereço vale uma vez, por 60 segundos."
    )
    async def export_repayment(
        self,
        info: Info,
        id: strawberry.ID,
        time_zone: Zone = SAO_PAULO.key,
        format: Annotated[ExportFormat, FORMAT] = ExportFormat.csv,
        columns: RepaidChargeColumns = None,  # type: ignore[valid-type]  # Made of data.
    ) -> DownloadView:
        request, export = {"id": id, "tz": time_zone}, read.export_repayment
        return await begin_export(
            info.context.call, export, request, format, column_names(columns), f"repasse-{id}.csv"
        )
