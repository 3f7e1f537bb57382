"""A new secret key: what was sealed before still opens, is resealed in batches, and the old key can go."""

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
from gateway.doctor.secrets import secrets
from gateway.models.base import SEALED
from gateway.models.database import Database
from gateway.models.tables import metadata
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.mail.facts import facts_of
from gateway.resolvers.mail.outbox import Letter, Mailbox, queue
from gateway.resolvers.secrets.census import Census, take_census
from gateway.resolvers.secrets.columns import BATCH
from gateway.resolvers.secrets.reseal import reseal_secrets
from gateway.security import SessionTokens, Vault, derive
from gateway.services import open_vault
from gateway.settings import Settings, SettingsError, load_settings
from gateway.workers.sender import Sender
from tests.api import Api, Merchant, charge_order
from tests.resolvers.mail.letters import invitation
from tests.sql import rows, run, value

OLD = "a secret key for tests only, 32 characters or more"
NEW = "another secret key for tests and also 32 characters or more"
PLAIN = {
    "api_keys.key_hash",
    "audit_seals.hash",
    "audit_seals.prev_hash",
    "engine_notifications.body",
    "idempotency_keys.fingerprint",
    "members.token_hash",
    "password_resets.token_hash",
    "simulator_accounts.secret_hash",
    "webhook_attempts.response",
    "webhook_events.body",
}
"""Bytes that are no secret."""


def rotated(services: Services, *older: str) -> Services:
    """The services of a process that was started with the new key."""
    settings = Settings.model_validate(
        services.settings.model_dump() | {"secret_key": NEW, "secret_key_previous": older}
    )
    tokens = SessionTokens(NEW, services.clock, services.tokens._lifetime)
    return replace(services, settings=settings, vault=open_vault(settings), tokens=tokens)


