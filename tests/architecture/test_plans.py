"""No statement reads a table that grows from end to end: the plan of every one is asked for.

Nothing is run and no figure judged. Sequential scans are forbidden to the planner, so one that is there, or an index
that is read without a condition, is what no index can serve.
"""

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import pairwise, product
from typing import Any

import pytest
from sqlalchemy import text

import gateway.resolvers
from gateway.ids import new_id
from gateway.models.charges import MADE_FROM, ORDERS_THAT_FOLLOW
from gateway.models.database import Database, Statement
from gateway.resolvers.audit.reading import AUDIT
from gateway.resolvers.charges.bearing import BEAR
from gateway.resolvers.charges.list_inputs import ChargeOrder
from gateway.resolvers.charges.listing import CHARGES
from gateway.resolvers.customers.inputs import CustomerOrder
from gateway.resolvers.customers.reading import CUSTOMERS
from gateway.resolvers.listing.cursors import Bounds
from gateway.resolvers.listing.filters import BY_PARTS, PERIOD, SEARCH, Shape
from gateway.resolvers.listing.statements import Asked, Beside, Listing
from gateway.resolvers.listing.sweep import Task
from gateway.resolvers.parts import LENGTHS
from gateway.resolvers.subscriptions.reading import SUBSCRIPTIONS
from gateway.resolvers.subscriptions.scope import Scoped
from gateway.resolvers.webhooks.delivery_log import DELIVERIES
from tests.moved_clock import MovedClock
from tests.planning import forget_statistics, nodes, plan_of

A_PERIOD: Shape = tuple((name, None) for name in PERIOD)
SEARCHED = (SEARCH, BY_PARTS)
GROWING = {
    "audit_records",
    "audit_seals",
    "charge_checks",
    "charges",
    "customers",
    "engine_notices",
    "idempotency_keys",
    "list_milestones",
    "list_tallies",
    "list_tally_entries",
    "mails",
    "search_texts",
    "simulator_charges",
    "subscriptions",
    "users",
    "webhook_attempts",
    "webhook_deliveries",
    "webhook_events",
}
WAITING = {
    "ix_charges_expiry",
    "ix_engine_notices_waiting",
    "ix_mails_waiting",
    "ix_webhook_deliveries_due",
    "ix_webhook_deliveries_fresh",
    "ix_webhook_deliveries_leased",
}
"""Indexes over what waits, and over nothing else: they are as long as the work that there is."""
ALLOWED = {
    "audit.verifying.RECENT": "the doctor's",
    "audit.verifying.HEADS": "the doctor's, of every chain",
    "listing.checking._LISTS": "the doctor's",
    "listing.sweep.MILESTONES.ready": "the first row of an index; from there it jumps from store to store",
    "mail.reading.NEWEST": "the inbox of `gateway dev`",
    "reconciliation.checks.BRING_FORWARD": "an operator has all charges looked at now",
    "reconciliation.run.BRING_FORWARD": "the same",
    "webhooks.alarms.TELL_EXHAUSTED": "from endpoints that have failed to what they exhausted, or the other way",
    "webhooks.housekeeping.EMPTY_DELETED": "from deleted endpoints to their deliveries, or the other way where there are none",
    "webhooks.switching_off.SWITCH_OFF_FAILING": "from failing endpoints to what they exhausted, or the other way",
}
READS = re.compile(r"\s*(select|insert|update|delete|with)\b", re.IGNORECASE)
BY_CREATION = ("created_at", "-created_at")
CHARGES_BY = tuple(ChargeOrder)
LISTS: dict[str, tuple[Listing, tuple[str, ...]]] = {
    "charges": (CHARGES, CHARGES_BY),
    "customers": (CUSTOMERS, tuple(CustomerOrder)),
    "subscriptions": (SUBSCRIPTIONS, (*BY_CREATION, "next_billing_at", "-next_billing_at")),
    "audit": (AUDIT, BY_CREATION),
    "deliveries": (DELIVERIES, BY_CREATION),
}


