"""HTTP to Asaas: requests, error responses, and rate limits."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import httpx
import pytest

from gateway.integrations.engines.asaas import AsaasClient
from gateway.integrations.engines.asaas.client import RateLimits
from gateway.integrations.engines.errors import (
    EngineBusy,
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.http_client import MAX_CONCURRENT_CALLS
from gateway.models.database import Database
from tests.engines.engine_fixtures import AsaasHarness, asaas_engine
from tests.engines.fake_asaas import FakeAsaas, dropped, empty, fault, html, oversized, refusal, slow, throttled
from tests.engines.fake_asaas.faults import Fault
from tests.engines.sample_requests import COMPANY, new_charge
from tests.fake_clock import MovedClock


async def test_every_call_has_the_key_and_a_get_has_no_body(asaas: AsaasHarness) -> None:
    made = await asaas.engine.create_charge(new_charge())
    await asaas.engine.read_charge(made.id)
    key = asaas.fake.bank.main.key
    assert key.startswith("$")
    for call in asaas.fake.calls:
        assert call.headers["access_token"] == key
        assert call.headers["user-agent"] == "pix-gateway/2.0.0"
        assert call.headers["content-type"] == "application/json"
        assert (call.body is None) == (call.method == "GET")


async def test_the_request_for_a_charge_has_asaas_format(asaas: AsaasHarness) -> None:
    wanted = new_charge(amount=110_01)
    await asaas.engine.create_charge(wanted)
    sent = asaas.fake.last("POST /payments").body
    assert sent
    assert sent.pop("customer").startswith("cus_")
    assert len(sent.pop("dueDate")) == 10
    assert sent == {
        "billingType": "PIX",
        "value": 110.01,
        "description": "Pedido 1",
        "externalReference": wanted.external_reference,
    }
    payer = asaas.fake.last("POST /customers").body
    assert payer == {
        "name": "José Pagador",
        "cpfCnpj": "52998224725",
        "externalReference": "pix-gateway:52998224725",
        "notificationDisabled": True,
    }, "only the fields of a Pix, and no paid email or SMS"


# ---- Errors of failed responses: of a read, and of a write that may have been executed

ERRORS: dict[str, tuple[Fault, type[EngineError], type[EngineError]]] = {
    "400": (refusal(), EngineRefused, EngineRefused),
    "400 without a body": (empty(400), EngineRefused, EngineRefused),
    "400 of another form": (fault(400, b'{"errors": "x"}'), EngineRefused, EngineRefused),
    "401": (refusal("invalid_access_token", status=401), EngineMisconfigured, EngineMisconfigured),
    "403 of the CDN": (html(403), EngineMisconfigured, EngineMisconfigured),
    "404 without a body": (empty(404), EngineRefused, EngineRefused),
    "405": (empty(405), EngineRefused, EngineRefused),
    "429 with a long reset": (throttled(600), EngineBusy, EngineBusy),
    "a redirect": (fault(301, location="https://www.example.com/"), EngineMisconfigured, EngineMisconfigured),
    "408": (empty(408), EngineUnavailable, EngineOutcomeUnknown),
    "500": (refusal(status=500), EngineUnavailable, EngineOutcomeUnknown),
    "502 in HTML": (html(502), EngineUnavailable, EngineOutcomeUnknown),
    "504 after the work": (html(504, done=True), EngineUnavailable, EngineOutcomeUnknown),
    "200 in HTML": (html(200), EngineUnavailable, EngineOutcomeUnknown),
    "200 with a list": (fault(200, b"[]"), EngineUnavailable, EngineOutcomeUnknown),
    "200 without a body": (empty(200), EngineUnavailable, EngineOutcomeUnknown),
    "200 without a required field": (fault(200, b'{"object": "payment"}'), EngineUnavailable, EngineOutcomeUnknown),
    "200 with an amount in words": (
        fault(200, b'{"id": "pay_1", "value": "129,90"}'),
        EngineUnavailable,
        EngineOutcomeUnknown,
    ),
    "9 MiB": (oversized(), EngineUnavailable, EngineOutcomeUnknown),
    "cut before the work": (dropped(done=False), EngineUnavailable, EngineOutcomeUnknown),
    "cut after the work": (dropped(done=True), EngineUnavailable, EngineOutcomeUnknown),
    "silence": (slow(), EngineUnavailable, EngineOutcomeUnknown),
}


@pytest.mark.parametrize(("bad", "read_error", "write_error"), ERRORS.values(), ids=ERRORS)
async def test_a_failed_response_raises_its_error(
    http: httpx.AsyncClient,
    asaas: AsaasHarness,
    database: Database,
    clock: MovedClock,
    bad: Fault,
    read_error: type[EngineError],
    write_error: type[EngineError],
) -> None:
    made = await asaas.engine.create_charge(new_charge())
    engine = asaas_engine(http, asaas.fake, database, clock, deadline=1 if bad.seconds else 60)
    asaas.fake.plan("POST /payments", bad)
    with pytest.raises(EngineError) as refusal:
        await engine.create_charge(new_charge())
    assert issubclass(refusal.type, write_error)
    assert len(str(refusal.value)) <= 500
    assert asaas.fake.call_count("POST /payments") == 2, "a write is never repeated without a look-up"
    if bad.status == 404:
        return  # An unknown charge is no error.
    asaas.fake.plan("GET /payments/{id}", bad)
    with pytest.raises(EngineError) as refusal:
        await engine.read_charge(made.id)
    assert issubclass(refusal.type, read_error)


async def test_without_a_connection_nothing_was_created(
    http: httpx.AsyncClient, database: Database, clock: MovedClock
) -> None:
    async with FakeAsaas.running() as fake:
        engine = asaas_engine(http, fake, database, clock)
    with pytest.raises(EngineUnavailable):
        await engine.create_charge(new_charge())
    assert not engine.responding


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("$aact_hmlg_unknown", "invalid_access_token"),
        ("$aact_prod_0123456789abcdef", "invalid_environment"),
    ],
)
async def test_a_wrong_key_is_an_operator_s_error_and_never_in_its_text(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock, key: str, code: str
) -> None:
    engine = asaas_engine(http, fake, database, clock, key=key)
    with pytest.raises(EngineMisconfigured, match=code) as refusal:
        await engine.create_charge(new_charge())
    assert key not in str(refusal.value)
    assert not engine.responding


SCRIPT = """
import asyncio, sys
from gateway.integrations.engines.asaas import AsaasClient, open_http
from gateway.telemetry import configure_logging

