"""`service`: public facts about the deployment, and the demo merchant's login of `gateway dev`."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gateway import __version__
from gateway.app import Gateway
from gateway.dev.app import dev_application
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode, Settings
from tests.api_client import Api

DEMO = {"email": "demo@example.com", "password": "demo-123", "staff_email": "s", "staff_password": "p"}
QUERY = "{ service { developmentMode demo { email password } } }"


async def test_anyone_reads_the_facts(settings: Settings, services: Services) -> None:
    changed = settings.model_copy(
        update={
            "service_fee_percent": Decimal("2.5"),
            "service_fee_fixed": Decimal("0.39"),
            "receiving_mode": ReceivingMode.subconta,
            "staff_requires_2fa": True,
            "checkout_url": "https://pague.example",
            "terms_url": "https://example.com/termos",
            "documents_url": None,
        }
    )
    async with Api.of(Gateway(changed, replace(services, settings=changed))) as api:
        facts = (await api.get("/service")).json()["data"]
    assert facts == {
        "name": "Gateway Pix",
        "version": __version__,
        "receiving_mode": "subconta",
        "minimum_amount": 5,
        "fee_percent": 2.5,
        "fee_fixed": 0.39,
        "session_hours": 1,
        "external_login": settings.appwrite_endpoint is not None,
        "documents": False,
        "staff_requires_two_factor": True,
        "development_mode": False,
        "checkout_url": "https://pague.example",
        "terms_url": "https://example.com/termos",
        "demo": None,
    }


async def test_only_gateway_dev_has_a_demo_login(api: Api) -> None:
    assert await api.graphql(QUERY) == {"data": {"service": {"developmentMode": False, "demo": None}}}


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1:8000", True), ("localhost:8000", True), ("[::1]:8000", True), ("attacker.example", False)],
)
async def test_the_demo_login_is_shown_to_this_machine_only(
    settings: Settings, services: Services, tmp_path: Path, host: str, shown: bool
) -> None:
    file = tmp_path / "demo.json"
    async with Api.of(dev_application(settings, services, demo_file=file)) as api:
        assert await demo_login(api, host) is None, "it is not written yet"
        file.write_text(json.dumps(DEMO | {"webhook_secret": "w"}))
        login = {"email": DEMO["email"], "password": DEMO["password"]}
        assert await demo_login(api, host) == (login if shown else None)
        assert ((await api.get("/service", host=host)).json()["data"]["demo"] is not None) is shown


async def test_without_demo_data_there_is_no_demo_login(settings: Settings, services: Services) -> None:
    async with Api.of(dev_application(settings, services)) as api:
        assert await api.graphql(QUERY) == {"data": {"service": {"developmentMode": True, "demo": None}}}


async def demo_login(api: Api, host: str) -> dict[str, Any] | None:
    answer = await api.request("POST", "/graphql", {"query": QUERY}, host=host)
    found: dict[str, Any] | None = answer.json()["data"]["service"]["demo"]
    return found
