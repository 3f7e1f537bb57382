"""The demo data: whole after the first start, unchanged by the next, and made anew from whatever was lost."""

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
    for shown in (demo.email, demo.password, demo.staff_email, demo.staff_password, demo.key, demo.link):
        assert shown in text
    assert demo.webhook_secret in text
    assert "http://127.0.0.1:8000/dev/mail" in text
    assert "tok-123" in text
    first = text.splitlines()[2]
    assert first == f"  Panel          http://127.0.0.1:8000/painel  log in with {demo.email}  password {demo.password}"
    assert "/painel" not in banner("http://127.0.0.1:8000", demo, token="", inbox=False, panel=False)


async def test_the_webhook_secret_signs_what_the_endpoint_gets(
    services: Services, kept: Path, database: Database
) -> None:
    demo = await seed(services, kept)
    async with database.pool.acquire() as connection:
        sealed = await connection.fetchval("select secret from webhook_endpoints")
        waiting = await connection.fetchval("select count(*) from webhook_deliveries")
    assert services.vault.decrypt(sealed) == demo.webhook_secret
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
async def test_a_restart_leaves_alone_what_users_made(
    services: Services, api: Api, kept: Path, database: Database, change: Callable[[Api, Demo], Awaitable[None]]
) -> None:
    demo = await seed(services, kept)
    await change(api, demo)
    before = await counts(database)
    again = await seed(services, kept)
    assert (again.email, again.password, again.key) == (demo.email, demo.password, demo.key)
    assert await counts(database) == before


async def test_the_coupon_is_printed_while_the_link_takes_it(services: Services, api: Api, kept: Path) -> None:
    demo = await seed(services, kept)
    assert f"{demo.link}  takes the coupon BEMVINDO10" in banner("http://127.0.0.1:8000", demo, token="", inbox=False)
    coupon = (await api.get("/coupons", token=demo.key)).json()["data"][0]
    assert (await api.put(f"/coupons/{coupon['id']}", {"is_active": False}, token=demo.key)).status_code == 200
    text = banner("http://127.0.0.1:8000", await seed(services, kept), token="", inbox=False)
    assert demo.link in text
    assert "coupon" not in text


async def test_a_second_factor_costs_one_line_in_english(
    services: Services, api: Api, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = await seed(services, kept)
    await _second_factor(api, demo)
    capsys.readouterr()
    await seed(services, kept)
    expected = f"gateway dev: demo data, merchant: {demo.email} has a second factor, so nothing is added to it"
    assert capsys.readouterr().err.splitlines() == [expected]


@pytest.mark.parametrize("change", [_link_off, _no_link, _cheap_product])
async def test_a_link_that_cannot_be_paid_is_not_printed(
    services: Services, api: Api, kept: Path, change: Callable[[Api, Demo], Awaitable[None]]
) -> None:
    demo = await seed(services, kept)
    await change(api, demo)
    again = await seed(services, kept)
    assert demo.link not in banner("http://127.0.0.1:8000", again, token="", inbox=False)


async def test_an_approved_demo_merchant_gets_nothing_in_live(
    services: Services, api: Api, kept: Path, database: Database
) -> None:
    demo = await seed(services, kept)
    async with database.pool.acquire() as connection:
        await connection.execute("update users set production_status = 'approved' where email = $1", demo.email)
    kept.write_text(json.dumps(asdict(replace(demo, made={}))))
    await seed(services, kept)
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from customers where environment = 'live'") == 0


async def test_a_step_that_fails_costs_one_line(
    services: Services, api: Api, kept: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = await seed(services, kept)
    made = {name: made for name, made in demo.made.items() if name not in {"product", "customer"}}
    kept.write_text(json.dumps(asdict(replace(demo, made=made))))
    capsys.readouterr()
    again = await seed(services, kept)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, "the product's SKU is taken, so this step fails and the customer is made"
    assert "product" in lines[0]
    assert "customer" in again.made
    assert (await counts(database))["products"] == 1


def test_a_file_that_cannot_be_read_does_not_keep_the_product_from_starting(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "demo.json").mkdir()
    assert prepare(settings, tmp_path) is None
    assert len(capsys.readouterr().err.splitlines()) == 1


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
    assert ("--demo seeds it" in banner("http://127.0.0.1:8123", None, token="", inbox=False, requested=asked)) is (
        asked is None
    )


def test_without_demo_data_the_banner_says_where_to_click() -> None:
    text = banner("http://127.0.0.1:8123", None, token="", inbox=False)
    assert "http://127.0.0.1:8123/graphql" in text
    assert "password" not in text
    assert "/dev/mail" not in text
