"""Requests for withdrawals: the order of errors, the reserved amount, and concurrent requests."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database, open_database
from gateway.models.engines import PixKeyType
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.credentials import Credentials
from gateway.resolvers.core.idempotency import LEASE
from gateway.resolvers.withdrawals.recover import NEVER_ORDERED, recover_withdrawals
from gateway.resolvers.withdrawals.transitions import FIRST_CHECK_AFTER
from gateway.settings import ReceivingMode
from tests import sql
from tests.api.actors import add_live_key, set_status
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.resolvers.withdrawals.fixtures import (
    KEY,
    create_withdrawal,
    earn,
    events,
    finish,
    job,
    open_account,
    read,
    request_withdrawal,
    summary,
)
from tests.spy_engine import overheard

KEYS = [
    ("cpf", "529.982.247-25", "52998224725", "***.982.247-**"),
    ("cnpj", "11.222.333/0001-81", "11222333000181", "11.***.***/0001-**"),
    ("cnpj", "12.abc.345/01de-35", "12ABC34501DE35", "12.***.***/01DE-**"),
    ("email", "Ana.Souza@Loja.Example", "ana.souza@loja.example", "a***@loja.example"),
    ("phone", "(11) 98765-4321", "+5511987654321", "+5511*****4321"),
    ("phone", "+55 11 3456-7890", "+551134567890", "+5511*****7890"),
    ("random", "123E4567-E89B-12D3-A456-426614174000", "123e4567-e89b-12d3-a456-426614174000", "123e4567-****"),
]
BAD_KEYS = [
    ("cpf", "529.982.247-26"),
    ("cpf", "11.222.333/0001-81"),
    ("cnpj", "12ABC34501DE36"),
    ("cnpj", "529.982.247-25"),
    ("email", "ana"),
    ("email", "ana@loja"),
    ("email", f"{'a' * 70}@b.example"),
    ("phone", "+5501987654321"),
    ("phone", "+5511887654321"),
    ("phone", "+1 202 555 0143"),
    ("phone", "987654321"),
    ("random", "123e4567e89b12d3a456426614174000"),
    ("random", "ana@loja.example"),
]


async def test_a_withdrawal_reserves_its_amount(shop: Merchant, database: Database) -> None:
    made = await create_withdrawal(shop, 40.5, description=" Outubro ", external_reference="saque-1")
    assert made == {
        "id": made["id"],
        "user_id": shop.id,
        "environment": "test",
        "status": "processing",
        "amount": 40.5,
        "fee_amount": 0.0,
        "net_amount": 40.5,
        **KEY,
        "description": "Outubro",
        "external_reference": "saque-1",
        "reject_reason": None,
        "end_to_end_id": None,
        "created_at": made["created_at"],
        "completed_at": None,
        "rejected_at": None,
    }
    assert await read(shop, made) == made
    reserved = await summary(shop)
    assert reserved == {
        "gross_amount": 100.0,
        "fee_amount": 0.0,
        "net_amount": 100.0,
        "withdrawn_amount": 0.0,
        "pending_amount": 40.5,
        "available_amount": 59.5,
        "charges_count": 1,
        "withdrawals_count": 0,
        "modo": "subconta",
        "environment": "test",
    }
    assert await finish(shop, made) == "applied"
    done = await summary(shop)
    assert done == reserved | {"withdrawn_amount": 40.5, "pending_amount": 0.0, "withdrawals_count": 1}
    transfer = await sql.row(database, "select * from simulator_transfers")
    assert transfer is not None
    assert (transfer["amount"], transfer["pix_key"], transfer["status"]) == (4050, KEY["pix_key"], "done")
    assert transfer["account_id"] is not None


@pytest.mark.parametrize(
    ("kind", "raw", "normalized", "masked"), KEYS, ids=[f"{kind}-{normalized}" for kind, _, normalized, _ in KEYS]
)
async def test_a_key_of_each_type_is_normalized_and_masked_in_the_trail(
    shop: Merchant, database: Database, kind: str, raw: str, normalized: str, masked: str
) -> None:
    made = await create_withdrawal(shop, 10, pix_key=raw, pix_key_type=kind)
    assert (made["pix_key_type"], made["pix_key"]) == (kind, normalized)
    changes = await sql.value(database, "select changes from audit_trail where action = 'withdrawal.requested'")
    assert changes == {"amount": {"from": None, "to": 10.0}, "pix_key": {"from": None, "to": masked}}


def test_every_type_of_key_is_covered() -> None:
    assert {kind for kind, *_ in KEYS} == {kind for kind, _ in BAD_KEYS} == set(PixKeyType)


async def test_invalid_keys_are_refused(shop: Merchant, database: Database) -> None:
    before = await fingerprint(database)
    for kind, raw in BAD_KEYS:
        answer = await request_withdrawal(shop, 10, pix_key=raw, pix_key_type=kind)
        error = answer.json()["error"]
        assert (answer.status_code, error["codigo"]) == (400, "CHAVE_PIX_INVALIDA"), (kind, raw)
        assert [field["campo"] for field in error["campos"]] == ["pix_key"]
    assert await fingerprint(database) == before


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"amount": 0}, ["amount"]),
        ({"amount": 10.001}, ["amount"]),
        ({"amount": "x", "pix_key": "", "pix_key_type": "boleto"}, ["amount", "pix_key_type", "pix_key"]),
        ({"amount": None, "description": "x" * 141}, ["amount", "description"]),
    ],
)
async def test_all_invalid_fields_are_reported_together(
    shop: Merchant, database: Database, changes: dict[str, Any], fields: list[str]
) -> None:
    before = await fingerprint(database)
    answer = await request_withdrawal(shop, **{"amount": 10, **changes})
    assert answer.status_code == 400
    assert [field["campo"] for field in answer.json()["error"]["campos"]] == fields
    assert await fingerprint(database) == before


async def test_an_invalid_key_is_reported_with_the_other_errors(shop: Merchant, database: Database) -> None:
    before = await fingerprint(database)
    answer = await request_withdrawal(shop, 0, pix_key="1", pix_key_type="cpf", description="x" * 141)
    error = answer.json()["error"]
    assert (answer.status_code, error["codigo"]) == (400, "CHAVE_PIX_INVALIDA")
    assert {masked["campo"] for masked in error["campos"]} == {"amount", "pix_key", "description"}
    assert {"campo": "pix_key", "mensagem": "informe um CPF válido"} in error["campos"]
    assert all(masked["campo"] in error["message"] for masked in error["campos"])
    assert await fingerprint(database) == before


async def test_one_withdrawal_at_a_time_within_the_balance(shop: Merchant, database: Database) -> None:
    too_much = await request_withdrawal(shop, 100.01)
    error = too_much.json()["error"]
    assert (too_much.status_code, error["codigo"], error["disponivel"]) == (409, "SALDO_INSUFICIENTE", 100.0)
    first = await create_withdrawal(shop, 60)
    second = await request_withdrawal(shop, 60)
    error = second.json()["error"]
    assert (second.status_code, error["codigo"], error["id"]) == (409, "SAQUE_EM_ANDAMENTO", first["id"])
    await finish(shop, first)
    third = await request_withdrawal(shop, 60)
    assert (third.status_code, third.json()["error"]["disponivel"]) == (409, 40.0)
    await create_withdrawal(shop, 40)
    assert (await summary(shop))["available_amount"] == 0.0
    assert await sql.value(database, "select count(*) from withdrawals") == 2


@pytest.fixture
async def crowd(services: Services) -> AsyncIterator[Api]:
    """The application on its own connection pool, so that requests are concurrent in PostgreSQL."""
    database = await open_database(services.settings.asyncpg_dsn, size=16)
    own = replace(services, database=database, credentials=Credentials(database))
    async with Api.of(Gateway(own.settings, own)) as api:
        yield api
    await database.close()


async def test_two_hundred_concurrent_requests_never_overdraw(
    crowd: Api, shop: Merchant, services: Services, database: Database
) -> None:
    """Each withdrawal completes immediately, so the balance limits them and not the rule of one at a time."""
    rival = Merchant(crowd, shop.id, shop.email, shop.token, shop.key, shop.key_id)

    async def take_out() -> int:
        answer = await request_withdrawal(rival, 45)
        if answer.status_code == 201:
            assert await finish(rival, answer.json()["data"]) == "applied"
        else:
            assert answer.json()["error"]["codigo"] in {"SAQUE_EM_ANDAMENTO", "SALDO_INSUFICIENTE"}, answer.text
        return answer.status_code

    statuses: list[int] = []
    while statuses.count(201) < 2:  # Each round succeeds at least once while the balance is sufficient.
        statuses += await asyncio.gather(*(take_out() for _ in range(200)))
    assert statuses.count(201) == 2
    left = await summary(shop)
    assert (left["withdrawn_amount"], left["available_amount"], left["pending_amount"]) == (90.0, 10.0, 0.0)
    assert await sql.value(database, "select sum(amount) from simulator_transfers") == 9000
    assert await events(database) == ["withdrawal.completed"] * 2


async def test_in_single_account_mode_any_body_is_refused(services: Services, database: Database) -> None:
    single = services.settings.model_copy(update={"receiving_mode": ReceivingMode.conta_unica})
    async with Api.of(Gateway(single, replace(services, settings=single))) as api:
        merchant = await api.register_merchant()
        await api.get("/auth/me", token=merchant.key)  # The first use of a key in a minute is recorded.
        before = await fingerprint(database)
        for content in (b"{", b"", b"[]", b'{"amount": -1}', b'{"amount": 10}'):
            answer = await api.client.post(
                "/withdrawals", content=content, headers={"authorization": f"Bearer {merchant.key}"}
            )
            assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "REPASSE_MANUAL"), content
        mutation = "mutation($i: RequestWithdrawalInput!) { requestWithdrawal(input: $i) { id } }"
        refused = await api.graphql(mutation, token=merchant.key, i={"amount": -1, "pixKey": "x", "pixKeyType": "cpf"})
        assert refused["errors"][0]["extensions"]["codigo"] == "REPASSE_MANUAL"
        assert await fingerprint(database) == before
        assert (await api.post("/withdrawals")).status_code == 401


async def test_without_an_account_or_approval_it_is_refused(
    api: Api, shop: Merchant, services: Services, database: Database
) -> None:
    other = await api.register_merchant()
    answer = await request_withdrawal(other, 10)
    error = answer.json()["error"]
    assert (answer.status_code, error["codigo"], error["aprovacao"]["aprovada"]) == (409, "SUBCONTA_INEXISTENTE", False)
    await set_status(database, shop, "approved")
    live = (await api.post("/auth/environment", {"environment": "live"}, token=shop.token)).json()["data"]
    await set_status(database, shop, "suspended")
    before = await fingerprint(database)
    suspended = await request_withdrawal(shop, 10, token=live["accessToken"])
    assert (suspended.status_code, suspended.json()["error"]["codigo"]) == (409, "PRODUCAO_NAO_LIBERADA")
    key = await request_withdrawal(shop, 10, token=await add_live_key(services, shop))
    assert key.status_code == 403
    assert {**await fingerprint(database), "api_keys": ""} == {**before, "api_keys": ""}


@pytest.mark.parametrize("how", [Behaviour.refuse, Behaviour.unavailable])
async def test_a_refused_withdrawal_is_deleted(
    shop: Merchant, engines: Engines, database: Database, how: Behaviour
) -> None:
    before = await fingerprint(database)
    engines.test.scenario.plan("create_transfer", how)
    failed = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (failed.status_code, failed.json()["error"].get("codigo")) == (502, None)
    assert await fingerprint(database) == before
    assert (await summary(shop))["available_amount"] == 100.0
    again = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (again.status_code, again.json()["data"]["status"]) == (201, "processing")
    replay = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (replay.headers["idempotent-replayed"], replay.json()) == ("true", again.json())
    other = await request_withdrawal(shop, 41, idempotency_key="saque-1")
    assert other.json()["error"]["codigo"] == "IDEMPOTENCIA_CONFLITO"
    assert await sql.value(database, "select count(*) from simulator_transfers") == 1


@pytest.mark.parametrize(
    ("how", "status", "available"), [("timeout_after", "processing", 60.0), ("timeout_before", "rejected", 100.0)]
)
async def test_a_lost_response_reserves_the_amount_until_the_check(
    shop: Merchant,
    engines: Engines,
    services: Services,
    database: Database,
    clock: MovedClock,
    how: str,
    status: str,
    available: float,
) -> None:
    engines.test.scenario.plan("create_transfer", Behaviour(how))
    unknown = await create_withdrawal(shop, 40, idempotency_key="saque-1")
    assert unknown["status"] == "pending"
    assert (await summary(shop))["available_amount"] == 60.0
    assert (await request_withdrawal(shop, 40, idempotency_key="saque-1")).json()["data"] == unknown
    assert await recover_withdrawals(job(services)) == 0
    clock.advance(FIRST_CHECK_AFTER)
    engines.test.scenario.plan("find_transfer", Behaviour.unavailable)
    assert await recover_withdrawals(job(services)) == 0
    assert (await read(shop, unknown))["status"] == "pending"
    clock.advance(FIRST_CHECK_AFTER)
    assert await recover_withdrawals(job(services)) == 1
    known = await read(shop, unknown)
    assert (known["status"], known["reject_reason"]) == (status, NEVER_ORDERED if status == "rejected" else None)
    assert (await summary(shop))["available_amount"] == available
    assert await events(database) == (["withdrawal.rejected"] if status == "rejected" else [])
    # The same key returns the same withdrawal and sends no second transfer.
    replay = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (replay.status_code, replay.json()["data"]["id"]) == (201, unknown["id"])
    assert await sql.value(database, "select count(*) from simulator_transfers") == (status == "processing")


class _KilledError(BaseException):
    """The process dies; no handler catches this."""


@pytest.mark.parametrize("ordered", [False, True], ids=["before the engine", "after the engine"])
async def test_a_crash_between_the_phases_loses_and_duplicates_nothing(
    shop: Merchant, services: Services, database: Database, clock: MovedClock, ordered: bool
) -> None:
    engine = services.engines.test

    class DyingEngine:
        """An engine during whose call the process dies."""

        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        async def create_transfer(self, order: Any) -> Any:
            if ordered:
                await engine.create_transfer(order)
            raise _KilledError

    dying = replace(services, engines=Engines(test=DyingEngine(), live=services.engines.live))
    async with Api.of(Gateway(dying.settings, dying)) as api:
        with pytest.raises(_KilledError):
            await api.post("/withdrawals", {"amount": 40, **KEY}, token=shop.key, idempotency_key="k-1")
    assert (await summary(shop))["available_amount"] == 60.0
    # Until the deadline, a dead process is indistinguishable from a slow engine.
    assert (await request_withdrawal(shop, 40, idempotency_key="k-1")).json()["error"][
        "codigo"
    ] == "IDEMPOTENCIA_EM_ANDAMENTO"
    clock.advance(LEASE + timedelta(seconds=services.settings.engine_timeout_seconds + 1))
    replay = await request_withdrawal(shop, 40, idempotency_key="k-1")
    assert (replay.status_code, replay.json()["data"]["status"]) == (201, "pending")
    assert replay.headers["idempotent-replayed"] == "true"
    other = await request_withdrawal(shop, 41, idempotency_key="k-1")
    assert other.json()["error"]["codigo"] == "IDEMPOTENCIA_CONFLITO"
    assert (await request_withdrawal(shop, 10)).json()["error"]["codigo"] == "SAQUE_EM_ANDAMENTO"
    clock.advance(FIRST_CHECK_AFTER)
    assert await recover_withdrawals(job(services)) == 1
    settled = await read(shop, replay.json()["data"])
    assert settled["status"] == ("processing" if ordered else "rejected")
    assert (await summary(shop))["available_amount"] == (60.0 if ordered else 100.0)
    if ordered:
        assert await finish(shop, settled) == "applied"
    # After completion the key still returns that withdrawal and sends no transfer.
    again = await request_withdrawal(shop, 40, idempotency_key="k-1")
    assert (again.status_code, again.json()) == (201, replay.json())
    assert await sql.value(database, "select count(*) from simulator_transfers") == ordered


@pytest.mark.parametrize(
    ("how", "status"),
    [(None, 201), (Behaviour.timeout_after, 201), (Behaviour.refuse, 502), (Behaviour.unavailable, 502)],
)
async def test_a_repeat_during_the_engine_call_is_a_conflict(
    shop: Merchant, engines: Engines, how: Behaviour | None, status: int
) -> None:
    """The response does not have the withdrawal, which may still be deleted."""
    reached, let_go = asyncio.Event(), asyncio.Event()

    async def on_call(call: str, *_: object) -> None:
        if call == "create_transfer":
            reached.set()
            await let_go.wait()

    if how is not None:
        engines.test.scenario.plan("create_transfer", how)
    async with overheard(shop, on_call) as reserved:
        first = asyncio.create_task(request_withdrawal(reserved, 40, idempotency_key="saque-1"))
        await asyncio.wait_for(reached.wait(), 60)
        during = await request_withdrawal(shop, 40, idempotency_key="saque-1")
        let_go.set()
        made = await first
    assert (during.status_code, during.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_EM_ANDAMENTO")
    assert made.status_code == status
    after = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert after.status_code == 201
    assert (await read(shop, after.json()["data"]))["id"] == after.json()["data"]["id"]
    if status == 201:
        assert (after.headers["idempotent-replayed"], after.json()) == ("true", made.json())
    else:
        assert "idempotent-replayed" not in after.headers


async def test_an_error_after_the_reservation_stores_the_idempotency_key(shop: Merchant, clock: MovedClock) -> None:
    async def on_call(call: str, *_: object) -> None:
        if call == "create_transfer":
            raise RuntimeError("unexpected")

    async with overheard(shop, on_call) as reserved:
        assert (await request_withdrawal(reserved, 40, idempotency_key="saque-1")).status_code == 500
    during = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (during.status_code, during.json()["error"]["codigo"]) == (409, "IDEMPOTENCIA_EM_ANDAMENTO")
    clock.advance(FIRST_CHECK_AFTER)
    replayed = await request_withdrawal(shop, 40, idempotency_key="saque-1")
    assert (replayed.status_code, replayed.json()["data"]) == (201, await read(shop, replayed.json()["data"]))


async def test_the_balance_of_another_account_is_not_available(
    api: Api, services: Services, database: Database
) -> None:
    """Staff repays the balance of the single account; it cannot be withdrawn from the store's own account."""
    single = services.settings.model_copy(update={"receiving_mode": ReceivingMode.conta_unica})
    async with Api.of(Gateway(single, replace(services, settings=single))) as before:
        merchant = await before.register_merchant()
        await earn(merchant, 30)
        assert (await summary(merchant))["available_amount"] == 30.0
    now = Merchant(api, merchant.id, merchant.email, merchant.token, merchant.key, merchant.key_id)
    assert (await summary(now))["available_amount"] == 0.0
    await open_account(now)
    await earn(now, 20)
    masked = await summary(now)
    assert (masked["gross_amount"], masked["charges_count"], masked["available_amount"]) == (50.0, 2, 20.0)
    assert (await request_withdrawal(now, 20.01)).json()["error"]["codigo"] == "SALDO_INSUFICIENTE"
    await create_withdrawal(now, 20)
