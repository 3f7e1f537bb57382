"""Forged session tokens: all are `Token inválido ou expirado`."""

import base64
from datetime import timedelta
from typing import Any

import jwt
import orjson
import pytest

from gateway.resolvers.core.context import Services
from gateway.security import derive
from gateway.values.ids import new_id
from tests.api_client import Api, Merchant, session_id_of
from tests.conftest import SECRET

REFUSED = (401, {"error": "Token inválido ou expirado"})


def claims(services: Services, merchant: Merchant, **changes: Any) -> dict[str, Any]:
    now = services.clock.now()
    good = {"sub": merchant.id, "env": "test", "ver": 1, "sid": session_id_of(merchant.token), "jti": new_id()}
    good |= {"iat": now, "exp": now + timedelta(hours=1)}
    return {name: value for name, value in (good | changes).items() if value is not ...}


def signed(payload: dict[str, Any], key: bytes | None = None, algorithm: str = "HS256") -> str:
    return jwt.encode(payload, key or derive(SECRET, "session tokens"), algorithm=algorithm)


async def _read_me(api: Api, token: str) -> tuple[int, Any]:
    response = await api.get("/auth/me", token=token)
    return response.status_code, response.json()


async def test_a_correctly_signed_token_is_accepted(api: Api, services: Services, merchant: Merchant) -> None:
    assert (await _read_me(api, signed(claims(services, merchant))))[0] == 200


@pytest.mark.parametrize(
    "changes",
    [
        *({name: ...} for name in ("sub", "env", "ver", "sid", "iat", "exp", "jti")),
        {"sub": "1"},
        {"sub": "../users"},
        {"sub": "01a1fe2b-c10c-7135-8629-098795617cef"},
        {"sub": ["x"]},
        {"sub": "' or true --"},
        {"sid": None},
        {"sid": ["x"]},
        {"env": "produção"},
        {"env": None},
        {"ver": 0},
        {"ver": 2},
        {"ver": "um"},
        {"ver": 1e300},
        {"exp": 0},
        {"exp": "amanhã"},
        {"exp": None},
        {"nbf": 99999999999},
    ],
    ids=repr,
)
async def test_claims_must_be_complete_and_valid(
    api: Api, services: Services, merchant: Merchant, changes: dict[str, Any]
) -> None:
    # PyJWT won't write a `sub` that isn't text, so the payload is signed as bytes.
    payload = claims(services, merchant, **changes)
    plain = {name: int(value.timestamp()) if hasattr(value, "timestamp") else value for name, value in payload.items()}
    token = jwt.PyJWS().encode(orjson.dumps(plain), derive(SECRET, "session tokens"), algorithm="HS256")
    assert await _read_me(api, token) == REFUSED


async def test_only_the_configured_key_and_algorithm_are_accepted(
    api: Api, services: Services, merchant: Merchant
) -> None:
    payload = claims(services, merchant)
    head, body, signature = signed(payload).split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    flipped = signature[:-2] + ("AA" if signature[-2:] != "AA" else "BB")
    for token in (
        signed(payload, b"another key of 32 bytes or more...."),
        signed(payload, SECRET.encode()),
        signed(payload, derive(SECRET, "secrets at rest")),
        signed(payload, derive(SECRET, "session tokens") * 2, "HS512"),
        f"{none}.{body}.",
        f"{none}.{body}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}.{flipped}",
        f"{head}.{body}",
        f"{head}..{signature}",
        "eyJ" * 2000,
        "ção",
        ".",
        "..",
    ):
        response = await api.client.get("/auth/me", headers={"authorization": f"Bearer {token}".encode()})
        assert (response.status_code, response.json()) == REFUSED, token


async def test_a_changed_payload_breaks_the_signature(api: Api, services: Services, merchant: Merchant) -> None:
    other = await api.register_merchant()
    head, _, signature = merchant.token.split(".")
    _, body, _ = signed(claims(services, other)).split(".")
    assert await _read_me(api, f"{head}.{body}.{signature}") == REFUSED


@pytest.mark.parametrize(
    ("body", "kind"), [(b"", None), (b"{", "application/json"), (b"x", "text/plain"), (b"null", None)]
)
async def test_renewing_takes_no_body(api: Api, merchant: Merchant, body: bytes, kind: str | None) -> None:
    headers = {"authorization": f"Bearer {merchant.token}"} | ({"content-type": kind} if kind else {})
    renewed = await api.client.post("/auth/refresh", content=body, headers=headers)
    assert renewed.status_code == 200
    assert set(renewed.json()["data"]) == {"user", "accessToken", "environment"}
