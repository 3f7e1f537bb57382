"""The statement adds up to the available balance, at every entry and in every page."""

import csv
import io
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from msgspec.structs import replace

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from gateway.settings import ReceivingMode
from tests import sql
from tests.api_client import Api, Merchant
from tests.fake_clock import MovedClock
from tests.resolvers.withdrawals.fixtures import create_withdrawal, earn, finish, summary
from tests.rows import put_charges, put_repayment, put_withdrawal

QUERY = """
query ($from: DateTime, $to: DateTime, $first: Int, $after: String) {
  statement(from: $from, to: $to, first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    edges { node { at kind amount balanceAfter charge { id } withdrawal { id } repayment { id } } }
  }
}
"""


async def whole(api: Api, token: str, limit: int = 3, **query: Any) -> list[dict[str, Any]]:
    """All pages over REST. Those over GraphQL are the same."""
    after, entries = "", []
    while after is not None:
        sent = urlencode({"limit": limit, "after": after, **query})
        answer = await api.get(f"/statement?{sent}", token=token)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        entries += page["data"]
        graphql = (await api.graphql(QUERY, token=token, first=limit, after=after or None, **query))["data"]
        shown = [edge["node"] for edge in graphql["statement"]["edges"]]
        assert [[row[name] for name in ("at", "kind", "amount")] for row in shown] == [
            [row[name] for name in ("at", "kind", "amount")] for row in page["data"]
        ]
        for row, node in zip(page["data"], shown, strict=True):
            assert row["balance_after"] == node["balanceAfter"]
            for name in ("charge", "withdrawal", "repayment"):
                assert (node[name] and node[name]["id"]) == row[f"{name}_id"]
        assert graphql["statement"]["pageInfo"]["hasNextPage"] is page["pagination"]["has_more"]
        after = page["pagination"]["next_cursor"] if page["pagination"]["has_more"] else None
    return entries


def check_sums(entries: list[dict[str, Any]], before: float = 0) -> None:
    """Each balance is the one before plus the amount, from the oldest entry on."""
    for entry in reversed(entries):
        before = round(before + entry["amount"], 2)
        assert entry["balance_after"] == before, entry


async def test_the_statement_of_an_own_account(shop: Merchant, api: Api, clock: MovedClock, database: Database) -> None:
    clock.advance(timedelta(minutes=1))
    first = await create_withdrawal(shop, 30)
    clock.advance(timedelta(minutes=1))
    await finish(shop, first)
    clock.advance(timedelta(minutes=1))
    failed = await create_withdrawal(shop, 20)
    clock.advance(timedelta(minutes=1))
    await finish(shop, failed, "TRANSFER_FAILED")
    clock.advance(timedelta(minutes=1))
    [given_back] = await earn(shop, 50)
    clock.advance(timedelta(minutes=1))
    change = "update charges set status = 'refunded', refunded_at = $2, refunded_amount = amount where id = $1"
    await sql.run(database, change, given_back, clock.now())
    # Money on the service's main account is not in this balance.
    await put_charges(database, shop.id, [{"status": "paid", "paid_at": clock.now()}], now=clock.now())
    entries = await whole(api, shop.key)
    assert [(entry["kind"], entry["amount"]) for entry in entries] == [
        ("charge_refunded", -50.0),
        ("charge_paid", 50.0),
        ("withdrawal_rejected", 20.0),
        ("withdrawal", -20.0),
        ("withdrawal", -30.0),
        ("charge_paid", 100.0),
    ]
    check_sums(entries)
    assert entries[0]["balance_after"] == (await summary(shop))["available_amount"] == 70.0
    assert [entries[n]["charge_id"] for n in (0, 1)] == [given_back] * 2
    assert [entries[n]["withdrawal_id"] for n in (2, 3, 4)] == [failed["id"], failed["id"], first["id"]]


