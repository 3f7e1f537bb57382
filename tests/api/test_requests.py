"""SQL statements of payers' pages, and of operations in subaccount mode, as documented in docs/round-trips.md."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.checkout.public_charge import status_changes
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api import statement_counts
from tests.api.table import own_balance, own_slug, own_txid
from tests.api_client import PAYER, Api, Merchant, charge_order

Call = Callable[[], Awaitable[httpx.Response | None]]
PrepareCall = Callable[[Merchant], Awaitable[Call]]


def reading(path: str, prepare: Callable[[Merchant], Awaitable[dict[str, Any]]]) -> PrepareCall:
    async def ready(merchant: Merchant) -> Call:
        url = path.format(**await prepare(merchant))
        return lambda: merchant.api.client.get(url)

    return ready


def posting(path: str, prepare: Callable[[Merchant], Awaitable[dict[str, Any]]], **form: str) -> PrepareCall:
    async def ready(merchant: Merchant) -> Call:
        url = path.format(**await prepare(merchant))
        return lambda: merchant.api.client.post(url, data=form)

    return ready


async def paid(merchant: Merchant) -> dict[str, Any]:
    charge = await merchant.issue()
    return await merchant.pay(charge["id"])


async def many_streams(merchant: Merchant) -> Call:
    """The periodic query for all open event streams."""
    txids = [(await own_txid(merchant))["txid"], (await paid(merchant))["txid"]]

    async def check_statuses() -> None:
        assert await status_changes(merchant.api.services, txids) == {txids[1]: "paid"}

    return check_statuses


async def issuing(merchant: Merchant) -> Call:
    return lambda: merchant.api.post("/pix", charge_order(external_reference="ref-1"), token=merchant.token)


async def simulating(merchant: Merchant) -> Call:
    charge = await merchant.issue()
    return lambda: merchant.api.post("/pix/simulate-payment", {"id": charge["id"]}, token=merchant.token)


IN_SUBACCOUNTS = " in subconta"
REQUESTS: dict[str, PrepareCall] = {
    "GET /pay/{slug}": reading("/pay/{slug}", own_slug),
    "GET /pay/{slug}?cupom=PROMO10": reading("/pay/{slug}?cupom=PROMO10", own_slug),
    "POST /pay/{slug}": posting("/pay/{slug}", own_slug, **PAYER),
    "POST /pay/{slug} acao=aplicar-cupom": posting(
        "/pay/{slug}", own_slug, acao="aplicar-cupom", coupon_code="promo10"
    ),
    "GET /pay/c/{txid}": reading("/pay/c/{txid}", own_txid),
    "GET /pay/c/{txid}/status": reading("/pay/c/{txid}/status", own_txid),
    "GET /pay/c/{txid}/events": reading("/pay/c/{txid}/events", paid),
    "GET /pay/c/{txid}/events, each look": many_streams,
    "POST /pay/c/{txid}/simular-pagamento": posting("/pay/c/{txid}/simular-pagamento", own_txid),
    f"POST /pix{IN_SUBACCOUNTS}": issuing,
    f"POST /pix/simulate-payment{IN_SUBACCOUNTS}": simulating,
    f"POST /pay/{{slug}}{IN_SUBACCOUNTS}": posting("/pay/{slug}", own_slug, **PAYER),
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_statements_are_as_documented(services: Services, database: Database, name: str) -> None:
    own = name.endswith(IN_SUBACCOUNTS)
    mode = ReceivingMode.subconta if own else ReceivingMode.conta_unica
    settings = services.settings.model_copy(update={"receiving_mode": mode})
    async with Api.of(Gateway(settings, replace(services, settings=settings))) as api:
        merchant = await api.register_merchant()
        if own:
            await own_balance(merchant)
        call = await REQUESTS[name](merchant)
        async with statement_counts.logged_statements(database) as sent:
            answer = await call()
    assert answer is None or answer.status_code < 400, answer.text
    figures: list[int | None] = [*statement_counts.count(sent)]
    assert statement_counts.write(name, figures) or figures == statement_counts.documented().get(name), (
        statement_counts.PAGE
    )


async def test_other_paths_of_an_operation_need_as_many_statements(merchant: Merchant, database: Database) -> None:
    charge = await merchant.issue()
    paths = {
        "charges.read": ("/pix/status?id={id}", "/pix/status?txid={txid}", "/pix/{id}", "/charges/{id}"),
        "charges.list": ("/pix", "/charges"),
    }
    for operation, each in paths.items():
        for path in each:
            async with statement_counts.logged_statements(database) as sent:
                answer = await merchant.api.get(path.format(**charge), token=merchant.token)
            assert answer.status_code == 200, answer.text
            assert [*statement_counts.count(sent)] == statement_counts.documented()[operation][:2], path


def test_the_page_has_exactly_these_requests() -> None:
    assert {name for name in statement_counts.documented() if " " in name} == set(REQUESTS)
