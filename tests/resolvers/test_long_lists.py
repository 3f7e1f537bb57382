"""Totals, pages and searches of lists with milestones are those of the rows, whatever comes
late, changes or goes (ADR 0035).
"""

import asyncio
import random
import re
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from gateway.models.database import Database
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.listing.filters import search_values
from gateway.resolvers.listing.sweep import sweep_lists
from tests import sql
from tests.accents import plain
from tests.api import Api, Merchant
from tests.moved_clock import MovedClock
from tests.rows import put_charges, put_customers
from tests.subscriptions.orders import put_subscriptions

STEP, STRETCH = 3, 1
LOCKED = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
ROWS = """
select id::text, customer_name, status, created_at, amount,
       concat_ws(E'\\n', id, txid, end_to_end_id, external_reference, description, customer_name, customer_email, customer_cpf, customer_phone) as texts
  from charges order by created_at, id
"""
TELLING = """
select array(select * from unnest(telling_grams(list_number(kind, $1, 'test'), $2, common_grams)) order by 1)
  from list_milestones where kind = 'customers' order by upto desc limit 1
"""
HASHED = """
select array(
    select hashtext(piece) # (list_number('customers', $1, 'test') & 2147483647)::integer from unnest($2::text[]) piece order by 1
)
"""
WAITING = "select count(*) from search_waiting"
BETWEEN_WORDS = re.compile(r"[^a-zA-Z0-9\u0080-\uffff]")
SYLLABLES = ("ma", "ria", "jo", "ão", "ÁGA", "ta", "a_", "%b", "O'", "lu", "ís", "i\u0301s", "ia si", "na d", "ção")


FIRST_NAMES = ("Ana", "ana", "Ágata", "Luís", "Lui\u0301s", "LUIS", "İlker", "이슬", "かな", "Ñandú", "Zé")
SURNAMES = ("Souza", "souza", "Sousa", "de Souza", "이", "O'Brien", "Ávila", "Conceição")
BY_NAME = """
select id::text, concat_ws(E'\\n', id, name, email, cpf, phone) as texts from customers order by name_order(name) collate "C", id
"""
SLICES = """
query ($q: String, $order: CustomerOrder, $after: String) {
  customers(first: 4, after: $after, filter: { q: $q }, order: $order) {
    pageInfo { endCursor hasNextPage }
    edges { node { id } }
  }
}
"""


@pytest.fixture
def ctx(services: Services) -> Context:
    return system_context(services, source="job", request_id="test")


async def test_a_list_that_can_t_be_swept_keeps_no_other_waiting(
    ctx: Context, api: Api, merchant: Merchant, database: Database, clock: MovedClock
) -> None:
    other, at = await api.register_merchant(), clock.now() - timedelta(hours=2)
    for whose in (merchant, other):
        rows = [{"created_at": at + timedelta(seconds=n)} for n in range(2 * STEP)]
        await put_charges(database, whose.id, rows, now=clock.now())
    broken = f"alter table list_milestones add constraint broken check (user_id <> '{min(merchant.id, other.id)}')"
    await sql.run(database, broken)
    try:
        assert await sweep_lists(ctx, step=STEP) == 2
    finally:
        await sql.run(database, "alter table list_milestones drop constraint broken")
    assert await sql.value(database, "select count(*) from list_milestones where tallied") == 2
    assert await sweep_lists(ctx, step=STEP) == 2


def name(chance: random.Random) -> str:
    return "".join(chance.choices(SYLLABLES, k=3))


def charge(chance: random.Random, clock: MovedClock) -> dict[str, Any]:
    # Few moments, so that some tie; some of them too young for a milestone.
    at = clock.now() - timedelta(minutes=chance.choice((1, 10, *range(40, 100, 5))))
    status = chance.choice(("pending", "pending", "paid", "paid", "expired", "canceled", "refunded"))
    paid = {"paid_at": at} if status in {"paid", "refunded"} else {}
    amount = chance.choice((500, 1000, 1000, 1000, 2500))
    return {"created_at": at, "customer_name": name(chance), "status": status, "amount": amount} | paid


def otherwise(text: str, chance: random.Random) -> str:
    """The same letters in other case, and some with other accents or with none."""
    return "".join(one + chance.choice(("", "", "\u0303", "\u0301")) * one.isalpha() for one in plain(text)).swapcase()


