"""Refunds of merchants."""

from typing import Any

import httpx

from tests.api_client import Merchant


async def paid_charge(merchant: Merchant, amount: float = 100, **changes: Any) -> dict[str, Any]:
    charge = await merchant.issue(amount=amount, **changes)
    return await merchant.pay(charge["id"])


async def order_refund(merchant: Merchant, charge: dict[str, Any], **order: Any) -> httpx.Response:
    return await merchant.api.post("/refunds", {"charge_id": charge["id"], **order}, token=merchant.key)


async def refund(merchant: Merchant, charge: dict[str, Any], **order: Any) -> dict[str, Any]:
    """Order a refund; returns the API's `data`."""
    answer = await order_refund(merchant, charge, **order)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["data"]
    return made


async def read(merchant: Merchant, path: str) -> dict[str, Any]:
    answer = await merchant.api.get(path, token=merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


async def charge_of(merchant: Merchant, charge: dict[str, Any]) -> tuple[str, float]:
    """Status and refunded amount of a charge now."""
    found = await read(merchant, f"/pix/{charge['id']}")
    return found["status"], found["refunded_amount"]


async def available(merchant: Merchant) -> tuple[float, float]:
    """The available and the pending amount of the balance."""
    found = await read(merchant, "/withdrawals/summary")
    return found["available_amount"], found["pending_amount"]
