"""In the mode `subconta` a charge is created on the store's own account and stays on it."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import (
    Account,
    Engines,
)
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.charges.expire import expire_charges
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.charges.simulate_payment import simulate_bank_payment
from gateway.resolvers.core.context import Services
from gateway.resolvers.receiving.account_for_charge import service_fee
from gateway.settings import ReceivingMode
from tests import sql
from tests.api.rows import fingerprint
from tests.api.transport_calls import Outcome, by_graphql, by_rest
from tests.api_client import PAYER, Api, Merchant, charge_order
from tests.fake_clock import MovedClock
from tests.resolvers.receiving.fixtures import (
    COMPANY,
    FEES,
    approved,
    create_unapproved_account,
    in_mode,
    job,
    make_key_undecryptable,
    with_settings,
)
from tests.simulators import Bank, with_engine
from tests.spy_engine import overhearing
from tests.subscriptions.fixtures import Biller, counts, put_subscriptions, subscribed

LINK = {"title": "Aula avulsa", "amount": 80}
Way = Callable[[Merchant], Awaitable[Outcome]]


async def pix(merchant: Merchant) -> Outcome:
    return await by_rest(merchant.api, "charges.issue", charge_order(), merchant.key)


async def graphql(merchant: Merchant) -> Outcome:
    return await by_graphql(merchant.api, "issueCharge", charge_order(), merchant.token)


async def registered(merchant: Merchant) -> Outcome:
    return await by_rest(merchant.api, "charges.register", charge_order(), merchant.key)


async def product(merchant: Merchant) -> Outcome:
    made = await merchant.api.post("/products", {"name": "Violão", "price": 300}, token=merchant.key)
    order = {**PAYER, "product_id": made.json()["data"]["id"], "novo_cliente": True}
    return await by_rest(merchant.api, "charges.issue", order, merchant.key)


async def subscription(merchant: Merchant) -> Outcome:
    made = await subscribed(merchant)
    return await by_rest(merchant.api, "subscriptions.charge", {"id": made["id"]}, merchant.token)


async def link(merchant: Merchant) -> Outcome:
    made = (await merchant.api.post("/payment-links", LINK, token=merchant.key)).json()["data"]
    return await by_rest(merchant.api, "checkout.pay", {"slug": made["slug"], **PAYER}, None)


WAYS = {way.__name__: way for way in (pix, graphql, registered, product, subscription, link)}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_every_way_to_create_a_charge_requires_the_account(
    merchant: Merchant, database: Database, engines: Engines, way: Way
) -> None:
    before = await sql.value(database, "select count(*) from customers")
    absent = await way(merchant)
    assert (absent.status, absent.codigo) == (409, "SUBCONTA_INEXISTENTE"), absent.body
    assert absent.extra["aprovacao"]["aprovada"] is False
    assert absent.extra["aprovacao"]["geral"] is None

    await create_unapproved_account(merchant)
    waits = await way(merchant)
    assert (waits.status, waits.codigo) == (409, "SUBCONTA_NAO_APROVADA"), waits.body
    block = waits.extra["aprovacao"]
    assert (block["conferida"], block["geral"], block["dados_comerciais"]) == (True, "PENDING", "AWAITING_APPROVAL")
    assert (block["link_documentos"] is None) is (way is link), "payers do not see the documents link"
    assert block["link_documentos_qr"] is None
    for table in ("charges", "issuances", "simulator_charges", "webhook_events"):
        assert await sql.value(database, f"select count(*) from {table}") == 0
    assert await sql.value(database, "select count(*) from customers") == before

    account_id = await sql.value(database, "select account_id from receiving_accounts")
    await sql.run(database, "update receiving_accounts set general = 'APPROVED'")
    made = await way(merchant)
    assert made.status in {200, 201}, made.body
    [row] = await sql.rows(database, "select s.account_id, s.fee, c.fee_amount, c.receiving_account_id is not null "
        "from simulator_charges s join charges c on c.engine_id = s.id")  # fmt: skip
    assert (row[0], row[3]) == (account_id, True)
    assert row[1] == row[2] > 0
    assert engines.test.responding


async def test_a_refused_idempotency_key_issues_after_the_approval(merchant: Merchant) -> None:
    async def again() -> Outcome:
        return await by_rest(merchant.api, "charges.issue", charge_order(), merchant.key, idempotency_key="pedido-1")

    assert (await again()).codigo == "SUBCONTA_INEXISTENTE"
    await approved(merchant)
    made = await again()
    assert (made.status, made.replayed) == (201, False)
    assert (await again()).data["id"] == made.data["id"]


async def test_the_page_of_a_link_shows_no_details(merchant: Merchant) -> None:
    await create_unapproved_account(merchant)
    made = (await merchant.api.post("/payment-links", LINK, token=merchant.key)).json()["data"]
    page = await merchant.api.client.post(f"/pay/{made['slug']}", data=PAYER)
    assert page.status_code == 409
    assert "temporariamente indisponível" in page.text
    assert "gateway.test/documents" not in page.text


async def test_an_unchargeable_subscription_reports_the_reason(
    merchant: Merchant, api: Api, services: Services, clock: MovedClock, database: Database
) -> None:
    biller = Biller(services, clock)
    waiting, ready, sealed = [await api.register_merchant() for _ in range(3)]
    await sql.run(database, "update simulator_accounts set document = id")  # No unique company is required here.
    await create_unapproved_account(waiting, cnpj="45.723.174/0001-10")
    account_id = await approved(ready)
    await approved(sealed, cnpj="33.000.167/0001-01")
    await make_key_undecryptable(database, sealed)
    stores = (merchant, waiting, ready, sealed)
    ids = [(await put_subscriptions(database, who.id, [{}], due=clock.now()))[0] for who in stores]
    dry = await biller.run(dry_run=True)
    summary = await biller.run()
    assert counts(summary) == counts(dry) == {"analisadas": 4, "cobradas": 1, "falhas": 3}
    reasons = {str(detail.subscription_id): detail.motivo for detail in summary.detalhes}
    assert reasons == {
        ids[0]: "A loja não tem conta de recebimento.",
        ids[1]: "A conta de recebimento da loja ainda não foi aprovada pelo provedor de pagamentos.",
        ids[2]: None,
        ids[3]: "A conta de recebimento da loja não pode ser usada agora. A equipe do serviço precisa agir.",
    }
    failure = await sql.value(database, "select last_failure from subscriptions where id = $1", ids[0])
    assert failure == reasons[ids[0]]
    [row] = await sql.rows(database, "select account_id, fee from simulator_charges")
    assert tuple(row) == (account_id, 75 + 31)
    assert await sql.value(database, "select fee_amount from charges") == 106


async def test_a_crashed_billing_run_is_finished_on_its_account(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    await approved(merchant)
    await put_subscriptions(database, merchant.id, [{}], due=clock.now())
    script = engines.test.scenario  # type: ignore[attr-defined]  # the tests' engines are simulators.
    script.plan("create_charge", Behaviour.timeout_after)
    script.plan("find_charge", Behaviour.unavailable)
    assert counts(await Biller(services, clock).run())["falhas"] == 1
    dearer = with_settings(services, in_mode(services.settings, ReceivingMode.subconta, service_fee_percent=Decimal(9)))
    assert counts(await Biller(dearer, clock).run())["cobradas"] == 1
    [row] = await sql.rows(
        database, "select s.fee, c.fee_amount from simulator_charges s join charges c on c.engine_id = s.id"
    )
    assert tuple(row) == (106, 106), "the fee sent to the engine, not the current one"
    assert await sql.value(database, "select receiving_account_id is not null from charges")


async def test_an_unknown_outcome_is_recovered_on_its_account(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    account_id = await approved(merchant)
    watched, calls = _watched(services, "find_charge", "cancel_charge")
    script = engines.test.scenario  # type: ignore[attr-defined]  # as above.
    script.plan("create_charge", Behaviour.timeout_after)
    script.plan("find_charge", Behaviour.unavailable)
    async with Api.of(Gateway(watched.settings, watched)) as api:
        assert (await pix(replace(merchant, api=api))).status == 502
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(job(watched)) == 1
    assert await sql.value(database, "select status from simulator_charges") == "DELETED"
    assert calls == [("find_charge", account_id), ("find_charge", account_id), ("cancel_charge", account_id)]


async def test_an_expired_charge_is_withdrawn_with_the_key_of_its_account(
    merchant: Merchant, engines: Engines, services: Services, clock: MovedClock, database: Database
) -> None:
    account_id = await approved(merchant)
    charge = await merchant.issue()
    await sql.run(database, "update charges set engine = 'bank'")
    clock.advance(timedelta(hours=25))
    watched, calls = _watched(with_engine(services, _OtherBank), "cancel_charge")
    assert await expire_charges(job(watched)) == 1
    assert calls == [("cancel_charge", account_id)]
    assert await sql.value(database, "select status from simulator_charges") == "DELETED", charge


class _OtherBank(Bank):
    name = "bank"


Calls = list[tuple[str, str | None]]


def _watched(services: Services, *names: str) -> tuple[Services, Calls]:
    """These services, and a list that records these engine calls with their account."""
    calls: Calls = []

    async def note(call: str, *arguments: Any) -> None:
        if call in names:
            account = next((each for each in arguments if isinstance(each, Account)), None)
            calls.append((call, account.id if account else None))

    return overhearing(services, note), calls


async def test_a_charge_is_paid_on_its_account_after_a_change_of_mode(
    merchant: Merchant, services: Services, database: Database
) -> None:
    account_id = await approved(merchant)
    first, second = await merchant.issue(), await merchant.issue()
    watched, calls = _watched(services, "confirm_test", "read_charge")
    assert await simulate_bank_payment(job(watched), first["txid"]) == "applied"
    single = with_settings(watched, in_mode(services.settings, ReceivingMode.conta_unica))
    async with Api.of(Gateway(single.settings, single)) as api:
        assert (await replace(merchant, api=api).pay(second["id"]))["status"] == "paid"
        free = await replace(merchant, api=api).issue()
    assert (free["fee_amount"], free["net_amount"]) == (0, 129.9)
    assert {account for _, account in calls} == {account_id}
    assert await sql.rows(database, "select 1 from simulator_charges where account_id is null and fee = 0")


async def test_single_account_mode_refuses_account_creation(services: Services, database: Database) -> None:
    single = with_settings(services, in_mode(services.settings, ReceivingMode.conta_unica))
    async with Api.of(Gateway(single.settings, single)) as api:
        merchant = await api.register_merchant()
        await api.get("/auth/me", token=merchant.key)  # The first use of a key in a minute is recorded.
        before = await fingerprint(database)
        for body in (COMPANY, {}, {"cnpj": 7}):
            rest = await by_rest(api, "receiving.open", body, merchant.token)
            assert (rest.status, rest.codigo, rest.extra) == (409, None, {}), "the body is not validated"
        assert (await by_graphql(api, "openReceivingAccount", COMPANY, merchant.token)).message == rest.message
        assert (await by_rest(api, "receiving.open", COMPANY, merchant.key)).codigo == "SOMENTE_PAINEL"
        for operation, field in (("receiving.read", "receivingAccount"), ("receiving.check", "checkReceivingAccount")):
            rest = await by_rest(api, operation, {}, merchant.key)
            assert (rest.data["modo"], rest.data["criada"], rest.data["status"]) == ("conta_unica", False, "approved")
            block = {name: value for name, value in rest.data["aprovacao"].items() if value is not None}
            assert block == {"aprovada": True, "conferida": True, "geral": "APPROVED"}
            assert (await by_graphql(api, field, {}, merchant.token)).data == rest.data
        assert await fingerprint(database) == before
        charge = await merchant.issue()
        assert (charge["fee_amount"], charge["net_amount"]) == (0, 129.9)


@pytest.mark.parametrize(
    ("percent", "fixed", "amount", "fee"),
    [
        ("0", "0", 12990, 0),
        ("1.5", "0.305", 12990, 226),
        ("0.5", "0", 100, 1),
        ("0.49", "0", 100, 0),
        ("100", "0.01", 500, 500),
        ("0", "9.99", 500, 500),
        ("2.99", "0.40", 999_999_999, 29_900_040),
    ],
)
def test_fees_round_half_up_and_never_exceed_the_amount(
    services: Services, percent: str, fixed: str, amount: int, fee: int
) -> None:
    fees = FEES | {"service_fee_percent": Decimal(percent), "service_fee_fixed": Decimal(fixed)}
    assert service_fee(services.settings.model_copy(update=fees), amount) == fee
