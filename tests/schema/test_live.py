"""Live changes by GraphQL over server-sent events, in the mode of distinct connections."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from gateway.app import Gateway
from gateway.http.middleware import RequestMiddleware
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.schema.http import GraphQLApp
from gateway.settings import Settings
from tests import sql
from tests.api_client import PASSWORD, Api, Merchant
from tests.live_server import served
from tests.members import join, remove

CHANGES = """subscription ($of: [ResourceType!]) { changes(of: $of) {
    type id action at charge { id status } delivery { id status event } withdrawal { id } } }"""
SSE = "text/event-stream"


@dataclass
class Stream:
    response: httpx.Response
    lines: AsyncIterator[str]

    async def event(self) -> tuple[str, Any]:
        """The next event, with its data; comments are skipped."""
        name, data = "", ""
        async with asyncio.timeout(60):
            async for line in self.lines:
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data:"):
                    data = line.removeprefix("data:").strip()
                elif not line and name:
                    return name, json.loads(data) if data else None
        raise EOFError

    async def change(self) -> dict[str, Any]:
        name, data = await self.event()
        assert name == "next", data
        change: dict[str, Any] = data["data"]["changes"]
        return change


@asynccontextmanager
async def streaming(url: str, query: str, token: str | None, **options: Any) -> AsyncIterator[Stream]:
    headers = {"accept": SSE} | ({"authorization": f"Bearer {token}"} if token else {}) | options.pop("headers", {})
    body = {"query": query, "variables": options}
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60))
        response = await stack.enter_async_context(client.stream("POST", "/graphql", json=body, headers=headers))
        yield Stream(response, response.aiter_lines())


@pytest.fixture
async def url(settings: Settings, services: Services) -> AsyncIterator[str]:
    async with served(Gateway(settings, services)) as (host, port):
        yield f"http://{host}:{port}"


async def test_changes_of_charges_arrive_as_they_are_now(url: str, merchant: Merchant) -> None:
    before = await merchant.issue()
    async with streaming(url, CHANGES, merchant.key, of=["charge"]) as stream:
        assert stream.response.status_code == 200
        assert stream.response.headers["content-type"].startswith(SSE)
        charge = await merchant.issue()
        created = await stream.change()
        assert (created["type"], created["id"], created["action"]) == ("charge", charge["id"], "charge.created")
        await merchant.pay(before["id"])
        paid = await stream.change()
    assert (paid["action"], paid["charge"]) == ("charge.paid", {"id": before["id"], "status": "paid"})
    assert (paid["delivery"], paid["withdrawal"]) == (None, None)


async def test_changes_are_those_of_the_store_and_of_the_types(url: str, api: Api, merchant: Merchant) -> None:
    stranger = await api.register_merchant()
    async with (
        streaming(url, CHANGES, merchant.key, of=["product", "coupon"]) as some,
        streaming(url, CHANGES, merchant.key) as all_types,
    ):
        await stranger.issue()
        await merchant.issue()
        await api.post("/products", {"name": "Violão", "price": 300}, token=merchant.key)
        assert (await some.change())["action"] == "product.created"
        actions = {(await all_types.change())["action"] for _ in range(2)}
    assert actions == {"charge.created", "product.created"}


async def test_changes_of_deliveries_arrive(url: str, merchant: Merchant, database: Database) -> None:
    form = {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}
    assert (await merchant.api.post("/webhook-endpoints", form, token=merchant.token)).status_code == 201
    async with streaming(url, CHANGES, merchant.key, of=["delivery"]) as stream:
        await merchant.issue()
        created = await stream.change()
        assert (created["action"], created["delivery"]["status"]) == ("delivery.created", "pending")
        await sql.run(database, "update webhook_deliveries set attempts = 1")
        assert (await stream.change())["action"] == "delivery.attempt_1"
        await sql.run(database, "update webhook_deliveries set state = 1, finished_at = now()")
        delivered = await stream.change()
    assert (delivered["action"], delivered["delivery"]["status"]) == ("delivery.delivered", "delivered")
    assert delivered["id"] == created["id"] == delivered["delivery"]["id"]


async def test_the_end_of_an_old_delivery_arrives(url: str, merchant: Merchant, database: Database) -> None:
    form = {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}
    await merchant.api.post("/webhook-endpoints", form, token=merchant.token)
    await merchant.issue()
    await sql.run(database, "update webhook_deliveries set created_at = now() - interval '2 h', attempts = 5")
    async with streaming(url, CHANGES, merchant.key, of=["delivery"]) as stream:
        await sql.run(database, "update webhook_deliveries set state = 2, finished_at = now()")
        ended = await stream.change()
    assert (ended["action"], ended["delivery"]["status"]) == ("delivery.ended", "exhausted")


async def test_a_member_follows_the_store_of_the_header(url: str, api: Api, merchant: Merchant) -> None:
    viewer = await api.register_merchant()
    await join(merchant, viewer, "viewer")
    async with streaming(url, CHANGES, viewer.token, headers={"x-store": merchant.id}) as stream:
        charge = await merchant.issue()
        assert (await stream.change())["id"] == charge["id"]


@pytest.fixture
async def restless(settings: Settings, services: Services) -> AsyncIterator[str]:
    """A server with a short heartbeat."""
    app = RequestMiddleware(GraphQLApp(settings, heartbeat=0.05), lambda: services)
    async with served(app) as (host, port):
        yield f"http://{host}:{port}"


async def test_a_stream_ends_with_the_session(restless: str, merchant: Merchant) -> None:
    async with streaming(restless, CHANGES, merchant.token) as stream:
        form = {"email": merchant.email, "password": PASSWORD}
        session = (await merchant.api.post("/auth/login", form)).json()["data"]
        await merchant.api.post("/auth/sessions/end-others", token=session["accessToken"])
        name, data = await stream.event()
        assert (name, data["errors"][0]["extensions"]["status"]) == ("next", 401)
        assert await stream.event() == ("complete", None)
        with pytest.raises(EOFError):
            await stream.event()


async def test_a_stream_ends_with_the_membership(restless: str, api: Api, merchant: Merchant) -> None:
    viewer = await api.register_merchant()
    member = await join(merchant, viewer, "viewer")
    async with streaming(restless, CHANGES, viewer.token, headers={"x-store": merchant.id}, of=["charge"]) as stream:
        await remove(merchant, member)
        _, data = await stream.event()
        assert data["errors"][0]["extensions"]["codigo"] == "LOJA_NAO_AUTORIZADA"
        assert (await stream.event())[0] == "complete"


async def test_a_silent_stream_has_heartbeats(restless: str, merchant: Merchant) -> None:
    async with streaming(restless, CHANGES, merchant.key) as stream:
        async with asyncio.timeout(60):
            comments = [line async for line in first(stream.lines, 6) if line]
    assert comments == [":", ":", ":"]


async def first(lines: AsyncIterator[str], count: int) -> AsyncIterator[str]:
    for _ in range(count):
        yield await anext(lines)


@pytest.mark.parametrize("token", [None, "service_test_unknown"])
async def test_without_a_credential_the_stream_has_one_error(url: str, token: str | None) -> None:
    async with streaming(url, CHANGES, token) as stream:
        _, data = await stream.event()
        assert data["errors"][0]["extensions"]["status"] == 401
        assert (await stream.event())[0] == "complete"


async def test_a_subscription_needs_post_and_an_event_stream(url: str, merchant: Merchant) -> None:
    credential = {"authorization": f"Bearer {merchant.key}"}
    async with httpx.AsyncClient(base_url=url, headers=credential) as client:
        plain = await client.post("/graphql", json={"query": CHANGES}, headers={"accept": "application/json"})
        by_get = await client.get("/graphql", params={"query": CHANGES}, headers={"accept": SSE})
    assert (plain.status_code, plain.json()["errors"][0]["extensions"]["status"]) == (406, 406)
    assert (by_get.status_code, by_get.headers["allow"]) == (405, "POST")


async def test_queries_and_errors_may_be_streamed_too(url: str, merchant: Merchant) -> None:
    async with streaming(url, "{ me { environment } }", merchant.key) as stream:
        assert await stream.event() == ("next", {"data": {"me": {"environment": "test"}}})
        assert await stream.event() == ("complete", None)
    async with streaming(url, "subscription { nothing }", merchant.key) as stream:
        name, data = await stream.event()
        assert (name, data["errors"][0]["message"]) == ("next", "O tipo 'Live' não tem o campo 'nothing'.")


async def test_streams_of_one_address_are_limited(settings: Settings, services: Services, merchant: Merchant) -> None:
    limited = settings.model_copy(update={"rate_limits": True})
    async with served(Gateway(limited, services)) as (host, port), AsyncExitStack() as stack:
        address = f"http://{host}:{port}"
        for _ in range(60):
            await stack.enter_async_context(streaming(address, CHANGES, merchant.key))
        async with streaming(address, CHANGES, merchant.key) as refused:
            assert refused.response.status_code == 429
            assert refused.response.headers["content-type"].startswith("application/json")


async def test_a_stream_ends_when_the_server_stops(settings: Settings, services: Services, merchant: Merchant) -> None:
    async with AsyncExitStack() as stack:
        host, port = await stack.enter_async_context(served(Gateway(settings, services)))
        client_stack = AsyncExitStack()
        stream = await client_stack.enter_async_context(streaming(f"http://{host}:{port}", CHANGES, merchant.key))
        await stack.aclose()
        assert (await stream.event())[0] == "complete"
        await client_stack.aclose()
