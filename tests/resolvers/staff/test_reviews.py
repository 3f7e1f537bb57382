"""Decisions about stores: once, never about the own store, and only in a valid status."""

import asyncio

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.staff.access import set_staff
from tests.api.actors import set_status
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.applicants import apply, decide, staff_member
from tests.members import join, remove

DECISIONS = ("aprovar", "recusar", "suspender", "reativar")


@pytest.mark.parametrize("rivals", [("aprovar", "recusar"), ("aprovar", "aprovar"), ("recusar", "recusar")])
async def test_ten_concurrent_decisions_count_once(
    api: Api, merchant: Merchant, services: Services, database: Database, rivals: tuple[str, str]
) -> None:
    await apply(merchant)
    staff = [await staff_member(api, services), await staff_member(api, services)]
    answers = await asyncio.gather(
        *(decide(staff[n % 2], merchant, rivals[n % 2], motivo=f"Motivo {n}.") for n in range(10))
    )
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200] + [409] * 9
    assert {a.json()["error"]["codigo"] for a in answers if a.status_code == 409} == {"SEM_ANALISE_PENDENTE"}
    (winner,) = [answer.json()["data"] for answer in answers if answer.status_code == 200]
    async with database.pool.acquire() as connection:
        moves = await connection.fetch("select * from production_status_changes where from_status = 'pending'")
        acts = await connection.fetchval(
            "select count(*) from audit_trail where action in ('production.approved', 'production.refused')"
        )
        user = await connection.fetchrow("select * from users where id = $1", merchant.id)
    assert [(move["to_status"], move["reason"]) for move in moves] == [
        (winner["production_status"], winner["production_reject_reason"])
    ]
    assert acts == 1
    assert user["production_status"] == winner["production_status"]
    assert user["production_reject_reason"] == moves[0]["reason"]


async def test_twenty_concurrent_requests_count_once(merchant: Merchant, database: Database) -> None:
    await apply(merchant)
    await set_status(database, merchant, "sandbox")
    answers = await asyncio.gather(*(merchant.api.post("/production/request", token=merchant.token) for _ in range(20)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 19
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from production_status_changes") == 2


@pytest.mark.parametrize("status", ["sandbox", "pending", "approved", "rejected", "suspended"])
async def test_an_invalid_decision_changes_nothing(
    api: Api, merchant: Merchant, services: Services, database: Database, status: str
) -> None:
    staff = await staff_member(api, services)
    possible = {"pending": {"aprovar", "recusar"}, "approved": {"suspender"}, "suspended": {"reativar"}}
    await set_status(database, merchant, status)
    before = await fingerprint(database)
    for decision in set(DECISIONS) - possible.get(status, set()):
        answer = await decide(staff, merchant, decision, motivo="x")
        assert answer.status_code == 409
        expected = "SEM_ANALISE_PENDENTE" if decision in {"aprovar", "recusar"} else None
        assert answer.json()["error"].get("codigo") == expected
    assert await fingerprint(database) == before


@pytest.mark.parametrize("decision", DECISIONS)
async def test_staff_can_not_decide_about_a_store_it_is_a_member_of(
    api: Api, services: Services, database: Database, merchant: Merchant, decision: str
) -> None:
    staff = await staff_member(api, services)
    member = await join(merchant, staff, "viewer")
    await apply(merchant)
    await set_status(database, merchant, {"suspender": "approved", "reativar": "suspended"}.get(decision, "pending"))
    assert (await decide(staff, merchant, decision, motivo="x")).status_code == 403
    await remove(merchant, member)
    assert (await decide(staff, merchant, decision, motivo="x")).status_code == 200


@pytest.mark.parametrize("decision", DECISIONS)
async def test_staff_cannot_decide_about_their_own_store(
    api: Api, services: Services, database: Database, decision: str
) -> None:
    staff = await staff_member(api, services)
    await apply(staff)
    await set_status(database, staff, {"suspender": "approved", "reativar": "suspended"}.get(decision, "pending"))
    before = await fingerprint(database)
    answer = await decide(staff, staff, decision, motivo="x")
    assert (answer.status_code, answer.json()) == (403, {"error": {"message": "Ninguém analisa a própria loja."}})
    upper = await api.post(f"/admin/lojistas/{staff.id.upper()}/{decision}", {"motivo": "x"}, token=staff.token)
    assert upper.status_code == 403
    assert await fingerprint(database) == before
    async with database.pool.acquire() as connection:
        refusals = await connection.fetch("select changes from audit_trail where action = 'permission.refused'")
    assert len(refusals) == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (None, 400),
        ({}, 400),
        ({"motivo": ""}, 400),
        ({"motivo": "  "}, 400),
        ({"motivo": None}, 400),
        ({"motivo": "x" * 2001}, 400),
        ({"motivo": "a\x07"}, 400),
        ({"motivo": ["x"]}, 400),
        ({"motivo": "Falta a página 2.\nEnvie o contrato inteiro."}, 200),
    ],
)
async def test_a_refusal_has_a_reason(
    api: Api, merchant: Merchant, services: Services, database: Database, body: dict[str, object] | None, status: int
) -> None:
    staff = await staff_member(api, services)
    await set_status(database, merchant, "pending")
    answer = await api.post(f"/admin/lojistas/{merchant.id}/recusar", body, token=staff.token)
    assert answer.status_code == status, answer.text
    if status == 400:
        assert [field["campo"] for field in answer.json()["error"]["campos"]] == ["motivo"]


async def test_a_former_member_of_staff_can_not_decide(
    api: Api, merchant: Merchant, services: Services, database: Database
) -> None:
    staff = await staff_member(api, services)
    await set_status(database, merchant, "pending")
    await set_staff(system_context(services, source="job", request_id="x"), staff.email, staff=False)
    answer = await decide(staff, merchant, "aprovar")
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")


async def test_an_api_key_of_staff_has_no_staff_permission(api: Api, merchant: Merchant, services: Services) -> None:
    staff = await staff_member(api, services)
    for method, path in (("GET", "/admin/lojistas"), ("POST", f"/admin/lojistas/{merchant.id}/aprovar")):
        answer = await api.request(method, path, token=staff.key)
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")
