"""The audit hash chain: every record is chained, and no chained record can be changed unnoticed."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from gateway.doctor.audit import check_audit_trail, format_anchors
from gateway.models.audit import NO_STORE
from gateway.models.database import Database
from gateway.resolvers.audit.chain import FIELDS, hash_of
from gateway.resolvers.audit.hash_chain_writer import chain_records, extend_chain
from gateway.resolvers.audit.verify_chain import anchors, verify
from gateway.resolvers.core.context import Services, system_context
from gateway.settings import Settings
from gateway.values.ids import new_id
from tests import sql
from tests.api_client import Api, Merchant

INSERT = """insert into audit_pending (record_id, store_id, actor_type, action, source, environment, created_at)
            values ($1, $2, 'system', $3, 'job', 'test', now())"""
PAST = INSERT.replace("audit_pending (record_id", "audit_records (id")
VECTOR: dict[str, Any] = {
    "id": "019aa000-0000-7000-8000-000000000001",
    "store_id": "019aa000-0000-7000-8000-0000000000aa",
    "actor_type": "user",
    "actor_id": "019aa000-0000-7000-8000-0000000000aa",
    "actor_name": "José Lojista",
    "action": "coupon.updated",
    "resource_type": "coupon",
    "resource_id": "019aa000-0000-7000-8000-0000000000cc",
    "environment": "live",
    "source": "rest",
    "ip": "203.0.113.7",
    "user_agent": None,
    "request_id": "req-0001",
    "changes": {"max_uses": {"to": 20, "from": None}, "discount_value": {"from": 7.5, "to": 10}},
    "created_at": datetime(2026, 11, 22, 12, 30, 0, 250000, tzinfo=UTC),
}


async def record(database: Database, store: str | None, action: str = "thing.done") -> str:
    made: str = new_id()
    await sql.run(database, INSERT, made, store, action)
    return made


async def tampered(database: Database, statement: str, *values: Any) -> None:
    """Run a statement with triggers disabled, as a superuser could."""
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(statement, *values)


def test_a_hash_is_the_one_of_the_documentation() -> None:
    """Compared with a computation by hand and with docs/audit.md."""
    first = hash_of(None, 1, VECTOR)
    words = [
        *("", "1", VECTOR["id"], VECTOR["store_id"], "user", VECTOR["store_id"], "José Lojista", "coupon.updated"),
        *("coupon", VECTOR["resource_id"], "live", "rest", "203.0.113.7", "", "req-0001"),
        '{"discount_value":{"from":7.5,"to":10},"max_uses":{"from":null,"to":20}}',
        "2026-11-22T12:30:00.250000+00:00",
    ]
    assert len(words) == 2 + len(FIELDS)
    assert first == sha256(b"".join(b"%d:%b," % (len(w.encode()), w.encode()) for w in words)).digest()
    page = (Path(__file__).parents[3] / "docs" / "audit.md").read_text()
    assert first.hex() in page
    assert hash_of(first, 2, VECTOR).hex() in page


async def test_the_database_refuses_changes_of_the_trail(merchant: Merchant, database: Database) -> None:
    await chain_records(database)
    before = await sql.value(database, "select md5(string_agg(r::text, '' order by id)) from audit_records r")
    for table in ("audit_records", "audit_chain"):
        for attempt in (
            f"update {table} set id = id" if table == "audit_records" else f"update {table} set position = 9",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await sql.run(database, attempt)
        for attempt in (f"delete from {table}", f"truncate {table}", f"truncate {table} cascade"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await sql.run(database, attempt)
    assert await sql.value(database, "select md5(string_agg(r::text, '' order by id)) from audit_records r") == before


async def test_each_store_has_a_chain_and_records_without_a_store_have_one(
    database: Database, services: Services
) -> None:
    stores: list[str | None] = [new_id(), new_id(), None]
    made = {store: [await record(database, store) for _ in range(7)] for store in stores}
    assert await chain_records(database, batch=4) == 21
    for store, ids in made.items():
        chain = await sql.rows(
            database, "select * from audit_chain where chain_id = $1 order by position", store or NO_STORE
        )
        assert [entry["position"] for entry in chain] == [1, 2, 3, 4, 5, 6, 7]
        assert [entry["record_id"] for entry in chain] == sorted(ids)
        assert [entry["prev_hash"] for entry in chain] == [None, *(entry["hash"] for entry in chain[:-1])]
    assert await sql.value(database, "select count(*) from audit_pending") == 0
    await extend_chain(system_context(services, source="job", request_id="a job"))
    assert await chain_records(database) == 0
    assert (await verify(database, page=4)).error is None


async def test_a_record_that_commits_late_is_chained_late_and_not_missed(database: Database) -> None:
    store = new_id()
    async with database.pool.acquire() as slow:
        transaction = slow.transaction()
        await transaction.start()
        early = new_id()
        await slow.execute(INSERT, early, store, "thing.begun")
        late = await record(database, store)
        assert await chain_records(database) == 1
        await transaction.commit()
    assert await chain_records(database) == 1
    chain = await sql.rows(database, "select record_id from audit_chain where chain_id = $1 order by position", store)
    assert [row["record_id"] for row in chain] == [late, early]
    assert (await verify(database)).error is None


async def test_records_of_other_software_are_chained(database: Database) -> None:
    """With statements of several inserts into several chains, and a statement that inserts none."""
    stores, made = [new_id(), new_id(), None] * 2, [new_id() for _ in range(6)]
    each = PAST.replace("values ($1, $2, 'system', $3", "select r, s, 'system', 'thing.done'").replace(
        "now())", "now()"
    )
    insert = f"{each} from unnest($1::uuid[], $2::uuid[]) with ordinality as g (r, s, n) where n"
    act = f"with a as ({insert} <= 2), b as ({insert} between 3 and 5) {insert} = 6"
    await sql.run(database, act, made, stores)
    await sql.run(database, f"{insert} > 6", made, stores)
    queued = await sql.rows(database, "select chain_id, record_id from audit_pending order by record_id")
    assert [tuple(row) for row in queued] == [(store or NO_STORE, one) for store, one in zip(stores, made, strict=True)]
    assert await sql.value(database, "select count(*) from audit_trail") == 6
    assert await chain_records(database) == 6
    assert (await verify(database)).error is None


async def test_a_pending_record_moves_to_the_trail_unchanged(database: Database) -> None:
    waiting, copied = await record(database, None), await record(database, None)
    await tampered(database, PAST.replace("$3", "'thing.undone'"), copied, None)
    for attempt in (
        "delete from audit_pending where record_id = $1",
        "update audit_pending set ip = null where record_id = $1",
        "truncate audit_pending",
    ):
        for one in (waiting, copied):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await sql.run(database, attempt, *([one] if "$1" in attempt else []))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await chain_records(database)  # The record that differs in the trail blocks the batch.
    await tampered(database, "delete from audit_records where id = $1", copied)
    assert await chain_records(database) == 2
    assert await sql.value(database, "select count(*) from audit_pending") == 0


async def test_concurrent_writers_chain_each_record_once(database: Database) -> None:
    stores = [new_id() for _ in range(3)]
    for _ in range(20):
        for store in stores:
            await record(database, store)
    counts = await asyncio.gather(*(chain_records(database, batch=7) for _ in range(6)))
    assert sum(counts) == 60
    assert await sql.value(database, "select count(*) from audit_chain") == 60
    verification = await verify(database, page=11)
    assert (verification.entries, verification.error) == (60, None)


Tampering = Callable[[Database, list[str]], Awaitable[str]]


async def change_a_byte(database: Database, ids: list[str]) -> str:
    await tampered(database, "update audit_records set ip = '10.0.0.2' where id = $1", ids[2])
    return f"record {ids[2]} of chain .* was changed"


async def change_a_value(database: Database, ids: list[str]) -> str:
    await tampered(
        database, """update audit_records set changes = '{"a": {"from": 1, "to": 3}}' where id = $1""", ids[2]
    )
    return f"record {ids[2]} of chain .* was changed"


async def delete_a_record(database: Database, ids: list[str]) -> str:
    await tampered(database, "delete from audit_records where id = $1", ids[3])
    return f"record {ids[3]} of chain .* is gone"


async def delete_a_record_and_its_chain_entry(database: Database, ids: list[str]) -> str:
    await tampered(database, "delete from audit_records where id = $1", ids[3])
    await tampered(database, "delete from audit_chain where record_id = $1", ids[3])
    return f"record {ids[4]} of chain .* follows a record that is gone"


async def swap_two_records(database: Database, ids: list[str]) -> str:
    aside = new_id()
    for here, there in ((ids[1], aside), (ids[2], ids[1]), (aside, ids[2])):
        await tampered(database, "update audit_chain set record_id = $2 where record_id = $1", here, there)
    return f"record {ids[1]} of chain .* was changed"


async def swap_two_positions(database: Database, ids: list[str]) -> str:
    for here, there in ((2, 99), (3, 2), (99, 3)):
        await tampered(database, "update audit_chain set position = $2 where position = $1", here, there)
    return f"record {ids[1]} of chain .* was changed"


async def delete_a_chain_entry(database: Database, ids: list[str]) -> str:
    await tampered(database, "delete from audit_chain where record_id = $1", ids[5])
    return f"record {ids[5]} of chain .* is neither chained nor pending"


async def slip_a_record_in(database: Database, ids: list[str]) -> str:
    slipped = ids[2][:-1] + ("0" if ids[2][-1] != "0" else "1")
    await tampered(database, PAST, slipped, new_id(), "thing.invented")
    return f"record {slipped} of chain .* is neither chained nor pending"


async def move_to_another_store(database: Database, ids: list[str]) -> str:
    await tampered(database, "update audit_chain set chain_id = $2 where record_id = $1", ids[5], new_id())
    return f"record {ids[5]} of chain .* is in another store's chain"


async def rehash_one_record(database: Database, ids: list[str]) -> str:
    await tampered(database, "update audit_records set ip = '10.0.0.2' where id = $1", ids[2])
    changed = await sql.row(
        database, "select * from audit_records r join audit_chain s on s.record_id = r.id where r.id = $1", ids[2]
    )
    assert changed is not None
    made = hash_of(changed["prev_hash"], changed["position"], changed)
    await tampered(database, "update audit_chain set hash = $2 where record_id = $1", ids[2], made)
    return f"record {ids[3]} of chain .* doesn't follow the record before it"


@pytest.mark.parametrize(
    "tamper",
    [
        change_a_byte,
        change_a_value,
        delete_a_record,
        delete_a_record_and_its_chain_entry,
        swap_two_records,
        swap_two_positions,
        delete_a_chain_entry,
        slip_a_record_in,
        move_to_another_store,
        rehash_one_record,
    ],
)
async def test_the_doctor_names_the_first_record_that_was_tampered_with(
    database: Database, settings: Settings, tamper: Tampering
) -> None:
    store = new_id()
    ids = [await record(database, store) for _ in range(6)]
    assert await findings_of(settings) == ["ok 6 records verified, every link holds"]
    expected = await tamper(database, ids)
    [finding] = await findings_of(settings)
    assert re.match(f"error {expected}", finding), finding
    assert await findings_of(settings, whole=True) == [finding]


async def findings_of(settings: Settings, *options: Path, whole: bool = False) -> list[str]:
    """The doctor's findings, except that the tests' role is a superuser."""
    found = [finding async for finding in check_audit_trail(settings, *options, whole=whole)]
    return [f"{each.severity} {each.text}" for each in found if "superuser" not in each.text]


async def test_the_doctor_chains_pending_records_and_warns_of_a_missing_worker(
    database: Database, settings: Settings, merchant: Merchant
) -> None:
    assert await findings_of(settings) == ["ok 2 records verified, every link holds"]
    an_hour_ago = await sql.value(database, "select uuidv7(interval '-1 hour')")
    await sql.run(database, INSERT, str(an_hour_ago), merchant.id, "thing.done")
    healthy, late = await findings_of(settings)
    assert healthy == "ok 3 records verified, every link holds"
    assert late.startswith("warning records had waited ")
    assert await sql.value(database, "select count(*) from audit_pending") == 0


async def test_anchors_detect_a_rewritten_chain(
    api: Api, merchant: Merchant, database: Database, settings: Settings, tmp_path: Path
) -> None:
    await record(database, None)
    stored = await anchors(database)
    assert [anchor.chain_id for anchor in stored] == [NO_STORE, merchant.id]
    path = tmp_path / "anchors.txt"
    path.write_text("\n".join(format_anchors(stored)))
    await merchant.issue()
    assert (await findings_of(settings, path))[-1] == f"ok holds all 2 anchors of {path}"
    # The chain is rewritten with valid links: only anchors outside of the database reveal it.
    await tampered(database, "update audit_records set actor_name = 'Outra' where store_id = $1", merchant.id)
    await tampered(
        database,
        """insert into audit_pending (record_id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment,
                  source, ip, user_agent, request_id, changes, created_at)
           select id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent,
                  request_id, changes, created_at
             from audit_records where store_id = $1""",
        merchant.id,
    )
    await tampered(database, "delete from audit_chain where chain_id = $1", merchant.id)
    holds, broken = await findings_of(settings, path)
    assert holds.startswith("ok ")
    assert broken == f"error chain {merchant.id} was rewritten: position {stored[1].position} has another hash"
    path.write_text("no anchors")
    assert "is no list of anchors" in (await findings_of(settings, path))[-1]
