"""Totals of filters and pages deep in an order are those of the rows, whatever comes
late, changes or goes (ADR 0041).
"""

import asyncio
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any, TypeAlias

import pytest

from gateway.ids import new_id
from gateway.models.base import Environment
from gateway.models.database import Database, Row, Shapes
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.audit.inputs import ListAudit
from gateway.resolvers.audit.reading import list_audit
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES, list_charges
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.customers.inputs import ListCustomers
from gateway.resolvers.customers.reading import list_customers
from gateway.resolvers.listing.groups import BY_DAY, by_digits
from gateway.resolvers.listing.sweep import MILESTONES, sweep_lists
from gateway.resolvers.listing.windows import scope_of
from gateway.resolvers.views import Page
from tests import sql
from tests.api import Merchant
from tests.moved_clock import MovedClock
from tests.rows import place_in_order, put_charges, put_customers

pytestmark = pytest.mark.timeout(300)
Asked: TypeAlias = tuple[dict[str, str], Callable[[Row], bool]]
"""Filters as a caller sends them, and which rows they mean."""
STEP = 4
AMOUNTS = (1, 99, 500, 999, 1000, 4990, 4990, 4100, 4260, 4990, 4995, 4999, 5000, 12345, 12399, 12400, 999999999)
IDS = [new_id() for _ in range(3)]
REFERENCES = ("product_id", "coupon_id", "payment_link_id")
LOCKED = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
TALLIED = "select count(*) from list_tallies"
ORDERS = [
    f"{way}{name}" for name in ("created_at", "amount", "paid_at", "updated_at", "expires_at") for way in ("", "-")
]
FIRST, LAST = datetime(1950, 1, 1, tzinfo=UTC), datetime(8000, 1, 1, tzinfo=UTC)
PAID = "update charges set status = 'paid', paid_at = $1, updated_at = $1 where id = $2 and status = 'pending'"


@pytest.fixture
def ctx(services: Services, merchant: Merchant) -> Context:
    whose = Actor(Credential.session, Environment.test, merchant.id, merchant.id, "Ana", "Loja")
    return system_context(services, source="rest", request_id="test").acting_as(whose)


@pytest.fixture(scope="module", autouse=True)
def _every_statement_is_kept() -> Iterator[None]:
    """More forms of questions are asked here than a process keeps, and to write them again is most of the work."""
    shapes = [one for one in vars(CHARGES).values() if isinstance(one, Shapes)]
    limits = [one.limit for one in shapes]
    for one in shapes:
        one.limit = 10_000
    yield
    for one, limit in zip(shapes, limits, strict=True):
        one.limit = limit


def charge(chance: random.Random, now: datetime) -> dict[str, Any]:
    # Few moments and amounts, so that some tie; some rows too young for a milestone, some of another day.
    at = now - timedelta(days=chance.choice((0, 0, 1, 3)), minutes=chance.choice((1, 20, 40, 50, 60)))
    later = min(now, at + timedelta(minutes=chance.choice((0, 5, 700, 1440))))
    status = chance.choice(("paid", "paid", "refunded", "pending", "canceled", "expired"))
    paid = {"status": status} | ({"paid_at": later} if status in {"paid", "refunded"} else {})
    of = {name: chance.choice((None, *IDS)) for name in REFERENCES}
    expires = {"expires_at": now + timedelta(days=chance.choice((-1, 1)))}
    return {"created_at": at, "amount": chance.choice(AMOUNTS)} | paid | of | expires


def reais(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02d}"


def questions(chance: random.Random, rows: list[Row]) -> Iterator[Asked]:
    """The filters of which totals are tallied, each alone."""
    for name in REFERENCES:
        for one in IDS:
            yield {name: one}, of_reference(name, one)
    for status in ("paid", "canceled", "refunded", "pending", "expired"):
        yield {"status": status}, lambda row, status=status: shown(row) == status  # type: ignore[misc]  # A lambda whose parameter mypy can't infer.
    ages = [row["created_at"] for row in rows]
    for low, high in (chance.choices(ages, k=2) for _ in range(3)):
        yield {"created_from": low.isoformat()}, of_age(low, LAST)
        yield {"created_to": high.isoformat()}, of_age(FIRST, high)
        yield {"created_from": low.isoformat(), "created_to": high.isoformat()}, of_age(low, high)
    amounts = (*AMOUNTS, 0, 4270, 4991, 5001, 12300, 1_000_000)
    for low, high in (chance.choices(amounts, k=2) for _ in range(6)):
        yield {"amount_min": reais(low)}, of_amount(low, AMOUNTS[-1])
        yield {"amount_max": reais(high)}, of_amount(0, high)
        yield {"amount_min": reais(low), "amount_max": reais(high)}, of_amount(low, high)
    moments = [row["paid_at"] for row in rows if row["paid_at"]] or [rows[0]["created_at"]]
    for _ in range(6):
        low, high = (one + timedelta(microseconds=chance.choice((-1, 0, 1))) for one in chance.choices(moments, k=2))
        if chance.random() < 0.5:
            low, high = (datetime.combine(one.astimezone(UTC), datetime.min.time(), UTC) for one in (low, high))
        yield {"paid_from": low.isoformat()}, paid(low, LAST)
        yield {"paid_to": high.isoformat()}, paid(FIRST, high)
        yield {"paid_from": low.isoformat(), "paid_to": high.isoformat()}, paid(low, high)


