"""The table of operations for tests of both transports.

A new operation needs a row in `ROWS`, or a reason in `SINGLE_TRANSPORT`; a test fails on an operation in neither.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from gateway.integrations.engines.notifications import account_review_notification
from gateway.models.emails import EmailKind
from gateway.resolvers.core.context import system_context
from gateway.resolvers.roadmap.items import create_roadmap_item
from gateway.settings import ReceivingMode
from tests import sql
from tests.api.actors import set_status
from tests.api_client import PASSWORD, PAYER, VALID_CNPJ, Merchant, charge_order
from tests.applicants import apply, prepare
from tests.appwrite import arrive
from tests.members import invite, join, some_address, tokens_of
from tests.resolvers.receiving.fixtures import COMPANY, create_unapproved_account
from tests.resolvers.webhooks.deliveries import EXHAUSTED, deliveries_of
from tests.resolvers.withdrawals.fixtures import create_withdrawal, earn, open_account
from tests.rows import put_charges, put_repayment, put_withdrawal
from tests.sql import value
from tests.two_factor import Factor, begun, challenge, enrol, log_in, sessions_of

RawInput = dict[str, Any]
Prepare = Callable[[Merchant], Awaitable[RawInput]]


@dataclass(frozen=True)
class Row:
    """One operation: its GraphQL field, and a function that prepares raw input that the merchant may send.

    `owned`: the input names an object of the merchant, so other merchants get a 404. `staff`: only staff may call it.
    `subaccount`: works in subaccount mode only, after this preparation.
    """

    operation: str
    field: str
    prepare: Prepare
    owned: bool = False
    staff: bool = False
    subaccount: Callable[[Merchant], Awaitable[object]] | None = None


PRODUCT = {"name": "Violão", "price": 300, "sku": "VIO-1", "metadata": {"cor": "azul"}}
COUPON = {"code": "promo10", "discount_type": "percentage", "discount_value": 10, "min_amount": 20}
LINK = {"title": "Aula avulsa", "amount": 80, "description": "Uma hora.", "success_url": "https://loja.example/ok"}

SAVED_KEY = {"name": "Conta do banco", "pix_key": "ana@loja.example", "pix_key_type": "email"}
WITHDRAWAL = {"amount": 10, "pix_key": "ana@loja.example", "pix_key_type": "email"}


SOME_DAYS_AGO = (datetime.now(UTC) - timedelta(days=10)).isoformat()
IN_A_MONTH = (datetime.now(UTC) + timedelta(days=30)).isoformat()
SUBSCRIPTION = {
    **PAYER,
    "amount": 49.9,
    "interval": "monthly",
    "interval_count": 2,
    "next_billing_at": "2099-01-31T12:00:00-03:00",
    "end_date": "2100-01-31",
    "max_cycles": 12,
    "metadata": {"plano": "ouro"},
}


def constant(raw_input: RawInput) -> Prepare:
    """Raw input that needs no preparation."""

    async def prepare(_: Merchant) -> RawInput:
        return raw_input

    return prepare


def two_of(prepare: Prepare) -> Prepare:
    """Two rows of a list, which reveal statements per row."""

    async def both(merchant: Merchant) -> RawInput:
        await prepare(merchant)
        await prepare(merchant)
        return {}

    return both


def two_of_all(table: str, prepare: Prepare) -> Prepare:
    """Two rows of a list that all callers share, such as staff's list of all stores."""

    async def both(merchant: Merchant) -> RawInput:
        if not await value(merchant.api.services.database, f"select count(*) from {table}"):
            await two_of(prepare)(merchant)
        return {}

    return both


async def own_charge(merchant: Merchant) -> RawInput:
    return {"id": (await merchant.issue())["id"]}


async def own_charge_sent(merchant: Merchant) -> RawInput:
    return await own_charge(merchant) | {"email": "financeiro@example.com"}


async def own_charge_sent_to_invalid_address(merchant: Merchant) -> RawInput:
    return await own_charge(merchant) | {"email": "sem arroba"}


async def own_paid_charge(merchant: Merchant) -> RawInput:
    raw_input = await own_charge(merchant)
    await merchant.pay(raw_input["id"])
    return raw_input


async def refundable(merchant: Merchant) -> RawInput:
    return {"charge_id": (await own_paid_charge(merchant))["id"], "amount": 5, "reason": "Item sem estoque"}


async def own_refund(merchant: Merchant) -> RawInput:
    answer = await merchant.api.post("/refunds", await refundable(merchant), token=merchant.key)
    return {"id": answer.json()["data"]["id"]}


async def refund_of_pending(merchant: Merchant) -> RawInput:
    return {"charge_id": (await own_charge(merchant))["id"]}


async def refund_of_too_much(merchant: Merchant) -> RawInput:
    return await refundable(merchant) | {"amount": 1_000_000}


async def own_ended_charge(merchant: Merchant) -> RawInput:
    raw_input = await own_charge(merchant)
    await merchant.api.post(f"/pix/{raw_input['id']}/expire", token=merchant.key)
    return raw_input


async def some_days(merchant: Merchant) -> RawInput:
    await own_paid_charge(merchant)
    today = merchant.api.services.clock.now().date()
    return {"from": str(today - timedelta(days=2)), "to": str(today), "by": "day"}


async def own_pix_key(merchant: Merchant) -> RawInput:
    made = await merchant.api.post("/pix-keys", SAVED_KEY, token=merchant.token)
    return {"id": made.json()["data"]["id"]}


async def two_pix_keys(merchant: Merchant) -> RawInput:
    await own_pix_key(merchant)
    other = {"pix_key": "529.982.247-25", "pix_key_type": "cpf"}
    await merchant.api.post("/pix-keys", other, token=merchant.token)
    return {}


async def own_key(merchant: Merchant) -> RawInput:
    made = await merchant.api.post("/api-keys", {"name": "outra", "environment": "test"}, token=merchant.token)
    return {"id": made.json()["data"]["id"]}


async def own_key_renamed(merchant: Merchant) -> RawInput:
    return await own_key(merchant) | {"name": "renomeada", "active": False}


async def own_login(merchant: Merchant) -> RawInput:
    return {"email": merchant.email, "password": PASSWORD}


async def google_account(_: Merchant) -> RawInput:
    return {"appwriteJwt": arrive().token()}


async def google_with_the_own_email(merchant: Merchant) -> RawInput:
    return {"appwriteJwt": arrive(merchant.email).token()}


async def own_answers(merchant: Merchant) -> RawInput:
    answers = {"origin": "indicação", "monthly_revenue": 5000.5, "extra": {"x": [1]}}
    await merchant.api.post("/auth/onboarding", answers, token=merchant.token)
    return {}


async def new_account(merchant: Merchant) -> RawInput:
    return {"name": "Bia", "email": f"x{merchant.email}", "password": PASSWORD, "cnpj": VALID_CNPJ, "company": "Loja"}


async def own_customer(merchant: Merchant) -> RawInput:
    form = {"name": "Maria", "email": "maria@example.com", "cpf": "529.982.247-25", "phone": "11988887777"}
    made = await merchant.api.post("/customers", form, token=merchant.key)
    return {"id": made.json()["data"]["id"]}


