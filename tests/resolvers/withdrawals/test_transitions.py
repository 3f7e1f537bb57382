"""Final states of withdrawals: by notifications, by staff, or both at once; each is reached once."""

import asyncio
import csv
import io
from datetime import timedelta
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.errors import EngineRefused
from gateway.integrations.engines.interface import (
    Account,
    Engines,
    EngineTransfer,
)
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.models.engines import TransferState
from gateway.resolvers.core.context import Services
from gateway.resolvers.email.preview import preview_emails
from gateway.resolvers.engine_notifications.simulate import simulate_transfer_result
from gateway.resolvers.withdrawals.recover import FIRST_WAIT, recover_withdrawals
from gateway.resolvers.withdrawals.staff_actions import NEW_ORDER_AGE
from gateway.resolvers.withdrawals.transitions import FAILED, FIRST_CHECK_AFTER
from tests import sql
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock
from tests.resolvers.withdrawals.fixtures import (
    KEY,
    LIVE_TOKEN,
    TOKEN,
    create_withdrawal,
    earn,
    events,
    finish,
    job,
    open_account,
    read,
    request_withdrawal,
    send_notification,
    summary,
    transfer_notice,
    transfer_of,
)

OTHER_CNPJ = "45.723.174/0001-10"
PROOF = "E12345678202611221200abcDEF12345"


@pytest.fixture
async def staff(api: Api, services: Services) -> Merchant:
    return await staff_member(api, services)


async def decide(staff: Merchant, withdrawal: dict[str, Any], decision: str, **body: Any) -> Any:
    return await staff.api.post(f"/admin/withdrawals/{withdrawal['id']}/{decision}", body or None, token=staff.token)


# ---- The bank


async def test_a_hundred_notifications_complete_it_once(shop: Merchant, database: Database) -> None:
    form = {"name": "loja", "url": "http://127.0.0.1:8080/avisos", "events": ["withdrawal.completed"]}
    assert (await shop.api.post("/webhook-endpoints", form, token=shop.token)).status_code == 201
    made = await create_withdrawal(shop)
    engine_id = await transfer_of(database, made)
    notifications = [transfer_notice(made, id=engine_id, endToEndIdentifier=PROOF) for _ in range(100)]
    outcomes = await asyncio.gather(*(send_notification(shop.api, notification) for notification in notifications))
    assert set(outcomes) == {"applied"}
    done = await read(shop, made)
    assert (done["status"], done["end_to_end_id"], done["net_amount"]) == ("completed", PROOF, 40.0)
    assert done["completed_at"] is not None
    bodies = await sql.rows(database, "select body from webhook_events where type like 'withdrawal.%'")
    assert [orjson.loads(row["body"])["data"] for row in bodies] == [done]
    assert await sql.value(database, "select count(*) from webhook_deliveries") == 1
    acts = await sql.rows(database, "select * from audit_trail where action = 'withdrawal.completed'")
    assert [(act["actor_type"], act["resource_id"], act["environment"]) for act in acts] == [
        ("engine", made["id"], "test")
    ]
    assert shop.api.services.notifier.webhook_calls > 0  # type: ignore[attr-defined]  # the tests' own notifier.


@pytest.mark.parametrize("event", ["TRANSFER_FAILED", "TRANSFER_CANCELLED"])
async def test_a_failed_transfer_restores_the_balance_and_has_a_reason(
    shop: Merchant, services: Services, database: Database, event: str
) -> None:
    made = await create_withdrawal(shop)
    assert await finish(shop, made, event, failReason="Chave Pix não encontrada.") == "applied"
    failed = await read(shop, made)
    assert (failed["status"], failed["reject_reason"]) == ("rejected", "Chave Pix não encontrada.")
    assert failed["rejected_at"] is not None
    # Late, repeated and contradicting notifications: the state at the bank decides, and it is failed.
    assert await finish(shop, made) == "applied"
    assert await finish(shop, made, event) == "applied"
    assert await read(shop, made) == failed
    assert await events(database) == ["withdrawal.rejected"]
    assert (await summary(shop))["available_amount"] == 100.0
    result = [message for message in await preview_emails(job(services)) if message.kind.startswith("withdrawal")]
    assert [(message.recipient, message.subject.replace("\u00a0", " ")) for message in result] == [
        (shop.email, "[TESTE] Seu saque de R$ 40,00 não foi concluído"),
        (shop.email, "[TESTE] Saque de R$ 40,00 solicitado"),
    ]
    assert "Chave Pix não encontrada." in result[0].text
    assert (
        f"Solicitado por: {(await sql.value(database, 'select name from api_keys where user_id = $1', shop.id))}"
        in result[1].text
    )
    assert all("a***@loja.example" in message.text and "ana@loja.example" not in message.text for message in result)


