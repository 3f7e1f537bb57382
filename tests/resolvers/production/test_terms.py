"""The production terms: their URL, and which version was accepted."""

from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock

FIRST, SECOND = "https://pix.example.com/termos?v=1", "https://pix.example.com/termos?v=2"
ACCEPT = {"accept_production_terms": True}
ME = "{ me { user { productionTermsUrl productionTermsAcceptedAt } } production { termosUrl pendencias } }"


@asynccontextmanager
async def with_terms(services: Services, url: str | None) -> Any:
    settings = services.settings.model_copy(update={"terms_url": url})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        yield api


async def accepted(api: Api, merchant: Merchant) -> tuple[str | None, str | None]:
    """The terms fields of the account after acceptance."""
    answer = await api.put("/auth/profile", ACCEPT, token=merchant.token)
    assert answer.status_code == 200, answer.text
    user = answer.json()["data"]["user"]
    return user["production_terms_url"], user["production_terms_accepted_at"]


async def test_the_address_is_shown_where_the_terms_are_required(services: Services, merchant: Merchant) -> None:
    async with with_terms(services, FIRST) as api:
        production = (await api.get("/production", token=merchant.token)).json()["data"]
        assert (production["termos_url"], production["pendencias"][-1]) == (FIRST, "accept_production_terms")
        found = (await api.graphql(ME, token=merchant.token))["data"]
        assert found["production"]["termosUrl"] == FIRST
        assert found["me"]["user"] == {"productionTermsUrl": None, "productionTermsAcceptedAt": None}
        request = (await api.post("/production/request", token=merchant.token)).json()["error"]
        [field] = [each for each in request["campos"] if each["campo"] == "accept_production_terms"]
        assert FIRST in field["mensagem"]
        assert FIRST in request["message"]
        for refused in (
            request,
            (await api.post("/api-keys", {"name": "viva"}, token=merchant.token)).json()["error"],
            (await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)).json()["error"],
        ):
            assert refused["producao"]["termos_url"] == FIRST


async def test_accepted_terms_are_stored_with_their_time_and_audited(
    services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    async with with_terms(services, FIRST) as api:
        url, first = await accepted(api, merchant)
        assert url == FIRST
        clock.advance(timedelta(minutes=1))
        assert await accepted(api, merchant) == (FIRST, first), "the same terms are accepted once"
        found = (await api.graphql(ME, token=merchant.token))["data"]["me"]["user"]
        assert found == {"productionTermsUrl": FIRST, "productionTermsAcceptedAt": first}
        staff = await staff_member(api, services)
        seen = (await api.get(f"/admin/lojistas/{merchant.id}", token=staff.token)).json()["data"]
        assert (seen["production_terms_url"], seen["production_terms_accepted_at"]) == (FIRST, first)
    async with with_terms(services, SECOND) as api:
        account = (await api.get("/auth/me", token=merchant.token)).json()["data"]["user"]
        assert account["production_terms_url"] == FIRST, "new terms need a new acceptance"
        url, second = await accepted(api, merchant)
        assert (url, second != first) == (SECOND, True)
    async with with_terms(services, None) as api:
        assert await accepted(api, merchant) == (SECOND, second), "an acceptance is final"
    changes = await sql.rows(
        database, "select changes from audit_trail where action = 'account.updated' order by created_at, id"
    )
    urls = [row["changes"]["production_terms_url"] for row in changes]
    assert urls == [{"from": None, "to": FIRST}, {"from": FIRST, "to": SECOND}]
    assert all(row["changes"]["production_terms_accepted_at"]["to"] for row in changes)


async def test_terms_can_be_accepted_without_a_url(services: Services, merchant: Merchant) -> None:
    url, at = await accepted(merchant.api, merchant)
    assert (url, at is None) == (None, False)
    production = (await merchant.api.get("/production", token=merchant.token)).json()["data"]
    assert (production["termos_url"], "accept_production_terms" in production["pendencias"]) == (None, False)
    async with with_terms(services, FIRST) as api:
        url, later = await accepted(api, merchant)
        assert (url, later is None) == (FIRST, False)
