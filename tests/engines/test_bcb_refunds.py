"""Refunds at a bank of the Central Bank's Pix API: returns (`devolucao`) under our id."""

import dataclasses
import json
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import Account, EngineCharge, EngineRefund
from gateway.models.engines import TransferState
from tests.engines.engine_fixtures import BcbHarness
from tests.engines.fake_bcb import dropped, empty, html, problem, soap, throttled
from tests.engines.fake_http import JSON_TYPE, Fault, Json
from tests.engines.sample_requests import new_charge, new_refund

PUT, GET = "PUT /pix/{id}/devolucao/{refund}", "GET /pix/{id}/devolucao/{refund}"
READ = "GET /pix/{id}"


async def paid(bcb: BcbHarness) -> EngineCharge:
    made = await bcb.engine.create_charge(new_charge())
    await bcb.pay(made.id)
    read = await bcb.engine.read_charge(made.id)
    assert read
    return read


async def listed(bcb: BcbHarness, charge: EngineCharge) -> list[EngineRefund]:
    return await bcb.engine.list_refunds(charge.id, charge.end_to_end_id)


def answer(**changes: Any) -> Fault:
    """A response to an order, of a refund that the bank does not have."""
    body = {
        "id": "0" * 32,
        "rtrId": "D" + "0" * 31,
        "valor": "1.00",
        "horario": {},
        "status": "EM_PROCESSAMENTO",
        **changes,
    }
    return Fault(201, json.dumps(body).encode(), JSON_TYPE)


