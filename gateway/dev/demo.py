"""The demo data of `gateway dev`: a merchant with a key, a customer, two charges, a payment link that sells a product
and takes a coupon, and a webhook endpoint; a staff user.

`demo.json` in the data dir (mode 0600) holds the credentials, which a restart prints again, and the steps that are
done. A step that is done isn't repeated, so the demo neither reads nor changes what users made. A step that fails
prints one line, and the product starts without it.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from gateway.errors import EmailTaken, NotFound, SecondFactorNeeded, Unauthenticated, WrongCredentials
from gateway.models.base import Environment
from gateway.resolvers.accounts.login import log_in
from gateway.resolvers.accounts.register import register
from gateway.resolvers.accounts.types import SessionView
from gateway.resolvers.api_keys.operations import create_api_key
from gateway.resolvers.charges.create_charge import issue_charge
from gateway.resolvers.charges.simulate_payment import simulate_payment
from gateway.resolvers.core.authentication import RequestAuthenticator
from gateway.resolvers.core.context import Context, RequestMetadata, Services, system_context
from gateway.resolvers.coupons.operations import create_coupon, read_coupon
from gateway.resolvers.customers.operations import create_customer
from gateway.resolvers.engine_notifications.simulate import simulate_account_approval
from gateway.resolvers.payment_links.operations import create_payment_link, read_payment_link
from gateway.resolvers.products.operations import create_product
from gateway.resolvers.receiving.create_account import open_account
from gateway.resolvers.receiving.types import ReceivingStatus
from gateway.resolvers.sessions.tokens import choose_environment
from gateway.resolvers.staff.access import set_staff
from gateway.resolvers.webhooks.endpoint_commands import create_endpoint
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import ReceivingMode, Settings
from gateway.values.ids import new_id

LISTEN_PORT = 8200
CNPJ = "11.222.333/0001-81"
PRODUCT = {
    "name": "Curso de fotografia de rua",
    "description": "Oito aulas ao vivo, turma de sábado de manhã.",
    "price": 129.9,
    "sku": "DEMO-1",
}
COUPON = {"code": "BEMVINDO10", "discount_type": "percentage", "discount_value": 10}
COMPANY = {
    "company_name": "Loja Demonstração Ltda.",
    "email": "demo@example.com",
    "cnpj": CNPJ,
    "phone": "11987654321",
    "monthly_revenue": 25000,
    "address": "Rua das Flores",
    "address_number": "123",
    "province": "Centro",
    "postal_code": "01310100",
}
CUSTOMER = {"name": "Maria da Silva", "email": "maria@example.com", "cpf": "529.982.247-25", "phone": "11987654321"}


class Demo(Struct, frozen=True):
    """The content of `demo.json`: credentials that work, and what was made."""

    email: str
    password: str
    staff_email: str
    staff_password: str
    webhook_secret: str
    key: str = ""
    link: str = ""
    """The page of the payment link; empty while the link can't be paid."""
    coupon: str = ""
    """The code that the page takes; empty while it takes none."""
    made: dict[str, str] = field(default_factory=dict)
    """The steps that are done: their names and the ids of what they made."""


class Step(NamedTuple):
    """One part of the demo data. `make` returns the record that it made, with its id in `id_field`."""

    name: str
    make: Callable[[Demo], Awaitable[Any]]
    needs: tuple[str, ...] = ()
    """The steps that must be done before."""
    id_field: str = "id"


def prepare(settings: Settings, data_dir: Path) -> Demo | None:
    """Make what is missing. Returns what to print, or None where nothing could be made."""

    async def within_services() -> Demo:
        async with open_services(settings) as services:
            return await seed(services, data_dir / "demo.json")

    with _failing_alone("all of it"):
        return asyncio.run(within_services())
    return None


async def seed(services: Services, path: Path) -> Demo:
    """Make what is missing, with the credentials of the file `path`."""
    demo = read_demo(path) or _save(path, _fresh())
    with _failing_alone("staff"):
        email, _, new = await _enter(services, demo.staff_email, demo.staff_password, "Equipe do serviço")
        if new:
            await set_staff(system_context(services, source="job", request_id=new_id()), email, staff=True)
        demo = _save(path, replace(demo, staff_email=email))
    with _failing_alone("merchant"):
        demo, session = await _with_merchant(services, demo)
        demo = _save(path, demo)
        merchant = _as_caller(services, session.accessToken)
        with _failing_alone("API key"):
            if not await _works(services, demo.key, session.user.id):
                key = await create_api_key(merchant, {"name": "Demonstração", "environment": "test"})
                demo = _save(path, replace(demo, key=key.key))
        for step in _steps(merchant):
            if step.name not in demo.made and demo.made.keys() >= set(step.needs):
                with _failing_alone(step.name):
                    record_id = getattr(await step.make(demo), step.id_field)
                    demo = _save(path, replace(demo, made=demo.made | {step.name: record_id}))
        with _failing_alone("payment link's page"):
            demo = _save(path, await _with_page(merchant, demo))
    return demo


