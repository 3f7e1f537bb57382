"""Figures of charges compared with sums over the same rows, in steps of several sizes and zones."""

import random
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from strawberry.utils.str_converters import to_snake_case

from gateway.models.database import Database
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges

FIGURES = "issuedCount issuedAmount paidCount paidAmount feeAmount netAmount refundedAmount expiredCount paidLateCount"
QUERY = f"""
query ($from: Date!, $to: Date!, $by: Step, $zone: String, $filter: ChargeFilter) {{
  chargeFigures(from: $from, to: $to, by: $by, timeZone: $zone, filter: $filter) {{
    total {{ from to {FIGURES} }} previous {{ from to {FIGURES} }} steps {{ from to {FIGURES} }}
  }}
}}
"""
Row = Mapping[str, Any]
PRODUCT = new_id()


def random_row(chance: random.Random, now: datetime) -> dict[str, Any]:
    created = now - timedelta(minutes=chance.randrange(60 * 24 * 90))
    status = chance.choice(("pending", "paid", "paid", "expired", "canceled", "refunded"))
    row = {
        "created_at": created,
        "expires_at": created + timedelta(hours=chance.choice((1, 24, 24 * 40))),
        "status": status,
        "amount": chance.choice((500, 1999, 123456)),
        "product_id": chance.choice((PRODUCT, None)),
        "paid_late": False,
    }
    if status in ("paid", "refunded"):
        row |= {"paid_at": created + timedelta(minutes=chance.randrange(9000)), "paid_late": chance.random() < 0.3}
    return row


@pytest.fixture
async def rows(merchant: Merchant, database: Database, clock: MovedClock, api: Api) -> list[Row]:
    chance, now = random.Random(7), clock.now()
    await put_charges(database, merchant.id, [random_row(chance, now) for _ in range(400)], now=now)
    await sql.run(database, "update charges set fee_amount = amount / 100 where user_id = $1", merchant.id)
    partly = "update charges set refunded_amount = amount / 3 where status = 'paid' and amount = 1999 and user_id = $1"
    await sql.run(database, partly, merchant.id)
    other = await api.register_merchant()
    await put_charges(database, other.id, [random_row(chance, now) for _ in range(20)], now=now)
    return [dict(row) for row in await sql.rows(database, "select * from charges where user_id = $1", merchant.id)]


def expected(rows: list[Row], first: date, last: date, zone: ZoneInfo, now: datetime) -> dict[str, Any]:
    def within(at: datetime | None) -> bool:
        return at is not None and first <= at.astimezone(zone).date() <= last

    def reais(amounts: list[int]) -> float:
        return sum(amounts) / 100

    issued = [row for row in rows if within(row["created_at"])]
    paid = [row for row in rows if row["status"] == "paid" and within(row["paid_at"])]
    refunds = [row["refunded_amount"] for row in rows if within(row["paid_at"])]
    over = [
        row for row in rows if row["status"] == "expired" or (row["status"] == "pending" and row["expires_at"] <= now)
    ]
    fees = [row["fee_amount"] for row in paid]
    return {
        "issued_count": len(issued),
        "issued_amount": reais([row["amount"] for row in issued]),
        "paid_count": len(paid),
        "paid_amount": reais([row["amount"] for row in paid]),
        "fee_amount": reais(fees),
        "net_amount": reais([row["amount"] - row["refunded_amount"] - row["fee_amount"] for row in paid]),
        "refunded_amount": reais(refunds),
        "expired_count": len([row for row in over if within(row["expires_at"])]),
        "paid_late_count": len([row for row in paid if row["paid_late"]]),
    }


def days_of(figures: Mapping[str, Any]) -> tuple[date, date]:
    return datetime.fromisoformat(figures["from"]).date(), datetime.fromisoformat(figures["to"]).date()


def amounts_of(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if name not in {"from", "to"}}


def snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_snake_case(name): snake(inner) for name, inner in value.items()}
    return [snake(each) for each in value] if isinstance(value, list) else value


