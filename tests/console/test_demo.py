"""The demo data: whole after the first start, unchanged by the next, and made anew from whatever was lost."""

import json
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import asdict, replace

from gateway.app import Gateway
from gateway.banner import banner
from gateway.demo import seed
from gateway.embedded.defaults import seeds_demo
from gateway.models.database import Database
from gateway.resolvers.context import Services
from gateway.settings import ReceivingMode
from tests.api import Api, charge_order


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "demo.json"


async def counts(database: Database) -> dict[str, int]:
    async with database.pool.acquire() as connection:
        tables = (
            "users",
            "api_keys",
            "customers",
            "charges",
            "products",
            "coupons",
            "payment_links",
            "webhook_endpoints",
        )
        return {table: await connection.fetchval(f"select count(*) from {table}") for table in tables}


async def test_everything_that_is_printed_works(services: Services, api: Api, kept: Path) -> None:
    demo = await seed(services, kept)

    charges = (await api.get("/pix", token=demo.key)).json()["data"]
    assert sorted(charge["status"] for charge in charges) == ["paid", "pending"]
    assert len((await api.get("/customers", token=demo.key)).json()["data"]) == 1
    assert (await api.post("/pix", charge_order(), token=demo.key)).status_code == 201

    page = await api.get(f"{urlsplit(demo.link).path}?cupom=bemvindo10")
    assert "Gerar Pix de R$\u00a0116,91" in page.text

    merchant = await api.post("/auth/login", {"email": demo.email, "password": demo.password})
    assert merchant.json()["data"]["user"]["is_admin"] is False
    staff = await api.post("/auth/login", {"email": demo.staff_email, "password": demo.staff_password})
    assert staff.json()["data"]["user"]["is_admin"] is True

    text = banner("http://127.0.0.1:8000", demo, token="tok-123", inbox=True)
    for shown in asdict(demo).values():
        assert shown in text
    assert "http://127.0.0.1:8000/dev/mail" in text
    assert "tok-123" in text


async def test_the_webhook_secret_signs_what_the_endpoint_gets(
    services: Services, kept: Path, database: Database
) -> None:
    demo = await seed(services, kept)
    async with database.pool.acquire() as connection:
        sealed = await connection.fetchval("select secret from webhook_endpoints")
        waiting = await connection.fetchval("select count(*) from webhook_deliveries")
    assert services.vault.open(sealed) == demo.webhook_secret
    assert waiting == 0, "nothing of the seeding is sent to a terminal that nobody has opened"


async def test_a_restart_changes_nothing(services: Services, kept: Path, database: Database) -> None:
    first, before = await seed(services, kept), await counts(database)
    assert await seed(services, kept) == first
    assert await counts(database) == before
    assert before == {
        "users": 2,
        "api_keys": 1,
        "customers": 1,
        "charges": 2,
        "products": 1,
        "coupons": 1,
        "payment_links": 1,
        "webhook_endpoints": 1,
    }


async def test_where_stores_have_accounts_of_their_own_the_demo_has_one(
    services: Services, kept: Path, database: Database
) -> None:
    settings = services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta})
    own = replace(services, settings=settings)
    first = await seed(own, kept)
    assert await seed(own, kept) == first
    assert (await counts(database))["charges"] == 2
    async with Api.of(Gateway(settings, own)) as api:
        assert (await api.post("/pix", charge_order(), token=first.key)).status_code == 201
    kept.write_text("")
    await seed(own, kept)
    assert (await counts(database))["charges"] == 3, "the company's account is the first merchant's"


async def test_the_credentials_are_private(services: Services, kept: Path) -> None:
    demo = await seed(services, kept)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert json.loads(kept.read_text()) == asdict(demo)
    assert [path.name for path in kept.parent.iterdir()] == ["demo.json"]


async def test_a_key_that_was_revoked_is_replaced(services: Services, api: Api, kept: Path) -> None:
    demo = await seed(services, kept)
    session = (await api.post("/auth/login", {"email": demo.email, "password": demo.password})).json()["data"]
    key = (await api.get("/api-keys", token=demo.key)).json()["data"][0]
    assert (await api.delete(f"/api-keys/{key['id']}", token=session["accessToken"])).status_code == 200
    again = await seed(services, kept)
    assert again.key != demo.key
    assert (await api.get("/auth/me", token=again.key)).status_code == 200


@pytest.mark.parametrize("lost", ["", "not json", '{"email": "x"}'])
async def test_lost_passwords_are_no_obstacle(services: Services, api: Api, kept: Path, lost: str) -> None:
    first = await seed(services, kept)
    kept.write_text(lost)
    again = await seed(services, kept)
    assert again.email != first.email
    assert (await api.get("/auth/me", token=again.key)).status_code == 200
    assert (await api.get("/auth/me", token=first.key)).status_code == 200


async def test_lost_data_is_seeded_again_with_the_same_passwords(services: Services, kept: Path) -> None:
    demo = await seed(services, kept)
    async with services.database.pool.acquire() as connection:
        await connection.execute(
            "set session_replication_role = replica; delete from webhook_endpoints; delete from charges; "
            "delete from simulator_charges; delete from customers; delete from api_keys; delete from users; "
            "reset session_replication_role"
        )
    again = await seed(services, kept)
    assert (again.email, again.password) == (demo.email, demo.password)
    assert again.key != demo.key


@pytest.mark.parametrize(
    ("asked", "configured", "seeds"),
    [
        (None, "", True),
        (None, "postgresql://db/gateway", False),
        (True, "postgresql://db/gateway", True),
        (False, "", False),
        (False, "postgresql://db/gateway", False),
    ],
)
def test_a_configured_database_is_seeded_on_demand_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: bool | None, configured: str, seeds: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEWAY_DATABASE_URL", configured)
    assert seeds_demo(asked) is seeds
    assert ("--demo seeds it" in banner("http://127.0.0.1:8123", None, token="", inbox=False, asked=asked)) is (
        asked is None
    )


def test_without_demo_data_the_banner_says_where_to_click() -> None:
    text = banner("http://127.0.0.1:8123", None, token="", inbox=False)
    assert "http://127.0.0.1:8123/graphql" in text
    assert "password" not in text
    assert "/dev/mail" not in text
