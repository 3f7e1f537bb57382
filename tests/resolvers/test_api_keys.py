"""API keys: specification sections 2 and 5, contract section 3."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests.api.actors import Scene, add_live_key, live_session, set_status
from tests.api_client import Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.spy_engine import overheard


async def _row(database: Database, key_id: str) -> dict[str, Any]:
    async with database.pool.acquire() as connection:
        return dict(await connection.fetchrow("select * from api_keys where id = $1", key_id))


async def test_the_key_is_shown_once_and_only_its_hash_is_stored(
    api: Api, merchant: Merchant, database: Database
) -> None:
    row = await _row(database, merchant.key_id)
    assert row["key_hash"] == hashlib.sha256(merchant.key.encode()).digest()
    assert merchant.key.startswith("service_test_")
    assert len(merchant.key) >= len("service_test_") + 32
    assert merchant.key.startswith(row["prefix"])
    assert len(row["prefix"]) < 24
    renamed = await api.put(f"/api-keys/{merchant.key_id}", {"name": "nova"}, token=merchant.token)
    assert "key" not in renamed.json()["data"]
    async with database.pool.acquire() as connection:
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
        for table in tables:
            found = await connection.fetchval(
                f"select count(*) from {table['tablename']} t where t::text like $1", f"%{merchant.key[14:]}%"
            )
            assert found == 0, table


async def test_a_key_is_live_by_default_and_needs_approval(api: Api, merchant: Merchant, database: Database) -> None:
    refused = await api.post("/api-keys", {"name": "viva"}, token=merchant.token)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert error["codigo"] == "PRODUCAO_NAO_LIBERADA"
    assert set(error["producao"]) == {
        *("liberada", "status", "solicitada_em", "revisada_em", "motivo_recusa", "pendencias", "termos_url"),
    }
    await set_status(database, merchant, "approved")
    made = await api.post("/api-keys", {"name": "viva"}, token=merchant.token)
    assert made.status_code == 201
    assert made.json()["data"]["environment"] == "live"
    assert made.json()["data"]["key"].startswith("service_live_")


async def test_the_environment_is_the_stored_one_not_the_one_in_the_text(
    api: Api, merchant: Merchant, services: Services
) -> None:
    key = await add_live_key(services, merchant)
    async with services.database.pool.acquire() as connection:
        await connection.execute(
            "update api_keys set environment = 'test', key_hash = $1 where key_hash = $2",
            hashlib.sha256(b"service_live_velha").digest(),
            hashlib.sha256(key.encode()).digest(),
        )
    answer = await api.get("/auth/me", token="service_live_velha")
    assert answer.json()["data"]["environment"] == "test"


async def test_a_live_key_is_invalid_after_a_suspension(api: Api, merchant: Merchant, services: Services) -> None:
    key = await add_live_key(services, merchant)
    await set_status(services.database, merchant, "approved")
    assert (await api.post("/pix", charge_order(), token=key)).status_code == 201
    for status in ("sandbox", "pending", "rejected", "suspended"):
        await set_status(services.database, merchant, status)
        refused = await api.get("/auth/me", token=key)
        assert refused.status_code == 403
        assert refused.json()["error"]["codigo"] == "PRODUCAO_NAO_LIBERADA"
        assert refused.json()["error"]["producao"]["status"] == status


async def test_a_live_session_of_a_suspended_store_is_read_only(
    api: Api, merchant: Merchant, services: Services
) -> None:
    await set_status(services.database, merchant, "approved")
    live = await live_session(Scene(api, services, merchant, merchant))
    charge = (await api.post("/pix", charge_order(), token=live)).json()["data"]
    await set_status(services.database, merchant, "suspended")
    assert (await api.get(f"/pix/{charge['id']}", token=live)).status_code == 200
    for path in ("/pix", "/charges"):
        refused = await api.post(path, charge_order(), token=live)
        assert refused.status_code == 409
        assert refused.json()["error"]["codigo"] == "PRODUCAO_NAO_LIBERADA"
        assert refused.json()["error"]["producao"]["liberada"] is False


async def test_deactivated_and_revoked_keys_are_invalid_on_the_next_request(api: Api, merchant: Merchant) -> None:
    path = f"/api-keys/{merchant.key_id}"
    for active, status in ((False, 401), (True, 200), (False, 401)):
        await api.put(path, {"active": active}, token=merchant.token)
        answer = await api.get("/auth/me", token=merchant.key)
        assert answer.status_code == status
    assert answer.json() == {"error": "Chave de API inválida ou revogada"}
    assert (await api.delete(path, token=merchant.token)).json()["data"]["deleted"] is True
    assert (await api.get("/auth/me", token=merchant.key)).json() == {"error": "Chave de API inválida ou revogada"}
    assert (await api.put(path, {"active": True}, token=merchant.token)).status_code == 404
    assert (await api.delete(path, token=merchant.token)).status_code == 404


async def test_a_key_revoked_while_a_request_is_in_use(api: Api, merchant: Merchant) -> None:
    """The running request succeeds; the next one is refused."""

    async def revoke_meanwhile(*_: object) -> None:
        assert (await api.delete(f"/api-keys/{merchant.key_id}", token=merchant.token)).status_code == 200

    async with overheard(merchant, revoke_meanwhile) as under_way:
        assert (await under_way.api.post("/pix", charge_order(), token=merchant.key)).status_code == 201
    assert (await api.post("/pix", charge_order(), token=merchant.key)).status_code == 401


async def test_last_use_is_written_at_most_once_a_minute(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    async def used_after(seconds: int) -> Any:
        clock.advance(timedelta(seconds=seconds))
        await api.get("/auth/me", token=merchant.key)
        return (await _row(database, merchant.key_id))["last_used_at"]

    assert (await _row(database, merchant.key_id))["last_used_at"] is None
    first = await used_after(0)
    assert first == clock.now()
    assert await used_after(59) == first
    assert await used_after(2) == clock.now()


@pytest.mark.parametrize(
    "body", [{}, {"active": None}, {"active": "false"}, {"active": 0}, {"name": ""}, {"name": None}, {"name": "a\tb"}]
)
async def test_bad_changes_are_refused(api: Api, merchant: Merchant, body: dict[str, object]) -> None:
    response = await api.put(f"/api-keys/{merchant.key_id}", body, token=merchant.token)
    assert response.status_code == 400, response.text


async def test_an_empty_change_names_the_missing_fields(api: Api, merchant: Merchant) -> None:
    path = f"/api-keys/{merchant.key_id}"
    nothing = (await api.put(path, {"environment": "live"}, token=merchant.token)).json()["error"]
    assert nothing["message"] == "Envie ao menos um campo a mudar: name ou active."
    assert [result["campo"] for result in nothing["campos"]] == ["name", "active"]
    emptied = (await api.put(path, {"active": None}, token=merchant.token)).json()["error"]
    assert emptied["campos"] == [{"campo": "active", "mensagem": "não pode ficar vazio"}]
    change = "mutation($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }"
    (error,) = (await api.graphql(change, token=merchant.token, input={"id": merchant.key_id, "active": None}))[
        "errors"
    ]
    assert error["message"] == emptied["message"]


async def test_credentials_are_managed_only_in_the_dashboard(api: Api, merchant: Merchant) -> None:
    path = f"/api-keys/{merchant.key_id}"
    for answer in (
        await api.post("/api-keys", {"name": "x", "environment": "test"}, token=merchant.key),
        await api.put(path, {"active": False}, token=merchant.key),
        await api.delete(path, token=merchant.key),
        await api.post("/auth/environment", {"environment": "test"}, token=merchant.key),
    ):
        assert answer.status_code == 403
        assert answer.json()["error"]["codigo"] == "SOMENTE_PAINEL"


async def test_a_refused_permission_is_audited(api: Api, merchant: Merchant, database: Database) -> None:
    await api.post("/api-keys", {"name": "x"}, token=merchant.key)
    async with database.pool.acquire() as connection:
        row = await connection.fetchrow("select * from audit_trail where action = 'permission.refused'")
    assert (row["store_id"], row["actor_type"], row["actor_id"]) == (merchant.id, "api_key", merchant.key_id)
    result = {"operation": "api_keys.create", "codigo": "SOMENTE_PAINEL", "attempts": 1}
    assert row["changes"] == {name: {"from": None, "to": value} for name, value in result.items()}
