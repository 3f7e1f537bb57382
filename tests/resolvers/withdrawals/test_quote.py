"""What a withdrawal would cost."""

from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.engines.interface import Account, Engines
from gateway.integrations.engines.simulator import Behaviour, Simulator
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests.api_client import Api, Merchant
from tests.simulators import with_engine


class Expensive(Simulator):
    """Retains R$ 2,00 of each transfer."""

    async def transfer_fee(self, account: Account | None = None) -> int:
        assert account
        return 200


async def quote(merchant: Merchant, amount: Any) -> httpx.Response:
    return await merchant.api.get(f"/withdrawals/quote?amount={amount}", token=merchant.key)


async def test_the_fee_reduces_what_arrives(shop: Merchant, services: Services) -> None:
    dear = with_engine(services, Expensive)
    async with Api.of(Gateway(dear.settings, dear)) as api:
        merchant = replace(shop, api=api)
        answer = await quote(merchant, 50)
        assert answer.json()["data"] == {"amount": 50.0, "fee_amount": 2.0, "net_amount": 48.0}
        document = "{ quoteWithdrawal(amount: 1.5) { amount feeAmount netAmount } }"
        data = (await api.graphql(document, token=shop.key))["data"]
        assert data["quoteWithdrawal"] == {"amount": 1.5, "feeAmount": 1.5, "netAmount": 0.0}
        document = "query($amount: Reais!) { quoteWithdrawal(amount: $amount) { feeAmount } }"
        data = (await api.graphql(document, token=shop.key, amount=50))["data"]
        assert data["quoteWithdrawal"] == {"feeAmount": 2.0}


@pytest.mark.parametrize("amount", ["", "0", "-1", "1.005", "x"])
async def test_an_invalid_amount_is_refused(shop: Merchant, amount: str) -> None:
    answer = await quote(shop, amount)
    assert answer.status_code == 400
    assert [field["campo"] for field in answer.json()["error"]["campos"]] == ["amount"]


async def test_it_is_refused_like_the_withdrawal(shop: Merchant, services: Services) -> None:
    other = await shop.api.register_merchant()
    absent = await quote(other, 10)
    assert (absent.status_code, absent.json()["error"]["codigo"]) == (409, "SUBCONTA_INEXISTENTE")
    single = services.settings.model_copy(update={"receiving_mode": ReceivingMode.conta_unica})
    async with Api.of(Gateway(single, replace(services, settings=single))) as api:
        manual = await quote(replace(shop, api=api), 10)
    assert (manual.status_code, manual.json()["error"]["codigo"]) == (409, "REPASSE_MANUAL")


async def test_a_failure_of_the_engine_is_an_error(shop: Merchant, engines: Engines) -> None:
    engines.test.scenario.plan("transfer_fee", Behaviour.unavailable)
    assert (await quote(shop, 10)).status_code == 502
