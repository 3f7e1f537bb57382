"""Examples of the models that a reader looks at first. A test holds each against its schema; nobody in them exists."""

from typing import Any

from gateway.engines.br_code import build_dynamic

_ID = "0198f3c2-5d0e-7c31-9b55-6a1c3f0c9f10"
_TXID = "4f6e9b556a1c3f0c9f100198f3c25d0e"
_PAYER = {
    "customer_name": "Maria da Silva",
    "customer_email": "maria@example.com",
    "customer_cpf": "52998224725",
}

CHARGE: dict[str, Any] = {
    "id": _ID,
    "user_id": "0198f3b0-11aa-7d02-8c44-0d9d7b8f3f11",
    "environment": "test",
    "txid": _TXID,
    "status": "pending",
    "description": "Pedido 1042",
    "amount": 129.9,
    "original_amount": 129.9,
    "discount_amount": 0.0,
    "fee_amount": 0.0,
    "net_amount": 129.9,
    "customer_id": None,
    **_PAYER,
    "customer_phone": None,
    "product_id": None,
    "coupon_id": None,
    "coupon_code": None,
    "subscription_id": None,
    "payment_link_id": None,
    "external_reference": "pedido-1042",
    "metadata": {"loja": "centro"},
    "success_url": None,
    "cancel_url": None,
    "expires_at": "2026-11-22T12:00:00Z",
    "due_date": None,
    "pix_code": build_dynamic(
        url="pix.example.com/simulator/pix/pay_4f6e9b556a1c3f0c",
        amount=12_990,
        merchant_name="Loja da Ana",
        merchant_city="BRASILIA",
    ),
    "end_to_end_id": None,
    "paid_at": None,
    "paid_late": False,
    "store_name": None,
    "store_document": None,
    "created_at": "2026-11-21T12:00:00Z",
    "updated_at": "2026-11-21T12:00:00Z",
    "checkout_url": f"https://pix.example.com/pay/c/{_TXID}",
    "receipt_url": None,
    "qr_code_url": "data:image/png;base64,iVBORw0KGgo…",
}
PAID = CHARGE | {
    "status": "paid",
    "qr_code_url": None,
    "end_to_end_id": "E99999999202611211205aB3dE5fG7hJ",
    "paid_at": "2026-11-21T12:05:00Z",
    "updated_at": "2026-11-21T12:05:00Z",
    "store_name": "Loja da Ana",
    "store_document": "11222333000181",
    "receipt_url": f"https://pix.example.com/pay/c/{_TXID}",
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "Charge": CHARGE,
    "IssueCharge": {
        "amount": 129.9,
        "description": "Pedido 1042",
        **_PAYER,
        "external_reference": "pedido-1042",
    },
    "RegisterCharge": {
        "amount": 89.0,
        "description": "Mensalidade de dezembro",
        **_PAYER,
        "due_date": "2026-12-05T12:00:00Z",
    },
    "Register": {
        "name": "Ana Souza",
        "email": "ana@example.com",
        "password": "uma senha bem comprida",
        "cnpj": "11.222.333/0001-81",
        "company": "Loja da Ana",
    },
    "Login": {"email": "ana@example.com", "password": "uma senha bem comprida"},
    "ExternalLogin": {"appwriteJwt": "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VySWQiOiI2NmY0In0.c2lnbmF0dXJl"},
    "Onboarding": {
        "origin": "indicação",
        "store_name": "Loja da Ana",
        "cnpj": "11.222.333/0001-81",
        "segment": "educação",
        "monthly_revenue": 12000.0,
    },
    "CreateRoadmapItem": {"title": "Pix automático", "category": "cobranças", "status": "planned"},
    "CreateApiKey": {"name": "minha loja", "environment": "test"},
    "OpenReceivingAccount": {
        "company_name": "Loja da Ana Ltda.",
        "email": "financeiro@loja.example",
        "cnpj": "11.222.333/0001-81",
        "phone": "(11) 98765-4321",
        "monthly_revenue": 25000,
        "address": "Rua das Flores",
        "address_number": "123",
        "province": "Centro",
        "postal_code": "01310-100",
        "company_type": "LIMITED",
    },
    "CreateCustomer": {"name": "Maria da Silva", "email": "maria@example.com", "cpf": "529.982.247-25"},
    "CreateWebhookEndpoint": {"name": "minha loja", "url": "https://loja.example/webhooks", "events": ["charge.paid"]},
    "WhichCharge": {"id": _ID},
    "CreateProduct": {
        "name": "Curso de violão",
        "price": 249.9,
        "sku": "VIO-1",
        "image_url": "https://loja.example/violao.png",
    },
    "CreateCoupon": {"code": "NATAL10", "discount_type": "percentage", "discount_value": 10, "max_uses": 100},
    "CreateSubscription": {
        "customer_name": "João Pereira",
        "customer_email": "joao@example.com",
        "customer_cpf": "529.982.247-25",
        "description": "Plano ouro",
        "amount": 49.9,
        "interval": "monthly",
        "next_billing_at": "2099-01-31T10:00:00-03:00",
    },
    "RequestWithdrawal": {"amount": 250.0, "pix_key": "financeiro@loja.example", "pix_key_type": "email"},
    "RecordRepayment": {
        "store_id": "0198f3b0-11aa-7d02-8c44-0d9d7b8f3f11",
        "paid_from": "2026-11-01T03:00:00Z",
        "paid_to": "2026-12-01T02:59:59Z",
    },
    "CreatePaymentLink": {"title": "Aula avulsa", "amount": 80.0, "success_url": "https://loja.example/obrigado"},
}