def shown(row: Row) -> str:
    overdue = row["status"] == "pending" and row["expires_at"] <= datetime.now(UTC)
    return "expired" if overdue else str(row["status"])


def of_reference(name: str, one: str) -> Callable[[Row], bool]:
    return lambda row: row[name] == one


def of_age(low: datetime, high: datetime) -> Callable[[Row], bool]:
    return lambda row: low <= row["created_at"] <= high


def of_amount(low: int, high: int) -> Callable[[Row], bool]:
    return lambda row: low <= row["amount"] <= high


def paid(low: datetime, high: datetime) -> Callable[[Row], bool]:
    return lambda row: row["paid_at"] is not None and low <= row["paid_at"] <= high


async def page(ctx: Context, **draft: str) -> Page[Any]:
    return await list_charges(ctx, ListCharges.from_draft(draft))


def together(chance: random.Random, rows: list[Row], asked: Sequence[Asked]) -> Iterator[Asked]:
    """Some filters alone, of a period of creation, and with another one."""
    for draft, meant in chance.sample(asked, k=15):
        yield draft, meant
        period, other = a_period(chance, rows), chance.choice(asked)
        for more in ((period,), (other,), (period, other)):
            names = [name for one, _ in ((draft, meant), *more) for name in one]
            if len(names) == len({*names}):
                yield both((draft, meant), *more)


def a_period(chance: random.Random, rows: list[Row]) -> Asked:
    """Between the moments of two rows, or beside them, or from one on, or up to one."""
    ages = [row["created_at"] for row in rows]
    low, high = (one + timedelta(microseconds=chance.choice((-1, 0, 1))) for one in chance.choices(ages, k=2))
    since = {"created_from": low.isoformat()} if chance.random() < 0.7 else {}
    until = {"created_to": high.isoformat()} if not since or chance.random() < 0.7 else {}
    return since | until, of_age(low if since else FIRST, high if until else LAST)


def pairs(asked: Sequence[Asked]) -> Iterator[Asked]:
    """A status and another filter: what is tallied as pairs."""
    for one in asked:
        for other in asked:
            if "status" in one[0] and "status" not in other[0]:
                yield both(one, other)


def both(*asked: Asked) -> Asked:
    draft = {name: value for one, _ in asked for name, value in one.items()}
    return draft, lambda row: all(meant(row) for _, meant in asked)


async def compare(ctx: Context, chance: random.Random, orders: Sequence[str]) -> None:
    """Totals and pages, of filters and in the orders of which it is known where a page begins, with what the table
    says. What filters find is asked for in these `orders`: each makes another statement of each question, and to write
    statements is most of the work.
    """
    rows = await sql.rows(ctx.database, "select * from charges")
    asked = list(questions(chance, rows))
    for pair in chance.sample(list(pairs(asked)), k=25):
        draft, meant = (
            pair if "created_" in str(pair[0]) or chance.random() < 0.5 else both(pair, a_period(chance, rows))
        )
        found = [row for row in rows if meant(row)]
        assert (await page(ctx, **draft, limit="1")).total == len(found), draft
        await compare_about(ctx, found, draft)
        await compare_deep_pages(ctx, found, chance.choice(("created_at", "-created_at")), draft)
        await compare_deep_pages(ctx, found, chance.choice(orders), draft)
    for draft, meant in together(chance, rows, asked):
        found = [row for row in rows if meant(row)]
        told = await page(ctx, **draft, limit="1")
        assert told.total == len(found), draft
        await compare_pages(ctx, found, chance.choice(orders), draft)
        await compare_slices(ctx, found, chance.choice(orders), draft)
        await compare_deep_pages(ctx, found, chance.choice(("created_at", "-created_at")), draft)
    for sort in ORDERS:
        await compare_pages(ctx, rows, sort, {})


