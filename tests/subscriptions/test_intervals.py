"""Every interval and every count of them, through the API: previews, cycles that are charged, and bounds."""

import csv
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest

from gateway.models.database import Database
from gateway.models.subscriptions import Interval
from gateway.values.clock import SAO_PAULO
from tests import sql
from tests.api_client import Api, Merchant
from tests.clocks.fixtures import advance, charges_of, instant
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import put_subscriptions, read_subscription, subscribed, subscription_order

MONTHS = {"monthly": 1, "quarterly": 3, "semiannual": 6, "yearly": 12}
ZONES = (SAO_PAULO, UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-11)))


def later_months(day: date, months: int) -> date:
    """The first day of the month so many months later."""
    for _ in range(months):
        day = (day.replace(day=1) + timedelta(days=31)).replace(day=1)
    return day


def expected_days(first: date, interval: str, every: int) -> Iterator[date]:
    """The days of the cycles, found by one month after the other."""
    day = first
    while interval == "weekly":
        yield day
        day += timedelta(days=7 * every)
    while True:
        last = later_months(day, 1) - timedelta(days=1)
        yield day.replace(day=min(first.day, last.day))
        day = later_months(day, MONTHS[interval] * every)


def to_minute(time: datetime) -> datetime:
    return time.replace(second=0, microsecond=0)


