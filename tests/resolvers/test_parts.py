"""Tables that are cut when they have grown: what is in one part and what is in the next are found and guarded alike."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from gateway.doctor.database import database as examined
from gateway.engines.port import Engine, EngineCharge, EngineError, NewCharge
from gateway.ids import first_id_of, new_id
from gateway.models.database import Database
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.listing.statements import Asked
from gateway.resolvers.parts import LENGTHS, cut
from gateway.resolvers.webhooks.housekeeping import forget_old
from gateway.settings import Settings
from tests import sql
from tests.api import Api, Merchant, charge_order
from tests.moved_clock import MovedClock
from tests.planning import nodes, plan_of
from tests.rows import put_charges
from tests.subscriptions.orders import Biller, counts, put_subscriptions

AT_ONCE = -1
"""What a table has grown to that has never been analysed."""
ALL = ["announced", "proven", "cut"]
BOUNDS = """
    select inhrelid::regclass::text, pg_get_expr(relpartbound, c.oid) from pg_inherits join pg_class c on c.oid = inhrelid
     where inhparent = $1::regclass order by relpartbound is null, part_since(c.oid) nulls first
"""
UNIQUE = """
    select array_agg(a.attname::text order by k.place) as columns, pg_get_expr(i.indpred, i.indrelid) as condition
      from pg_index i cross join lateral unnest(i.indkey::smallint[]) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = $1::regclass and i.indisunique and not i.indisprimary group by i.indexrelid, i.indpred, i.indrelid
     order by 1
"""
REJOIN = """
do $$
declare
    part regclass;
begin
    for part in select inhrelid::regclass from pg_inherits where inhparent = '{whole}'::regclass and inhrelid <> '{whole}_first'::regclass loop
        execute format('drop table %s', part);
    end loop;
    alter table {whole}_first drop constraint if exists until_the_cut;
    alter table {whole} detach partition {whole}_first;
    alter table {whole} attach partition {whole}_first for values from (minvalue) to (maxvalue);
end
$$
"""


class Interrupted:
    """An engine, and what happens elsewhere before it has made many charges."""

    def __init__(self, engine: Engine, act: Callable[[], Awaitable[None]]) -> None:
        self._engine, self._act = engine, act

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def create_charges(self, wanted: Sequence[NewCharge]) -> list[EngineCharge | EngineError]:
        await self._act()
        return await self._engine.create_charges(wanted)


@pytest.fixture
async def ctx(services: Services) -> AsyncIterator[Context]:
    """The worker's, in a database whose tables are whole again afterwards."""
    yield system_context(services, source="job", request_id="a cut")
    for whole in LENGTHS:
        await sql.run(services.database, REJOIN.format(whole=whole))


async def bounds(database: Database, whole: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in await sql.rows(database, BOUNDS, whole)]


async def move_on(database: Database, charge_id: str) -> str:
    """Give a charge an id of a time to come, also at its engine, so that it lies in the part that begins there; the
    id.
    """
    later = first_id_of(datetime.now(UTC) + timedelta(days=100))[:13] + new_id()[13:]
    await sql.run(database, "update charges set id = $2 where id = $1", charge_id, later)
    held = "update simulator_charges set external_reference = $2 where external_reference = $1"
    await sql.run(database, held, charge_id, later)
    return later


async def test_what_has_not_grown_stays_whole(ctx: Context, database: Database) -> None:
    for whole in LENGTHS:
        await sql.run(database, f"analyze {whole}")
        assert await cut(ctx, whole, grown=1000) == []
        assert await bounds(database, whole) == [(f"{whole}_first", "FOR VALUES FROM (MINVALUE) TO (MAXVALUE)")]