async def figures(api: Api, merchant: Merchant, **query: Any) -> dict[str, Any]:
    """The figures over REST. Those over GraphQL are the same."""
    answer = await api.get(f"/charges/figures?{urlencode(query)}", token=merchant.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["data"]
    sent = {name: query.pop(name, default) for name, default in (("by", "day"), ("tz", "America/Sao_Paulo"))}
    variables = {"from": str(query.pop("from")), "to": str(query.pop("to")), "by": sent["by"], "zone": sent["tz"]}
    shown = {"product_id": "productId", "status": "status", "q": "q"}
    variables["filter"] = {shown[name]: value for name, value in query.items()}
    graphql = (await api.graphql(QUERY, token=merchant.key, **variables))["data"]["chargeFigures"]
    assert snake(graphql) == found
    return found


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "America/Manaus", "Pacific/Kiritimati", "Europe/Lisbon"])
@pytest.mark.parametrize("by", ["day", "week", "month"])
async def test_each_step_is_what_its_rows_add_up_to(
    api: Api, merchant: Merchant, rows: list[Row], clock: MovedClock, zone: str, by: str
) -> None:
    here, now = ZoneInfo(zone), clock.now()
    first, last = now.astimezone(here).date() - timedelta(days=39), now.astimezone(here).date()
    found = await figures(api, merchant, **{"from": first, "to": last, "by": by, "tz": zone})
    steps = found["steps"]
    bounds = [days_of(step) for step in steps]
    assert (bounds[0][0], bounds[-1][1]) == (first, last)
    for (_, end), (start, _) in pairwise(bounds):
        assert start - end == timedelta(days=1)
        assert by != "week" or start.weekday() == 0
        assert by != "month" or start.day == 1
    for step, (start, end) in zip(steps, bounds, strict=True):
        assert amounts_of(step) == expected(rows, start, end, here, now)
    assert amounts_of(found["total"]) == expected(rows, first, last, here, now)
    assert days_of(found["previous"]) == (first - timedelta(days=40), first - timedelta(days=1))
    assert amounts_of(found["previous"]) == expected(rows, *days_of(found["previous"]), here, now)
    assert found["total"]["paid_count"] > 20


async def test_the_filters_of_the_list_apply(api: Api, merchant: Merchant, rows: list[Row], clock: MovedClock) -> None:
    here, now = ZoneInfo("America/Sao_Paulo"), clock.now()
    first, last = now.astimezone(here).date() - timedelta(days=20), now.astimezone(here).date()
    by_product = await figures(api, merchant, **{"from": first, "to": last, "product_id": PRODUCT})
    of_product = [row for row in rows if row["product_id"] == PRODUCT]
    assert amounts_of(by_product["total"]) == expected(of_product, first, last, here, now)
    paid = await figures(api, merchant, **{"from": first, "to": last, "status": "paid"})
    paid_rows = [row for row in rows if row["status"] == "paid"]
    assert amounts_of(paid["total"]) == expected(paid_rows, first, last, here, now)
    assert paid["total"]["expired_count"] == 0
    one = await figures(api, merchant, **{"from": first, "to": last, "q": rows[0]["txid"]})
    assert one["total"]["issued_count"] == (first <= rows[0]["created_at"].astimezone(here).date() <= last)


async def test_a_day_of_25_hours_is_one_step(api: Api, merchant: Merchant) -> None:
    found = await figures(api, merchant, **{"from": "2026-10-25", "to": "2026-10-25", "tz": "Europe/Lisbon"})
    [step] = found["steps"]
    assert (step["from"], step["to"]) == ("2026-10-25T00:00:00+01:00", "2026-10-25T23:59:59.999999+00:00")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": "2026-01-01"}, "to"),
        ({"from": "2026-02-01", "to": "2026-01-31"}, "to"),
        ({"from": "2026-01-01", "to": "2027-01-02"}, "by"),
        ({"from": "1990-01-01", "to": "2026-01-01", "by": "month"}, "by"),
        ({"from": "2026-01-01", "to": "2026-01-02", "by": "hour"}, "by"),
        ({"from": "2026-01-01T10:00:00Z", "to": "2026-01-02"}, "from"),
        ({"from": "2026-02-30", "to": "2026-03-02"}, "from"),
        ({"from": "2026-01-01", "to": "2026-01-02", "tz": "Mars/Olympus"}, "tz"),
        ({"from": "2026-01-01", "to": "2026-01-02", "status": "lost"}, "status"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_name(
    api: Api, merchant: Merchant, query: dict[str, str], field: str
) -> None:
    answer = await api.get(f"/charges/figures?{urlencode(query)}", token=merchant.key)
    assert answer.status_code == 400
    assert [each["campo"] for each in answer.json()["error"]["campos"]] == [field]


async def test_366_days_are_the_most(api: Api, merchant: Merchant) -> None:
    found = await figures(api, merchant, **{"from": "2026-01-01", "to": "2027-01-01"})
    assert len(found["steps"]) == 366
    aliases = " ".join(
        f'a{n}: chargeFigures(from: "2026-01-01", to: "2027-01-01") {{ total {{ paidCount }} }}' for n in range(14)
    )
    answer = await api.graphql(f"{{ {aliases} }}", token=merchant.key)
    assert {error["extensions"]["status"] for error in answer["errors"]} == {400}


async def test_what_graphql_selects_is_no_parameter_over_rest(api: Api, merchant: Merchant) -> None:
    answer = await api.get("/charges/figures?from=2026-11-01&to=2026-11-02&with_previous=false", token=merchant.key)
    assert answer.status_code == 400, answer.text