async def preview(api: Api, merchant: Merchant, row_id: str, count: int) -> list[datetime]:
    answer = await api.get(f"/subscriptions/{row_id}/upcoming?count={count}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    return [instant(charge["billing_at"]) for charge in answer.json()["data"]]


async def test_a_preview_has_the_same_day_and_time_of_each_interval(api: Api, merchant: Merchant) -> None:
    chance = random.Random(46)
    for interval in Interval:
        for every in range(1, 13):
            zone = chance.choice(ZONES)
            month_end = date(2091, chance.randint(1, 12), 1) - timedelta(days=chance.choice((1, 1, 2, 15)))
            first = datetime(*month_end.timetuple()[:3], chance.randint(0, 23), chance.randint(0, 59), tzinfo=zone)
            order: dict[str, Any] = {"interval": interval, "interval_count": every}
            made = await subscribed(merchant, **order, next_billing_at=first.isoformat())
            coming = [cycle.astimezone(zone) for cycle in await preview(api, merchant, made["id"], 30)]
            days = expected_days(month_end, interval, every)
            assert [cycle.date() for cycle in coming] == [next(days) for _ in coming], (interval, every, first)
            assert {cycle.time() for cycle in coming} == {first.time()}


@pytest.mark.parametrize(
    ("interval", "every", "first", "expected"),
    [
        ("quarterly", 1, "2095-01-31", ["2095-01-31", "2095-04-30", "2095-07-31", "2095-10-31", "2096-01-31"]),
        ("semiannual", 1, "2095-08-31", ["2095-08-31", "2096-02-29", "2096-08-31", "2097-02-28"]),
        ("monthly", 2, "2095-12-31", ["2095-12-31", "2096-02-29", "2096-04-30", "2096-06-30", "2096-08-31"]),
        ("yearly", 2, "2096-02-29", ["2096-02-29", "2098-02-28", "2100-02-28", "2102-02-28", "2104-02-29"]),
        ("yearly", 4, "2096-02-29", ["2096-02-29", "2100-02-28", "2104-02-29"]),
        ("weekly", 2, "2095-12-25", ["2095-12-25", "2096-01-08", "2096-01-22"]),
    ],
)
async def test_month_ends_and_leap_days(
    api: Api, merchant: Merchant, interval: str, every: int, first: str, expected: list[str]
) -> None:
    made = await subscribed(merchant, interval=interval, interval_count=every, next_billing_at=first)
    coming = await preview(api, merchant, made["id"], len(expected))
    assert [cycle.astimezone(SAO_PAULO).date().isoformat() for cycle in coming] == expected


async def test_what_is_charged_is_what_the_preview_has(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    start = clock.now()
    orders = [("quarterly", 1), ("semiannual", 1), ("monthly", 2), ("weekly", 5), ("yearly", 1), ("quarterly", 3)]
    month_end = (start.astimezone(SAO_PAULO) + timedelta(days=40)).replace(day=1) - timedelta(days=1)
    first = to_minute(month_end)
    previews = {}
    for interval, every in orders:
        order: dict[str, Any] = {"interval": interval, "interval_count": every, "next_billing_at": first.isoformat()}
        row_id = (await subscribed(merchant, **order))["id"]
        previews[row_id] = await preview(api, merchant, row_id, 12)
    until = start + timedelta(days=366)
    await advance(merchant, until)
    charges = await charges_of(merchant)
    for row_id, coming in previews.items():
        own = [charge for charge in charges if charge["subscription_id"] == row_id]
        due = [cycle for cycle in coming if cycle <= until]
        assert [to_minute(instant(charge["created_at"])) for charge in own] == due
        read = await read_subscription(merchant, row_id)
        assert (read["cycles_count"], instant(read["next_billing_at"])) == (len(due), coming[len(due)])


@pytest.mark.parametrize("change", ["interval_count = 2", "interval = 'quarterly'", "interval = 'semiannual'"])
async def test_an_advance_counts_the_cycles_of_each_interval(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, change: str
) -> None:
    """1,700 monthly subscriptions have more than 20,000 cycles in a year, and less frequent ones fewer."""
    to = {"to": (clock.now() + timedelta(days=365)).isoformat()}
    await put_subscriptions(database, merchant.id, [{}] * 1700, due=clock.now() + timedelta(hours=1))
    assert (await api.post("/test-clock/advance", to, token=merchant.key)).status_code == 400
    await sql.run(database, f"update subscriptions set {change}")
    assert (await api.post("/test-clock/advance", to, token=merchant.key)).status_code == 202


async def test_no_date_is_beyond_the_year_9999(api: Api, merchant: Merchant) -> None:
    order: dict[str, Any] = {"interval": "yearly", "interval_count": 12, "next_billing_at": "8999-12-31T12:00:00Z"}
    made = await subscribed(merchant, **order)
    coming = await preview(api, merchant, made["id"], 60)
    assert (coming[0].year, coming[-1].year) == (8999, 8999 + 59 * 12)
    store = (await api.get("/subscriptions/upcoming?count=60", token=merchant.key)).json()["data"]
    assert [instant(charge["billing_at"]) for charge in store] == coming
    assert (await api.get("/subscriptions/figures", token=merchant.key)).json()["data"]["next30_days_amount"] == 0
    late = subscription_order(next_billing_at="9000-01-01")
    refused = await api.post("/subscriptions", late, token=merchant.key)
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["next_billing_at"]


async def test_the_first_charge_is_so_many_intervals_from_now(merchant: Merchant, clock: MovedClock) -> None:
    for interval, every, least, most in (
        ("weekly", 3, 21, 21),
        ("monthly", 2, 59, 62),
        ("quarterly", 1, 89, 92),
        ("semiannual", 2, 365, 366),
        ("yearly", 12, 4382, 4383),
    ):
        made = await subscribed(merchant, interval=interval, interval_count=every)
        days = (instant(made["next_billing_at"]) - clock.now()) / timedelta(days=1)
        assert least <= days <= most, (interval, every)
    early = subscription_order(interval="quarterly", interval_count=2, end_date=str(clock.now() + timedelta(days=150)))
    refused = await merchant.api.post("/subscriptions", early, token=merchant.key)
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["end_date"]


async def test_graphql_writes_and_reads_the_interval_and_its_count(api: Api, merchant: Merchant) -> None:
    create = """mutation($input: CreateSubscriptionContractInput!) { createSubscription(input: $input) {
      id interval intervalCount } }"""
    order = {"customerName": "Ana", "amount": 30, "interval": "semiannual", "intervalCount": 3}
    made = (await api.graphql(create, token=merchant.key, input=order))["data"]["createSubscription"]
    assert (made["interval"], made["intervalCount"]) == ("semiannual", 3)
    listed = """{ subscriptions(filter: { interval: semiannual, intervalCount: 3 }) { totalCount }
      other: subscriptions(filter: { intervalCount: 1 }) { totalCount } }"""
    found = (await api.graphql(listed, token=merchant.key))["data"]
    assert found == {"subscriptions": {"totalCount": 1}, "other": {"totalCount": 0}}
    bad = await api.graphql(create, token=merchant.key, input=order | {"intervalCount": 13})
    assert bad["errors"][0]["extensions"]["campos"][0]["campo"] == "interval_count"


async def test_exports_and_events_have_the_interval_and_its_count(api: Api, merchant: Merchant) -> None:
    made = await subscribed(merchant, interval="quarterly", interval_count=2)
    export = await api.get("/subscriptions/export", token=merchant.key)
    [row] = csv.DictReader(export.text.lstrip("\ufeff").splitlines())
    assert (row["interval"], row["interval_count"]) == ("quarterly", "2")
    assert (await api.post(f"/subscriptions/{made['id']}/charge", token=merchant.key)).status_code == 201
    [event] = (await api.get("/events?type=subscription.charged", token=merchant.key)).json()["data"]
    read = (await api.get(f"/events/{event['id']}", token=merchant.key)).json()["data"]
    sent = orjson.loads(read["payload"])["data"]["subscription"]
    assert (sent["interval"], sent["interval_count"]) == ("quarterly", 2)