async def own_customer_renamed(merchant: Merchant) -> RawInput:
    return await own_customer(merchant) | {"name": "Maria José", "cpf": None}


async def own_endpoint(merchant: Merchant) -> RawInput:
    form = {"name": "loja", "url": "http://127.0.0.1:8080/avisos"}
    made = await merchant.api.post("/webhook-endpoints", form, token=merchant.token)
    return {"id": made.json()["data"]["id"]}


async def own_endpoint_stopped(merchant: Merchant) -> RawInput:
    return await own_endpoint(merchant) | {"active": False, "events": ["charge.paid"]}


async def own_endpoint_tried(merchant: Merchant) -> RawInput:
    return await own_endpoint(merchant) | {"event": "charge.paid"}


async def own_delivery(merchant: Merchant) -> RawInput:
    endpoint = await own_endpoint(merchant)
    return endpoint | {"delivery_id": await _tried(merchant, endpoint)}


async def own_deliveries(merchant: Merchant) -> RawInput:
    endpoint = await own_endpoint(merchant)
    for _ in range(2):
        await _tried(merchant, endpoint)
    return endpoint


async def own_deliveries_everywhere(merchant: Merchant) -> RawInput:
    await own_delivery(merchant)
    await own_delivery(merchant)
    return {}


async def own_events(merchant: Merchant) -> RawInput:
    await merchant.issue()
    await merchant.issue()
    return {}


async def own_event(merchant: Merchant) -> RawInput:
    await own_events(merchant)
    events = await merchant.api.get("/events", token=merchant.key)
    return {"id": events.json()["data"][0]["id"]}


async def _tried(merchant: Merchant, endpoint: RawInput) -> str:
    made = await _create(merchant, f"/webhook-endpoints/{endpoint['id']}/test", {"event": "charge.paid"})
    return str(made["id"])


async def own_endpoint_replayed(merchant: Merchant) -> RawInput:
    """An endpoint with two failed deliveries."""
    endpoint = await own_endpoint(merchant)
    await deliveries_of(merchant.api.services.database, endpoint, EXHAUSTED, EXHAUSTED)
    return endpoint | {"since": SOME_DAYS_AGO}


async def endpoint_replayed_too_far(merchant: Merchant) -> RawInput:
    return await own_endpoint(merchant) | {"since": "2020-01-01T00:00:00Z"}


async def endpoint_replayed_since_invalid_timestamp(merchant: Merchant) -> RawInput:
    return await own_endpoint(merchant) | {"since": "ontem"}


async def stopped_endpoint_replayed(merchant: Merchant) -> RawInput:
    raw_input = await own_endpoint_replayed(merchant)
    await merchant.api.put(f"/webhook-endpoints/{raw_input['id']}", {"active": False}, token=merchant.token)
    return raw_input


async def own_endpoint_and_unknown_delivery(merchant: Merchant) -> RawInput:
    return await own_endpoint(merchant) | {"delivery_id": UNKNOWN_ID}


async def _create(merchant: Merchant, path: str, form: RawInput) -> RawInput:
    made: RawInput = (await merchant.api.post(path, form, token=merchant.token)).json()["data"]
    return made


async def own_product(merchant: Merchant) -> RawInput:
    return {"id": (await _create(merchant, "/products", PRODUCT | {"sku": None}))["id"]}


async def own_product_renamed(merchant: Merchant) -> RawInput:
    return await own_product(merchant) | {"name": "Violão de nylon", "price": 99.9, "sku": None}


async def own_coupon(merchant: Merchant, code: str = COUPON["code"]) -> RawInput:
    """The merchant's only coupon with this code, created if needed, as codes are unique."""
    known = (await merchant.api.get(f"/coupons?code={code}", token=merchant.token)).json()["data"]
    return {"id": known[0]["id"] if known else (await _create(merchant, "/coupons", COUPON | {"code": code}))["id"]}


async def own_coupon_stopped(merchant: Merchant) -> RawInput:
    return await own_coupon(merchant) | {"is_active": False, "max_uses": 5, "discount_value": 7.5}


async def own_coupon_to_validate(merchant: Merchant) -> RawInput:
    await own_coupon(merchant)
    return {"code": "promo10", "amount": 33.35}


async def own_link(merchant: Merchant) -> RawInput:
    return {"id": (await _create(merchant, "/payment-links", LINK))["id"]}


async def own_link_stopped(merchant: Merchant) -> RawInput:
    return await own_link(merchant) | {"active": False, "amount": 90, "description": ""}


async def own_link_with_all(merchant: Merchant) -> RawInput:
    product, coupon = await own_product(merchant), await own_coupon(merchant)
    return LINK | {"product_id": product["id"], "coupon_id": coupon["id"], "max_uses": 3}


async def own_subscription(merchant: Merchant) -> RawInput:
    return {"id": (await _create(merchant, "/subscriptions", SUBSCRIPTION))["id"]}


async def own_subscription_changed(merchant: Merchant) -> RawInput:
    return await own_subscription(merchant) | {
        "status": "paused",
        "amount": 60,
        "description": "",
        "next_billing_at": "2099-02-28T12:00:00-03:00",
    }


async def own_subscription_to_preview(merchant: Merchant) -> RawInput:
    return await own_subscription(merchant) | {"count": 3}


async def own_slug(merchant: Merchant) -> RawInput:
    return {"slug": (await _create(merchant, "/payment-links", await own_link_with_all(merchant)))["slug"]}


async def own_slug_and_code(merchant: Merchant) -> RawInput:
    return await own_slug(merchant) | {"code": "promo10"}


async def own_slug_and_payer(merchant: Merchant) -> RawInput:
    return await own_slug(merchant) | PAYER | {"customer_phone": "(11) 98888-7777", "coupon_code": "promo10"}


async def own_txid(merchant: Merchant) -> RawInput:
    return {"txid": (await merchant.issue())["txid"]}


async def some_coupons(merchant: Merchant) -> RawInput:
    await own_coupon(merchant)
    await own_coupon(merchant, "promo20")
    return {}


async def some_charges(merchant: Merchant) -> RawInput:
    await merchant.issue(external_reference="ref-1")
    await merchant.issue()
    return {}


async def own_invitation(merchant: Merchant) -> RawInput:
    return {"id": (await invite(merchant, some_address(), "viewer"))["id"]}


async def own_member_promoted(merchant: Merchant) -> RawInput:
    return await own_invitation(merchant) | {"role": "finance"}


async def invited_elsewhere(merchant: Merchant) -> RawInput:
    other = await merchant.api.register_merchant()
    await invite(other, merchant.email)
    return {"token": (await tokens_of(merchant.api.services, merchant.email))[-1]}


async def member_elsewhere(merchant: Merchant) -> RawInput:
    await join(await merchant.api.register_merchant(), merchant, "finance")
    return {}


async def own_record(merchant: Merchant) -> RawInput:
    listed = await merchant.api.get("/audit?limit=1", token=merchant.token)
    return {"id": listed.json()["data"][0]["id"]}


