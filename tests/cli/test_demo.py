"""The demo data: created at the first start, unchanged by later starts, and created again if lost."""

import json
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import asdict, replace

from gateway.app import Gateway
from gateway.dev.banner import banner
from gateway.dev.demo import Demo, prepare, seed
from gateway.dev.embedded.defaults import seeds_demo
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.two_factor.codes import current_step
from gateway.security import totp
from gateway.settings import ReceivingMode, Settings
from tests.api_client import Api, charge_order


@pytest.fixture
def demo_file(tmp_path: Path) -> Path:
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


async def test_every_printed_credential_works(services: Services, api: Api, demo_file: Path) -> None:
    demo = await seed(services, demo_file)

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
    for value in (demo.email, demo.password, demo.staff_email, demo.staff_password, demo.key, demo.link):
        assert value in text
    assert demo.webhook_secret in text
    assert "http://127.0.0.1:8000/dev/mail" in text
    assert "tok-123" in text
    first = text.splitlines()[2]
    assert first == f"  Panel          http://127.0.0.1:8000/painel  log in with {demo.email}  password {demo.password}"
    assert "/painel" not in banner("http://127.0.0.1:8000", demo, token="", inbox=False, panel=False)


async def test_the_printed_webhook_secret_is_the_endpoint_s(
    services: Services, demo_file: Path, database: Database
) -> None:
    demo = await seed(services, demo_file)
    async with database.pool.acquire() as connection:
        secret = await connection.fetchval("select secret from webhook_endpoints")
        waiting = await connection.fetchval("select count(*) from webhook_deliveries")
    assert services.vault.decrypt(secret) == demo.webhook_secret
    assert waiting == 0, "seeding sends no webhook, since no terminal listens yet"


async def test_a_restart_changes_nothing(services: Services, demo_file: Path, database: Database) -> None:
    first, before = await seed(services, demo_file), await counts(database)
    assert await seed(services, demo_file) == first
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


async def test_the_demo_store_gets_a_sub_account_if_stores_have_them(
    services: Services, demo_file: Path, database: Database
) -> None:
    settings = services.settings.model_copy(update={"receiving_mode": ReceivingMode.subconta})
    own = replace(services, settings=settings)
    first = await seed(own, demo_file)
    assert await seed(own, demo_file) == first
    assert (await counts(database))["charges"] == 2
    async with Api.of(Gateway(settings, own)) as api:
        assert (await api.post("/pix", charge_order(), token=first.key)).status_code == 201
    demo_file.write_text("")
    await seed(own, demo_file)
    assert (await counts(database))["charges"] == 3, "the company's account belongs to the first merchant"


async def test_the_credentials_are_private(services: Services, demo_file: Path) -> None:
    demo = await seed(services, demo_file)
    assert stat.S_IMODE(demo_file.stat().st_mode) == 0o600
    assert json.loads(demo_file.read_text()) == asdict(demo)
    assert [path.name for path in demo_file.parent.iterdir()] == ["demo.json"]


async def test_a_revoked_key_is_replaced(services: Services, api: Api, demo_file: Path) -> None:
    demo = await seed(services, demo_file)
    session = (await api.post("/auth/login", {"email": demo.email, "password": demo.password})).json()["data"]
    key = (await api.get("/api-keys", token=demo.key)).json()["data"][0]
    assert (await api.delete(f"/api-keys/{key['id']}", token=session["accessToken"])).status_code == 200
    again = await seed(services, demo_file)
    assert again.key != demo.key
    assert (await api.get("/auth/me", token=again.key)).status_code == 200


async def _session(api: Api, demo: Demo) -> str:
    login = await api.post("/auth/login", {"email": demo.email, "password": demo.password})
    token: str = login.json()["data"]["accessToken"]
    return token


async def _customer_without_document(api: Api, demo: Demo) -> None:
    assert (await api.post("/customers", {"name": "Maria"}, token=demo.key)).status_code == 201


async def _no_customer(api: Api, demo: Demo) -> None:
    customer = (await api.get("/customers", token=demo.key)).json()["data"][0]
    assert (await api.delete(f"/customers/{customer['id']}", token=demo.key)).status_code == 200


async def _link_off(api: Api, demo: Demo) -> None:
    link = (await api.get("/payment-links", token=demo.key)).json()["data"][0]
    assert (await api.put(f"/payment-links/{link['id']}", {"active": False}, token=demo.key)).status_code == 200


async def _no_link(api: Api, demo: Demo) -> None:
    link = (await api.get("/payment-links", token=demo.key)).json()["data"][0]
    assert (await api.delete(f"/payment-links/{link['id']}", token=demo.key)).status_code == 200


async def _cheap_product(api: Api, demo: Demo) -> None:
    product = (await api.get("/products", token=demo.key)).json()["data"][0]
    assert (
        await api.put(f"/products/{product['id']}", {"price": 1, "active": False}, token=demo.key)
    ).status_code == 200


async def _second_factor(api: Api, demo: Demo) -> None:
    token = await _session(api, demo)
    secret = (await api.post("/auth/two-factor", {"password": demo.password}, token=token)).json()["data"]["secret"]
    code = totp(secret, current_step(api.services.clock.now()))
    assert (await api.post("/auth/two-factor/confirm", {"code": code}, token=token)).status_code == 200


