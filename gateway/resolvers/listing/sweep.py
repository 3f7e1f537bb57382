"""The sweep that keeps long lists quick: their milestones (ADR 0035), what searches find them by (ADR 0048)
and their tallies (ADR 0041).

It looks at rows older than half an hour, list after list, in steps. A step takes the list's lock, which triggers on
what comes late, changes or goes hold together and the sweep holds alone, and reads in a statement begun under the lock:
so a row is counted by the one or by the other, and never by both.
"""

from typing import Any, NamedTuple

import asyncpg
from sqlalchemy import ColumnElement, text

from gateway.models.database import Database, Statement
from gateway.resolvers.context import Context
from gateway.resolvers.listing.filters import Search
from gateway.resolvers.listing.milestones import ALL, Milestones
from gateway.telemetry import log

STEP = 1000
"""Rows from one milestone to the next: as many are counted or skipped at most, and searched one by one."""
LONGEST_STEP = 300
"""Seconds. No milestone parts rows of one moment, and whoever fills a table by hand may give one moment to all."""
STRETCH = 10
"""Milestones of a stretch. A search in the order of creation judges all that may match in a stretch, and asks for no
other once its page is full: in shorter ones there are fewer to judge, of longer ones fewer to ask.
"""

LOCK = Statement(
    text("""
select pg_advisory_xact_lock(list_number(cast(:kind as text), cast(:user_id as uuid), cast(:environment as text)))
""")
)
_SETTLED = "created_at <= clock_timestamp() - interval '30 minutes'"
_LAST = """
select upto, rows, stretch from list_milestones m
 where m.kind = '{table}' and m.user_id = {user} and m.environment = {environment} order by upto desc limit 1
"""
# From store to store along the index of the list; of each, whether there is another step of settled rows.
_READY = """
with recursive list (store, environment) as (
    (select {store}, environment from {table}
      where {store} is not null and environment is not null order by 1, 2 limit 1)
    union all
    select next.* from list cross join lateral (
        select {store}, environment from {table} t where (t.{store}, t.environment) > (list.store, list.environment)
         order by 1, 2 limit 1
    ) next
)
select list.store as user_id, list.environment from list
 where list.environment is not null and exists (
    select from {table} t
     where t.{store} = list.store and t.environment = list.environment and {settled}
       and t.created_at > coalesce((select upto from ({last}) last), '-infinity')
     order by t.created_at offset :step - 1 limit 1
)
"""
_ADVANCE = """
with last as materialized (
    select upto, rows, stretch from ({last}) last union all select '-infinity', 0, 0 order by upto desc limit 1
),
next as materialized (
    select last.stretch + (count(m.upto) >= :stretch)::integer as stretch
      from last left join list_milestones m
        on m.kind = '{table}' and m.user_id = {user} and m.environment = {environment} and m.stretch = last.stretch
     group by last.stretch
),
reached as materialized (
    select created_at as upto from {table} t
     where t.{store} = :user_id and t.environment = :environment and {settled}
       and t.created_at > (select upto from last)
     order by t.created_at offset :step - 1 limit 1
),
{texts}
milestone as (
    insert into list_milestones (kind, user_id, environment, upto, rows, stretch, common_grams)
    select '{table}', {user}, {environment}, reached.upto, last.rows + (
        select count(*) from {table} t
         where t.{store} = :user_id and t.environment = :environment
           and t.created_at > (select upto from last) and t.created_at <= (select upto from reached)
    ), next.stretch, {common}
      from reached cross join last cross join next
    returning upto
)
select count(*) from milestone
"""
_KEEPING = """insert into search_texts (row_id, kind, user_id, environment, stretch, created_at, texts, documents, marks)
    select {table}.id, '{table}', {table}.{store}, {table}.environment, stretch, {table}.created_at,
           {texts}, {documents}, marks_in(list_number('{table}', {user}, {environment}), stretch, {said})
      from {table}"""
_KEPT = """on conflict (row_id) do update
       set stretch = excluded.stretch, texts = excluded.texts, documents = excluded.documents, marks = excluded.marks"""