async def call():
    async with open_http() as http:
        client = AsaasClient(http, sys.argv[1], sys.argv[2], deadline=10)
        await client.call("GET", "/customers", query={"externalReference": "pix-gateway:52998224725"})

configure_logging("debug")
asyncio.run(call())
"""


async def test_requests_to_asaas_are_not_logged(fake: FakeAsaas) -> None:
    """httpx logs URLs at `info`, httpcore logs headers at `debug`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SCRIPT, fake.url, fake.bank.main.key, stdout=PIPE, stderr=PIPE
    )
    output = b"".join(await process.communicate())
    assert process.returncode == 0, output
    assert fake.last("GET /customers").query == {"externalReference": "pix-gateway:52998224725"}
    assert b"52998224725" not in output
    assert fake.bank.main.key.encode() not in output


# ---- Rate limits


async def test_a_short_back_off_is_waited_for_once(asaas: AsaasHarness) -> None:
    asaas.fake.plan("POST /payments", throttled(0))
    assert (await asaas.engine.create_charge(new_charge())).br_code
    assert asaas.fake.call_count("POST /payments") == 2
    asaas.fake.plan("POST /payments", throttled(0), throttled(0))
    with pytest.raises(EngineBusy):
        await asaas.engine.create_charge(new_charge())
    assert asaas.fake.call_count("POST /payments") == 4
    assert asaas.engine.responding


