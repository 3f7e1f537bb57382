"""Searches and filters of the audit trail find what its records say, of tallied ones, younger ones and those that
come late (ADRs 0043, 0047).
"""

import ipaddress
import random
import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from gateway.ids import new_id
from gateway.models.base import Environment
from gateway.models.database import Database, Row
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.audit.inputs import ListAudit
from gateway.resolvers.audit.reading import AUDIT, list_audit
from gateway.resolvers.audit.views import AuditRecordView
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.listing.dictionary import MOST
from gateway.resolvers.listing.sweep import sweep_lists
from tests import sql
from tests.accents import plain
from tests.api import Merchant

pytestmark = pytest.mark.timeout(300)
STEP = 4
ACTIONS = ("charge.created", "charge.paid", "coupon.updated", "api_key.created")
NAMES = (None, "José Souza", "JOSÉ souza", "100% loja", "loja_1", "back\\slash", "charge", "10.0.0.1", "x" * 120)
ADDRESSES = (None, "10.0.0.1", "10.0.0.10", "10.0.1.1", "203.0.113.7", "2001:db8::1", "2001:db8:0:1::1")
RESOURCES = [new_id() for _ in range(3)]
SEARCHES = (
    *("charge", "CREATED", "josé", "JOSÉ S", "%", "_", "\\", "loja", "a", "é", "edlo", "nothing", "charge.", "x" * 119),
    *("10.0.0.1", "10.0.0.", "10.0.", "10.", "203.0.113.7", "203.0.114", "0.0.1", "2001:DB8:", "2001:db8::1", "::1"),
    *(RESOURCES[0], RESOURCES[1].upper(), new_id()),
)
PERIODS: tuple[dict[str, str], ...] = ({}, {"created_from": "2020-01-01"}, {"created_to": "2020-01-01"})
ACTORS = [new_id() for _ in range(2)]
FACETS: dict[str, Sequence[str | None]] = {
    "action": ACTIONS,
    "actor_type": ("user", "user", "api_key"),
    "actor_id": (*ACTORS, None),
    "resource_type": ("coupon", "coupon", None),
    "source": ("rest", "rest", "graphql"),
}
RECORD = """
insert into audit_records (id, store_id, actor_name, resource_id, ip, action, actor_type, actor_id, resource_type, source, environment, created_at)
select uuidv7(), $1, $2, $3, $4, $5, $6, $7, $8, $9, 'test', now() - make_interval(mins => $10)
"""
ROWS = "select * from audit_records where store_id = $1 and environment = 'test'"


@pytest.fixture
def ctx(services: Services, merchant: Merchant) -> Context:
    whose = Actor(Credential.session, Environment.test, merchant.id, merchant.id, "Ana", "Loja")
    return system_context(services, source="rest", request_id="test").acting_as(whose)


async def put(database: Database, store_id: str, chance: random.Random, count: int, ages: tuple[int, ...]) -> None:
    for _ in range(count):
        said = [chance.choice(one) for one in (NAMES, (None, *RESOURCES), ADDRESSES, *FACETS.values(), ages)]
        await sql.run(database, RECORD, store_id, *said)


def finds(q: str, row: Row) -> bool:
    """What docs/lists.md says of a search."""
    if _is_of(uuid.UUID, q):
        return q.lower() in {row["resource_id"], str(row["id"])}
    begun = q.rstrip(".:")
    if ":" in q or ("." in q and all(part.isdigit() for part in begun.split("."))):
        return row["ip"] is not None and str(row["ip"]).startswith(q.lower())
    return any(plain(q) in plain(str(row[name] or "")) for name in ("action", "actor_name"))