async def ready_for_production(merchant: Merchant) -> RawInput:
    await prepare(merchant)
    return {}


async def production_requested(merchant: Merchant) -> RawInput:
    await set_status(merchant.api.services.database, merchant, "pending")
    return {}


async def applicant(merchant: Merchant) -> RawInput:
    await apply(merchant)
    return {"id": merchant.id}


def with_status(status: str, **more: Any) -> Prepare:
    """A merchant with this production status."""

    async def prepare(merchant: Merchant) -> RawInput:
        await set_status(merchant.api.services.database, merchant, status)
        return {"id": merchant.id, **more}

    return prepare


async def own_withdrawal(merchant: Merchant) -> RawInput:
    """A completed one, since a store has at most one in flight."""
    services = merchant.api.services
    ended = {"status": "completed", "completed_at": services.clock.now()}
    return {"id": await put_withdrawal(services, merchant.id, **ended)}


async def own_withdrawal_refused(merchant: Merchant) -> RawInput:
    return await own_withdrawal(merchant) | {"motivo": "Chave de outra pessoa."}


async def own_company(merchant: Merchant) -> RawInput:
    """A company without an account. The audit trail masks both CNPJs alike."""
    accounts = await value(merchant.api.services.database, "select count(*) from receiving_accounts")
    return COMPANY | {"cnpj": (VALID_CNPJ, "11.444.777/0001-61")[accounts]}


async def own_account(merchant: Merchant) -> str:
    """A receiving account that waits for approval; returns its id at the engine."""
    return await create_unapproved_account(merchant, cnpj=(await own_company(merchant))["cnpj"])


async def own_account_approved_without_notification(merchant: Merchant) -> None:
    """The bank has approved the account, and its notification is lost."""
    await merchant.api.services.engines.test.apply_notification(
        orjson.loads(account_review_notification(await own_account(merchant)))
    )


async def own_balance(merchant: Merchant) -> None:
    """An approved account with 100 reais on it."""
    await open_account(merchant, (await own_company(merchant))["cnpj"])
    await earn(merchant, 100)


def withdrawal_in_flight(environment: str, **more: Any) -> Prepare:
    """A withdrawal of this environment that the engine doesn't know; in subaccount mode a test one that it does."""

    async def prepare(merchant: Merchant) -> RawInput:
        if merchant.api.services.settings.receiving_mode is ReceivingMode.subconta:
            return {"id": (await create_withdrawal(merchant))["id"], **more}
        return {"id": await put_withdrawal(merchant.api.services, merchant.id, environment=environment), **more}

    return prepare


async def owed(merchant: Merchant) -> RawInput:
    now = merchant.api.services.clock.now()
    row = {"environment": "live", "status": "paid", "paid_at": now}
    await put_charges(merchant.api.services.database, merchant.id, [row], now=now)
    return {"store_id": merchant.id, "paid_from": "2020-01-01", "paid_to": "2100-01-01"}


async def own_repayment(merchant: Merchant) -> RawInput:
    return {"id": await put_repayment(merchant.api.services, merchant.id)}


async def received_repayment(merchant: Merchant) -> RawInput:
    """A repayment of the test environment, which staff never records; the tests' sessions read that one."""
    return {"id": await put_repayment(merchant.api.services, merchant.id, environment="test")}


async def difference(merchant: Merchant) -> RawInput:
    """A payment of the wrong amount, reported by the bank."""
    charge = await merchant.issue()
    payment = {"externalReference": charge["id"], "value": charge["amount"] + 1}
    notification = {"id": f"evt_{charge['txid']}", "event": "PAYMENT_RECEIVED", "payment": payment}
    token = merchant.api.services.settings.engine_test_token
    assert token is not None
    path, secret = "/engine/notifications/simulator", token.get_secret_value()
    response = await merchant.api.post(path, notification, asaas_access_token=secret)
    assert response.json()["data"]["outcome"] == "mismatch", response.text
    found = "select id from reconciliation_discrepancies where charge_id = $1"
    return {"id": await value(merchant.api.services.database, found, charge["id"])}


async def difference_resolved(merchant: Merchant) -> RawInput:
    return await difference(merchant) | {"nota": "O pagador recebeu o troco."}


ROADMAP_ITEM = {"title": "Pix automático", "description": "Débito recorrente.", "category": "cobranças"}


async def roadmap_item(merchant: Merchant) -> RawInput:
    """A new item of the board, created by staff."""
    services = merchant.api.services
    item = await create_roadmap_item(system_context(services, source="job", request_id="req-roadmap"), ROADMAP_ITEM)
    return {"id": item.id}


async def roadmap_comment(merchant: Merchant) -> RawInput:
    item = await roadmap_item(merchant)
    comment = await _create(merchant, f"/roadmap/{item['id']}/comments", {"body": "Quero!"})
    return item | {"comment_id": comment["id"]}


async def roadmap_comments(merchant: Merchant) -> RawInput:
    """An item with two comments."""
    item = {"id": (await roadmap_comment(merchant))["id"]}
    await _create(merchant, f"/roadmap/{item['id']}/comments", {"body": "Também!"})
    return item


async def roadmap_item_commented(merchant: Merchant) -> RawInput:
    return await roadmap_item(merchant) | {"body": "Quero!\nPara ontem."}


async def roadmap_item_changed(merchant: Merchant) -> RawInput:
    return await roadmap_item(merchant) | {"title": "Pix por aproximação", "status": "planned", "category": ""}


async def roadmap_item_with_blank_comment(merchant: Merchant) -> RawInput:
    return await roadmap_item(merchant) | {"body": " \n "}


async def own_email(merchant: Merchant) -> RawInput:
    return {"email": merchant.email}


async def own_reset(merchant: Merchant) -> RawInput:
    response = await merchant.api.post("/auth/password/forgot", {"email": merchant.email})
    assert response.status_code == 202, response.text
    token = (await tokens_of(merchant.api.services, merchant.email, EmailKind.password_reset))[-1]
    return {"token": token, "new_password": "outra senha comprida"}


async def own_reset_to_something_common(merchant: Merchant) -> RawInput:
    return await own_reset(merchant) | {"new_password": "12345678"}


async def own_challenge(merchant: Merchant) -> RawInput:
    factor = await enrol(merchant)
    return {"challenge": await challenge(merchant), "code": factor.code()}


async def own_challenge_and_no_code(merchant: Merchant) -> RawInput:
    return await own_challenge(merchant) | {"code": "abc"}


async def own_factor(merchant: Merchant) -> RawInput:
    await enrol(merchant)
    return {}


async def own_factor_proven(merchant: Merchant) -> RawInput:
    return {"password": PASSWORD, "code": (await enrol(merchant)).code()}


async def own_factor_and_no_code(merchant: Merchant) -> RawInput:
    return await own_factor_proven(merchant) | {"code": "ABCD-EFGH-2345-6789"}


async def factor_begun(merchant: Merchant) -> RawInput:
    state = await merchant.api.get("/auth/two-factor", token=merchant.token)
    if state.json()["data"]["enabled"]:  # Enabled by an earlier preparation for this merchant.
        return {"code": "000000"}
    return {"code": Factor(merchant.api, (await begun(merchant))["secret"], []).code(0)}


