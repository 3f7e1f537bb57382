"""Refunds at Asaas: found by our id in their description."""

import json
from typing import Any

import pytest

from gateway.integrations.engines.asaas.mapping import refund_state
from gateway.integrations.engines.errors import (
    AccountRefused,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import EngineCharge, EngineRefund
from gateway.models.engines import TransferState
from tests.engines.engine_fixtures import AsaasHarness
from tests.engines.fake_asaas import Fault, dropped, empty, html, refusal
from tests.engines.fake_http import JSON_TYPE, Json
from tests.engines.sample_requests import new_charge, new_refund

POST, LIST = "POST /payments/{id}/refund", "GET /payments/{id}/refunds"


async def paid(asaas: AsaasHarness) -> EngineCharge:
    made = await asaas.engine.create_charge(new_charge())
    await asaas.pay(made.id)
    read = await asaas.engine.read_charge(made.id)
    assert read
    return read


async def listed(asaas: AsaasHarness, charge: EngineCharge) -> list[EngineRefund]:
    return await asaas.engine.list_refunds(charge.id, charge.end_to_end_id)


def answer(body: Json) -> Fault:
    return Fault(200, json.dumps(body).encode(), JSON_TYPE)


async def test_a_refund_is_ordered_with_our_id_in_its_description(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    wanted = new_refund(charge, amount=2_990)
    made = await asaas.engine.create_refund(wanted)
    assert asaas.fake.last(POST).body == {
        "value": 29.9,
        "description": f"Devolução {wanted.external_reference}: Produto esgotado",
    }
    assert (made.external_reference, made.amount, made.state) == (
        wanted.external_reference,
        2_990,
        TransferState.pending,
    )
    assert asaas.fake.call_count(LIST) == 0, "the answer has it"
    assert await listed(asaas, charge) == [made]


async def test_a_refund_without_a_reason_or_with_a_long_one_is_found(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    for reason in (None, "ç" * 140):
        wanted = new_refund(charge, amount=100, reason=reason)
        assert (await asaas.engine.create_refund(wanted)).external_reference == wanted.external_reference
        assert len((asaas.fake.last(POST).body or {})["description"]) <= 140


async def test_asaas_may_refund_at_once(asaas: AsaasHarness) -> None:
    asaas.fake.bank.refunds_at_once = True
    charge = await paid(asaas)
    made = await asaas.engine.create_refund(new_refund(charge, amount=100))
    assert (made.state, len(made.return_id or "")) == (TransferState.done, 32)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("PENDING", TransferState.pending),
        ("AWAITING_CRITICAL_ACTION_AUTHORIZATION", TransferState.pending),
        ("AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION", TransferState.pending),
        ("DONE", TransferState.done),
        ("CANCELLED", TransferState.failed),
        ("SOMETHING_NEW", TransferState.pending),
        (None, TransferState.pending),
    ],
)
def test_the_states_of_refunds(status: str | None, state: TransferState) -> None:
    assert refund_state({"status": status}) is state


@pytest.mark.parametrize("answered", [{}, {"refunds": None}, {"refunds": []}, {"refunds": [{"value": 1.0}]}])
async def test_a_refund_that_the_answer_does_not_have_is_looked_up(asaas: AsaasHarness, answered: Json) -> None:
    charge = await paid(asaas)
    wanted = new_refund(charge, amount=100)
    fault = answer(answered)
    asaas.fake.plan(POST, Fault(fault.status, fault.body, fault.headers, done=True))
    made = await asaas.engine.create_refund(wanted)
    assert (made.external_reference, asaas.fake.call_count(LIST)) == (wanted.external_reference, 1)


UNCLEAR: dict[str, tuple[Fault, Fault | None]] = {
    "a refund without an amount": (answer({"refunds": [{"status": "DONE"}]}), None),
    "no refund, also in the list": (answer({"refunds": []}), None),
    "no refund, and no list": (answer({}), html(503)),
    "no refund, and a list of an unknown charge": (answer({}), empty(404)),
    "no refund, and a lost list": (answer({}), dropped(done=False)),
    "a page of a proxy": (html(200), None),
}


@pytest.mark.parametrize(("answered", "looked_up"), UNCLEAR.values(), ids=UNCLEAR)
async def test_after_an_order_that_cannot_be_read_the_outcome_is_unknown(
    asaas: AsaasHarness, answered: Fault, looked_up: Fault | None
) -> None:
    charge = await paid(asaas)
    asaas.fake.plan(POST, answered)
    asaas.fake.plan(LIST, looked_up)
    with pytest.raises(EngineOutcomeUnknown):
        await asaas.engine.create_refund(new_refund(charge, amount=100))


async def test_a_short_balance_is_a_refusal_of_the_order_with_asaas_text(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    with pytest.raises(EngineRefused) as refused:
        await asaas.engine.create_refund(new_refund(charge))
    assert refused.value.reason == "Não há saldo suficiente em sua conta para estornar a cobrança."
    assert not isinstance(refused.value, AccountRefused), "the account receives all the same"


async def test_the_text_of_a_refusal_is_sanitized(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    asaas.fake.plan(POST, refusal(description="O CPF 529.982.247-25 não recebe."))
    with pytest.raises(EngineRefused) as refused:
        await asaas.engine.create_refund(new_refund(charge))
    assert refused.value.reason == "O CPF [número] não recebe."


async def test_all_pages_of_refunds_are_read(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    refunds = [{"status": "DONE", "value": 0.01, "description": None} for _ in range(150)]
    asaas.fake.bank.main.payments[charge.id]["refunds"] = refunds
    assert len(await listed(asaas, charge)) == 150
    read = await asaas.engine.read_charge(charge.id)
    assert read
    assert read.refunded_amount == 150


async def test_pages_without_an_end_are_an_error(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    asaas.fake.plan(LIST, *(answer({"data": [], "hasMore": True}) for _ in range(20)))
    with pytest.raises(EngineUnavailable):
        await listed(asaas, charge)


@pytest.mark.parametrize("description", [None, "", "Cliente desistiu", 5])
async def test_refunds_of_others_have_no_reference(asaas: AsaasHarness, description: Any) -> None:
    charge = await paid(asaas)
    refund = {"status": "DONE", "value": 1.0, "description": description, "endToEndIdentifier": "short"}
    asaas.fake.bank.main.payments[charge.id]["refunds"] = [refund]
    assert await listed(asaas, charge) == [EngineRefund(None, 100, TransferState.done)]


async def test_a_payment_that_names_no_refunds_says_nothing_of_them(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    assert charge.refunded_amount is None


async def test_refunds_that_cannot_be_read_are_an_error(asaas: AsaasHarness) -> None:
    charge = await paid(asaas)
    asaas.fake.plan(LIST, answer({"data": [{"status": "DONE", "value": "1,00"}]}))
    with pytest.raises(EngineUnavailable):
        await listed(asaas, charge)