def statements() -> Iterator[tuple[str, Statement]]:
    """Every statement that a module of the rooms has made, by its module and name."""
    for module in pkgutil.walk_packages(gateway.resolvers.__path__, "gateway.resolvers."):
        for name, value in vars(importlib.import_module(module.name)).items():
            told = f"{module.name.removeprefix('gateway.resolvers.')}.{name}"
            if isinstance(value, Statement):
                yield told, value
            elif isinstance(value, Scoped):
                yield from ((f"{told}/{form}", one) for form, one in (("all", value._all), ("one", value._one)))
            elif isinstance(value, list):
                tasks = [task for task in value if isinstance(task, Task)]
                yield from ((f"{told}.ready/{task.list_.table.name}", task.ready) for task in tasks)
                yield from ((f"{told}.act/{task.list_.table.name}", task.act) for task in tasks)
            elif isinstance(value, dict):
                yield from ((f"{told}/{n}", one) for n, one in enumerate(value.values()) if isinstance(one, Statement))


@asynccontextmanager
async def trying(database: Database) -> AsyncIterator[Any]:
    """A connection on which nothing lasts."""
    async with database.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        try:
            yield connection
        finally:
            await transaction.rollback()


class Judge:
    """Tells what a plan reads whole. An index serves a condition on its first column; on a later one alone,
    all of it is read, or jumped through. Among indexes of empty tables the planner takes any, so it counts
    whether there is one that serves.
    """

    def __init__(self, indexes: Iterable[Mapping[str, str]]) -> None:
        self._first = {index["name"]: index["first"] for index in indexes}
        self._firsts = defaultdict[str, set[str]](set)
        for index in indexes:
            self._firsts[index["table"]].add(index["first"])

    @classmethod
    async def of(cls, connection: Any) -> "Judge":
        return cls(
            await connection.fetch(
                """select coalesce(whole.inhparent, indrelid)::regclass::text as table,
                          coalesce(of_whole.inhparent, indexrelid)::regclass::text as name,
                          pg_get_indexdef(indexrelid, 1, true) as first
                     from pg_index left join pg_inherits whole on whole.inhrelid = indrelid
                     left join pg_inherits of_whole on of_whole.inhrelid = indexrelid"""
            )
        )

    def read_whole(self, plan: dict[str, Any]) -> list[str]:
        """The growing tables that a plan reads without a condition that an index serves."""
        found = []
        for node in nodes(plan):
            table, index = node.get("Relation Name"), node.get("Index Name")
            if node["Node Type"] == "Seq Scan" and table in GROWING:
                found.append(f"{table} from end to end")
            elif index is not None and table in GROWING and index not in WAITING and not self._serves(node):
                found.append(f"{table} by all of {index}")
        return found

    def _serves(self, node: dict[str, Any]) -> bool:
        condition = node.get("Index Cond", "")
        if re.search(rf"\b{re.escape(self._first[node['Index Name']])}", condition):
            return True
        said = f"{condition} {node.get('Filter', '')}"
        # Nearly every row has one of two environments.
        others = self._firsts[node["Relation Name"]] - {"environment"}
        return any(re.search(rf"\b{re.escape(first)} =", said) for first in others)


async def planning(connection: Any, *without: str, cut: bool = False) -> Judge:
    """Of tables as small as here, the planner thinks that anything will do: what counts is what an index can serve.
    `cut`: as if charges and events had grown so much that there are two parts of each.
    """
    await connection.execute("set local plan_cache_mode = force_generic_plan")
    for whole, length in LENGTHS.items() if cut else ():
        for step in ("announced", "proven", "cut"):
            assert await connection.fetchval("select cut_further($1, $2, -1)", whole, length) == step
    await forget_statistics(connection)
    # Emptied tables keep the pages of their indexes, of which the planner would take the shortest.
    await connection.execute("truncate charges cascade")
    # Trigrams are only read by a bitmap, so it is forbidden no more than a sequential scan, and that costs more.
    await connection.execute("set local seq_page_cost = 1000000")
    for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", *without):
        await connection.execute(f"set local enable_{way} = off")
    return await Judge.of(connection)