async def test_a_refund_is_ordered_under_our_id(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    wanted = new_refund(charge, amount=2_990)
    made = await bcb.engine.create_refund(wanted)
    call = bcb.fake.last(PUT)
    assert call.path.endswith(f"/pix/{charge.end_to_end_id}/devolucao/{wanted.external_reference.replace('-', '')}")
    assert call.body == {"valor": "29.90", "descricao": "Produto esgotado"}
    assert (made.external_reference, made.amount, made.state) == (
        wanted.external_reference,
        2_990,
        TransferState.pending,
    )
    assert await listed(bcb, charge) == [made]


@pytest.mark.parametrize(("reason", "sent"), [(None, None), ("", None), (" ", None), ("ç" * 150, "ç" * 140)])
async def test_the_reason_is_a_description_of_at_most_140_characters(
    bcb: BcbHarness, reason: str | None, sent: str | None
) -> None:
    await bcb.engine.create_refund(new_refund(await paid(bcb), reason=reason))
    assert (bcb.fake.last(PUT).body or {}).get("descricao") == sent


async def test_a_bank_may_return_at_once(bcb: BcbHarness) -> None:
    bcb.fake.bank.manners.returns_at_once = True
    charge = await paid(bcb)
    made = await bcb.engine.create_refund(new_refund(charge))
    assert (made.state, len(made.return_id or "")) == (TransferState.done, 32)
    assert await listed(bcb, charge) == [made]


async def test_the_reason_of_a_return_that_is_not_made_is_sanitized(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    wanted = new_refund(charge)
    await bcb.engine.create_refund(wanted)
    reason = "Conta de 529.982.247-25\nencerrada"
    bcb.fake.bank.finish_return(charge.end_to_end_id or "", wanted.external_reference.replace("-", ""), reason=reason)
    [refund] = await listed(bcb, charge)
    assert (refund.state, refund.fail_reason) == (TransferState.failed, "Conta de [número] encerrada")


@pytest.mark.parametrize(
    "how",
    [
        {"refund_id": "d1"},
        {"refund_id": "z" * 32},
        {"refund_id": "0" * 31},
        {"refund_id": "0" * 32, "nature": "MED_FRAUDE"},
        {"refund_id": "0" * 32, "nature": "MED_OPERACIONAL"},
    ],
)
async def test_refunds_of_others_have_no_reference(bcb: BcbHarness, how: dict[str, str]) -> None:
    charge = await paid(bcb)
    bcb.fake.bank.refund(charge.end_to_end_id or "", 100, **how)
    assert [(each.external_reference, each.amount) for each in await listed(bcb, charge)] == [(None, 100)]
    read = await bcb.engine.read_charge(charge.id)
    assert read
    assert read.refunded_amount == 100


async def test_refunds_are_listed_without_an_end_to_end_id(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    made = await bcb.engine.create_refund(new_refund(charge))
    assert await bcb.engine.list_refunds(charge.id, None) == [made]


async def test_a_payment_without_an_end_to_end_id_is_not_refunded(bcb: BcbHarness) -> None:
    charge = replace(await paid(bcb), end_to_end_id=None)
    with pytest.raises(EngineRefused) as refusal:
        await bcb.engine.create_refund(new_refund(charge))
    assert "EndToEndId" in refusal.value.reason
    assert bcb.fake.call_count(PUT) == 0


async def test_a_merchants_account_is_refused(bcb: BcbHarness) -> None:
    account = Account("a", "secret")
    charge = await paid(bcb)
    with pytest.raises(EngineRefused):
        await bcb.engine.create_refund(new_refund(charge, account=account))
    with pytest.raises(EngineRefused):
        await bcb.engine.list_refunds(charge.id, charge.end_to_end_id, account)


# ---- An id that the bank has


async def test_an_order_that_is_repeated_returns_nothing_twice(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    wanted = new_refund(charge, amount=500)
    bcb.fake.plan(PUT, dropped(done=True))
    with pytest.raises(EngineOutcomeUnknown):
        await bcb.engine.create_refund(wanted)
    again = await bcb.engine.create_refund(wanted)
    assert await listed(bcb, charge) == [again]
    with pytest.raises(EngineRefused) as refusal:
        await bcb.engine.create_refund(replace(wanted, amount=501))
    assert refusal.value.reason
    assert await bcb.count("refunds") == 1


CONFLICTS = {
    "as Efí": Fault(409, b'{"nome": "id_devolucao_duplicado", "mensagem": "id ja utilizado"}', JSON_TYPE),
    "as the standard": problem("PixDevolucaoInvalida"),
    "of a kind of the bank's own": problem("devolucao_duplicada", 422),
    "without a body": empty(400, done=False),
}


@pytest.mark.parametrize("conflict", CONFLICTS.values(), ids=CONFLICTS)
async def test_a_refusal_leads_to_the_refund_that_the_bank_has(bcb: BcbHarness, conflict: Fault) -> None:
    charge = await paid(bcb)
    wanted = new_refund(charge, amount=500)
    bcb.fake.plan(PUT, dataclasses.replace(conflict, done=True), conflict)
    assert (await bcb.engine.create_refund(wanted)).external_reference == wanted.external_reference
    with pytest.raises(EngineRefused):
        await bcb.engine.create_refund(new_refund(charge, amount=500))
    assert await bcb.count("refunds") == 1


async def test_a_refusal_whose_id_cannot_be_read_leaves_the_outcome_unknown(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    bcb.fake.plan(PUT, problem("PixDevolucaoInvalida"))
    bcb.fake.plan(GET, html(503))
    with pytest.raises(EngineOutcomeUnknown):
        await bcb.engine.create_refund(new_refund(charge))


# ---- Failures

FAILURES: dict[str, tuple[Fault, type[Exception]]] = {
    "a page of a proxy": (html(502), EngineOutcomeUnknown),
    "SOAP": (soap(), EngineOutcomeUnknown),
    "no body": (empty(201, done=False), EngineOutcomeUnknown),
    "an unknown status": (answer(status="EM_ANALISE"), EngineOutcomeUnknown),
    "another id": (answer(), EngineOutcomeUnknown),
    "no amount": (answer(valor=None), EngineOutcomeUnknown),
    "a rate limit": (throttled(), EngineBusy),
    "a missing scope": (problem("AcessoNegado", 403), EngineMisconfigured),
    "an unknown Pix": (problem("PixNaoEncontrado", 404), EngineRefused),
}


@pytest.mark.parametrize(("fault", "error"), FAILURES.values(), ids=FAILURES)
async def test_a_failed_order_reports_if_the_refund_may_exist(
    bcb: BcbHarness, fault: Fault, error: type[Exception]
) -> None:
    charge = await paid(bcb)
    bcb.fake.plan(PUT, fault)
    with pytest.raises(error) as raised:
        await bcb.engine.create_refund(new_refund(charge))
    assert type(raised.value) is not EngineUnavailable
    assert await bcb.count("refunds") == 0


UNREADABLE: dict[str, Json] = {
    "an unknown status": {"status": "EM_ANALISE"},
    "no status": {"status": None},
    "an amount that is none": {"valor": "1,00"},
}


@pytest.mark.parametrize("changes", UNREADABLE.values(), ids=UNREADABLE)
async def test_refunds_that_cannot_be_read_are_an_error(bcb: BcbHarness, changes: Json) -> None:
    charge = await paid(bcb)
    refund = json.loads(answer(**changes).body)
    body = json.dumps({"endToEndId": charge.end_to_end_id, "valor": "129.90", "devolucoes": [refund]})
    bcb.fake.plan(READ, Fault(200, body.encode(), JSON_TYPE))
    with pytest.raises(EngineUnavailable):
        await listed(bcb, charge)


async def test_a_404_that_is_not_the_banks_own_does_not_mean_that_there_is_no_refund(bcb: BcbHarness) -> None:
    charge = await paid(bcb)
    bcb.fake.plan(READ, html(404))
    with pytest.raises(EngineUnavailable):
        await listed(bcb, charge)
