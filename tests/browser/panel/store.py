"""A store with one of everything, for pages that show it."""

from typing import Any

from gateway.resolvers.core.context import Services
from tests.api_client import Merchant
from tests.browser.panel.pages import send_webhooks
from tests.rows import put_repayment, put_withdrawal

CUSTOMER = {"name": "Carla Cliente", "email": "carla@example.com", "cpf": "529.982.247-25", "phone": "(11) 98765-4321"}


async def create(merchant: Merchant, path: str, body: dict[str, Any]) -> str:
    """Create something over REST. Returns its id."""
    response = await merchant.api.post(path, body, token=merchant.token)
    assert response.status_code == 201, response.text
    found: str = response.json()["data"]["id"]
    return found


async def furnish(owner: Merchant, services: Services) -> dict[str, dict[str, str]]:
    """Create what the pages show. Returns the parameters of the paths below each list."""

    async def newest(path: str) -> str:
        response = await owner.api.get(path, token=owner.token)
        assert response.status_code == 200, response.text
        found: str = response.json()["data"][0]["id"]
        return found

    receiver = await create(owner, "/webhook-endpoints/test-receiver", {})
    product = await create(owner, "/products", {"name": "Camiseta", "price": 79.9, "sku": "CAM-1"})
    coupon = await create(owner, "/coupons", {"code": "NATAL10", "discount_type": "percentage", "discount_value": 10})
    customer = await create(owner, "/customers", CUSTOMER)
    link = await create(owner, "/payment-links", {"title": "Camiseta", "amount": 79.9})
    plan = {"customer_id": customer, "amount": 49.9, "description": "Clube", "interval": "monthly"}
    subscription = await create(owner, "/subscriptions", plan)
    key = await create(owner, "/api-keys", {"name": "Loja virtual", "environment": "test"})
    paid, _ = await owner.issue(), await owner.issue(description="Pedido em aberto")
    await owner.pay(paid["id"])
    await create(owner, "/refunds", {"charge_id": paid["id"], "amount": 1, "reason": "Uma peça a menos"})
    await send_webhooks(services)
    return {
        "/cobrancas": {"id": paid["id"]},
        "/produtos": {"id": product},
        "/cupons": {"id": coupon},
        "/clientes": {"id": customer},
        "/links": {"id": link},
        "/assinaturas": {"id": subscription},
        "/dev/chaves": {"id": key},
        "/dev/eventos": {"id": await newest("/events")},
        "/dev/webhooks": {"id": receiver, "deliveryId": await newest("/webhook-deliveries")},
        "/saldo/saques": {"id": await put_withdrawal(services, owner.id)},
        "/saldo/repasses": {"id": await put_repayment(services, owner.id, environment="test")},
        "/servico/lojistas": {"id": owner.id},
    }
