"""What the service's staff says about differences."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from gateway.models.base import Environment
from gateway.models.reconciliation import DifferenceKind
from gateway.resolvers.core.inputs import IdText, Input, LongText
from gateway.resolvers.core.listing.inputs import ByCreation, ListInput, Period


class DifferenceStatus(StrEnum):
    """Whether a difference still waits for somebody."""

    open = "open"
    resolved = "resolved"


def _said(text: str) -> str:
    if not text:
        raise ValueError("diga o que foi feito")
    return text


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
    """One difference."""

    unknown: ClassVar[Mapping[str, str]] = {"id": "Diferença não encontrada."}

    id: IdText = Field(description="Identificador da diferença.")


class ResolveDifference(WhichDifference):
    """`POST /admin/differences/{id}/resolver`."""

    nota: Annotated[LongText, AfterValidator(_said)] = Field(description="O que foi feito; fica na auditoria da loja.")
