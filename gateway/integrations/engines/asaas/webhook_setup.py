"""Register our webhook at Asaas, one for each account, with the token that authenticates notifications."""

from typing import Any
from urllib.parse import urlsplit

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import items
from gateway.integrations.engines.errors import EngineMisconfigured
from gateway.integrations.engines.interface import Account
from gateway.integrations.engines.notifications import text

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
"""Events that we handle or store."""


class WebhookSetup:
    """The webhook of each account. `base_url` is the gateway's public address, `email` receives Asaas' warnings."""

    def __init__(self, client: AsaasClient, base_url: str, token: str, email: str | None) -> None:
        self._client = client
        self.url = base_url + PATH
        self._token = token
        self._email = email

    @property
    def deliverable(self) -> bool:
        """Asaas delivers to public https addresses only."""
        return urlsplit(self.url).scheme == "https"

    def body(self, email: str) -> dict[str, Any]:
        """The request body. Not in strict order: one failing notification would block all others."""
        return {
            "name": NAME,
            "url": self.url,
            "email": self._email or email,
            "enabled": True,
            "interrupted": False,
            "apiVersion": 3,
            "authToken": self._token,
            "sendType": "NON_SEQUENTIALLY",
            "events": list(EVENTS),
        }

    async def register(self, account: Account | None = None) -> None:
        """Create the webhook, or update the one with our URL."""
        if not self.deliverable:
            raise EngineMisconfigured(f"Asaas can't deliver to {self.url}: GATEWAY_BASE_URL must be https")
        if not self._email:
            raise EngineMisconfigured("GATEWAY_ASAAS_CONTACT_EMAIL is not set; Asaas sends its warnings there")
        body = self.body(self._email)
        found = await self.find(account)
        webhook_id = text(found.get("id")) if found else None
        if webhook_id is None:
            await self._client.call("POST", "/webhooks", account, body)
        else:
            await self._client.call("PUT", "/webhooks/{id}", account, body, id=webhook_id)

    async def find(self, account: Account | None) -> dict[str, Any] | None:
        """The webhook with our URL, as Asaas has it."""
        listed = items(await self._client.call("GET", "/webhooks", account))
        return next((dict(webhook) for webhook in listed if webhook.get("url") == self.url), None)