async def compare_about(ctx: Context, rows: list[Row], draft: dict[str, str]) -> None:
    """What is told of a period is all, or less if that is enough to know."""
    asked = CHARGES.asked(ListCharges.from_draft(draft))
    if CHARGES.tells_total(asked):
        for enough in (0, 2, len(rows)):
            told = await ctx.database.value(CHARGES.about(asked, enough=enough), **asked.values, **scope_of(ctx))
            assert told == len(rows) or enough < told < len(rows), (enough, draft)


async def compare_pages(ctx: Context, rows: list[Row], sort: str, draft: dict[str, str]) -> None:
    name = sort.removeprefix("-")
    ordered = sorted(rows, key=lambda row: place_in_order(row, name), reverse=sort.startswith("-"))
    for number in range(1, len(rows) // 3 + 3):
        told = await page(ctx, sort=sort, page=str(number), limit="3", **draft)
        expected = [row["id"] for row in ordered[(number - 1) * 3 : number * 3]]
        assert ([one.id for one in told.items], told.total) == (expected, len(rows)), (sort, number, draft)


async def compare_slices(ctx: Context, rows: list[Row], sort: str, draft: dict[str, str]) -> None:
    order, name, found = CHARGES.order(sort), sort.removeprefix("-"), []
    cut: dict[str, Any] = {"first": 4, "after": None, "last": None, "before": None}
    while len(found) <= len(rows):
        told = await list_charges(ctx, ListCharges.from_draft({**draft, "sort": sort, "slice": cut}))
        found += [one.id for one in told.items]
        if not told.has_next:
            break
        cut = cut | {"after": order.cursor(told.items[-1])}
    ordered = sorted(rows, key=lambda row: place_in_order(row, name), reverse=sort.startswith("-"))
    assert found == [row["id"] for row in ordered], (sort, draft)


async def compare_deep_pages(ctx: Context, rows: list[Row], sort: str, draft: dict[str, str]) -> None:
    """Also those that are read deep only if there is more to find than a test has."""
    asked, name = CHARGES.asked(ListCharges.from_draft(draft)), sort.removeprefix("-")
    if not CHARGES.tells_total(asked):
        assert "pending" in draft.values() or len(draft) > 1, draft
    assert CHARGES.begins_deep(asked, sort, total=10**6) == is_told_deep(draft, name, CHARGES.tells_total(asked))
    if not CHARGES.begins_deep(asked, sort, total=10**6):
        return
    read = CHARGES.deep_rows(asked, sort, limit=3, counted=CHARGES.tells_total(asked))
    ordered = sorted(rows, key=lambda row: place_in_order(row, name), reverse=sort.startswith("-"))
    for offset in range(len(rows) % 2, len(rows) + 3, 2):
        told = await ctx.database.all(read, **asked.values, **scope_of(ctx), limit=3, offset=offset)
        assert [row["id"] for row in told] == [row["id"] for row in ordered[offset : offset + 3]], (sort, offset, draft)


def is_told_deep(draft: dict[str, str], order: str, has_total: bool) -> bool:
    """In the order of creation what has a total; in that of a column what is found between its bounds, and of those
    with bounds a status that lasts.
    """
    if order == "created_at":
        return has_total
    status, others = draft.get("status"), {*draft} - {"status"}
    bounds = {"amount": {"amount_min", "amount_max"}, "paid_at": {"paid_from", "paid_to"}}.get(order, set())
    return others <= bounds and (status is None or (status in {"paid", "canceled", "refunded"} and bool(bounds)))


async def set_milestones_alone(ctx: Context) -> None:
    """As a worker of the version before does, which knows of no tallies."""
    of_charges = next(task for task in MILESTONES if task.list_.tallied)
    sizes = {"step": STEP, "stretch": 2}
    for whose in await ctx.database.all(of_charges.ready, **sizes):
        while await ctx.database.value(of_charges.act, **whose, **sizes):
            continue


@pytest.mark.seeds(3)
async def test_what_is_told_is_what_the_rows_are_whatever_happens_to_them(
    ctx: Context, merchant: Merchant, clock: MovedClock, seed: int
) -> None:
    chance, database = random.Random(seed), ctx.database
    orders = [ORDERS[(3 * seed + nth) % len(ORDERS)] for nth in range(3)]
    for _ in range(2):
        made = [charge(chance, clock.now()) for _ in range(chance.randint(12, 24))]
        ids = await put_charges(database, merchant.id, made, now=clock.now())
        await compare(ctx, chance, orders)
        await set_milestones_alone(ctx)
        await sql.run(database, PAID, clock.now(), ids[0])
        await compare(ctx, chance, orders)
        await sweep_lists(ctx, step=STEP, stretch=2)
        assert await sql.value(database, "select count(*) from list_milestones where not tallied") == 0
        assert await sql.value(database, "select count(*) from list_tally_entries") == 0
        await compare(ctx, chance, orders)
        for row_id in ids[1:5]:
            await sql.run(database, PAID, clock.now(), row_id)
        await sql.run(database, "update charges set amount = 4991, product_id = null where id = $1", ids[5])
        await sql.run(database, "delete from charges where id = $1 and status = 'pending'", ids[6])
        await compare(ctx, chance, orders)
    assert await sql.value(database, TALLIED) > 0, "there was no tally to be right about"


async def test_what_is_found_often_is_the_same_when_it_is_looked_for_near(
    ctx: Context, merchant: Merchant, clock: MovedClock
) -> None:
    old, limit = clock.now() - timedelta(hours=2), 2
    made = [{"amount": 5000 if n % 5 else 900, "created_at": old + timedelta(seconds=n // 2)} for n in range(600)]
    await put_charges(ctx.database, merchant.id, made, now=clock.now())
    await sweep_lists(ctx, step=100)
    rows = await sql.rows(ctx.database, "select id from charges where amount > 900 order by created_at desc, id desc")
    assert CHARGES.looks_near(CHARGES.asked(ListCharges.from_draft({"amount_min": "10"})), "-created_at", 4, len(rows))
    for number in (1, 2, 3, 200, 240, 241):
        told = await page(ctx, amount_min="10", page=str(number), limit=str(limit))
        expected = [row["id"] for row in rows[(number - 1) * limit : number * limit]]
        assert ([one.id for one in told.items], told.total) == (expected, len(rows)), number


async def test_a_late_payment_is_tallied_by_its_trigger_or_by_the_sweep(
    ctx: Context, merchant: Merchant, clock: MovedClock
) -> None:
    database = ctx.database
    old = {"created_at": clock.now() - timedelta(hours=2)}
    ids = await put_charges(database, merchant.id, [old] * STEP, now=clock.now())

    async def payments() -> int | None:
        return (await page(ctx, paid_from="2001-01-01", limit="1")).total

    async with database.transaction() as transaction:
        await transaction.connection.execute(PAID, clock.now(), ids[0])
        sweeping = asyncio.create_task(sweep_lists(ctx, step=STEP))
        while not await sql.value(database, LOCKED):  # A lock announces nobody who waits.
            assert not sweeping.done()
            await asyncio.sleep(0.01)
    await sweeping
    assert (await payments(), await sql.value(database, "select count(*) from list_tally_entries")) == (1, 0)
    await sql.run(database, PAID, clock.now(), ids[1])
    told = await sql.rows(
        database, "select name, value, rows from list_tally_entries where name <> 'updated_at' order by name, value"
    )
    day = clock.now().astimezone(UTC).date().isoformat()
    assert [tuple(row) for row in told] == [
        ("paid_at", "", -1),
        ("paid_at", day, 1),
        ("paid_at/day", day, 1),
        ("status", "paid", 1),
        ("status/amount", "paid/000000001000", 1),
        ("status/amount/digits_1", "paid/000000001000", 1),
        ("status/amount/digits_2", "paid/000000001000", 1),
        ("status/paid_at", f"paid/{day}", 1),
        ("status/paid_at/day", f"paid/{day}", 1),
    ]
    assert await payments() == 2
    await sweep_lists(ctx, step=STEP)
    assert (await payments(), await sql.value(database, "select count(*) from list_tally_entries")) == (2, 0)


async def test_customers_are_read_at_their_place_by_their_last_change_and_by_name(
    ctx: Context, merchant: Merchant, clock: MovedClock
) -> None:
    database, chance, now = ctx.database, random.Random(2), clock.now()
    names = ("Ana", "ANA Lima", "Ánabel", "an", "Éder", "ede", "Zoë", "\U0001f600", "1", "Anã", "a\u0301na")

    async def told_rightly() -> None:
        rows = await sql.rows(database, "select id, created_at, updated_at, name from customers")
        orders: dict[str, Callable[[Row], Any]] = {
            "updated_at": lambda row: (row["updated_at"], row["id"]),
            "name": lambda row: (plain(row["name"]), row["id"]),
        }
        since, until = now - timedelta(days=2), now - timedelta(minutes=30)
        within = [row for row in rows if since <= row["created_at"] <= until]
        period = {"created_from": since.isoformat(), "created_to": until.isoformat()}
        for (name, key), (asked, found) in product(orders.items(), (({}, rows), (period, within))):
            told = [row["id"] for row in sorted(found, key=key)]
            await are_pages(asked | {"sort": name}, told)
            await are_pages(asked | {"sort": f"-{name}"}, told[::-1])

    async def are_pages(asked: dict[str, str], ids: list[str]) -> None:
        for number in range(1, len(ids) // 3 + 3):
            draft = {**asked, "page": str(number), "limit": "3"}
            told = await list_customers(ctx, ListCustomers.from_draft(draft))
            assert [one.id for one in told.items] == ids[(number - 1) * 3 : number * 3], draft
            assert told.total == len(ids)

    for _ in range(3):
        made: list[dict[str, Any]] = [
            {
                "created_at": now - timedelta(days=chance.choice((0, 1, 3)), minutes=chance.choice((5, 40, 60))),
                "name": chance.choice(names),
            }
            for _ in range(11)
        ]
        ids = await put_customers(database, merchant.id, made, now=now)
        await told_rightly()
        await sweep_lists(ctx, step=STEP)
        await told_rightly()
        for row_id in ids[:4]:
            changed = now - timedelta(days=chance.choice((0, 1, 2)))
            rename = "update customers set updated_at = $1, name = $3 where id = $2"
            await sql.run(database, rename, changed, row_id, chance.choice(names))
        await sql.run(database, "delete from customers where id = $1", ids[5])
        await told_rightly()
    assert await sql.value(database, "select count(*) from list_tallies where kind = 'customers'") > 0


def plain(name: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", name.lower()) if not unicodedata.combining(one))


RECORD = """
insert into audit_records (id, store_id, actor_type, actor_id, action, resource_type, environment, source, created_at)
select uuidv7(), $1, $2, $3, $4, 'coupon', 'test', 'rest', now() - make_interval(mins => $5)
"""


async def test_totals_of_the_audit_trail_are_those_of_its_records(ctx: Context, merchant: Merchant) -> None:
    database, chance = ctx.database, random.Random(1)

    async def put(count: int) -> None:
        for _ in range(count):
            actor = chance.choice((("user", IDS[0]), ("api_key", IDS[1]), ("system", None)))
            action = f"coupon.{chance.choice(('created', 'updated'))}"
            await sql.run(database, RECORD, merchant.id, *actor, action, chance.choice((1, 40, 60, 3000)))

    async def told_rightly() -> None:
        await list_audit(ctx, ListAudit())  # Which seals what waits.
        rows = await sql.rows(
            database, "select * from audit_records where store_id = $1 and environment = 'test'", merchant.id
        )
        for name in ("action", "actor_type", "actor_id", "resource_type", "source"):
            for value in {row[name] for row in rows} - {None}:
                asked = ListAudit.from_draft({name: value, "limit": "1"})
                assert (await list_audit(ctx, asked)).total == sum(row[name] == value for row in rows), (name, value)

    for _ in range(3):
        await put(9)
        await told_rightly()
        await sweep_lists(ctx, step=STEP)
        await told_rightly()
    assert await sql.value(database, TALLIED) > 0, "there was no tally to be right about"


@pytest.mark.parametrize("amount", [0, 1, 9, 99, 999, 1000, 1009, 4990, 4999, 5000, 99999, 999999999, 1000000000])
@pytest.mark.parametrize("count", [1, 2, 3])
async def test_the_database_groups_amounts_as_we_do(database: Database, count: int, amount: int) -> None:
    groups = by_digits(count)
    begin, end = groups.begin(amount), groups.end(amount)
    assert begin <= amount < end
    assert (groups.begin(end - 1), groups.begin(end)) == (begin, end)
    told = "select value from tallies_of(json_populate_record(null::charges, json_build_object('amount', $1::bigint)), 7) where name = $2"
    for name in ["amount"] if count == 3 else [f"amount/digits_{count}"]:
        assert await sql.value(database, told, amount, name) == f"{begin:012d}"


def test_days_are_those_of_utc() -> None:
    late = datetime.fromisoformat("2026-11-22T22:30:00-03:00")
    assert (BY_DAY.begin(late).date(), BY_DAY.end(late).date()) == (date(2026, 11, 23), date(2026, 11, 24))
