"""A Pix key of each merchant's account's own: without one Asaas lends a partner's, and codes
made with it die at midnight.
"""

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.words import items
from gateway.integrations.engines.port import Account, EngineError
from gateway.telemetry import log

_COMES_OR_THERE = {"ACTIVE", "AWAITING_ACTIVATION"}


class PixKeys:
    """The keys of one environment. An account that was seen with one isn't asked about again by this process."""

    def __init__(self, client: AsaasClient) -> None:
        self._client = client
        self._sure: set[str] = set()

    async def ensure(self, account: Account) -> None:
        """Give an approved account a random key, if it has none. What fails is tried at
        the next look at the account.
        """
        if account.id in self._sure:
            return
        try:
            listed = items(await self._client.get("/pix/addressKeys", account))
            if not any(key.get("status") in _COMES_OR_THERE for key in listed):
                await self._client.post("/pix/addressKeys", {"type": "EVP"}, account)
        except EngineError as error:
            log.warning("asaas_pix_key_missing", account_id=account.id, error=str(error))
            return
        self._sure.add(account.id)