async def test_a_notification_before_the_response_stays_applied(
    shop: Merchant, services: Services, database: Database
) -> None:
    engine = services.engines.test

    class Slow:
        """An engine whose notification arrives before its response."""

        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        async def create_transfer(self, order: Any) -> EngineTransfer:
            created = await engine.create_transfer(order)
            assert (
                await send_notification(shop.api, transfer_notice({"id": order.external_reference}, id=created.id))
                == "applied"
            )
            return created

    slow = replace(services, engines=Engines(test=Slow(), live=services.engines.live))
    async with Api.of(Gateway(slow.settings, slow)) as api:
        answer = await api.post("/withdrawals", {"amount": 40, **KEY}, token=shop.key, idempotency_key="k")
        assert (answer.status_code, answer.json()["data"]["status"]) == (201, "completed")
        replay = await api.post("/withdrawals", {"amount": 40, **KEY}, token=shop.key, idempotency_key="k")
        assert replay.json() == answer.json()
    assert await events(database) == ["withdrawal.completed"]


async def test_false_or_foreign_notifications_change_nothing(
    shop: Merchant, engines: Engines, database: Database
) -> None:
    made = await create_withdrawal(shop)
    before = await read(shop, made)
    # A transfer in progress at the bank stays open, despite the type of the notification.
    assert await send_notification(shop.api, transfer_notice(made, "TRANSFER_BLOCKED")) == "applied"
    assert await send_notification(shop.api, transfer_notice({"id": "pedido-7"}, id="unknown")) == "ignored"
    engine_id = await transfer_of(database, made)
    for value in (39.99, -40, 0, "40,00", None, True, 40.001):
        assert await send_notification(shop.api, transfer_notice(made, value=value, id=engine_id)) == "mismatch"
    # The live token is not valid for test.
    engine_id = await transfer_of(database, made)
    assert await send_notification(shop.api, transfer_notice(made, id=engine_id), LIVE_TOKEN) == "ignored"
    # The engine has another transfer under this reference.
    await sql.run(database, "update simulator_transfers set amount = amount - 1, status = 'done'")
    assert await send_notification(shop.api, transfer_notice(made, id=engine_id)) == "mismatch"
    assert await read(shop, made) == before
    assert await events(database) == []
    # Without a response of the engine a notification waits.
    engines.test.scenario.plan("read_transfer", Behaviour.unavailable)
    assert await send_notification(shop.api, transfer_notice(made, event_id="evt_late")) == "received"


async def test_a_lost_notification_is_replaced_by_a_check(
    shop: Merchant, services: Services, database: Database, clock: MovedClock
) -> None:
    made = await create_withdrawal(shop)
    await sql.run(database, "update simulator_transfers set status = 'done', end_to_end_id = $1", PROOF)
    assert await recover_withdrawals(job(services)) == 0
    clock.advance(FIRST_CHECK_AFTER)
    assert sum(await asyncio.gather(*(recover_withdrawals(job(services)) for _ in range(3)))) == 1
    assert (await read(shop, made))["end_to_end_id"] == PROOF
    assert await events(database) == ["withdrawal.completed"]


async def test_after_an_outage_the_rest_of_the_batch_is_released(
    shop: Merchant, services: Services, engines: Engines, database: Database, clock: MovedClock
) -> None:
    other = await shop.api.register_merchant()
    await open_account(other, OTHER_CNPJ)
    await earn(other, 100)
    for each in (shop, other):
        await create_withdrawal(each)
    await sql.run(database, "update simulator_transfers set status = 'done'")
    clock.advance(FIRST_CHECK_AFTER)
    engines.test.scenario.plan("read_transfer", Behaviour.unavailable)
    assert await recover_withdrawals(job(services)) == 0
    assert await sql.value(database, "select sum(attempts) from withdrawals") == 1
    assert await recover_withdrawals(job(services)) == 1
    clock.advance(FIRST_WAIT)
    assert await recover_withdrawals(job(services)) == 1


