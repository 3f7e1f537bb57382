"""A new secret key: older secrets still decrypt, are re-encrypted in batches, and the old key can be removed."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from cryptography.fernet import Fernet
from msgspec.structs import replace
from sqlalchemy import LargeBinary

from gateway.app import Gateway
from gateway.doctor.security import check_encryption
from gateway.models.base import ENCRYPTED
from gateway.models.database import Database
from gateway.models.tables import metadata
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.email.outbox import EmailMessage, Recipient, enqueue
from gateway.resolvers.email.rendering import parse_template_data
from gateway.resolvers.key_rotation import BATCH_SIZE, KeyUsage, count_key_usage, rotate_keys
from gateway.security import SessionTokens, Vault, derive
from gateway.services import open_vault
from gateway.settings import Settings, SettingsError, load_settings
from gateway.workers.webhook_sender import Sender
from tests.api_client import Api, Merchant, charge_order
from tests.resolvers.email.fixtures import invitation
from tests.sql import rows, run, value

OLD = "a secret key for tests only, 32 characters or more"
NEW = "another secret key for tests and also 32 characters or more"
PLAIN = {
    "api_keys.key_hash",
    "audit_chain.hash",
    "audit_chain.prev_hash",
    "engine_notifications.body",
    "idempotency_keys.fingerprint",
    "members.token_hash",
    "password_resets.token_hash",
    "sessions.cookie_family",
    "sessions.cookie_hash",
    "sessions.previous_cookie_hash",
    "simulator_accounts.secret_hash",
    "webhook_attempts.response",
    "webhook_events.body",
}
"""Columns of bytes without secrets."""


def rotated(services: Services, *older: str) -> Services:
    """The services of a process that was started with the new key."""
    settings = Settings.model_validate(
        services.settings.model_dump() | {"secret_key": NEW, "secret_key_previous": older}
    )
    tokens = SessionTokens(NEW, services.clock, services.tokens.lifetime)
    return replace(services, settings=settings, vault=open_vault(settings), tokens=tokens)


@asynccontextmanager
async def restarted(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as api:
        yield api


async def rotate(services: Services) -> dict[str, tuple[int, int]]:
    done = await rotate_keys(system_context(services, source="job", request_id="reencrypt"))
    return {each.column: (each.rotated, each.lost) for each in done if each.rotated or each.lost}


async def endpoint(merchant: Merchant) -> dict[str, Any]:
    order = {"name": "loja", "url": "http://127.0.0.1:8999/", "events": []}
    made = await merchant.api.post("/webhook-endpoints", order, token=merchant.token)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()["data"]
    return found


def test_every_column_of_bytes_is_encrypted_or_known_to_be_plain() -> None:
    columns = {
        f"{table.name}.{column.name}": column.info.get(ENCRYPTED) is True
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    assert {name for name, encrypted in columns.items() if not encrypted} == PLAIN
    assert {"webhook_endpoints.secret", "webhook_endpoints.previous_secret", "idempotency_keys.answer"} <= set(columns)


async def test_after_a_rotation_all_secrets_still_decrypt(merchant: Merchant, services: Services) -> None:
    hook = await endpoint(merchant)
    order = charge_order()
    first = await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="k-1")
    now = rotated(services, OLD)
    stored = await value(services.database, "select secret from webhook_endpoints")
    assert now.vault.decrypt(stored) == hook["secret"]
    assert Sender(asyncio.sleep, now.vault)._decrypt(stored) == hook["secret"]  # type: ignore[arg-type]  # Nothing is sent.
    async with restarted(now) as api:
        again = await api.post("/pix", order, token=merchant.key, idempotency_key="k-1")
        assert again.json() == first.json(), "API keys and stored answers outlive the rotation"
        assert again.headers["idempotent-replayed"] == "true"


async def test_a_rotation_ends_sessions_and_a_leaked_key_makes_none(merchant: Merchant, services: Services) -> None:
    now = rotated(services, OLD)
    async with restarted(now) as api:
        assert (await api.get("/auth/me", token=merchant.token)).status_code == 401
        assert (await api.get("/auth/me", token=merchant.key)).status_code == 200
        session = await api.post("/auth/login", {"email": merchant.email, "password": "uma senha comprida"})
        fresh = session.json()["data"]["accessToken"]
        assert (await api.get("/auth/me", token=fresh)).status_code == 200


async def test_without_the_old_key_decryption_fails_with_the_reason(merchant: Merchant, services: Services) -> None:
    await endpoint(merchant)
    stored = await value(services.database, "select secret from webhook_endpoints")
    with pytest.raises(ValueError, match="GATEWAY_SECRET_KEY_PREVIOUS"):
        rotated(services).vault.decrypt(stored)


async def test_the_old_key_is_unused_after_re_encryption(
    merchant: Merchant, services: Services, database: Database
) -> None:
    hook = await endpoint(merchant)
    response = await merchant.api.post(
        f"/webhook-endpoints/{hook['id']}/rotate-secret", {"grace_hours": 24}, token=merchant.token
    )
    assert response.status_code == 200, response.text
    await merchant.api.post("/pix", charge_order(), token=merchant.key, idempotency_key="k-1")
    assert await rotate(rotated(services, OLD)) == {
        "webhook_endpoints.secret": (1, 0),
        "webhook_endpoints.previous_secret": (1, 0),
        "idempotency_keys.answer": (1, 0),
    }
    assert await rotate(rotated(services, OLD)) == {}, "a second run has nothing to do"
    alone = rotated(services).vault
    stored = (await rows(database, "select secret, previous_secret from webhook_endpoints"))[0]
    assert alone.decrypt(stored["secret"]) == response.json()["data"]["secret"]
    assert alone.decrypt(stored["previous_secret"]) == hook["secret"]
    acts = await rows(database, "select action, changes::text from audit_trail where action = 'secrets.reencrypted'")
    assert len(acts) == 3
    assert all(hook["secret"] not in act["changes"] for act in acts)


async def test_a_waiting_invitation_is_re_encrypted_with_its_link(
    merchant: Merchant, services: Services, database: Database
) -> None:
    """Secrets in the template data of an email. Those of sent emails are never decrypted again."""
    ctx = system_context(services, source="job", request_id="queueing")
    sent = invitation(token="convite-enviado", link="https://painel.example/enviado")
    facts = [invitation(link="https://painel.example/convite"), invitation(token="convite-sem-link"), sent]
    messages = [EmailMessage(each, merchant.id, to=Recipient("bia@example.com")) for each in facts]
    async with database.transaction() as transaction:
        await enqueue(ctx, transaction, *messages)
    await run(database, "update emails set state = 1 where dedupe_key = $1", sent.dedupe_key)
    now, alone = rotated(services, OLD), rotated(services)
    assert await key_usage(now) == {"emails.template_data.token": (0, 2, 0), "emails.template_data.link": (0, 1, 0)}
    assert await key_usage(alone) == {"emails.template_data.token": (0, 0, 2), "emails.template_data.link": (0, 0, 1)}
    assert await rotate(now) == {"emails.template_data.token": (2, 0), "emails.template_data.link": (1, 0)}
    assert await rotate(now) == {}
    assert await key_usage(alone) == {"emails.template_data.token": (2, 0, 0), "emails.template_data.link": (1, 0, 0)}
    for each in facts[:2]:
        (row,) = await rows(database, "select template_data from emails where dedupe_key = $1", each.dedupe_key)
        opened = {
            name: row["template_data"][name] and alone.vault.decrypt(row["template_data"][name].encode())
            for name in each.secrets
        }
        assert parse_template_data(each.kind, row["template_data"] | opened) == each


async def test_batches_skip_a_secret_that_changed_and_one_that_is_lost(
    merchant: Merchant, services: Services, database: Database
) -> None:
    await endpoint(merchant)
    old, foreign = Vault(OLD), Vault("f" * 32)
    many = BATCH_SIZE + 7
    async with database.pool.acquire() as connection:
        await connection.executemany(
            "insert into idempotency_keys (id, user_id, environment, operation, key, fingerprint, status, answer,"
            " lease_until, created_at) values (uuidv7(), $1, 'test', 'x.y', $2, '', 201, $3, now(), now())",
            [(merchant.id, f"k-{number}", old.encrypt(f"answer {number}")) for number in range(many)],
        )
    await run(database, "update idempotency_keys set answer = $1 where key = 'k-3'", foreign.encrypt("lost"))
    now = rotated(services, OLD)
    await run(
        database, "update idempotency_keys set answer = $1 where key = 'k-4'", now.vault.encrypt("changed meanwhile")
    )

    assert await rotate(now) == {"webhook_endpoints.secret": (1, 0), "idempotency_keys.answer": (many - 2, 1)}
    opened = {row["key"]: row["answer"] for row in await rows(database, "select key, answer from idempotency_keys")}
    assert foreign.decrypt(opened.pop("k-3")) == "lost"
    alone = rotated(services).vault
    assert alone.decrypt(opened.pop("k-4")) == "changed meanwhile"
    assert {key: alone.decrypt(answer) for key, answer in opened.items()} == {
        key: key.replace("k-", "answer ") for key in opened
    }


async def test_concurrent_rotations_and_a_rotating_merchant_lose_nothing(
    merchant: Merchant, services: Services, database: Database
) -> None:
    hooks = [await endpoint(merchant) for _ in range(5)]
    now = rotated(services, OLD)
    async with restarted(now) as api:
        token = (await api.post("/auth/login", {"email": merchant.email, "password": "uma senha comprida"})).json()
        turn = api.post(f"/webhook-endpoints/{hooks[0]['id']}/rotate-secret", {}, token=token["data"]["accessToken"])
        response, *_ = await asyncio.gather(turn, *(rotate(now) for _ in range(4)))
    await rotate(now)
    expected = {hook["id"]: hook["secret"] for hook in hooks} | {hooks[0]["id"]: response.json()["data"]["secret"]}
    stored = await rows(database, "select id, secret from webhook_endpoints")
    assert {row["id"]: rotated(services).vault.decrypt(row["secret"]) for row in stored} == expected


async def test_a_secret_without_a_key_mark_is_read_counted_and_re_encrypted(
    merchant: Merchant, services: Services, database: Database
) -> None:
    await endpoint(merchant)
    plain = Fernet(base64.urlsafe_b64encode(derive(OLD, "secrets at rest"))).encrypt(b"whsec_old")
    await run(database, "update webhook_endpoints set secret = $1", plain)
    assert services.vault.decrypt(plain) == "whsec_old"
    assert await key_usage(services) == {"webhook_endpoints.secret": (0, 1, 0)}
    assert await rotate(services) == {"webhook_endpoints.secret": (1, 0)}
    assert await key_usage(services) == {"webhook_endpoints.secret": (1, 0, 0)}
    assert services.vault.decrypt(await value(database, "select secret from webhook_endpoints")) == "whsec_old"


async def key_usage(services: Services) -> dict[str, tuple[int, int, int]]:
    found = await count_key_usage(services.database, services.vault)
    return {
        each.column: (each.current, each.stale, each.lost) for each in found if each != KeyUsage(each.column, 0, 0, 0)
    }


async def test_the_doctor_reports_which_key_is_still_needed(merchant: Merchant, services: Services) -> None:
    await endpoint(merchant)

    async def findings(settings: Settings) -> list[tuple[str, str]]:
        return [(finding.severity, finding.text) async for finding in check_encryption(settings)]

    with_old, alone = rotated(services, OLD), rotated(services)
    assert await findings(services.settings) == [("ok", "1, all under the newest key")]
    assert await findings(with_old.settings) == [("warning", "1 under an older key: run `gateway admin reencrypt`")]
    ((mark, lost),) = await findings(alone.settings)
    assert mark == "error"
    assert lost.startswith("1 can't be opened (webhook_endpoints.secret): add the key")
    await rotate(with_old)
    ((mark, spare),) = await findings(with_old.settings)
    assert (mark, spare.endswith("GATEWAY_SECRET_KEY_PREVIOUS isn't needed any more")) == ("ok", True)
    assert await findings(alone.settings) == [("ok", "1, all under the newest key")]


async def test_a_deleted_endpoint_has_no_secret_to_rotate(merchant: Merchant, services: Services) -> None:
    """Its row has an empty secret until its log is deleted."""
    hook = await endpoint(merchant)
    gone = await merchant.api.delete(f"/webhook-endpoints/{hook['id']}", token=merchant.token)
    assert gone.status_code == 200
    assert await value(services.database, "select count(*) from webhook_endpoints") == 1
    assert [finding.severity async for finding in check_encryption(services.settings)] == ["ok"]
    assert await rotate(rotated(services, OLD)) == {}


def test_previous_keys_are_a_list_of_whole_keys() -> None:
    needed = {"database_url": "postgresql://x", "redis_url": "redis://x", "secret_key": NEW, "_env_file": None}
    settings = load_settings(**needed, secret_key_previous=f"{'o' * 40} , {'x' * 40}")
    assert [key.get_secret_value() for key in settings.secret_key_previous] == ["o" * 40, "x" * 40]
    assert "o" * 40 not in repr(settings)
    with pytest.raises(SettingsError, match="GATEWAY_SECRET_KEY_PREVIOUS") as refusal:
        load_settings(**needed, secret_key_previous="tooshort")
    assert "tooshort" not in str(refusal.value)


@pytest.mark.parametrize("text_", ["", "segredo", "é" * 5000])
def test_bytes_and_text_are_encrypted_alike(text_: str) -> None:
    old, now = Vault(OLD), Vault(NEW, OLD)
    encrypted = old.encrypt_bytes(text_.encode())
    assert len(encrypted) == len(text_.encode()) + 39
    assert encrypted.startswith(old.key_id)
    assert encrypted != old.encrypt_bytes(text_.encode())
    assert old.decrypt(encrypted) == now.decrypt(encrypted) == text_
    reencrypted = now.reencrypt(encrypted)
    assert reencrypted.startswith(now.key_id)
    assert len(reencrypted) == len(encrypted)
    assert Vault(NEW).decrypt(reencrypted) == text_
    for wrong in (
        encrypted[:-1],
        encrypted[:20],
        encrypted[:11],
        encrypted[:-1] + bytes([encrypted[-1] ^ 1]),
        Vault(NEW).key_id + encrypted[10:],
    ):
        with pytest.raises(ValueError, match="can't be opened"):
            now.decrypt(wrong)
    with pytest.raises(ValueError, match="can't be opened"):
        Vault(NEW).decrypt(encrypted)
