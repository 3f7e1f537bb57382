"""A merchant's year with the test clock, through the public API.

It has subscriptions of every interval, charges paid on time, late and never, a coupon with a period, and a webhook
receiver that is down for some weeks.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from gateway.app import Gateway
from gateway.integrations.egress.addresses import AddressGuard
from gateway.integrations.egress.client import EgressClient
from gateway.integrations.egress.resolver import Resolver
from gateway.resolvers.core.context import Services, system_context
from gateway.settings import Settings
from gateway.values.clock import SAO_PAULO
from gateway.workers.notify import LocalNotifier
from gateway.workers.webhook_dispatcher import Dispatcher, DispatcherConfig
from gateway.workers.webhook_sender import Sender
from tests.api_client import PAYER, Api, Merchant
from tests.clocks.fixtures import advance, charges_of, instant
from tests.workers.receivers import OK, Received, answer, receiving

BROKEN = answer(500)
DAY = timedelta(days=1)
PLAN = {**PAYER, "amount": 49.9, "description": "Plano ouro"}
MONTHLY, WEEKLY, YEARLY = "monthly", "weekly", "yearly"
QUARTERLY, SEMIANNUAL = "quarterly", "semiannual"


@pytest.fixture
async def api(settings: Settings, services: Services) -> AsyncIterator[Api]:
    """The application, and a dispatcher that sends its events by the schedule of the test environment."""
    resolver = Resolver()
    sender = Sender(EgressClient(AddressGuard(settings.webhook_allowed_networks), resolver).post, services.vault)
    ctx = system_context(services, source="job", request_id="a year")
    dispatcher = Dispatcher(ctx, sender.send, DispatcherConfig(poll=0.05, drain=1.0, linger=0.0))
    running = asyncio.create_task(dispatcher.run())
    nearby = replace(services, notifier=LocalNotifier(dispatcher, services.notifier))
    async with Api.of(Gateway(settings, nearby)) as opened:
        yield opened
    dispatcher.stop()
    await running
    resolver.close()


Advance = Callable[[Merchant, datetime], Awaitable[dict[str, Any]]]
"""Advances a store's test clock, waits for it, and returns the clock."""