def says(texts: str, sought: str) -> bool:
    """Whether a search finds these texts: by a part of them, and by one or two letters if a word begins with these."""
    sought, texts = plain(sought), plain(texts)
    if len(sought) < 3 and not BETWEEN_WORDS.search(sought):
        return any(word.startswith(sought) for word in BETWEEN_WORDS.split(texts))
    return sought in texts


async def listed(api: Api, merchant: Merchant, query: str) -> dict[str, Any]:
    response = await api.get(f"/pix?{query}", token=merchant.key)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def compare(api: Api, merchant: Merchant, database: Database, chance: random.Random) -> None:
    """All pages of both orders, the total of each status, and some searches, with what the table says."""
    rows = await sql.rows(database, ROWS)
    newest_first = [row["id"] for row in reversed(rows)]
    for sort, expected in (("-created_at", newest_first), ("created_at", newest_first[::-1])):
        for page in range(1, len(rows) // 7 + 3):
            answer = await listed(api, merchant, f"page={page}&limit=7&sort={sort}")
            assert [row["id"] for row in answer["data"]] == expected[(page - 1) * 7 : page * 7]
            assert answer["pagination"]["total"] == len(rows)
    for status in ("pending", "paid", "expired", "canceled", "refunded"):
        answer = await listed(api, merchant, f"page=1&limit=1&status={status}")
        assert answer["pagination"]["total"] == sum(row["status"] == status for row in rows), status
    for length in (1, 2, 2, 3, 4, 5, 6, 8, 9):
        text = chance.choice(rows)["customer_name"]
        part = plain(text)[(start := chance.randrange(2)) : start + length].strip()
        found = await api.get(f"/pix?q={quote(otherwise(part, chance))}", token=merchant.key)
        wanted = [row["id"] for row in reversed(rows) if says(row["texts"], part)]
        assert [row["id"] for row in found.json()["data"]] == wanted, part
        for sort in ("-amount", "amount"):
            ordered = sorted(
                (row for row in rows if row["id"] in wanted),
                key=lambda row: (row["amount"], row["id"]),
                reverse=sort == "-amount",
            )
            for page in (1, 2):
                answer = await listed(api, merchant, f"q={quote(part)}&sort={sort}&page={page}&limit=3")
                assert [row["id"] for row in answer["data"]] == [row["id"] for row in ordered][
                    (page - 1) * 3 : page * 3
                ]
                assert answer["pagination"]["total"] == len(wanted), part
        since, until = sorted(chance.choice(rows)["created_at"] for _ in range(2))
        within = {row["id"] for row in rows if since <= row["created_at"] <= until}
        for sort, expected in (("-created_at", wanted), ("created_at", wanted[::-1])):
            period = f"created_from={quote(since.isoformat())}&created_to={quote(until.isoformat())}"
            answer = await listed(api, merchant, f"q={quote(part)}&{period}&page=1&limit=3&sort={sort}")
            assert [row["id"] for row in answer["data"]] == [one for one in expected if one in within][:3], part
            assert answer["pagination"]["total"] == len(within & set(wanted)), part


@pytest.mark.seeds(3)
async def test_lists_are_their_rows_whatever_happens_to_them(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock, seed: int
) -> None:
    chance = random.Random(seed)
    reached = 0
    for _ in range(3):
        made = [charge(chance, clock) for _ in range(chance.randint(5, 15))]
        ids = await put_charges(database, merchant.id, made, now=clock.now())
        await compare(api, merchant, database, chance)
        reached += await sweep_lists(ctx, step=STEP, stretch=STRETCH)
        assert await sql.value(database, WAITING) == 0
        await compare(api, merchant, database, chance)
        await sql.run(database, "update charges set customer_name = $1 where id = $2", name(chance), ids[0])
        await sql.run(database, "update charges set end_to_end_id = $1 where id = $2", f"E{ids[1][-12:]}X", ids[1])
        await sql.run(database, "delete from charges where id = $1 and status = 'pending'", ids[2])
        await compare(api, merchant, database, chance)
        told = await api.get(f"/pix?q={ids[1][-12:]}x", token=merchant.key)
        assert [row["id"] for row in told.json()["data"]] == [ids[1]]
    assert reached, "there was no milestone to be right about"


async def test_every_text_of_a_row_below_a_milestone_is_found(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock
) -> None:
    old = clock.now() - timedelta(hours=2)
    texts = {"name": "Ágata D'Ávila", "email": "agata@exemplo.com.br", "cpf": "52998224725", "phone": "11987654321"}
    [row_id, *_] = await put_customers(
        database, merchant.id, [texts | {"created_at": old}] + [{"created_at": old}] * STEP, now=clock.now()
    )
    assert await sweep_lists(ctx, step=STEP) == 1
    for q in (
        "ÁVILA",
        "A@EXEMPLO",
        "agata@exemplo.com.br",
        "@exemplo.com",
        "529.982",
        "(11) 98765-4321",
        row_id[10:24].upper(),
    ):
        found = (await api.get(f"/customers?q={quote(q)}", token=merchant.key)).json()["data"]
        assert [row["id"] for row in found] == [row_id], q
    removed = await api.delete(f"/customers/{row_id}", token=merchant.key)
    assert removed.status_code == 200
    listed = (await api.get("/customers?page=1", token=merchant.key)).json()
    assert listed["pagination"]["total"] == STEP
    assert await sql.value(database, "select count(*) from search_texts where row_id = $1", row_id) == 0


@pytest.mark.parametrize(
    ("typed", "telling"),
    [
        ("CLIENTE 47", ["e 4", " 47"]),
        ("CLIENTE 471", ["nte 471"]),
        ("CLIENTE 4711", ["nte 471", "4711"]),
        ("ente", ["ent", "nte"]),
        # No letters that ids have: those of an hour begin alike, and what they all have is passed by.
        ("ghijk", ["ghi", "ijk"]),
        ("ghijkl", ["ghi", "jkl"]),
        ("ghijklm", ["ghi", "ijk", "klm"]),
        ("ghijk7", ["ghi", "ijk", "jk7"]),
        ("cliente ab", ["e a", " ab"]),
        ("cliente abcdefgh", ["nte abc"]),
        ("um dois tres de quatro", ["ois tre", "res de ", " de qua"]),
        ("um dois tres de quatro cinco seis sete", ["ois tre", "tro cin", "eis set"]),
        ("MARIA DA SILVA", ["ria da ", " da sil"]),
        ("á  ê", ["á  ", "  ê"]),
        ("529.982.247-25", ["5299", "8224", "4725"]),
        ("x12345y67", ["x12", "45y", "y67"]),
        ("zw", ["\x01zw"]),
        ("Z", ["\x01z"]),
        ("ie", ["\x01ie"]),
        ("CL", ["\x01cl"]),
    ],
)
async def test_a_search_asks_for_what_few_rows_have(
    api: Api,
    merchant: Merchant,
    ctx: Context,
    database: Database,
    clock: MovedClock,
    typed: str,
    telling: list[str],
) -> None:
    old = clock.now() - timedelta(hours=2)
    named = [{"name": f"Cliente {n * 7919 % 10000:04}", "created_at": old + timedelta(seconds=n)} for n in range(120)]
    await put_customers(database, merchant.id, named, now=clock.now())
    assert await sweep_lists(ctx, step=len(named) // 2) == 2
    sought = search_values(typed)["q_typed_bare"] or typed
    pieces = await sql.value(database, TELLING, merchant.id, sought)
    assert pieces == await sql.value(database, HASHED, merchant.id, telling)
    found = (await api.get(f"/customers?page=1&q={quote(typed)}", token=merchant.key)).json()
    assert found["pagination"]["total"] == sum(says(one["name"], typed) for one in named)


@pytest.mark.seeds(3)
async def test_what_is_found_of_customers_is_read_in_the_order_of_names(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock, seed: int
) -> None:
    chance, old = random.Random(seed), clock.now() - timedelta(hours=2)
    names = [f"{chance.choice(FIRST_NAMES)} {chance.choice(SURNAMES)}" for _ in range(40)]
    ids = await put_customers(
        database,
        merchant.id,
        [{"name": one, "created_at": old + timedelta(minutes=3 * n)} for n, one in enumerate(names)],
        now=clock.now(),
    )
    ordered = await sql.rows(database, BY_NAME)

    async def compare(q: str, sort: str) -> None:
        wanted = [row["id"] for row in ordered if says(row["texts"], q)]
        wanted = wanted if sort == "name" else wanted[::-1]
        for page in range(1, len(wanted) // 3 + 2):
            listed = await api.get(f"/customers?q={quote(q)}&sort={sort}&page={page}&limit=3", token=merchant.key)
            told = listed.json()
            assert [row["id"] for row in told["data"]] == wanted[(page - 1) * 3 : page * 3], (q, sort, page)
            assert told["pagination"]["total"] == len(wanted), q
        seen: list[str] = []
        asked, more = {"q": q, "order": "name_asc" if sort == "name" else "name_desc", "after": None}, True
        while more:
            found = (await api.graphql(SLICES, token=merchant.key, **asked))["data"]["customers"]
            seen += [edge["node"]["id"] for edge in found["edges"]]
            asked["after"], more = found["pageInfo"]["endCursor"], found["pageInfo"]["hasNextPage"]
        assert seen == wanted, (q, sort)

    for step in (STEP, STEP, 50):
        for q in ("souza", "luis", "a", "ana souza", "이", "zzz"):
            await compare(q, chance.choice(("name", "-name")))
        await sql.run(database, "update customers set name = 'Zoé Souza' where id = $1", ids[step % 7])
        ordered = await sql.rows(database, BY_NAME)
        await compare("souza", "name")
        await sweep_lists(ctx, step=step, stretch=2)
    assert await sql.value(database, "select count(*) from search_texts where kind = 'customers'") > 20


async def test_a_milestone_waits_for_a_row_that_comes_late(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock
) -> None:
    old = clock.now() - timedelta(hours=2)
    await put_customers(database, merchant.id, [{"created_at": old}] * STEP, now=clock.now())
    async with database.transaction() as transaction:
        await transaction.connection.execute(
            "insert into customers (id, user_id, environment, name, created_at, updated_at) values (uuidv7(), $1, 'test', 'Zuleica', $2, $2)",
            *(merchant.id, old),
        )
        setting = asyncio.create_task(sweep_lists(ctx, step=STEP))
        while not await sql.value(database, LOCKED):  # A lock announces nobody who waits.
            assert not setting.done()
            await asyncio.sleep(0.01)
    assert await setting == 1
    listed = (await api.get("/customers?page=1&q=leica", token=merchant.key)).json()
    assert listed["pagination"]["total"] == 1
    assert (await api.get("/customers?page=1", token=merchant.key)).json()["pagination"]["total"] == STEP + 1


async def test_a_text_that_changes_late_is_found_before_the_sweep_has_written_it_and_after(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock
) -> None:
    old = {"created_at": clock.now() - timedelta(hours=2)}
    ids = await put_charges(database, merchant.id, [old] * STEP * 2, now=clock.now())
    assert await sweep_lists(ctx, step=STEP) == 1

    async def found(q: str) -> list[str]:
        return [row["id"] for row in (await api.get(f"/pix?q={q}", token=merchant.key)).json()["data"]]

    change = "update charges set end_to_end_id = $1 where id = $2"
    await sql.run(database, change, "E1PRIMEIRO", ids[1])
    assert (await found("primeiro"), await sql.value(database, WAITING)) == ([ids[1]], 1)
    async with database.transaction() as transaction:
        await transaction.connection.execute(change, "E1SEGUNDO", ids[1])
        setting = asyncio.create_task(sweep_lists(ctx, step=STEP))
        while not await sql.value(database, LOCKED):
            assert not setting.done()
            await asyncio.sleep(0.01)
    await setting
    assert await sql.value(database, WAITING) == 0, "what the change left is written with what it left"
    assert await found("primeiro") == []
    assert await found("segundo") == [ids[1]]


@pytest.mark.parametrize(("status", "later"), [("refunded", None), ("canceled", "paid")])
async def test_a_status_that_marks_a_charge_late_is_found_beside_a_search_before_the_sweep_and_after(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock, status: str, later: str | None
) -> None:
    old = {"created_at": clock.now() - timedelta(hours=2), "description": "Caneca azul"}
    ids = await put_charges(database, merchant.id, [old] * STEP * 2, now=clock.now())
    assert await sweep_lists(ctx, step=STEP) == 1
    change = "update charges set status = $1, paid_at = case when $1 in ('paid', 'refunded') then $2::timestamptz end where id = $3"

    async def becomes(status: str) -> None:
        await sql.run(database, change, status, clock.now(), ids[1])
        assert await sql.value(database, WAITING) == 1

    async def found(status: str, q: str = "caneca") -> list[str]:
        told = [await listed(api, merchant, f"q={q}&status={status}&sort={sort}") for sort in ("-created_at", "amount")]
        assert told[0]["data"] == told[1]["data"]
        return [row["id"] for row in told[0]["data"]]

    assert await found(status) == []
    await becomes(status)
    assert await found(status) == [ids[1]]
    await sweep_lists(ctx, step=STEP)
    assert (await found(status), await found(status, "azulejo")) == ([ids[1]], [])
    assert await sql.value(database, WAITING) == 0
    if later is not None:
        await becomes(later)
        assert (await found(status), await found(later)) == ([], [ids[1]])
        await sweep_lists(ctx, step=STEP)
        assert (await found(status), await found(later)) == ([], [ids[1]])


async def test_totals_of_subscriptions_are_those_of_their_rows(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock
) -> None:
    statuses = ["active"] * 3 + ["paused"] * 2 + ["canceled"]
    old = {"created_at": clock.now() - timedelta(hours=2)}
    intervals = ("monthly", "monthly", "weekly", "yearly")
    rows = [
        {"status": status, "interval": intervals[number % 4]} | (old if number % 2 else {})
        for number, status in enumerate(statuses * 3)
    ]
    ids = await put_subscriptions(database, merchant.id, rows, due=clock.now())

    async def told_rightly() -> dict[str, int]:
        answers = {
            one: await api.get(f"/subscriptions?page=1&limit=2&status={one}", token=merchant.key) for one in statuses
        }
        totals = {one: answer.json()["pagination"]["total"] for one, answer in answers.items()}
        rows = await sql.rows(database, "select status, count(*) from subscriptions group by status")
        assert totals == {row["status"]: row["count"] for row in rows}
        since = (clock.now() - timedelta(days=1)).isoformat()
        for interval in intervals:
            await found(f"interval={interval}", "interval = $1", interval)
            for status in statuses:
                pair, meant = f"interval={interval}&status={status}", "interval = $1 and status = $2"
                await found(pair, meant, interval, status)
                period = f"{meant} and created_at >= cast($3 as text)::timestamptz"
                await found(f"{pair}&created_from={quote(since)}", period, interval, status, since)
        return totals

    async def found(query: str, meant: str, *values: str) -> None:
        rows = f"select id::text from subscriptions where {meant} order by created_at desc, id desc"
        wanted = [row["id"] for row in await sql.rows(database, rows, *values)]
        for page in range(1, len(wanted) // 2 + 3):
            told = (await api.get(f"/subscriptions?page={page}&limit=2&{query}", token=merchant.key)).json()
            assert [row["id"] for row in told["data"]] == wanted[(page - 1) * 2 : page * 2], (query, page)
            assert told["pagination"]["total"] == len(wanted), query

    assert await told_rightly() == {"active": 9, "paused": 6, "canceled": 3}
    assert await sweep_lists(ctx, step=STEP) == 2
    await told_rightly()
    paused = await api.put(f"/subscriptions/{ids[1]}", {"status": "paused"}, token=merchant.key)
    gone = await api.delete(f"/subscriptions/{ids[2]}", token=merchant.key)
    assert (paused.status_code, gone.status_code) == (200, 200)
    assert (await told_rightly())["active"] == 7


async def test_subscriptions_are_found_by_their_texts_whatever_happens_to_them(
    api: Api, merchant: Merchant, ctx: Context, database: Database, clock: MovedClock
) -> None:
    old = {"created_at": clock.now() - timedelta(hours=2)}
    ids = await put_subscriptions(database, merchant.id, [old] * (STEP + 1), due=clock.now())
    await sql.run(
        database,
        """update subscriptions set customer_name = 'Ágata D''Ávila', customer_email = 'agata@exemplo.com.br', customer_cpf = '11144477735',
                  description = 'Plano Ouro', external_reference = 'ASSIN-77' where id = $1""",
        ids[0],
    )

    async def found(q: str) -> list[str]:
        return [row["id"] for row in (await api.get(f"/subscriptions?q={quote(q)}", token=merchant.key)).json()["data"]]

    for swept in (0, 1):
        assert await sql.value(database, "select count(*) from list_milestones where kind = 'subscriptions'") == swept
        for q in ("ÁVILA", "agata@exemplo", "111.444", "plano ouro", "assin-77", ids[0][10:24].upper()):
            assert await found(q) == [ids[0]], q
        assert len(await found("pagador")) == STEP
        await sweep_lists(ctx, step=STEP)
    await sql.run(database, "update subscriptions set customer_name = 'Zuleica' where id = $1", ids[1])
    assert (await found("leica"), await sql.value(database, WAITING)) == ([ids[1]], 1)
    await sweep_lists(ctx, step=STEP)
    assert (await found("leica"), await sql.value(database, WAITING)) == ([ids[1]], 0)
    assert len(await found("pagador")) == STEP - 1
    assert (await api.delete(f"/subscriptions/{ids[1]}", token=merchant.key)).status_code == 200
    assert await found("leica") == []
    assert await sql.value(database, "select count(*) from search_texts where row_id = $1", ids[1]) == 0
