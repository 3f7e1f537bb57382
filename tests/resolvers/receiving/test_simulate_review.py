"""The owner of a test store simulates the bank's review of its account."""

from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.registry import open_engines
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.receiving.create_account import SINGLE
from gateway.resolvers.receiving.operations import LIVE, REAL_BANK
from gateway.rest_compat.documentation import GUIDE
from gateway.settings import ReceivingMode
from tests import sql
from tests.api.transport_calls import by_graphql, by_rest
from tests.api_client import Api, Merchant
from tests.resolvers.receiving.fixtures import account, create_unapproved_account, in_mode, with_settings
from tests.simulators import Bank, with_engine

TRANSPORTS = ["rest", "graphql"]


async def review(merchant: Merchant, transport: str, token: str | None = None, **body: Any) -> Any:
    token = token or merchant.token
    if transport == "rest":
        return await by_rest(merchant.api, "receiving.simulate_review", body, token)
    return await by_graphql(merchant.api, "simulateReceivingReview", body, token)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_bank_decides_as_requested(merchant: Merchant, database: Database, transport: str) -> None:
    await create_unapproved_account(merchant)
    refused = await review(merchant, transport, geral="REJECTED", motivo="Selfie ilegível.")
    block = refused.data["aprovacao"]
    assert (refused.data["status"], block["geral"], block["documentos"]) == ("rejected", "REJECTED", "REJECTED")
    assert block["motivos_recusa"] == "Selfie ilegível."
    assert block["link_documentos"] is not None
    waiting = (await review(merchant, transport, geral="AWAITING_APPROVAL")).data
    assert (waiting["status"], waiting["aprovacao"]["documentos"]) == ("awaiting_approval", "AWAITING_APPROVAL")
    assert waiting["aprovacao"]["motivos_recusa"] is waiting["aprovacao"]["link_documentos"] is None
    result = (await review(merchant, transport)).data
    assert (result["status"], result["aprovacao"]["aprovada"]) == ("approved", True)
    await merchant.issue()
    changes = await sql.rows(
        database,
        "select changes from audit_trail where action = 'receiving_account.approval_changed' order by created_at, id",
    )
    result = [row["changes"]["general"]["to"] for row in changes]
    assert result == ["PENDING", "REJECTED", "AWAITING_APPROVAL", "APPROVED"]


async def test_an_empty_body_approves(merchant: Merchant) -> None:
    await create_unapproved_account(merchant)
    answer = await merchant.api.client.post(
        "/receiving-account/simulate-review", headers={"authorization": f"Bearer {merchant.key}"}
    )
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, "approved"), answer.text


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_invalid_requests_are_refused(merchant: Merchant, database: Database, transport: str) -> None:
    missing = await review(merchant, transport)
    assert (missing.status, missing.codigo) == (409, "SUBCONTA_INEXISTENTE")
    assert missing.extra["aprovacao"]["geral"] is None
    await create_unapproved_account(merchant)
    wrong = await review(merchant, "rest", geral="approved", motivo="x" * 201)
    assert [fault["campo"] for fault in wrong.extra["campos"]] == ["geral", "motivo"]
    scoped = await merchant.api.post(
        "/api-keys", {"name": "leitura", "environment": "test", "scopes": ["read"]}, token=merchant.token
    )
    narrow = await review(merchant, transport, token=scoped.json()["data"]["key"])
    assert (narrow.status, narrow.codigo) == (403, "ESCOPO_INSUFICIENTE")
    await sql.run(database, "update users set production_status = 'approved' where id = $1", merchant.id)
    live = await merchant.api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    result = await review(merchant, transport, token=live.json()["data"]["accessToken"])
    assert (result.status, result.codigo, result.message) == (409, "SOMENTE_TESTE", LIVE)
    assert (await account(merchant))["status"] == "pending"


async def test_only_the_simulator_in_subaccount_mode_allows_it(merchant: Merchant, services: Services) -> None:
    await create_unapproved_account(merchant)
    real = with_engine(services, Bank)
    async with Api.of(Gateway(real.settings, real)) as api:
        assert (await review(replace(merchant, api=api), "rest")).message == REAL_BANK
    single = with_settings(services, in_mode(services.settings, ReceivingMode.conta_unica))
    async with Api.of(Gateway(single.settings, single)) as api:
        assert (await review(replace(merchant, api=api), "rest")).message == SINGLE


async def test_the_documents_link_points_to_the_guide(
    merchant: Merchant, services: Services, database: Database
) -> None:
    async with open_engines(services.settings, database, services.clock) as engines:
        own = replace(services, engines=engines)
        async with Api.of(Gateway(own.settings, own)) as api:
            await create_unapproved_account(replace(merchant, api=api))
            link = (await account(merchant))["aprovacao"]["link_documentos"]
            page, _, anchor = link.removeprefix(services.settings.base_url).partition("#")
            assert page == GUIDE
            assert f'id="{anchor}"' in (await api.client.get(page)).text
