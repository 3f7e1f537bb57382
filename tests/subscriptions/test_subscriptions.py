"""Subscriptions over REST: fields, errors, status changes, deletion and manual charges."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest

from gateway.integrations.engines.interface import Engines
from gateway.integrations.engines.simulator import Behaviour
from gateway.models.database import Database
from gateway.resolvers.charges.recover_issuances import recover_issuances
from gateway.resolvers.charges.reserve import ISSUANCE_LEASE
from gateway.resolvers.core.context import Services, system_context
from gateway.values.clock import SAO_PAULO
from tests import sql
from tests.api.actors import Scene, add_live_key, live_session, set_status
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.rows import put_charges
from tests.subscriptions.fixtures import (
    lock_subscriptions,
    put_subscriptions,
    read_subscription,
    subscribed,
    subscription_order,
    wait_until_blocked,
)


async def test_a_subscription_is_created_and_read(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    answer = await api.post("/subscriptions", {"customer_name": " Maria ", "amount": 5}, token=merchant.key)
    assert answer.status_code == 201, answer.text
    made = answer.json()["data"]
    assert (made["customer_name"], made["amount"], made["interval"], made["status"]) == (
        "Maria",
        5,
        "monthly",
        "active",
    )
    assert (made["method"], made["customer_cpf"], made["cycles_count"], made["metadata"]) == ("pix", None, 0, {})
    assert made["interval_count"] == 1
    first = datetime.fromisoformat(made["next_billing_at"])
    assert first.astimezone(SAO_PAULO).time() == clock.now().astimezone(SAO_PAULO).time()
    assert timedelta(days=27) < first - clock.now() < timedelta(days=32)
    assert await read_subscription(merchant, made["id"]) == made
    assert (await api.get("/subscriptions", token=merchant.key)).json()["data"] == [made]


async def test_every_field_is_stored(api: Api, merchant: Merchant) -> None:
    made = await subscribed(
        merchant,
        interval="yearly",
        interval_count=2,
        next_billing_at="2099-02-28T10:00:00-03:00",
        end_date="2110-12-31",
        max_cycles=10,
        external_reference="plano-7",
        metadata={"plano": "ouro"},
    )
    assert made["customer_cpf"] == "52998224725"
    assert (made["next_billing_at"], made["end_date"]) == (
        "2099-02-28T13:00:00+00:00",
        "2111-01-01T02:59:59.999999+00:00",
    )
    assert (made["interval"], made["interval_count"]) == ("yearly", 2)
    assert (made["max_cycles"], made["external_reference"], made["metadata"]) == (10, "plano-7", {"plano": "ouro"})


async def test_a_saved_customer_completes_what_is_missing(api: Api, merchant: Merchant) -> None:
    form = {"name": "Ana", "email": "ana@example.com", "cpf": "529.982.247-25"}
    customer = (await api.post("/customers", form, token=merchant.key)).json()["data"]
    order = {"customer_id": customer["id"], "amount": 30, "customer_email": "outra@example.com"}
    made = (await api.post("/subscriptions", order, token=merchant.key)).json()["data"]
    result = (made["customer_id"], made["customer_name"], made["customer_email"], made["customer_cpf"])
    assert result == (customer["id"], "Ana", "outra@example.com", "52998224725")


PAST = "2020-01-01T00:00:00Z"
BAD_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"customer_name": None}, "customer_name"),
    ({"customer_name": "  "}, "customer_name"),
    ({"amount": None}, "amount"),
    ({"amount": "dez"}, "amount"),
    ({"amount": 10.001}, "amount"),
    ({"customer_cpf": "111.111.111-11"}, "customer_cpf"),
    ({"customer_email": "x"}, "customer_email"),
    ({"description": "x" * 141}, "description"),
    ({"interval": "daily"}, "interval"),
    ({"interval_count": 0}, "interval_count"),
    ({"interval_count": 13}, "interval_count"),
    ({"interval_count": 1.5}, "interval_count"),
    ({"interval_count": "2"}, "interval_count"),
    ({"interval_count": None}, "interval_count"),
    ({"next_billing_at": "amanhã"}, "next_billing_at"),
    ({"next_billing_at": ""}, "next_billing_at"),
    ({"next_billing_at": 1_900_000_000}, "next_billing_at"),
    ({"next_billing_at": PAST}, "next_billing_at"),
    ({"next_billing_at": "2099-01-02", "end_date": "2099-01-01"}, "end_date"),
    ({"max_cycles": 0}, "max_cycles"),
    ({"max_cycles": True}, "max_cycles"),
    ({"metadata": {"k": 1}}, "metadata.k"),
    ({"external_reference": "x" * 121}, "external_reference"),
]


@pytest.mark.parametrize(("changes", "field"), BAD_FIELDS)
async def test_a_bad_field_is_named_and_nothing_is_created(
    api: Api, merchant: Merchant, changes: dict[str, Any], field: str
) -> None:
    refused = await api.post("/subscriptions", subscription_order(**changes), token=merchant.key)
    assert refused.status_code == 400, refused.text
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == [field]
    assert "codigo" not in refused.json()["error"]
    assert (await api.get("/subscriptions", token=merchant.key)).json()["data"] == []


async def test_too_small_an_amount_is_refused_on_creation_and_on_change(api: Api, merchant: Merchant) -> None:
    made, answers = await subscribed(merchant), []
    for amount in (4.99, -1, "4.999", "-3"):
        answers.append(await api.post("/subscriptions", subscription_order(amount=amount), token=merchant.key))
        answers.append(await api.put(f"/subscriptions/{made['id']}", {"amount": amount}, token=merchant.key))
    for answer in answers:
        assert answer.status_code == 400
        assert (answer.json()["error"]["codigo"], answer.json()["error"]["valor_minimo"]) == ("VALOR_MINIMO", 5.0)
    assert await read_subscription(merchant, made["id"]) == made


@pytest.mark.parametrize(
    "date",
    [None, "", "  ", "amanhã", "2026-13-01", "2099-01-01\n10:00", 1_900_000_000, True, [], {}, PAST, "0001-01-01"],
)
async def test_an_invalid_date_is_refused_and_nothing_changes(
    api: Api, merchant: Merchant, database: Database, date: Any
) -> None:
    made = await subscribed(merchant)
    before = await fingerprint(database)
    sent = {"next_billing_at": date, "description": "outra"}
    refused = await api.put(f"/subscriptions/{made['id']}", sent, token=merchant.key)
    assert refused.status_code == 400, refused.text
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["next_billing_at"]
    assert await fingerprint(database) == before


@pytest.mark.parametrize(
    "changes",
    [{"end_date": PAST}, {"end_date": "2099-01-01"}, {"next_billing_at": "2100-01-02", "end_date": "2100-01-01"}],
)
async def test_no_active_subscription_ends_before_its_next_charge(
    api: Api, merchant: Merchant, changes: dict[str, Any]
) -> None:
    made = await subscribed(merchant, next_billing_at="2099-01-02")
    refused = await api.put(f"/subscriptions/{made['id']}", changes, token=merchant.key)
    assert refused.status_code == 400, refused.text
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["end_date"]
    assert await read_subscription(merchant, made["id"]) == made
    # A paused one may have any end date, and cannot be resumed after it.
    paused = await api.put(f"/subscriptions/{made['id']}", {"status": "paused", **changes}, token=merchant.key)
    assert paused.status_code == 200, paused.text
    active = await api.put(f"/subscriptions/{made['id']}", {"status": "active"}, token=merchant.key)
    assert active.status_code == 400


LATE, UTC_WRITTEN, EASTERN = "2099-01-31T22:00:00-03:00", "2099-02-01T01:00:00Z", "2099-01-31T01:00:00+05:00"


@pytest.mark.parametrize(
    ("first", "day", "end", "last"),
    [
        (LATE, "2099-03-31", "2099-04-01T02:59:59.999999", "2099-04-01T01:00:00"),
        (LATE, "20990330", "2099-03-31T02:59:59.999999", "2099-03-01T01:00:00"),
        (LATE, "2099-03-31T22:00:00-03:00", "2099-04-01T01:00:00", "2099-04-01T01:00:00"),
        (LATE, "2099-03-31T23:59:59", "2099-03-31T23:59:59", "2099-03-01T01:00:00"),
        (UTC_WRITTEN, "2099-03-31", "2099-04-01T02:59:59.999999", "2099-04-01T01:00:00"),
        ("2099-02-01", "2099-04-01", "2099-04-02T02:59:59.999999", "2099-04-01T03:00:00"),
        (EASTERN, "2099-03-31", "2099-04-01T02:59:59.999999", "2099-03-30T20:00:00"),
        (EASTERN, "2099-03-30", "2099-03-31T02:59:59.999999", "2099-03-30T20:00:00"),
    ],
)
async def test_an_end_date_is_a_day_in_sao_paulo_for_every_zone(
    api: Api, merchant: Merchant, first: str, day: str, end: str, last: str
) -> None:
    async def comes_to(subscription: dict[str, Any]) -> None:
        assert subscription["end_date"] == f"{end}+00:00"
        answer = await api.get(f"/subscriptions/{subscription['id']}/upcoming?count=9", token=merchant.key)
        assert answer.json()["data"][-1]["billing_at"] == f"{last}+00:00"

    async def changed(made: dict[str, Any], **changes: Any) -> dict[str, Any]:
        answer = await api.put(f"/subscriptions/{made['id']}", changes, token=merchant.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["data"]
        return found

    await comes_to(made := await subscribed(merchant, next_billing_at=first, end_date=day))
    await comes_to(await changed(made, end_date=made["end_date"]))  # A returned date is unchanged.
    made = await subscribed(merchant, next_billing_at=first)
    await comes_to(await changed(made, end_date=day))
    # Another date sets its own zone.
    other = await subscribed(merchant, next_billing_at="2099-01-15T12:00:00-08:00")
    await comes_to(await changed(other, next_billing_at=first, end_date=day))


async def test_an_end_date_without_a_next_charge_is_in_sao_paulo(api: Api, merchant: Merchant) -> None:
    made = await subscribed(merchant, end_date="2099-12-31")
    assert made["end_date"] == "2100-01-01T02:59:59.999999+00:00"
    path = f"/subscriptions/{made['id']}"
    empty = (await api.put(path, {"end_date": ""}, token=merchant.key)).json()["data"]
    assert empty["end_date"] is None
    resting = {"status": "paused", "next_billing_at": "2098-01-01T00:00:00Z", "end_date": "2099-12-31"}
    paused = (await api.put(path, resting, token=merchant.key)).json()["data"]
    assert paused["end_date"] == "2100-01-01T02:59:59.999999+00:00"


async def test_only_sent_fields_change_and_the_trail_masks_documents(
    api: Api, merchant: Merchant, database: Database
) -> None:
    made = await subscribed(merchant, external_reference="a", metadata={"k": "v"})
    changes = {"description": "", "customer_cpf": "111.444.777-35", "user_id": "x", "status": "paused"}
    answer = await api.put(f"/subscriptions/{made['id']}", changes, token=merchant.key)
    assert answer.status_code == 200, answer.text
    expected = made | {"description": None, "customer_cpf": "11144477735", "status": "paused"}
    assert answer.json()["data"] == expected | {"updated_at": answer.json()["data"]["updated_at"]}
    written = await sql.value(database, "select changes from audit_trail where action = 'subscription.updated'")
    assert "529" in str(written["customer_cpf"]["from"]) or "982" in str(written["customer_cpf"]["from"])
    assert "52998224725" not in orjson.dumps(written).decode()
    assert written["status"] == {"from": "active", "to": "paused"}


async def test_a_new_date_sets_the_anchor_day(api: Api, merchant: Merchant, database: Database) -> None:
    made = await subscribed(merchant, next_billing_at="2098-12-15T12:00:00Z")
    moved = await api.put(
        f"/subscriptions/{made['id']}", {"next_billing_at": "2099-01-31T00:00:00Z"}, token=merchant.key
    )
    assert moved.json()["data"]["next_billing_at"] == "2099-01-31T00:00:00+00:00"
    coming = (await api.get(f"/subscriptions/{made['id']}/upcoming?count=3", token=merchant.key)).json()["data"]
    dates = ("2099-01-31T00:00:00+00:00", "2099-02-28T00:00:00+00:00", "2099-03-31T00:00:00+00:00")
    same = {"subscription_id": made["id"], "customer_name": made["customer_name"], "amount": 49.9}
    assert coming == [same | {"cycle": number, "billing_at": date} for number, date in enumerate(dates, 1)]
    written = await sql.value(database, "select changes from audit_trail where action = 'subscription.updated'")
    assert list(written) == ["next_billing_at"]


async def schedule_of(merchant: Merchant, database: Database, subscription_id: str) -> tuple[Any, ...]:
    """The schedule columns and the next charges."""
    columns = "next_billing_at, anchor_day, utc_offset, last_failure, retry_at"
    stored = await sql.row(database, f"select {columns} from subscriptions where id = $1", subscription_id)
    coming = await merchant.api.get(f"/subscriptions/{subscription_id}/upcoming?count=3", token=merchant.key)
    return *stored, [charge["billing_at"] for charge in coming.json()["data"]]


MONTH_ENDS = ["2099-02-28T13:00:00+00:00", "2099-03-31T13:00:00+00:00", "2099-04-30T13:00:00+00:00"]
NIGHTS = ["2099-02-01T01:00:00+00:00", "2099-03-01T01:00:00+00:00", "2099-04-01T01:00:00+00:00"]
MORNINGS = ["2099-01-30T20:00:00+00:00", "2099-02-27T20:00:00+00:00", "2099-03-30T20:00:00+00:00"]


@pytest.mark.parametrize(
    ("made", "coming"), [("2099-01-31T10:00:00-03:00", MONTH_ENDS), (LATE, NIGHTS), (EASTERN, MORNINGS)]
)
async def test_a_date_sent_back_as_it_was_read_keeps_the_anchor_and_the_calendar(
    api: Api, merchant: Merchant, database: Database, made: str, coming: list[str]
) -> None:
    row_id, when = (await subscribed(merchant, next_billing_at=made))["id"], datetime.fromisoformat(coming[0])
    path = f"/subscriptions/{row_id}"
    # As after a cycle: the date moves on, and the anchor stays.
    await sql.run(database, "update subscriptions set next_billing_at = $2 where id = $1", row_id, when)
    read, before = await read_subscription(merchant, row_id), await schedule_of(merchant, database, row_id)
    assert (read["next_billing_at"], before[-1]) == (coming[0], coming)

    whole = await api.put(path, read, token=merchant.key)
    for hours in (-11, -3, 0, 9):
        written = when.astimezone(timezone(timedelta(hours=hours))).isoformat()
        assert (await api.put(path, {"next_billing_at": written}, token=merchant.key)).json()["data"] == read
    document = (
        "mutation($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { nextBillingAt } }"
    )
    order = {"id": row_id, "nextBillingAt": read["next_billing_at"]}
    assert "errors" not in await api.graphql(document, token=merchant.key, input=order)

    assert (whole.status_code, whole.json()["data"]) == (200, read)
    assert await schedule_of(merchant, database, row_id) == before
    assert await sql.value(database, "select count(*) from audit_trail where action = 'subscription.updated'") == 0
    # A date that differs by a second sets both again.
    await api.put(path, {"next_billing_at": (when + timedelta(seconds=1)).isoformat()}, token=merchant.key)
    assert (await schedule_of(merchant, database, row_id))[1:3] == (when.day, 0)


async def test_a_returned_date_truncated_to_milliseconds_is_unchanged(
    api: Api, merchant: Merchant, database: Database
) -> None:
    """As sent by a dashboard that parses responses into `Date`."""
    row_id = (await subscribed(merchant))["id"]
    due = datetime(2099, 2, 28, 13, 0, 0, 123_999, tzinfo=UTC)
    stored = "update subscriptions set next_billing_at = $2, anchor_day = 31 where id = $1"
    await sql.run(database, stored, row_id, due)
    for written, anchor, first in (
        ("2099-02-28T13:00:00.123Z", 31, "2099-02-28T13:00:00.123999+00:00"),
        ("2099-02-28T13:00:00.124Z", 28, "2099-02-28T13:00:00.124000+00:00"),
    ):
        answer = await api.put(f"/subscriptions/{row_id}", {"next_billing_at": written}, token=merchant.key)
        assert answer.json()["data"]["next_billing_at"] == first
        assert (await schedule_of(merchant, database, row_id))[1] == anchor


async def test_other_fields_change_together_with_an_unchanged_date(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    async def changed(subscription_id: str, **changes: Any) -> dict[str, Any]:
        """Send the subscription back as read, with changes."""
        whole = await read_subscription(merchant, subscription_id) | changes
        answer = await api.put(f"/subscriptions/{subscription_id}", whole, token=merchant.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["data"]
        return found

    weekly = await subscribed(merchant, interval="weekly", next_billing_at="2099-01-24T22:00:00-03:00")
    await api.put(f"/subscriptions/{weekly['id']}", {"next_billing_at": LATE}, token=merchant.key)
    await changed(weekly["id"], interval="weekly", amount=60)
    await changed(weekly["id"], interval="monthly")
    assert (await schedule_of(merchant, database, weekly["id"]))[-1] == NIGHTS
    ended = await changed(weekly["id"], end_date="2099-03-31")
    assert ended["end_date"] == "2099-04-01T02:59:59.999999+00:00", "a day in the unchanged zone"

    monthly = await subscribed(merchant, next_billing_at="2099-01-31T10:00:00-03:00")
    february = datetime(2099, 2, 28, 13, tzinfo=UTC)
    failed = "update subscriptions set next_billing_at = $2, last_failure = 'x', retry_at = $2 where id = $1"
    await sql.run(database, failed, monthly["id"], february)
    await changed(monthly["id"], interval="yearly")
    await changed(monthly["id"], interval="monthly", status="paused")
    resumed = await changed(monthly["id"], status="active")
    assert (resumed["status"], resumed["last_failure"]) == ("active", "x"), (
        "the schedule is unchanged, so the failure stays"
    )
    assert await schedule_of(merchant, database, monthly["id"]) == (february, 31, None, "x", february, MONTH_ENDS)

    [resting] = await put_subscriptions(database, merchant.id, [{"status": "paused"}], due=clock.now())
    assert (await changed(resting, status="active"))["next_billing_at"] == clock.now().isoformat(), "not passed yet"


async def test_a_change_from_weekly_to_monthly_keeps_the_next_charge_day(api: Api, merchant: Merchant) -> None:
    made = await subscribed(merchant, interval="weekly", next_billing_at="2099-01-24T12:00:00Z")
    path = f"/subscriptions/{made['id']}"
    await api.put(path, {"next_billing_at": "2099-01-31T12:00:00Z"}, token=merchant.key)
    await api.put(path, {"interval": "monthly"}, token=merchant.key)
    coming = (await api.get(f"{path}/upcoming?count=2", token=merchant.key)).json()["data"]
    assert [charge["billing_at"][:10] for charge in coming] == ["2099-01-31", "2099-02-28"]


async def test_a_change_of_the_interval_count_keeps_the_next_charge_and_the_anchor_day(
    api: Api, merchant: Merchant, database: Database
) -> None:
    made = await subscribed(merchant, next_billing_at="2099-01-31T12:00:00Z")
    path = f"/subscriptions/{made['id']}"
    # As after a cycle: the date moves on, and the anchor stays.
    await sql.run(
        database, "update subscriptions set next_billing_at = '2099-02-28T12:00:00Z' where id = $1", made["id"]
    )
    for changes, expected in (
        ({"interval_count": 2}, ["2099-02-28", "2099-04-30", "2099-06-30"]),
        ({"interval": "quarterly"}, ["2099-02-28", "2099-08-31", "2100-02-28"]),
        ({"interval_count": 1}, ["2099-02-28", "2099-05-31", "2099-08-31"]),
        ({"interval": "yearly", "interval_count": 12}, ["2099-02-28", "2111-02-28", "2123-02-28"]),
        ({"interval": "weekly", "interval_count": 2}, ["2099-02-28", "2099-03-14", "2099-03-28"]),
    ):
        answer = await api.put(path, changes, token=merchant.key)
        assert answer.json()["data"] == {**answer.json()["data"], **changes}
        coming = (await api.get(f"{path}/upcoming?count=3", token=merchant.key)).json()["data"]
        assert [charge["billing_at"][:10] for charge in coming] == expected
    written = await sql.rows(
        database, "select changes from audit_trail where action = 'subscription.updated' order by id"
    )
    assert written[0]["changes"] == {"interval_count": {"from": 1, "to": 2}}


@pytest.mark.parametrize("changes", [{"interval_count": 0}, {"interval_count": None}, {"interval": "daily"}])
async def test_a_refused_interval_changes_nothing(api: Api, merchant: Merchant, changes: dict[str, Any]) -> None:
    made = await subscribed(merchant, interval="semiannual", interval_count=2)
    refused = await api.put(f"/subscriptions/{made['id']}", changes, token=merchant.key)
    assert (refused.status_code, refused.json()["error"]["campos"][0]["campo"]) == (400, *changes)
    assert await read_subscription(merchant, made["id"]) == made


@pytest.mark.parametrize("source", ["active", "paused", "canceled"])
@pytest.mark.parametrize("target", ["active", "paused", "canceled"])
async def test_every_status_change_is_allowed(api: Api, merchant: Merchant, source: str, target: str) -> None:
    made = await subscribed(merchant)
    path = f"/subscriptions/{made['id']}"
    for status in (source, target):
        answer = await api.put(path, {"status": status}, token=merchant.key)
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, status)
        assert answer.json()["data"]["next_billing_at"] == made["next_billing_at"]
    coming = (await api.get(f"{path}/upcoming", token=merchant.key)).json()["data"]
    assert len(coming) == (12 if target == "active" else 0)


@pytest.mark.parametrize("source", ["paused", "canceled"])
@pytest.mark.parametrize("date", ["missing", "past"])
async def test_reactivation_without_a_future_date_starts_from_now(
    api: Api, merchant: Merchant, clock: MovedClock, database: Database, source: str, date: str
) -> None:
    past = clock.now() - timedelta(days=40) if date == "past" else None
    row = {"status": source, "next_billing_at": past, "interval": "weekly"}
    [row_id] = await put_subscriptions(database, merchant.id, [row], due=clock.now())
    path = f"/subscriptions/{row_id}"
    stored = await api.put(path, {"description": "x"}, token=merchant.key)
    assert stored.json()["data"]["next_billing_at"] == (past.isoformat() if past else None)
    back = await api.put(path, {"status": "active"}, token=merchant.key)
    assert datetime.fromisoformat(back.json()["data"]["next_billing_at"]) == clock.now() + timedelta(days=7)
    dated = await api.put(path, {"status": "active", "next_billing_at": "2099-01-01T00:00:00Z"}, token=merchant.key)
    assert dated.json()["data"]["next_billing_at"] == "2099-01-01T00:00:00+00:00"


async def test_setting_a_due_subscription_active_does_not_skip_its_charge(
    api: Api, merchant: Merchant, clock: MovedClock, database: Database
) -> None:
    due = clock.now() - timedelta(hours=2)
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=due)
    same = await api.put(f"/subscriptions/{row_id}", {"status": "active"}, token=merchant.key)
    assert datetime.fromisoformat(same.json()["data"]["next_billing_at"]) == due


async def test_a_reference_is_unique_until_its_subscription_is_canceled(api: Api, merchant: Merchant) -> None:
    first = await subscribed(merchant, external_reference="plano-7")
    refused = await api.post("/subscriptions", subscription_order(external_reference="plano-7"), token=merchant.key)
    assert refused.status_code == 409
    assert (refused.json()["error"]["codigo"], refused.json()["error"]["id"]) == ("REFERENCIA_DUPLICADA", first["id"])
    await api.put(f"/subscriptions/{first['id']}", {"status": "canceled"}, token=merchant.key)
    second = await subscribed(merchant, external_reference="plano-7")
    back = await api.put(f"/subscriptions/{first['id']}", {"status": "active"}, token=merchant.key)
    assert (back.status_code, back.json()["error"]["id"]) == (409, second["id"])
    assert (await read_subscription(merchant, first["id"]))["status"] == "canceled"
    other = await api.register_merchant()
    await subscribed(other, external_reference="plano-7")


async def test_an_idempotency_key_creates_and_charges_once(api: Api, merchant: Merchant, database: Database) -> None:
    order = subscription_order(external_reference="plano-7")
    first, second = [
        await api.post("/subscriptions", order, token=merchant.key, idempotency_key="k1") for _ in range(2)
    ]
    assert second.headers["idempotent-replayed"] == "true"
    assert first.json() == second.json()
    path = f"/subscriptions/{first.json()['data']['id']}/charge"
    charges = [await api.post(path, token=merchant.key, idempotency_key="k2") for _ in range(2)]
    assert charges[0].json() == charges[1].json()
    assert await sql.value(database, "select count(*) from charges") == 1
    assert await sql.value(database, "select count(*) from webhook_events") == 2


async def test_live_needs_approval(api: Api, services: Services, merchant: Merchant, database: Database) -> None:
    await set_status(database, merchant, "approved")
    key = await add_live_key(services, merchant)
    made = (await api.post("/subscriptions", subscription_order(), token=key)).json()["data"]
    assert made["environment"] == "live"
    await set_status(database, merchant, "suspended")
    session = await live_session(Scene(api, services, merchant, merchant))
    for path, body in (("/subscriptions", subscription_order()), (f"/subscriptions/{made['id']}/charge", None)):
        refused = await api.post(path, body, token=session)
        assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "PRODUCAO_NAO_LIBERADA")
        assert refused.json()["error"]["producao"]["liberada"] is False
        assert (await api.post(path, body, token=key)).status_code == 403
    assert (await api.get(f"/subscriptions/{made['id']}", token=merchant.key)).status_code == 404


async def test_deleting_clears_the_charges_and_counts_them(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    made = await subscribed(merchant)
    charge = (await api.post(f"/subscriptions/{made['id']}/charge", token=merchant.key)).json()["data"]
    gone = await api.delete(f"/subscriptions/{made['id']}", token=merchant.key)
    expected = {"id": made["id"], "deleted": True, "desvinculados": {"charges.subscription_id": 1}}
    assert gone.json()["data"] == expected
    stored = (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]
    assert (stored["subscription_id"], stored["customer_name"]) == (None, "José Pagador")
    assert (await api.get(f"/subscriptions/{made['id']}", token=merchant.key)).status_code == 404

    busy = await subscribed(merchant)
    await put_charges(database, merchant.id, [{"subscription_id": busy["id"]}] * 501, now=clock.now())
    refused = await api.delete(f"/subscriptions/{busy['id']}", token=merchant.key)
    assert refused.status_code == 409
    error = refused.json()["error"]
    assert (error["codigo"], error["referencias"], error["limite"]) == ("MUITAS_REFERENCIAS", 501, 500)
    assert "cancele-a" in error["message"]


async def test_deleting_a_customer_clears_subscriptions_too(api: Api, merchant: Merchant) -> None:
    customer = (await api.post("/customers", {"name": "Ana"}, token=merchant.key)).json()["data"]
    made = [await subscribed(merchant, customer_id=customer["id"]) for _ in range(2)]
    gone = await api.delete(f"/customers/{customer['id']}", token=merchant.key)
    assert gone.json()["data"]["desvinculados"] == {"charges.customer_id": 0, "subscriptions.customer_id": 2}
    assert (await read_subscription(merchant, made[0]["id"]))["customer_id"] is None


@pytest.mark.parametrize("way", ["created", "changed", "changed to whom it has"])
async def test_a_customer_being_deleted_is_not_referenced(
    api: Api, merchant: Merchant, database: Database, way: str
) -> None:
    customer = (await api.post("/customers", {"name": "Ana"}, token=merchant.key)).json()["data"]
    theirs = {"customer_id": customer["id"]}
    locked = await subscribed(merchant, **theirs)
    other = await subscribed(merchant, **(theirs if way == "changed to whom it has" else {}))
    order = subscription_order(**theirs)
    async with lock_subscriptions(database, [locked["id"]]):
        deletion = asyncio.create_task(api.delete(f"/customers/{customer['id']}", token=merchant.key))
        await wait_until_blocked(database, deletion)
        late = asyncio.create_task(
            api.post("/subscriptions", order, token=merchant.key)
            if way == "created"
            else api.put(f"/subscriptions/{other['id']}", theirs, token=merchant.key)
        )
        await wait_until_blocked(database, late, 2)
    assert (await deletion).status_code == 200
    refused = await late
    assert (refused.status_code, refused.json()["error"]["message"]) == (404, "Cliente não encontrado.")
    assert await sql.value(database, "select count(*) from subscriptions where customer_id is not null") == 0
    assert await sql.value(database, "select count(*) from subscriptions") == 2


@pytest.mark.parametrize(("cycles", "result"), [(1, "já foi cobrado 1 ciclo:"), (2, "já foram cobrados 2 ciclos:")])
async def test_max_cycles_is_at_least_the_charged_cycles(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, cycles: int, result: str
) -> None:
    [made] = await put_subscriptions(database, merchant.id, [{"cycles_count": cycles}], due=clock.now())
    refused = await api.put(f"/subscriptions/{made}", {"max_cycles": cycles}, token=merchant.key)
    assert refused.status_code == 400
    [fault] = refused.json()["error"]["campos"]
    assert (fault["campo"], fault["mensagem"].startswith(result)) == ("max_cycles", True)
    assert (await read_subscription(merchant, made))["max_cycles"] is None


async def test_a_manual_charge_moves_no_date_and_inserts_both_events(
    api: Api, merchant: Merchant, database: Database
) -> None:
    made = await subscribed(merchant)
    path = f"/subscriptions/{made['id']}/charge"
    answers = [await api.post(path, token=merchant.key), await api.post(path, token=merchant.token)]
    assert [answer.status_code for answer in answers] == [201, 201]
    charge = answers[0].json()["data"]
    assert (charge["subscription_id"], charge["amount"], charge["description"]) == (made["id"], 49.9, "Plano ouro")
    assert charge["qr_code_url"].startswith("data:image/png;base64,")
    assert await read_subscription(merchant, made["id"]) == made
    events = await sql.rows(database, "select type, body from webhook_events order by type, created_at")
    assert [event["type"] for event in events] == ["charge.created"] * 2 + ["subscription.charged"] * 2
    result = [orjson.loads(event["body"])["data"] for event in events[2:]]
    assert {data["trigger"] for data in result} == {"manual"}
    assert charge["id"] in {data["charge"]["id"] for data in result}
    assert result[0]["subscription"]["id"] == made["id"]


async def test_a_paused_subscription_can_be_charged_and_a_canceled_one_cannot(api: Api, merchant: Merchant) -> None:
    made = await subscribed(merchant)
    path = f"/subscriptions/{made['id']}"
    await api.put(path, {"status": "paused"}, token=merchant.key)
    assert (await api.post(f"{path}/charge", token=merchant.key)).status_code == 201
    await api.put(path, {"status": "canceled"}, token=merchant.key)
    refused = await api.post(f"{path}/charge", token=merchant.key)
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (409, "ASSINATURA_CANCELADA")


async def test_charging_without_a_document_is_refused(api: Api, merchant: Merchant, database: Database) -> None:
    made = await subscribed(merchant, customer_cpf=None)
    before = await fingerprint(database)
    refused = await api.post(f"/subscriptions/{made['id']}/charge", token=merchant.key)
    assert refused.status_code == 400
    assert [fault["campo"] for fault in refused.json()["error"]["campos"]] == ["customer_cpf"]
    assert await fingerprint(database) == before


async def test_a_failing_engine_leaves_nothing(
    api: Api, merchant: Merchant, database: Database, engines: Engines
) -> None:
    made = await subscribed(merchant)
    before = await fingerprint(database)
    engines.test.scenario.plan("create_charge", Behaviour.refuse)  # type: ignore[attr-defined]  # it has one here.
    assert (await api.post(f"/subscriptions/{made['id']}/charge", token=merchant.key)).status_code == 502
    assert await fingerprint(database) == before


async def test_a_subscription_can_be_deleted_while_the_state_of_its_charge_is_unknown(
    api: Api, merchant: Merchant, database: Database, engines: Engines, services: Services, clock: MovedClock
) -> None:
    made = await subscribed(merchant)
    path = f"/subscriptions/{made['id']}"
    engines.test.scenario.plan("create_charge", Behaviour.timeout_after)  # type: ignore[attr-defined]  # it has one here.
    engines.test.scenario.plan("find_charge", Behaviour.unavailable)  # type: ignore[attr-defined]  # it has one here.
    assert (await api.post(f"{path}/charge", token=merchant.key)).status_code == 502
    assert await sql.value(database, "select count(*) from issuances") == 1
    gone = await api.delete(path, token=merchant.key)
    assert (gone.status_code, gone.json()["data"]["desvinculados"]) == (200, {"charges.subscription_id": 0})
    clock.advance(ISSUANCE_LEASE + timedelta(seconds=1))
    assert await recover_issuances(system_context(services, source="job", request_id="settle")) == 1
    assert await sql.value(database, "select array_agg(status) from simulator_charges") == ["DELETED"]
    assert await sql.value(database, "select count(*) from charges") == 0


async def test_concurrent_deleting_and_charging_leave_no_orphan(
    api: Api, merchant: Merchant, database: Database
) -> None:
    for _ in range(5):
        made = await subscribed(merchant)
        path = f"/subscriptions/{made['id']}"
        answers = await asyncio.gather(
            api.post(f"{path}/charge", token=merchant.key), api.delete(path, token=merchant.key)
        )
        assert answers[0].status_code in {201, 404}
        assert answers[1].status_code in {200, 409}
    orphans = """charges c where c.subscription_id is not null
        and not exists (select 1 from subscriptions s where s.id = c.subscription_id)"""
    assert await sql.value(database, f"select count(*) from {orphans}") == 0
    assert await sql.value(database, "select count(*) from issuances") == 0


async def test_filters_and_orders(api: Api, merchant: Merchant, database: Database, clock: MovedClock) -> None:
    customer = (await api.post("/customers", {"name": "Ana"}, token=merchant.key)).json()["data"]
    now = clock.now()
    rows: list[dict[str, Any]] = [
        {"status": "paused", "amount": 700, "next_billing_at": None},
        {"interval": "weekly", "interval_count": 2, "amount": 900},
        {"customer_id": customer["id"], "next_billing_at": now + timedelta(days=9), "amount": 800},
    ]
    paused, weekly, owned = await put_subscriptions(database, merchant.id, rows, due=now)
    await put_subscriptions(database, (await api.register_merchant()).id, [{}], due=now)

    async def found(query: str) -> list[str]:
        answer = await api.get(f"/subscriptions?{query}", token=merchant.key)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["data"]]

    assert await found("status=paused") == [paused]
    assert await found("interval=weekly") == [weekly]
    assert await found("interval=quarterly") == []
    assert await found("interval_count=2") == [weekly]
    assert await found("interval=weekly&interval_count=1") == []
    assert (await api.get("/subscriptions?interval_count=13", token=merchant.key)).status_code == 400
    assert await found(f"customer_id={customer['id']}") == [owned]
    assert await found("next_billing_from=2100-01-01") == []
    until = (now + timedelta(days=1)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert await found(f"next_billing_to={until}") == [weekly]
    assert await found("q=529.982&sort=amount") == [paused, owned, weekly]
    assert await found("sort=next_billing_at") == [paused, weekly, owned]
    assert (await api.get("/subscriptions?status=late", token=merchant.key)).status_code == 400


async def test_relations_over_graphql(api: Api, merchant: Merchant) -> None:
    customer = (await api.post("/customers", {"name": "Ana"}, token=merchant.key)).json()["data"]
    made = await subscribed(merchant, customer_id=customer["id"])
    charge = (await api.post(f"/subscriptions/{made['id']}/charge", token=merchant.key)).json()["data"]
    query = """{ subscriptions { edges { node { id customer { name } charges(first: 5) { totalCount edges { node {
      id subscription { id amount } } } } } } } }"""
    [edge] = (await api.graphql(query, token=merchant.key))["data"]["subscriptions"]["edges"]
    node = edge["node"]
    assert (node["id"], node["customer"], node["charges"]["totalCount"]) == (made["id"], {"name": "Ana"}, 1)
    [charged] = node["charges"]["edges"]
    assert charged["node"] == {"id": charge["id"], "subscription": {"id": made["id"], "amount": 49.9}}