@pytest.mark.parametrize("limited", [throttled(600), throttled(99_999_999)])
async def test_during_a_long_back_off_no_request_is_sent(asaas: AsaasHarness, limited: Fault) -> None:
    asaas.fake.plan("POST /payments", limited)
    for _ in range(3):
        with pytest.raises(EngineBusy):
            await asaas.engine.create_charge(new_charge())
    assert asaas.fake.call_count("POST /payments") == 1, "refused requests count too"
    assert await asaas.engine.find_charge("another endpoint", "a txid") is None


async def test_the_last_request_of_a_window_is_not_followed_by_another(asaas: AsaasHarness) -> None:
    body = b'{"transfer": {"pix": {"feeValue": 1}}}'
    asaas.fake.plan("GET /myAccount/fees/", fault(200, body, ratelimit_remaining="0", ratelimit_reset="600"))
    assert await asaas.engine.transfer_fee() == 100
    with pytest.raises(EngineBusy):
        await asaas.engine.transfer_fee()
    assert asaas.fake.call_count("GET /myAccount/fees/") == 1


class ManualTime:
    """Monotonic seconds, moved by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


@pytest.mark.parametrize("headers", [{}, {"ratelimit-reset": "soon"}, {"ratelimit-reset": "-5"}])
async def test_without_a_reset_the_back_off_grows_to_a_limit(headers: dict[str, str]) -> None:
    time = ManualTime()
    limits = RateLimits(time)
    for refusals in range(1, 20):
        limits.update("endpoint", 429, headers)
        expected = min(2.0**refusals, 15 * 60)
        if expected > 8:
            time.at += expected / 2 - 3
            with pytest.raises(EngineBusy):
                await limits.wait("endpoint")
        time.at += expected
        await limits.wait("endpoint")
    limits.update("endpoint", 429, headers)
    limits.update("endpoint", 200, {})  # A response to an earlier call doesn't end the back-off.
    with pytest.raises(EngineBusy):
        await limits.wait("endpoint")
    time.at += 15 * 60
    limits.update("endpoint", 200, {})
    limits.update("endpoint", 429, headers)
    time.at += 2
    await limits.wait("endpoint")  # The count of refusals has been reset.


async def test_concurrent_calls_are_limited(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock
) -> None:
    engine = asaas_engine(http, fake, database, clock, deadline=60)
    many = 3 * MAX_CONCURRENT_CALLS
    fake.plan("GET /myAccount/fees/", *[Fault(200, b'{"transfer": {"pix": {"feeValue": 1.0}}}', gated=True)] * many)
    calls = [asyncio.ensure_future(engine.transfer_fee()) for _ in range(many)]
    while fake.concurrent < MAX_CONCURRENT_CALLS:  # noqa: ASYNC110  # The fake has no event for it.
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    fake.gate.set()
    assert await asyncio.gather(*calls) == [100] * many
    assert fake.max_concurrent == MAX_CONCURRENT_CALLS


async def test_a_call_without_a_free_slot_fails_soon(http: httpx.AsyncClient, fake: FakeAsaas) -> None:
    client = AsaasClient(http, fake.url, fake.bank.main.key, deadline=100)
    fake.plan("GET /myAccount/fees/", *[slow(100)] * MAX_CONCURRENT_CALLS)
    stuck = [asyncio.ensure_future(client.call("GET", "/myAccount/fees/")) for _ in range(MAX_CONCURRENT_CALLS)]
    while fake.concurrent < MAX_CONCURRENT_CALLS:  # noqa: ASYNC110  # The fake has no event for it.
        await asyncio.sleep(0.01)
    with pytest.raises(EngineBusy, match="at a time"):
        await client.call("GET", "/myAccount/fees/")
    for task in stuck:
        task.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)
    assert await client.call("GET", "/myAccount/fees/"), "canceled calls release their slots"


async def test_quotas_are_per_account(asaas: AsaasHarness) -> None:
    account = (await asaas.engine.open_account(COMPANY)).account
    asaas.fake.plan("GET /myAccount/fees/", throttled(600))
    with pytest.raises(EngineBusy):
        await asaas.engine.transfer_fee(account)
    assert await asaas.engine.transfer_fee() == 200
