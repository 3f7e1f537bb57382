"""`GATEWAY_ENGINE_LIVE` unset: no store is approved, and live stores issue nothing."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.services import open_services
from gateway.settings import Settings, load_settings
from tests.api.actors import set_status
from tests.api_client import Api, Merchant, charge_order
from tests.applicants import decide, staff_member
from tests.fake_clock import MovedClock
from tests.sql import value

REQUIRED = {"database_url": "postgresql://x/y", "redis_url": "redis://x", "secret_key": "k" * 40}


@pytest.fixture
async def services(
    settings: Settings, database: Database, clock: MovedClock, fresh_redis: None
) -> AsyncIterator[Services]:
    unset = settings.model_copy(update={"engine_live": None})
    async with open_services(unset, clock=clock) as opened:
        yield opened


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@pytest.fixture
async def merchant(api: Api) -> Merchant:
    return await api.register_merchant()


def test_it_has_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GATEWAY_ENGINE_LIVE", raising=False)
    assert load_settings(_env_file=None, **REQUIRED).engine_live is None
    assert load_settings(_env_file=None, **REQUIRED, engine_live="").engine_live is None


@pytest.mark.parametrize(("decision", "status"), [("aprovar", "pending"), ("reativar", "suspended")])
async def test_no_store_is_approved(
    api: Api, merchant: Merchant, services: Services, database: Database, decision: str, status: str
) -> None:
    await set_status(database, merchant, status)
    refused = await decide(await staff_member(api, services), merchant, decision)
    assert refused.status_code == 409
    assert "GATEWAY_ENGINE_LIVE" in refused.json()["error"]["message"]
    assert await value(database, "select production_status from users where id = $1", merchant.id) == status


async def test_live_issuing_is_a_clear_502_and_test_works(api: Api, merchant: Merchant, database: Database) -> None:
    await set_status(database, merchant, "approved")
    session = await api.post("/auth/environment", {"environment": "live"}, token=merchant.token)
    token = session.json()["data"]["accessToken"]
    refused = await api.post("/pix", charge_order(), token=token)
    assert refused.status_code == 502
    assert "provedor de pagamentos para produção" in refused.json()["error"]["message"]
    assert "ovamente" not in refused.text
    assert await value(database, "select count(*) from charges") == 0
    assert await value(database, "select count(*) from issuances") == 0
    await merchant.issue()


@pytest.mark.parametrize(("engine", "warns"), [("", True), ("simulator", False)])
def test_the_api_warns_at_its_start(tmp_path: Path, engine: str, warns: bool) -> None:
    issued = {f"GATEWAY_{name.upper()}": text for name, text in REQUIRED.items()}
    clean = {name: text for name, text in os.environ.items() if not name.startswith("GATEWAY_")}
    found = subprocess.run(
        [sys.executable, "-c", "from gateway.app import create_app; create_app()"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=clean | issued | {"GATEWAY_ENGINE_LIVE": engine, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert ("live_engine_missing" in found.stdout + found.stderr) is warns