async def test_the_cli_simulates_the_bank(shop: Merchant, services: Services, database: Database) -> None:
    made = await create_withdrawal(shop)
    assert await simulate_transfer_result(job(services), made["id"], succeeds=False) == "applied"
    assert (await read(shop, made))["status"] == "rejected"
    third = await create_withdrawal(shop)
    assert await send_notification(shop.api, transfer_notice(third, value=40)) == "applied"  # By our reference only.
    assert (await read(shop, third))["status"] == "completed"
    second = await create_withdrawal(shop)
    assert await simulate_transfer_result(job(services), (await transfer_of(database, second)).upper()) == "applied"
    assert (await read(shop, second))["status"] == "completed"
    with pytest.raises(NotFound):
        await simulate_transfer_result(job(services), "nada")
    await sql.run(database, "update withdrawals set engine = 'asaas'")
    with pytest.raises(Conflict):
        await simulate_transfer_result(job(services), made["id"])


# ---- A bank that asks first


async def test_only_our_transfers_are_authorized(shop: Merchant, database: Database) -> None:
    made = await create_withdrawal(shop)
    engine_id = await transfer_of(database, made)

    async def ruling(token: str = TOKEN, **transfer: Any) -> Any:
        result = {"id": engine_id, "externalReference": made["id"], "value": 40.0, **transfer}
        return await shop.api.client.post(
            "/engine/transfers/simulator",
            content=orjson.dumps({"type": "TRANSFER", "transfer": result}),
            headers={"asaas-access-token": token},
        )

    yes = await ruling()
    assert (yes.status_code, yes.json()) == (200, {"status": "APPROVED"})
    assert (await ruling(externalReference=None)).json() == {"status": "APPROVED"}
    no = {"status": "REFUSED", "refuseReason": "Transferência não reconhecida."}
    for lie in ({"value": 40.01}, {"value": None}, {"id": "other"}, {"id": None, "externalReference": "x"}):
        refused = await ruling(**lie)
        assert (refused.status_code, refused.json()) == (200, no), lie
    assert (await ruling(LIVE_TOKEN)).json() == no
    assert (await ruling("wrong")).status_code == 401
    await finish(shop, made)
    assert (await ruling()).json() == no


# ---- Staff


async def test_staff_completes_and_refuses_once(shop: Merchant, staff: Merchant, database: Database) -> None:
    made = await create_withdrawal(shop)
    await shop.api.get("/auth/me", token=staff.key)  # The first use of a key in a minute is recorded.
    before = await fingerprint(database)
    for caller in (shop.token, shop.key, staff.key):
        answer = await shop.api.post(f"/admin/withdrawals/{made['id']}/concluir", token=caller)
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")
    assert (await decide(staff, made, "recusar")).status_code == 400
    assert await fingerprint(database) == before
    answers = await asyncio.gather(*(decide(staff, made, "concluir") for _ in range(10)))
    assert sorted({answer.status_code for answer in answers}) in ([200], [200, 409])
    done = await read(shop, made)
    assert (done["status"], len(done["end_to_end_id"])) == ("completed", 32)
    assert {answer.json()["data"]["status"] for answer in answers if answer.status_code == 200} == {"completed"}
    assert (await decide(staff, made, "recusar", motivo="x")).status_code == 409

    refused = await create_withdrawal(shop)
    answer = await decide(staff, refused, "recusar", motivo="Chave de outra pessoa.")
    assert (answer.status_code, answer.json()["data"]["reject_reason"]) == (200, "Chave de outra pessoa.")
    assert await sql.value(
        database, "select status from simulator_transfers where external_reference = $1", refused["id"]
    ) == ("failed")
    assert (await decide(staff, refused, "concluir")).status_code == 409
    assert (await summary(shop))["available_amount"] == 60.0
    assert await events(database) == ["withdrawal.completed", "withdrawal.rejected"]
    acts = await sql.rows(
        database,
        "select actor_type, actor_id, store_id from audit_trail where action in "
        "('withdrawal.completed', 'withdrawal.rejected')",
    )
    assert [tuple(act) for act in acts] == [("staff", staff.id, shop.id)] * 2


async def test_staff_cannot_decide_about_their_own_store(
    shop: Merchant, staff: Merchant, services: Services, database: Database
) -> None:
    made = await create_withdrawal(shop)
    await sql.run(database, "update withdrawals set user_id = $1", staff.id)
    before = await fingerprint(database)
    for decision, body in (("concluir", {}), ("recusar", {"motivo": "x"})):
        answer = await decide(staff, made, decision, **body)
        assert (answer.status_code, answer.json()["error"].get("codigo")) == (403, None)
    assert await fingerprint(database) == before
    refusals = await sql.value(database, "select count(*) from audit_trail where action = 'permission.refused'")
    assert refusals == 2


