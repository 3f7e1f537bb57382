"""The pages for developers: quick start, keys, webhooks with their deliveries, events, and the test clock."""

import asyncio
import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Browser, Page, expect

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests import sql
from tests.api_client import Merchant, charge_order
from tests.browser.panel.pages import assert_sound, log_in, opening, send_webhooks, sizes
from tests.browser.panel.test_slow_answers import arrive, hold
from tests.clocks.fixtures import advance, complete_advance, instant, read_clock

HOOK = {"name": "loja", "url": "https://example.com/pix"}


async def expect_title(page: Page, title: str) -> None:
    await expect(page.get_by_role("heading", level=1)).to_have_text(title)


async def confirm(page: Page, label: str, action: str) -> None:
    """Press a button, and the one of its dialog."""
    await page.get_by_role("button", name=label, exact=True).click()
    await page.get_by_role("alertdialog").get_by_role("button", name=action).click()


@pytest.mark.parametrize("language", ["curl", "python"])
async def test_the_quick_start_has_examples_that_work(
    panel: str, browser: Browser, merchant: Merchant, tmp_path: Path, language: str
) -> None:
    async with opening(browser) as visit:
        await log_in(visit, panel, merchant, f"/dev?linguagem={language}")
        first = visit.page.get_by_role("region", name="2. Gere uma cobrança").locator("pre")
        await expect(first).to_contain_text("service_test_")
        examples = [await example.inner_text() for example in await visit.page.locator("section pre").all()]
        visit.assert_clean()
    charge_id = (await run(examples[0], language, merchant, tmp_path))["id"]
    paid = await run(examples[1].replace("ID_DA_COBRANCA", charge_id), language, merchant, tmp_path)
    assert paid["status"] == "paid"


