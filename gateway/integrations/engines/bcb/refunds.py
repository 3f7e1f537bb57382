"""Refunds: returns (`devolucao`) of a payment under our id, so an order that is repeated returns nothing twice."""

from collections.abc import Mapping
from typing import Any

from gateway.integrations.engines.bcb.charges import COB
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.mapping import engine_refund, reais
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown, EngineRefused
from gateway.integrations.engines.http_client import MissingResource, Refused, unknown_if_invalid
from gateway.integrations.engines.interface import Account, EngineRefund, NewRefund
from gateway.integrations.engines.notifications import objects

MAX_DESCRIPTION_LENGTH = 140
REFUND = "/pix/{end_to_end_id}/devolucao/{refund_id}"
PIX = "/pix/{end_to_end_id}"
NO_END_TO_END_ID = "o banco ainda não informou o identificador deste Pix (EndToEndId); tente novamente mais tarde"


class Refunds:
    """The refunds of one environment. A refund's id at the bank is ours without hyphens."""

    def __init__(self, client: BankClient) -> None:
        self._client = client

    async def create(self, request: NewRefund) -> EngineRefund:
        if request.account is not None:
            raise EngineRefused("the Central Bank's API has no accounts of merchants")
        if request.end_to_end_id is None:
            raise EngineRefused("a payment without an EndToEndId", reason=NO_END_TO_END_ID)
        body = {"valor": reais(request.amount)}
        if description := (request.reason or "")[:MAX_DESCRIPTION_LENGTH].strip():
            body["descricao"] = description
        try:
            data = await self._call("PUT", request, request.end_to_end_id, body)
        except MissingResource:
            raise
        except Refused as refusal:
            data = await self._existing(request, request.end_to_end_id, refusal)
        with unknown_if_invalid():
            refund = engine_refund(data)
        if refund.external_reference != request.external_reference:
            raise EngineOutcomeUnknown("a refund with another id")
        return refund

    async def of_charge(
        self, charge_id: str, end_to_end_id: str | None, account: Account | None = None
    ) -> list[EngineRefund]:
        if account is not None:
            raise EngineRefused("the Central Bank's API has no accounts of merchants")
        payments: list[Mapping[str, Any]]
        if end_to_end_id is not None:
            payments = [await self._client.call("GET", PIX, end_to_end_id=end_to_end_id)]
        else:
            payments = objects((await self._client.call("GET", COB, txid=charge_id)).get("pix"))
        return [engine_refund(refund) for payment in payments for refund in objects(payment.get("devolucoes"))]

    async def _call(
        self, method: str, request: NewRefund, end_to_end_id: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        refund_id = request.external_reference.replace("-", "")
        return await self._client.call(method, REFUND, body, end_to_end_id=end_to_end_id, refund_id=refund_id)

    async def _existing(self, request: NewRefund, end_to_end_id: str, refusal: Refused) -> dict[str, Any]:
        """The refund that the bank has under the id, which may be why it refuses; it must have the requested amount.
        Otherwise raises the refusal. Banks do not agree on an error for it.
        """
        try:
            data = await self._call("GET", request, end_to_end_id)
        except MissingResource:
            raise refusal from None
        except EngineError as error:
            raise EngineOutcomeUnknown(f"refused, and the id could not be read: {error}") from error
        if data.get("valor") != reais(request.amount):
            raise refusal
        return data