@pytest.mark.parametrize(("whole", "least", "most"), [("charges", 7, 38), ("webhook_events", 7, 14)])
async def test_a_cut_moves_nothing_and_lies_ahead(
    ctx: Context, database: Database, merchant: Merchant, whole: str, least: int, most: int
) -> None:
    await merchant.issue()
    file = await sql.value(database, f"select pg_relation_filenode('{whole}_first')")
    assert await cut(ctx, whole, grown=AT_ONCE) == ALL
    first, last = await bounds(database, whole)
    boundary = await sql.value(database, "select part_begun(part_since(open_part($1::text::regclass)))", whole)
    ahead = boundary - datetime.now(UTC)
    assert timedelta(days=least) <= ahead <= timedelta(days=most)
    assert (boundary.hour, boundary.minute, boundary.day if whole == "charges" else boundary.weekday() + 1) == (0, 0, 1)
    assert first == (f"{whole}_first", f"FOR VALUES FROM (MINVALUE) TO ('{_begin(boundary)}')")
    assert last == (f"{whole}_{boundary:%Y%m%d}", f"FOR VALUES FROM ('{_begin(boundary)}') TO (MAXVALUE)")
    assert await sql.value(database, f"select pg_relation_filenode('{whole}_first')") == file
    assert await sql.value(database, f"select count(*) from {whole}_first") == 1
    assert await sql.value(database, "select count(*) from pg_constraint where conname = 'until_the_cut'") == 0


def _begin(moment: datetime) -> str:
    digits = f"{int(moment.timestamp() * 1000):012x}"
    return f"{digits[:8]}-{digits[8:]}-0000-0000-000000000000"


async def test_the_doctor_minds_what_nobody_cuts(
    ctx: Context, database: Database, settings: Settings, merchant: Merchant
) -> None:
    await merchant.issue()
    await sql.run(database, "analyze charges, webhook_events")
    told = [
        [
            finding.text
            async for finding in examined(settings.model_copy(update={"part_rows": rows}))
            if finding.subject == "parts"
        ]
        for rows in (0, 1)
    ]
    assert [text.partition(", to be cut")[0] for text in told[0]] == [
        "charges has 1 rows in its open part",
        "webhook_events has 1 rows in its open part",
    ]
    assert told[1] == []


@pytest.mark.parametrize("whole", LENGTHS)
async def test_each_part_has_what_is_unique(ctx: Context, database: Database, whole: str) -> None:
    assert await cut(ctx, whole, grown=AT_ONCE) == ALL
    told = [[tuple(row) for row in await sql.rows(database, UNIQUE, part)] for part, _ in await bounds(database, whole)]
    assert told[0] == told[1]
    assert [columns for columns, _ in told[0]] == {
        "charges": [["subscription_id", "billing_cycle"], ["txid"], ["user_id", "environment", "external_reference"]],
        "webhook_events": [["dedupe_key"]],
    }[whole]
    options = "select coalesce(reloptions, '{}') from pg_class where oid = $1::text::regclass"
    before, after = [set(await sql.value(database, options, part)) for part, _ in await bounds(database, whole)]
    assert after - before == {"vacuum_truncate=off"}
    assert before < after
    listed = "select count(*) from pg_index where indrelid = $1::text::regclass"
    assert len({await sql.value(database, listed, part) for part, _ in await bounds(database, whole)}) == 1


async def test_a_part_that_has_yet_to_begin_keeps_no_list_from_its_order(
    ctx: Context, database: Database, merchant: Merchant, clock: MovedClock
) -> None:
    """Without a page, it would be read whole and sorted with all that is in the others."""
    await put_charges(database, merchant.id, [{}] * 600, now=clock.now())
    await sql.run(database, "analyze charges")
    await cut(ctx, "charges", grown=AT_ONCE)
    await sql.run(database, "vacuum (analyze) charges")
    of_a_year = CHARGES.rows(Asked((("created_from", None), ("created_to", None)), {}), "-created_at", limit=50)
    async with database.pool.acquire() as connection:
        plan = await plan_of(connection, of_a_year)
    assert [node["Node Type"] for node in nodes(plan)] == ["Limit", "Merge Append", "Index Scan", "Index Scan"]


