"""Money out of an account by Pix. Asaas has no filter for our reference, so a lost one is looked for by its day."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.failures import NotThere
from gateway.integrations.engines.asaas.words import (
    KEY_TYPES,
    Unreadable,
    centavos,
    day,
    items,
    required,
    transfer_state,
)
from gateway.integrations.engines.notices import text
from gateway.integrations.engines.port import Account, EngineTransfer, EngineUnavailable, EngineUnknown, NewTransfer
from gateway.values.money import reais_from_centavos

PAGE = 100
MOST_PAGES = 20


class Transfers:
    """Transfers and balances of one environment."""

    def __init__(self, client: AsaasClient) -> None:
        self._client = client

    async def balance(self, account: Account | None) -> int:
        try:
            return centavos((await self._client.get("/finance/balance", account)).get("balance"))
        except Unreadable as error:
            raise EngineUnavailable(str(error)) from error

    async def create(self, wanted: NewTransfer) -> EngineTransfer:
        body = {
            "value": reais_from_centavos(wanted.amount),
            "pixAddressKey": wanted.pix_key,
            "pixAddressKeyType": KEY_TYPES[wanted.pix_key_type],
            "operationType": "PIX",
            "externalReference": wanted.external_reference,
        }
        if wanted.description:
            body["description"] = wanted.description
        said = await self._client.post("/transfers", body, wanted.account)
        try:
            return _transfer(said)
        except Unreadable as error:
            raise EngineUnknown(str(error)) from error

    async def find(self, reference: str, ordered_at: datetime, account: Account | None) -> EngineTransfer | None:
        for page in range(MOST_PAGES):
            query = {"dateCreated[ge]": day(ordered_at), "limit": str(PAGE), "offset": str(page * PAGE)}
            said = await self._client.get("/transfers", account, query=query)
            for item in items(said):
                if item.get("externalReference") == reference:
                    return _read(item)
            if said.get("hasMore") is not True:
                return None
        # Not found among so many isn't "none".
        raise EngineUnavailable("too many transfers to look through")

    async def read(self, engine_id: str, account: Account | None) -> EngineTransfer | None:
        try:
            return _read(await self._client.get("/transfers/{id}", account, id=engine_id))
        except NotThere:
            return None

    async def cancel(self, engine_id: str, account: Account | None) -> EngineTransfer:
        said = await self._client.delete("/transfers/{id}/cancel", account, id=engine_id)
        try:
            return _transfer(said)
        except Unreadable as error:
            raise EngineUnknown(str(error)) from error


def _read(said: Mapping[str, Any]) -> EngineTransfer:
    try:
        return _transfer(said)
    except Unreadable as error:
        raise EngineUnavailable(str(error)) from error


def _transfer(said: Mapping[str, Any]) -> EngineTransfer:
    fee = said.get("transferFee")
    return EngineTransfer(
        required(said, "id"),
        text(said.get("externalReference")),
        centavos(said.get("value")),
        transfer_state(said),
        fee=0 if fee is None else centavos(fee),
        authorized=said.get("authorized") is not False,
        end_to_end_id=text(said.get("endToEndIdentifier")),
        fail_reason=text(said.get("failReason")),
    )
