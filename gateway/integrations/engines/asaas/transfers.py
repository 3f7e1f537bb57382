"""Pix transfers out of an account. Asaas cannot filter by our reference, so a lost one is searched by its day."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import KEY_TYPES, centavos, local_day, required, transfer_state
from gateway.integrations.engines.http_client import MissingResource, unknown_if_invalid
from gateway.integrations.engines.interface import Account, EngineTransfer, NewTransfer
from gateway.integrations.engines.notifications import mapping, text
from gateway.values.money import reais_from_centavos


class Transfers:
    """The transfers of one environment."""

    def __init__(self, client: AsaasClient) -> None:
        self._client = client

    async def fee(self, account: Account | None = None) -> int:
        """The fee without the free transfers of a month: Asaas does not say how many are left."""
        fees = mapping((await self._client.call("GET", "/myAccount/fees/", account)).get("transfer"))
        return centavos(mapping(fees.get("pix")).get("feeValue"))

    async def create(self, request: NewTransfer) -> EngineTransfer:
        body = {
            "value": reais_from_centavos(request.amount),
            "pixAddressKey": request.pix_key,
            "pixAddressKeyType": KEY_TYPES[request.pix_key_type],
            "operationType": "PIX",
            "externalReference": request.external_reference,
        }
        if request.description:
            body["description"] = request.description
        data = await self._client.call("POST", "/transfers", request.account, body)
        with unknown_if_invalid():
            return _transfer(data)

    async def find(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        query = {"dateCreated[ge]": local_day(ordered_at)}
        async for item in self._client.pages("/transfers", account, query):
            if item.get("externalReference") == external_reference:
                return _transfer(item)
        return None

    async def read(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        try:
            return _transfer(await self._client.call("GET", "/transfers/{id}", account, id=engine_id))
        except MissingResource:
            return None

    async def cancel(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        data = await self._client.call("DELETE", "/transfers/{id}/cancel", account, id=engine_id)
        with unknown_if_invalid():
            return _transfer(data)


def _transfer(data: Mapping[str, Any]) -> EngineTransfer:
    """Parse a transfer. Raises `InvalidResponse`."""
    fee = data.get("transferFee")
    return EngineTransfer(
        required(data, "id"),
        text(data.get("externalReference")),
        centavos(data.get("value")),
        transfer_state(data),
        fee=0 if fee is None else centavos(fee),
        end_to_end_id=text(data.get("endToEndIdentifier")),
        fail_reason=text(data.get("failReason")),
    )
