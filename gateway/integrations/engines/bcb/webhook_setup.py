"""Register our webhook at the bank, for the Pix key that receives. The bank appends `/pix` to its address."""

from urllib.parse import urlsplit

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.errors import EngineMisconfigured
from gateway.integrations.engines.http_client import MissingResource
from gateway.integrations.engines.interface import Account
from gateway.integrations.engines.notifications import text

PATH = "/engine/notifications/bcb/"
_WEBHOOK = "/webhook/{key}"


class WebhookSetup:
    """`base_url` is the gateway's public address. `token` authenticates callbacks; it is in the address, because they
    carry nothing else.
    """

    def __init__(self, client: BankClient, settings: BankSettings, base_url: str, token: str) -> None:
        self._client = client
        self._settings = settings
        self._base_url = base_url
        self._url = f"{base_url}{PATH}{token}"

    async def register(self, _account: Account | None = None) -> None:
        """Register the address, unless it is: some banks refuse the same one again."""
        if urlsplit(self._url).scheme != "https":
            raise EngineMisconfigured(f"banks can't deliver to {self._base_url}: GATEWAY_BASE_URL must be https")
        if not await self.is_registered():
            name = self._settings.profile.skip_mtls_header
            headers = {name: "false" if self._settings.webhook_mtls else "true"} if name else {}
            body = {"webhookUrl": self._url}
            await self._client.call("PUT", _WEBHOOK, body, headers=headers, key=self._settings.pix_key or "")

    async def is_registered(self) -> bool:
        """Whether the bank sends callbacks of the key here. Raises `EngineError`."""
        try:
            data = await self._client.call("GET", _WEBHOOK, key=self._settings.pix_key or "")
        except MissingResource:
            return False
        return text(data.get("webhookUrl"), 2_000) == self._url