async def test_a_list_goes_on_in_the_part_before(
    ctx: Context, database: Database, api: Api, merchant: Merchant
) -> None:
    older, newer = await merchant.issue(amount=10), await merchant.issue(amount=20)
    await cut(ctx, "charges", grown=AT_ONCE)
    newer["id"] = await move_on(database, newer["id"])
    for sort, expected in (("-created_at", [newer, older]), ("amount", [older, newer])):
        page = (await api.get(f"/pix?sort={sort}&limit=10&page=1", token=merchant.key)).json()
        assert [charge["id"] for charge in page["data"]] == [charge["id"] for charge in expected]
        assert page["pagination"]["total"] == 2
    for charge in (older, newer):
        assert (await api.get(f"/pix/status?txid={charge['txid']}", token=merchant.key)).json()["data"]["id"] == charge[
            "id"
        ]
        assert (await merchant.pay(charge["id"]))["status"] == "paid"
        assert (await api.get(f"/pix/{charge['id']}", token=merchant.key)).json()["data"]["status"] == "paid"
    assert await sql.value(database, "select sum(gross) from balance_entries") == 3000


async def test_everybody_goes_on_while_a_table_is_cut(ctx: Context, database: Database, merchant: Merchant) -> None:
    done = asyncio.Event()

    async def sell() -> int:
        sold = 0
        while not done.is_set():
            await merchant.pay((await merchant.issue())["id"])
            sold += 1
        return sold

    selling = [asyncio.create_task(sell()) for _ in range(4)]
    try:
        for whole in LENGTHS:
            steps: list[str] = []
            while "cut" not in steps:  # A step that finds no lock in time is the next hour's.
                steps += await cut(ctx, whole, grown=AT_ONCE)
            assert steps == ALL
    finally:
        done.set()
        sold = sum(await asyncio.gather(*selling))
    assert await sql.value(database, "select count(*) from charges where status = 'paid'") == sold > 0
    assert await sql.value(database, "select count(*) from webhook_events") == 2 * sold


async def test_who_reads_for_long_is_not_waited_for(ctx: Context, database: Database, merchant: Merchant) -> None:
    async with database.transaction() as transaction:
        await transaction.connection.execute("select from charges")
        assert await cut(ctx, "charges", grown=AT_ONCE) == []
        assert (await merchant.issue())["status"] == "pending"
    assert await cut(ctx, "charges", grown=AT_ONCE) == ALL


async def test_a_cut_that_was_left_is_gone_on_with(ctx: Context, database: Database) -> None:
    announce = "select cut_further('charges', 'month', -1)"
    assert [await sql.value(database, announce) for _ in range(2)] == ["announced", "proven"]
    assert await cut(ctx, "charges", grown=1_000_000) == ["cut"]
    assert await cut(ctx, "charges", grown=AT_ONCE) == [], "a part that has yet to begin is not cut"


async def test_a_cut_that_comes_too_late_refuses_nothing(ctx: Context, database: Database, merchant: Merchant) -> None:
    soon = _begin(datetime.now(UTC) + timedelta(hours=23))
    await sql.run(
        database, f"alter table charges_first add constraint until_the_cut check (id < '{soon}'::uuid) not valid"
    )
    assert await cut(ctx, "charges", grown=1_000_000) == ["abandoned"]
    assert await sql.value(database, "select count(*) from pg_constraint where conname = 'until_the_cut'") == 0


async def test_what_lies_beyond_is_not_cut_off(ctx: Context, database: Database, merchant: Merchant) -> None:
    await move_on(database, (await merchant.issue())["id"])
    assert await cut(ctx, "charges", grown=AT_ONCE) == []


async def test_a_reference_is_one_pending_charge_s_across_parts(
    ctx: Context, database: Database, api: Api, merchant: Merchant
) -> None:
    held = await merchant.issue(external_reference="PED-1")
    await cut(ctx, "charges", grown=AT_ONCE)
    held["id"] = await move_on(database, held["id"])
    refused = await api.post("/pix", charge_order(external_reference="PED-1"), token=merchant.key)
    assert (refused.status_code, refused.json()["error"]["id"]) == (409, held["id"])
    await sql.run(database, "update charges set status = 'expired' where id = $1", held["id"])
    assert (await merchant.issue(external_reference="PED-1"))["status"] == "pending"


