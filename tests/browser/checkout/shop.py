"""A shop for the payer's pages."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import axe_playwright_python
import zxingcpp
from PIL import Image
from playwright.async_api import Page

from gateway.models.database import Database
from tests.api_client import Merchant

NAME, EMAIL, CPF, PHONE = "José Pagador", "jose@example.com", "529.982.247-25", "(11) 91234-5678"
TYPED = {"customer_name": NAME, "customer_cpf": CPF, "customer_email": EMAIL, "customer_phone": PHONE}
STORE = "Loja da Ana"
PRODUCT = {
    "name": "Curso de fotografia de rua",
    "description": "Oito aulas ao vivo, turma de sábado de manhã.",
    "price": 129.9,
}
COUPON = {"code": "BEMVINDO10", "discount_type": "percentage", "discount_value": 10}
RETURN_TO = "http://127.0.0.1:9/obrigado?pedido=42"
_AXE = Path(axe_playwright_python.__path__[0], "axe.min.js").read_text(encoding="utf-8")


@dataclass
class Shop:
    """A merchant's shop on a real port, with its pages at `url`."""

    url: str
    merchant: Merchant
    database: Database

    async def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.merchant.api.post(path, body, token=self.merchant.key)
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()["data"]
        return created

    async def link(self, **changes: Any) -> str:
        """Create a payment link that accepts a coupon; return its URL."""
        product = await self.create("/products", PRODUCT)
        body = {"amount": 129.9, "product_id": product["id"], "success_url": RETURN_TO, **changes}
        return f"{self.url}/pay/{(await self.create('/payment-links', body))['slug']}"

    async def coupon(self, **changes: Any) -> None:
        await self.create("/coupons", COUPON | changes)

    async def simulate(self, txid: str) -> None:
        """Simulate a payment in the test environment."""
        paid = await self.merchant.api.post("/pix/simulate-payment", {"txid": txid}, token=self.merchant.key)
        assert paid.status_code == 200, paid.text

    async def notify_status(self, txid: str, status: str) -> None:
        """Set a status that only a notification sets: `canceled`, or `refunded` for a paid charge."""
        async with self.database.transaction() as transaction:
            await transaction.connection.execute(
                "update charges set status = $1, refunded_at = case when $1 = 'refunded' then now() end, refunded_amount = case when $1 = 'refunded' then amount else 0 end where txid = $2",
                status,
                txid,
            )

    async def charge(self, **changes: Any) -> tuple[str, dict[str, Any]]:
        """Issue a charge; return its page's URL and the charge."""
        charge = await self.merchant.issue(success_url=RETURN_TO, **changes)
        return f"{self.url}/pay/c/{charge['txid']}", charge


async def fill(page: Page) -> None:
    """Fill in the payer's details."""
    for name, value in TYPED.items():
        await page.fill(f"#{name}", value)


async def pay(page: Page) -> None:
    """Submit the form, and wait for the charge's page."""
    await page.click("[data-pay]")
    await page.wait_for_url("**/pay/c/*")


def read_qr(shot: bytes) -> str:
    """Return the text of the QR code on a screenshot."""
    code = zxingcpp.read_barcode(Image.open(io.BytesIO(shot)))
    assert code is not None
    return code.text


async def accessibility_violations(page: Page) -> list[str]:
    """Return axe-core's violations, without experimental rules: rule, impact and elements."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE)
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:160]} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
