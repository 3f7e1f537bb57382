"""One example of every kind of email."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from gateway.integrations.engines.br_code import build_dynamic
from gateway.resolvers.email.account_templates import (
    Invitation,
    PasswordChanged,
    PasswordReset,
    ProductionApproved,
    ProductionRefused,
    ProductionSuspended,
    TwoFactorChange,
    TwoFactorChanged,
)
from gateway.resolvers.email.payment_templates import (
    MerchantNotice,
    PayerReceipt,
    PayerRefund,
    PaymentRequest,
    RefundRejected,
    WithdrawalRejected,
    WithdrawalRequested,
)
from gateway.resolvers.email.templates import TemplateData
from gateway.resolvers.email.webhook_templates import (
    WebhookDeliveriesExhausted,
    WebhookEndpointDisabled,
    WebhookEndpointFailing,
    WebhookEndpointGone,
)

AT = datetime(2026, 11, 21, 17, 32, tzinfo=UTC)
STORE = "019aa000-0000-7000-8000-000000000001"
PAYMENT: dict[str, Any] = {
    "charge_id": "019aa000-0000-7000-8000-00000000000a",
    "environment": "live",
    "amount": 12990,
    "paid_at": AT,
    "description": "Pedido 1042 · 2 camisetas & 1 boné",
    "store_name": "Loja da Ana",
    "customer_name": "José Pagador",
    "customer_document": "***.982.247-**",
    "txid": "0123456789abcdef0123456789abcdef",
    "end_to_end_id": "E12345678202611211732abcdefghijk",
    "receipt_url": "https://pague.exemplo.com.br/pay/c/0123456789abcdef0123456789abcdef",
}
ENDPOINT: dict[str, Any] = {
    "endpoint_id": "019aa000-0000-7000-8000-00000000000b",
    "name": "ERP da loja",
    "url": "https://erp.exemplo.com.br/webhooks/pix",
    "environment": "live",
}
WITHDRAWAL: dict[str, Any] = {
    "withdrawal_id": "019aa000-0000-7000-8000-00000000000d",
    "environment": "live",
    "amount": 125000,
    "pix_key": "f***@loja.example",
    "at": AT,
}
ACCOUNT: dict[str, Any] = {"email": "ana@exemplo.com.br", "ip": "203.0.113.7"}
REVIEW: dict[str, Any] = {"store_id": STORE, "store_name": "Loja da Ana", "reviewed_at": AT}


def receipt(**changes: Any) -> PayerReceipt:
    own = {
        "store_document": "11.***.***/0001-**",
        "original_amount": 14990,
        "discount_amount": 2000,
        "store_email": "ana@exemplo.com.br",
    }
    return PayerReceipt.model_validate(PAYMENT | own | changes)


def request(**changes: Any) -> PaymentRequest:
    own = {
        "charge_id": PAYMENT["charge_id"],
        "send_id": "019aa000-0000-7000-8000-00000000000e",
        "environment": "live",
        "amount": 12990,
        "original_amount": 14990,
        "discount_amount": 2000,
        "description": PAYMENT["description"],
        "store_name": "Loja da Ana",
        "store_document": "11.***.***/0001-**",
        "store_email": "ana@exemplo.com.br",
        "expires_at": AT,
        "pix_code": build_dynamic(
            url="pix.example.com/simulator/pix/pay_4f6e9b556a1c3f0c",
            amount=12_990,
            merchant_name="Loja da Ana",
            merchant_city="BRASILIA",
        ),
        "checkout_url": PAYMENT["receipt_url"],
        "txid": PAYMENT["txid"],
    }
    return PaymentRequest.model_validate(own | changes)


def notice(**changes: Any) -> MerchantNotice:
    own = {"customer_email": "jose@exemplo.com.br", "external_reference": "pedido-1042", "fee_amount": 260}
    return MerchantNotice.model_validate(PAYMENT | own | changes)


def gone(**changes: Any) -> WebhookEndpointGone:
    return WebhookEndpointGone.model_validate(ENDPOINT | {"at": AT} | changes)


def invitation(**changes: Any) -> Invitation:
    own = {
        "member_id": "019aa000-0000-7000-8000-00000000000c",
        "store_name": "Loja da Ana",
        "inviter_name": "Ana Lojista",
        "role": "operator",
        "expires_at": datetime(2026, 11, 28, 17, 32, tzinfo=UTC),
        "token": "convite-Zm9vYmFyYmF6cXV4",
    }
    return Invitation.model_validate(own | changes)


def every_kind() -> list[TemplateData]:
    """One of each kind."""
    return [
        receipt(),
        request(),
        notice(),
        WebhookEndpointDisabled(**ENDPOINT, at=AT, failing_since=datetime(2026, 11, 16, 9, 0, tzinfo=UTC)),
        gone(),
        WebhookEndpointFailing(**ENDPOINT, hours=24, failing_since=AT, last_problem="resposta 503"),
        WebhookDeliveriesExhausted(**ENDPOINT, day=date(2026, 11, 20), deliveries=1200),
        invitation(),
        ProductionApproved(**REVIEW),
        ProductionRefused(**REVIEW, reason="O comprovante de endereço está ilegível.\nEnvie uma foto mais nítida."),
        ProductionSuspended(**REVIEW, reason="Aguardamos sua resposta ao contato da equipe."),
        WithdrawalRequested(**WITHDRAWAL, requested_by="Bia Caixa"),
        WithdrawalRejected(**WITHDRAWAL, reason="A chave Pix não existe mais."),
        PayerRefund(
            refund_id="019aa000-0000-7000-8000-00000000000d",
            environment="live",
            amount=2990,
            paid_amount=12990,
            reason="Item sem estoque",
            at=AT,
            store_name="Loja da Ana",
            store_email="ana@loja.example",
            description="Pedido 1042",
            end_to_end_id="E12345678202611221200abcDEF12345",
            receipt_url="https://pague.exemplo.com.br/pay/c/0123456789abcdef0123456789abcdef",
        ),
        RefundRejected(
            refund_id="019aa000-0000-7000-8000-00000000000d",
            charge_id="019aa000-0000-7000-8000-00000000000e",
            environment="live",
            amount=2990,
            at=AT,
            customer_name="José Exemplo",
            reason="A conta do pagador foi encerrada.",
        ),
        PasswordReset(**ACCOUNT, requested_at=AT, expires_at=AT + timedelta(hours=1), token="nova-Zm9vYmFyYmF6cXV4"),
        PasswordChanged(**ACCOUNT, user_id=STORE, at=AT, by_mail=True),
        TwoFactorChanged(**ACCOUNT, user_id=STORE, at=AT, change=TwoFactorChange.disabled),
    ]
