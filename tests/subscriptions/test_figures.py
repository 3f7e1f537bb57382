"""Figures of subscriptions compared with the schedule of each."""

import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor
from typing import Any

from gateway.models.database import Database
from gateway.models.subscriptions import Interval
from gateway.resolvers.subscriptions.schedule import CycleLimit, Recurrence, upcoming
from tests import sql
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.subscriptions.fixtures import put_subscriptions

NOWS = (
    datetime(2031, 1, 30, 12, tzinfo=UTC),
    datetime(2031, 2, 1, 1, 30, tzinfo=UTC),
    datetime(2031, 12, 31, 23, 59, tzinfo=UTC),
    datetime(2032, 2, 29, 15, tzinfo=UTC),
)
COMING = timedelta(days=30)


def random_row(chance: random.Random, now: datetime) -> dict[str, Any]:
    due = now + timedelta(minutes=chance.randrange(-60 * 24 * 70, 60 * 24 * 40))
    day = due.astimezone(UTC).day
    return {
        "amount": chance.choice((500, 4990, 100001)),
        "interval": chance.choice(("weekly", "weekly", "monthly", "monthly", *Interval)),
        "interval_count": chance.choice((1, 1, chance.randint(1, 12))),
        "status": chance.choice(("active", "active", "active", "paused")),
        "next_billing_at": due,
        "anchor_day": chance.choice((day, 31)) if day >= 28 else day,
        "end_date": chance.choice((None, None, due + timedelta(days=chance.randrange(60)))),
        "max_cycles": chance.choice((None, None, 5)),
        "cycles_count": chance.choice((0, 3, 4)),
    }


def cycles_of(row: dict[str, Any], now: datetime, count: int = 60) -> list[datetime]:
    limit = CycleLimit(row["cycles_count"], row["max_cycles"], row["end_date"])
    return upcoming(Recurrence.of(row), limit, row["next_billing_at"], count, now)


async def test_the_next_30_days_are_what_each_schedule_has(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    chance = random.Random(3)
    yearly = {"weekly": 52, "monthly": 12, "quarterly": 4, "semiannual": 2, "yearly": 1}
    for now in NOWS:
        clock.advance(now - clock.now())
        await sql.run(database, "delete from subscriptions")
        await put_subscriptions(database, merchant.id, [random_row(chance, now) for _ in range(120)], due=now)
        await sql.run(
            database, "update subscriptions set utc_offset = 540 where id in (select id from subscriptions limit 40)"
        )
        await sql.run(database, "update subscriptions set last_failure = 'x' where amount = 500")
        rows = [dict(row) for row in await sql.rows(database, "select * from subscriptions where status = 'active'")]
        coming = [(row, at) for row in rows for at in cycles_of(row, now) if at <= now + COMING]
        monthly = sum(Fraction(row["amount"] * yearly[row["interval"]], 12 * row["interval_count"]) for row in rows)
        figures = (await api.get("/subscriptions/figures", token=merchant.key)).json()["data"]
        assert figures == {
            "active_count": len(rows),
            "monthly_amount": floor(monthly + Fraction(1, 2)) / 100,
            "failing_count": len([row for row in rows if row["amount"] == 500]),
            "next30_days_amount": sum(row["amount"] for row, _ in coming) / 100,
        }
        query = "{ subscriptionFigures { activeCount monthlyAmount failingCount next30DaysAmount } }"
        graphql = (await api.graphql(query, token=merchant.key))["data"]["subscriptionFigures"]
        assert list(graphql.values()) == list(figures.values())

        listed = (await api.get("/subscriptions/upcoming?count=60", token=merchant.key)).json()["data"]
        every = sorted(at for row in rows for at in cycles_of(row, now))[:60]
        assert [datetime.fromisoformat(each["billing_at"]) for each in listed] == every
        amounts = {row["id"]: row["amount"] / 100 for row in rows}
        assert all(each["amount"] == amounts[each["subscription_id"]] for each in listed)
        latest = min(rows, key=lambda row: row["next_billing_at"])
        own = (await api.get(f"/subscriptions/{latest['id']}/upcoming?count=9", token=merchant.key)).json()["data"]
        assert [datetime.fromisoformat(each["billing_at"]) for each in own] == cycles_of(latest, now, 9)


async def test_a_store_without_subscriptions_has_zeros(api: Api, merchant: Merchant) -> None:
    figures = (await api.get("/subscriptions/figures", token=merchant.key)).json()["data"]
    assert set(figures.values()) == {0}
    assert (await api.get("/subscriptions/upcoming", token=merchant.key)).json()["data"] == []
    answer = await api.graphql("{ upcomingCharges { billingAt } }", token=merchant.key)
    assert answer["data"] == {"upcomingCharges": []}