@pytest.mark.parametrize(
    "change",
    [_customer_without_document, _no_customer, _link_off, _no_link, _cheap_product, _second_factor],
)
async def test_a_restart_keeps_the_user_s_changes(
    services: Services, api: Api, demo_file: Path, database: Database, change: Callable[[Api, Demo], Awaitable[None]]
) -> None:
    demo = await seed(services, demo_file)
    await change(api, demo)
    before = await counts(database)
    again = await seed(services, demo_file)
    assert (again.email, again.password, again.key) == (demo.email, demo.password, demo.key)
    assert await counts(database) == before


async def test_the_coupon_is_printed_while_the_link_accepts_it(services: Services, api: Api, demo_file: Path) -> None:
    demo = await seed(services, demo_file)
    assert f"{demo.link}  takes the coupon BEMVINDO10" in banner("http://127.0.0.1:8000", demo, token="", inbox=False)
    coupon = (await api.get("/coupons", token=demo.key)).json()["data"][0]
    assert (await api.put(f"/coupons/{coupon['id']}", {"is_active": False}, token=demo.key)).status_code == 200
    text = banner("http://127.0.0.1:8000", await seed(services, demo_file), token="", inbox=False)
    assert demo.link in text
    assert "coupon" not in text


async def test_an_account_with_a_second_factor_is_logged_in_one_line(
    services: Services, api: Api, demo_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = await seed(services, demo_file)
    await _second_factor(api, demo)
    capsys.readouterr()
    await seed(services, demo_file)
    expected = f"gateway dev: demo data, merchant: {demo.email} has a second factor, so nothing is added to it"
    assert capsys.readouterr().err.splitlines() == [expected]


@pytest.mark.parametrize("change", [_link_off, _no_link, _cheap_product])
async def test_an_unpayable_link_is_not_printed(
    services: Services, api: Api, demo_file: Path, change: Callable[[Api, Demo], Awaitable[None]]
) -> None:
    demo = await seed(services, demo_file)
    await change(api, demo)
    again = await seed(services, demo_file)
    assert demo.link not in banner("http://127.0.0.1:8000", again, token="", inbox=False)


async def test_an_approved_demo_merchant_gets_no_live_data(
    services: Services, api: Api, demo_file: Path, database: Database
) -> None:
    demo = await seed(services, demo_file)
    async with database.pool.acquire() as connection:
        await connection.execute("update users set production_status = 'approved' where email = $1", demo.email)
    demo_file.write_text(json.dumps(asdict(replace(demo, made={}))))
    await seed(services, demo_file)
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from customers where environment = 'live'") == 0


async def test_a_failed_step_is_logged_in_one_line(
    services: Services, api: Api, demo_file: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = await seed(services, demo_file)
    made = {name: made for name, made in demo.made.items() if name not in {"product", "customer"}}
    demo_file.write_text(json.dumps(asdict(replace(demo, made=made))))
    capsys.readouterr()
    again = await seed(services, demo_file)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, "the product's SKU is taken, so only this step fails"
    assert "product" in lines[0]
    assert "customer" in again.made
    assert (await counts(database))["products"] == 1


def test_an_unreadable_file_does_not_prevent_the_start(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "demo.json").mkdir()
    assert prepare(settings, tmp_path) is None
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("lost", ["", "not json", '{"email": "x"}'])
async def test_lost_passwords_create_a_second_demo(services: Services, api: Api, demo_file: Path, lost: str) -> None:
    first = await seed(services, demo_file)
    demo_file.write_text(lost)
    again = await seed(services, demo_file)
    assert again.email != first.email
    assert (await api.get("/auth/me", token=again.key)).status_code == 200
    assert (await api.get("/auth/me", token=first.key)).status_code == 200


async def test_lost_data_is_seeded_again_with_the_same_passwords(services: Services, demo_file: Path) -> None:
    demo = await seed(services, demo_file)
    async with services.database.pool.acquire() as connection:
        await connection.execute(
            "set session_replication_role = replica; delete from webhook_endpoints; delete from charges; "
            "delete from simulator_charges; delete from customers; delete from api_keys; delete from users; "
            "reset session_replication_role"
        )
    again = await seed(services, demo_file)
    assert (again.email, again.password) == (demo.email, demo.password)
    assert again.key != demo.key


@pytest.mark.parametrize(
    ("requested", "configured", "seeds"),
    [
        (None, "", True),
        (None, "postgresql://db/gateway", False),
        (True, "postgresql://db/gateway", True),
        (False, "", False),
        (False, "postgresql://db/gateway", False),
    ],
)
def test_a_configured_database_is_seeded_on_demand_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, requested: bool | None, configured: str, seeds: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEWAY_DATABASE_URL", configured)
    assert seeds_demo(requested) is seeds
    assert ("--demo seeds it" in banner("http://127.0.0.1:8123", None, token="", inbox=False, requested=requested)) is (
        requested is None
    )


def test_without_demo_data_the_banner_links_graphiql() -> None:
    text = banner("http://127.0.0.1:8123", None, token="", inbox=False)
    assert "http://127.0.0.1:8123/graphql" in text
    assert "password" not in text
    assert "/dev/mail" not in text
