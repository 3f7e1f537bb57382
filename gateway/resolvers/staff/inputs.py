"""Inputs of the staff's operations on merchants and discrepancies."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from gateway.errors import NotFound
from gateway.models.accounts import ProductionStatus
from gateway.models.base import Environment
from gateway.models.reconciliation import DifferenceKind
from gateway.resolvers.core.inputs import IdText, Input, LongText, NoneIfEmpty
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period


def _require_reason(text: str) -> str:
    if not text:
        raise ValueError("diga o motivo")
    return text


def _require_note(text: str) -> str:
    if not text:
        raise ValueError("diga o que foi feito")
    return text


Reason = Annotated[LongText, AfterValidator(_require_reason)]


class MerchantOrder(StrEnum):
    """The orders of the list of merchants. `queue`: pending reviews first, the oldest request before others."""

    queue = "queue"
    created_at_desc = "-created_at"
    created_at_asc = "created_at"


class MerchantFilter(Period):
    """Filtros de lojistas; todos os enviados valem juntos."""

    status: ProductionStatus | None = Field(None, description="Só os lojistas nesta situação.")


class ListMerchants(MerchantFilter, ListInput):
    """`GET /admin/lojistas`: everything optional."""

    sort: MerchantOrder = Field(
        MerchantOrder.queue, description="Ordem: `queue` traz primeiro quem espera, do pedido mais antigo ao mais novo."
    )


class WhichMerchant(Input):
    """One merchant."""

    id: IdText = Field(description="Identificador do lojista.")


class WhichDocument(WhichMerchant):
    """One document of one merchant."""

    unknown: ClassVar[Mapping[str, str]] = {**WhichMerchant.unknown, "document_id": NotFound.default_message}

    document_id: IdText = Field(description="Identificador do documento.")


class RefuseMerchant(WhichMerchant):
    """`POST /admin/lojistas/{id}/recusar`."""

    motivo: Reason = Field(description="Por que a loja não foi liberada; ela lê este texto.")


class SuspendMerchant(WhichMerchant):
    """`POST /admin/lojistas/{id}/suspender`."""

    motivo: Annotated[LongText | None, NoneIfEmpty] = Field(
        None, description="Por que a operação foi suspensa; a loja lê este texto."
    )


class DifferenceStatus(StrEnum):
    """Whether a discrepancy is still open."""

    open = "open"
    resolved = "resolved"


class DifferenceFilter(Period):
    """Filtros de diferenças; todos os enviados valem juntos."""

    status: DifferenceStatus | None = Field(None, description="Só as abertas (`open`) ou as encerradas (`resolved`).")
    kind: DifferenceKind | None = Field(None, description="Só as deste tipo.")
    environment: Environment | None = Field(None, description="Só as deste ambiente.")
    store_id: IdText | None = Field(None, description="Só as desta loja.")
    charge_id: IdText | None = Field(None, description="Só as desta cobrança.")


class ListDifferences(DifferenceFilter, ListInput):
    """`GET /admin/differences`: everything optional."""

    sort: ByCreation = Field(ByCreation.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class WhichDifference(Input):
    """One discrepancy."""

    unknown: ClassVar[Mapping[str, str]] = {"id": "Diferença não encontrada."}

    id: IdText = Field(description="Identificador da diferença.")


class ResolveDifference(WhichDifference):
    """`POST /admin/differences/{id}/resolver`."""

    nota: Annotated[LongText, AfterValidator(_require_note)] = Field(
        description="O que foi feito; fica na auditoria da loja."
    )