async def factor_begun_and_no_code(merchant: Merchant) -> RawInput:
    return await factor_begun(merchant) | {"code": "12345"}


async def factor_begun_again(merchant: Merchant) -> RawInput:
    await enrol(merchant)
    return {"password": PASSWORD}


async def another_session(merchant: Merchant) -> RawInput:
    if (await merchant.api.get("/auth/two-factor", token=merchant.token)).json()["data"]["enabled"]:
        return {"id": (await sessions_of(merchant.api, merchant.token))[0]["id"]}
    token = await log_in(merchant)
    return {"id": next(each["id"] for each in await sessions_of(merchant.api, token) if each["current"])}


async def some_sessions(merchant: Merchant) -> RawInput:
    await another_session(merchant)
    return {}


async def roadmap_item_nameless(merchant: Merchant) -> RawInput:
    return await roadmap_item(merchant) | {"title": None, "status": None}


ROWS = [
    Row("accounts.register", "register", new_account),
    Row("accounts.login", "login", own_login),
    Row("accounts.login_with_code", "loginWithCode", own_challenge),
    Row("accounts.external_login", "externalLogin", google_account),
    Row("accounts.refresh", "refreshSession", constant({})),
    Row("accounts.choose_environment", "chooseEnvironment", constant({"environment": "test"})),
    Row("accounts.me", "me", constant({})),
    Row("accounts.update_profile", "updateProfile", constant({"name": "Nova", "phone": "(11) 98888-7777", "cpf": ""})),
    Row(
        "accounts.change_password",
        "changePassword",
        constant({"current_password": PASSWORD, "new_password": "outra senha comprida"}),
    ),
    Row("accounts.request_password_reset", "requestPasswordReset", own_email),
    Row("accounts.reset_password", "resetPassword", own_reset),
    Row("onboarding.read", "onboarding", own_answers),
    Row(
        "onboarding.complete",
        "completeOnboarding",
        constant(
            {"origin": "indicação", "responsible_cpf": "529.982.247-25", "monthly_revenue": 5000.5, "extra": {"x": [1]}}
        ),
    ),
    Row("two_factor.read", "twoFactor", own_factor),
    Row("two_factor.begin", "beginTwoFactor", constant({"password": PASSWORD})),
    Row("two_factor.confirm", "confirmTwoFactor", factor_begun),
    Row("two_factor.renew_recovery_codes", "renewRecoveryCodes", own_factor_proven),
    Row("two_factor.disable", "disableTwoFactor", own_factor_proven),
    Row("sessions.list", "sessions", some_sessions),
    Row("sessions.end", "endSession", another_session, owned=True),
    Row("sessions.end_others", "endOtherSessions", some_sessions),
    Row(
        "api_keys.create",
        "createApiKey",
        constant({"name": "nova", "environment": "test", "scopes": ["charges", "read"], "expires_at": IN_A_MONTH}),
    ),
    Row("api_keys.list", "apiKeys", two_of(own_key)),
    Row("api_keys.read", "apiKey", own_key, owned=True),
    Row("api_keys.update", "updateApiKey", own_key_renamed, owned=True),
    Row("api_keys.revoke", "revokeApiKey", own_key, owned=True),
    Row("receiving.open", "openReceivingAccount", own_company, subaccount=constant({})),
    Row("receiving.read", "receivingAccount", constant({}), subaccount=own_account),
    Row("receiving.check", "checkReceivingAccount", constant({}), subaccount=own_account_approved_without_notification),
    Row(
        "receiving.simulate_review",
        "simulateReceivingReview",
        constant({"geral": "APPROVED"}),
        subaccount=own_account,
    ),
    Row("charges.issue", "issueCharge", constant(charge_order(metadata={"pedido": "7"}, external_reference="ref-1"))),
    Row(
        "charges.register",
        "registerCharge",
        constant(charge_order(amount=0.01, due_date="2030-01-31T00:00:00Z", customer_phone="11988887777")),
    ),
    Row("charges.read", "charge", own_charge, owned=True),
    Row("charges.simulate_payment", "simulatePayment", own_charge, owned=True),
    Row("charges.expire", "expireCharge", own_charge, owned=True),
    Row("charges.send", "sendCharge", own_charge_sent, owned=True),
    Row("charges.list", "charges", some_charges),
    Row("charges.figures", "chargeFigures", some_days),
    Row("charges.cancel", "cancelCharge", own_charge),
    Row("charges.refund", "refundCharge", own_charge),
    Row("customers.create", "createCustomer", constant({"name": "Maria", "email": "m@example.com", "cpf": " "})),
    Row("customers.list", "customers", two_of(own_customer)),
    Row("customers.read", "customer", own_customer, owned=True),
    Row("customers.update", "updateCustomer", own_customer_renamed, owned=True),
    Row("customers.delete", "deleteCustomer", own_customer, owned=True),
    Row("products.create", "createProduct", constant(PRODUCT)),
    Row("products.list", "products", two_of(own_product)),
    Row("products.read", "product", own_product, owned=True),
    Row("products.update", "updateProduct", own_product_renamed, owned=True),
    Row("products.delete", "deleteProduct", own_product, owned=True),
    Row("coupons.create", "createCoupon", constant(COUPON)),
    Row("coupons.list", "coupons", some_coupons),
    Row("coupons.read", "coupon", own_coupon, owned=True),
    Row("coupons.validate", "validateCoupon", own_coupon_to_validate, owned=True),
    Row("coupons.update", "updateCoupon", own_coupon_stopped, owned=True),
    Row("coupons.delete", "deleteCoupon", own_coupon, owned=True),
    Row("payment_links.create", "createPaymentLink", own_link_with_all, owned=True),
    Row("payment_links.list", "paymentLinks", two_of(own_link)),
    Row("payment_links.read", "paymentLink", own_link, owned=True),
    Row("payment_links.update", "updatePaymentLink", own_link_stopped, owned=True),
    Row("payment_links.delete", "deletePaymentLink", own_link, owned=True),
    Row("subscriptions.create", "createSubscription", constant(SUBSCRIPTION | {"external_reference": "plano-7"})),
    Row("subscriptions.list", "subscriptions", two_of(own_subscription)),
    Row("subscriptions.read", "subscription", own_subscription, owned=True),
    Row("subscriptions.update", "updateSubscription", own_subscription_changed, owned=True),
    Row("subscriptions.charge", "chargeSubscription", own_subscription, owned=True),
    Row("subscriptions.upcoming", "upcomingCharges", own_subscription_to_preview, owned=True),
    Row("subscriptions.figures", "subscriptionFigures", two_of(own_subscription)),
    Row("subscriptions.delete", "deleteSubscription", own_subscription, owned=True),
    Row("checkout.read_link", "checkoutLink", own_slug),
    Row("checkout.validate_coupon", "checkoutCoupon", own_slug_and_code),
    Row("checkout.pay", "payLink", own_slug_and_payer),
    Row("checkout.read_charge", "checkoutCharge", own_txid),
    Row("checkout.simulate_payment", "simulateCheckoutPayment", own_txid),
    Row("webhooks.catalogue", "webhookEvents", constant({})),
    Row("webhooks.sample", "webhookSample", constant({"event": "charge.paid"})),
    Row(
        "webhooks.create_endpoint",
        "createWebhookEndpoint",
        constant({"name": "loja", "url": "http://127.0.0.1:8080/avisos", "events": ["charge.paid"]}),
    ),
    Row("webhooks.open_test_receiver", "openTestReceiver", constant({})),
    Row("webhooks.list_endpoints", "webhookEndpoints", two_of(own_endpoint)),
    Row("webhooks.read_endpoint", "webhookEndpoint", own_endpoint, owned=True),
    Row("webhooks.update_endpoint", "updateWebhookEndpoint", own_endpoint_stopped, owned=True),
    Row("webhooks.delete_endpoint", "deleteWebhookEndpoint", own_endpoint, owned=True),
    Row("webhooks.rotate_secret", "rotateWebhookSecret", own_endpoint, owned=True),
    Row("webhooks.try_endpoint", "tryWebhookEndpoint", own_endpoint_tried, owned=True),
    Row("webhooks.list_deliveries", "webhookDeliveries", own_deliveries, owned=True),
    Row("webhooks.read_delivery", "webhookDelivery", own_delivery, owned=True),
    Row("webhooks.list_all_deliveries", "deliveries", own_deliveries_everywhere),
    Row("webhooks.list_events", "events", own_events),
    Row("webhooks.read_event", "event", own_event, owned=True),
    Row("webhooks.redeliver", "redeliverWebhook", own_delivery, owned=True),
    Row("webhooks.replay", "replayWebhooks", own_endpoint_replayed, owned=True),
    Row(
        "members.invite",
        "inviteMember",
        constant({"email": "Nova.Pessoa@example.com", "role": "operator", "name": "Nova Pessoa"}),
    ),
    Row("members.list", "members", two_of(own_invitation)),
    Row("members.read", "member", own_invitation, owned=True),
    Row("members.update", "updateMember", own_member_promoted, owned=True),
    Row("members.resend", "resendInvitation", own_invitation, owned=True),
    Row("members.remove", "removeMember", own_invitation, owned=True),
    Row("members.accept", "acceptInvitation", invited_elsewhere, owned=True),
    Row("members.stores", "stores", member_elsewhere),
    Row("clocks.read", "testClock", constant({})),
    Row("clocks.advance", "advanceTestClock", constant({"to": IN_A_MONTH})),
    Row("production.read", "production", constant({})),
    Row("production.list_documents", "productionDocuments", ready_for_production),
    Row("production.request", "requestProduction", ready_for_production),
    Row("roadmap.list", "roadmap", two_of_all("roadmap_items", roadmap_item)),
    Row("roadmap.read", "roadmapItem", roadmap_item),
    Row("roadmap.create", "createRoadmapItem", constant(ROADMAP_ITEM | {"status": "planned"}), staff=True),
    Row("roadmap.update", "updateRoadmapItem", roadmap_item_changed, staff=True),
    Row("roadmap.delete", "deleteRoadmapItem", roadmap_comments, staff=True),
    Row("roadmap.vote", "voteForRoadmapItem", roadmap_item),
    Row("roadmap.list_comments", "roadmapComments", roadmap_comments),
    Row("roadmap.comment", "commentOnRoadmapItem", roadmap_item_commented),
    Row("roadmap.delete_comment", "deleteRoadmapComment", roadmap_comment, staff=True),
    Row("service.read", "service", constant({})),
    Row("audit.list", "auditRecords", two_of(own_customer)),
    Row("audit.read", "auditRecord", own_record, owned=True),
    Row("staff.list_merchants", "merchants", constant({}), staff=True),
    Row("staff.read_merchant", "merchant", applicant, staff=True),
    Row("staff.approve_merchant", "approveMerchant", with_status("pending"), staff=True),
    Row("staff.refuse_merchant", "refuseMerchant", with_status("pending", motivo="CNPJ ilegível."), staff=True),
    Row("staff.suspend_merchant", "suspendMerchant", with_status("approved", motivo="Denúncias."), staff=True),
    Row("staff.reactivate_merchant", "reactivateMerchant", with_status("suspended"), staff=True),
    Row("withdrawals.request", "requestWithdrawal", constant(WITHDRAWAL), subaccount=own_balance),
    Row("refunds.create", "createRefund", refundable, owned=True),
    Row("refunds.list", "refunds", two_of(own_refund)),
    Row("refunds.read", "refund", own_refund, owned=True),
    Row("withdrawals.list", "withdrawals", two_of(own_withdrawal)),
    Row("withdrawals.summary", "withdrawalSummary", own_withdrawal, subaccount=own_balance),
    Row("withdrawals.quote", "quoteWithdrawal", constant({"amount": 10}), subaccount=own_balance),
    Row("withdrawals.statement", "statement", own_paid_charge, subaccount=own_balance),
    Row("withdrawals.read", "withdrawal", own_withdrawal, owned=True),
    Row("pix_keys.save", "savePixKey", constant(SAVED_KEY)),
    Row("pix_keys.list", "pixKeys", two_pix_keys),
    Row("pix_keys.delete", "deletePixKey", own_pix_key, owned=True),
    Row("staff.read_withdrawal", "storeWithdrawal", own_withdrawal, staff=True),
    Row("staff.list_withdrawals", "storeWithdrawals", two_of_all("withdrawals", own_withdrawal), staff=True),
    Row(
        "staff.complete_withdrawal",
        "completeWithdrawal",
        withdrawal_in_flight("test"),
        staff=True,
        subaccount=own_balance,
    ),
    Row(
        "staff.refuse_withdrawal",
        "refuseWithdrawal",
        withdrawal_in_flight("live", motivo="Não."),
        staff=True,
        subaccount=own_balance,
    ),
    Row("repayments.list_received", "receivedRepayments", two_of(received_repayment)),
    Row("repayments.read_received", "receivedRepayment", received_repayment, owned=True),
    Row("repayments.record", "recordRepayment", owed, staff=True),
    Row("repayments.list", "repayments", two_of_all("repayments", own_repayment), staff=True),
    Row("repayments.read", "repayment", own_repayment, staff=True),
    Row("repayments.conclude", "concludeRepayment", own_repayment, staff=True),
    Row("repayments.discard", "discardRepayment", own_repayment, staff=True),
    Row("staff.list_differences", "differences", two_of_all("reconciliation_discrepancies", difference), staff=True),
    Row("staff.read_difference", "difference", difference, staff=True),
    Row("staff.resolve_difference", "resolveDifference", difference_resolved, staff=True),
]
"""One row per operation of both transports."""

