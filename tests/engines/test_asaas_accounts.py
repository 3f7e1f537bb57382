"""Sub-accounts, transfers, the webhook and the health check at Asaas."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.integrations.engines.asaas.webhook_setup import EVENTS
from gateway.integrations.engines.errors import (
    AccountExists,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.interface import (
    Account,
    Track,
)
from gateway.models.base import Environment
from gateway.models.database import Database
from gateway.models.engines import TransferState
from gateway.resolvers.engine_notifications.handlers import CHARGE_EVENTS
from tests.engines.engine_fixtures import TOKEN, AsaasHarness, asaas_engine
from tests.engines.fake_asaas import FakeAsaas, dropped, fault, html, refusal
from tests.engines.fake_asaas.bank import document_group
from tests.engines.sample_requests import COMPANY, new_charge, new_transfer
from tests.fake_clock import MovedClock

NOTICES = "https://gateway.example.com/engine/notifications/asaas"


@pytest.fixture
async def account(asaas: AsaasHarness) -> Account:
    return (await asaas.engine.open_account(COMPANY)).account


# ---- Opening


async def test_the_request_for_an_account_has_asaas_format(asaas: AsaasHarness, account: Account) -> None:
    sent = asaas.fake.last("POST /accounts").body
    assert sent
    (webhook,) = sent.pop("webhooks")
    assert sent == {
        "name": "Padaria do João Ltda",
        "email": "padaria@example.com",
        "cpfCnpj": "11222333000181",
        "companyType": "LIMITED",
        "mobilePhone": "11987654321",
        "incomeValue": 25000.5,
        "address": "Rua das Flores",
        "addressNumber": "12",
        "province": "Centro",
        "postalCode": "01310100",
    }
    assert (webhook["url"], webhook["authToken"], webhook["email"]) == (NOTICES, TOKEN, "staff@example.com")
    assert (webhook["enabled"], webhook["interrupted"], webhook["apiVersion"]) == (True, False, 3)
    assert {"PAYMENT_RECEIVED", "TRANSFER_DONE", "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED"} <= set(webhook["events"])
    assert account.secret == asaas.fake.bank.account(account.id).key


async def test_the_sandbox_gets_only_letters_and_spaces_of_a_name(
    asaas: AsaasHarness, http: httpx.AsyncClient, database: Database, clock: MovedClock
) -> None:
    company = replace(COMPANY, name="Cafe\u0301 & Pão 24h Ltda.")
    await asaas.engine.open_account(company)
    async with FakeAsaas.running("prod") as bank:
        live = asaas_engine(http, bank, database, clock, environment=Environment.live)
        await live.open_account(company)
    names = [(fake.last("POST /accounts").body or {})["name"] for fake in (asaas.fake, bank)]
    assert names == ["Caf\u00e9 Pão h Ltda", company.name]
    asaas.fake.plan("GET /accounts", fault(200, b'{"data": []}'))
    with pytest.raises(EngineRefused):
        await asaas.engine.open_account(replace(company, name="24"))


async def test_without_an_https_url_an_account_has_no_webhook(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock
) -> None:
    engine = asaas_engine(http, fake, database, clock, base_url="http://127.0.0.1:8000")
    assert not (await engine.open_account(COMPANY)).webhook_registered
    with pytest.raises(EngineMisconfigured, match="https"):
        await engine.register_webhook()


async def test_an_existing_account_is_refused(asaas: AsaasHarness, account: Account) -> None:
    with pytest.raises(AccountExists) as refusal:
        await asaas.engine.open_account(COMPANY)
    assert refusal.value.account_id == account.id
    assert asaas.fake.call_count("POST /accounts") == 1


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (dropped(done=True), AccountExists),
        (html(502), EngineOutcomeUnknown),
        (fault(200, b'{"id": "a"}'), AccountExists),
    ],
    ids=["created, the response lost", "unknown", "created without its key"],
)
async def test_a_response_without_key_is_an_account_just_created(
    asaas: AsaasHarness, bad: Any, error: type[Exception]
) -> None:
    asaas.fake.plan("POST /accounts", bad)
    with pytest.raises(error) as refusal:
        await asaas.engine.open_account(COMPANY)
    assert getattr(refusal.value, "just_created", True)


async def test_a_failed_look_up_leaves_the_outcome_unknown(asaas: AsaasHarness) -> None:
    first = fault(200, b'{"data": []}')
    asaas.fake.plan("GET /accounts", first, html(503))
    asaas.fake.plan("POST /accounts", dropped(done=True))
    with pytest.raises(EngineOutcomeUnknown):
        await asaas.engine.open_account(COMPANY)
    assert await asaas.count("accounts") == 1


async def test_the_newer_format_of_the_key_is_read(asaas: AsaasHarness) -> None:
    body = b'{"id": "a-1", "walletId": "w-1", "accessToken": {"apiKey": "$aact_hmlg_x"}}'
    asaas.fake.plan("POST /accounts", fault(200, body))
    assert (await asaas.engine.open_account(COMPANY)).account == Account("a-1", "$aact_hmlg_x")


@pytest.mark.parametrize("form", ['{"id": "a-1", "apiKey": "%s"}', '{"id": "a-1", "accessToken": {"apiKey": "%s"}}'])
async def test_a_long_key_is_stored_unchanged(asaas: AsaasHarness, form: str) -> None:
    key = "$aact_hmlg_".ljust(4096, "x")
    asaas.fake.plan("POST /accounts", fault(200, (form % key).encode()), fault(200, (form % f"{key}x").encode()))
    assert (await asaas.engine.open_account(COMPANY)).account.secret == key
    with pytest.raises(AccountExists):
        await asaas.engine.open_account(COMPANY)


# ---- Approval

LINK = "https://cadastro.example.com/onboarding/2"
GROUPS: dict[str, tuple[list[dict[str, Any]], str | None]] = {
    "none": ([], None),
    "the first that is missing": ([document_group("APPROVED"), document_group("NOT_SENT", LINK)], LINK),
    "a rejected one": ([document_group("PENDING"), document_group("REJECTED", LINK)], LINK),
    "all under review": ([document_group("PENDING", LINK)], None),
    "no link": ([document_group("NOT_SENT", None)], None),
    "no https": ([document_group("NOT_SENT", "http://cadastro.example.com")], None),
    "a script": ([document_group("NOT_SENT", "javascript:alert(1)")], None),
    "expired": ([document_group("NOT_SENT", LINK) | {"onboardingUrlExpirationDate": "2025-03-04 00:00:00"}], None),
    "not yet expired": ([document_group("NOT_SENT", LINK) | {"onboardingUrlExpirationDate": "2099-01-01"}], LINK),
    "another format": (["text"], None),  # type: ignore[list-item]  # Asaas' responses differ from its documentation.
}


@pytest.mark.parametrize(("groups", "link"), GROUPS.values(), ids=GROUPS)
async def test_the_documents_link_is_a_missing_document_s(
    asaas: AsaasHarness, account: Account, groups: list[dict[str, Any]], link: str | None
) -> None:
    asaas.fake.bank.account(account.id).documents["data"] = groups
    assert (await asaas.engine.account_status(account)).documents_link == link


@pytest.mark.parametrize(
    ("reasons", "rejection"),
    [
        (None, None),
        ("Documento ilegível.", "Documento ilegível."),
        (["Documento ilegível.", "Selfie escura."], "Documento ilegível. Selfie escura."),
        ({"code": 1}, None),
        ("x" * 900, "x" * 500),
    ],
)
async def test_rejection_reasons_are_returned(
    asaas: AsaasHarness, account: Account, reasons: object, rejection: str | None
) -> None:
    asaas.fake.bank.account(account.id).documents["rejectReasons"] = reasons
    assert (await asaas.engine.account_status(account)).rejection == rejection


@pytest.mark.parametrize("refused", ["general", "commercialInfo", "bankAccountInfo"])
async def test_the_reason_is_returned_if_only_the_documents_are_approved(
    asaas: AsaasHarness, account: Account, refused: str
) -> None:
    holder = asaas.fake.bank.account(account.id)
    holder.status = dict.fromkeys(holder.status, "AWAITING_APPROVAL") | {"documentation": "APPROVED"}
    holder.documents = {"rejectReasons": "CNPJ baixado.", "data": [document_group("APPROVED")]}
    assert (await asaas.engine.account_status(account)).rejection is None
    assert asaas.fake.call_count("GET /myAccount/documents") == 0, "no document is refused or missing"
    holder.status[refused] = "REJECTED"
    status = await asaas.engine.account_status(account)
    assert (status.documents, status.rejection, status.documents_link) == (Track.approved, "CNPJ baixado.", None)


async def test_the_approval_is_read_without_the_documents(asaas: AsaasHarness, account: Account) -> None:
    asaas.fake.bank.account(account.id).status["general"] = "AWAITING_APPROVAL"
    asaas.fake.plan("GET /myAccount/documents", html(502))
    status = await asaas.engine.account_status(account)
    assert (status.general, status.documents_link) == (Track.under_review, None)


async def test_the_documents_of_a_new_account_are_not_requested(
    asaas: AsaasHarness, account: Account, clock: MovedClock
) -> None:
    new = Account(account.id, account.secret, clock.now())
    assert (await asaas.engine.account_status(new)).documents_link is None
    clock.advance(timedelta(seconds=14.999))
    assert (await asaas.engine.account_status(new)).documents is Track.missing
    assert asaas.fake.call_count("GET /myAccount/documents") == 0
    clock.advance(timedelta(seconds=0.001))
    assert (await asaas.engine.account_status(new)).documents_link == "https://cadastro.example.com/onboarding/1"


async def test_the_documents_of_an_approved_account_are_not_requested(asaas: AsaasHarness, account: Account) -> None:
    await asaas.approve(account)
    await asaas.engine.account_status(account)
    assert asaas.fake.call_count("GET /myAccount/documents") == 0


async def test_an_approved_account_gets_one_pix_key(
    asaas: AsaasHarness, account: Account, http: httpx.AsyncClient, database: Database, clock: MovedClock
) -> None:
    bank = asaas.fake.bank.account(account.id)
    await asaas.engine.account_status(account)
    assert asaas.fake.call_count("GET /pix/addressKeys") == 0, "it isn't approved yet"

    await asaas.approve(account)
    asaas.fake.plan("POST /pix/addressKeys", html(502))
    assert (await asaas.engine.account_status(account)).general is Track.approved, "despite the failure"
    assert bank.pix_keys == []
    for _ in range(3):
        await asaas.engine.account_status(account)
    assert [key["type"] for key in bank.pix_keys] == ["EVP"]
    assert asaas.fake.last("POST /pix/addressKeys").headers["access_token"] == account.secret
    assert (asaas.fake.call_count("GET /pix/addressKeys"), asaas.fake.call_count("POST /pix/addressKeys")) == (2, 2)

    await asaas_engine(http, asaas.fake, database, clock).account_status(account)
    assert len(bank.pix_keys) == 1, "another process finds it, though it is not active yet"


# ---- Transfers


async def test_a_transfer_is_found_on_any_page(asaas: AsaasHarness, clock: MovedClock) -> None:
    asaas.fake.bank.main.balance = 10_000.0
    first = await asaas.engine.create_transfer(new_transfer(amount=100))
    for _ in range(100):
        asaas.fake.bank.main.transfers[f"t{_}"] = {"id": f"t{_}", "dateCreated": "2099-01-01", "value": 1}
    found = await asaas.engine.find_transfer(first.external_reference or "", clock.now())
    assert found == first
    assert asaas.fake.call_count("GET /transfers") == 2
    assert asaas.fake.last("GET /transfers").query["offset"] == "100"


async def test_too_many_transfers_are_an_error_and_not_absence(asaas: AsaasHarness) -> None:
    asaas.fake.plan("GET /transfers", *[fault(200, b'{"data": [], "hasMore": true}')] * 20)
    with pytest.raises(EngineUnavailable, match="too many"):
        await asaas.engine.find_transfer("x", datetime.now(UTC))


async def test_a_transfer_that_waits_for_a_token_is_pending(asaas: AsaasHarness) -> None:
    asaas.fake.bank.main.balance = 100.0
    ordered = await asaas.engine.create_transfer(new_transfer(description=None))
    sent = asaas.fake.last("POST /transfers").body
    assert sent == {
        "value": 50.0,
        "pixAddressKey": "52998224725",
        "pixAddressKeyType": "CPF",
        "operationType": "PIX",
        "externalReference": ordered.external_reference,
    }
    asaas.fake.bank.main.transfers[ordered.id] |= {"authorized": False, "transferFee": 2.5}
    read = await asaas.engine.read_transfer(ordered.id)
    assert read
    assert (read.state, read.fee) == (TransferState.pending, 250)


async def test_the_fee_of_a_transfer_is_read(asaas: AsaasHarness, account: Account) -> None:
    assert await asaas.engine.transfer_fee(account) == 200
    asaas.fake.plan("GET /myAccount/fees/", fault(200, b'{"transfer": {"pix": null}}'))
    with pytest.raises(EngineUnavailable):
        await asaas.engine.transfer_fee(account)


# ---- Notifications and the health check


def test_all_handled_events_are_subscribed() -> None:
    assert CHARGE_EVENTS.keys() <= set(EVENTS)


async def test_the_webhook_is_registered_once_and_updated_later(asaas: AsaasHarness) -> None:
    await asaas.engine.register_webhook()
    (webhook,) = asaas.fake.bank.main.webhooks.values()
    assert (webhook["url"], webhook["authToken"], webhook["sendType"]) == (NOTICES, TOKEN, "NON_SEQUENTIALLY")
    assert webhook["events"] == list(EVENTS)
    webhook |= {"interrupted": True, "events": ["PAYMENT_RECEIVED"], "authToken": "old"}
    await asaas.engine.register_webhook()
    (updated,) = asaas.fake.bank.main.webhooks.values()
    assert (updated["interrupted"], updated["events"], updated["authToken"]) == (False, list(EVENTS), TOKEN)


async def test_the_webhook_needs_a_contact_email(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock
) -> None:
    engine = asaas_engine(http, fake, database, clock, email=None)
    with pytest.raises(EngineMisconfigured, match="GATEWAY_ASAAS_CONTACT_EMAIL"):
        await engine.register_webhook()


async def issues(asaas: AsaasHarness) -> list[str]:
    return [result.text for result in await asaas.engine.check_health() if not result.ok]


async def test_a_complete_account_has_no_issue(asaas: AsaasHarness) -> None:
    assert [text.split(" for ")[0] for text in await issues(asaas)] == ["the webhook"]
    await asaas.engine.register_webhook()
    assert await issues(asaas) == []
    assert len(await asaas.engine.check_health()) == 4


async def test_each_issue_is_named(asaas: AsaasHarness) -> None:
    await asaas.engine.register_webhook()
    main = asaas.fake.bank.main
    (webhook,) = main.webhooks.values()
    main.status["general"], main.pix_keys = "AWAITING_APPROVAL", []
    webhook["interrupted"] = True
    approval, key, notifications = await issues(asaas)
    assert "not approved yet (AWAITING_APPROVAL)" in approval
    assert "no active Pix key" in key
    assert "switched off or interrupted" in notifications
    for change, issue in (
        ({"interrupted": False, "authToken": ""}, "sends no token"),
        ({"authToken": TOKEN, "events": ["PAYMENT_RECEIVED"]}, "leaves events out"),
    ):
        webhook |= change
        assert issue in (await issues(asaas))[-1]


async def test_an_unreadable_resource_is_an_issue(asaas: AsaasHarness) -> None:
    asaas.fake.plan("GET /pix/addressKeys", refusal(status=403))
    asaas.fake.plan("GET /webhooks", html(502))
    assert [text[:35] for text in await issues(asaas)] == [
        "Asaas doesn't show everything: 403 ",
        "Asaas doesn't show everything: 502 ",
    ]


@pytest.mark.parametrize(
    ("key", "text"),
    [("$aact_prod_x", "the other environment"), ("$aact_hmlg_x", "Asaas refuses the key")],
)
async def test_a_refused_key_is_the_only_result(
    http: httpx.AsyncClient, fake: FakeAsaas, database: Database, clock: MovedClock, key: str, text: str
) -> None:
    (result,) = await asaas_engine(http, fake, database, clock, key=key).check_health()
    assert not result.ok
    assert text in result.text
    assert key not in result.text


async def test_an_outage_is_reported(asaas: AsaasHarness) -> None:
    asaas.fake.plan("GET /myAccount/status", html(503))
    assert [text[:20] for text in await issues(asaas)] == ["Asaas can't be reach"]
    assert await asaas.engine.create_charge(new_charge())
