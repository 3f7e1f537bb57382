"""A request whose client disconnects before the body is complete has no effect, at any transport."""

import asyncio

import orjson
import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from gateway.app import Gateway
from gateway.http.middleware import CLIENT_CLOSED_REQUEST
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.telemetry import REQUESTS
from tests.api.rows import fingerprint
from tests.api_client import Merchant, charge_order
from tests.live_server import served

TOKEN = "a token for jobs and the bank, in tests"
KEY = "pedido-1"


def client_closed_requests() -> float:
    """The number of requests of this process that ended because the client disconnected."""
    return sum(
        sample.value
        for metric in REQUESTS.collect()
        for sample in metric.samples
        if sample.name.endswith("_count") and sample.labels["status"] == str(CLIENT_CLOSED_REQUEST)
    )


async def send_and_leave(address: tuple[str, int], request: bytes) -> None:
    """Send the bytes and disconnect; returns once the server has counted it."""
    before = client_closed_requests()
    _, writer = await asyncio.open_connection(*address)
    writer.write(request)
    await writer.drain()
    writer.close()
    while client_closed_requests() == before:  # noqa: ASYNC110  # A metric has no event to wait for.
        await asyncio.sleep(0.01)
    assert client_closed_requests() == before + 1


def head(path: str, length: int, *more: str, kind: str = "application/json") -> bytes:
    lines = (f"POST {path} HTTP/1.1", "host: gateway.test", f"content-type: {kind}", f"content-length: {length}", *more)
    return "\r\n".join((*lines, "", "")).encode()


@pytest.mark.parametrize("sent", [0, 20])
async def test_its_idempotency_key_is_not_used(services: Services, merchant: Merchant, sent: int) -> None:
    body = orjson.dumps(charge_order())
    request_head = head("/pix", len(body), f"authorization: Bearer {merchant.key}", f"idempotency-key: {KEY}")
    async with served(Gateway(services.settings, services)) as address:
        await send_and_leave(address, request_head + body[:sent])
    whole = await merchant.api.post("/pix", charge_order(), token=merchant.key, idempotency_key=KEY)
    assert whole.status_code == 201, whole.text
    assert "idempotent-replayed" not in whole.headers


async def test_it_has_no_effect_at_any_transport(services: Services, merchant: Merchant, database: Database) -> None:
    form = {"name": "loja", "url": "https://loja.example/webhooks"}
    endpoint = (await merchant.api.post("/webhook-endpoints", form, token=merchant.token)).json()["data"]
    link = (await merchant.api.post("/payment-links", {"title": "Aula", "amount": 80}, token=merchant.key)).json()[
        "data"
    ]
    settings = services.settings.model_copy(
        update={"job_token": SecretStr(TOKEN), "engine_test_token": SecretStr(TOKEN)}
    )
    session, job = f"authorization: Bearer {merchant.token}", f"x-job-token: {TOKEN}"
    heads = [
        head(f"/webhook-endpoints/{endpoint['id']}/rotate-secret", 18, session),
        head("/customers", 80, session),
        head("/jobs/subscriptions", 17, job),
        head("/graphql", 60, session),
        head("/engine/notifications/simulator", 80, f"asaas-access-token: {TOKEN}"),
        head("/production/documents", 900, session, kind="multipart/form-data; boundary=x"),
        head(f"/pay/{link['slug']}", 80, kind="application/x-www-form-urlencoded"),
    ]
    await merchant.api.get("/auth/me", token=merchant.token)  # Updates the session's last use, at most once a minute.
    before = await fingerprint(database)
    async with served(Gateway(settings, replace(services, settings=settings))) as address:
        for each in heads:
            await send_and_leave(address, each)
    assert await fingerprint(database) == before