async def test_the_engines_state_overrides_staff(
    shop: Merchant, staff: Merchant, engines: Engines, database: Database
) -> None:
    first = await create_withdrawal(shop, 10)
    await sql.run(database, "update simulator_transfers set status = 'failed'")
    answer = await decide(staff, first, "concluir")
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "Este saque já foi recusado.")
    assert (await read(shop, first))["reject_reason"] == FAILED

    second = await create_withdrawal(shop, 10)
    await sql.run(
        database, "update simulator_transfers set status = 'done' where external_reference = $1", second["id"]
    )
    answer = await decide(staff, second, "recusar", motivo="x")
    assert (answer.status_code, answer.json()["error"]["message"]) == (409, "Este saque já foi concluído.")

    third = await create_withdrawal(shop, 10)
    for how, status in ((Behaviour.unavailable, 502), (Behaviour.refuse, 409), (Behaviour.timeout_after, 502)):
        engines.test.scenario.plan("cancel_transfer", how)
        assert (await decide(staff, third, "recusar", motivo="x")).status_code == status
        assert (await read(shop, third))["status"] == "processing"
    engines.test.scenario.plan("read_transfer", Behaviour.unavailable)
    assert (await decide(staff, third, "concluir")).status_code == 502
    # The response was lost, but the engine had canceled it.
    answer = await decide(staff, third, "recusar", motivo="Duplicado.")
    assert (answer.status_code, answer.json()["data"]["reject_reason"]) == (200, "Duplicado.")


class Bank:
    """An engine with a real bank, on whose behalf staff cannot decide."""

    has_bank = True

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def cancel_transfer(self, engine_id: str, account: Account | None = None) -> EngineTransfer:  # noqa: ARG002  # The port's method.
        raise EngineRefused("the bank is at it")


async def test_staff_decides_alone_only_where_the_bank_has_no_transfer(
    shop: Merchant, staff: Merchant, services: Services, engines: Engines, clock: MovedClock, database: Database
) -> None:
    banked = replace(services, engines=Engines(test=Bank(engines.test), live=engines.live))
    async with Api.of(Gateway(banked.settings, banked)) as api:
        clerk = Merchant(api, staff.id, staff.email, staff.token, staff.key, staff.key_id)
        known = await create_withdrawal(shop, 10)
        assert (await decide(clerk, known, "concluir")).status_code == 409
        assert (await decide(clerk, known, "recusar", motivo="x")).status_code == 409
        assert (await read(shop, known))["status"] == "processing"
        await finish(shop, known)

        engines.test.scenario.plan("create_transfer", Behaviour.timeout_before)
        lost = await create_withdrawal(shop, 10)
        assert (await decide(clerk, lost, "recusar", motivo="x")).status_code == 409  # It may still be in progress.
        clock.advance(NEW_ORDER_AGE)
        assert await recover_withdrawals(job(banked)) == 0  # A failed look-up is no proof, so staff has to decide.
        assert (await read(shop, lost))["status"] == "pending"
        assert (await decide(clerk, lost, "concluir", end_to_end_id="E1")).status_code == 400
        answer = await decide(clerk, lost, "concluir", end_to_end_id=PROOF)
        assert (answer.status_code, answer.json()["data"]["end_to_end_id"]) == (200, PROOF)

        engines.test.scenario.plan("create_transfer", Behaviour.timeout_before)
        gone = await create_withdrawal(shop, 10)
        clock.advance(NEW_ORDER_AGE)
        assert (await decide(clerk, gone, "recusar", motivo="Não chegou ao banco.")).status_code == 200
    assert (await summary(shop))["available_amount"] == 80.0
    assert await sql.value(database, "select count(*) from simulator_transfers") == 1


# ---- Lists