BY_NAME = {row.operation: row for row in ROWS}

SINGLE_TRANSPORT: dict[str, str] = {
    "audit.export": "GraphQL returns an address that streams the file",
    "charges.export": "GraphQL returns an address that streams the file",
    "customers.export": "GraphQL returns an address that streams the file",
    "withdrawals.export": "GraphQL returns an address that streams the file",
    "withdrawals.export_statement": "GraphQL returns an address that streams the file",
    "refunds.export": "GraphQL returns an address that streams the file",
    "repayments.export": "GraphQL returns an address that streams the file",
    "api_keys.export": "GraphQL returns an address that streams the file",
    "coupons.export": "GraphQL returns an address that streams the file",
    "members.viewer": "it names GraphQL fields, for the panel",
    "members.export": "GraphQL returns an address that streams the file",
    "payment_links.export": "GraphQL returns an address that streams the file",
    "products.export": "GraphQL returns an address that streams the file",
    "repayments.export_list": "GraphQL returns an address that streams the file",
    "repayments.export_received": "GraphQL returns an address that streams the file",
    "roadmap.export": "a CSV file is streamed, which GraphQL can't",
    "roadmap.export_comments": "a CSV file is streamed, which GraphQL can't",
    "staff.export_differences": "GraphQL returns an address that streams the file",
    "staff.export_merchants": "GraphQL returns an address that streams the file",
    "staff.export_withdrawals": "GraphQL returns an address that streams the file",
    "subscriptions.export": "GraphQL returns an address that streams the file",
    "webhooks.export_all_deliveries": "a CSV file is streamed, which GraphQL can't",
    "webhooks.export_deliveries": "a CSV file is streamed, which GraphQL can't",
    "webhooks.export_events": "a CSV file is streamed, which GraphQL can't",
    "webhooks.export_endpoints": "GraphQL returns an address that streams the file",
    "engine_notifications.authorize_transfer": "engines call one address over plain HTTP",
    "subscriptions.bill": "the service's staff work in the panel, which speaks GraphQL",
    "subscriptions.bill_by_token": "schedulers outside call one address with a token of their own",
    "engine_notifications.receive": "engines call one address over plain HTTP",
    "changes.watch": "REST has no live changes: webhooks report them",
    "health.read": "probes read a status code",
    "health.live": "probes read a status code",
    "health.ready": "probes read a status code",
    "health.metrics": "Prometheus reads its own text format",
    "production.upload_document": "a file is sent as a multipart form, of ten times the limit of GraphQL requests",
    "production.begin_upload": "REST takes the file itself, as a multipart form",
    "production.upload_by_ticket": "the bytes of a file, sent to the address of a ticket",
    "sessions.resume": "its cookie belongs to the panel, which speaks GraphQL",
    "exports.download_by_ticket": "a CSV file is streamed, which GraphQL can't",
    "staff.download_document": "a file is no GraphQL value",
    "staff.begin_download": "REST sends the file itself",
    "staff.download_by_ticket": "a file is no GraphQL value",
}
"""Operations of one transport only, with the reason."""

