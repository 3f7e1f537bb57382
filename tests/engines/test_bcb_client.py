"""HTTPS to a bank: access tokens, quotas, client certificates, and the profiles."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from gateway.integrations.banks.profiles import SCOPES, Bank
from gateway.integrations.engines.bcb.client import (
    DEFAULT_BACKOFF_SECONDS,
    TOKEN_MARGIN_SECONDS,
    TOKEN_RETRY_SECONDS,
)
from gateway.integrations.engines.bcb.connection import CHECK_SECONDS
from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.http_client import MAX_WAIT_SECONDS
from gateway.telemetry import REGISTRY
from gateway.values.clock import SystemClock
from tests.engines.certificates import Authority
from tests.engines.engine_fixtures import TOKEN, BcbHarness, bank_settings, bcb_engine
from tests.engines.fake_bcb import FakeBcb, Manners, dropped, html, problem, throttled
from tests.engines.fake_http import JSON_TYPE, Fault
from tests.engines.sample_requests import new_charge
from tests.fake_clock import MovedClock

TOKENS, GET = "POST /oauth/token", "GET /cob/{id}"
REFUSED = Fault(401, b'{"error": "invalid_client"}', JSON_TYPE)


class Monotonic:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def monotonic() -> Monotonic:
    return Monotonic()


@pytest.fixture
async def timed(fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock, monotonic: Monotonic) -> Any:
    """The engine with a clock that stands still."""
    async with bcb_engine(bank_settings(fake_bank, tmp_path), clock, monotonic=monotonic) as engine:
        yield BcbHarness(engine, fake_bank)


# ---- Tokens


async def test_concurrent_calls_share_one_token(timed: BcbHarness, monotonic: Monotonic) -> None:
    await asyncio.gather(*(timed.engine.read_charge("x" * 32) for _ in range(15)))
    assert timed.fake.call_count(TOKENS) == 1
    monotonic.seconds += timed.fake.bank.manners.token_seconds - TOKEN_MARGIN_SECONDS - 1
    await timed.engine.read_charge("x" * 32)
    assert timed.fake.call_count(TOKENS) == 1
    monotonic.seconds += 1
    await asyncio.gather(*(timed.engine.read_charge("x" * 32) for _ in range(15)))
    assert timed.fake.call_count(TOKENS) == 2


async def test_a_token_that_the_bank_forgot_is_replaced_once(bcb: BcbHarness) -> None:
    made = await bcb.engine.create_charge(new_charge())
    bcb.fake.revoke_tokens()
    assert await bcb.engine.read_charge(made.id)
    assert bcb.fake.call_count(TOKENS) == 2
    bcb.fake.plan(GET, *[problem("AcessoNegado", 401)] * 2)
    with pytest.raises(EngineMisconfigured):
        await bcb.engine.read_charge(made.id)
    assert bcb.fake.call_count(TOKENS) == 3
    assert not bcb.engine.responding


async def test_a_refused_client_is_not_repeated_at_once(timed: BcbHarness, monotonic: Monotonic) -> None:
    timed.fake.plan(TOKENS, REFUSED)

    async def read() -> type[Exception] | None:
        try:
            await timed.engine.read_charge("x" * 32)
        except EngineError as error:
            return type(error)
        return None

    assert set(await asyncio.gather(*(read() for _ in range(5)))) == {EngineMisconfigured}
    assert (await read(), timed.fake.call_count(TOKENS)) == (EngineMisconfigured, 1)
    monotonic.seconds += TOKEN_RETRY_SECONDS
    assert (await read(), timed.fake.call_count(TOKENS)) == (None, 2)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (html(503), EngineUnavailable),
        (dropped(done=False), EngineUnavailable),
        (Fault(200, b"{}"), EngineUnavailable),
        (throttled(), EngineBusy),
        (REFUSED, EngineMisconfigured),
    ],
)
async def test_without_a_token_no_order_was_sent(bcb: BcbHarness, fault: Fault, error: type[EngineError]) -> None:
    bcb.fake.plan(TOKENS, fault)
    with pytest.raises(error):
        await bcb.engine.create_charge(new_charge())
    assert bcb.fake.bank.cobs == {}
    assert not bcb.engine.responding or error is EngineBusy


async def test_a_caller_that_is_canceled_leaves_the_token_to_the_others(bcb: BcbHarness) -> None:
    bcb.fake.plan(TOKENS, Fault(200, b"", gated=True))
    first, second = (asyncio.create_task(bcb.engine.read_charge("x" * 32)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    bcb.fake.gate.set()
    with pytest.raises(EngineUnavailable):
        await second
    assert bcb.fake.call_count(TOKENS) == 1


# ---- Quotas


async def test_a_process_makes_so_many_calls_a_minute(
    fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock, monotonic: Monotonic
) -> None:
    settings = bank_settings(fake_bank, tmp_path, calls_per_minute=3)
    async with bcb_engine(settings, clock, monotonic=monotonic) as engine:
        for _ in range(2):
            await engine.read_charge("x" * 32)
        with pytest.raises(EngineBusy):
            await engine.create_charge(new_charge())
        monotonic.seconds += 60
        assert await engine.create_charge(new_charge())


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(throttled(30), 30), (throttled(), DEFAULT_BACKOFF_SECONDS), (Fault(503, headers={"retry-after": "7"}), 7)],
    ids=["429 that says how long", "429", "503 that says how long"],
)
async def test_a_bank_over_its_quota_is_left_alone(
    timed: BcbHarness, monotonic: Monotonic, fault: Fault, seconds: float
) -> None:
    timed.fake.plan(GET, fault)
    with pytest.raises(EngineError):
        await timed.engine.read_charge("x" * 32)
    calls = len(timed.fake.calls)
    monotonic.seconds += seconds - MAX_WAIT_SECONDS - 0.1
    with pytest.raises(EngineBusy):
        await timed.engine.read_charge("x" * 32)
    assert len(timed.fake.calls) == calls
    monotonic.seconds += MAX_WAIT_SECONDS + 0.1
    await timed.engine.read_charge("x" * 32)


# ---- Certificates


@pytest.mark.parametrize("form", ["PEM", "key apart", "encrypted key apart", "p12", "p12 with a password"])
async def test_a_certificate_is_read_in_each_form(
    fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock, form: str
) -> None:
    certificate = fake_bank.authority.client(name=form)
    file, key, password = tmp_path / "own", None, None
    if form.startswith("p12"):
        password = "segredo" if "password" in form else None
        file.write_bytes(certificate.p12(password or ""))
    elif form == "PEM":
        certificate.write(file)
    else:
        key, password = tmp_path / "own.key", "segredo" if "encrypted" in form else None
        file.write_bytes(certificate.pem)
        key.write_bytes(certificate.encrypted_key_pem(password) if password else certificate.key_pem)
    changes = {"certificate": file, "certificate_key": key, "certificate_password": password}
    async with bcb_engine(bank_settings(fake_bank, tmp_path, **changes), clock) as engine:
        await engine.create_charge(new_charge())
    assert fake_bank.calls[-1].certificate == form


@pytest.mark.parametrize("whose", ["expired", "another authority's"])
async def test_a_certificate_that_the_bank_refuses_needs_an_operator(
    fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock, whose: str
) -> None:
    expired = whose == "expired"
    certificate = fake_bank.authority.client(valid=timedelta(days=-1)) if expired else Authority("Other").client()
    file = certificate.write(tmp_path / "refused.pem")
    async with bcb_engine(bank_settings(fake_bank, tmp_path, certificate=file), clock) as engine:
        with pytest.raises(EngineMisconfigured, match="refuses the client certificate"):
            await engine.create_charge(new_charge())
    assert fake_bank.calls == []


async def test_a_bank_of_an_unknown_authority_is_not_reached(
    fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock
) -> None:
    async with bcb_engine(bank_settings(fake_bank, tmp_path, ca=None), clock) as engine:
        with pytest.raises(EngineUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
            await engine.create_charge(new_charge())


def expiry_metric() -> float | None:
    return REGISTRY.get_sample_value("gateway_bank_certificate_expiry_timestamp_seconds", {"environment": "test"})


async def test_a_replaced_certificate_is_used_without_a_restart(
    timed: BcbHarness, tmp_path: Path, monotonic: Monotonic
) -> None:
    await timed.engine.create_charge(new_charge())
    assert timed.fake.calls[-1].certificate == "A merchant"
    first = expiry_metric()
    assert first

    (tmp_path / "client.pem").write_bytes(timed.fake.authority.client().pem)
    monotonic.seconds += CHECK_SECONDS
    with structlog.testing.capture_logs() as logs:
        await timed.engine.create_charge(new_charge())
    assert [line["event"] for line in logs] == ["bank_certificate_not_reloaded"], "the key is not there yet"

    slow = asyncio.create_task(timed.engine.read_charge("x" * 32))
    timed.fake.plan(GET, Fault(404, b'{"title": ""}', gated=True))
    await asyncio.sleep(0)
    renewed = timed.fake.authority.client(name="Renewed", valid=timedelta(days=700))
    renewed.write(tmp_path / "client.pem")
    monotonic.seconds += CHECK_SECONDS
    await timed.engine.create_charge(new_charge())
    assert timed.fake.calls[-1].certificate == "Renewed"
    assert (expiry_metric() or 0) > first
    timed.fake.gate.set()
    assert await slow is None, "a call in progress ends on its own connection"


# ---- Profiles

PROFILES: dict[str, tuple[Manners, dict[str, Any]]] = {
    "bb": (
        Manners(created_status=200, required_query="gw-dev-app-key", local_time=True),
        {"bank": Bank.bb, "app_key": "chave"},
    ),
    "itau": (Manners(token_auth="body", required_header="x-correlationid"), {"bank": Bank.itau}),
    "bradesco": (Manners(created_status=200), {"bank": Bank.bradesco}),
    "santander": (
        Manners(token_auth="body", code_field=None),
        {"bank": Bank.santander, "receiver_name": "Ana", "receiver_city": "Campinas"},
    ),
    "inter": (
        Manners(token_auth="body", required_header="x-conta-corrente"),
        {"bank": Bank.inter, "account": "123456"},
    ),
    "sicoob": (
        Manners(token_auth="certificate", code_field="brcode", required_header="client_id"),
        {"bank": Bank.sicoob, "client_secret": None},
    ),
    "sicredi": (Manners(), {"bank": Bank.sicredi}),
    "efi": (Manners(token_auth="json"), {"bank": Bank.efi, "webhook_mtls": False}),
    "c6": (Manners(created_status=200, stays_active=True), {"bank": Bank.c6}),
    "banrisul": (Manners(token_auth="body"), {"bank": Bank.banrisul}),
    "generico": (Manners(), {"bank": Bank.generico}),
}


@pytest.mark.parametrize(("manners", "changes"), PROFILES.values(), ids=PROFILES)
async def test_a_charge_is_created_paid_and_removed_at_each_bank(
    tmp_path: Path, clock: MovedClock, manners: Manners, changes: dict[str, Any]
) -> None:
    async with FakeBcb.running(tmp_path, manners) as fake:
        has_versions = changes["bank"] in {Bank.sicredi, Bank.santander}
        url = fake.url.replace("v2", "{version}") if has_versions else fake.url
        async with bcb_engine(bank_settings(fake, tmp_path, url=url, **changes), clock) as engine:
            made, other = [await engine.create_charge(new_charge()) for _ in range(2)]
            fake.bank.pay(made.id)
            paid = await engine.read_charge(made.id)
            assert paid
            assert (paid.state, paid.paid_amount) == ("paid", made.amount)
            await engine.cancel_charge(other.id)
            removed = await engine.read_charge(other.id)
            assert removed
            assert removed.state == "retired"
            await engine.register_webhook()
            await engine.register_webhook()
            assert [result.text for result in await engine.check_health() if not result.ok] == []
        assert fake.bank.webhooks[fake.bank.key]["webhookUrl"] == (
            f"https://gateway.example.com/engine/notifications/bcb/{TOKEN}"
        )
        assert fake.call_count("PUT /webhook/{id}") == 1
        assert (fake.refused, fake.mistakes) == ([], [])
        skip = fake.last("PUT /webhook/{id}").headers.get("x-skip-mtls-checking")
        assert skip == ("true" if changes["bank"] is Bank.efi else None)
        if changes["bank"] is Bank.sicredi:
            assert {call.path[:8] for call in fake.calls if "cob" in call.route} == {"/pix/v3/"}


async def test_a_bank_without_simulated_payments_says_so(fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock) -> None:
    fake_bank.bank.manners.token_auth = "basic"
    async with bcb_engine(bank_settings(fake_bank, tmp_path, bank=Bank.generico), clock) as engine:
        made = await engine.create_charge(new_charge())
        with pytest.raises(EngineRefused) as refusal:
            await engine.confirm_test(made.id)
    assert refusal.value.reason.startswith("este banco não paga cobranças de teste")


# ---- The health check


async def health(harness: BcbHarness) -> dict[str, tuple[bool, bool]]:
    return {result.text: (result.ok, result.warning) for result in await harness.engine.check_health()}


async def test_the_health_check_names_what_is_missing(bcb: BcbHarness) -> None:
    bcb.fake.bank.manners.scopes = SCOPES.replace("pix.write ", "")
    found = await health(bcb)
    assert [ok for ok, _ in found.values()] == [True, False, True, True, False]
    assert any("doesn't grant pix.write" in text for text in found)
    assert any("register-webhook" in text for text in found)
    bcb.fake.plan("GET /pix", problem("AcessoNegado", 403))
    assert list((await health(bcb)).values())[-1] == (False, False)


@pytest.mark.parametrize(("seconds", "direction"), [(30, ""), (-30, ""), (300, "behind"), (-7200, "ahead of")])
async def test_a_clock_that_differs_by_more_than_a_minute_is_reported(
    fake_bank: FakeBcb, tmp_path: Path, seconds: int, direction: str
) -> None:
    fake_bank.clock_offset = timedelta(seconds=seconds)
    async with bcb_engine(bank_settings(fake_bank, tmp_path), SystemClock()) as engine:
        (result,) = [result for result in await engine.check_health() if "clock" in result.text]
    assert (result.ok, result.warning) == (not direction, bool(direction))
    (difference,) = map(int, re.findall(r"(\d+) s ", result.text))
    assert abs(difference - abs(seconds)) < 20
    assert f" s {direction} the bank's" in result.text or "within" in result.text


@pytest.mark.parametrize("date", ["", "yesterday"])
async def test_a_bank_without_a_date_is_no_fault(bcb: BcbHarness, date: str) -> None:
    answer = Fault(200, b'{"access_token": "t", "expires_in": 300}', {**JSON_TYPE, "date": date})
    bcb.fake.plan(TOKENS, answer)
    assert (await health(bcb))["the bank sends no Date header, so the clock is not checked"] == (True, False)


@pytest.mark.parametrize(("days", "ok", "warning"), [(31, True, False), (20, False, True), (5, False, False)])
async def test_a_certificate_that_expires_soon_is_reported(
    fake_bank: FakeBcb, tmp_path: Path, clock: MovedClock, days: int, ok: bool, warning: bool
) -> None:
    certificate = fake_bank.authority.client(valid=timedelta(days=days, hours=1)).write(tmp_path / "soon.pem")
    async with bcb_engine(bank_settings(fake_bank, tmp_path, certificate=certificate), clock) as engine:
        first = (await engine.check_health())[0]
    assert (first.ok, first.warning) == (ok, warning)
    assert f"in {days} days" in first.text
