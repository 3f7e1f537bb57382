"""Fixtures: the application with a bank of the Central Bank's Pix API as its test engine."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.services import open_services
from gateway.settings import Settings
from tests.api_client import Api, Merchant
from tests.engines.engine_fixtures import bank_settings
from tests.engines.fake_bcb import FakeBcb
from tests.engines.fake_http import Json
from tests.fake_clock import MovedClock
from tests.sql import rows

TOKEN = "bank-notifications-0a9b8c7d6e5f4a3b2c1d0e"


@pytest.fixture
def configured(settings: Settings, fake_bank: FakeBcb, tmp_path: Path) -> Settings:
    values = {
        "engine_test": "bcb",
        "engine_test_token": TOKEN,
        "bcb_test": bank_settings(fake_bank, tmp_path).model_dump(),
        "base_url": "https://gateway.example.com",
    }
    return Settings.model_validate(settings.model_dump() | values)


@pytest.fixture
async def services(
    configured: Settings, database: Database, clock: MovedClock, fresh_redis: None
) -> AsyncIterator[Services]:
    async with open_services(configured, clock=clock) as opened:
        yield opened


@pytest.fixture
async def api(configured: Settings, services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(configured, services)) as opened:
        yield opened


@pytest.fixture
async def merchant(api: Api) -> Merchant:
    return await api.register_merchant()


async def deliver(api: Api, body: Any, *, token: str = TOKEN, suffix: str = "/pix") -> str:
    """The outcome of a callback, or the status of a refusal."""
    answer = await api.post(f"/engine/notifications/bcb/{token}{suffix}", body)
    return str(answer.json()["data"]["outcome"] if answer.status_code == 200 else answer.status_code)


async def read(merchant: Merchant, charge: Json) -> Json:
    found: Json = (await merchant.api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    return found


async def differences(database: Database) -> list[str]:
    found = await rows(database, "select kind from reconciliation_discrepancies where resolved_at is null order by 1")
    return [row["kind"] for row in found]