REFUSED_BY_DESIGN: dict[str, str] = {
    "charges.cancel": "no charge is canceled at its origin: it expires (specification section 4)",
    "charges.refund": "no payment is given back at its origin: the merchant's bank does it (specification section 4)",
}
"""Operations that never succeed, with the reason."""

_UNIQUE_COMPANY = {"cnpj"}  # A company has one account.
_DATABASE_TIMESTAMPS = {"created_at", "next_attempt_at"}
DIFFERENT_BY_TRANSPORT = {
    "charges.list": {"qr_code_url"},  # Lists of REST omit the images.
    "receiving.open": {"aviso"},  # REST omits it if empty.
    **dict.fromkeys(("receiving.read", "receiving.check", "receiving.simulate_review"), _UNIQUE_COMPANY),
    **dict.fromkeys(
        ("webhooks.try_endpoint", "webhooks.list_deliveries", "webhooks.read_delivery", "webhooks.redeliver"),
        _DATABASE_TIMESTAMPS,
    ),
    "webhooks.list_all_deliveries": _DATABASE_TIMESTAMPS,
    "webhooks.sample": {"created_at", "data"},
    "webhooks.list_events": {"created_at", "payload"},
    "webhooks.read_event": {"created_at", "payload"},
}
"""Fields of results that differ between transports."""


@dataclass(frozen=True)
class Failure:
    """Raw input that an operation refuses. Both transports must return the same error."""

    operation: str
    prepare: Prepare
    status: int
    codigo: str | None = None
    note: str = ""
    staff: bool = False


UNKNOWN_ID = "01890000-0000-7000-8000-000000000000"


async def taken_reference(merchant: Merchant) -> RawInput:
    await merchant.issue(external_reference="ref-1")
    return charge_order(external_reference="ref-1")


async def taken_email(merchant: Merchant) -> RawInput:
    return await new_account(merchant) | {"email": merchant.email.upper()}


async def wrong_password(merchant: Merchant) -> RawInput:
    return {"email": merchant.email, "password": "outra senha qualquer"}


async def taken_sku(merchant: Merchant) -> RawInput:
    await _create(merchant, "/products", PRODUCT)
    return PRODUCT | {"sku": " vio-1 "}


async def taken_code(merchant: Merchant) -> RawInput:
    await own_coupon(merchant)
    return COUPON | {"code": "Promo10"}


async def coupon_for_more(merchant: Merchant) -> RawInput:
    return await own_coupon_to_validate(merchant) | {"amount": 19.99}


async def link_without_coupons(merchant: Merchant) -> RawInput:
    form = LINK | {"allow_coupons": False}
    return {"slug": (await _create(merchant, "/payment-links", form))["slug"], "coupon_code": "x", **PAYER}


async def link_that_leaves_too_little(merchant: Merchant) -> RawInput:
    form = {"code": "TUDO", "discount_type": "fixed", "discount_value": 75.01}
    known = (await merchant.api.get("/coupons?code=TUDO", token=merchant.token)).json()["data"]
    coupon = known[0] if known else await _create(merchant, "/coupons", form)
    return LINK | {"coupon_id": coupon["id"]}


async def closed_link(merchant: Merchant) -> RawInput:
    link = await _create(merchant, "/payment-links", LINK)
    database = merchant.api.services.database
    await sql.run(database, "update payment_links set expires_at = created_at where id = $1", link["id"])
    return {"slug": link["slug"], **PAYER}


async def product_and_unknown_coupon(merchant: Merchant) -> RawInput:
    return charge_order(product_id=(await own_product(merchant))["id"], coupon_code="nada")


async def taken_plan(merchant: Merchant) -> RawInput:
    known = (await merchant.api.get("/subscriptions?external_reference=plano-7", token=merchant.token)).json()["data"]
    form = SUBSCRIPTION | {"external_reference": "plano-7"}
    if not known:
        await _create(merchant, "/subscriptions", form)
    return form


async def invited_already(merchant: Merchant) -> RawInput:
    address = some_address()
    await invite(merchant, address)
    return {"email": address.upper(), "role": "viewer"}


async def own_email(merchant: Merchant) -> RawInput:
    return {"email": merchant.email.upper(), "role": "viewer"}


async def removed_member(merchant: Merchant) -> RawInput:
    mine = await own_invitation(merchant)
    await merchant.api.delete(f"/members/{mine['id']}", token=merchant.token)
    return mine | {"role": "finance"}