async def test_the_export_has_the_same_entries(shop: Merchant, api: Api, clock: MovedClock) -> None:
    clock.advance(timedelta(minutes=1))
    failed = await create_withdrawal(shop, 20)
    clock.advance(timedelta(minutes=1))
    await finish(shop, failed, "TRANSFER_FAILED")
    clock.advance(timedelta(minutes=1))
    await earn(shop, 50)
    entries = await whole(api, shop.key)
    for bounds in ({}, {"to": entries[1]["at"]}, {"from": entries[2]["at"], "to": entries[1]["at"]}):
        expected = await whole(api, shop.key, **bounds)
        file = await api.get(f"/statement/export?{urlencode(bounds)}", token=shop.key)
        rows = list(csv.DictReader(io.StringIO(file.text)))
        assert [(row["kind"], float(row["amount"]), float(row["balance_after"])) for row in rows] == [
            (entry["kind"], entry["amount"], entry["balance_after"]) for entry in expected
        ]
        assert expected
    export = "mutation { exportStatement(format: excel) { url fileName } }"
    ticket = (await api.graphql(export, token=shop.token))["data"]["exportStatement"]
    assert ticket["fileName"].startswith("extrato-")
    file = await api.get(urlsplit(ticket["url"]).path)
    assert file.text.count("\n") == 1 + len(entries)


async def test_a_store_without_an_account_has_no_entries(api: Api, database: Database, clock: MovedClock) -> None:
    merchant = await api.register_merchant()
    await put_charges(database, merchant.id, [{"status": "paid", "paid_at": clock.now()}], now=clock.now())
    assert await whole(api, merchant.key) == []
    assert (await api.get("/statement/export", token=merchant.key)).text.count("\n") == 1


class TestSingleAccount:
    @pytest.fixture
    def services(self, services: Services) -> Services:
        settings = services.settings.model_copy(update={"receiving_mode": ReceivingMode.conta_unica})
        return replace(services, settings=settings)

    async def test_a_period_and_pages_of_many_entries(
        self, api: Api, database: Database, clock: MovedClock, services: Services
    ) -> None:
        merchant, now = await api.register_merchant(), clock.now()
        paid = [
            {"status": "paid" if n % 4 else "refunded", "created_at": now - timedelta(days=9), "paid_at": at}
            for n in range(40)
            for at in [now - timedelta(hours=n // 3)]
        ]
        await put_charges(database, merchant.id, paid, now=now)
        await put_charges(database, merchant.id, [{}, {"environment": "live"}], now=now)
        hour = now - timedelta(hours=5)
        for amount in (100, 200):
            await put_repayment(
                services, merchant.id, environment="test", gross=amount, fee=0, net=amount, created_at=hour
            )
        await put_repayment(services, merchant.id, environment="test", status="discarded")
        await put_withdrawal(services, merchant.id, status="completed", amount=900, completed_at=now)
        entries = await whole(api, merchant.key)
        assert len(entries) == 40 + 10 + 2 + 1
        assert len({(entry["kind"], entry["charge_id"], entry["repayment_id"]) for entry in entries}) == 53
        check_sums(entries)
        times = [datetime.fromisoformat(entry["at"]) for entry in entries]
        assert times == sorted(times, reverse=True)
        assert entries[0]["balance_after"] == (await summary(merchant))["available_amount"]
        for bounds in ((hour - timedelta(hours=2), hour), (hour, now)):
            query = dict(zip(("from", "to"), (each.isoformat() for each in bounds), strict=True))
            within = [entry for entry, at in zip(entries, times, strict=True) if bounds[0] <= at <= bounds[1]]
            assert await whole(api, merchant.key, **query) == within
            assert within
            file = await api.get(f"/statement/export?{urlencode(query)}", token=merchant.key)
            balances = [float(row["balance_after"]) for row in csv.DictReader(io.StringIO(file.text))]
            assert balances == [entry["balance_after"] for entry in within]

    @pytest.mark.parametrize("cursor", ["x", "W10", "bnVsbA"])
    async def test_another_cursor_is_refused(self, api: Api, merchant: Merchant, cursor: str) -> None:
        other = (await api.get("/pix?after=&limit=1", token=merchant.key)).json()["pagination"]["next_cursor"] or cursor
        for each in (cursor, other):
            answer = await api.get(f"/statement?after={each}", token=merchant.key)
            assert (answer.status_code, answer.json()["error"]["campos"][0]["campo"]) == (400, "after")

    async def test_another_store_s_money_is_not_in_it(
        self, api: Api, database: Database, clock: MovedClock, merchant: Merchant
    ) -> None:
        other = await api.register_merchant()
        await put_charges(database, other.id, [{"status": "paid", "paid_at": clock.now()}], now=clock.now())
        assert await whole(api, merchant.key) == []
        assert len(await whole(api, other.key)) == 1
