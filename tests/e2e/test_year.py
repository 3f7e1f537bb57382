"""A merchant's year with the test clock, through the public API: subscriptions of every interval, payments on time,
late and never, a coupon's season, and a receiver of webhooks that is down for some weeks.
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


@pytest.fixture
async def api(settings: Settings, services: Services) -> AsyncIterator[Api]:
    """The application, and a dispatcher that sends what it emits by the schedule of the test environment."""
    resolver = Resolver()
    sender = Sender(EgressClient(AddressGuard(settings.webhook_allowed_networks), resolver).post, services.vault)
    ctx = system_context(services, source="job", request_id="a year")
    dispatcher = Dispatcher(ctx, sender.send, DispatcherConfig(poll=0.05, drain=1.0, linger=0.0))
    running = asyncio.create_task(dispatcher.run())
    nearby = replace(services, wake=LocalNotifier(dispatcher, services.wake))
    async with Api.of(Gateway(settings, nearby)) as opened:
        yield opened
    dispatcher.stop()
    await running
    resolver.close()


Advance = Callable[[Merchant, datetime], Awaitable[dict[str, Any]]]
"""Ask for a store's time to be moved, and wait until it is: what its clock shows then."""


@dataclass
class Shop:
    """A merchant in the first days of a year, with a receiver that can be down. `now` is the world's time."""

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
        """A moment of the year, in UTC; 13 months are a year and one."""
        return datetime(self.year + (month - 1) // 12, (month - 1) % 12 + 1, day, hour, tzinfo=UTC)

    def last(self, month: int) -> datetime:
        """The last day of a month, when the monthly plan is charged."""
        return self.day(month + 1, 1) - DAY

    async def until(self, moment: datetime) -> None:
        told = await self.advance(self.merchant, moment)
        assert timedelta(0) <= instant(told["now"]) - moment < timedelta(seconds=1)

    async def post(self, path: str, order: dict[str, Any]) -> dict[str, Any]:
        answered = await self.merchant.api.post(path, order, token=self.merchant.key)
        told: dict[str, Any] = answered.json()
        return told.get("data") or told["error"]

    async def charged(self, plan: str) -> list[dict[str, Any]]:
        """The charges of a plan, the oldest first."""
        return [c for c in await charges_of(self.merchant) if c["subscription_id"] == self.plans[plan]["id"]]

    async def pay_latest(self, plan: str) -> dict[str, Any]:
        *_, charge = await self.charged(plan)
        return await self.merchant.pay(charge["id"])

    async def deliveries(self, status: str) -> list[dict[str, Any]]:
        path = f"/webhook-endpoints/{self.endpoint}/deliveries?limit=100&status={status}"
        found: list[dict[str, Any]] = (await self.merchant.api.get(path, token=self.merchant.key)).json()["data"]
        return found

    def story(self) -> list[tuple[Any, ...]]:
        """What the receiver was told, by `sequence`: what happened when, without what is drawn by lot."""
        told = {request.event_id: orjson.loads(request.body) for request in self.requests}
        events = sorted(told.values(), key=lambda event: (event["sequence"], event["event"]))
        return [(event["sequence"], event["event"], *_essence(event["data"])) for event in events]


def _essence(data: dict[str, Any]) -> tuple[Any, ...]:
    charge, plan = data.get("charge", data), data.get("subscription", {})
    names = ("amount", "created_at", "expires_at", "status", "paid_at", "paid_late", "coupon_code")
    return (*(charge[name] for name in names), plan.get("cycles_count"), plan.get("next_billing_at"))


async def open_shop(shop: Shop, url: str) -> dict[str, Any]:
    """On 10 January: an endpoint, a product with a coupon for March, and a plan of each
    interval. Returns the product.
    """
    if shop.day(1, 10) - shop.now > 366 * DAY:
        await shop.until(shop.day(1, 10) - 100 * DAY)
    await shop.until(shop.day(1, 10))
    form = {"name": "loja", "url": url}
    made = await shop.merchant.api.post("/webhook-endpoints", form, token=shop.merchant.token)
    shop.endpoint = made.json()["data"]["id"]
    product = await shop.post("/products", {"name": "Violão", "price": 300})
    march = {"starts_at": shop.day(3, 1).isoformat(), "expires_at": shop.day(4, 1).isoformat()}
    await shop.post("/coupons", {"code": "MARCO", "discount_type": "percentage", "discount_value": 10, **march})
    firsts = {MONTHLY: shop.last(1), WEEKLY: shop.day(1, 11), YEARLY: shop.day(2, 28)}
    for interval, first in firsts.items():
        written = first.astimezone(SAO_PAULO).isoformat()
        shop.plans[interval] = await shop.post(
            "/subscriptions", PLAN | {"interval": interval, "next_billing_at": written}
        )
    return product


async def live_a_year(shop: Shop, url: str) -> None:
    """From 10 January on: what happens is asserted on the way, the whole by the caller."""
    product = await open_shop(shop, url)
    order = {**PAYER, "product_id": product["id"], "coupon_code": "marco"}
    began = shop.now
    assert (await shop.post("/pix", order))["codigo"] == "CUPOM_NAO_INICIADO"

    await shop.until(shop.last(1) + timedelta(hours=2))
    on_time = await shop.pay_latest(MONTHLY)
    assert (instant(on_time["paid_at"]) - shop.last(1), on_time["paid_late"]) == (
        pytest.approx(timedelta(hours=2), abs=timedelta(seconds=1)),
        False,
    )
    await shop.until(shop.day(3, 3))
    late = await shop.pay_latest(MONTHLY)
    assert (late["status"], late["paid_late"]) == ("paid", True)
    assert instant(late["created_at"]).date() == shop.last(2).date()

    cheaper = await shop.post("/pix", order)
    assert (cheaper["amount"], cheaper["coupon_code"]) == (270, "MARCO")
    await shop.until(shop.day(4, 1))
    assert (await shop.post("/pix", order))["codigo"] == "CUPOM_EXPIRADO"

    await shop.until(shop.day(6, 1, hour=0))
    assert await shop.deliveries("exhausted") == []
    shop.down = True
    await shop.until(shop.day(6, 22, hour=0))
    lost = await shop.deliveries("exhausted")
    assert len(lost) == 2 * await _charges_between(shop, shop.day(6, 1, hour=0), shop.day(6, 22, hour=0))
    assert {delivery["attempts_count"] for delivery in lost} == {4}
    shop.down = False
    path = f"/webhook-endpoints/{shop.endpoint}/replay"
    again = await shop.merchant.api.post(path, {"since": began.isoformat()}, token=shop.merchant.token)
    assert again.json()["data"]["replayed"] == len(lost)

    await shop.until(shop.day(13, 8))


async def _charges_between(shop: Shop, since: datetime, until: datetime) -> int:
    return sum(since <= instant(charge["created_at"]) < until for charge in await charges_of(shop.merchant))


async def lived(api: Api, now: datetime, advance: Advance = advance) -> Shop:
    """A whole year of a fresh merchant, next year."""
    shop = Shop(await api.register_merchant(), now, advance)
    async with receiving(shop.answer) as receiver:
        await live_a_year(shop, receiver.url())
        shop.requests = receiver.requests
    return shop


async def test_a_merchant_s_year_is_the_same_each_time_it_is_lived(api: Api) -> None:
    shop = await lived(api, api.services.clock.now())
    story = await everything_came_to_pass(shop)
    scheduled = [sequence for sequence, event, *_ in story if event == "subscription.charged"]
    assert all(one < other for one, other in pairwise(scheduled))
    # While the receiver was there, everything arrived in the order in which it happened.
    first = [request for request in shop.requests if request.headers["x-service-attempt"] == "1"]
    arrived = [orjson.loads(request.body)["sequence"] // 1_000_000 for request in first]
    assert arrived == sorted(arrived)

    assert (await lived(api, api.services.clock.now())).story() == story


async def everything_came_to_pass(shop: Shop) -> list[tuple[Any, ...]]:
    """Each plan was charged when it was due, and what happened was told in the end: the story."""
    monthly, weekly, yearly = [await shop.charged(plan) for plan in (MONTHLY, WEEKLY, YEARLY)]
    assert [_moment(charge) for charge in monthly] == [shop.last(month) for month in range(1, 13)]
    assert [_moment(charge) for charge in weekly] == [shop.day(1, 11) + number * 7 * DAY for number in range(52)]
    assert [_moment(charge) for charge in yearly] == [shop.day(2, 28)]
    assert Counter(charge["status"] for charge in monthly) == {"paid": 2, "expired": 10}
    for charge in (*monthly, *weekly, *yearly):
        lifetime = instant(charge["expires_at"]) - instant(charge["created_at"])
        assert timedelta(hours=24) - timedelta(seconds=1) < lifetime <= timedelta(hours=24)

    assert [await shop.deliveries(status) for status in ("pending", "exhausted", "canceled")] == [[], [], []]
    story = shop.story()
    assert Counter(event for _, event, *_ in story) == {
        "charge.created": 12 + 52 + 1 + 1,
        "subscription.charged": 12 + 52 + 1,
        "charge.paid": 2,
    }
    return story


def _moment(charge: dict[str, Any]) -> datetime:
    """When it was made, to the second: each look at the clock takes a microsecond."""
    return instant(charge["created_at"]).replace(microsecond=0)
