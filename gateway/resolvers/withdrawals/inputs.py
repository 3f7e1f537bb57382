"""What callers say about withdrawals."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError

from gateway.errors import InvalidPixKey
from gateway.models.base import Environment
from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus
from gateway.resolvers.core.inputs import IdText, Input, NoneIfEmpty, PixDescription, Reais, Reference, line
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.staff.types import Reason
from gateway.resolvers.withdrawals.pix_keys import normalise_key


def _of_its_type(key: str, given: ValidationInfo) -> str:
    """Judged here and kept as it was sent, so that what is sent again with its idempotency key is the same order."""
    kind = given.data.get("pix_key_type")
    try:
        if kind is not None:
            normalise_key(kind, key)
    except InvalidPixKey as refusal:
        raise PydanticCustomError("pix_key", "{reason}", {"reason": refusal.reason}) from None
    return key


PixKey: Any = Annotated[line(140, 1), AfterValidator(_of_its_type)]
EndToEndId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{32}$")]


class RequestWithdrawal(Input):
    """Um pedido de saque.

    `POST /withdrawals`.
    """

    amount: Annotated[Reais, Field(gt=0)] = Field(description="Valor em reais, até o saldo disponível.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    pix_key: PixKey = Field(description="Chave Pix de destino, com ou sem formatação.")
    description: Annotated[PixDescription | None, NoneIfEmpty] = Field(
        None, description="Descrição, até 140 caracteres."
    )
    external_reference: Annotated[Reference | None, NoneIfEmpty] = Field(None, description="Referência do lojista.")


class WhichWithdrawal(Input):
    """One withdrawal."""

    id: IdText = Field(description="Identificador do saque.")


class WithdrawalOrder(StrEnum):
    """The orders of a list of withdrawals; equals are ordered by id."""

    created_at_desc = "-created_at"
    created_at_asc = "created_at"
    amount_desc = "-amount"
    amount_asc = "amount"


class WithdrawalFilter(Period):
    """Filtros de saques; todos os enviados valem juntos."""

    status: WithdrawalStatus | None = Field(None, description="Só os saques nesta situação.")
    external_reference: Reference | None = Field(None, description="Com esta referência do lojista.")


class ListWithdrawals(WithdrawalFilter, ListInput):
    """`GET /withdrawals`: everything optional."""

    sort: WithdrawalOrder = Field(WithdrawalOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class StaffWithdrawalFilter(WithdrawalFilter):
    """Filtros de saques de todas as lojas; todos os enviados valem juntos."""

    store_id: IdText | None = Field(None, description="Da loja com este titular.")
    environment: Environment | None = Field(None, description="Do ambiente.")


class ListAllWithdrawals(StaffWithdrawalFilter, ListInput):
    """`GET /admin/withdrawals`: everything optional."""

    sort: WithdrawalOrder = Field(WithdrawalOrder.created_at_desc, description="Ordem; `-` na frente é decrescente.")


class CompleteWithdrawal(WhichWithdrawal):
    """`POST /admin/withdrawals/{id}/concluir`."""

    end_to_end_id: Annotated[EndToEndId | None, NoneIfEmpty] = Field(
        None, description="EndToEndId da transferência, quando o provedor não o informa."
    )


class RefuseWithdrawal(WhichWithdrawal):
    """`POST /admin/withdrawals/{id}/recusar`."""

    motivo: Reason = Field(description="Por que o saque foi recusado; a loja lê este texto.")
