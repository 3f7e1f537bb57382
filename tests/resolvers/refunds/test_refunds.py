"""Refunds: what is allowed, what they change, and that each happens once."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.email.preview import preview_emails
from gateway.resolvers.refunds.recover import MAX_ATTEMPTS_UNSEEN, NEVER_ORDERED, recover_refunds
from gateway.values.engine_capabilities import Capability
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.members import join
from tests.resolvers.refunds.fixtures import available, charge_of, order_refund, paid_charge, read, refund
from tests.resolvers.withdrawals.fixtures import job, send_notification
from tests.simulators import Bank, with_engine
from tests.subscriptions.fixtures import wait_until_blocked


def error_of(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json()["error"].get("codigo")


async def at_the_bank(database: Database) -> list[tuple[int, str]]:
    rows = await sql.rows(database, "select amount, status from simulator_refunds order by created_at, return_id")
    return [(row["amount"], row["status"]) for row in rows]


async def recover_later(services: Services, clock: MovedClock) -> int:
    clock.advance(timedelta(hours=1, seconds=1))
    return await recover_refunds(job(services))


# ---- What a refund changes


async def test_the_whole_amount_is_refunded(merchant: Merchant, database: Database) -> None:
    charge = await paid_charge(merchant)
    events = await sql.value(database, "select count(*) from webhook_events")
    made = await refund(merchant, charge, reason="Desistência", external_reference="dev-1")
    assert set(made) == {
        *("id", "charge_id", "amount", "status", "reason", "return_id", "end_to_end_id", "external_reference"),
        *("reject_reason", "created_at", "completed_at", "rejected_at"),
    }
    assert (made["charge_id"], made["amount"], made["status"]) == (charge["id"], 100.0, "completed")
    assert (made["reason"], made["external_reference"]) == ("Desistência", "dev-1")
    assert (made["return_id"][0], len(made["return_id"])) == ("D", 32)
    assert made["end_to_end_id"] == charge["end_to_end_id"]
    assert made["completed_at"]
    assert await charge_of(merchant, charge) == ("refunded", 100.0)
    assert await available(merchant) == (0.0, 0.0)
    assert await read(merchant, f"/refunds/{made['id']}") == made
    assert await sql.value(database, "select count(*) from webhook_events") == events, "there is no event for it"
    actions = await sql.rows(database, "select action from audit_trail where action ~ 'refund' order by id")
    assert [row["action"] for row in actions] == ["refund.requested", "refund.completed", "charge.refunded"]


async def test_parts_are_refunded_until_nothing_is_left(merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    await refund(merchant, charge, amount=29.9)
    assert await charge_of(merchant, charge) == ("paid", 29.9)
    assert await available(merchant) == (70.1, 0.0)
    too_much = await order_refund(merchant, charge, amount=70.11)
    assert error_of(too_much) == (400, "VALOR_DEVOLVIDO")
    assert too_much.json()["error"]["disponivel"] == 70.1
    assert too_much.json()["error"]["campos"][0]["campo"] == "amount"
    rest = await refund(merchant, {"id": charge["id"]})
    assert rest["amount"] == 70.1
    assert await charge_of(merchant, charge) == ("refunded", 100.0)
    assert error_of(await order_refund(merchant, charge)) == (400, "VALOR_DEVOLVIDO")
    assert error_of(await order_refund(merchant, charge, amount=0.01)) == (400, "VALOR_DEVOLVIDO")


async def test_graphql_shows_the_refunds_of_a_charge(merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    mutation = """mutation($input: CreateRefundInput!) { createRefund(input: $input) {
        id status amount charge { id refundedAmount refunds { id amount } } } }"""
    made = [
        (await merchant.api.graphql(mutation, token=merchant.key, input={"txid": charge["txid"], "amount": amount}))
        for amount in (10, 20)
    ]
    last = made[-1]["data"]["createRefund"]
    assert (last["status"], last["amount"], last["charge"]["refundedAmount"]) == ("completed", 20, 30)
    assert [each["amount"] for each in last["charge"]["refunds"]] == [10, 20]
    query = '{ refunds(filter: {chargeId: "%s", status: completed}) { totalCount edges { node { id } } } }'
    found = (await merchant.api.graphql(query % charge["id"], token=merchant.key))["data"]["refunds"]
    assert found["totalCount"] == 2
    foreign = (await merchant.api.graphql(query % new_id(), token=merchant.key))["data"]["refunds"]
    assert foreign["totalCount"] == 0


async def test_the_payer_sees_it_on_the_receipt_and_in_an_email(services: Services) -> None:
    settings = services.settings.model_copy(update={"receipts_for_test": True})
    services = replace(services, settings=settings)
    async with Api.of(Gateway(settings, services)) as api:
        merchant = await api.register_merchant()
        charge = await paid_charge(merchant, customer_email="jose@example.com")
        made = await refund(merchant, charge, amount=40, reason="Uma peça veio com defeito")
        page = (await api.client.get(f"/pay/c/{charge['txid']}")).text
        assert "R$\u00a040,00" in page
        public = (await api.get(f"/checkout/{charge['txid']}")).json()["data"]
        assert (public["status"], public["refunded_amount"]) == ("paid", 40.0)
        [mail] = [each for each in await preview_emails(job(services)) if each.kind == "payer_refund"]
        assert mail.recipient == "jose@example.com"
        assert "Uma peça veio com defeito" in mail.text
        assert "R$ 40,00" in mail.subject
        await refund(merchant, charge)
        assert "Pagamento devolvido" in (await api.client.get(f"/pay/c/{charge['txid']}")).text
        assert made["status"] == "completed"


async def test_a_refund_that_the_payers_bank_rejects_changes_nothing(merchant: Merchant, services: Services) -> None:
    charge = await paid_charge(merchant)
    made = await refund(merchant, charge, simulate="rejected")
    assert (made["status"], made["completed_at"], made["return_id"]) == ("rejected", None, None)
    assert made["reject_reason"]
    assert made["rejected_at"]
    assert await charge_of(merchant, charge) == ("paid", 0.0)
    assert await available(merchant) == (100.0, 0.0)
    [mail] = [each for each in await preview_emails(job(services)) if each.kind == "refund_rejected"]
    assert mail.recipient == merchant.email
    assert (await refund(merchant, charge))["status"] == "completed"


# ---- What is not allowed


@pytest.mark.parametrize("status", ["pending", "expired", "canceled"])
async def test_an_unpaid_charge_is_not_refunded(merchant: Merchant, database: Database, status: str) -> None:
    charge = await merchant.issue()
    await sql.run(database, "update charges set status = $1 where id = $2", status, charge["id"])
    assert error_of(await order_refund(merchant, charge)) == (409, "COBRANCA_NAO_PAGA")


async def test_a_payment_is_refunded_for_ninety_days(merchant: Merchant, clock: MovedClock) -> None:
    charge = await paid_charge(merchant)
    clock.advance(timedelta(days=90) - timedelta(minutes=1))
    await refund(merchant, charge, amount=1)
    clock.advance(timedelta(minutes=2))
    assert error_of(await order_refund(merchant, charge, amount=1)) == (409, "PRAZO_DE_DEVOLUCAO")


async def test_an_engine_without_refunds_declares_it(services: Services, merchant: Merchant) -> None:
    class WithoutRefunds(Simulator):
        capabilities = Simulator.capabilities - {Capability.refunds}

    charge = await paid_charge(merchant)
    poorer = with_engine(services, WithoutRefunds)
    async with Api.of(Gateway(services.settings, poorer)) as api:
        answer = await order_refund(replace(merchant, api=api), charge)
        assert error_of(answer) == (409, "DEVOLUCAO_INDISPONIVEL")
        query = "query($id: ID!) { charge(id: $id) { actions } }"
        found = await api.graphql(query, token=merchant.token, id=charge["id"])
        assert "refund" not in found["data"]["charge"]["actions"]


async def dispute(merchant: Merchant, charge: dict[str, Any]) -> None:
    about = {"externalReference": charge["id"], "value": 100}
    notification = {"id": f"evt_{new_id()}", "event": "PAYMENT_CHARGEBACK_REQUESTED", "payment": about}
    assert await send_notification(merchant.api, notification) == "applied"


async def test_a_disputed_payment_is_not_refunded(merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    await dispute(merchant, charge)
    assert error_of(await order_refund(merchant, charge)) == (409, "DEVOLUCAO_INDISPONIVEL")


async def test_a_payment_disputed_while_the_refund_waits_for_its_charge_is_not_refunded(
    merchant: Merchant, database: Database
) -> None:
    charge = await paid_charge(merchant)
    async with database.transaction() as transaction:
        lock = "select from charges where id = $1 for no key update"
        await transaction.connection.execute(lock, charge["id"])
        ordered = asyncio.create_task(order_refund(merchant, charge))
        await wait_until_blocked(database, ordered)
        await dispute(merchant, charge)
    assert error_of(await ordered) == (409, "DEVOLUCAO_INDISPONIVEL")


async def test_another_stores_charge_is_not_found(api: Api, merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    other = await api.register_merchant()
    assert (await order_refund(other, charge)).status_code == 404
    assert (await merchant.api.post("/refunds", {"amount": 5}, token=merchant.key)).status_code == 400


async def test_the_txid_of_another_charge_is_refused(merchant: Merchant) -> None:
    charge, other = await paid_charge(merchant), await paid_charge(merchant)
    answer = await order_refund(merchant, charge, txid=other["txid"])
    assert answer.status_code == 404
    assert (await order_refund(merchant, charge, txid=charge["txid"])).status_code == 201
    assert await charge_of(merchant, other) == ("paid", 0.0)


async def test_roles_and_scopes(api: Api, merchant: Merchant) -> None:
    charge = await paid_charge(merchant)
    expected = {"admin": 201, "finance": 201, "operator": 403, "viewer": 403}
    for role, status in expected.items():
        person = await api.register_merchant()
        await join(merchant, person, role)
        order = {"charge_id": charge["id"], "amount": 1}
        answer = await api.post("/refunds", order, token=person.token, x_store=merchant.id)
        assert answer.status_code == status, role
    for scopes, status in ((["refunds"], 201), (["read", "charges", "withdrawals"], 403)):
        form = {"name": "x", "environment": "test", "scopes": scopes}
        key = (await api.post("/api-keys", form, token=merchant.token)).json()["data"]["key"]
        answer = await api.post("/refunds", {"charge_id": charge["id"], "amount": 1}, token=key)
        assert answer.status_code == status, scopes


@pytest.mark.parametrize("amount", [0, -1, 0.001, "dez", 1e12])
async def test_an_invalid_amount_is_a_field_error(merchant: Merchant, amount: Any) -> None:
    charge = await paid_charge(merchant)
    answer = await order_refund(merchant, charge, amount=amount)
    assert answer.status_code == 400
    assert answer.json()["error"]["campos"][0]["campo"] == "amount"


# ---- Exactly once


async def test_concurrent_refunds_never_exceed_the_payment(merchant: Merchant, database: Database) -> None:
    charge = await paid_charge(merchant)
    answers = await asyncio.gather(*(order_refund(merchant, charge, amount=30) for _ in range(10)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [400] * 7
    assert await charge_of(merchant, charge) == ("paid", 90.0)
    assert await at_the_bank(database) == [(3000, "done")] * 3


async def test_a_lost_response_is_looked_up_and_never_ordered_again(
    services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    charge = await paid_charge(merchant)
    scenario = services.engines.test.scenario  # type: ignore[attr-defined]  # The simulator's.
    scenario.plan("create_refund", Behaviour.timeout_after)
    made = await refund(merchant, charge, amount=60)
    assert made["status"] == "pending"
    assert await charge_of(merchant, charge) == ("paid", 0.0)
    assert await available(merchant) == (40.0, 60.0)
    assert error_of(await order_refund(merchant, charge, amount=40.01)) == (400, "VALOR_DEVOLVIDO")
    scenario.plan("list_refunds", Behaviour.unavailable)
    assert await recover_later(services, clock) == 0, "an unavailable engine proves nothing"
    assert await recover_later(services, clock) == 1
    assert (await read(merchant, f"/refunds/{made['id']}"))["status"] == "completed"
    assert await charge_of(merchant, charge) == ("paid", 60.0)
    assert await available(merchant) == (40.0, 0.0)
    assert await at_the_bank(database) == [(6000, "done")]
    assert await recover_later(services, clock) == 0


async def test_an_order_that_never_arrived_is_rejected(
    services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    charge = await paid_charge(merchant)
    banked = with_engine(services, Bank)
    banked.engines.test.scenario.plan("create_refund", Behaviour.timeout_before)  # type: ignore[attr-defined]  # As above.
    async with Api.of(Gateway(services.settings, banked)) as api:
        made = await refund(replace(merchant, api=api), charge)
        for _ in range(MAX_ATTEMPTS_UNSEEN - 1):
            assert await recover_later(banked, clock) == 0, "a bank may be late"
        assert await recover_later(banked, clock) == 1
    ended = await read(merchant, f"/refunds/{made['id']}")
    assert (ended["status"], ended["reject_reason"]) == ("rejected", NEVER_ORDERED)
    assert await at_the_bank(database) == []
    assert await available(merchant) == (100.0, 0.0)


async def test_a_refusal_leaves_nothing(services: Services, merchant: Merchant, database: Database) -> None:
    charge = await paid_charge(merchant)
    services.engines.test.scenario.plan("create_refund", Behaviour.refuse)  # type: ignore[attr-defined]  # As above.
    key = {"idempotency_key": "devolucao-1"}
    order = {"charge_id": charge["id"]}
    assert (await merchant.api.post("/refunds", order, token=merchant.key, **key)).status_code == 502
    assert await sql.value(database, "select count(*) from refunds") == 0
    assert await available(merchant) == (100.0, 0.0)
    again = await merchant.api.post("/refunds", order, token=merchant.key, **key)
    assert again.status_code == 201, "the key is free again"
    replayed = await merchant.api.post("/refunds", order, token=merchant.key, **key)
    assert replayed.json()["data"] == again.json()["data"]
    assert await at_the_bank(database) == [(10_000, "done")]


async def test_the_engines_notification_may_come_first(
    services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    charge = await paid_charge(merchant)
    services.engines.test.scenario.plan("create_refund", Behaviour.timeout_after)  # type: ignore[attr-defined]  # As above.
    made = await refund(merchant, charge)
    about = {"externalReference": charge["id"], "value": 100}
    notifications = [{"id": f"evt_{new_id()}", "event": "PAYMENT_REFUNDED", "payment": about} for _ in range(5)]
    await asyncio.gather(*(send_notification(merchant.api, notification) for notification in notifications))
    assert (await read(merchant, f"/refunds/{made['id']}"))["status"] == "completed"
    assert await charge_of(merchant, charge) == ("refunded", 100.0)
    assert await available(merchant) == (0.0, 0.0)
    assert await recover_later(services, clock) == 0
    assert await sql.value(database, "select count(*) from reconciliation_discrepancies") == 0


async def test_a_partial_refund_of_ones_own_is_no_difference(merchant: Merchant, database: Database) -> None:
    charge, other = await paid_charge(merchant), await paid_charge(merchant)
    await refund(merchant, charge, amount=30)
    for each in (charge, other):
        about = {"externalReference": each["id"], "value": 100}
        notification = {"id": f"evt_{new_id()}", "event": "PAYMENT_PARTIALLY_REFUNDED", "payment": about}
        await send_notification(merchant.api, notification)
    found = await sql.rows(database, "select charge_id, kind from reconciliation_discrepancies")
    assert [(str(row["charge_id"]), row["kind"]) for row in found] == [(other["id"], "partial_refund")]