@pytest.mark.parametrize("cut", [False, True])
async def test_no_statement_reads_a_growing_table_from_end_to_end(database: Database, cut: bool) -> None:
    found = {}
    async with trying(database) as connection:
        judge = await planning(connection, cut=cut)
        for name, statement in statements():
            if name.partition("/")[0] not in ALLOWED and READS.match(statement.sql):
                found[name] = judge.read_whole(await plan_of(connection, statement))
    assert len(found) > 200
    assert {name: whole for name, whole in found.items() if whole} == {}


def test_every_order_has_an_index_of_which_is_known_what_it_includes() -> None:
    of_subscriptions = ("updated_at", "amount", "next_billing_at")
    for listing, orders in (*LISTS.values(), (SUBSCRIPTIONS, of_subscriptions)):
        for order in orders if listing._list.milestones is not None else ():
            assert isinstance(listing._list.is_covered(A_PERIOD, order), bool)
    assert CHARGES._list.is_covered((*A_PERIOD, ("status", "paid")), "-updated_at")
    assert not CHARGES._list.is_covered((("product_id", None),), "-updated_at")
    assert all(CUSTOMERS._list.is_covered(A_PERIOD, order) for order in ("name", "-updated_at"))
    assert not CUSTOMERS._list.is_covered((("email", None),), "name")
    active = (*A_PERIOD, ("status", "active"))
    assert all(SUBSCRIPTIONS._list.is_covered(active, order) for order in of_subscriptions)


A_BUSY_MINUTE = """
insert into issuances (charge_id, user_id, environment, engine, amount, settle_after, created_at)
select uuidv7(), '019aa000-0000-7000-8000-0000000000aa', 'test', 'simulator', 100, now(), now() from generate_series(1, 2000);
insert into idempotency_keys (id, user_id, environment, operation, key, fingerprint, lease_until, created_at)
select uuidv7(), '019aa000-0000-7000-8000-0000000000aa', 'test', 'charges.issue', n::text, ''::bytea, now(), now()
  from generate_series(1, 2000) n;
delete from issuances;
delete from idempotency_keys where operation = 'charges.issue';
"""


AN_HOUR = """
with store as (select ('019aa000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid id from generate_series(1, $1) n)
insert into idempotency_keys (id, user_id, environment, operation, key, fingerprint, lease_until, created_at)
select uuidv7(), id, 'test', 'charges.issue', n::text, ''::bytea, now(), now() from store, generate_series(1, 3000 / $1) n
"""
FOUND = """
select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', 50, 'reltuples', $2::real)
"""


async def test_a_queue_that_has_emptied_is_read_by_its_index(database: Database) -> None:
    """A plan is kept. One that was made while there was no page to read would be the worst for what comes."""
    async with database.pool.acquire() as connection:
        await connection.execute(A_BUSY_MINUTE)
        for table in ("issuances", "idempotency_keys"):
            await connection.execute(f"vacuum (analyze) {table}")
        plan = await plan_of(connection, BEAR)
    read = {(node["Relation Name"], node["Node Type"]) for node in nodes(plan) if "Relation Name" in node}
    queues = {"issuances", "idempotency_keys"}
    assert read >= {(queue, "Index Scan") for queue in queues}
    assert not read & {(queue, "Seq Scan") for queue in queues}


