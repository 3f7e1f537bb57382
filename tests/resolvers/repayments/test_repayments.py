"""Repayments: each charge is repaid once, and exported with its amount."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace
from strawberry.utils.str_converters import to_snake_case

from gateway.app import Gateway
from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.resolvers.receiving.account_for_charge import service_fee
from gateway.resolvers.repayments.record import DISPUTED, DUPLICATE_END_TO_END_ID, OUTSTANDING
from gateway.values.formatting import reais
from gateway.values.ids import new_id
from tests import sql
from tests.api.actors import add_live_key, set_status
from tests.api.rows import fingerprint
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock
from tests.rows import put_charges

FEES = {"service_fee_percent": Decimal("1.505"), "service_fee_fixed": Decimal("0.305")}
STORE_FIELDS = (
    *("id", "userId", "environment", "paidFrom", "paidTo", "grossAmount", "feeAmount", "deductedAmount", "netAmount"),
    *("chargesCount", "deductedCount", "endToEndId", "createdAt", "concludedAt", "status"),
)
"""The fields of a repayment that a store sees, without those about staff."""
PROOF = "E12345678202611221200abcDEF12345"


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, settings=services.settings.model_copy(update=FEES))


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Api]:
    async with Api.of(Gateway(services.settings, services)) as opened:
        yield opened


@pytest.fixture
async def staff(api: Api, services: Services) -> Merchant:
    return await staff_member(api, services)


async def put_live_charges(services: Services, merchant: Merchant, *amounts: int, **columns: Any) -> list[str]:
    """Insert live charges, paid a minute apart; returns their ids."""
    now = services.clock.now()
    rows = [
        {
            "environment": "live",
            "status": "paid",
            "amount": amount,
            "original_amount": amount,
            "paid_at": now - timedelta(minutes=number),
            "end_to_end_id": f"E{number:031d}",
            **columns,
        }
        for number, amount in enumerate(amounts)
    ]
    return await put_charges(services.database, merchant.id, rows, now=now)


def period(services: Services, store: Merchant, **changes: Any) -> dict[str, Any]:
    now = services.clock.now()
    return {
        "store_id": store.id,
        "paid_from": (now - timedelta(days=1)).isoformat(),
        "paid_to": (now + timedelta(days=1)).isoformat(),
        **changes,
    }


async def recorded(staff: Merchant, order: dict[str, Any]) -> dict[str, Any]:
    answer = await staff.api.post("/admin/repayments", order, token=staff.token)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["data"]
    return made


async def summary(services: Services, merchant: Merchant) -> dict[str, Any]:
    await set_status(services.database, merchant, "approved")
    answer = await merchant.api.get("/withdrawals/summary", token=await add_live_key(services, merchant))
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["data"]
    return result


async def test_a_period_is_recorded_exported_and_completed(
    services: Services, merchant: Merchant, staff: Merchant, database: Database
) -> None:
    amounts = [1, 500, 12990, 999, 3333, 100_000]
    ids = await put_live_charges(services, merchant, *amounts)
    # None of these is included: of test, on the store's own account, unpaid, refunded, of another store, before the
    # period.
    await put_live_charges(services, merchant, 700, environment="test")
    await put_live_charges(services, merchant, 700, receiving_account_id=new_id())
    await put_live_charges(services, merchant, 700, status="pending", paid_at=None)
    await put_live_charges(services, merchant, 700, status="refunded")
    await put_live_charges(services, staff, 700)
    await put_live_charges(services, merchant, 700, paid_at=services.clock.now() - timedelta(days=2))
    fees = [service_fee(services.settings, amount) for amount in amounts]
    made = await recorded(staff, period(services, merchant))
    gross, fee = sum(amounts) / 100, sum(fees) / 100
    assert made == made | {
        "user_id": merchant.id,
        "store_name": "Loja da Ana",
        "environment": "live",
        "status": "recorded",
        "gross_amount": gross,
        "fee_amount": fee,
        "net_amount": round(gross - fee, 2),
        "charges_count": 6,
        "recorded_by": staff.id,
        "recorded_by_name": "Bia Equipe",
        "concluded_by": None,
        "concluded_by_name": None,
        "concluded_at": None,
        "end_to_end_id": None,
    }
    result = await summary(services, merchant)
    assert (result["pending_amount"], result["withdrawn_amount"], result["fee_amount"]) == (gross, 0.0, 0.0)
    assert result["available_amount"] == 7.0  # The one before the period.

    path = f"/admin/repayments/{made['id']}"
    file = await staff.api.get(path, token=staff.token, accept="text/csv")
    assert file.headers["content-disposition"] == f'attachment; filename="repasse-{made["id"]}.csv"'
    rows = list(csv.DictReader(io.StringIO(file.text, newline=""), strict=True))
    assert [row["charge_id"] for row in rows] == ids[::-1]
    assert [(row["amount"], row["fee_amount"]) for row in rows] == [
        (f"{amount / 100:.2f}", f"{fee / 100:.2f}") for amount, fee in zip(amounts[::-1], fees[::-1], strict=True)
    ]
    assert [row["end_to_end_id"] for row in rows] == [f"E{number:031d}" for number in range(5, -1, -1)]
    exports = "select count(*) from audit_trail where action = 'repayment.exported'"
    assert await sql.value(services.database, exports) == 1

    answers = await asyncio.gather(
        *(staff.api.post(f"{path}/concluir", {"end_to_end_id": PROOF}, token=staff.token) for _ in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 4
    done = (await staff.api.get(path, token=staff.token)).json()["data"]
    assert (done["status"], done["end_to_end_id"]) == ("done", PROOF)
    assert (done["concluded_by"], done["concluded_by_name"]) == (staff.id, "Bia Equipe")
    assert (await summary(services, merchant))["withdrawn_amount"] == gross
    assert (await staff.api.post(f"{path}/descartar", token=staff.token)).status_code == 409
    acts = await sql.rows(
        database, "select action, actor_type, store_id from audit_trail where action ~ '^repayment' order by id"
    )
    assert [tuple(act) for act in acts] == [
        (f"repayment.{action}", "staff", merchant.id) for action in ("recorded", "exported", "concluded")
    ]


async def test_ten_concurrent_repayments_include_each_charge_once(
    services: Services, merchant: Merchant, staff: Merchant, database: Database
) -> None:
    await put_live_charges(services, merchant, *range(500, 540))
    order = period(services, merchant)
    answers = await asyncio.gather(*(staff.api.post("/admin/repayments", order, token=staff.token) for _ in range(10)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    made = [answer.json()["data"] for answer in answers if answer.status_code == 201]
    assert sum(each["charges_count"] for each in made) == 40
    assert await sql.value(database, "select count(*), sum(amount) from repaid_charges") == 40
    again = await staff.api.post("/admin/repayments", order, token=staff.token)
    assert (again.status_code, again.json()["error"].get("codigo")) == (409, None)


async def test_a_repayment_can_be_discarded_and_a_refund_reserves_its_amount(
    services: Services, merchant: Merchant, staff: Merchant, database: Database, clock: MovedClock
) -> None:
    given_back, _ = await put_live_charges(services, merchant, 1000, 2000)
    first = await recorded(staff, period(services, merchant))
    await sql.run(
        database,
        "update charges set status = 'refunded', refunded_at = now(), refunded_amount = amount where id = $1",
        given_back,
    )
    path = f"/admin/repayments/{first['id']}"
    assert (await staff.api.post(f"{path}/concluir", token=staff.token)).status_code == 409
    discarded = await staff.api.post(f"{path}/descartar", token=staff.token)
    assert (discarded.status_code, discarded.json()["data"]["status"]) == (200, "discarded")
    assert (await summary(services, merchant))["available_amount"] == 20.0
    clock.advance(timedelta(seconds=1))
    second = await recorded(staff, period(services, merchant))
    assert (second["gross_amount"], second["charges_count"]) == (20.0, 1)
    listed = (await staff.api.get("/admin/repayments", token=staff.token)).json()["data"]
    assert [each["id"] for each in listed] == [second["id"], first["id"]]
    found = await staff.api.get(f"/admin/repayments?status=discarded&store_id={merchant.id}", token=staff.token)
    assert [each["id"] for each in found.json()["data"]] == [first["id"]]
    query = "{ repayments(filter: {status: recorded}) { totalCount edges { node { id netAmount } } } }"
    seen = (await staff.api.graphql(query, token=staff.token))["data"]["repayments"]
    assert [edge["node"]["id"] for edge in seen["edges"]] == [second["id"]]


async def test_staff_gets_warnings_before_paying(
    services: Services, merchant: Merchant, staff: Merchant, database: Database
) -> None:
    """A chargeback, one that staff has resolved, and a transfer of another repayment."""
    (old,) = await put_live_charges(services, merchant, 700)
    settled = await recorded(staff, period(services, merchant))
    disputed, dealt_with, _ = await put_live_charges(services, merchant, 1000, 2000, 3000)
    add = """
        insert into reconciliation_discrepancies (id, user_id, environment, charge_id, engine, engine_id, kind, amount, created_at, seen_at,
                                 resolved_at, resolution)
        values ($1, $2, 'live', $3, 'asaas', 'pay_1', $4, 1000, now(), now(), case when $5 then now() end,
                case when $5 then 'staff' end)
    """
    known = [(disputed, "chargeback", False), (disputed, "partial_refund", False), (dealt_with, "chargeback", True)]
    known.append((old, "chargeback", False))
    await sql.run_many(database, add, [(new_id(), merchant.id, *one) for one in known])
    answer = await staff.api.post("/admin/repayments", period(services, merchant), token=staff.token)
    assert (answer.status_code, answer.json()["aviso"]) == (201, DISPUTED.format(count=1))
    paths = [f"/admin/repayments/{one['id']}/concluir" for one in (settled, answer.json()["data"])]
    result = [await staff.api.post(path, {"end_to_end_id": PROOF}, token=staff.token) for path in paths]
    assert [one.status_code for one in result] == [200, 200]
    first, second = (one.json()["aviso"] for one in result)
    assert first == DISPUTED.format(count=1)
    assert second == f"{DISPUTED.format(count=1)} {DUPLICATE_END_TO_END_ID}"


async def given_back(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock, *amounts: int
) -> dict[str, int]:
    """Refund repaid charges; returns the repaid amount of each, in centavos."""
    ids = await put_live_charges(services, merchant, *amounts)
    first = await recorded(staff, period(services, merchant))
    assert (await staff.api.post(f"/admin/repayments/{first['id']}/concluir", token=staff.token)).status_code == 200
    await sql.run(
        services.database,
        "update charges set status = 'refunded', refunded_at = now(), refunded_amount = amount where id = any($1)",
        ids,
    )
    clock.advance(timedelta(seconds=1))
    had = (amount - service_fee(services.settings, amount) for amount in amounts)
    return dict(zip(ids, had, strict=True))


async def test_refunded_charges_are_deducted(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock
) -> None:
    had = await given_back(services, merchant, staff, clock, 700, 1300)
    assert (await summary(services, merchant))["available_amount"] == -20.0
    await put_live_charges(services, merchant, 100_000)
    answer = await staff.api.post("/admin/repayments", period(services, merchant), token=staff.token)
    made = answer.json()["data"]
    net = 100_000 - service_fee(services.settings, 100_000) - sum(had.values())
    assert "aviso" not in answer.json()
    assert (made["gross_amount"], made["charges_count"], made["deducted_count"]) == (1000.0, 1, 2)
    assert (made["deducted_amount"], made["net_amount"]) == (sum(had.values()) / 100, net / 100)
    result = await summary(services, merchant)
    # The pending amount is net of refunds, with their fees.
    assert (result["pending_amount"], result["withdrawn_amount"], result["available_amount"]) == (980.0, 20.0, 0.0)

    path = f"/admin/repayments/{made['id']}"
    file = await staff.api.get(path, token=staff.token, accept="text/csv")
    rows = list(csv.DictReader(io.StringIO(file.text, newline=""), strict=True))
    assert [row["amount"] for row in rows] == ["1000.00", "-13.00", "-7.00"]
    assert sum(Decimal(row["net_amount"]) for row in rows) == Decimal(net) / 100
    assert all(Decimal(row["amount"]) - Decimal(row["fee_amount"]) == Decimal(row["net_amount"]) for row in rows)
    assert {row["charge_id"] for row in rows[1:]} == set(had)

    done = await staff.api.post(f"{path}/concluir", token=staff.token)
    assert (done.status_code, done.json().get("aviso")) == (200, None)
    clock.advance(timedelta(seconds=1))
    await put_live_charges(services, merchant, 500)
    later = await recorded(staff, period(services, merchant))
    assert (later["deducted_amount"], later["deducted_count"]) == (0.0, 0)


async def test_the_deduction_never_exceeds_the_repayment(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock
) -> None:
    had = await given_back(services, merchant, staff, clock, 90_000, 1000, 2000)
    large, *small = had.values()
    await put_live_charges(services, merchant, 50_000)
    owed = OUTSTANDING.format(owed=reais(large))
    answer = await staff.api.post("/admin/repayments", period(services, merchant), token=staff.token)
    made = answer.json()["data"]
    assert (made["deducted_amount"], made["deducted_count"]) == (sum(small) / 100, 2)
    assert answer.json()["aviso"] == owed
    concluded = await staff.api.post(f"/admin/repayments/{made['id']}/concluir", token=staff.token)
    assert (concluded.status_code, concluded.json()["aviso"]) == (200, owed)


async def test_a_refund_settled_elsewhere_is_not_deducted(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock
) -> None:
    had = await given_back(services, merchant, staff, clock, 1000)
    await put_live_charges(services, merchant, 5000)
    order = period(services, merchant, deduct_refunds=False)
    answer = await staff.api.post("/admin/repayments", order, token=staff.token)
    assert answer.json()["data"]["deducted_amount"] == 0.0
    assert answer.json()["aviso"] == OUTSTANDING.format(owed=reais(sum(had.values())))


async def test_a_discarded_repayment_deducts_nothing(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock, database: Database
) -> None:
    had = await given_back(services, merchant, staff, clock, 1000)
    await put_live_charges(services, merchant, 5000)
    first = await recorded(staff, period(services, merchant))
    answer = await staff.api.post(f"/admin/repayments/{first['id']}/descartar", token=staff.token)
    assert (answer.status_code, await sql.value(database, "select count(*) from deducted_charges")) == (200, 0)
    assert (await summary(services, merchant))["pending_amount"] == 0.0
    clock.advance(timedelta(seconds=1))
    second = await recorded(staff, period(services, merchant))
    assert second["deducted_amount"] == first["deducted_amount"] == sum(had.values()) / 100


async def test_ten_concurrent_repayments_deduct_once(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock
) -> None:
    had = await given_back(services, merchant, staff, clock, *range(500, 540))
    noon = services.clock.now() - timedelta(hours=12)
    await put_live_charges(services, merchant, *range(9000, 9004))
    await put_live_charges(services, merchant, *range(9000, 9004), paid_at=noon - timedelta(hours=1))
    early = period(services, merchant, paid_to=noon.isoformat())
    late = period(services, merchant, paid_from=noon.isoformat())
    answers = await asyncio.gather(
        *(staff.api.post("/admin/repayments", order, token=staff.token) for order in (early, late) * 5)
    )
    assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 8
    made = [answer.json()["data"] for answer in answers if answer.status_code == 201]
    assert sum(each["deducted_count"] for each in made) == 40
    assert round(sum(each["deducted_amount"] for each in made) * 100) == sum(had.values())
    assert all(each["net_amount"] >= 0 for each in made)


async def received(api: Api, token: str, status: str | None = None) -> list[dict[str, Any]]:
    """The repayments of a store through both transports."""
    path = f"/repayments?page=1&status={status}" if status else "/repayments?page=1"
    by_rest = (await api.get(path, token=token)).json()
    filters = f"(filter: {{status: {status}}})" if status else ""
    query = f"{{ receivedRepayments{filters} {{ totalCount edges {{ node {{ {' '.join(STORE_FIELDS)} }} }} }} }}"
    by_graphql = (await api.graphql(query, token=token))["data"]["receivedRepayments"]
    rows = [{to_snake_case(name): result for name, result in edge["node"].items()} for edge in by_graphql["edges"]]
    assert by_rest["data"] == rows
    assert by_rest["pagination"]["total"] == by_graphql["totalCount"] == len(rows)
    return rows


async def test_a_store_sees_only_its_own_repayments_and_public_fields(
    services: Services, merchant: Merchant, staff: Merchant, clock: MovedClock
) -> None:
    api, other = merchant.api, await merchant.api.register_merchant()
    made = {}
    for name, amount, action, body in (
        ("done", 1000, "concluir", {"end_to_end_id": PROOF}),
        ("discarded", 2000, "descartar", None),
        ("recorded", 4000, None, None),
    ):
        await put_live_charges(services, merchant, amount)
        made[name] = (await recorded(staff, period(services, merchant)))["id"]
        if action:
            answer = await api.post(f"/admin/repayments/{made[name]}/{action}", body, token=staff.token)
            assert answer.status_code == 200, answer.text
        clock.advance(timedelta(seconds=1))
    await put_live_charges(services, other, 700)
    made["other"] = (await recorded(staff, period(services, other)))["id"]
    await set_status(services.database, merchant, "approved")
    live = await add_live_key(services, merchant)

    seen = await received(api, live)
    assert [each["id"] for each in seen] == [made["recorded"], made["done"]]
    # The charge of the discarded repayment is in the next one.
    assert [(each["gross_amount"], each["charges_count"]) for each in seen] == [(60.0, 2), (10.0, 1)]
    assert [(each["status"], each["end_to_end_id"]) for each in seen] == [("recorded", None), ("done", PROOF)]
    assert all(each["net_amount"] == round(each["gross_amount"] - each["fee_amount"], 2) for each in seen)
    result = await summary(services, merchant)
    assert (result["pending_amount"], result["withdrawn_amount"]) == (60.0, 10.0)
    assert [each["id"] for each in await received(api, live, "done")] == [made["done"]]
    assert await received(api, merchant.token) == []  # A session in test.

    assert (await api.get(f"/repayments/{made['done']}", token=live)).json()["data"] == seen[1]
    for name, token in (("discarded", live), ("other", live), ("done", merchant.token)):
        assert (await api.get(f"/repayments/{made[name]}", token=token)).status_code == 404
        query = f'{{ receivedRepayment(id: "{made[name]}") {{ id }} }}'
        refused = (await api.graphql(query, token=token))["errors"][0]
        assert (refused["message"], refused["extensions"]["status"]) == ("Repasse não encontrado.", 404)
    assert (await api.get("/repayments?status=discarded", token=live)).status_code == 400


async def test_a_refused_request_writes_nothing(
    services: Services, merchant: Merchant, staff: Merchant, database: Database
) -> None:
    await put_live_charges(services, merchant, 1000)
    await put_live_charges(services, staff, 1000)
    made = await recorded(staff, period(services, merchant))
    await sql.run(database, "update repayments set user_id = $1", staff.id)
    before = await fingerprint(database)
    now = services.clock.now()
    refused = [
        (period(services, merchant, store_id=new_id()), 404),
        (period(services, merchant, paid_from="ontem", paid_to=None), 400),
        (period(services, merchant, paid_from=now.isoformat(), paid_to=(now - timedelta(days=1)).isoformat()), 400),
        (period(services, merchant), 409),
        (period(services, staff), 403),
    ]
    for order, status in refused:
        answer = await staff.api.post("/admin/repayments", order, token=staff.token)
        assert answer.status_code == status, answer.text
    backwards = {
        "paid_from": now.isoformat(),
        "paid_to": (now - timedelta(days=1)).isoformat(),
        "deduct_refunds": "sim",
    }
    answer = await staff.api.post("/admin/repayments", period(services, merchant, **backwards), token=staff.token)
    assert [result["campo"] for result in answer.json()["error"]["campos"]] == ["paid_to", "deduct_refunds"]
    for action in ("concluir", "descartar"):
        assert (await staff.api.post(f"/admin/repayments/{made['id']}/{action}", token=staff.token)).status_code == 403
        assert (await staff.api.post(f"/admin/repayments/{new_id()}/{action}", token=staff.token)).status_code == 404
    for accept in ("application/json", "text/csv"):
        assert (
            await staff.api.get(f"/admin/repayments/{new_id()}", token=staff.token, accept=accept)
        ).status_code == 404
        answer = await staff.api.get(f"/admin/repayments/{made['id']}", token=merchant.token, accept=accept)
        assert (answer.status_code, answer.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")
    assert await fingerprint(database) == before