@dataclass
class YearStore:
    """A merchant with a receiver that can be down. `now` is the current time when the scenario starts."""

    merchant: Merchant
    now: datetime
    advance: Advance = advance
    endpoint: str = ""
    down: bool = False
    requests: list[Received] = field(default_factory=list)
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def year(self) -> int:
        return self.now.year + 1

    def answer(self, _path: str, _number: int) -> bytes:
        return BROKEN if self.down else OK

    def day(self, month: int, day: int, hour: int = 13) -> datetime:
        """A timestamp of the year, in UTC; month 13 is January of the next year."""
        return datetime(self.year + (month - 1) // 12, (month - 1) % 12 + 1, day, hour, tzinfo=UTC)

    def last(self, month: int) -> datetime:
        """The last day of a month, the billing day of the monthly plan."""
        return self.day(month + 1, 1) - DAY

    async def until(self, timestamp: datetime) -> None:
        clock = await self.advance(self.merchant, timestamp)
        assert timedelta(0) <= instant(clock["now"]) - timestamp < timedelta(seconds=1)

    async def post(self, path: str, order: dict[str, Any]) -> dict[str, Any]:
        answered = await self.merchant.api.post(path, order, token=self.merchant.key)
        body: dict[str, Any] = answered.json()
        return body.get("data") or body["error"]

    async def charged(self, plan: str) -> list[dict[str, Any]]:
        """The charges of a plan, oldest first."""
        return [c for c in await charges_of(self.merchant) if c["subscription_id"] == self.plans[plan]["id"]]

    async def pay_latest(self, plan: str) -> dict[str, Any]:
        *_, charge = await self.charged(plan)
        return await self.merchant.pay(charge["id"])

    async def deliveries(self, status: str) -> list[dict[str, Any]]:
        path = f"/webhook-endpoints/{self.endpoint}/deliveries?limit=100&status={status}"
        found: list[dict[str, Any]] = (await self.merchant.api.get(path, token=self.merchant.key)).json()["data"]
        return found

    def history(self) -> list[tuple[Any, ...]]:
        """The received events by `sequence`, without random values."""
        received = {request.event_id: orjson.loads(request.body) for request in self.requests}
        events = sorted(received.values(), key=lambda event: (event["sequence"], event["event"]))
        return [(event["sequence"], event["event"], *_essence(event["data"])) for event in events]


def _essence(data: dict[str, Any]) -> tuple[Any, ...]:
    charge, plan = data.get("charge", data), data.get("subscription", {})
    names = ("amount", "created_at", "expires_at", "status", "paid_at", "paid_late", "coupon_code")
    return (*(charge[name] for name in names), plan.get("cycles_count"), plan.get("next_billing_at"))


async def create_objects(store: YearStore, url: str) -> dict[str, Any]:
    """On 10 January: an endpoint, a product with a coupon for March, and a plan of each
    interval. Returns the product.
    """
    if store.day(1, 10) - store.now > 366 * DAY:
        await store.until(store.day(1, 10) - 100 * DAY)
    await store.until(store.day(1, 10))
    form = {"name": "loja", "url": url}
    created = await store.merchant.api.post("/webhook-endpoints", form, token=store.merchant.token)
    store.endpoint = created.json()["data"]["id"]
    product = await store.post("/products", {"name": "Violão", "price": 300})
    march = {"starts_at": store.day(3, 1).isoformat(), "expires_at": store.day(4, 1).isoformat()}
    await store.post("/coupons", {"code": "MARCO", "discount_type": "percentage", "discount_value": 10, **march})
    firsts = {MONTHLY: store.last(1), WEEKLY: store.day(1, 11), YEARLY: store.day(2, 28)}
    firsts |= {QUARTERLY: store.last(1), SEMIANNUAL: store.last(3)}
    for interval, first in firsts.items():
        written = first.astimezone(SAO_PAULO).isoformat()
        store.plans[interval] = await store.post(
            "/subscriptions", PLAN | {"interval": interval, "next_billing_at": written}
        )
    return product


async def run_scenario(store: YearStore, url: str) -> None:
    """Run the scenario from 10 January on, with assertions of each step. The caller asserts the result."""
    product = await create_objects(store, url)
    order = {**PAYER, "product_id": product["id"], "coupon_code": "marco"}
    began = store.now
    assert (await store.post("/pix", order))["codigo"] == "CUPOM_NAO_INICIADO"

    await store.until(store.last(1) + timedelta(hours=2))
    on_time = await store.pay_latest(MONTHLY)
    assert (instant(on_time["paid_at"]) - store.last(1), on_time["paid_late"]) == (
        pytest.approx(timedelta(hours=2), abs=timedelta(seconds=1)),
        False,
    )
    await store.until(store.day(3, 3))
    late = await store.pay_latest(MONTHLY)
    assert (late["status"], late["paid_late"]) == ("paid", True)
    assert instant(late["created_at"]).date() == store.last(2).date()

    cheaper = await store.post("/pix", order)
    assert (cheaper["amount"], cheaper["coupon_code"]) == (270, "MARCO")
    await store.until(store.day(4, 1))
    assert (await store.post("/pix", order))["codigo"] == "CUPOM_EXPIRADO"

    await store.until(store.day(6, 1, hour=0))
    assert await store.deliveries("exhausted") == []
    store.down = True
    await store.until(store.day(6, 22, hour=0))
    lost = await store.deliveries("exhausted")
    assert len(lost) == 2 * await _charges_between(store, store.day(6, 1, hour=0), store.day(6, 22, hour=0))
    assert {delivery["attempts_count"] for delivery in lost} == {4}
    store.down = False
    path = f"/webhook-endpoints/{store.endpoint}/replay"
    again = await store.merchant.api.post(path, {"since": began.isoformat()}, token=store.merchant.token)
    assert again.json()["data"]["replayed"] == len(lost)

    await store.until(store.day(13, 8))


async def _charges_between(store: YearStore, since: datetime, until: datetime) -> int:
    return sum(since <= instant(charge["created_at"]) < until for charge in await charges_of(store.merchant))


async def run_year(api: Api, now: datetime, advance: Advance = advance) -> YearStore:
    """Run the scenario with a new merchant in the next year."""
    store = YearStore(await api.register_merchant(), now, advance)
    async with receiving(store.answer) as receiver:
        await run_scenario(store, receiver.url())
        store.requests = receiver.requests
    return store


async def test_a_merchant_s_year_is_deterministic(api: Api) -> None:
    store = await run_year(api, api.services.clock.now())
    history = await assert_year(store)
    scheduled = [sequence for sequence, event, *_ in history if event == "subscription.charged"]
    assert all(one < other for one, other in pairwise(scheduled))
    # First attempts arrived in the order of the events.
    first = [request for request in store.requests if request.headers["x-service-attempt"] == "1"]
    arrived = [orjson.loads(request.body)["sequence"] // 1_000_000 for request in first]
    assert arrived == sorted(arrived)

    assert (await run_year(api, api.services.clock.now())).history() == history


async def assert_year(store: YearStore) -> list[tuple[Any, ...]]:
    """Assert that each plan was charged when due and all events were delivered; returns the events."""
    monthly, weekly, yearly = [await store.charged(plan) for plan in (MONTHLY, WEEKLY, YEARLY)]
    assert [_created_at(charge) for charge in monthly] == [store.last(month) for month in range(1, 13)]
    assert [_created_at(charge) for charge in weekly] == [store.day(1, 11) + number * 7 * DAY for number in range(52)]
    assert [_created_at(charge) for charge in yearly] == [store.day(2, 28)]
    quarterly, semiannual = [await store.charged(plan) for plan in (QUARTERLY, SEMIANNUAL)]
    assert [_created_at(charge) for charge in quarterly] == [store.last(month) for month in (1, 4, 7, 10)]
    assert [_created_at(charge) for charge in semiannual] == [store.last(month) for month in (3, 9)]
    assert Counter(charge["status"] for charge in monthly) == {"paid": 2, "expired": 10}
    for charge in (*monthly, *weekly, *yearly):
        lifetime = instant(charge["expires_at"]) - instant(charge["created_at"])
        assert timedelta(hours=24) - timedelta(seconds=1) < lifetime <= timedelta(hours=24)

    assert [await store.deliveries(status) for status in ("pending", "exhausted", "canceled")] == [[], [], []]
    history = store.history()
    assert Counter(event for _, event, *_ in history) == {
        "charge.created": 12 + 52 + 4 + 2 + 1 + 1,
        "subscription.charged": 12 + 52 + 4 + 2 + 1,
        "charge.paid": 2,
    }
    return history


def _created_at(charge: dict[str, Any]) -> datetime:
    """The creation time in seconds, as each reading of the test clock adds a microsecond."""
    return instant(charge["created_at"]).replace(microsecond=0)
