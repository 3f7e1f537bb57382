"""CSV exports: contents, permissions, constant memory, and slow or disconnected clients."""

import asyncio
import csv
import gc
import io
import runpy
import time
import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.app import Gateway
from gateway.http.middleware import RequestMiddleware
from gateway.models.database import Database
from gateway.resolvers.core.authentication import CACHE_SECONDS
from gateway.resolvers.core.context import Services
from gateway.resolvers.core.listing.exports import Export
from gateway.rest_compat.app import RestApp
from gateway.rest_compat.csv_stream import MAX_EXPORTS_PER_STORE, CsvFile, cell, export_slot, wants_csv
from gateway.rest_compat.routes import ENDPOINTS
from gateway.settings import Settings
from gateway.values.clock import SAO_PAULO
from gateway.values.dates import day_of
from tests import sql
from tests.api_client import Api, Merchant
from tests.docs.pages import ROOT
from tests.fake_clock import MovedClock
from tests.rows import put_charges, put_customers


def rows_of(response: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8"), newline=""), strict=True))


async def test_charges_export_with_money_in_reais(api: Api, merchant: Merchant, clock: MovedClock) -> None:
    charge = await merchant.issue(
        amount=1234.5, description='Pedido "1", é\nou não'.replace("\n", " "), metadata={"a": "b"}
    )
    paid = await merchant.pay((await merchant.issue(amount=5))["id"])
    for path in ("/pix", "/charges/"):
        response = await api.get(path, token=merchant.key, accept="text/csv")
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/csv; charset=utf-8"
        day = day_of(clock.now()).isoformat()
        assert response.headers["content-disposition"] == f'attachment; filename="cobrancas-{day}.csv"'
        second, first = rows_of(response)
        assert (first["id"], second["id"]) == (charge["id"], paid["id"])
        assert (first["amount"], first["net_amount"], first["fee_amount"]) == ("1234.50", "1234.50", "0.00")
        assert first["description"] == 'Pedido "1", é ou não'
        assert (first["metadata"], second["metadata"]) == ('{"a":"b"}', "{}")
        assert (first["status"], first["paid_at"], first["paid_late"]) == ("pending", "", "false")
        assert (second["amount"], second["status"], second["end_to_end_id"]) == ("5.00", "paid", paid["end_to_end_id"])
        assert second["paid_at"] == datetime.fromisoformat(paid["paid_at"]).astimezone(SAO_PAULO).isoformat()


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")'])
async def test_no_cell_is_a_formula(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock, evil: str
) -> None:
    await put_customers(database, merchant.id, [{"name": evil}], now=clock.now())
    [row] = rows_of(await api.get("/customers", token=merchant.key, accept="text/csv"))
    assert row["name"] == f"'{evil}"


def test_cells() -> None:
    assert cell("\tx") == "'\tx"
    assert cell("\r=x") == "'\r'=x"
    assert cell("Ana;=cmd|' /C calc'!A0") == "Ana;'=cmd|' /C calc'!A0"
    assert cell('Ana;"=1+1"') == 'Ana;\'"=1+1"'
    assert cell("＝1+1") == "'＝1+1"
    assert cell({"a": ";=1"}) == '{"a":";\'=1"}'
    assert cell("R$ 5; à vista - ou não") == "R$ 5; à vista - ou não"
    assert cell("a=b") == "a=b"
    assert cell(None) == ""
    assert cell(True) == "true"


@given(st.text(st.sampled_from([*"a'\";\t\r\n=+-@＝ "]), max_size=12))
def test_no_spreadsheet_finds_a_formula_and_no_text_is_lost(text: str) -> None:
    guarded = cell(text)
    for separator in (",", ";", "\t"):
        line = io.StringIO()
        csv.writer(line).writerow(["x", guarded, "y"])
        cells = [
            found for row in csv.reader(io.StringIO(line.getvalue(), newline=""), delimiter=separator) for found in row
        ]
        assert not [found for found in cells if found.startswith(("=", "+", "-", "@", "＝"))]
    guard = runpy.run_path(str(ROOT / "scripts/verify_audit.py"))["GUARD"]
    assert guard.sub("", guarded) == text


async def test_an_export_is_filtered_ordered_and_of_one_store(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    other = await api.register_merchant()
    await put_charges(database, other.id, [{}], now=clock.now())
    await put_charges(database, merchant.id, [{"environment": "live"}], now=clock.now())
    rows = [{"amount": amount, "expires_at": clock.now() + timedelta(minutes=1)} for amount in (700, 900, 800)]
    ids = await put_charges(database, merchant.id, rows, now=clock.now())
    clock.advance(timedelta(minutes=2))
    path = "/pix?amount_max=8.00&sort=amount&status=expired&page=2&limit=1"
    found = rows_of(await api.get(path, token=merchant.key, accept="application/xml, text/CSV;q=0.9"))
    assert [row["id"] for row in found] == [ids[0], ids[2]]
    assert {row["status"] for row in found} == {"expired"}
    empty = await api.get("/pix?q=nada", token=merchant.key, accept="text/csv")
    assert rows_of(empty) == []
    assert empty.text.startswith("id,created_at,status,amount,")
    refused = await api.get("/pix?status=x", token=merchant.key, accept="text/csv")
    assert refused.status_code == 400
    assert (await api.get("/pix", accept="text/csv")).status_code == 401
    assert "data" in (await api.get("/pix", token=merchant.key, accept="*/*")).json()


async def test_an_export_is_complete_and_audited(
    api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    ids = await put_customers(database, merchant.id, [{}] * 5600, now=clock.now())
    found = rows_of(await api.get("/customers?sort=name", token=merchant.key, accept="text/csv"))
    assert [row["id"] for row in found] == ids
    async with database.pool.acquire() as connection:
        recorded = await connection.fetchval("select count(*) from audit_trail where action = 'customer.exported'")
    assert recorded == 1


class Caller:
    """An ASGI client of a download that may stop reading or disconnect."""

    def __init__(self, merchant: Merchant, path: str) -> None:
        headers = [(b"authorization", f"Bearer {merchant.key}".encode()), (b"accept", b"text/csv")]
        self.scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": b"",
            "headers": headers,
            "asgi": {"spec_version": "2.3"},
            "client": ("127.0.0.1", 1),
            "http_version": "1.1",
            "root_path": "",
            "scheme": "http",
            "server": None,
        }
        self.gone = asyncio.Event()
        self.sizes: list[int] = []
        self.stop_after = 10**9
        self.stopped = asyncio.Event()
        self._requested = False

    async def receive(self) -> dict[str, Any]:
        if not self._requested:
            self._requested = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            self.sizes.append(len(message["body"]))
            if len(self.sizes) > self.stop_after:
                self.stopped.set()
                await asyncio.Event().wait()


async def test_a_disconnected_client_frees_the_connection(
    settings: Settings, services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    await put_charges(database, merchant.id, [{}] * 3000, now=clock.now())
    caller = Caller(merchant, "/pix")
    caller.stop_after = 1
    download = asyncio.create_task(Gateway(settings, services)(caller.scope, caller.receive, caller.send))
    await asyncio.wait_for(caller.stopped.wait(), 60)
    assert await idle_in_transaction(database) == 1
    caller.gone.set()
    await asyncio.wait_for(download, 60)
    await wait_until_idle(database)


async def test_a_client_that_stops_reading_is_disconnected(merchant: Merchant) -> None:
    closed = asyncio.Event()

    async def rows() -> AsyncGenerator[Any, None]:
        try:
            while True:
                yield {"id": "x" * 100}
        finally:
            closed.set()

    caller = Caller(merchant, "/pix")
    caller.stop_after = 1
    download = CsvFile(Export("x", ("id",), frozenset(), rows()), send_seconds=0.05)
    await asyncio.wait_for(download(caller.scope, caller.receive, caller.send), 60)
    assert caller.stopped.is_set()
    assert closed.is_set()


async def test_a_client_that_reads_too_slowly_is_disconnected(merchant: Merchant) -> None:
    async def rows() -> AsyncGenerator[Any, None]:
        while True:
            await asyncio.sleep(0)
            yield {"id": "x"}

    caller = Caller(merchant, "/pix")
    download = CsvFile(Export("x", ("id",), frozenset(), rows()), max_seconds=0.6)
    await asyncio.wait_for(download(caller.scope, caller.receive, caller.send), 60)
    assert caller.sizes


async def test_slow_readers_leave_connections_to_other_requests(
    api: Api, settings: Settings, services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    """Six stores with two exports each, the maximum of a store. Four connections are reserved for exports."""
    stores = [merchant, *[await api.register_merchant() for _ in range(5)]]
    for store in stores:
        await put_charges(database, store.id, [{}] * 1200, now=clock.now())
    callers = [Caller(store, "/pix") for store in stores for _ in range(MAX_EXPORTS_PER_STORE)]
    for caller in callers:
        caller.stop_after = 1
    app = Gateway(settings, services)
    downloads = [asyncio.create_task(app(caller.scope, caller.receive, caller.send)) for caller in callers]
    async with asyncio.timeout(60):
        while sum(caller.stopped.is_set() for caller in callers) < 4:  # noqa: ASYNC110  # Any four of them.
            await asyncio.sleep(0.01)

    waiting = [asyncio.create_task(api.get("/pix", token=merchant.key, accept="text/csv")) for _ in range(20)]
    lists = await asyncio.gather(*(api.get("/pix?limit=1", token=merchant.key) for _ in range(20)))
    assert {answer.status_code for answer in lists} == {200}
    assert await idle_in_transaction(database) == 4
    for caller in callers:
        caller.gone.set()
    await asyncio.wait_for(asyncio.gather(*downloads), 60)
    files = await asyncio.wait_for(asyncio.gather(*waiting), 60)
    assert {len(rows_of(answer)) for answer in files} == {1200}, "each waiting client has its file"
    await wait_until_idle(database)


@asynccontextmanager
async def all_slots_taken(app: Gateway, merchant: Merchant, database: Database) -> AsyncIterator[list[Caller]]:
    """A store's two export slots are taken by clients that don't read."""
    await put_charges(database, merchant.id, [{}] * 1200, now=merchant.api.services.clock.now())
    callers = [Caller(merchant, "/pix") for _ in range(MAX_EXPORTS_PER_STORE)]
    for caller in callers:
        caller.stop_after = 1
    downloads = [asyncio.create_task(app(caller.scope, caller.receive, caller.send)) for caller in callers]
    await asyncio.wait_for(asyncio.gather(*(caller.stopped.wait() for caller in callers)), 60)
    try:
        yield callers
    finally:
        for caller in callers:
            caller.gone.set()
        await asyncio.wait_for(asyncio.gather(*downloads), 60)


async def test_a_client_without_a_slot_gets_503_with_retry_after(
    settings: Settings, services: Services, merchant: Merchant, database: Database
) -> None:
    impatient = RequestMiddleware(RestApp(ENDPOINTS, [], max_wait=0.05), lambda: services)
    async with all_slots_taken(Gateway(settings, services), merchant, database), Api.of(impatient) as api:
        refused = await api.get("/pix", token=merchant.key, accept="text/csv")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        assert set(refused.json()["error"]) == {"message"}
        # Each store has its own slots.
        other = await merchant.api.register_merchant()
        assert (await api.get("/pix", token=other.key, accept="text/csv")).status_code == 200
    assert await sql.value(database, "select count(*) from audit_trail where action = 'charge.exported'") == 3


async def test_a_waiting_client_that_disconnects_gives_up_its_place(
    settings: Settings, services: Services, merchant: Merchant, database: Database
) -> None:
    app = Gateway(settings, services)
    async with all_slots_taken(app, merchant, database) as callers:
        in_use = await idle_in_transaction(database)
        leaving, staying = (Caller(merchant, "/pix") for _ in range(2))
        first, second = (asyncio.create_task(app(one.scope, one.receive, one.send)) for one in (leaving, staying))
        leaving.gone.set()
        await asyncio.wait_for(first, 60)
        assert (leaving.sizes, await idle_in_transaction(database)) == ([], in_use)
        assert not second.done()
        callers[0].gone.set()
        await asyncio.wait_for(second, 60)
        assert staying.sizes


async def test_a_waiting_client_is_authenticated_again(
    settings: Settings, services: Services, merchant: Merchant, database: Database
) -> None:
    app = Gateway(settings, services)
    async with all_slots_taken(app, merchant, database) as callers:
        waiting = asyncio.create_task(merchant.api.get("/pix", token=merchant.key, accept="text/csv"))
        await asyncio.sleep(CACHE_SECONDS * 1.2)
        revoked = await merchant.api.delete(f"/api-keys/{merchant.key_id}", token=merchant.token)
        assert revoked.status_code == 200
        callers[0].gone.set()
        refused = await asyncio.wait_for(waiting, 60)
    assert (refused.status_code, refused.json()) == (401, {"error": "Chave de API inválida ou revogada"})


async def test_slots_are_taken_in_order_and_always_released() -> None:
    order: list[int] = []

    async def never() -> Any:
        await asyncio.Event().wait()

    async def export(number: int) -> None:
        async with export_slot("a store", never):
            order.append(number)
            await asyncio.sleep(0)
            if number % 3 == 0:
                raise ConnectionError

    tasks = [asyncio.create_task(export(number)) for number in range(30)]
    await asyncio.sleep(0)
    for task in tasks[5:30:5]:
        task.cancel()
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
    assert order == [number for number in range(30) if number % 5 or number == 0]


@pytest.mark.parametrize(
    ("accept", "csv"),
    [
        ("text/csv", True),
        ("TEXT/CSV; charset=utf-8", True),
        ("text/csv, */*;q=0.1", True),
        ("text/csv;q=0.9, application/json;q=0.1", True),
        ("application/json, text/csv;q=0.5", False),
        ("application/json, text/csv;q=0", False),
        ("text/csv;q=0", False),
        ("text/csv;q=nan", True),
        ("*/*", False),
        ("", False),
    ],
)
def test_wants_csv(accept: str, csv: bool) -> None:
    assert wants_csv(accept) is csv


async def test_a_large_export_takes_constant_memory(
    settings: Settings, services: Services, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    peaks = []
    for size in (4000, 12000):
        await put_charges(database, merchant.id, [{}] * size, now=clock.now())
        caller = Caller(merchant, "/pix")
        gc.collect()
        tracemalloc.start()
        await Gateway(settings, services)(caller.scope, caller.receive, caller.send)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert max(caller.sizes) < 512 * 1024
    assert sum(caller.sizes) > 3_000_000
    assert peaks[1] < peaks[0] * 1.5


@pytest.mark.parametrize(("text", "max_seconds"), [("Pedido de teste ", 0.03), (";=", 0.1)])
async def test_an_export_of_long_rows_does_not_block_the_event_loop(
    settings: Settings,
    services: Services,
    merchant: Merchant,
    database: Database,
    clock: MovedClock,
    text: str,
    max_seconds: float,
) -> None:
    """Limits the CPU time of one iteration of the event loop. The second text needs escaping in every cell."""
    metadata = {f"chave {number}": (text * 250)[:500] for number in range(20)}
    await put_charges(database, merchant.id, [{"metadata": metadata}] * 1000, now=clock.now())
    caller = Caller(merchant, "/pix")
    async with measured_iterations() as iterations:
        await Gateway(settings, services)(caller.scope, caller.receive, caller.send)
    assert sum(caller.sizes) > 10_000_000
    assert max(iterations) < max_seconds


@asynccontextmanager
async def measured_iterations() -> AsyncIterator[list[float]]:
    """CPU seconds of each iteration of the event loop."""
    iterations: list[float] = []

    async def watch() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            iterations.append(now - last)
            last = now

    watching = asyncio.create_task(watch())
    try:
        yield iterations
    finally:
        watching.cancel()


async def wait_until_idle(database: Database) -> None:
    """Wait until PostgreSQL has noticed that interrupted clients disconnected."""
    async with asyncio.timeout(60):
        while await idle_in_transaction(database):  # noqa: ASYNC110  # There is no event to wait for.
            await asyncio.sleep(0.01)


async def idle_in_transaction(database: Database) -> int:
    async with database.pool.acquire() as connection:
        count: int = await connection.fetchval(
            "select count(*) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()"
        )
    return count
