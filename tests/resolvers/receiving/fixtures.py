"""Merchants, accounts and bank notifications in the receiving mode `subconta`."""

from decimal import Decimal
from typing import Any

import httpx
import orjson
from msgspec.structs import replace

from gateway.models.database import Database
from gateway.resolvers.core.context import Context, Services, system_context
from gateway.security import Vault
from gateway.settings import ReceivingMode, Settings
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import VALID_CNPJ, Api, Merchant

TOKEN = "test-notifications-token-0123456789abcdef"
LIVE_TOKEN = "live-notifications-token-0123456789abcdef"
APPROVED = "ACCOUNT_STATUS_GENERAL_APPROVAL_APPROVED"
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
    "complement": " ",
    "company_type": "LIMITED",
    "site": "https://loja.example",
}
FEES = {"service_fee_percent": Decimal("1.5"), "service_fee_fixed": Decimal("0.305")}


def in_mode(settings: Settings, mode: ReceivingMode, **more: Any) -> Settings:
    """Settings with this receiving mode and a fee."""
    return settings.model_copy(update={"receiving_mode": mode, **FEES, **more})


def with_settings(services: Services, settings: Settings) -> Services:
    return replace(services, settings=settings)


def job(services: Services) -> Context:
    return system_context(services, source="job", request_id=new_id())


async def open_account(merchant: Merchant, token: str | None = None, **changes: Any) -> httpx.Response:
    return await merchant.api.post("/receiving-account", COMPANY | changes, token=token or merchant.token)


async def create_unapproved_account(merchant: Merchant, token: str | None = None, **changes: Any) -> str:
    """Create an unapproved account; returns its id at the engine."""
    answer = await open_account(merchant, token, **changes)
    assert answer.status_code == 201, answer.text
    account_id: str = answer.json()["data"]["account_id"]
    return account_id


async def account(merchant: Merchant, token: str | None = None) -> dict[str, Any]:
    answer = await merchant.api.get("/receiving-account", token=token or merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


def status_notice(account_id: str, event: str = APPROVED, event_id: str | None = None, **fields: Any) -> dict[str, Any]:
    about = {"id": account_id, **fields}
    return {"id": event_id or f"evt_{new_id()}", "event": event, "account": {"id": account_id}, "accountStatus": about}


async def send_notification(api: Api, notification: dict[str, Any], token: str = TOKEN) -> str:
    """Send a notification with the right token; returns its outcome."""
    headers = {"asaas-access-token": token}
    answer = await api.client.post(
        "/engine/notifications/simulator", content=orjson.dumps(notification), headers=headers
    )
    assert answer.status_code == 200, answer.text
    outcome: str = answer.json()["data"]["outcome"]
    return outcome


async def approved(merchant: Merchant, **changes: Any) -> str:
    """Create an approved account; returns its id at the engine."""
    account_id = await create_unapproved_account(merchant, **changes)
    assert await send_notification(merchant.api, status_notice(account_id)) == "applied"
    return account_id


async def make_key_undecryptable(database: Database, merchant: Merchant) -> None:
    """Make the key of the merchant's account undecryptable, as after a changed secret key."""
    query = "update receiving_accounts set secret = $1 where user_id = $2"
    await sql.run(database, query, Vault("another secret key of 32 characters").encrypt("sim_lost"), merchant.id)


async def at_engine(database: Database) -> int:
    """The number of accounts at the bank."""
    found: int = await sql.value(database, "select count(*) from simulator_accounts")
    return found


async def state(database: Database) -> str | None:
    """The state of the only account."""
    found: str | None = await sql.value(database, "select state from receiving_accounts")
    return found
