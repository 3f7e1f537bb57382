"""What the service's staff says about merchants."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from gateway.errors import NotFound
from gateway.models.accounts import ProductionStatus
from gateway.resolvers.core.inputs import IdText, Input, LongText, NoneIfEmpty
from gateway.resolvers.core.listing.inputs import ListInput, Period


def _said(text: str) -> str:
    if not text:
        raise ValueError("diga o motivo")
    return text


Reason = Annotated[LongText, AfterValidator(_said)]


class MerchantOrder(StrEnum):
    """The orders of the list of merchants. `queue`: who waits for a decision first, the
    oldest request before others.
    """

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
