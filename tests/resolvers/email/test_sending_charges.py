"""A store sends a charge by email: `POST /pix/{id}/send`, `sendCharge`."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.charges.payment_emails import MAX_SENDS_PER_ADDRESS
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.email.payment_templates import PayerReceipt, PaymentRequest
from gateway.resolvers.email.preview import preview_emails
from gateway.resolvers.email.rendering import parse_template_data
from gateway.resolvers.email.retention import purge_emails
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.sql import row, rows, value


@pytest.fixture
async def writing(services: Services) -> AsyncIterator[Merchant]:
    """A merchant of a gateway that emails payers of test charges."""
    settings = services.settings.model_copy(update={"receipts_for_test": True})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        yield await api.register_merchant()


async def send(merchant: Merchant, charge: dict[str, Any], **body: Any) -> Any:
    return await merchant.api.post(f"/pix/{charge['id']}/send", body or None, token=merchant.key)


async def test_the_payer_of_a_pending_charge_gets_its_code(writing: Merchant, database: Database) -> None:
    charge = await writing.issue()
    answer = await send(writing, charge)
    assert (answer.status_code, answer.json()) == (200, {"data": charge})
    email_row = await row(database, "select * from emails")
    assert email_row is not None
    assert (email_row["kind"], email_row["recipient"], email_row["recipient_name"]) == (
        "payment_request",
        "jose@example.com",
        "José Pagador",
    )
    data = parse_template_data(email_row["kind"], email_row["template_data"])
    assert isinstance(data, PaymentRequest)
    assert (data.amount, data.pix_code, data.checkout_url) == (12990, charge["pix_code"], charge["checkout_url"])
    assert (data.store_name, data.store_document, data.reply_to) == (
        "Loja da Ana",
        "11.***.***/0001-**",
        writing.email,
    )
    record = await row(database, "select * from audit_pending where action = 'charge.sent'")
    assert record is not None
    assert record["changes"] == {"recipient": {"from": None, "to": "j***@example.com"}}


async def test_the_email_has_code_qr_and_link(writing: Merchant, services: Services) -> None:
    charge = await writing.issue()
    await send(writing, charge)
    (message,) = await preview_emails(system_context(services, source="test", request_id="reading"))
    assert message.subject == "[TESTE] Pix de R$ 129,90 para Loja da Ana"
    for part in (message.text, message.html):
        assert charge["pix_code"] in part
        assert charge["checkout_url"] in part
    assert 'src="data:image/png;base64,' in message.html, "the inbox shows the image"
    assert b"Content-ID: <pix@qr>" in message.content
    assert b"multipart/related" in message.content


async def test_a_paid_charge_is_sent_as_its_receipt_again(writing: Merchant, database: Database) -> None:
    charge = await writing.issue()
    await writing.pay(charge["id"])
    assert (await send(writing, charge)).status_code == 200
    assert (await send(writing, charge, email="Contador@Example.com")).status_code == 200
    receipts = await rows(database, "select * from emails where kind = 'payer_receipt' order by id")
    assert [email_row["recipient"] for email_row in receipts] == [
        "jose@example.com",
        "jose@example.com",
        "Contador@Example.com",
    ]
    data = parse_template_data("payer_receipt", receipts[2]["template_data"])
    assert isinstance(data, PayerReceipt)
    assert data.customer_document == "***.982.247-**"


async def test_five_a_day_for_each_charge_under_concurrency(
    writing: Merchant, database: Database, clock: MovedClock
) -> None:
    charge, other = await writing.issue(), await writing.issue()
    answers = await asyncio.gather(*(send(writing, charge, email=f"a{number}@example.com") for number in range(20)))
    assert Counter(answer.status_code for answer in answers) == {200: 5, 429: 15}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["ratelimit-limit"] == "5"
    assert refused.json()["error"]["message"].startswith("Esta cobrança já foi enviada 5 vezes em 24 horas.")
    assert 0 < int(refused.headers["retry-after"]) <= 24 * 3600 + 1
    assert await value(database, "select count(*) from emails") == 5
    assert await value(database, "select count(*) from audit_pending where action = 'charge.sent'") == 5
    assert (await send(writing, other)).status_code == 200
    clock.advance(timedelta(hours=23))
    assert (await send(writing, charge)).status_code == 429
    await writing.api.post(f"/pix/{charge['id']}/expire", token=writing.key)
    clock.advance(timedelta(hours=2))
    assert (await send(writing, charge)).status_code == 409


async def test_emails_of_a_store_to_one_address_are_limited(writing: Merchant) -> None:
    charges = [await writing.issue() for _ in range(MAX_SENDS_PER_ADDRESS + 1)]
    answers = await asyncio.gather(*(send(writing, charge, email="ALVO@example.com") for charge in charges))
    counted = Counter(answer.status_code for answer in answers)
    assert counted == {200: MAX_SENDS_PER_ADDRESS, 429: 1}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert "20 cobranças a este e-mail em 24 horas" in refused.json()["error"]["message"]
    assert (await send(writing, charges[0], email="outra@example.com")).status_code == 200


async def test_the_test_environment_reports_that_no_email_is_sent(merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    for _ in range(5):
        answer = await send(merchant, charge)
        assert answer.status_code == 200
        assert answer.json()["aviso"].startswith("Nenhum e-mail foi enviado")
    assert (await send(merchant, charge)).status_code == 429, "the limit applies in test"
    assert await value(database, "select count(*) from emails") == 0


@pytest.mark.parametrize("email", ["sem arroba", "a@b", "a@example.com, b@example.com", "a@example.com\r\nBcc: b@c.de"])
async def test_an_invalid_address_is_refused(writing: Merchant, database: Database, email: str) -> None:
    charge = await writing.issue()
    answer = await send(writing, charge, email=email)
    assert answer.status_code == 400
    assert [fault["campo"] for fault in answer.json()["error"]["campos"]] == ["email"]
    assert (
        await value(database, "select count(*) from emails")
        + await value(database, "select count(*) from charge_sends")
        == 0
    )


async def test_an_expired_charge_is_not_sent(writing: Merchant, database: Database, clock: MovedClock) -> None:
    charge = await writing.issue()
    clock.advance(timedelta(hours=25))
    answer = await send(writing, charge)
    assert (answer.status_code, answer.json()["error"]["codigo"]) == (409, "COBRANCA_ENCERRADA")
    assert await value(database, "select count(*) from charge_sends") == 0


async def test_a_charge_without_an_address_needs_one(writing: Merchant, database: Database) -> None:
    charge = await writing.issue()
    await value(database, "update charges set customer_email = null returning 1")
    assert (await send(writing, charge)).json()["error"]["campos"][0]["campo"] == "email"
    assert (await send(writing, charge, email="maria@example.com")).status_code == 200


async def test_counters_are_deleted_after_a_day(writing: Merchant, database: Database, services: Services) -> None:
    charge = await writing.issue()
    await send(writing, charge)
    await value(database, "update charge_sends set id = uuidv7(interval '-25 hours') returning 1")
    await send(writing, charge)
    await purge_emails(system_context(services, source="job", request_id="house"))
    assert await value(database, "select count(*) from charge_sends") == 1