_TEXTS = """
written as (
    {keeping} cross join next
     where {table}.{store} = :user_id and {table}.environment = :environment
       and {table}.created_at > (select upto from last) and {table}.created_at <= (select upto from reached)
    {side_by_side}
    {kept}
),"""
# What a quarter of a hundred rows has is no help in finding any. They are from ten places of the list: neighbours have
# the digits of their hour in common. There are fewer while texts wait to be kept.
_COMMON = """array(
        select gram from (
            select s.texts, s.documents, count(*) over () as sampled
              from (select min(upto) as first, max(upto) as last from ({all}) upto) list
             cross join generate_series(0, 9) nth
             cross join lateral (
                select upto from ({all}) m
                 where m.upto >= list.first + (list.last - list.first) * nth / 9 order by upto limit 1
             ) place
             cross join lateral (
                select id from {table} t
                 where t.{store} = :user_id and t.environment = :environment and t.created_at <= place.upto
                 order by t.created_at desc limit 10
             ) sample
              join search_texts s on s.row_id = sample.id
          ) sample
         cross join unnest(grams_of(list_number('{table}', {user}, {environment}), texts, documents)) gram
         group by gram having count(*) > greatest(max(sampled) / 4, 5)
    )"""
_ALL = "select upto from list_milestones where kind = '{table}' and user_id = {user} and environment = {environment}"


def _written(form: str, list_: Milestones, user: str, environment: str) -> Statement:
    table, store = list_.table.name, list_.store.name
    last = _LAST.format(table=table, user=user, environment=environment)
    told = {"table": table, "store": store, "user": user, "environment": environment, "texts": "", "common": "'{}'"}
    if list_.search is not None:
        texts, documents = folded_texts(list_.search)
        told |= {"all": _ALL.format(**told), "kept": _KEPT, "side_by_side": _side_by_side(list_)}
        told["keeping"] = _KEEPING.format(**told | {"texts": texts, "documents": documents, "said": marks_said(list_)})
        told |= {"texts": _TEXTS.format(**told), "common": _COMMON.format(**told)}
    return Statement(text(form.format(last=last, settled=_SETTLED, **told)))


def folded_texts(search: Search) -> tuple[str, str]:
    """What is kept of a row's texts and of its documents, in SQL."""
    return _folded(search.texts), _folded(search.documents)


def _side_by_side(list_: Milestones) -> str:
    """The order in which rows are kept: what is alike lies together, so that an index of pieces and marks passes by a
    run of rows that have the one and not the other in a step, where they would alternate (ADR 0066).
    """
    return f"order by {', '.join(str(one) for one in list_.alike)}" if list_.alike else ""


def marks_said(list_: Milestones) -> str:
    """What a row is marked by, in SQL."""
    return " || ".join(["array[]::text[]", *(mark.said for mark in list_.marks)])


def _folded(expression: ColumnElement[str] | None) -> str:
    return "''" if expression is None else f"folded({expression})"