@contextmanager
def _failing_alone(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001  # A failure of the demo must not stop the product.
        reason = " ".join(str(error).split()) or type(error).__name__
        print(f"gateway dev: demo data, {name}: {reason}", file=sys.stderr, flush=True)  # noqa: T201  # For a terminal.


async def _with_merchant(services: Services, demo: Demo) -> tuple[Demo, SessionView]:
    """The merchant's session in the test environment; a new merchant has none of the demo data yet."""
    email, session, new = await _enter(services, demo.email, demo.password, "Loja Demonstração")
    demo = replace(demo, email=email)
    if new:
        demo = replace(demo, key="", link="", coupon="", made={})
    if session.environment is not Environment.test:
        session = await choose_environment(_as_caller(services, session.accessToken), {"environment": "test"})
    return demo, session


async def _enter(services: Services, email: str, password: str, company: str) -> tuple[str, SessionView, bool]:
    """Log in, or register an account that is missing; under another address if this one has another password.

    Returns the address, the session and whether the account is new.
    """
    # A context for each call, because the passwords of one request are bounded.
    try:
        return email, await log_in(_as_caller(services, None), {"email": email, "password": password}), False
    except SecondFactorNeeded:
        raise RuntimeError(f"{email} has a second factor, so nothing is added to it") from None
    except WrongCredentials:
        form = {"name": company, "email": email, "password": password, "cnpj": CNPJ, "company": company}
    try:
        return email, await register(_as_caller(services, None), form), True
    except EmailTaken:
        name, _, domain = email.partition("@")
        other = f"{name.partition('-')[0]}-{secrets.token_hex(3)}@{domain}"
        return other, await register(_as_caller(services, None), form | {"email": other}), True


def _as_caller(services: Services, token: str | None) -> Context:
    credential = f"Bearer {token}" if token else None
    return Context(services, RequestMetadata(new_id(), "job"), RequestAuthenticator(services, credential))


async def _works(services: Services, key: str, merchant_id: str) -> bool:
    try:
        actor = await RequestAuthenticator(services, f"Bearer {key}").actor()
    except Unauthenticated:
        return False
    return actor.user_id == merchant_id


def _steps(merchant: Context) -> Iterator[Step]:
    """In the mode `subconta` charges need an account, which the simulated bank approves; at a real one people do it."""
    own_account = merchant.settings.receiving_mode is ReceivingMode.subconta
    account = ("receiving account",) if own_account else ()
    if own_account and not merchant.services.engines.test.has_bank:
        yield Step("receiving account", lambda _: _make_account(merchant), id_field="account_id")
    yield Step("customer", lambda _: create_customer(merchant, CUSTOMER))
    yield Step("pending charge", lambda demo: _issue_charge(merchant, demo, "demo-pendente"), account)
    yield Step("paid charge", lambda demo: _issue_charge(merchant, demo, "demo-paga"), account)
    yield Step("payment", lambda demo: simulate_payment(merchant, {"id": demo.made["paid charge"]}), ("paid charge",))
    yield Step("product", lambda _: create_product(merchant, PRODUCT))
    yield Step("coupon", lambda _: create_coupon(merchant, COUPON))
    yield Step("payment link", lambda demo: _make_link(merchant, demo))
    # Last, so that the charges above aren't delivered to a terminal that isn't open yet.
    yield Step("webhook endpoint", lambda demo: _make_endpoint(merchant, demo))


async def _make_account(merchant: Context) -> Any:
    account = await open_account(merchant, COMPANY)
    if account.status is not ReceivingStatus.approved:
        bank = system_context(merchant.services, source="job", request_id=new_id())
        await simulate_account_approval(bank, account.account_id)
    return account


def _issue_charge(merchant: Context, demo: Demo, reference: str) -> Awaitable[Any]:
    payer = {f"customer_{name}": value for name, value in CUSTOMER.items()}
    saved = {"customer_id": demo.made["customer"]} if "customer" in demo.made else {}
    order = {"amount": 129.9, "description": "Pedido de demonstração", "external_reference": reference}
    return issue_charge(merchant, order | payer | saved)


def _make_link(merchant: Context, demo: Demo) -> Awaitable[Any]:
    product = {"product_id": demo.made["product"]} if "product" in demo.made else {}
    return create_payment_link(merchant, {"amount": PRODUCT["price"]} | product)


def _make_endpoint(merchant: Context, demo: Demo) -> Awaitable[Any]:
    url = f"http://127.0.0.1:{LISTEN_PORT}/"
    return create_endpoint(merchant, {"name": "gateway listen", "url": url, "secret": demo.webhook_secret})


async def _with_page(merchant: Context, demo: Demo) -> Demo:
    """With the link's page and the coupon that it takes, as far as users left them."""
    demo = replace(demo, link="", coupon="")
    with suppress(NotFound, KeyError):  # Deleted by a user, or never made.
        link = await read_payment_link(merchant, {"id": demo.made["payment link"]})
        if link.active and link.unpayable_reason is None:
            demo = replace(demo, link=link.url)
            coupon = await read_coupon(merchant, {"id": demo.made["coupon"]})
            demo = replace(demo, coupon=coupon.code if coupon.is_active and link.allow_coupons else "")
    return demo


def _fresh() -> Demo:
    return Demo("demo@example.com", _password(), "staff@example.com", _password(), new_webhook_secret())


def _password() -> str:
    return f"demo-{secrets.token_hex(6)}"


def read_demo(path: Path) -> Demo | None:
    """The content of the file; None if it is missing or unreadable."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Demo)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _save(path: Path, demo: Demo) -> Demo:
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_text(json.dumps(msgspec.to_builtins(demo), indent=2))
    new.replace(path)
    return demo
