"""A slowly sent request is authorised again once its body is complete."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.authentication import CACHE_SECONDS
from gateway.resolvers.core.context import Services
from tests.api.actors import add_live_key, set_status
from tests.api_client import PASSWORD, Api, Merchant, charge_order
from tests.live_server import served
from tests.spy_engine import overheard
from tests.sql import value

Finish = Callable[[], Awaitable[int]]


@asynccontextmanager
async def sending(services: Services, head: str, body: bytes) -> AsyncIterator[Finish]:
    """A request without its last byte. The yielded function sends it and returns the response's status."""
    async with served(Gateway(services.settings, services)) as address:
        reader, writer = await asyncio.open_connection(*address)
        lines = f"{head}\r\nhost: gateway.test\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(lines.encode() + body[:-1])
        await writer.drain()

        async def finish() -> int:
            await asyncio.sleep(CACHE_SECONDS + 0.1)
            writer.write(body[-1:])
            status = int((await reader.readline()).split()[1])
            writer.close()
            return status

        yield finish


def posting(path: str, token: str, kind: str = "application/json") -> str:
    return f"POST {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\ncontent-type: {kind}"


@pytest.mark.parametrize("revoked", [False, True])
async def test_a_key_revoked_meanwhile_is_refused(
    api: Api, services: Services, merchant: Merchant, database: Database, revoked: bool
) -> None:
    async with sending(services, posting("/customers", merchant.key), b'{"name": "Maria"}') as finish:
        await asyncio.sleep(0.2)
        if revoked:
            assert (await api.delete(f"/api-keys/{merchant.key_id}", token=merchant.token)).status_code == 200
        assert await finish() == (401 if revoked else 201)
    assert await value(database, "select count(*) from customers") == (0 if revoked else 1)


async def test_a_session_ended_by_a_new_password_is_refused(
    api: Api, services: Services, merchant: Merchant, database: Database
) -> None:
    before = await value(database, "select count(*) from api_keys")
    order = orjson.dumps({"name": "de quem roubou a sessão"})
    async with sending(services, posting("/api-keys", merchant.token), order) as finish:
        await asyncio.sleep(0.2)
        change = {"current_password": PASSWORD, "new_password": "outra senha bem comprida"}
        assert (await api.put("/auth/password", change, token=merchant.token)).status_code == 200
        assert await finish() == 401
    assert await value(database, "select count(*) from api_keys") == before


async def test_a_store_suspended_meanwhile_is_refused(
    services: Services, merchant: Merchant, database: Database
) -> None:
    await set_status(database, merchant, "approved")
    live = await add_live_key(services, merchant)
    async with sending(services, posting("/pix", live), orjson.dumps(charge_order())) as finish:
        await asyncio.sleep(0.2)
        await set_status(database, merchant, "suspended")
        assert await finish() == 403
    assert await value(database, "select count(*) from charges") == 0


async def test_an_upload_of_an_ended_session_is_refused(
    api: Api, services: Services, merchant: Merchant, database: Database
) -> None:
    parts = (
        '--x\r\ncontent-disposition: form-data; name="type"\r\n\r\nproof_of_address\r\n',
        '--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7 a\r\n--x--\r\n',
    )
    head = posting("/production/documents", merchant.token, "multipart/form-data; boundary=x")
    async with sending(services, head, "".join(parts).encode()) as finish:
        await asyncio.sleep(0.2)
        change = {"current_password": PASSWORD, "new_password": "outra senha bem comprida"}
        assert (await api.put("/auth/password", change, token=merchant.token)).status_code == 200
        assert await finish() == 401
    assert await value(database, "select count(*) from production_documents") == 0


async def test_later_mutations_of_a_document_are_authorised_again(
    api: Api, merchant: Merchant, database: Database
) -> None:
    """The bank is slow in the first mutation, and the key is revoked meanwhile."""

    async def slow(call: str, *_: Any) -> None:
        if call == "create_charge":
            assert (await api.delete(f"/api-keys/{merchant.key_id}", token=merchant.token)).status_code == 200
            await asyncio.sleep(CACHE_SECONDS + 0.1)

    issue = 'issueCharge(input: {amount: "10", description: "x", customerName: "Ana", customerEmail: "a@example.com", customerCpf: "529.982.247-25"}) { id }'
    async with overheard(merchant, slow) as waiting:
        response = await waiting.api.graphql(f"mutation {{ a: {issue} b: {issue} }}", token=merchant.key)
    assert (response["data"]["a"] is not None, response["data"]["b"]) == (True, None)
    assert response["errors"][0]["extensions"]["status"] == 401
    assert await value(database, "select count(*) from charges") == 1
