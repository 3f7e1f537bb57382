"""Every page for every role, at each size and scheme: `make pages`; a slice of them in `make test`."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from gateway.resolvers.core.context import Services
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.browser.panel.keyboard import assert_keyboard
from tests.browser.panel.pages import SIZES, assert_sound, log_in, opening
from tests.browser.panel.store import furnish
from tests.members import join

SOURCES = Path(__file__).parents[3] / "panel" / "src"
PUBLIC = {
    "/entrar": "Entrar no painel",
    "/cadastro": "Criar sua conta",
    "/senha": "Recuperar o acesso",
    "/senha/nova": "Escolher uma nova senha",
}
"""The pages before a session, with their titles."""
ROUTES = sorted(
    {
        path
        for file in SOURCES.rglob("routes.ts")
        for path in re.findall(r"^ *path: '([^']+)'", file.read_text(), re.MULTILINE)
    }
    - PUBLIC.keys()
)
STAFF = [path for path in ROUTES if path.startswith("/servico")]
ROLES = ("owner", "admin", "finance", "operator", "viewer", "staff")
SCHEMES = ("light", "dark")
SLICE = ("owner", "phone", "dark", 0)
PARTS = 3
PICTURED = {("owner", "desk", "light"), ("staff", "desk", "light")}
"""The pictures of docs/panel.md."""
LOADED = "main#conteudo h1"


def cells() -> list[Any]:
    found = product(ROLES, SIZES, SCHEMES, range(PARTS))
    return [pytest.param(*cell, marks=() if cell == SLICE else pytest.mark.pages) for cell in found]


@pytest.mark.parametrize(("role", "size", "scheme", "part"), cells())
async def test_every_page(
    panel: str,
    browser: Browser,
    api: Api,
    services: Services,
    role: str,
    size: str,
    scheme: str,
    part: int,
) -> None:
    owner = await api.register_merchant()
    ids = await furnish(owner, services)
    person = await person_of(role, owner, services)
    async with opening(browser, size, scheme) as visit:
        await log_in(visit, panel, person)
        if role not in {"owner", "staff"}:
            await choose_store(visit.page, size, owner)
        paths = STAFF if role == "staff" else [path for path in ROUTES if path not in STAFF]
        for path in paths[part::PARTS]:
            address = path
            for name, value in ids[path.partition("/$")[0]].items() if "$" in path else ():
                address = address.replace(f"${name}", value)
            await visit.page.goto(f"{panel}{address}")
            await expect(visit.page.locator(LOADED)).to_be_visible()
            await expect(visit.page.get_by_role("status", name="Carregando…")).to_have_count(0)
            await assert_sound(visit)
            if (role, size, scheme) in PICTURED:
                await visit.picture(picture_of(path))
            await assert_keyboard(visit.page)


@pytest.mark.parametrize(
    ("size", "scheme"),
    [pytest.param(*cell, marks=() if cell == SLICE[1:3] else pytest.mark.pages) for cell in product(SIZES, SCHEMES)],
)
async def test_every_page_before_the_login(panel: str, browser: Browser, size: str, scheme: str) -> None:
    async with opening(browser, size, scheme) as visit:
        for path, title in PUBLIC.items():
            await visit.page.goto(f"{panel}{path}")
            await expect(visit.page.get_by_role("heading", level=1)).to_have_text(title)
            await assert_sound(visit)
            if ("owner", size, scheme) in PICTURED:
                await visit.picture(picture_of(path))
            await assert_keyboard(visit.page)


async def person_of(role: str, owner: Merchant, services: Services) -> Merchant:
    if role == "owner":
        return owner
    if role == "staff":
        return await staff_member(owner.api, services)
    person = await owner.api.register_merchant()
    await join(owner, person, role)
    return person


async def choose_store(page: Page, size: str, owner: Merchant) -> None:
    if size == "phone":
        await page.get_by_role("button", name="Mais").click()
    await page.get_by_role("combobox", name="Loja", exact=True).select_option(owner.id)
    await expect(page.locator(LOADED)).to_be_visible()
    if size == "phone":
        await page.keyboard.press("Escape")


def picture_of(path: str) -> str:
    """The name of a page's picture: `panel-cobrancas-id`."""
    return "-".join(["panel", *re.findall(r"\w+", path)]) if path != "/" else "panel-inicio"
