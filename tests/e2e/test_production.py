"""A merchant's production approval, refusal, suspension and reactivation, through either transport."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests.api.table import BY_NAME
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import PASSWORD, PAYER, Api, Merchant, charge_order
from tests.applicants import FILES, prepare, send, staff_member
from tests.fake_clock import MovedClock

IsNow = Callable[[str], bool]
"""Whether a timestamp is the current time."""
Do = Callable[..., Awaitable[Outcome]]
MISSING = [kind.value for kind in FILES]


async def _by_graphql(api: Api, operation: str, raw_input: dict[str, Any], token: str) -> Outcome:
    return await by_graphql(api, BY_NAME[operation].field, raw_input, token)


TRANSPORTS = {"rest": by_rest, "graphql": _by_graphql}


@pytest.fixture(params=TRANSPORTS)
def do(request: pytest.FixtureRequest, api: Api) -> Do:
    """Call an operation by its name: `await do("charges.issue", raw_input, token)`."""
    return partial(TRANSPORTS[request.param], api)


async def session(do: Do, merchant: Merchant) -> tuple[str, str]:
    """A new session: its environment and its token."""
    opened = await do("accounts.login", {"email": merchant.email, "password": PASSWORD}, None)
    return opened.data["environment"], opened.data["accessToken"]


async def assert_not_approved(do: Do, merchant: Merchant, status: str, missing: list[str]) -> None:
    """Assert the limits of a store that isn't approved; issuing in test works."""
    environment, token = await session(do, merchant)
    assert environment == "test"
    refusals = (
        await do("accounts.choose_environment", {"environment": "live"}, token),
        await do("api_keys.create", {"name": "viva", "environment": "live"}, token),
    )
    for refused in refusals:
        assert (refused.status, refused.codigo) == (409, "PRODUCAO_NAO_LIBERADA")
        block = refused.extra["producao"]
        assert (block["liberada"], block["status"], block["pendencias"]) == (False, status, missing)
    state = await do("production.read", {}, token)
    assert state.data == refusals[0].extra["producao"]
    charge = await merchant.issue()
    assert (await merchant.pay(charge["id"]))["status"] == "paid"


async def test_production_scenario(
    api: Api, merchant: Merchant, services: Services, database: Database, clock: MovedClock, do: Do
) -> None:
    def is_now(text: str) -> bool:
        return datetime.fromisoformat(text) == clock.now()

    async def pass_a_second() -> None:
        clock.advance(timedelta(seconds=1))

    await run_production_scenario(api, merchant, services, database, do, is_now, pass_a_second)


async def run_production_scenario(
    api: Api,
    merchant: Merchant,
    services: Services,
    database: Database,
    do: Do,
    is_now: IsNow,
    pass_a_second: Callable[[], Awaitable[None]],
) -> None:
    """The whole scenario; `is_now` compares timestamps with the service's clock."""
    staff = await staff_member(api, services)
    await assert_not_approved(do, merchant, "sandbox", [*MISSING, "accept_production_terms"])

    refused = await do("production.request", {}, merchant.token)
    assert (refused.status, refused.codigo) == (400, None)
    assert [field["campo"] for field in refused.extra["campos"]] == [*MISSING, "accept_production_terms"]
    assert all(name in (refused.message or "") for name in MISSING)

    assert (await send(api, merchant.token, MISSING[0])).status_code == 201
    await assert_not_approved(do, merchant, "sandbox", [*MISSING[1:], "accept_production_terms"])
    await prepare(merchant)
    await do("accounts.update_profile", {"company": None}, merchant.token)
    refused = await do("production.request", {}, merchant.token)
    assert [field["campo"] for field in refused.extra["campos"]] == ["company"]
    await do("accounts.update_profile", {"company": "Loja da Ana"}, merchant.token)

    requested = await do("production.request", {}, merchant.token)
    assert (requested.status, requested.data["status"], requested.data["pendencias"]) == (200, "pending", [])
    assert is_now(requested.data["solicitada_em"])
    again = await do("production.request", {}, merchant.token)
    assert (again.status, again.codigo) == (409, "PRODUCAO_EM_ANALISE")
    await assert_not_approved(do, merchant, "pending", [])

    reviewed = await do("staff.refuse_merchant", {"id": merchant.id, "motivo": "Comprovante ilegível."}, staff.token)
    assert (reviewed.status, reviewed.data["production_status"]) == (200, "rejected")
    await assert_not_approved(do, merchant, "rejected", [])
    state = (await do("production.read", {}, merchant.token)).data
    assert state["motivo_recusa"] == "Comprovante ilegível."
    assert is_now(state["revisada_em"])
    assert (await send(api, merchant.token, "proof_of_address")).status_code == 201
    requested = await do("production.request", {}, merchant.token)
    assert (requested.data["motivo_recusa"], requested.data["revisada_em"]) == (None, None)

    reviewed = await do("staff.approve_merchant", {"id": merchant.id}, staff.token)
    assert (reviewed.status, reviewed.data["production_status"]) == (200, "approved")
    live, key, charge, slug = await assert_approved(do, merchant)

    reviewed = await do("staff.suspend_merchant", {"id": merchant.id, "motivo": "Denúncias."}, staff.token)
    assert (reviewed.status, reviewed.data["production_status"]) == (200, "suspended")
    await assert_suspended(do, merchant, live, key, charge, slug)
    await assert_not_approved(do, merchant, "suspended", [])

    await pass_a_second()
    reviewed = await do("staff.reactivate_merchant", {"id": merchant.id}, staff.token)
    assert (reviewed.status, reviewed.data["production_reject_reason"]) == (200, None)
    assert (await do("charges.issue", charge_order(), key)).data["environment"] == "live"
    assert (await session(do, merchant))[0] == "live"
    history = (await do("staff.read_merchant", {"id": merchant.id}, staff.token)).data["history"]
    assert [(move["to_status"], move["reason"], move["actor_name"]) for move in history] == [
        ("pending", None, "Ana Lojista"),
        ("rejected", "Comprovante ilegível.", "Bia Equipe"),
        ("pending", None, "Ana Lojista"),
        ("approved", None, "Bia Equipe"),
        ("suspended", "Denúncias.", "Bia Equipe"),
        ("approved", None, "Bia Equipe"),
    ]
    await assert_audit_trail(database, merchant, staff)
    await assert_emails_queued(database, merchant)


