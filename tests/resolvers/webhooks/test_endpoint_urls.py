"""Every URL of the corpus: refused when an endpoint is created and when it is updated."""

from collections.abc import AsyncIterator

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.resolver import Resolver
from gateway.integrations.egress.urls import WebhookUrlPolicy
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests import sql
from tests.api_client import Api, Merchant
from tests.egress.conftest import Directory, section

PUBLIC = "https://loja.merchant.com/hook"
NAMES = {entry["host"]: entry["answers"] for entry in section("refuse_by_dns")}


@pytest.fixture
async def strict(settings: Settings, services: Services) -> AsyncIterator[Merchant]:
    """A merchant of a gateway that allows no internal network, as in production. DNS responses are the corpus's."""
    resolver = Resolver(Directory(NAMES))
    guarded = replace(services, addresses=WebhookUrlPolicy(AddressGuard(), resolver))
    async with Api.of(Gateway(settings, guarded)) as api:
        yield await api.register_merchant()
    resolver.close()


async def test_refused_urls_are_neither_registered_nor_set_by_an_update(strict: Merchant, database: Database) -> None:
    made = await strict.api.post("/webhook-endpoints", {"name": "x", "url": PUBLIC}, token=strict.token)
    own = f"/webhook-endpoints/{made.json()['data']['id']}"
    refused = [entry["url"] for entry in section("refuse_registration")]
    refused += [f"https://{host}/hook" for host, answers in NAMES.items() if answers]
    passed = []
    for url in refused:
        created = await strict.api.post("/webhook-endpoints", {"name": "x", "url": url}, token=strict.token)
        changed = await strict.api.put(own, {"url": url}, token=strict.token)
        passed += [(url, answer.text) for answer in (created, changed) if not _refused(answer)]
    assert passed == []
    assert [row["url"] for row in await sql.rows(database, "select url from webhook_endpoints")] == [PUBLIC]


async def test_public_urls_are_registered(strict: Merchant) -> None:
    for entry in [*section("allow"), *section("allow_test_only")]:
        made = await strict.api.post("/webhook-endpoints", {"name": "x", "url": entry["url"]}, token=strict.token)
        assert made.status_code == 201, (entry, made.text)
        await strict.api.delete(f"/webhook-endpoints/{made.json()['data']['id']}", token=strict.token)


def _refused(answer: httpx.Response) -> bool:
    return answer.status_code == 400 and [field["campo"] for field in answer.json()["error"]["campos"]] == ["url"]
