"""Charges of the engine `bcb`: requests, states, BR Codes, and what each answer of a bank means."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.integrations.banks.profiles import Bank
from gateway.integrations.engines.br_code import parse
from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import EngineCharge, EngineState
from tests.engines.engine_fixtures import BcbHarness, bank_settings, bcb_engine
from tests.engines.fake_bcb import FakeBcb, Manners, conflict, dropped, empty, html, problem, soap, throttled
from tests.engines.fake_http import JSON_TYPE, Fault, Json
from tests.engines.sample_requests import PAYER, new_charge
from tests.fake_clock import MovedClock

PUT, GET, PATCH = "PUT /cob/{id}", "GET /cob/{id}", "PATCH /cob/{id}"
SENTENCE = "Pedido 1 com entrega em até três dias úteis. "


async def read(harness: BcbHarness, txid: str) -> EngineCharge:
    found = await harness.engine.read_charge(txid)
    assert found
    return found


async def test_the_request_has_what_the_standard_takes(bcb: BcbHarness, clock: MovedClock) -> None:
    wanted = new_charge(expires_at=clock.now() + timedelta(minutes=30), description=SENTENCE * 10)
    made = await bcb.engine.create_charge(wanted)
    call = bcb.fake.last(PUT)
    assert call.id == made.id == wanted.txid
    assert call.body == {
        "calendario": {"expiracao": 1800},
        "devedor": {"nome": "José Pagador", "cpf": "52998224725"},
        "valor": {"original": "129.90"},
        "chave": bcb.fake.bank.key,
        "solicitacaoPagador": (SENTENCE * 10)[:140].strip(),
    }


@pytest.mark.parametrize(
    ("changes", "debtor"),
    [
        ({"document": "11222333000181"}, {"nome": "José Pagador", "cnpj": "11222333000181"}),
        ({"name": ""}, None),
        ({"document": None}, None),
        ({"name": "N" * 300}, {"nome": "N" * 200, "cpf": "52998224725"}),
    ],
)
async def test_a_payer_is_sent_with_name_and_document_or_not_at_all(
    bcb: BcbHarness, changes: dict[str, Any], debtor: Json | None
) -> None:
    await bcb.engine.create_charge(new_charge(payer=replace(PAYER, **changes)))
    assert (bcb.fake.last(PUT).body or {}).get("devedor") == debtor


@pytest.mark.parametrize(("until", "seconds"), [(timedelta(seconds=5), 60), (timedelta(days=40_000), 2**31 - 1)])
async def test_the_expiry_stays_in_the_banks_range(
    bcb: BcbHarness, clock: MovedClock, until: timedelta, seconds: int
) -> None:
    await bcb.engine.create_charge(new_charge(expires_at=clock.now() + until))
    assert (bcb.fake.last(PUT).body or {})["calendario"] == {"expiracao": seconds}


# ---- States

NONE, ALL, PART = 0, 12990, 5000
STATES: dict[str, tuple[str, int, int, EngineState, int | None]] = {
    "unpaid": ("ATIVA", NONE, NONE, EngineState.pending, None),
    "paid, and still active": ("ATIVA", ALL, NONE, EngineState.paid, ALL),
    "returned, and still active": ("ATIVA", ALL, ALL, EngineState.refunded, ALL),
    "paid": ("CONCLUIDA", ALL, NONE, EngineState.paid, ALL),
    "paid with another amount": ("CONCLUIDA", PART, NONE, EngineState.paid, PART),
    "partly returned": ("CONCLUIDA", ALL, PART, EngineState.paid, ALL),
    "returned": ("CONCLUIDA", ALL, ALL, EngineState.refunded, ALL),
    "completed, and no payment shown yet": ("CONCLUIDA", NONE, NONE, EngineState.paid, ALL),
    "removed by us": ("REMOVIDA_PELO_USUARIO_RECEBEDOR", NONE, NONE, EngineState.retired, None),
    "removed by the bank": ("REMOVIDA_PELO_PSP", NONE, NONE, EngineState.retired, None),
    "removed after its payment": ("REMOVIDA_PELO_PSP", ALL, NONE, EngineState.paid, ALL),
}


@pytest.mark.parametrize(("status", "paid", "returned", "state", "paid_amount"), STATES.values(), ids=STATES)
async def test_payments_and_returns_decide_the_state(
    bcb: BcbHarness, status: str, paid: int, returned: int, state: EngineState, paid_amount: int | None
) -> None:
    made = await bcb.engine.create_charge(new_charge())
    if paid:
        pix = bcb.fake.bank.pay(made.id, amount=paid)
        bcb.fake.bank.refund(pix["endToEndId"], 100, status="NAO_REALIZADO")
        bcb.fake.bank.refund(pix["endToEndId"], 100, status="EM_PROCESSAMENTO")
        if returned:
            bcb.fake.bank.refund(pix["endToEndId"], returned)
    bcb.fake.bank.cobs[made.id].status = status
    found = await read(bcb, made.id)
    assert (found.state, found.paid_amount, found.amount) == (state, paid_amount, ALL)
    assert (found.end_to_end_id, found.paid_at is None) == (pix["endToEndId"] if paid else None, not paid)


async def test_several_payments_are_added(bcb: BcbHarness) -> None:
    made = await bcb.engine.create_charge(new_charge())
    first = bcb.fake.bank.pay(made.id)
    bcb.fake.bank.pay(made.id)
    found = await read(bcb, made.id)
    assert (found.paid_amount, found.end_to_end_id) == (2 * ALL, first["endToEndId"])


@pytest.mark.parametrize(
    "changes",
    [{"status": "EM_ANALISE"}, {"txid": "x" * 32}, {"valor": {"original": 129.9}}, {"valor": None}],
    ids=["an unknown status", "another txid", "an amount that is no text", "no amount"],
)
async def test_an_unclear_answer_decides_nothing(bcb: BcbHarness, changes: Json) -> None:
    wanted = new_charge()
    made = await bcb.engine.create_charge(wanted)
    shown = bcb.fake.bank._shown(bcb.fake.bank.cobs[made.id]) | changes
    unclear = Fault(200, json.dumps(shown).encode(), JSON_TYPE)
    bcb.fake.plan(GET, unclear, unclear)
    for question in (bcb.engine.read_charge(made.id), bcb.engine.find_charge(wanted.external_reference, wanted.txid)):
        with pytest.raises(EngineUnavailable):
            await question
    bcb.fake.plan(PUT, unclear)
    with pytest.raises(EngineOutcomeUnknown):
        await bcb.engine.create_charge(wanted)


async def test_a_removed_charge_is_not_found_and_a_paid_one_is(bcb: BcbHarness) -> None:
    wanted = new_charge()
    made = await bcb.engine.create_charge(wanted)
    await bcb.engine.cancel_charge(made.id)
    assert bcb.fake.last(PATCH).body == {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}
    assert await bcb.engine.find_charge(wanted.external_reference, wanted.txid) is None
    bcb.fake.bank.pay(made.id)
    found = await bcb.engine.find_charge(wanted.external_reference, wanted.txid)
    assert found
    assert (found.state, found.external_reference) == (EngineState.paid, wanted.external_reference)


# ---- Orders that are repeated


async def test_a_repeated_order_creates_nothing_twice(bcb: BcbHarness) -> None:
    wanted = new_charge()
    assert await bcb.engine.create_charge(wanted) == await bcb.engine.create_charge(wanted)
    assert await bcb.count("charges") == 1


async def test_a_known_txid_is_adopted_if_it_is_the_same_charge(bcb: BcbHarness) -> None:
    wanted = new_charge()
    made = await bcb.engine.create_charge(wanted)
    bcb.fake.plan(PUT, conflict())
    assert await bcb.engine.create_charge(wanted) == made
    bcb.fake.bank.pay(made.id)
    paid = await bcb.engine.create_charge(wanted)
    assert paid.state is EngineState.paid, "the bank refuses to revise it"
    bcb.fake.plan(PUT, conflict())
    with pytest.raises(EngineRefused):
        await bcb.engine.create_charge(replace(wanted, amount=100))
    bcb.fake.plan(PUT, conflict())
    bcb.fake.plan(GET, html(503))
    with pytest.raises(EngineOutcomeUnknown):
        await bcb.engine.create_charge(wanted)


# ---- Errors

ANSWERS: dict[str, tuple[Fault, type[EngineError], type[EngineError] | None]] = {
    "a refusal": (problem(), EngineRefused, EngineRefused),
    "422": (Fault(422, b"{}", JSON_TYPE), EngineRefused, EngineRefused),
    "a problem whose status is a text": (problem(status_as_text=True), EngineRefused, EngineRefused),
    "a scope that is missing": (problem("AcessoNegado", 403), EngineMisconfigured, EngineMisconfigured),
    "no such charge": (problem("CobNaoEncontrado", 404), EngineRefused, None),
    "gone": (Fault(410), EngineRefused, None),
    "no such charge, by Efí": (Fault(404, b'{"nome": "cobranca_nao_encontrada"}'), EngineRefused, None),
    "a proxy's 404": (html(404), EngineRefused, EngineUnavailable),
    "a gateway's JSON 404": (Fault(404, b'{"message": "no Route matched"}'), EngineRefused, EngineUnavailable),
    "a quota": (throttled(), EngineBusy, EngineBusy),
    "a time-out": (Fault(408), EngineOutcomeUnknown, EngineUnavailable),
    "SOAP": (soap(), EngineOutcomeUnknown, EngineUnavailable),
    "out of order": (problem("ServicoIndisponivel", 503), EngineOutcomeUnknown, EngineUnavailable),
    "HTML of success": (html(200), EngineOutcomeUnknown, EngineUnavailable),
    "an empty success": (empty(), EngineOutcomeUnknown, EngineUnavailable),
    "a redirect": (Fault(302), EngineMisconfigured, EngineMisconfigured),
    "a cut": (dropped(done=False), EngineOutcomeUnknown, EngineUnavailable),
}


@pytest.mark.parametrize(("fault", "of_write", "of_read"), ANSWERS.values(), ids=ANSWERS)
async def test_each_answer_of_a_bank_has_its_error(
    bcb: BcbHarness, fault: Fault, of_write: type[EngineError], of_read: type[EngineError] | None
) -> None:
    bcb.fake.plan(PUT, fault)
    with pytest.raises(EngineError) as refusal:
        await bcb.engine.create_charge(new_charge())
    assert isinstance(refusal.value, of_write)
    if of_write is EngineRefused:
        assert not isinstance(refusal.value, EngineMisconfigured)


@pytest.mark.parametrize(("fault", "of_write", "of_read"), ANSWERS.values(), ids=ANSWERS)
async def test_each_answer_to_a_question_has_its_error(
    bcb: BcbHarness, fault: Fault, of_write: type[EngineError], of_read: type[EngineError] | None
) -> None:
    made = await bcb.engine.create_charge(new_charge())
    bcb.fake.plan(GET, fault)
    if of_read is None:
        assert await bcb.engine.read_charge(made.id) is None
    else:
        with pytest.raises(of_read):
            await bcb.engine.read_charge(made.id)


async def test_a_refusal_has_the_banks_reason(bcb: BcbHarness) -> None:
    body = b'{"type": "x/CobOperacaoInvalida", "title": "t", "status": 400, "violacoes": [{"razao": "Valor zerado."}]}'
    bcb.fake.plan(PUT, Fault(400, body, JSON_TYPE))
    with pytest.raises(EngineRefused) as refusal:
        await bcb.engine.create_charge(new_charge())
    assert refusal.value.reason == "Valor zerado."


async def test_a_malformed_charge_under_the_txid_is_not_the_requested_one(bcb: BcbHarness) -> None:
    bcb.fake.plan(PUT, problem())
    bcb.fake.plan(GET, Fault(200, b'{"valor": "1.00"}', JSON_TYPE))
    with pytest.raises(EngineRefused):
        await bcb.engine.create_charge(new_charge())


@pytest.mark.parametrize(
    ("fault", "error"), [(html(503), EngineUnavailable), (dropped(), EngineUnavailable), (problem(), None)]
)
async def test_a_removal_that_fails_is_reported_unless_it_is_too_late(
    bcb: BcbHarness, fault: Fault, error: type[EngineError] | None
) -> None:
    made = await bcb.engine.create_charge(new_charge())
    bcb.fake.plan(PATCH, fault)
    if error is None:
        await bcb.engine.cancel_charge(made.id)
    else:
        with pytest.raises(error):
            await bcb.engine.cancel_charge(made.id)


# ---- BR Codes

RECEIVER = {"receiver_name": "Loja da Ana", "receiver_city": "São Paulo"}


@pytest.mark.parametrize(
    ("manners", "changes", "built"),
    [
        (Manners(), {}, False),
        (Manners(code_field="brcode"), {}, False),
        (Manners(code_field="textoImagemQRcode"), {}, False),
        (Manners(code_field=None), RECEIVER, True),
        (Manners(damages_code=True), RECEIVER, True),
    ],
    ids=["standard", "Sicoob's", "Banco do Brasil's older", "a location only", "a damaged code"],
)
async def test_the_br_code_is_taken_or_built_from_the_location(
    tmp_path: Path, clock: MovedClock, manners: Manners, changes: dict[str, str], built: bool
) -> None:
    async with FakeBcb.running(tmp_path, manners) as fake:
        settings = bank_settings(fake, tmp_path, bank=Bank.generico, **changes)
        async with bcb_engine(settings, clock) as engine:
            wanted = new_charge()
            made = await engine.create_charge(wanted)
            code = parse(made.br_code)
            assert code.url == fake.bank.cobs[wanted.txid].location
            assert (code.merchant_name, code.amount) == (("Loja da Ana", ALL) if built else ("RECEBEDOR", None))
            assert await engine.find_charge(wanted.external_reference, wanted.txid) == made


async def test_a_location_without_the_receivers_name_gives_no_code(tmp_path: Path, clock: MovedClock) -> None:
    async with (
        FakeBcb.running(tmp_path, Manners(code_field=None)) as fake,
        bcb_engine(bank_settings(fake, tmp_path, bank=Bank.generico), clock) as engine,
    ):
        assert (await engine.create_charge(new_charge())).br_code == ""
