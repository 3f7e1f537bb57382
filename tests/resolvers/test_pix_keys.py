"""Saved Pix keys of a store."""

import asyncio
from typing import Any

import pytest

from gateway.models.database import Database
from tests import sql
from tests.api_client import Api, Merchant
from tests.members import join


async def save(merchant: Merchant, key: str, kind: str = "email", **more: Any) -> Any:
    body = {"pix_key": key, "pix_key_type": kind, **more}
    return await merchant.api.post("/pix-keys", body, token=merchant.key)


async def keys_of(merchant: Merchant) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await merchant.api.get("/pix-keys", token=merchant.key)).json()["data"]
    return listed


async def test_a_key_is_saved_normalized_once_and_renamed(merchant: Merchant, database: Database) -> None:
    first = await save(merchant, "Ana@Loja.example", name="Banco")
    assert first.status_code == 201, first.text
    saved = first.json()["data"]
    assert (saved["pix_key"], saved["name"]) == ("ana@loja.example", "Banco")
    again = (await save(merchant, "ana@loja.example", name="Conta nova")).json()["data"]
    assert again == saved | {"name": "Conta nova"}
    assert (await save(merchant, "ana@loja.example")).json()["data"]["name"] == "Conta nova"
    assert await keys_of(merchant) == [again]
    changes = await sql.rows(database, "select changes from audit_trail where action = 'pix_key.saved'")
    assert {row["changes"]["pix_key"]["to"] for row in changes} == {"a***@loja.example"}


async def test_a_key_that_does_not_match_its_type_is_refused(merchant: Merchant) -> None:
    answer = await save(merchant, "não é", "cpf")
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (400, "CHAVE_PIX_INVALIDA")
    assert await keys_of(merchant) == []


async def test_a_deleted_key_is_gone(merchant: Merchant, api: Api) -> None:
    row = (await save(merchant, "(11) 98765-4321", "phone")).json()["data"]
    assert row["pix_key"] == "+5511987654321"
    other = await api.register_merchant()
    assert (await api.delete(f"/pix-keys/{row['id']}", token=other.key)).status_code == 404
    assert (await api.delete(f"/pix-keys/{row['id']}", token=merchant.key)).json()["data"]["deleted"] is True
    assert (await api.delete(f"/pix-keys/{row['id']}", token=merchant.key)).status_code == 404
    assert await keys_of(merchant) == []


async def test_twenty_keys_are_the_limit_even_for_concurrent_requests(merchant: Merchant) -> None:
    answers = await asyncio.gather(*(save(merchant, f"a{n}@loja.example") for n in range(23)))
    assert sorted(answer.status_code for answer in answers) == [201] * 20 + [409] * 3
    assert len(await keys_of(merchant)) == 20
    known = (await keys_of(merchant))[0]["pix_key"]
    assert (await save(merchant, known, name="mais uma vez")).status_code == 201


@pytest.mark.parametrize(("role", "status"), [("finance", 201), ("operator", 403), ("viewer", 403)])
async def test_who_may_withdraw_may_save_keys(merchant: Merchant, role: str, status: int) -> None:
    person = await merchant.api.register_merchant()
    await join(merchant, person, role)
    body = {"pix_key": "ana@loja.example", "pix_key_type": "email"}
    answer = await merchant.api.post("/pix-keys", body, token=person.token, x_store=merchant.id)
    assert answer.status_code == status, answer.text
