"""The developers' inbox and its emails in a real browser."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from gateway.app import Gateway
from gateway.dev.app import dev_application
from gateway.models.database import Database
from gateway.resolvers.core.context import Services, system_context
from gateway.resolvers.email.outbox import EmailMessage, Recipient, enqueue
from gateway.resolvers.email.templates import TemplateData
from gateway.settings import Settings, load_settings
from tests import sql
from tests.api_client import Api, Merchant
from tests.browser.checkout.shop import accessibility_violations
from tests.chromium import served, visiting
from tests.resolvers.email.fixtures import every_kind, gone, invitation, notice, receipt
from tests.resolvers.email.test_rendering import INJECTION

PHONE = {"width": 390, "height": 844}
PICTURED = {
    ("payer_receipt", "light"),
    ("payer_receipt", "dark"),
    ("merchant_notice", "light"),
    ("webhook_endpoint_failing", "light"),
    ("invitation", "dark"),
}


@pytest.fixture
def application(settings: Settings, services: Services) -> Gateway:
    """Return the application of `gateway dev`."""
    return dev_application(settings, services)


@pytest.fixture
async def inbox(application: Gateway) -> AsyncIterator[str]:
    async with served(application) as url:
        yield f"{url}/dev/mail"


@pytest.fixture
async def dev_api(application: Gateway) -> AsyncIterator[Api]:
    async with Api.of(application) as opened:
        yield opened


async def send(services: Services, merchant: Merchant, *data: TemplateData) -> None:
    ctx = system_context(services, source="job", request_id="test")
    to = Recipient("jose@example.com", "José Pagador")
    await enqueue(ctx, services.database, *(EmailMessage(item, merchant.id, "test", to) for item in data))


async def test_a_receipt_is_shown_in_the_inbox(inbox: str, browser: Browser, merchant: Merchant) -> None:
    await merchant.pay((await merchant.issue())["id"])
    async with visiting(browser, viewport=PHONE) as phone:
        await phone.page.goto(inbox)
        assert await accessibility_violations(phone.page) == []
        await phone.page.get_by_text("Você recebeu R$ 129,90 de José Pagador").click()
        frame = phone.page.frame_locator("iframe")
        await frame.get_by_role("heading", name="Você recebeu um pagamento").wait_for()
        text = await phone.page.locator("pre").inner_text()
        assert "R$\xa0129,90" in text
        headers = await phone.page.locator("dl").inner_text()
        assert "Message-ID" in headers
        assert "Auto-Submitted" in headers
        phone.assert_clean()


async def test_the_inbox_on_a_wide_screen(inbox: str, browser: Browser, services: Services, merchant: Merchant) -> None:
    await send(services, merchant, *every_kind())
    async with visiting(browser, viewport={"width": 1280, "height": 900}) as desk:
        await desk.page.goto(inbox)
        await desk.page.get_by_text("Comprovante: R$ 129,90 para Loja da Ana").click()
        await desk.page.frame_locator("iframe").get_by_text("Ver comprovante").wait_for()
        desk.assert_clean()
        # It calls into the email's frame, whose sandbox has no origin, and is refused.
        assert await accessibility_violations(desk.page) == []
        await desk.picture("mail-inbox")


async def test_an_empty_inbox_shows_a_hint(inbox: str, browser: Browser) -> None:
    async with visiting(browser, viewport=PHONE) as phone:
        await phone.page.goto(inbox)
        await phone.page.get_by_text("Nenhum e-mail ainda.").wait_for()
        phone.assert_clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_email_fits_a_phone(
    inbox: str, browser: Browser, services: Services, merchant: Merchant, database: Database, scheme: str
) -> None:
    await send(services, merchant, *every_kind())
    async with visiting(browser, viewport=PHONE, color_scheme=scheme, device_scale_factor=2) as phone:
        for row in await sql.rows(database, "select id, kind from emails"):
            await phone.page.goto(f"{inbox}/{row['id']}/html")
            for width in (320, PHONE["width"]):
                await phone.page.set_viewport_size({**PHONE, "width": width})
                assert await phone.page.evaluate("document.documentElement.scrollWidth") <= width, row["kind"]
            if (row["kind"], scheme) in PICTURED:
                await phone.picture(f"mail-{row['kind'].replace('_', '-')}-{scheme}", full_page=True)
        phone.assert_clean()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_emails_have_no_accessibility_violation(
    browser: Browser, dev_api: Api, services: Services, merchant: Merchant, scheme: str
) -> None:
    """Opened without the frame's policy, which blocks axe."""
    await send(
        services, merchant, receipt(environment="test"), gone(), invitation(link="https://pague.exemplo.com.br/x")
    )
    emails = (await dev_api.get("/dev/mail.json")).json()["data"]
    assert len(emails) == 3
    async with visiting(browser, viewport=PHONE, color_scheme=scheme) as phone:
        for email_preview in emails:
            await phone.page.set_content(email_preview["html"])
            found = await accessibility_violations(phone.page)
            # An email has no landmarks, since the reader's page has them.
            assert [each for each in found if not each.startswith(("landmark-one-main", "region"))] == [], (
                email_preview["kind"]
            )


