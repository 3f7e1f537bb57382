"""Withdrawals of merchants, and notifications of the bank."""

from typing import Any

import httpx
import orjson

from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import VALID_CNPJ, Api, Merchant

TOKEN = "test-notifications-token-0123456789abcdef"
LIVE_TOKEN = "live-notifications-token-0123456789abcdef"
KEY = {"pix_key": "ana@loja.example", "pix_key_type": "email"}
COMPANY = {
    "company_name": "Loja da Ana Ltda.",
    "email": "financeiro@loja.example",
    "cnpj": VALID_CNPJ,
    "phone": "(11) 98765-4321",
    "monthly_revenue": 25000.5,
    "address": "Rua das Flores",
    "address_number": "123",
    "province": "Centro",
    "postal_code": "01310-100",
}


def job(services: Services) -> Context:
    return system_context(services, source="job", request_id=new_id())


async def open_account(merchant: Merchant, cnpj: str = VALID_CNPJ) -> str:
    """Create an approved account; returns its id at the engine."""
    answer = await merchant.api.post("/receiving-account", COMPANY | {"cnpj": cnpj}, token=merchant.token)
    assert answer.status_code == 201, answer.text
    account_id: str = answer.json()["data"]["account_id"]
    event = {"id": new_id(), "event": "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED", "account": {"id": account_id}}
    assert await send_notification(merchant.api, event) == "applied"
    return account_id


async def earn(merchant: Merchant, *amounts: float) -> list[str]:
    """Create paid charges of these amounts; returns their ids."""
    ids = [(await merchant.issue(amount=amount))["id"] for amount in amounts]
    for charge_id in ids:
        assert (await merchant.pay(charge_id))["status"] == "paid"
    return ids


async def request_withdrawal(
    merchant: Merchant, amount: Any = 40, *, token: str | None = None, **more: Any
) -> httpx.Response:
    headers = {"idempotency_key": more.pop("idempotency_key")} if "idempotency_key" in more else {}
    order = {"amount": amount, **KEY, **more}
    return await merchant.api.post("/withdrawals", order, token=token or merchant.key, **headers)


async def create_withdrawal(merchant: Merchant, amount: float = 40, **more: Any) -> dict[str, Any]:
    """Create a withdrawal; returns the API's `data`."""
    answer = await request_withdrawal(merchant, amount, **more)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["data"]
    return made


async def read(merchant: Merchant, withdrawal: dict[str, Any]) -> dict[str, Any]:
    answer = await merchant.api.get(f"/withdrawals/{withdrawal['id']}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


async def summary(merchant: Merchant, token: str | None = None) -> dict[str, Any]:
    answer = await merchant.api.get("/withdrawals/summary", token=token or merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


async def send_notification(api: Api, notification: dict[str, Any], token: str = TOKEN) -> str:
    """Send a notification with the right token; returns its outcome."""
    headers = {"asaas-access-token": token}
    answer = await api.client.post(
        "/engine/notifications/simulator", content=orjson.dumps(notification), headers=headers
    )
    assert answer.status_code == 200, answer.text
    outcome: str = answer.json()["data"]["outcome"]
    return outcome


def transfer_notice(
    withdrawal: dict[str, Any], event: str = "TRANSFER_DONE", event_id: str | None = None, **fields: Any
) -> dict[str, Any]:
    """A notification about a transfer, with our reference. `id` adds the engine's id."""
    about = {"externalReference": withdrawal["id"], **fields}
    return {"id": event_id or f"evt_{new_id()}", "event": event, "transfer": about}


async def transfer_of(database: Database, withdrawal: dict[str, Any]) -> str:
    """The transfer's id at the simulator."""
    found: str = await sql.value(
        database, "select id from simulator_transfers where external_reference = $1", withdrawal["id"]
    )
    return found


async def finish(merchant: Merchant, withdrawal: dict[str, Any], event: str = "TRANSFER_DONE", **fields: Any) -> str:
    """Complete the transfer at the bank; returns the outcome of the notification."""
    engine_id = await transfer_of(merchant.api.services.database, withdrawal)
    return await send_notification(merchant.api, transfer_notice(withdrawal, event, id=engine_id, **fields))


async def events(database: Database) -> list[str]:
    """The events about withdrawals, in order of insertion."""
    found = await sql.rows(
        database, "select type from webhook_events where type like 'withdrawal.%' order by created_at, id"
    )
    return [row["type"] for row in found]