KNOWN = {"never looked at": None, "found empty": 0, "found full": 3000}
"""What the planner may know of how many rows there are."""


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("stores", [1, 1000])
async def test_what_lives_for_a_moment_is_looked_up_by_what_is_its_own(
    database: Database, known: str, stores: int
) -> None:
    """Whatever is in the queues: a short one is not read from end to end, nor all keys of the one store."""
    async with trying(database) as connection:
        await forget_statistics(connection)
        await connection.execute(A_BUSY_MINUTE)
        await connection.execute(AN_HOUR, stores)
        if (rows := KNOWN[known]) is not None:
            for table in ("issuances", "idempotency_keys"):
                await connection.execute(FOUND, table, float(rows))
        plan = await plan_of(connection, BEAR)
    found = [node for node in nodes(plan) if node.get("Relation Name") in {"issuances", "idempotency_keys"}]
    looked_up = [node for node in found if node["Node Type"] not in {"ModifyTable", "LockRows"}]
    assert {node["Node Type"] for node in looked_up} == {"Index Scan"}
    for node in looked_up:
        told = node.get("Index Cond", "")
        of_one = ("charge_id = " in told, re.search(r"\bid = ", told), " AND (key = " in told)
        assert any(of_one), node


@pytest.mark.parametrize("what", MADE_FROM)
async def test_the_indexes_of_amounts_serve_that_order_alone(database: Database, what: str) -> None:
    """Those of creation begin alike, and the planner takes whichever is shorter."""
    of_one = Asked(((f"{what}_id", None),), {})
    async with trying(database) as connection:
        await planning(connection, "sort")
        for order in CHARGES_BY:
            plan = await plan_of(connection, CHARGES.rows(of_one, order, Bounds(after=True), limit=101))
            used = {node.get("Index Name") for node in nodes(plan)}
            assert (f"ix_charges_amount_of_{what}" in used) is (order.removeprefix("-") == "amount"), order


@pytest.mark.parametrize("what", MADE_FROM)
@pytest.mark.parametrize("moment", ORDERS_THAT_FOLLOW)
async def test_what_follows_creation_is_read_from_two_indexes(database: Database, what: str, moment: str) -> None:
    of_one = Asked(((f"{what}_id", None), ("status", "paid")), {})
    async with trying(database) as connection:
        await planning(connection)
        plan = await plan_of(connection, CHARGES.as_created_rows(of_one, f"-{moment}", limit=100))
    entries = {node["Index Name"] for node in nodes(plan) if node["Node Type"] == "Index Only Scan"}
    assert entries == {f"ix_charges_of_{what}", f"ix_charges_stray_{moment}"}


IN_ORDER = {
    "charges": ((CHARGES, "amount", ("status", "paid")), (CHARGES, "-amount", ("product_id", None))),
    "customers": ((CUSTOMERS, "name", None),),
    "subscriptions": ((SUBSCRIPTIONS, "-updated_at", ("status", "active")), (SUBSCRIPTIONS, "next_billing_at", None)),
}


@pytest.mark.parametrize(("table", "cut"), [*((table, False) for table in IN_ORDER), ("charges", True)])
async def test_a_period_is_read_in_another_order_by_its_ids(database: Database, table: str, cut: bool) -> None:
    async with trying(database) as connection:
        await planning(connection, cut=cut)
        for (listing, order, other), cursor in product(IN_ORDER[table], (False, True)):
            shape = A_PERIOD if other is None else (*A_PERIOD, other)
            plan = await plan_of(connection, listing.period_rows(Asked(shape, {}), order, Bounds(cursor), limit=101))
            read = [node for node in nodes(plan) if node["Node Type"] == "Index Only Scan"]
            used = {node["Index Name"] for node in read}
            column, of = order.removeprefix("-"), "_of_product" if other == ("product_id", None) else ""
            assert used == {f"ix_{table}_{column}{of}", f"ix_{table}_stray_id"}, (order, used)
            for node in read:
                in_order = not node["Index Name"].endswith("stray_id")
                assert ("id >= ANY" in node["Index Cond"]) is in_order
                assert ("created_at >=" in node["Index Cond"]) is not in_order


