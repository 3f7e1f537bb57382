"""Fields that only the gateway sets can't be sent, by their names in responses or in tables."""

from typing import Any

import pytest

from gateway.models.tables import metadata
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.operation import Operation
from gateway.rest_compat.routes import ENDPOINTS
from tests.api.rows import difference, everything
from tests.api_client import Api, charge_order

GATEWAY_FIELDS = {
    *("user_id", "is_admin", "production_status", "session_version", "password_hash", "key_hash", "key"),
    *("paid_at", "paid_late", "end_to_end_id", "pix_code", "fee_amount", "net_amount", "uses_count"),
    *("created_at", "updated_at", "completed_at", "votes_count", "engine", "engine_id", "hash", "prev_hash"),
}
SENT: dict[str, Any] = dict.fromkeys(GATEWAY_FIELDS, "2020-01-01T00:00:00Z") | {
    "user_id": "01890000-0000-7000-8000-000000000000",
    "is_admin": True,
    "production_status": "approved",
    "fee_amount": 0,
    "paid_late": True,
    "uses_count": 99,
    "id": "01890000-0000-7000-8000-000000000001",
}
CALLS = [
    ("PUT", "/auth/profile", {"name": "Ana"}),
    ("POST", "/pix", charge_order() | {"txid": "x" * 32}),
    ("POST", "/charges", charge_order()),
    ("POST", "/customers", {"name": "Maria"}),
    ("POST", "/products", {"name": "Violão", "price": 300}),
    ("POST", "/coupons", {"code": "promo10", "discount_type": "percentage", "discount_value": 10}),
    ("POST", "/payment-links", {"amount": 80}),
    ("POST", "/subscriptions", {"customer_name": "Maria", "amount": 50}),
    ("POST", "/api-keys", {"name": "loja", "environment": "test"}),
    ("POST", "/webhook-endpoints", {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}),
    ("POST", "/members", {"email": "nova@example.com", "role": "viewer"}),
]


CHANGING = [
    endpoint.operation
    for endpoint in ENDPOINTS
    if endpoint.method in {"POST", "PUT"} and endpoint.operation.permission not in {Permission.public, Permission.staff}
]
"""Operations by which merchants change data. Staff and engines report data of the bank."""


@pytest.mark.parametrize("operation", CHANGING, ids=lambda operation: operation.name)
def test_no_input_has_a_member_that_only_the_gateway_sets(operation: Operation[Any, Any]) -> None:
    assert set(operation.input_type.model_fields) & GATEWAY_FIELDS == set()


def test_most_names_are_columns() -> None:
    columns = {column.name for table in metadata.sorted_tables for column in table.c}
    assert len(GATEWAY_FIELDS & columns) > len(GATEWAY_FIELDS) * 3 / 4


@pytest.mark.parametrize(("method", "path", "body"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
async def test_protected_fields_cannot_be_set(api: Api, method: str, path: str, body: dict[str, object]) -> None:
    wrote = []
    for sent in (body, SENT | body):
        merchant = await api.register_merchant()
        before = await everything(api.services.database)
        answer = await api.request(method, path, sent, token=merchant.token)
        assert answer.status_code in {200, 201}, answer.text
        after = await everything(api.services.database)
        assert SENT["user_id"] not in repr(after)
        wrote.append(difference(before, after))
    assert wrote[0] == wrote[1]