async def test_lists_and_csv(shop: Merchant, staff: Merchant, database: Database, clock: MovedClock) -> None:
    first = await create_withdrawal(shop, 10, description="=1+1", external_reference="r-1")
    await finish(shop, first)
    clock.advance(timedelta(seconds=1))
    second = await create_withdrawal(shop, 20.5, external_reference="r-2")

    async def found(query: str = "", caller: Merchant = shop, path: str = "/withdrawals") -> list[str]:
        answer = await shop.api.get(path + query, token=caller.token)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["data"]]

    both = [second["id"], first["id"]]
    assert await found() == both
    assert await found("?sort=amount&limit=1&page=2") == both[:1]
    assert await found("?status=completed") == await found("?external_reference=r-1") == [first["id"]]
    assert await found(f"?q={KEY['pix_key']}&created_to=2099-01-01") == both
    assert await found("?q=r-2") == [second["id"]]
    for bad in ("?status=pago", "?limit=101", "?created_from=ontem", "?sort=pix_key"):
        assert (await shop.api.get("/withdrawals" + bad, token=shop.key)).status_code == 400
    other = await shop.api.register_merchant()
    assert await found(caller=other) == []
    assert (await shop.api.get(f"/withdrawals/{first['id']}", token=other.key)).status_code == 404

    every = "/admin/withdrawals"
    assert await found(caller=staff, path=every) == both
    assert await found(f"?store_id={shop.id}&environment=test&status=processing", staff, every) == [second["id"]]
    assert await found(f"?store_id={other.id}", staff, every) == await found("?environment=live", staff, every) == []
    result = (await shop.api.get(every + "?limit=1", token=staff.token)).json()
    assert (result["pagination"]["total"], result["data"][0]["store_name"]) == (2, "Loja da Ana")
    assert result["data"][0]["engine_id"] == await transfer_of(database, second)
    query = "{ storeWithdrawals(filter: {environment: test}) { totalCount edges { node { id storeName } } } }"
    assert (await shop.api.graphql(query, token=staff.token))["data"]["storeWithdrawals"]["totalCount"] == 2

    file = await shop.api.get("/withdrawals?sort=created_at", token=shop.key, accept="text/csv")
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(file.text, newline=""), strict=True))
    assert [(row["id"], row["status"], row["amount"], row["net_amount"]) for row in rows] == [
        (first["id"], "completed", "10.00", "10.00"),
        (second["id"], "processing", "20.50", "20.50"),
    ]
    assert rows[0]["description"] == "'=1+1"
    assert await sql.value(database, "select count(*) from audit_trail where action = 'withdrawal.exported'") == 1


async def test_both_transports_behave_alike(shop: Merchant, staff: Merchant) -> None:
    fields = "id status amount feeAmount netAmount pixKey pixKeyType rejectReason endToEndId"
    mutation = f"mutation($i: RequestWithdrawalInput!) {{ requestWithdrawal(input: $i) {{ {fields} }} }}"
    order = {"amount": 12.5, "pixKey": "(11) 98765-4321", "pixKeyType": "phone"}
    answer = await shop.api.graphql(mutation, token=shop.key, i=order, headers={"idempotency_key": "k"})
    made = answer["data"]["requestWithdrawal"]
    assert made | {"id": ""} == {
        "id": "",
        "status": "processing",
        "amount": 12.5,
        "feeAmount": 0.0,
        "netAmount": 12.5,
        "pixKey": "+5511987654321",
        "pixKeyType": "phone",
        "rejectReason": None,
        "endToEndId": None,
    }
    replay = await request_withdrawal(shop, 12.5, pix_key=order["pixKey"], pix_key_type="phone", idempotency_key="k")
    assert (replay.json()["data"]["id"], replay.headers["idempotent-replayed"]) == (made["id"], "true")
    again = await shop.api.graphql(mutation, token=shop.key, i=order)
    assert again["errors"][0]["extensions"] == {"codigo": "SAQUE_EM_ANDAMENTO", "status": 409, "id": made["id"]}
    refuse = f'mutation {{ refuseWithdrawal(id: "{made["id"]}", motivo: "Não.") {{ {fields} }} }}'
    result = (await shop.api.graphql(refuse, token=staff.token))["data"]["refuseWithdrawal"]
    assert (result["status"], result["rejectReason"]) == ("rejected", "Não.")
    seen = "{ withdrawalSummary { availableAmount modo } withdrawals { edges { node { status } } } }"
    data = (await shop.api.graphql(seen, token=shop.key))["data"]
    assert data["withdrawalSummary"] == {"availableAmount": 100.0, "modo": "subconta"}
    assert data["withdrawals"]["edges"] == [{"node": {"status": "rejected"}}]


def test_every_final_transfer_state_has_a_withdrawal_status() -> None:
    assert set(TransferState) == {"pending", "done", "failed"}
