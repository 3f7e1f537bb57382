"""Refunds at Asaas. They have no reference of ours, so our id is in the description, and finds a lost one."""

import re
from collections.abc import Mapping
from typing import Any

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import centavos, refund_state
from gateway.integrations.engines.end_to_end_id import valid_end_to_end_id
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown
from gateway.integrations.engines.interface import Account, EngineRefund, NewRefund
from gateway.integrations.engines.notifications import objects, text
from gateway.models.engines import TransferState
from gateway.values.money import reais_from_centavos

MAX_DESCRIPTION_LENGTH = 140
"""As in a Pix. Asaas documents no limit."""
CANCELED = "a devolução foi cancelada no provedor"
"""Asaas gives no reason."""
_ID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Refunds:
    """The refunds of one environment."""

    def __init__(self, client: AsaasClient) -> None:
        self._client = client

    async def create(self, request: NewRefund) -> EngineRefund:
        body = {"value": reais_from_centavos(request.amount), "description": _description(request)}
        payment = await self._client.call("POST", "/payments/{id}/refund", request.account, body, id=request.charge_id)
        try:
            refunds = [_refund(item) for item in objects(payment.get("refunds"))]
            found = _find(refunds, request) or _find(
                await self.of_charge(request.charge_id, None, request.account), request
            )
        except EngineError as error:
            raise EngineOutcomeUnknown(f"the refund was ordered, and could not be read: {error}") from error
        if found is None:
            raise EngineOutcomeUnknown("the refund was ordered, and is not listed")
        return found

    async def of_charge(
        self, charge_id: str, _end_to_end_id: str | None, account: Account | None = None
    ) -> list[EngineRefund]:
        found = self._client.pages("/payments/{id}/refunds", account, id=charge_id)
        return [_refund(item) async for item in found]


def _description(request: NewRefund) -> str:
    reason = f": {request.reason}" if request.reason else ""
    return f"Devolução {request.external_reference}{reason}"[:MAX_DESCRIPTION_LENGTH].strip()


def _find(refunds: list[EngineRefund], request: NewRefund) -> EngineRefund | None:
    return next((refund for refund in refunds if refund.external_reference == request.external_reference), None)


def _refund(data: Mapping[str, Any]) -> EngineRefund:
    """Parse a refund. Raises `InvalidResponse`."""
    found = _ID.search(text(data.get("description"), 2_000) or "")
    state = refund_state(data)
    return EngineRefund(
        found[0].lower() if found else None,
        centavos(data.get("value")),
        state,
        valid_end_to_end_id(data.get("endToEndIdentifier")),
        CANCELED if state is TransferState.failed else None,
    )
