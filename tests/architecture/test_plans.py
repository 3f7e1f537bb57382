"""No statement scans a growing table: the plan of every statement is checked by `explain`.

Sequential scans are disabled, so a plan that has one, or an index scan without a condition, has no index to use.
"""

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import text

import gateway.resolvers
from gateway.models.database import Database, Statement
from gateway.resolvers.core.store_rows import StoreRows
from gateway.resolvers.subscriptions.due import ScopedStatement
from tests.explain import forget_statistics, nodes, plan_of

GROWING = {
    "audit_records",
    "audit_chain",
    "charge_reconciliations",
    "charges",
    "customers",
    "emails",
    "engine_notifications",
    "idempotency_keys",
    "simulator_charges",
    "subscriptions",
    "users",
    "webhook_attempts",
    "webhook_deliveries",
    "webhook_events",
}
WAITING = {
    "ix_charges_expiry",
    "ix_engine_notifications_waiting",
    "ix_emails_waiting",
    "ix_webhook_deliveries_due",
    "ix_webhook_deliveries_fresh",
    "ix_webhook_deliveries_leased",
}
"""Indexes over what waits, and over nothing else: they are as long as the work that there is."""
ALLOWED = {
    "audit.verify_chain.RECENT": "the doctor's",
    "audit.verify_chain.CHAIN_HEADS": "the doctor's, of every chain",
    "email.preview.NEWEST": "the inbox of `gateway dev`",
    "reconciliation.queue.RUN_NOW": "an operator has all charges checked now",
    "reconciliation.runner.RUN_NOW": "the same",
    "webhooks.failure_alerts.NOTIFY_EXHAUSTED": "from endpoints that have failed to what they exhausted, or the other way",
    "webhooks.endpoint_maintenance.DELETE_LOGS": "from deleted endpoints to their deliveries, or the other way where there are none",
    "webhooks.endpoint_maintenance.DISABLE_FAILING": "from failing endpoints to what they exhausted, or the other way",
}
READS = re.compile(r"\s*(select|insert|update|delete|with)\b", re.IGNORECASE)


def statements() -> Iterator[tuple[str, Statement]]:
    """Every statement that a module of the slots has made, by its module and name."""
    for module in pkgutil.walk_packages(gateway.resolvers.__path__, "gateway.resolvers."):
        for name, value in vars(importlib.import_module(module.name)).items():
            label = f"{module.name.removeprefix('gateway.resolvers.')}.{name}"
            if isinstance(value, Statement):
                yield label, value
            elif isinstance(value, StoreRows):
                yield from ((f"{label}.by_id", value.by_id), (f"{label}.by_ids", value.by_ids))
            elif isinstance(value, ScopedStatement):
                yield from ((f"{label}/{form}", one) for form, one in (("all", value._all), ("one", value._one)))
            elif isinstance(value, dict):
                yield from ((f"{label}/{n}", one) for n, one in enumerate(value.values()) if isinstance(one, Statement))


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


class PlanChecker:
    """Finds full scans in a plan. An index serves a condition on its first column only.

    For empty tables, the planner chooses any index, so it is enough that a suitable one exists.
    """

    def __init__(self, indexes: Iterable[Mapping[str, str]]) -> None:
        self._first = {index["name"]: index["first"] for index in indexes}
        self._firsts = defaultdict[str, set[str]](set)
        for index in indexes:
            self._firsts[index["table"]].add(index["first"])

    @classmethod
    async def of(cls, connection: Any) -> "PlanChecker":
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


async def planning(connection: Any, *without: str) -> PlanChecker:
    """Of tables as small as here, the planner thinks that anything will do: what counts is what an index can serve."""
    await connection.execute("set local plan_cache_mode = force_generic_plan")
    await forget_statistics(connection)
    # Emptied tables keep the pages of their indexes, of which the planner would take the shortest.
    await connection.execute("truncate charges cascade")
    # Trigrams are only read by a bitmap, so it is forbidden no more than a sequential scan, and that costs more.
    await connection.execute("set local seq_page_cost = 1000000")
    for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", *without):
        await connection.execute(f"set local enable_{way} = off")
    return await PlanChecker.of(connection)


async def test_no_statement_reads_a_growing_table_from_end_to_end(database: Database) -> None:
    found = {}
    async with trying(database) as connection:
        checker = await planning(connection)
        for name, statement in statements():
            if name.partition("/")[0] not in ALLOWED and READS.match(statement.sql):
                found[name] = checker.read_whole(await plan_of(connection, statement))
    assert len(found) > 200
    assert {name: whole for name, whole in found.items() if whole} == {}


@pytest.mark.parametrize("name", ["jit", "enable_seqscan"])
async def test_a_server_whose_own_setting_is_another_is_overruled(database: Database, name: str) -> None:
    async with database.pool.acquire() as connection:
        setting = await connection.fetchrow("select setting, source from pg_settings where name = $1", name)
    assert tuple(setting) == ("off", "session")


async def test_the_checker_finds_full_scans(database: Database) -> None:
    scans = {}
    async with trying(database) as connection:
        checker = await planning(connection)
        for sql in (
            "select * from charges where amount = 5",
            "select count(*) from emails",
            "select * from charges where id = :id",
        ):
            scans[sql] = checker.read_whole(await plan_of(connection, Statement(text(sql))))
    assert [len(whole) for whole in scans.values()] == [1, 1, 0]
