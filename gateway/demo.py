"""The demo data of `gateway dev`: a merchant with a key, a customer, two charges, a payment link that sells a product
and takes a coupon, and a webhook endpoint; a staff user.

Seeding is safe to repeat: it makes only what is missing. The credentials are made once and kept in the data dir (mode
0600), so that a restart prints the same ones, and they still work.
"""

import asyncio
import json
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from gateway.errors import (
    Conflict,
    DuplicateCoupon,
    DuplicateReference,
    DuplicateSku,
    EmailTaken,
    Unauthenticated,
    WrongCredentials,
)
from gateway.ids import new_id
from gateway.resolvers.accounts.register import register
from gateway.resolvers.accounts.sessions import log_in
from gateway.resolvers.accounts.staff import set_staff
from gateway.resolvers.accounts.views import SessionView
from gateway.resolvers.api_keys.commands import create_api_key
from gateway.resolvers.authentication import RequestAuthenticator
from gateway.resolvers.charges.issue import issue_charge
from gateway.resolvers.charges.simulate import simulate_payment
from gateway.resolvers.context import Context, Origin, Services, system_context
from gateway.resolvers.coupons.commands import create_coupon
from gateway.resolvers.customers.commands import create_customer
from gateway.resolvers.customers.reading import list_customers
from gateway.resolvers.payment_links.commands import create_payment_link
from gateway.resolvers.payment_links.reading import list_payment_links
from gateway.resolvers.products.commands import create_product
from gateway.resolvers.products.reading import list_products
from gateway.resolvers.receiving.opening import open_account
from gateway.resolvers.receiving.rehearse import approve_as_bank
from gateway.resolvers.receiving.views import ReceivingStatus
from gateway.resolvers.webhooks.commands import create_endpoint
from gateway.resolvers.webhooks.endpoints import list_endpoints
from gateway.security import new_webhook_secret
from gateway.services import open_services
from gateway.settings import ReceivingMode, Settings

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
    """Credentials that work."""

    email: str
    password: str
    staff_email: str
    staff_password: str
    webhook_secret: str
    key: str = ""
    link: str = ""
    """The page of the payment link."""


def prepare(settings: Settings, data_dir: Path) -> Demo:
    """Seed what is missing; the credentials to print."""

    async def within_services() -> Demo:
        async with open_services(settings) as services:
            return await seed(services, data_dir / "demo.json")

    return asyncio.run(within_services())


async def seed(services: Services, kept: Path) -> Demo:
    """Seed what is missing, with the credentials of the file `kept`."""
    demo = _kept(kept) or _keep(kept, _fresh("demo@example.com", "staff@example.com"))
    try:
        session = await _enter(services, demo.email, demo.password, "Loja Demonstração")
        await _enter(services, demo.staff_email, demo.staff_password, "Equipe do serviço")
    except EmailTaken:
        # The data outlived the file with the passwords: other accounts serve as well.
        mark = secrets.token_hex(3)
        _keep(kept, _fresh(f"demo-{mark}@example.com", f"staff-{mark}@example.com"))
        return await seed(services, kept)
    await set_staff(system_context(services, source="job", request_id=new_id()), demo.staff_email, staff=True)
    merchant = _as_merchant(services, session.accessToken)
    if not await _works(services, demo.key, session.user.id):
        made = await create_api_key(merchant, {"name": "Demonstração", "environment": "test"})
        demo = _keep(kept, replace(demo, key=made.key))
    link = await _offer(merchant)
    if link != demo.link:
        demo = _keep(kept, replace(demo, link=link))
    await _show_something(merchant, demo)
    return demo


async def _enter(services: Services, email: str, password: str, company: str) -> SessionView:
    stranger = Context(services, Origin(new_id(), "job"), RequestAuthenticator(services, None))
    try:
        return await log_in(stranger, {"email": email, "password": password})
    except WrongCredentials:
        form = {"name": company, "email": email, "password": password, "cnpj": CNPJ, "company": company}
        return await register(stranger, form)


async def _works(services: Services, key: str, merchant_id: str) -> bool:
    try:
        actor = await RequestAuthenticator(services, f"Bearer {key}").actor()
    except Unauthenticated:
        return False
    return actor.user_id == merchant_id


def _as_merchant(services: Services, token: str) -> Context:
    return Context(services, Origin(new_id(), "job"), RequestAuthenticator(services, f"Bearer {token}"))


async def _show_something(merchant: Context, demo: Demo) -> None:
    if await _receives(merchant):
        await _show_charges(merchant)
    # Last, so that what was seeded isn't delivered to a terminal that nobody has opened yet.
    if not (await list_endpoints(merchant, {"limit": 1})).items:
        url = f"http://127.0.0.1:{LISTEN_PORT}/"
        await create_endpoint(merchant, {"name": "gateway listen", "url": url, "secret": demo.webhook_secret})


async def _receives(merchant: Context) -> bool:
    """Whether the merchant can charge. In the mode `subconta` an account is opened, and approved by the simulated bank;
    a real one's is for people to open.
    """
    if merchant.settings.receiving_mode is ReceivingMode.conta_unica:
        return True
    if merchant.services.engines.test.has_bank:
        return False
    try:
        account = await open_account(merchant, COMPANY)
    except Conflict:  # It is of a merchant whose password is gone.
        return False
    if account.status is not ReceivingStatus.approved:
        bank = system_context(merchant.services, source="job", request_id=new_id())
        await approve_as_bank(bank, account.account_id)
    return True


async def _show_charges(merchant: Context) -> None:
    customers = await list_customers(merchant, {"limit": 1})
    customer = customers.items[0] if customers.items else await create_customer(merchant, CUSTOMER)
    await _issue(merchant, customer.id, "demo-pendente", pay=False)
    await _issue(merchant, customer.id, "demo-paga", pay=True)


async def _offer(merchant: Context) -> str:
    """The page of the merchant's oldest payment link that is switched on, made now if there is none."""
    links = await list_payment_links(merchant, {"status": "active", "sort": "created_at", "limit": 1})
    if links.items:
        return links.items[0].url
    with suppress(DuplicateSku):
        await create_product(merchant, PRODUCT)
    with suppress(DuplicateCoupon):
        await create_coupon(merchant, COUPON)
    product = (await list_products(merchant, {"sku": PRODUCT["sku"], "limit": 1})).items[0]
    return (await create_payment_link(merchant, {"amount": PRODUCT["price"], "product_id": product.id})).url


async def _issue(merchant: Context, customer_id: str, reference: str, *, pay: bool) -> None:
    order = {"amount": 129.9, "description": "Pedido de demonstração", "external_reference": reference}
    with suppress(DuplicateReference):
        charge = await issue_charge(merchant, order | {"customer_id": customer_id})
        if pay:
            await simulate_payment(merchant, {"id": charge.id})


def _fresh(email: str, staff_email: str) -> Demo:
    return Demo(email, _password(), staff_email, _password(), new_webhook_secret())


def _password() -> str:
    return f"demo-{secrets.token_hex(6)}"


def _kept(path: Path) -> Demo | None:
    try:
        said: dict[str, Any] = json.loads(path.read_text())
        return Demo(**said)
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _keep(path: Path, demo: Demo) -> Demo:
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(asdict(demo), indent=2))
    draft.replace(path)
    return demo
