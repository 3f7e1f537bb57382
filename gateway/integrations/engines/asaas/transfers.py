"""Pix transfers out of an account. Asaas cannot filter by our reference, so a lost one is searched by its day."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import (
    KEY_TYPES,
    centavos,
    items,
    local_day,
    required,
    transfer_state,
)
from gateway.integrations.engines.errors import EngineUnavailable
from gateway.integrations.engines.http_client import MissingResource, unknown_if_invalid
from gateway.integrations.engines.interface import Account, EngineTransfer, NewTransfer
from gateway.integrations.engines.notifications import mapping, text
from gateway.values.money import reais_from_centavos

PAGE_SIZE = 100
MAX_PAGES = 20


class Transfers:
    """The transfers of one environment."""

    def __init__(self, client: AsaasClient) -> None:
        self._client = client

    async def fee(self, account: Account | None = None) -> int:
        """The fee without the free transfers of a month: Asaas does not say how many are left."""
        fees = mapping((await self._client.get("/myAccount/fees/", account)).get("transfer"))
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
        data = await self._client.post("/transfers", body, request.account)
        with unknown_if_invalid():
            return _transfer(data)

    async def find(
        self, external_reference: str, ordered_at: datetime, account: Account | None = None
    ) -> EngineTransfer | None:
        for page in range(MAX_PAGES):
            query = {"dateCreated[ge]": local_day(ordered_at), "limit": str(PAGE_SIZE), "offset": str(page * PAGE_SIZE)}
            data = await self._client.get("/transfers", account, query=query)
            for item in items(data):
                if item.get("externalReference") == external_reference:
                    return _transfer(item)
            if data.get("hasMore") is not True:
                return None
        raise EngineUnavailable("too many transfers to look through")

    async def read(self, engine_id: str, account: Account | None = None) -> EngineTransfer | None:
        try:
            return _transfer(await self._client.get("/transfers/{id}", account, id=engine_id))
        except MissingResource:
            return None

    async def cancel(self, engine_id: str, account: Account | None = None) -> EngineTransfer:
        data = await self._client.delete("/transfers/{id}/cancel", account, id=engine_id)
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
