"""SQL statements of operations of one transport, as documented in docs/round-trips.md."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from gateway.app import Gateway
from gateway.resolvers.changes.watch import watch_changes
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context, RequestMetadata, Services
from tests.api import statement_counts
from tests.api.table import (
    BY_NAME,
    SINGLE_TRANSPORT,
    Prepare,
    difference,
    owed,
    own_charge,
    own_coupon,
    own_customer,
    own_deliveries,
    own_deliveries_everywhere,
    own_endpoint,
    own_events,
    own_invitation,
    own_key,
    own_link,
    own_product,
    own_refund,
    own_repayment,
    own_subscription,
    own_withdrawal,
    received_repayment,
    roadmap_comments,
    roadmap_item,
)
from tests.api_client import PASSWORD, Api, Merchant
from tests.applicants import PDF, begin_download, begin_upload, prepare, send, staff_member
from tests.rows import put_withdrawal
from tests.subscriptions.fixtures import put_subscriptions

JOB_TOKEN = "a job token for tests"


@dataclass
class Scene:
    """The callers: a merchant, a staff member and an engine."""

    api: Api
    merchant: Merchant
    staff: Merchant

    async def get(self, path: str, who: Merchant | None = None, **headers: str) -> httpx.Response:
        return await self.api.get(path, token=(who or self.merchant).token, **headers)

    async def export(self, path: str, who: Merchant | None = None) -> httpx.Response:
        return await self.get(path, who, accept="text/csv")

    async def notify(self, path: str, body: dict[str, Any]) -> httpx.Response:
        token = self.api.services.settings.engine_test_token
        assert token is not None
        headers = {"asaas-access-token": token.get_secret_value()}
        return await self.api.client.post(path, content=orjson.dumps(body), headers=headers)


Call = Callable[[], Awaitable[httpx.Response]]
PrepareCall = Callable[[Scene], Awaitable[Call]]


def exporting(path: str, prepare: Prepare, *, staff: bool = False) -> PrepareCall:
    async def ready(scene: Scene) -> Call:
        prepared = await prepare(scene.merchant)
        filled = path.format(**prepared)
        return lambda: scene.export(filled, scene.staff if staff else None)

    return ready


async def a_repayment(scene: Scene) -> Call:
    recorded = await scene.api.post("/admin/repayments", await owed(scene.merchant), token=scene.staff.token)
    return lambda: scene.export(f"/admin/repayments/{recorded.json()['data']['id']}", scene.staff)


async def a_payment(scene: Scene) -> Call:
    charge = await scene.merchant.issue()
    payment = {"externalReference": charge["id"], "value": charge["amount"], "status": "RECEIVED"}
    body = {"id": "evt_1", "event": "PAYMENT_RECEIVED", "dateCreated": "2026-11-21 12:00:00", "payment": payment}
    return lambda: scene.notify("/engine/notifications/simulator", body)


async def a_transfer(scene: Scene) -> Call:
    withdrawal = await put_withdrawal(scene.api.services, scene.merchant.id)
    body = {"type": "TRANSFER", "transfer": {"externalReference": withdrawal, "value": 12.5}}
    return lambda: scene.notify("/engine/transfers/simulator", body)


async def _one_due(scene: Scene) -> None:
    services = scene.api.services
    await put_subscriptions(services.database, scene.merchant.id, [{}], due=services.clock.now())


async def billing_in_the_panel(scene: Scene) -> Call:
    await _one_due(scene)
    query = {"query": "mutation { billSubscriptions { cobradas } }"}
    return lambda: scene.api.post("/graphql", query, token=scene.staff.token)


async def viewing(scene: Scene) -> Call:
    query = {"query": "{ viewer { store { id } operations } }"}
    return lambda: scene.api.post("/graphql", query, token=scene.merchant.token)


async def resuming(scene: Scene) -> Call:
    form = f'{{email: "{scene.merchant.email}", password: "{PASSWORD}"}}'
    login = {"query": f"mutation {{ login(input: {form}) {{ accessToken }} }}"}
    await scene.api.post("/graphql", login, x_panel="1")  # The client keeps the cookie.
    query = {"query": "mutation { resumeSession { accessToken } }"}
    return lambda: scene.api.post("/graphql", query, x_panel="1")


async def billing_by_token(scene: Scene) -> Call:
    await _one_due(scene)
    return lambda: scene.api.post("/jobs/subscriptions", x_job_token=JOB_TOKEN)


async def a_document_to_send(scene: Scene) -> Call:
    return lambda: send(scene.api, scene.merchant.token, "proof_of_address")


async def a_ticket_to_begin(scene: Scene) -> Call:
    return lambda: begin_upload(scene.merchant)


async def a_ticket_to_use(scene: Scene) -> Call:
    address = (await begin_upload(scene.merchant)).json()["data"]["beginDocumentUpload"]["url"]
    return lambda: scene.api.client.put(address, content=PDF)


async def a_download_to_begin(scene: Scene) -> Call:
    document = (await prepare(scene.merchant))["proof_of_address"]
    return lambda: begin_download(scene.staff, scene.merchant, document["id"])


async def a_download_to_use(scene: Scene) -> Call:
    begun = await (await a_download_to_begin(scene))()
    return lambda: scene.api.client.get(begun.json()["data"]["documentDownload"]["url"])


async def an_export_to_download(scene: Scene) -> Call:
    await own_charge(scene.merchant)
    begun = await scene.api.graphql("mutation { exportCharges { url } }", token=scene.merchant.token)
    return lambda: scene.api.client.get(begun["data"]["exportCharges"]["url"])


async def a_document_to_fetch(scene: Scene) -> Call:
    document = (await prepare(scene.merchant))["proof_of_address"]
    return lambda: scene.get(f"/admin/lojistas/{scene.merchant.id}/documentos/{document['id']}", scene.staff)


def probing(path: str) -> PrepareCall:
    async def ready(scene: Scene) -> Call:
        return lambda: scene.api.get(path)

    return ready


async def following(scene: Scene) -> Call:
    """The operation alone: a stream reads the changes as long as it is open."""
    services = scene.api.services
    authenticator = RequestAuthenticator(services, f"Bearer {scene.merchant.key}")

    async def ask() -> httpx.Response:
        changes = await watch_changes(Context(services, RequestMetadata("live", "graphql"), authenticator), {})
        await changes.aclose()
        return httpx.Response(200)

    return ask


WITHOUT_EFFECT = (b'"errors"', b'"REFUSED"', b'"cobradas":0', b'"outcome":"ignored"')
"""Texts in successful responses without an effect."""

CALLS: dict[str, PrepareCall] = {
    "audit.export": exporting("/audit", own_customer),
    "charges.export": exporting("/pix", own_charge),
    "customers.export": exporting("/customers", own_customer),
    "withdrawals.export": exporting("/withdrawals", own_withdrawal),
    "withdrawals.export_statement": exporting("/statement", own_withdrawal),
    "refunds.export": exporting("/refunds", own_refund),
    "repayments.export": a_repayment,
    "api_keys.export": exporting("/api-keys", own_key),
    "coupons.export": exporting("/coupons", own_coupon),
    "members.export": exporting("/members", own_invitation),
    "payment_links.export": exporting("/payment-links", own_link),
    "products.export": exporting("/products", own_product),
    "repayments.export_list": exporting("/admin/repayments", own_repayment, staff=True),
    "repayments.export_received": exporting("/repayments", received_repayment),
    "roadmap.export": exporting("/roadmap", roadmap_item),
    "roadmap.export_comments": exporting("/roadmap/{id}/comments", roadmap_comments),
    "staff.export_differences": exporting("/admin/differences", difference, staff=True),
    "staff.export_merchants": exporting("/admin/lojistas", own_key, staff=True),
    "staff.export_withdrawals": exporting("/admin/withdrawals", own_withdrawal, staff=True),
    "subscriptions.export": exporting("/subscriptions", own_subscription),
    "webhooks.export_all_deliveries": exporting("/webhook-deliveries", own_deliveries_everywhere),
    "webhooks.export_deliveries": exporting("/webhook-endpoints/{id}/deliveries", own_deliveries),
    "webhooks.export_endpoints": exporting("/webhook-endpoints", own_endpoint),
    "webhooks.export_events": exporting("/events", own_events),
    "engine_notifications.authorize_transfer": a_transfer,
    "engine_notifications.receive": a_payment,
    "members.viewer": viewing,
    "sessions.resume": resuming,
    "subscriptions.bill": billing_in_the_panel,
    "subscriptions.bill_by_token": billing_by_token,
    "changes.watch": following,
    "health.read": probing("/health"),
    "health.live": probing("/health/live"),
    "health.ready": probing("/health/ready"),
    "health.metrics": probing("/metrics"),
    "production.upload_document": a_document_to_send,
    "production.begin_upload": a_ticket_to_begin,
    "production.upload_by_ticket": a_ticket_to_use,
    "exports.download_by_ticket": an_export_to_download,
    "staff.download_document": a_document_to_fetch,
    "staff.begin_download": a_download_to_begin,
    "staff.download_by_ticket": a_download_to_use,
}

ONLY_BY_GRAPHQL = {
    "changes.watch",
    "production.begin_upload",
    "staff.begin_download",
    "members.viewer",
    "sessions.resume",
    "subscriptions.bill",
}


@pytest.fixture
async def scene(services: Services) -> AsyncIterator[Scene]:
    settings = services.settings.model_copy(update={"job_token": SecretStr(JOB_TOKEN)})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        yield Scene(api, await api.register_merchant(), await staff_member(api, services))


@pytest.mark.parametrize("name", SINGLE_TRANSPORT)
async def test_statements_are_as_documented(scene: Scene, services: Services, name: str) -> None:
    ask = await CALLS[name](scene)
    async with statement_counts.logged_statements(services.database) as sent:
        answer = await ask()
    assert answer.status_code < 300, answer.text
    assert not any(words in answer.content for words in WITHOUT_EFFECT), answer.text
    assert not name.endswith(".export") or len(answer.text.splitlines()) > 1, "a head and no rows"
    counts: list[int | None] = [*statement_counts.count(sent)]
    figures = [None, None, *counts] if name in ONLY_BY_GRAPHQL else [*counts, None, None]
    assert statement_counts.write(name, figures) or figures == statement_counts.documented().get(name), (
        statement_counts.PAGE
    )


def test_the_page_has_exactly_the_operations() -> None:
    assert {name for name in statement_counts.documented() if " " not in name} == {*BY_NAME, *SINGLE_TRANSPORT}