async def own_subscription_undated(merchant: Merchant) -> RawInput:
    return await own_subscription(merchant) | {"next_billing_at": None, "amount": None}


async def own_subscription_canceled(merchant: Merchant) -> RawInput:
    mine = await own_subscription(merchant)
    await merchant.api.put(f"/subscriptions/{mine['id']}", {"status": "canceled"}, token=merchant.token)
    return mine


async def own_subscription_to_preview_too_far(merchant: Merchant) -> RawInput:
    return await own_subscription(merchant) | {"count": 61}


FAILURES = [
    Failure("accounts.register", taken_email, 409, "EMAIL_JA_CADASTRADO"),
    Failure(
        "accounts.register", constant({"name": "", "email": "x", "password": "1", "cnpj": "2"}), 400, note="fields"
    ),
    Failure("accounts.login", wrong_password, 401, "CREDENCIAIS_INVALIDAS"),
    Failure(
        "accounts.login", constant({"email": "ninguem@example.com", "password": "x"}), 401, "CREDENCIAIS_INVALIDAS"
    ),
    Failure("accounts.login_with_code", constant({"challenge": "a.b.c", "code": "123456"}), 401, "DESAFIO_INVALIDO"),
    Failure("accounts.login_with_code", own_challenge_and_no_code, 401, "CODIGO_INVALIDO"),
    Failure("two_factor.begin", constant({"password": "errada"}), 401, "CREDENCIAIS_INVALIDAS"),
    Failure("two_factor.begin", constant({}), 400, note="no password"),
    Failure("two_factor.begin", factor_begun_again, 409, "SEGUNDO_FATOR_ATIVO"),
    Failure("two_factor.confirm", constant({"code": "123456"}), 409, "SEGUNDO_FATOR_INATIVO"),
    Failure("two_factor.confirm", factor_begun_and_no_code, 401, "CODIGO_INVALIDO"),
    Failure("two_factor.disable", own_factor_and_no_code, 401, "CODIGO_INVALIDO"),
    Failure("two_factor.disable", constant({"password": PASSWORD, "code": "123456"}), 409, "SEGUNDO_FATOR_INATIVO"),
    Failure("two_factor.renew_recovery_codes", constant({"code": "x" * 256}), 400),
    Failure("sessions.end", constant({"id": UNKNOWN_ID}), 404),
    Failure("sessions.end", constant({"id": "current"}), 404, note="no id"),
    Failure("accounts.external_login", constant({"appwriteJwt": "a.b.c"}), 401),
    Failure("accounts.external_login", google_with_the_own_email, 409, "EMAIL_JA_CADASTRADO"),
    Failure("accounts.choose_environment", constant({"environment": "live"}), 409, "PRODUCAO_NAO_LIBERADA"),
    Failure("accounts.update_profile", constant({"name": None, "receipt_email": None, "cpf": "1"}), 400, note="null"),
    Failure("accounts.update_profile", constant({"name": None, "receipt_email": None}), 400, note="only null"),
    Failure(
        "accounts.change_password",
        constant({"current_password": "errada", "new_password": "outra senha comprida"}),
        401,
        "CREDENCIAIS_INVALIDAS",
    ),
    Failure("accounts.change_password", constant({"current_password": PASSWORD, "new_password": "12345678"}), 400),
    Failure("accounts.request_password_reset", constant({"email": ""}), 400),
    Failure("accounts.reset_password", constant({"token": "x" * 43, "new_password": "outra senha comprida"}), 404),
    Failure("accounts.reset_password", own_reset_to_something_common, 400),
    Failure("onboarding.complete", constant({"cnpj": "1", "responsible_cpf": "2", "extra": {"": 1}}), 400),
    Failure("api_keys.create", constant({"name": "x"}), 409, "PRODUCAO_NAO_LIBERADA", note="live by default"),
    Failure("api_keys.create", constant({"name": " ", "environment": "test"}), 400),
    Failure("api_keys.create", constant({"name": "x", "environment": "test", "scopes": []}), 400, note="no scope"),
    Failure(
        "api_keys.create",
        constant({"name": "x", "environment": "test", "expires_at": "2020-01-01T00:00:00Z"}),
        400,
        note="expired",
    ),
    Failure("api_keys.update", constant({"id": UNKNOWN_ID, "active": False}), 404),
    Failure("api_keys.update", constant({"id": "não-é-id", "active": False}), 404, note="no id"),
    Failure("api_keys.revoke", constant({"id": UNKNOWN_ID}), 404),
    Failure("charges.issue", constant(charge_order(amount=4.99)), 400, "VALOR_MINIMO"),
    Failure("charges.issue", constant(charge_order(amount=-1, expires_at="x")), 400, "VALOR_MINIMO", note="and more"),
    Failure("charges.issue", constant(charge_order(expires_at="amanhã")), 400, "EXPIRACAO_INVALIDA"),
    Failure("charges.issue", constant(charge_order(expires_at="2020-01-01T00:00:00Z")), 400, "EXPIRACAO_INVALIDA"),
    Failure("charges.issue", constant(charge_order(amount=10.001, customer_cpf="111.111.111-11")), 400),
    Failure("charges.issue", constant({}), 400, note="nothing"),
    Failure("webhooks.read_delivery", own_endpoint_and_unknown_delivery, 404, note="unknown delivery"),
    Failure("webhooks.replay", endpoint_replayed_since_invalid_timestamp, 400, note="no timestamp"),
    Failure("webhooks.replay", endpoint_replayed_too_far, 400, note="forgotten"),
    Failure("webhooks.replay", stopped_endpoint_replayed, 409, note="off"),
    Failure("charges.issue", constant(charge_order(customer_id=UNKNOWN_ID)), 404, note="customer"),
    Failure("charges.issue", constant(charge_order(product_id=UNKNOWN_ID)), 404, note="product"),
    Failure("charges.issue", taken_reference, 409, "REFERENCIA_DUPLICADA"),
    Failure("charges.register", constant(charge_order(amount=0)), 400),
    Failure("charges.register", constant(charge_order(due_date="9999-12-31T23:59:59Z")), 400),
    Failure("charges.read", constant({"id": UNKNOWN_ID}), 404),
    Failure("charges.read", constant({"id": "../../etc"}), 404, note="no id"),
    Failure("charges.simulate_payment", constant({"id": UNKNOWN_ID}), 404),
    Failure("charges.simulate_payment", constant({"txid": "desconhecido"}), 404, note="txid"),
    Failure("charges.simulate_payment", constant({}), 400, note="neither"),
    Failure("charges.simulate_payment", constant({"external_reference": "desconhecida"}), 404, note="reference"),
    Failure("charges.expire", constant({"id": UNKNOWN_ID}), 404),
    Failure("charges.expire", own_paid_charge, 409, "COBRANCA_ENCERRADA"),
    Failure("charges.send", constant({"id": UNKNOWN_ID}), 404),
    Failure("charges.send", own_ended_charge, 409, "COBRANCA_ENCERRADA"),
    Failure("charges.send", own_charge_sent_to_invalid_address, 400),
    Failure("charges.cancel", own_charge, 502),
    Failure("charges.cancel", constant({}), 502, note="nothing"),
    Failure("charges.refund", own_charge, 502),
    Failure("charges.issue", product_and_unknown_coupon, 404, note="coupon"),
    Failure("products.create", constant({"name": " ", "price": 0, "sku": "x" * 65, "image_url": "ftp://x"}), 400),
    Failure("products.create", taken_sku, 409, "SKU_DUPLICADO"),
    Failure("products.update", constant({"id": UNKNOWN_ID, "price": 1}), 404),
    Failure("products.delete", constant({"id": UNKNOWN_ID}), 404),
    Failure("coupons.create", constant(COUPON | {"discount_value": 100.01}), 400),
    Failure("coupons.create", taken_code, 409, "CUPOM_DUPLICADO"),
    Failure("coupons.validate", coupon_for_more, 400, "CUPOM_NAO_APLICAVEL"),
    Failure("coupons.validate", constant({"code": "nada", "amount": 10}), 404),
    Failure("payment_links.create", constant(LINK | {"amount": 4.99}), 400, "VALOR_MINIMO"),
    Failure("payment_links.create", link_that_leaves_too_little, 400, "VALOR_MINIMO", note="own coupon"),
    Failure("payment_links.create", constant(LINK | {"product_id": UNKNOWN_ID}), 404, note="product"),
    Failure("payment_links.create", constant(LINK | {"coupon_id": UNKNOWN_ID}), 404, note="coupon"),
    Failure("subscriptions.create", constant(SUBSCRIPTION | {"amount": 4.99}), 400, "VALOR_MINIMO"),
    Failure("subscriptions.create", constant(SUBSCRIPTION | {"next_billing_at": "2020-01-01"}), 400, note="past"),
    Failure("subscriptions.create", constant(SUBSCRIPTION | {"customer_id": UNKNOWN_ID}), 404, note="customer"),
    Failure("subscriptions.create", taken_plan, 409, "REFERENCIA_DUPLICADA"),
    Failure("subscriptions.update", constant({"id": UNKNOWN_ID, "amount": 50}), 404),
    Failure("subscriptions.update", own_subscription_undated, 400, note="no date"),
    Failure("subscriptions.charge", own_subscription_canceled, 409, "ASSINATURA_CANCELADA"),
    Failure("subscriptions.upcoming", own_subscription_to_preview_too_far, 400),
    Failure("checkout.read_link", constant({"slug": "nada"}), 404),
    Failure("checkout.read_link", closed_link, 410, "LINK_ENCERRADO"),
    Failure("checkout.pay", closed_link, 410, "LINK_ENCERRADO"),
    Failure("checkout.pay", link_without_coupons, 400, "CUPOM_NAO_APLICAVEL"),
    Failure("checkout.read_charge", constant({"txid": "nada"}), 404),
    Failure("checkout.simulate_payment", constant({"txid": "nada"}), 404),
    Failure("members.invite", constant({"email": "x", "role": "viewer", "name": "y" * 121}), 400),
    Failure("members.invite", invited_already, 409, note="invited"),
    Failure("members.invite", own_email, 409, note="the holder"),
    Failure("members.update", removed_member, 409, note="removed"),
    Failure("members.update", constant({"id": UNKNOWN_ID, "role": "viewer"}), 404),
    Failure("members.resend", removed_member, 409, note="removed"),
    Failure("members.remove", removed_member, 409, note="removed"),
    Failure("members.accept", constant({"token": "x" * 43}), 404),
    Failure("production.request", constant({}), 400, note="everything missing"),
    Failure("production.request", production_requested, 409, "PRODUCAO_EM_ANALISE"),
    Failure("roadmap.vote", constant({"id": UNKNOWN_ID}), 404),
    Failure("roadmap.comment", constant({"id": UNKNOWN_ID, "body": "oi"}), 404),
    Failure("roadmap.comment", roadmap_item_with_blank_comment, 400),
    Failure("roadmap.create", constant(ROADMAP_ITEM), 403, "SOMENTE_ADMIN"),
    Failure("roadmap.update", roadmap_item_nameless, 400, staff=True),
    Failure("roadmap.delete_comment", constant({"id": UNKNOWN_ID, "comment_id": "x"}), 404, staff=True),
    Failure("audit.read", constant({"id": UNKNOWN_ID}), 404),
    Failure("staff.read_merchant", constant({"id": UNKNOWN_ID}), 404, staff=True),
    Failure("staff.read_merchant", constant({"id": "não-é-id"}), 404, note="no id", staff=True),
    Failure("staff.approve_merchant", with_status("sandbox"), 409, "SEM_ANALISE_PENDENTE", staff=True),
    Failure("staff.approve_merchant", constant({"id": UNKNOWN_ID}), 404, staff=True),
    Failure("staff.refuse_merchant", with_status("approved", motivo="x"), 409, "SEM_ANALISE_PENDENTE", staff=True),
    Failure("staff.refuse_merchant", with_status("pending", motivo=" "), 400, staff=True),
    Failure("staff.suspend_merchant", with_status("pending"), 409, staff=True),
    Failure("staff.reactivate_merchant", with_status("approved"), 409, staff=True),
    Failure("receiving.open", constant(COMPANY), 409, note="a single account"),
    Failure("receiving.simulate_review", constant({"geral": "APPROVED"}), 409, note="a single account"),
    Failure("withdrawals.request", constant(WITHDRAWAL | {"amount": -1}), 409, "REPASSE_MANUAL"),
    Failure("refunds.create", constant({"charge_id": UNKNOWN_ID}), 404),
    Failure("refunds.create", refund_of_pending, 409, "COBRANCA_NAO_PAGA"),
    Failure("refunds.create", refund_of_too_much, 400, "VALOR_DEVOLVIDO"),
    Failure("refunds.read", constant({"id": UNKNOWN_ID}), 404),
    Failure("withdrawals.read", constant({"id": UNKNOWN_ID}), 404),
    Failure("withdrawals.read", constant({"id": "não-é-id"}), 404, note="no id"),
    Failure("staff.complete_withdrawal", own_withdrawal, 409, staff=True),
    Failure("staff.complete_withdrawal", constant({"id": UNKNOWN_ID}), 404, staff=True),
    Failure("staff.refuse_withdrawal", own_withdrawal_refused, 409, staff=True),
    Failure(
        "repayments.record",
        constant({"store_id": UNKNOWN_ID, "paid_from": "2020-01-01", "paid_to": "2020-01-02"}),
        404,
        staff=True,
    ),
    Failure("repayments.read_received", constant({"id": UNKNOWN_ID}), 404),
    Failure("repayments.read_received", own_repayment, 404, note="of the other environment"),
    Failure("repayments.read", constant({"id": UNKNOWN_ID}), 404, staff=True),
    Failure("repayments.conclude", constant({"id": UNKNOWN_ID}), 404, staff=True),
    Failure("repayments.discard", constant({"id": "não-é-id"}), 404, note="no id", staff=True),
]