async def assert_approved(do: Do, merchant: Merchant) -> tuple[str, str, dict[str, Any], str]:
    """Assert an approved store; returns a live session, a live key, a live charge and a live link."""
    environment, live = await session(do, merchant)
    assert environment == "live"
    assert (await do("accounts.choose_environment", {"environment": "live"}, merchant.token)).status == 200
    created = await do("api_keys.create", {"name": "viva", "environment": "live"}, merchant.token)
    key = created.data["key"]
    block = (await do("production.read", {}, live)).data
    assert (block["liberada"], block["status"], block["pendencias"]) == (True, "approved", [])
    for credential in (live, key):
        charge = (await do("charges.issue", charge_order(), credential)).data
        assert charge["environment"] == "live"
    link = (await do("payment_links.create", {"title": "Aula", "amount": 80}, key)).data
    return live, key, charge, link["slug"]


async def assert_suspended(do: Do, merchant: Merchant, live: str, key: str, charge: dict[str, Any], slug: str) -> None:
    """Live access ends at once: the key for everything, the session for issuing, and the link."""
    for operation, raw_input in (("accounts.me", {}), ("charges.list", {}), ("charges.issue", charge_order())):
        refused = await do(operation, raw_input, key)
        assert (refused.status, refused.codigo) == (403, "PRODUCAO_NAO_LIBERADA"), operation
        assert refused.message == "Esta loja não está liberada para operar em produção."
        assert refused.extra["producao"]["motivo_recusa"] == "Denúncias."
    assert (await do("charges.read", {"id": charge["id"]}, live)).status == 200
    for operation in ("charges.issue", "charges.register"):
        refused = await do(operation, charge_order(), live)
        assert (refused.status, refused.codigo) == (409, "PRODUCAO_NAO_LIBERADA"), operation
        assert refused.extra["producao"]["status"] == "suspended"
        assert refused.message == "Esta loja não está liberada para operar em produção."
    refused = await do("checkout.pay", {"slug": slug, **PAYER}, None)
    assert (refused.status, refused.codigo, refused.extra) == (409, "LINK_INDISPONIVEL", {})
    # A payer can still see a charge that was issued before.
    assert (await do("checkout.read_charge", {"txid": charge["txid"]}, None)).status == 200


async def assert_audit_trail(database: Database, merchant: Merchant, staff: Merchant) -> None:
    async with database.pool.acquire() as connection:
        records = await connection.fetch(
            "select action, store_id, actor_type, actor_id, changes from audit_trail"
            " where action like 'production.%' and action not like '%uploaded' order by id"
        )
    assert {record["store_id"] for record in records} == {merchant.id}
    assert [(record["action"].partition(".")[2], record["actor_type"]) for record in records] == [
        ("requested", "user"),
        ("refused", "staff"),
        ("requested", "user"),
        ("approved", "staff"),
        ("suspended", "staff"),
        ("reactivated", "staff"),
    ]
    assert {record["actor_id"] for record in records if record["actor_type"] == "staff"} == {staff.id}
    assert records[1]["changes"] == {
        "production_status": {"from": "pending", "to": "rejected"},
        "reason": {"from": None, "to": "Comprovante ilegível."},
    }


async def assert_emails_queued(database: Database, merchant: Merchant) -> None:
    """The merchant gets one email per decision."""
    async with database.pool.acquire() as connection:
        mails = await connection.fetch("select * from emails where kind like 'production%' order by created_at, id")
    assert [(mail["kind"], mail["template_data"].get("reason")) for mail in mails] == [
        ("production_refused", "Comprovante ilegível."),
        ("production_approved", None),
        ("production_suspended", "Denúncias."),
        ("production_approved", None),
    ]
    assert {(mail["recipient"], mail["template_data"]["store_name"]) for mail in mails} == {
        (merchant.email, "Loja da Ana")
    }