def _is_of(kind: Any, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def together(chance: random.Random) -> dict[str, str]:
    """Two filters or more, or a search and one."""
    values = FACETS | {
        "q": ("charge", "José", "JOSE", "loja", "edlo", "10.0.", "10.0.0.1", RESOURCES[0]),
        "resource_id": RESOURCES,
    }
    names = chance.sample([*values], chance.choice((2, 2, 3, 4, 6)))
    return {name: str(chance.choice(values[name]) or ACTORS[0]) for name in names}


async def told_rightly(ctx: Context, chance: random.Random) -> None:
    await list_audit(ctx, ListAudit())  # Which seals what waits.
    rows = await sql.rows(ctx.database, ROWS, ctx.store_id)
    for q in (*SEARCHES, str(rows[0]["id"])):
        for period in PERIODS:
            for sort in ("created_at", "-created_at"):
                draft = {"q": q, "sort": sort, **period}
                ordered = sorted(rows, key=lambda row: (row["created_at"], row["id"]), reverse=sort.startswith("-"))
                none = period.get("created_to") is not None
                await compare(ctx, draft, [] if none else [row["id"] for row in ordered if finds(q, row)])
    for _ in range(25):
        asked, period = together(chance), chance.choice(PERIODS)
        met = [
            row
            for row in sorted(rows, key=lambda row: (row["created_at"], row["id"]))
            if all(finds(value, row) if name == "q" else row[name] == value for name, value in asked.items())
        ]
        found = [] if period.get("created_to") else [row["id"] for row in met]
        for sort, expected in (("created_at", found), ("-created_at", found[::-1])):
            await compare(ctx, {**asked, **period, "sort": sort}, expected)


async def compare(ctx: Context, draft: dict[str, str], expected: list[str]) -> None:
    for number in (1, 2, len(expected) // 3 + 1):
        told = await list_audit(ctx, ListAudit.from_draft({**draft, "page": str(number), "limit": "3"}))
        found = [one.id for one in told.items]
        assert (found, told.total) == (expected[number * 3 - 3 : number * 3], len(expected)), (draft, number)
    whole = await slice_of(ctx, draft, first=50)
    assert [one.id for one in whole] == expected[:50], draft
    if whole:
        middle = len(whole) // 2
        cursor = AUDIT.order(draft["sort"]).cursor(whole[middle])
        after = await slice_of(ctx, draft, first=50, after=cursor)
        assert [one.id for one in after] == expected[middle + 1 :][:50], draft
        assert await slice_of(ctx, draft, last=2, before=cursor) == whole[:middle][-2:], draft


async def slice_of(ctx: Context, draft: dict[str, str], **cut: Any) -> Sequence[AuditRecordView]:
    whole: dict[str, Any] = {"first": None, "after": None, "last": None, "before": None}
    return (await list_audit(ctx, ListAudit.from_draft({**draft, "slice": whole | cut}))).items


@pytest.mark.seeds(1)
async def test_searches_and_filters_find_what_the_records_say(ctx: Context, merchant: Merchant, seed: int) -> None:
    database, chance = ctx.database, random.Random(seed)
    await put(database, merchant.id, chance, 14, (1, 40, 60, 3000))
    await told_rightly(ctx, chance)
    for _ in range(2):
        await sweep_lists(ctx, step=STEP)
        await put(database, merchant.id, chance, 9, (1, 40, 60, 3000))
        await told_rightly(ctx, chance)
    for name in ("facets", "facets/stretch", "ip"):
        told = "select count(*) from {} where kind = 'audit_records' and name = $1"
        assert await sql.value(database, told.format("list_tallies"), name) > 0, "there was no tally to be right about"
        assert await sql.value(database, told.format("list_tally_entries"), name) > 0, "nothing came late"


async def test_more_addresses_than_are_looked_up_are_read_as_they_were_created(
    ctx: Context, merchant: Merchant
) -> None:
    many = """
    insert into audit_records (id, store_id, actor_type, action, environment, source, ip, created_at)
    select uuidv7(), $1, 'public', 'charge.created', 'test', 'checkout', '10.' || n / 200 || '.' || n % 200 || '.1', now() - make_interval(mins => 40 + n)
      from generate_series(1, $2::integer) n
    """
    await sql.run(ctx.database, many, merchant.id, MOST + 1200)
    await sweep_lists(ctx)
    rows = await sql.rows(ctx.database, ROWS, merchant.id)
    for q in ("10.", "10.1.", "10.1.1"):
        for sort in ("created_at", "-created_at"):
            ordered = sorted(rows, key=lambda row: (row["created_at"], row["id"]), reverse=sort.startswith("-"))
            await compare(ctx, {"q": q, "sort": sort}, [row["id"] for row in ordered if finds(q, row)])


async def test_a_search_and_other_filters_hold_together(ctx: Context, merchant: Merchant) -> None:
    await put(ctx.database, merchant.id, random.Random(7), 30, (40, 60))
    await sweep_lists(ctx, step=STEP)
    rows = await sql.rows(ctx.database, ROWS, merchant.id)
    for q in SEARCHES:
        expected = {row["id"] for row in rows if finds(q, row) and row["action"] == "charge.paid"}
        told = await list_audit(ctx, ListAudit.from_draft({"q": q, "action": "charge.paid", "limit": "50"}))
        assert ({one.id for one in told.items}, told.total) == (expected, len(expected)), q


def test_what_is_typed_has_one_form() -> None:
    def form(q: str) -> str | None:
        return AUDIT.asked(ListAudit.from_draft({"q": q})).shape[0][1]

    for address in ("10.0.0.1", "2001:db8::1", "::1", "fe80:0:0:0:0:0:0:1"):
        assert ipaddress.ip_address(address)
        assert form(address) == "address"
    assert [form(q) for q in ("203.0.113", "10.", "2001:", "::")] == ["address"] * 4
    assert [form(q) for q in ("10", "1.5%", "charge.paid", "dead.beef", "a: b", "1234.1", "Loja 10.0")] == ["text"] * 7
    assert [form(q) for q in (RESOURCES[0], RESOURCES[0].upper())] == ["id"] * 2
    assert form(RESOURCES[0][:20]) == "text"
