"""A store with one of everything, for pages that show it."""

from typing import Any

from tests.api_client import Merchant

CUSTOMER = {"name": "Carla Cliente", "email": "carla@example.com", "cpf": "529.982.247-25", "phone": "(11) 98765-4321"}


async def furnish(owner: Merchant) -> dict[str, str]:
    """Create what the pages show. Returns the ids by the path of the list."""

    async def create(path: str, body: dict[str, Any]) -> str:
        response = await owner.api.post(path, body, token=owner.token)
        assert response.status_code == 201, response.text
        found: str = response.json()["data"]["id"]
        return found

    paid, _ = await owner.issue(), await owner.issue(description="Pedido em aberto")
    await owner.pay(paid["id"])
    product = await create("/products", {"name": "Camiseta", "price": 79.9, "sku": "CAM-1"})
    coupon = await create("/coupons", {"code": "NATAL10", "discount_type": "percentage", "discount_value": 10})
    customer = await create("/customers", CUSTOMER)
    subscription = {"customer_id": customer, "amount": 49.9, "description": "Clube", "interval": "monthly"}
    return {
        "/cobrancas": paid["id"],
        "/produtos": product,
        "/cupons": coupon,
        "/clientes": customer,
        "/links": await create("/payment-links", {"title": "Camiseta", "amount": 79.9}),
        "/assinaturas": await create("/subscriptions", subscription),
        "/servico/lojistas": owner.id,
        "/dev/chaves": await create("/api-keys", {"name": "Loja virtual", "environment": "test"}),
        "/dev/webhooks": await create("/webhook-endpoints", {"name": "loja", "url": "https://example.com/pix"}),
    }
