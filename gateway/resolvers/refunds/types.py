"""Inputs and views of refunds."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from gateway.models.refunds import RefundStatus, refunds
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, PixDescription, Price, Reference, ShortText
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.values.ids import Id
from gateway.values.money import Centavos


class RefundView(View):
    """Uma devolução ao pagador de uma cobrança.

    A refund (contract section 8). Centavos here, reais in the API.
    """

    id: Id = Field(description="Identificador da devolução (UUID).")
    charge_id: Id = Field(description="Cobrança devolvida.")
    amount: Centavos = Field(description="Valor devolvido, em reais.")
    status: RefundStatus = Field(description="Situação da devolução.")
    reason: str | None = Field(description="Motivo, como o pagador o lê.")
    return_id: str | None = Field(description="Identificador da devolução no Banco Central (RtrId), quando concluída.")
    end_to_end_id: str | None = Field(description="EndToEndId do pagamento devolvido.")
    external_reference: str | None = Field(description="Referência do lojista.")
    reject_reason: str | None = Field(description="Por que não foi feita.")
    created_at: datetime = Field(description="Quando foi pedida.")
    completed_at: datetime | None = Field(description="Quando foi concluída.")
    rejected_at: datetime | None = Field(description="Quando foi recusada.")


REFUND_COLUMNS = columns_of_view(RefundView, refunds)


def refund_view(row: Mapping[str, Any]) -> RefundView:
    """The view of a table row."""
    return RefundView.of({name: row[name] for name in RefundView.model_fields})


class SimulatedOutcome(StrEnum):
    """What the simulator makes of a refund."""

    completed = "completed"
    rejected = "rejected"


class CreateRefund(Input):
    """Uma devolução a fazer, de uma cobrança por `charge_id` ou `txid`.

    `POST /refunds`.
    """

    charge_id: Annotated[IdText | None, EmptyToNone] = Field(None, description="Cobrança a devolver.")
    txid: Annotated[ShortText | None, EmptyToNone] = Field(None, description="txid da cobrança, se não há `charge_id`.")
    amount: Price | None = Field(None, description="Valor em reais. Padrão: o que ainda não foi devolvido.")
    reason: Annotated[PixDescription | None, EmptyToNone] = Field(
        None, description="Motivo, até 140 caracteres; o pagador o lê."
    )
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(None, description="Referência do lojista.")
    simulate: SimulatedOutcome | None = Field(
        None, description="Só em teste, com o simulador: o resultado da devolução. Padrão: `completed`."
    )


class WhichRefund(Input):
    """One refund."""

    id: IdText = Field(description="Identificador da devolução.")


class RefundOrder(StrEnum):
    """Sort orders of refunds; ties are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    amount_desc = "-amount"
    amount_asc = "amount"


class RefundFilter(Period):
    """Filtros de devoluções; todos os enviados valem juntos."""

    status: RefundStatus | None = Field(None, description="Só as devoluções nesta situação.")
    charge_id: IdText | None = Field(None, description="Desta cobrança.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")


class ListRefunds(RefundFilter, ListInput):
    """`GET /refunds`: everything optional."""

    sort: RefundOrder = Field(RefundOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")