@asynccontextmanager
async def restarted(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as api:
        yield api


async def reseal(services: Services) -> dict[str, tuple[int, int]]:
    done = await reseal_secrets(system_context(services, source="job", request_id="reseal"))
    return {each.column: (each.resealed, each.lost) for each in done if each.resealed or each.lost}


async def endpoint(merchant: Merchant) -> dict[str, Any]:
    order = {"name": "loja", "url": "http://127.0.0.1:8999/", "events": []}
    made = await merchant.api.post("/webhook-endpoints", order, token=merchant.token)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()["data"]
    return found


def test_every_column_of_bytes_is_sealed_or_known_to_be_plain() -> None:
    columns = {
        f"{table.name}.{column.name}": column.info.get(SEALED) is True
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    assert {name for name, is_sealed in columns.items() if not is_sealed} == PLAIN
    assert {"webhook_endpoints.secret", "webhook_endpoints.previous_secret", "idempotency_keys.answer"} <= set(columns)


async def test_after_a_rotation_everything_still_opens(merchant: Merchant, services: Services) -> None:
    hook = await endpoint(merchant)
    order = charge_order()
    first = await merchant.api.post("/pix", order, token=merchant.key, idempotency_key="k-1")
    now = rotated(services, OLD)
    stored = await value(services.database, "select secret from webhook_endpoints")
    assert now.vault.open(stored) == hook["secret"]
    assert Sender(asyncio.sleep, now.vault)._open(stored) == hook["secret"]  # type: ignore[arg-type]  # Nothing is sent.
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


async def test_without_the_old_key_nothing_opens_and_the_reason_is_said(merchant: Merchant, services: Services) -> None:
    await endpoint(merchant)
    stored = await value(services.database, "select secret from webhook_endpoints")
    with pytest.raises(ValueError, match="GATEWAY_SECRET_KEY_PREVIOUS"):
        rotated(services).vault.open(stored)


async def test_resealing_frees_the_old_key(merchant: Merchant, services: Services, database: Database) -> None:
    hook = await endpoint(merchant)
    turned = await merchant.api.post(
        f"/webhook-endpoints/{hook['id']}/rotate-secret", {"grace_hours": 24}, token=merchant.token
    )
    assert turned.status_code == 200, turned.text
    await merchant.api.post("/pix", charge_order(), token=merchant.key, idempotency_key="k-1")
    assert await reseal(rotated(services, OLD)) == {
        "webhook_endpoints.secret": (1, 0),
        "webhook_endpoints.previous_secret": (1, 0),
        "idempotency_keys.answer": (1, 0),
    }
    assert await reseal(rotated(services, OLD)) == {}, "what is done is not done again"
    alone = rotated(services).vault
    kept = (await rows(database, "select secret, previous_secret from webhook_endpoints"))[0]
    assert alone.open(kept["secret"]) == turned.json()["data"]["secret"]
    assert alone.open(kept["previous_secret"]) == hook["secret"]
    acts = await rows(database, "select action, changes::text from audit_trail where action = 'secrets.resealed'")
    assert len(acts) == 3
    assert all(hook["secret"] not in act["changes"] for act in acts)


async def test_an_invitation_that_waits_is_resealed_with_its_link(
    merchant: Merchant, services: Services, database: Database
) -> None:
    """What is sealed among a mail's facts, where no column says so; what was sent is never opened again."""
    ctx = system_context(services, source="job", request_id="queueing")
    sent = invitation(token="convite-enviado", link="https://painel.example/enviado")
    facts = [invitation(link="https://painel.example/convite"), invitation(token="convite-sem-link"), sent]
    letters = [Letter(each, merchant.id, to=Mailbox("bia@example.com")) for each in facts]
    async with database.transaction() as transaction:
        await queue(ctx, transaction, *letters)
    await run(database, "update mails set state = 1 where dedupe_key = $1", sent.dedupe_key)
    now, alone = rotated(services, OLD), rotated(services)
    assert await census(now) == {"mails.facts.token": (0, 2, 0), "mails.facts.link": (0, 1, 0)}
    assert await census(alone) == {"mails.facts.token": (0, 0, 2), "mails.facts.link": (0, 0, 1)}
    assert await reseal(now) == {"mails.facts.token": (2, 0), "mails.facts.link": (1, 0)}
    assert await reseal(now) == {}
    assert await census(alone) == {"mails.facts.token": (2, 0, 0), "mails.facts.link": (1, 0, 0)}
    for each in facts[:2]:
        (row,) = await rows(database, "select facts from mails where dedupe_key = $1", each.dedupe_key)
        opened = {name: row["facts"][name] and alone.vault.open(row["facts"][name].encode()) for name in each.secrets}
        assert facts_of(each.kind, row["facts"] | opened) == each


async def test_many_are_resealed_in_batches_beside_one_that_changes_and_one_that_is_lost(
    merchant: Merchant, services: Services, database: Database
) -> None:
    await endpoint(merchant)
    old, foreign = Vault(OLD), Vault("f" * 32)
    many = BATCH + 7
    async with database.pool.acquire() as connection:
        await connection.executemany(
            "insert into idempotency_keys (id, user_id, environment, operation, key, fingerprint, status, answer,"
            " lease_until, created_at) values (uuidv7(), $1, 'test', 'x.y', $2, '', 201, $3, now(), now())",
            [(merchant.id, f"k-{number}", old.seal(f"answer {number}")) for number in range(many)],
        )
    await run(database, "update idempotency_keys set answer = $1 where key = 'k-3'", foreign.seal("lost"))
    now = rotated(services, OLD)
    await run(
        database, "update idempotency_keys set answer = $1 where key = 'k-4'", now.vault.seal("changed meanwhile")
    )

    assert await reseal(now) == {"webhook_endpoints.secret": (1, 0), "idempotency_keys.answer": (many - 2, 1)}
    opened = {row["key"]: row["answer"] for row in await rows(database, "select key, answer from idempotency_keys")}
    assert foreign.open(opened.pop("k-3")) == "lost"
    alone = rotated(services).vault
    assert alone.open(opened.pop("k-4")) == "changed meanwhile"
    assert {key: alone.open(answer) for key, answer in opened.items()} == {
        key: key.replace("k-", "answer ") for key in opened
    }


async def test_resealers_at_once_and_a_rotating_merchant_lose_nothing(
    merchant: Merchant, services: Services, database: Database
) -> None:
    hooks = [await endpoint(merchant) for _ in range(5)]
    now = rotated(services, OLD)
    async with restarted(now) as api:
        token = (await api.post("/auth/login", {"email": merchant.email, "password": "uma senha comprida"})).json()
        turn = api.post(f"/webhook-endpoints/{hooks[0]['id']}/rotate-secret", {}, token=token["data"]["accessToken"])
        turned, *_ = await asyncio.gather(turn, *(reseal(now) for _ in range(4)))
    await reseal(now)
    expected = {hook["id"]: hook["secret"] for hook in hooks} | {hooks[0]["id"]: turned.json()["data"]["secret"]}
    kept = await rows(database, "select id, secret from webhook_endpoints")
    assert {row["id"]: rotated(services).vault.open(row["secret"]) for row in kept} == expected


async def test_what_was_sealed_before_keys_had_marks_is_read_counted_and_resealed(
    merchant: Merchant, services: Services, database: Database
) -> None:
    await endpoint(merchant)
    plain = Fernet(base64.urlsafe_b64encode(derive(OLD, "secrets at rest"))).encrypt(b"whsec_old")
    await run(database, "update webhook_endpoints set secret = $1", plain)
    assert services.vault.open(plain) == "whsec_old"
    assert await census(services) == {"webhook_endpoints.secret": (0, 1, 0)}
    assert await reseal(services) == {"webhook_endpoints.secret": (1, 0)}
    assert await census(services) == {"webhook_endpoints.secret": (1, 0, 0)}
    assert services.vault.open(await value(database, "select secret from webhook_endpoints")) == "whsec_old"


async def census(services: Services) -> dict[str, tuple[int, int, int]]:
    found = await take_census(services.database, services.vault)
    return {
        each.column: (each.current, each.stale, each.lost) for each in found if each != Census(each.column, 0, 0, 0)
    }


async def test_the_doctor_says_which_key_is_still_needed(merchant: Merchant, services: Services) -> None:
    await endpoint(merchant)

    async def told(settings: Settings) -> list[tuple[str, str]]:
        return [(finding.mark, finding.text) async for finding in secrets(settings)]

    with_old, alone = rotated(services, OLD), rotated(services)
    assert await told(services.settings) == [("good", "1, all under the newest key")]
    assert await told(with_old.settings) == [("mind", "1 under an older key: run `gateway admin reseal`")]
    ((mark, lost),) = await told(alone.settings)
    assert mark == "mend"
    assert lost.startswith("1 can't be opened (webhook_endpoints.secret): add the key")
    await reseal(with_old)
    ((mark, spare),) = await told(with_old.settings)
    assert (mark, spare.endswith("GATEWAY_SECRET_KEY_PREVIOUS isn't needed any more")) == ("good", True)
    assert await told(alone.settings) == [("good", "1, all under the newest key")]


async def test_a_deleted_endpoint_has_no_secret_to_worry_about(merchant: Merchant, services: Services) -> None:
    """Its row stays until its log is cleared, and holds an empty secret meanwhile."""
    hook = await endpoint(merchant)
    gone = await merchant.api.delete(f"/webhook-endpoints/{hook['id']}", token=merchant.token)
    assert gone.status_code == 200
    assert await value(services.database, "select count(*) from webhook_endpoints") == 1
    assert [finding.mark async for finding in secrets(services.settings)] == ["good"]
    assert await reseal(rotated(services, OLD)) == {}


def test_previous_keys_are_a_list_of_whole_keys() -> None:
    needed = {"database_url": "postgresql://x", "redis_url": "redis://x", "secret_key": NEW, "_env_file": None}
    settings = load_settings(**needed, secret_key_previous=f"{'o' * 40} , {'x' * 40}")
    assert [key.get_secret_value() for key in settings.secret_key_previous] == ["o" * 40, "x" * 40]
    assert "o" * 40 not in repr(settings)
    with pytest.raises(SettingsError, match="GATEWAY_SECRET_KEY_PREVIOUS") as refusal:
        load_settings(**needed, secret_key_previous="tooshort")
    assert "tooshort" not in str(refusal.value)


@pytest.mark.parametrize("text_", ["", "segredo", "é" * 5000])
def test_bytes_are_sealed_as_text_is(text_: str) -> None:
    old, now = Vault(OLD), Vault(NEW, OLD)
    sealed = old.seal_bytes(text_.encode())
    assert len(sealed) == len(text_.encode()) + 39
    assert sealed.startswith(old.mark)
    assert sealed != old.seal_bytes(text_.encode())
    assert old.open(sealed) == now.open(sealed) == text_
    resealed = now.reseal(sealed)
    assert resealed.startswith(now.mark)
    assert len(resealed) == len(sealed)
    assert Vault(NEW).open(resealed) == text_
    for wrong in (
        sealed[:-1],
        sealed[:20],
        sealed[:11],
        sealed[:-1] + bytes([sealed[-1] ^ 1]),
        Vault(NEW).mark + sealed[10:],
    ):
        with pytest.raises(ValueError, match="can't be opened"):
            now.open(wrong)
    with pytest.raises(ValueError, match="can't be opened"):
        Vault(NEW).open(sealed)