@pytest.mark.parametrize("order", [order for order in CHARGES_BY if order not in BY_CREATION])
async def test_what_a_filter_beside_a_search_leaves_out_is_passed_by_in_the_index(
    database: Database, order: str
) -> None:
    async with trying(database) as connection:
        await planning(connection)
        column = order.removeprefix("-")
        for one, said in ((("status", "expired"), "status = ANY"), (("amount_min", None), "amount >= ANY")):
            narrowed = CHARGES.narrowing(order, Beside((one,), 300_000, 1_000_000))
            # What bounds the order itself leaves nothing out.
            assert narrowed == (() if one[0] == "amount_min" and column == "amount" else (one,))
            assert CHARGES.narrowing(order, Beside((one,), 30_000, 1_000_000)) == ()
            searched = Asked((one, SEARCHED), {})
            plan = await plan_of(connection, CHARGES.near_rows(searched, order, limit=50, narrowed=narrowed))
            conditions = {node["Index Name"]: node["Index Cond"] for node in nodes(plan) if "Index Cond" in node}
            assert (said in conditions[f"ix_charges_{column}"]) is bool(narrowed)


async def test_parts_of_another_time_are_not_read_for_a_period(database: Database, clock: MovedClock) -> None:
    async with trying(database) as connection:
        await planning(connection, cut=True)
        later = clock.now() + timedelta(days=300)
        statement = CHARGES.period_rows(Asked(A_PERIOD, {}), "amount", limit=101)
        scope = {"user_id": new_id(), "environment": "live", "now": later}
        for since, parts in ((clock.now(), 2), (later, 1)):
            values = scope | {"created_from": since, "created_to": later}
            told = await connection.fetch(f"explain (analyze) {statement.sql}", *statement.arguments(values))
            lines = [line for (line,) in told]
            read = [scan for scan, said in pairwise(lines) if "id >= ANY" in said and "never executed" not in scan]
            assert len(read) == parts


MANY_RECORDS = """
insert into audit_records (id, store_id, actor_type, action, environment, source, created_at)
select uuidv7(-interval '1 hour' * n / 20), '019aa000-0000-7000-8000-0000000000aa', 'user', 'x.y', 'live', 'rest', now() - interval '1 hour' * n / 20
  from generate_series(1, 20000) n;
insert into audit_seals (chain_id, position, record_id, hash)
select store_id, row_number() over (order by id), id, '' from audit_records where store_id = '019aa000-0000-7000-8000-0000000000aa';
analyze audit_records, audit_seals;
"""


async def test_an_export_tells_its_first_record_before_it_has_read_the_last(database: Database) -> None:
    async with trying(database) as connection:
        await connection.execute("set local plan_cache_mode = force_generic_plan")
        await connection.execute(MANY_RECORDS)
        for order in BY_CREATION:
            plan = await plan_of(connection, AUDIT.export(Asked((), {}), order, tuple(AUDIT.names)))
            found = {node["Node Type"] for node in nodes(plan)}
            assert not any("Sort" in kind or "Hash" in kind or "Gather" in kind for kind in found), found


async def test_no_statement_is_translated_to_machine_code(database: Database) -> None:
    async with database.pool.acquire() as connection:
        told = await connection.fetchrow("select setting, source from pg_settings where name = 'jit'")
    assert tuple(told) == ("off", "session"), "a server whose own setting is another must be overruled"


async def test_the_judge_knows_a_whole_reading(database: Database) -> None:
    judged = {}
    async with trying(database) as connection:
        judge = await planning(connection)
        for sql in (
            "select * from charges where amount = 5",
            "select count(*) from mails",
            "select * from charges where id = :id",
        ):
            judged[sql] = judge.read_whole(await plan_of(connection, Statement(text(sql))))
    assert [len(whole) for whole in judged.values()] == [1, 1, 0]