async def test_scripts_in_an_email_do_not_run(
    inbox: str, browser: Browser, services: Services, merchant: Merchant
) -> None:
    await send(services, merchant, notice(customer_name=INJECTION, description="<img src=x onerror=alert(1)>"))
    async with visiting(browser) as visit:
        opened: list[str] = []
        visit.page.on("dialog", lambda dialog: opened.append(dialog.message))
        await visit.page.goto(inbox)
        await visit.page.locator("nav a").click()
        await visit.page.frame_locator("iframe").get_by_text("<img src=x onerror=alert(1)>", exact=True).wait_for()
        framed = visit.page.frames[1]
        assert await framed.evaluate("document.querySelectorAll('img, script').length") == 0
        assert await framed.evaluate("self.origin") == "null", "the frame has no origin"
        assert opened == []
        visit.assert_clean()


async def test_a_link_of_an_email_opens_in_another_tab(
    inbox: str, browser: Browser, services: Services, merchant: Merchant
) -> None:
    await send(services, merchant, receipt(receipt_url=inbox.replace("/dev/mail", "/docs")))
    async with visiting(browser) as visit:
        await visit.page.goto(inbox)
        await visit.page.locator("nav a").click()
        async with visit.page.expect_popup() as popup:
            await visit.page.frame_locator("iframe").get_by_text("Ver comprovante").click()
        page = await popup.value
        await page.wait_for_url("**/docs")
        assert visit.page.url.startswith(inbox)


async def test_the_inbox_is_available_as_json(dev_api: Api, services: Services, merchant: Merchant) -> None:
    await send(services, merchant, gone())
    await send(services, merchant, invitation())
    emails = (await dev_api.get("/dev/mail.json")).json()["data"]
    assert [email_preview["kind"] for email_preview in emails] == ["invitation", "webhook_endpoint_gone"], (
        "the newest first"
    )
    email_preview = emails[0]
    assert set(email_preview) == {
        "id",
        "kind",
        "state",
        "reason",
        "from",
        "to",
        "reply_to",
        "subject",
        "created_at",
        "headers",
        "text",
        "html",
    }
    assert (email_preview["to"], email_preview["state"], email_preview["reason"]) == (
        "jose@example.com",
        "waiting",
        None,
    )
    assert "convite-Zm9vYmFyYmF6cXV4" in email_preview["text"]
    assert email_preview["headers"]["To"] == "José Pagador <jose@example.com>"
    eml = await dev_api.get(f"/dev/mail/{email_preview['id']}/eml")
    assert eml.headers["content-type"] == "message/rfc822"
    assert re.search(rb"^Message-ID:", eml.content, re.MULTILINE)


async def test_an_email_that_fails_to_render_is_listed_with_its_reason(
    dev_api: Api, services: Services, merchant: Merchant, database: Database
) -> None:
    await send(services, merchant, gone())
    await sql.run(database, "update emails set template_data = '{}'")
    (email_preview,) = (await dev_api.get("/dev/mail.json")).json()["data"]
    assert email_preview["subject"] == "(não foi possível montar: ValidationError)"
    assert (await dev_api.get("/dev/mail")).status_code == 200


@pytest.mark.parametrize("path", ["/dev/mail", "/dev/mail.json", "/dev/mail/x", "/dev"])
async def test_production_has_no_inbox(api: Api, path: str) -> None:
    assert (await api.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/dev/x", "/dev/mail/x", "/dev/mail/019aa000-0000-7000-8000-00000000000c"])
async def test_an_unknown_path_is_not_found(dev_api: Api, path: str) -> None:
    assert (await dev_api.get(path)).status_code == 404


async def test_the_inbox_is_read_only(dev_api: Api) -> None:
    answer = await dev_api.post("/dev/mail", {})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("gateway.test", 200),
        ("evil.example", 403),
    ],
)
async def test_an_unknown_host_is_refused(dev_api: Api, host: str, status: int) -> None:
    """Prevents DNS rebinding: another site must not read invitations."""
    for path in ("/dev/mail", "/dev/mail.json"):
        assert (await dev_api.get(path, host=host)).status_code == status


@pytest.mark.parametrize(("relay", "status"), [("", 200), ("smtp://127.0.0.1:2525", 404)])
async def test_with_a_relay_there_is_no_inbox(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, services: Services, relay: str, status: int
) -> None:
    for name in ("database_url", "redis_url"):
        monkeypatch.setenv(f"GATEWAY_{name.upper()}", getattr(settings, name))
    monkeypatch.setenv("GATEWAY_SECRET_KEY", settings.secret_key.get_secret_value())
    monkeypatch.setenv("GATEWAY_SMTP_URL", relay)
    async with Api.of(dev_application(load_settings(_env_file=None), services)) as api:
        assert (await api.get("/dev/mail")).status_code == status
