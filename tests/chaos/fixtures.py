"""A merchant's program: its requests over HTTP."""

import itertools
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.api_client import PASSWORD, VALID_CNPJ, charge_order
from tests.resolvers.withdrawals.fixtures import KEY

NOTIFICATION_TOKENS = {
    "test": "test-notifications-token-0123456789abcdef",
    "live": "live-notifications-token-0123456789abcdef",
}
_numbers = itertools.count(1)


@dataclass
class Endpoint:
    """A registered endpoint with all its `secrets`, newest last, and its `former` paths.

    `healthy`: the experiment must not affect it.
    """

    id: str
    path: str
    environment: str
    secrets: list[str]
    healthy: bool = False
    former: tuple[str, ...] = ()


@dataclass
class Merchant:
    """A merchant's credentials by environment."""

    client: httpx.AsyncClient
    id: str = ""
    email: str = field(default_factory=lambda: f"ana{next(_numbers)}@example.com")
    tokens: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    async def register(self) -> None:
        form = {
            "name": "Ana Lojista",
            "email": self.email,
            "password": PASSWORD,
            "cnpj": VALID_CNPJ,
            "company": "Loja da Ana",
        }
        session = await self.call(
            "POST", "/auth/register", form, token=None, x_forwarded_for=f"10.0.0.{len(self.email)}"
        )
        self.id = session["user"]["id"]
        await self._enter("test", session["accessToken"])

    async def go_live(self) -> None:
        """Switch to live after the approval."""
        session = await self.call("POST", "/auth/environment", {"environment": "live"}, token=self.tokens["test"])
        await self._enter("live", session["accessToken"])

    async def _enter(self, environment: str, token: str) -> None:
        self.tokens[environment] = token
        key = await self.call("POST", "/api-keys", {"name": "loja", "environment": environment}, token=token)
        self.keys[environment] = key["key"]

    async def send(
        self, method: str, path: str, body: Any = None, *, token: str | None, **headers: str
    ) -> httpx.Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["authorization"] = f"Bearer {token}"
        return await self.client.request(method, path, json=body, headers=sent)

    async def call(self, method: str, path: str, body: Any = None, *, token: str | None, **headers: str) -> Any:
        """The `data` of a successful response."""
        response = await self.send(method, path, body, token=token, **headers)
        assert response.status_code in {200, 201}, f"{method} {path}: {response.status_code} {response.text}"
        return response.json()["data"]

    async def issue(self, environment: str = "test", **changes: Any) -> dict[str, Any]:
        charge: dict[str, Any] = await self.call("POST", "/pix", charge_order(**changes), token=self.keys[environment])
        return charge

    async def pay(self, charge: dict[str, Any]) -> None:
        await self.call("POST", "/pix/simulate-payment", {"id": charge["id"]}, token=self.keys["test"])

    async def refund(self, charge: dict[str, Any], key: str = "", **order: Any) -> httpx.Response | None:
        """The answer to a refund's order; None if the API is killed meanwhile."""
        headers = {"idempotency_key": key} if key else {}
        return await self._send_or_die("/refunds", {"charge_id": charge["id"], **order}, **headers)

    async def withdraw(self, amount: float) -> httpx.Response | None:
        """The answer to a withdrawal's order; None if the API is killed meanwhile."""
        return await self._send_or_die("/withdrawals", {"amount": amount, **KEY})

    async def _send_or_die(self, path: str, body: dict[str, Any], **headers: str) -> httpx.Response | None:
        with suppress(httpx.TransportError):
            return await self.send("POST", path, body, token=self.keys["test"], **headers)
        return None

    async def notify(self, charge: dict[str, Any], event_id: str, environment: str = "test") -> httpx.Response:
        """Send the engine's notification that the charge was paid."""
        payment = {"externalReference": charge["id"], "value": charge["amount"], "status": "RECEIVED"}
        notification = {
            "id": event_id,
            "event": "PAYMENT_RECEIVED",
            "dateCreated": "2026-11-21 12:00:00",
            "payment": payment,
        }
        headers = {"asaas-access-token": NOTIFICATION_TOKENS[environment]}
        return await self.client.post("/engine/notifications/simulator", json=notification, headers=headers)
