"""Whether what is kept of long lists is what their rows say, and keeping it anew where it isn't.

The sweep and the triggers leave nothing out (ADRs 0035, 0041, 0048), but not everybody who changes rows lets triggers
see it: a restore that disables them, a logical replica that became the primary, a repair by hand. Totals are then wrong
from there on and searches miss rows, and no request fails for it.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

from sqlalchemy import text

from gateway.ids import is_id
from gateway.models.database import Database, Statement
from gateway.resolvers.context import Context
from gateway.resolvers.listing.milestones import ALL, Milestones
from gateway.resolvers.listing.sweep import LOCK, STEP, STRETCH, folded_texts, marks_said, sweep_lists

MOST_LISTS = 30
"""Lists that are looked at: the largest third of them, and others by chance."""
WHOLE = 20_000
"""Rows of a list that is looked at as a whole. Of larger ones it is a stretch, by chance, and how many rows it has."""
_LISTS = Statement(
    text("""
with listed as materialized (
    select kind, user_id, environment, max(rows) as rows,
           array_agg(distinct stretch) filter (where tallied) as stretches
      from list_milestones group by kind, user_id, environment
),
chosen as (
    (select * from listed order by rows desc limit :most / 3)
    union
    (select * from listed order by random() limit :most)
)
select kind, user_id, environment, rows, stretches[1 + floor(random() * cardinality(stretches))::integer] as stretch,
       (select count(*) from listed) as lists
  from chosen order by rows desc limit :most
""")
)
# A single statement, so that a row and what a trigger has noted of it are seen together.
_OFF = """
with milestone as materialized (
    select upto, rows, stretch, tallied, coalesce(lag(upto) over (order by upto), '-infinity') as since
      from list_milestones
     where kind = '{table}' and user_id = cast(:user_id as uuid) and environment = cast(:environment as text)
),
looked_at as materialized (
    select upto, stretch, since from milestone
     where tallied and stretch = coalesce(cast(:stretch as integer), stretch)
),
here as materialized (
    select r.id, r as listed, m.stretch
      from looked_at m
      join {table} r on r.{store} = cast(:user_id as uuid) and r.environment = cast(:environment as text)
       and r.created_at > m.since and r.created_at <= m.upto
),
meant as materialized (
    select of.name, of.value, case when of.stretch < 0 then here.stretch else 0 end as stretch, count(*) as rows
      from here cross join lateral tallies_of(here.listed, -1) of
     where of.stretch < 0 or cast(:stretch as integer) is null
     group by 1, 2, 3
),
kept as (
    select name, value, stretch, sum(rows) as rows from (
        select name, value, stretch, rows from list_tallies
         where kind = '{table}' and user_id = cast(:user_id as uuid) and environment = cast(:environment as text)
        union all
        select name, value, stretch, rows from list_tally_entries
         where kind = '{table}' and user_id = cast(:user_id as uuid) and environment = cast(:environment as text)
    ) each
     where stretch = coalesce(cast(:stretch as integer), stretch)
       and (cast(:stretch as integer) is null or name in (select name from meant))
     group by name, value, stretch having sum(rows) <> 0
)
select (select count(*) from {table} r
         where r.{store} = cast(:user_id as uuid) and r.environment = cast(:environment as text)
           and r.created_at <= (select max(upto) from milestone)) - (select max(rows) from milestone) as rows,
       (select count(*) from meant full join kept using (name, value, stretch)
         where meant.rows is distinct from kept.rows) as tallies,
       {texts} as texts
"""
_TEXTS = """(
    select count(*)
      from here
      join {table} on {table}.id = here.id
      left join search_texts s on s.row_id = here.id
     where (s.row_id is null or s.stretch <> here.stretch or s.texts <> {texts} or s.documents <> {documents}
            or s.marks <> marks_in(list_number('{table}', {table}.{store}, {table}.environment), here.stretch, {said}))
       and not exists (
        select from search_waiting w
         where w.kind = '{table}' and w.user_id = cast(:user_id as uuid) and w.environment = cast(:environment as text)
           and w.stretch = here.stretch and w.row_id = here.id
     )
)"""
_FORGET = [
    Statement(text(f"delete from {table} where kind = :kind and user_id = :user_id and environment = :environment"))  # noqa: S608  # Names of our own.
    for table in ("list_milestones", "list_tallies", "list_tally_entries", "search_texts", "search_waiting")
]
_OF_STORE = Statement(
    text("""
select distinct kind, user_id, environment from list_milestones
 where kind = any(cast(:kinds as text[])) and user_id = :user_id order by 1, 3
""")
)


class Looked(NamedTuple):
    """A list that was looked at: by how many rows its total is off, and how many of its tallies and texts are; and how
    many lists there are.
    """

    kind: str
    user_id: str
    environment: str
    rows: int
    tallies: int
    texts: int
    lists: int

    @property
    def holds(self) -> bool:
        return not (self.rows or self.tallies or self.texts)


def _written(list_: Milestones) -> Statement:
    told = {"table": list_.table.name, "store": list_.store.name}
    texts = "0"
    if list_.search is not None:
        kept, documents = folded_texts(list_.search)
        texts = _TEXTS.format(**told, texts=kept, documents=documents, said=marks_said(list_))
    return Statement(text(_OFF.format(**told, texts=texts)))


OFF = {list_.table.name: _written(list_) for list_ in ALL}


async def look_at_lists(database: Database, most: int = MOST_LISTS, whole: int = WHOLE) -> AsyncIterator[Looked]:
    """What is kept of some lists, held against their rows."""
    for list_ in await database.all(_LISTS, most=most):
        whose = {name: list_[name] for name in ("user_id", "environment")}
        stretch = list_["stretch"] if list_["rows"] > whole else None
        off = await database.one(OFF[list_["kind"]], **whose, stretch=stretch)
        assert off is not None
        yield Looked(list_["kind"], **whose, **off, lists=list_["lists"])


async def keep_lists_anew(ctx: Context, store_id: str, step: int = STEP, stretch: int = STRETCH) -> int:
    """Forget what is kept of a store's lists, and keep it anew from their rows; how many lists there are. Meanwhile
    totals are counted and searches read the rows, which takes longer and is right.
    """
    lists = await ctx.database.all(_OF_STORE, kinds=[*OFF], user_id=store_id) if is_id(store_id) else []
    for list_ in lists:
        async with ctx.database.transaction() as transaction:
            await transaction.run(LOCK, **list_)
            for forget in _FORGET:
                await transaction.run(forget, **list_)
    await sweep_lists(ctx, step, stretch)
    return len(lists)
