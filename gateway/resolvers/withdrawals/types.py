"""Inputs and views of withdrawals and of a store's balance."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError

from gateway.errors import InvalidPixKey
from gateway.models.base import Environment
from gateway.models.engines import PixKeyType
from gateway.models.withdrawals import WithdrawalStatus, withdrawals
from gateway.resolvers.accounts.queries import store_name_of
from gateway.resolvers.core.inputs import EmptyToNone, IdText, Input, PixDescription, Price, Reference, line
from gateway.resolvers.core.listing.inputs import ListInput, Period
from gateway.resolvers.core.views import View, columns_of_view
from gateway.resolvers.staff.types import Reason
from gateway.resolvers.withdrawals.pix_keys import normalise_key
from gateway.settings import ReceivingMode
from gateway.values.ids import Id
from gateway.values.money import Centavos


class WithdrawalView(View):
    """Um saque do saldo da loja para uma chave Pix.

    A withdrawal (contract section 6). Centavos here, reais in the API.
    """

    id: Id = Field(description="Identificador do saque (UUID).")
    user_id: Id = Field(description="Titular da loja.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")
    status: WithdrawalStatus = Field(description="Situação do saque.")
    amount: Centavos = Field(description="Valor que sai do saldo, em reais.")
    fee_amount: Centavos = Field(description="O que o provedor retém da transferência, em reais.")
    net_amount: Centavos = Field(description="Valor menos a tarifa: o que chega à chave, em reais.")
    pix_key: str = Field(description="Chave Pix de destino.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    description: str | None = Field(description="Descrição.")
    external_reference: str | None = Field(description="Referência do lojista.")
    reject_reason: str | None = Field(description="Por que foi recusado.")
    end_to_end_id: str | None = Field(description="EndToEndId da transferência.")
    created_at: datetime = Field(description="Quando foi pedido.")
    completed_at: datetime | None = Field(description="Quando foi concluído.")
    rejected_at: datetime | None = Field(description="Quando foi recusado.")


class StaffWithdrawalView(WithdrawalView):
    """Um saque, como a equipe do serviço o vê.

    A withdrawal with the ids that staff needs at the engine.
    """

    store_name: str | None = Field(description="Nome da loja.")
    engine: str = Field(description="Provedor que faz a transferência.")
    engine_id: str | None = Field(
        description="Identificador da transferência no provedor; nulo enquanto não se sabe se ele a recebeu."
    )


class WithdrawalSummaryView(View):
    """O saldo da loja no ambiente da credencial.

    `GET /withdrawals/summary`. Centavos here, reais in the API.
    """

    gross_amount: Centavos = Field(description="Soma das cobranças pagas, em reais.")
    fee_amount: Centavos = Field(description="Tarifas do serviço retidas na origem, em reais; na conta única, zero.")
    net_amount: Centavos = Field(description="Soma das cobranças menos as tarifas, em reais.")
    withdrawn_amount: Centavos = Field(description="O que já saiu, por saque ou por repasse, em reais.")
    pending_amount: Centavos = Field(
        description="O que está saindo: saques e devoluções em andamento, e repasses anotados, em reais."
    )
    available_amount: Centavos = Field(
        description="O que ainda pode sair, em reais. Negativo se uma cobrança foi devolvida depois do saque."
    )
    charges_count: int = Field(description="Quantas cobranças estão pagas.")
    withdrawals_count: int = Field(description="Quantos saques foram concluídos.")
    modo: ReceivingMode = Field(description="Modo de recebimento: `conta_unica` ou `subconta`.")
    environment: Environment = Field(description="Ambiente: `test` ou `live`.")


_W = withdrawals
_net_amount = _W.c.amount - _W.c.fee_amount
WITHDRAWAL_COLUMNS = columns_of_view(WithdrawalView, _W, net_amount=_net_amount)
STAFF_COLUMNS = columns_of_view(StaffWithdrawalView, _W, net_amount=_net_amount, store_name=store_name_of(_W.c.user_id))
_COLUMNS = [name for name in WithdrawalView.model_fields if name != "net_amount"]


def withdrawal_view(row: Mapping[str, Any]) -> WithdrawalView:
    """The view of a table row."""
    values = {name: row[name] for name in _COLUMNS}
    return WithdrawalView.of(values | {"net_amount": row["amount"] - row["fee_amount"]})


def _validate_key(key: str, info: ValidationInfo) -> str:
    """Validates only: the key is stored as sent, so that a repeated request has the same fingerprint."""
    kind = info.data.get("pix_key_type")
    try:
        if kind is not None:
            normalise_key(kind, key)
    except InvalidPixKey as error:
        raise PydanticCustomError("pix_key", "{reason}", {"reason": error.reason}) from None
    return key


PixKey: Any = Annotated[line(140, 1), AfterValidator(_validate_key)]
EndToEndId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{32}$")]


class RequestWithdrawal(Input):
    """Um pedido de saque.

    `POST /withdrawals`.
    """

    amount: Price = Field(description="Valor em reais, até o saldo disponível.")
    pix_key_type: PixKeyType = Field(description="Tipo da chave.")
    pix_key: PixKey = Field(description="Chave Pix de destino, com ou sem formatação.")
    description: Annotated[PixDescription | None, EmptyToNone] = Field(
        None, description="Descrição, até 140 caracteres."
    )
    external_reference: Annotated[Reference | None, EmptyToNone] = Field(None, description="Referência do lojista.")


class QuoteWithdrawal(Input):
    """Quanto custaria um saque.

    `GET /withdrawals/quote`.
    """

    amount: Price = Field(description="Valor do saque, em reais.")


class WithdrawalQuoteView(View):
    """Quanto um saque custa e quanto chega à chave.

    Centavos here, reais in the API.
    """

    amount: Centavos = Field(description="Valor que sairia do saldo, em reais.")
    fee_amount: Centavos = Field(description="O que o provedor retém, no máximo, em reais.")
    net_amount: Centavos = Field(description="O que chega à chave, no mínimo, em reais.")


class WhichWithdrawal(Input):
    """One withdrawal."""

    id: IdText = Field(description="Identificador do saque.")


class WithdrawalOrder(StrEnum):
    """Sort orders of withdrawals; ties are ordered by id."""

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

    end_to_end_id: Annotated[EndToEndId | None, EmptyToNone] = Field(
        None, description="EndToEndId da transferência, quando o provedor não o informa."
    )


class RefuseWithdrawal(WhichWithdrawal):
    """`POST /admin/withdrawals/{id}/recusar`."""

    motivo: Reason = Field(description="Por que o saque foi recusado; a loja lê este texto.")
