"""A client of the application, as a merchant's program is: REST and GraphQL over ASGI."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self, cast

import httpx
import jwt
from msgspec import Struct
from starlette.types import ASGIApp

from gateway.app import Gateway
from gateway.resolvers.core.context import Services

VALID_CNPJ = "11.222.333/0001-81"
VALID_CPF = "529.982.247-25"
PASSWORD = "uma senha comprida"
PAYER = {"customer_name": "José Pagador", "customer_email": "jose@example.com", "customer_cpf": VALID_CPF}
_numbers = itertools.count(1)


def charge_order(**changes: Any) -> dict[str, Any]:
    """A valid body of `POST /pix` in manual mode, with changes."""
    return {"amount": 129.9, "description": "Pedido 1", **PAYER, **changes}


@dataclass
class Api:
    """Requests to the application; `token` is a session token or an API key."""

    client: httpx.AsyncClient

    @classmethod
    @asynccontextmanager
    async def of(cls, app: ASGIApp, address: str = "127.0.0.1") -> AsyncIterator[Self]:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 40000))
        async with httpx.AsyncClient(transport=transport, base_url="http://gateway.test") as client:
            yield cls(client)

    @property
    def services(self) -> Services:
        """The services of the application in this process."""
        transport = cast(httpx.ASGITransport, self.client._transport)
        return cast(Gateway, transport.app).services

    async def request(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> httpx.Response:
        """One REST request. Header names have underscores: `idempotency_key="x"`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["authorization"] = f"Bearer {token}"
        return await self.client.request(method, path, json=body, headers=sent)

    async def get(self, path: str, *, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.request("GET", path, token=token, **headers)

    async def post(self, path: str, body: Any = None, *, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.request("POST", path, body, token=token, **headers)

    async def put(self, path: str, body: Any = None, *, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.request("PUT", path, body, token=token, **headers)

    async def delete(self, path: str, *, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.request("DELETE", path, token=token, **headers)

    async def graphql(
        self, query: str, *, token: str | None = None, headers: dict[str, str] | None = None, **variables: Any
    ) -> dict[str, Any]:
        """One GraphQL request; returns the whole decoded response."""
        response = await self.request(
            "POST", "/graphql", {"query": query, "variables": variables}, token=token, **(headers or {})
        )
        answer: dict[str, Any] = response.json()
        return answer

    async def register_merchant(self, **changes: Any) -> "Merchant":
        """A new merchant, through the API, with a test key."""
        form = {
            "name": "Ana Lojista",
            "email": f"ana{next(_numbers)}@example.com",
            "password": PASSWORD,
            "cnpj": VALID_CNPJ,
            "company": "Loja da Ana",
            **changes,
        }
        answer = await self.post("/auth/register", form)
        assert answer.status_code == 201, answer.text
        session = answer.json()["data"]
        token = session["accessToken"]
        key = (await self.post("/api-keys", {"name": "loja", "environment": "test"}, token=token)).json()["data"]
        return Merchant(self, session["user"]["id"], form["email"], token, key["key"], key["id"])


def session_id_of(token: str) -> str:
    """The id of a token's session, also after the token has expired."""
    claims: dict[str, str] = jwt.decode(token, options={"verify_signature": False})
    return claims["sid"]


class Merchant(Struct):
    """A merchant's credentials: `token` is a dashboard session, `key` a test API key."""

    api: Api
    id: str
    email: str
    token: str
    key: str
    key_id: str

    async def issue(self, **changes: Any) -> dict[str, Any]:
        """A new charge, as the API returns it."""
        response = await self.api.post("/pix", charge_order(**changes), token=self.key)
        assert response.status_code == 201, response.text
        charge: dict[str, Any] = response.json()["data"]
        return charge

    async def pay(self, charge_id: str) -> dict[str, Any]:
        """Pay the charge through the simulator."""
        response = await self.api.post("/pix/simulate-payment", {"id": charge_id}, token=self.key)
        assert response.status_code == 200, response.text
        charge: dict[str, Any] = response.json()["data"]
        return charge
