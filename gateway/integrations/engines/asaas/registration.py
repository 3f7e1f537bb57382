"""Having Asaas send its notices to us: one webhook for each account, with the token by which they are recognised."""

from typing import Any
from urllib.parse import urlsplit

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.words import items
from gateway.integrations.engines.notices import text
from gateway.integrations.engines.port import Account, EngineMisconfigured

NAME = "Gateway Pix"
PATH = "/engine/notifications/asaas"
_TRACKS = ("BANK_ACCOUNT_INFO", "COMMERCIAL_INFO", "DOCUMENT", "GENERAL_APPROVAL")
_TRACK_STATES = ("APPROVED", "AWAITING_APPROVAL", "PENDING", "REJECTED")
EVENTS = (
    "PAYMENT_RECEIVED",
    "PAYMENT_CONFIRMED",
    "PAYMENT_OVERDUE",
    "PAYMENT_DELETED",
    "PAYMENT_RESTORED",
    "PAYMENT_REFUNDED",
    "PAYMENT_PARTIALLY_REFUNDED",
    "PAYMENT_REFUND_DENIED",
    "PAYMENT_RECEIVED_IN_CASH_UNDONE",
    "PAYMENT_CHARGEBACK_REQUESTED",
    "PAYMENT_CHARGEBACK_DISPUTE",
    "PAYMENT_SPLIT_CANCELLED",
    "PAYMENT_SPLIT_DIVERGENCE_BLOCK",
    "TRANSFER_DONE",
    "TRANSFER_FAILED",
    "TRANSFER_CANCELLED",
    *(f"ACCOUNT_STATUS_{track}_{state}" for track in _TRACKS for state in _TRACK_STATES),
    "ACCOUNT_STATUS_COMMERCIAL_INFO_EXPIRING_SOON",
    "ACCOUNT_STATUS_COMMERCIAL_INFO_EXPIRED",
)
"""What we act on or want on record. Others would only be rows."""


class Registration:
    """Where notices go. `base_url` is the gateway's public address, `email` whom Asaas tells that they don't arrive."""

    def __init__(self, client: AsaasClient, base_url: str, token: str, email: str | None) -> None:
        self._client = client
        self._url = base_url + PATH
        self._token = token
        self._email = email

    @property
    def url(self) -> str:
        return self._url

    @property
    def deliverable(self) -> bool:
        """Asaas delivers to public https addresses only."""
        return urlsplit(self._url).scheme == "https"

    def webhook(self, email: str) -> dict[str, Any]:
        """The webhook as Asaas is asked for it. Strict order is not asked for: one notice that fails would hold all."""
        return {
            "name": NAME,
            "url": self._url,
            "email": self._email or email,
            "enabled": True,
            "interrupted": False,
            "apiVersion": 3,
            "authToken": self._token,
            "sendType": "NON_SEQUENTIALLY",
            "events": list(EVENTS),
        }

    async def register(self, account: Account | None) -> None:
        """Make the webhook, or set right the one with our address."""
        if not self.deliverable:
            raise EngineMisconfigured(f"Asaas can't deliver to {self._url}: GATEWAY_BASE_URL must be https")
        if not self._email:
            raise EngineMisconfigured("GATEWAY_ASAAS_CONTACT_EMAIL is not set; Asaas wants to know whom to warn")
        wanted = self.webhook(self._email)
        found = await self.found(account)
        known = text(found.get("id")) if found else None
        if known is None:
            await self._client.post("/webhooks", wanted, account)
        else:
            await self._client.put("/webhooks/{id}", wanted, account, id=known)

    async def found(self, account: Account | None) -> dict[str, Any] | None:
        """The webhook with our address, as Asaas has it."""
        listed = items(await self._client.get("/webhooks", account))
        return next((dict(webhook) for webhook in listed if webhook.get("url") == self._url), None)