async def run(example: str, language: str, merchant: Merchant, tmp_path: Path) -> dict[str, Any]:
    """The `data` that an example prints, with the merchant's key in place of the newest key's first characters."""
    shown = next(word for word in example.replace('"', "'").replace(",", "").split() if "…" in word).strip("'")
    path = tmp_path / "example"
    path.write_text(example.replace(shown, merchant.key))
    program = "sh" if language == "curl" else sys.executable
    process = await asyncio.create_subprocess_exec(program, str(path), stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    answer = msgspec.json.decode(output) if language == "curl" else eval(output)  # noqa: S307  # Python's own repr.
    data: dict[str, Any] = answer["data"]
    return data


@sizes
async def test_a_key_is_shown_once_and_revoked(panel: str, browser: Browser, merchant: Merchant, size: str) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev/chaves")
        await assert_sound(visit)
        await page.get_by_role("link", name="Nova chave").click()
        await page.get_by_label("Nome").fill("site da loja")
        await page.get_by_label("O que a chave pode fazer").select_option("some")
        await page.get_by_role("button", name="Criar chave").click()
        await expect(page.get_by_text("informe ao menos um escopo")).to_be_visible()
        await assert_sound(visit)
        await page.get_by_label("Gerar cobranças").check()
        await page.get_by_role("button", name="Criar chave").click()
        await expect_title(page, "Guarde a chave agora")
        key = (await page.locator("pre").inner_text()).strip()
        assert (await merchant.api.post("/pix", charge_order(), token=key)).status_code == 201

        await page.get_by_role("link", name="Início rápido").click()
        await page.get_by_role("button", name="Voltar e guardar").click()
        await expect_title(page, "Guarde a chave agora")
        await page.get_by_role("button", name="Já guardei").click()
        await expect_title(page, "site da loja")
        await expect(page.get_by_text("Gerar cobranças e cuidar de clientes e assinaturas")).to_be_visible()
        await expect(page.get_by_text(key)).to_have_count(0)

        await confirm(page, "Desativar", "Desativar chave")
        await expect(page.get_by_text("Desativada")).to_be_visible()
        assert (await merchant.api.get("/pix", token=key)).status_code == 401
        await page.get_by_role("button", name="Ativar", exact=True).click()
        await confirm(page, "Revogar", "Revogar chave")
        await expect_title(page, "Chaves de API")
        await expect(page.get_by_role("link", name="loja", exact=True)).to_be_visible()
        await expect(page.get_by_role("link", name="site da loja")).to_have_count(0)


@sizes
async def test_a_test_receiver_shows_what_was_sent(
    panel: str, browser: Browser, merchant: Merchant, services: Services, size: str
) -> None:
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev/webhooks")
        await expect(page.get_by_text("Nenhum endpoint ainda")).to_be_visible()
        await page.get_by_role("link", name="Novo endpoint").click()
        await page.get_by_role("button", name="Abrir receptor de teste").click()
        await expect_title(page, "Guarde o segredo agora")
        secret = (await page.locator("pre").inner_text()).strip()
        await assert_sound(visit)
        await page.get_by_role("button", name="Já guardei").click()
        await expect(page.get_by_text("Nenhuma entrega ainda")).to_be_visible()
        await page.get_by_role("button", name="Enviar um teste").click()
        await page.get_by_role("button", name="Enviar", exact=True).click()

        await expect_title(page, "Entrega · charge.paid")
        await expect(page.get_by_role("button", name="Enviando…")).to_be_disabled()
        await send_webhooks(services)
        await expect(page.get_by_text("Entregue", exact=True)).to_be_visible()
        # The page has shown the secret, so it checks the signatures by itself.
        await expect(page.get_by_text("confere", exact=True)).to_have_count(2)
        await page.get_by_label("Segredo do endpoint").fill("whsec_00000000000000000000000000000000")
        await page.get_by_role("button", name="Conferir").click()
        await expect(page.get_by_text("não confere", exact=True)).to_have_count(2)
        await page.get_by_label("Segredo do endpoint").fill(secret)
        await page.get_by_role("button", name="Conferir").click()
        await expect(page.get_by_text("confere", exact=True)).to_have_count(2)
        await page.get_by_text("1ª · ").click()
        await expect(page.get_by_text("webhook-signature: v1,")).to_be_visible()
        await assert_sound(visit)

        await page.get_by_role("button", name="Reenviar").click()
        await expect(page.get_by_text("A caminho", exact=True)).to_be_visible()
        await send_webhooks(services)
        await expect(page.get_by_text("2ª · ")).to_be_visible()
        await expect(page.get_by_role("button", name="Reenviar")).to_be_visible()


async def test_an_endpoint_is_changed_and_deleted(panel: str, browser: Browser, merchant: Merchant) -> None:
    async with opening(browser, "phone") as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev/webhooks/novo")
        await page.get_by_label("Nome").fill("loja")
        await page.get_by_label("Endereço").fill("http://10.0.0.1/pix")
        await page.get_by_role("button", name="Criar endpoint").click()
        await expect(page.get_by_text("o endereço é de uma rede interna; use um endereço público")).to_be_visible()
        await page.get_by_label("Endereço").fill("https://example.com/pix")
        await page.get_by_label("charge.paid").check()
        await page.get_by_role("button", name="Criar endpoint").click()
        await page.get_by_role("button", name="Já guardei").click()
        await expect_title(page, "loja")
        await expect(page.get_by_text("charge.paid", exact=True)).to_be_visible()

        # Without the list of events the form would send none, which is all of them.
        await page.reload()
        answered = await hold(page, "webhookEvents")
        await page.get_by_role("button", name="Alterar").click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await expect(page.get_by_role("button", name="Salvar")).to_have_count(0)
        await arrive(page, answered)
        await page.get_by_role("dialog").get_by_label("Nome").fill("loja nova")
        await page.get_by_role("dialog").get_by_label("charge.paid").uncheck()
        await page.get_by_role("button", name="Salvar").click()
        await expect_title(page, "loja nova")
        await expect(page.get_by_text("Todos", exact=True)).to_be_visible()

        await page.get_by_role("button", name="Trocar o segredo").click()
        await page.get_by_role("dialog").get_by_label("O anterior ainda assina por").select_option("168")
        await page.get_by_role("dialog").get_by_role("button", name="Trocar o segredo").click()
        await page.get_by_role("button", name="Já guardei").click()
        await expect(page.get_by_text("O segredo anterior ainda assina até")).to_be_visible()
        await confirm(page, "Excluir", "Excluir endpoint")
        await expect(page.get_by_text("Nenhum endpoint ainda")).to_be_visible()


@sizes
async def test_an_endpoint_that_was_deactivated_is_brought_back(
    panel: str, browser: Browser, merchant: Merchant, database: Database, size: str
) -> None:
    assert (await merchant.api.post("/webhook-endpoints", HOOK, token=merchant.token)).status_code == 201
    await sql.run(
        database, "update webhook_endpoints set active = false, disabled_reason = 'failing', disabled_at = now()"
    )
    await merchant.issue()
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev")
        await page.get_by_role("link", name="Ver o que fazer").click()
        await expect(page.get_by_text("O serviço o desativou depois de dias sem nenhuma entrega.")).to_be_visible()
        await expect(page.get_by_text("Cancelada", exact=True).last).to_be_visible()
        await assert_sound(visit)
        await page.get_by_role("button", name="Ativar", exact=True).click()
        await expect(page.get_by_text("Este endpoint não recebe eventos")).to_have_count(0)
        # The last step opens by itself.
        await page.get_by_role("dialog", name="Reenviar o que faltou").get_by_role("button", name="Reenviar").click()
        await expect(page.get_by_text("1 entrega está na fila.")).to_be_visible()
        await page.get_by_role("button", name="Fechar").click()
        await page.get_by_role("link", name="A caminho").click()
        await expect(page.get_by_role("link", name="charge.created")).to_be_visible()
        visit.assert_clean()


@sizes
async def test_events_are_listed_without_an_endpoint(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    charge = await merchant.issue()
    await merchant.pay(charge["id"])
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev/eventos")
        await expect(page.get_by_text("Total: 2")).to_be_visible()
        await page.get_by_role("button", name="Filtros").click()
        await page.get_by_label("Evento", exact=True).select_option("charge.paid")
        await page.get_by_role("button", name="Aplicar").click()
        await expect(page).to_have_url(f"{panel}/dev/eventos?type=charge.paid")
        await expect(page.get_by_text("Total: 1")).to_be_visible()
        await page.get_by_role("link", name="charge.paid").click()
        await expect_title(page, "charge.paid")
        await expect(page.get_by_text("Nenhum endpoint recebe este evento.")).to_be_visible()
        await expect(page.locator("pre")).to_contain_text('"event": "charge.paid"')
        await assert_sound(visit)
        await page.get_by_role("link", name=charge["id"]).click()
        await expect(page).to_have_url(f"{panel}/cobrancas/{charge['id']}")


@sizes
async def test_the_clock_advances_and_shows_what_happened(
    panel: str, browser: Browser, merchant: Merchant, size: str
) -> None:
    weekly = {"amount": 49.9, "description": "Aula", "interval": "weekly", "customer_name": "João Pereira"}
    payer = {"customer_email": "joao@example.com", "customer_cpf": "529.982.247-25"}
    assert (await merchant.api.post("/subscriptions", weekly | payer, token=merchant.key)).status_code == 201
    async with opening(browser, size) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/dev/relogio")
        await expect(page.get_by_text("Na hora certa")).to_be_visible()
        await page.get_by_role("button", name="+1 mês").click()
        await expect(page.get_by_text("Avançando…")).to_be_visible()
        await complete_advance(merchant)
        await expect(page.get_by_text("dias à frente")).to_be_visible()
        await expect(page.get_by_role("link", name="subscription.charged").first).to_be_visible()
        await assert_sound(visit)


async def test_today_is_that_of_the_test_clock(panel: str, browser: Browser, merchant: Merchant) -> None:
    before = await merchant.issue(description="Antes")
    clock = await read_clock(merchant)
    await advance(merchant, instant(clock["now"]) + timedelta(days=40))
    after = await merchant.issue(description="Depois", amount=70)
    await merchant.pay(after["id"])
    async with opening(browser) as visit:
        page = visit.page
        await log_in(visit, panel, merchant, "/?periodo=hoje")
        await expect(page.get_by_role("definition").first).to_have_text(re.compile(r"R\$\s70,00"))
        times = page.locator("main#conteudo time")
        await page.goto(f"{panel}/cobrancas/{after['id']}")
        await expect(page.get_by_text("Pagamento recebido", exact=True)).to_be_visible()
        assert {text.split()[0] for text in await times.all_inner_texts()} == {"hoje"}
        await page.goto(f"{panel}/cobrancas/{before['id']}")
        await expect(page.get_by_text("Cobrança expirada", exact=True)).to_be_visible()
        assert not any("hoje" in text for text in await times.all_inner_texts())

        await page.goto(f"{panel}/dev/relogio")
        await page.get_by_role("button", name="+1 mês").click()
        await expect(page.get_by_text("Avançando…")).to_be_visible()
        await complete_advance(merchant)
        await expect(page.get_by_text("Avançando…")).to_be_hidden()
        await page.get_by_role("link", name="Início").first.click()
        await page.get_by_label("Período").select_option("hoje")
        await expect(page.get_by_role("definition").first).to_have_text(re.compile(r"R\$\s0,00"))
        visit.assert_clean()
