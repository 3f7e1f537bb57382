"""A merchant with a second factor: the authenticator app and the recovery codes."""

from dataclasses import dataclass
from typing import Any

from gateway.resolvers.two_factor.codes import current_step
from gateway.security import totp
from tests.api_client import PASSWORD, Api, Merchant


@dataclass
class Factor:
    """The secret of the authenticator app, and the recovery codes."""

    api: Api
    secret: str
    recovery: list[str]

    def code(self, ahead: int = 1) -> str:
        """The code of a later step, as the current one has confirmed the factor."""
        return totp(self.secret, current_step(self.api.services.clock.now()) + ahead)


_FACTORS: dict[str, Factor] = {}


async def begun(merchant: Merchant) -> dict[str, Any]:
    """Begin to set up a second factor; returns the response."""
    answer = await merchant.api.post("/auth/two-factor", {"password": PASSWORD}, token=merchant.token)
    assert answer.status_code == 200, answer.text
    enrolment: dict[str, Any] = answer.json()["data"]
    return enrolment


async def enrol(merchant: Merchant) -> Factor:
    """The merchant's active factor, set up if needed. Replaces the merchant's session token."""
    if merchant.id in _FACTORS:
        return _FACTORS[merchant.id]
    factor = Factor(merchant.api, (await begun(merchant))["secret"], [])
    form = {"code": factor.code(0)}
    answer = await merchant.api.post("/auth/two-factor/confirm", form, token=merchant.token)
    assert answer.status_code == 200, answer.text
    factor.recovery = answer.json()["data"]["recovery_codes"]
    merchant.token = answer.json()["data"]["session"]["accessToken"]
    return _FACTORS.setdefault(merchant.id, factor)


async def challenge(merchant: Merchant, password: str = PASSWORD) -> str:
    """The challenge that a login with the right password returns for an account with a second factor."""
    answer = await merchant.api.post("/auth/login", {"email": merchant.email, "password": password})
    error = answer.json()["error"]
    assert (answer.status_code, error["codigo"]) == (401, "SEGUNDO_FATOR_EXIGIDO"), answer.text
    found: str = error["desafio"]
    return found


async def log_in(merchant: Merchant, **headers: str) -> str:
    """Log in an account without a second factor; returns the token of the new session."""
    answer = await merchant.api.post("/auth/login", {"email": merchant.email, "password": PASSWORD}, **headers)
    assert answer.status_code == 200, answer.text
    token: str = answer.json()["data"]["accessToken"]
    return token


async def sessions_of(api: Api, token: str) -> list[dict[str, Any]]:
    """The account's open sessions, as the API lists them."""
    answer = await api.get("/auth/sessions", token=token)
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()["data"]
    return listed
