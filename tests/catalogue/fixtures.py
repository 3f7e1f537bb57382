"""Valid request bodies, and records created through the API."""

from typing import Any

from tests.api_client import Merchant

CPFS = ["52998224725", "11144477735", "39053344705", "86288366757", "28625587887"]


def product_order(**changes: Any) -> dict[str, Any]:
    return {"name": "Curso de violão", "price": 100.0, **changes}


def coupon_order(**changes: Any) -> dict[str, Any]:
    return {"code": "PROMO10", "discount_type": "percentage", "discount_value": 10, **changes}


def link_order(**changes: Any) -> dict[str, Any]:
    return {"title": "Aula avulsa", "amount": 80.0, **changes}


def payer(**changes: Any) -> dict[str, Any]:
    return {"name": "Maria Pagadora", "email": "maria@example.com", "cpf": "529.982.247-25", **changes}


async def created(merchant: Merchant, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create a record; returns the API's `data`."""
    response = await merchant.api.post(path, body, token=merchant.key)
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()["data"]
    return answer


async def a_product(merchant: Merchant, **changes: Any) -> dict[str, Any]:
    return await created(merchant, "/products", product_order(**changes))


async def a_coupon(merchant: Merchant, **changes: Any) -> dict[str, Any]:
    return await created(merchant, "/coupons", coupon_order(**changes))


async def a_link(merchant: Merchant, **changes: Any) -> dict[str, Any]:
    return await created(merchant, "/payment-links", link_order(**changes))


async def uses_of(merchant: Merchant, path: str) -> int:
    """The `uses_count` of the record at `path`."""
    count: int = (await merchant.api.get(path, token=merchant.key)).json()["data"]["uses_count"]
    return count