_WAITING = "select distinct user_id, environment from search_waiting where kind = '{table}'"
_KEEP = """
with waiting as (
    delete from search_waiting
     where (kind, user_id, environment, stretch, row_id) in (
        select kind, user_id, environment, stretch, row_id from search_waiting
         where kind = '{table}' and user_id = {user} and environment = {environment} limit :step
     )
    returning row_id, stretch
),
written as (
    {keeping} join waiting on {table}.id = waiting.row_id
    {side_by_side}
    {kept}
)
select count(*) from waiting
"""
# One milestone after another, so that below one that is tallied, all are.
_UNTALLIED = "select distinct user_id, environment from list_milestones where kind = '{table}' and not tallied"
_TALLY = """
with next as materialized (
    select m.upto, m.stretch, coalesce(before.upto, '-infinity') as since
      from list_milestones m left join lateral (
        select b.upto from list_milestones b
         where b.kind = '{table}' and b.user_id = {user} and b.environment = {environment} and b.upto < m.upto
         order by b.upto desc limit 1
      ) before on true
     where m.kind = '{table}' and m.user_id = {user} and m.environment = {environment} and not m.tallied
     order by m.upto limit 1
),
counted as (
    insert into list_tallies as t (kind, user_id, environment, name, value, stretch, rows)
    select '{table}', {user}, {environment}, of.name, of.value, of.stretch, count(*)
      from next cross join {table} r cross join lateral tallies_of(r, next.stretch) of
     where r.{store} = :user_id and r.environment = :environment
       and r.created_at > next.since and r.created_at <= next.upto
     group by of.name, of.value, of.stretch
    on conflict (kind, user_id, environment, name, value, stretch) do update set rows = t.rows + excluded.rows
),
marked as (
    update list_milestones m set tallied = true from next
     where m.kind = '{table}' and m.user_id = {user} and m.environment = {environment} and m.upto = next.upto
    returning m.upto
)
select count(*) from marked
"""
_UNFOLDED = "select distinct user_id, environment from list_tally_entries where kind = '{table}'"
_FOLD = """
with taken as (
    delete from list_tally_entries
     where id in (
        select id from list_tally_entries
         where kind = '{table}' and user_id = {user} and environment = {environment} limit :step
     )
    returning name, value, stretch, rows
),
folded as (
    insert into list_tallies as t (kind, user_id, environment, name, value, stretch, rows)
    select '{table}', {user}, {environment}, name, value, stretch, sum(rows) from taken group by name, value, stretch
    on conflict (kind, user_id, environment, name, value, stretch) do update set rows = t.rows + excluded.rows
)
select count(*) from taken
"""


class Task(NamedTuple):
    """What there is to do for a list: `ready` finds the stores and environments, `act` does a step of one
    and says whether there was any.
    """

    list_: Milestones
    ready: Statement
    act: Statement

    @classmethod
    def of(cls, list_: Milestones, ready: str, act: str) -> "Task":
        whose = ("list.store", "list.environment"), ("cast(:user_id as uuid)", "cast(:environment as text)")
        return cls(list_, *(_written(form, list_, *one) for form, one in zip((ready, act), whose, strict=True)))


MILESTONES = [Task.of(list_, _READY, _ADVANCE) for list_ in ALL]
TEXTS = [Task.of(list_, _WAITING, _KEEP) for list_ in ALL if list_.search is not None]
TALLIES = [
    Task.of(list_, *forms) for list_ in ALL if list_.tallied for forms in ((_UNTALLIED, _TALLY), (_UNFOLDED, _FOLD))
]


async def sweep_lists(ctx: Context, step: int = STEP, stretch: int = STRETCH) -> int:
    """Set the milestones that lists have come to, keep the texts that wait, and tally; how many milestones were set.
    Several workers may, at the same time.
    """
    sizes = {"step": step, "stretch": stretch}
    count = 0
    for task in MILESTONES:
        count += await _run(ctx.database, task, sizes)
    for task in (*TEXTS, *TALLIES):
        await _run(ctx.database, task, sizes)
    return count


async def _run(database: Database, task: Task, sizes: dict[str, int]) -> int:
    """Act on each list that is ready until nothing is left to do; how many times. What fails of one is tried again by
    the next sweep, and keeps no other waiting.
    """
    times = 0
    for row in await database.all(task.ready, **sizes):
        whose = {"kind": task.list_.table.name, "user_id": row["user_id"], "environment": row["environment"]}
        try:
            while await _alone(database, task.act, whose | sizes):
                times += 1
        except (asyncpg.PostgresError, TimeoutError) as error:
            log.error("list_not_swept", **whose, exc_info=error)
    return times


async def _alone(database: Database, act: Statement, values: dict[str, Any]) -> bool:
    async with database.transaction() as transaction:
        await transaction.run(LOCK, **values)
        # A statement of its own, begun with the lock held: it sees what triggers let through before.
        done: int = await transaction.connection.fetchval(act.sql, *act.arguments(values), timeout=LONGEST_STEP)
    return done > 0