async def test_a_cycle_is_charged_once_across_parts(
    ctx: Context, database: Database, merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    biller, due = Biller(services, clock), clock.now() - timedelta(minutes=1)
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=due)
    assert counts(await biller.run()) == {"analisadas": 1, "cobradas": 1}
    await cut(ctx, "charges", grown=AT_ONCE)
    await move_on(database, await sql.value(database, "select id from charges"))
    again = "update subscriptions set next_billing_at = $2 where id = $1"
    await sql.run(database, again, row_id, due)
    assert counts(await biller.run()) == {"analisadas": 1, "ja_cobradas": 1}
    assert [cycle.billing_cycle for cycle in await biller.cycles()] == [due]


async def test_a_cycle_that_was_charged_while_it_was_being_charged_is_not_born_again(
    ctx: Context, database: Database, merchant: Merchant, services: Services, clock: MovedClock
) -> None:
    biller, due = Biller(services, clock), clock.now() - timedelta(minutes=1)
    [row_id] = await put_subscriptions(database, merchant.id, [{}], due=due)
    await cut(ctx, "charges", grown=AT_ONCE)
    other = await move_on(database, (await merchant.issue())["id"])

    async def charge_it_elsewhere() -> None:
        """In the other part, of which whoever has reserved the cycle sees nothing."""
        claim = "update charges set subscription_id = $2, billing_cycle = $3 where id = $1"
        await sql.run(database, claim, other, row_id, due)

    engines = replace(services.engines, test=Interrupted(services.engines.test, charge_it_elsewhere))
    await Biller(replace(services, engines=engines), clock).run()
    assert [cycle.billing_cycle for cycle in await biller.cycles()] == [due]
    assert await biller.count("issuances") == 0


OLD_EVENTS = """
    alter table webhook_events detach partition webhook_events_first;
    alter table webhook_events attach partition webhook_events_first for values from ('{until}') to (maxvalue);
    create table webhook_events_older (like webhook_events_first including all);
    alter table webhook_events attach partition webhook_events_older for values from (minvalue) to ('{until}');
"""
EVENT = """
    insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
    select uuidv7(-$2::interval), $1, 'test', 'charge.paid', '', 'charge.paid:' || $2, now() - $2::interval
    returning id
"""
DELIVERY = """
    insert into webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at)
    select uuidv7(interval '-32 days'), $1, $2, $3, now(), now() - interval '32 days'
"""


@pytest.mark.parametrize("state", [DeliveryState.delivered, DeliveryState.due])
async def test_old_events_go_with_their_part_unless_one_is_to_be_delivered(
    ctx: Context, database: Database, api: Api, merchant: Merchant, state: DeliveryState
) -> None:
    """Of the open part they go one by one."""
    endpoint = {"name": "Loja", "url": "http://127.0.0.1:18200/hook"}
    made = (await api.post("/webhook-endpoints", endpoint, token=merchant.token)).json()["data"]
    until = _begin(datetime.now(UTC) - timedelta(days=32))
    await sql.run(database, OLD_EVENTS.format(until=until))
    ids = [await sql.value(database, EVENT, merchant.id, timedelta(days=days)) for days in (50, 35, 31, 20)]
    await sql.run(database, DELIVERY, ids[1], made["id"], state)
    await forget_old(ctx)
    parts = [part for part, _ in await bounds(database, "webhook_events")]
    events = {row["id"] for row in await sql.rows(database, "select id from webhook_events")}
    if state is DeliveryState.due:
        assert (parts, events) == (["webhook_events_older", "webhook_events_first"], {ids[0], ids[1], ids[3]})
    else:
        assert (parts, events) == (["webhook_events_first"], {ids[3]})
