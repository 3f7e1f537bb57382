"""What the outbox of mails needs now and then, each act in small batches of its own."""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.telemetry import MAILS_OLDEST, MAILS_WAITING, log

KEPT_DAYS = 30
"""How long a finished mail stays, with its address and facts."""
WORTH_SENDING_DAYS = 3
"""A receipt of last week is no news: what couldn't be sent by then is given up."""
BATCH = 1000
MOST_BATCHES = 20

# Nobody hands over for as long as this lease: its sender has died, or lost the connection to this database.
DOUBT = Statement(
    text("""
with dead as (
    select id from mails where state = 0 and handed_at is not null and lease_until <= now()
     limit :batch for update skip locked
)
update mails m
   set state = 3, finished_at = now(), reply = coalesce(m.reply, 'the sender died while handing it over')
  from dead where m.id = dead.id
""")
)
GIVE_UP = Statement(
    text("""
with old as (
    select id from mails
     where state = 0 and handed_at is null and (lease_until is null or lease_until <= now())
       and created_at < now() - make_interval(days => cast(:days as integer))
     limit :batch for update skip locked
)
update mails m
   set state = 2, finished_at = now(), lease_token = null, reply = coalesce(m.reply, 'no relay: GATEWAY_SMTP_URL')
  from old where m.id = old.id
""")
)
# Ids are UUIDv7: the primary key is in order of creation, and the oldest rows are at its beginning. The selected
# boundary is made once; as a bare call it would be made for each row, and no index be used.
FORGET = Statement(
    text("""
with old as (
    select id from mails
     where id < (select uuidv7(make_interval(days => - cast(:days as integer)))) and state <> 0
     order by id limit :batch for update skip locked
)
delete from mails m using old where m.id = old.id
""")
)
FORGET_SENDS = Statement(
    text("""
with old as (
    select id from charge_sends
     where id < (select uuidv7(interval '-1 day'))
     order by id limit :batch for update skip locked
)
delete from charge_sends s using old where s.id = old.id
""")
)
WAITING = Statement(
    text("""
select count(*)::integer as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
  from mails where state = 0 and handed_at is null
""")
)


async def tidy_mails(ctx: Context) -> None:
    """End what nobody sends any more, and tell how many wait."""
    doubtful = await _in_batches(ctx, DOUBT)
    given_up = await _in_batches(ctx, GIVE_UP, days=WORTH_SENDING_DAYS)
    if doubtful or given_up:
        log.warning("mails_ended_unsent", uncertain=doubtful, too_old=given_up)
    row = await ctx.database.one(WAITING)
    assert row is not None
    MAILS_WAITING.set(row["waiting"])
    MAILS_OLDEST.set(row["oldest"])


async def forget_mails(ctx: Context, days: int = KEPT_DAYS) -> None:
    """Delete finished mails that were queued more than `days` ago: addresses and facts are personal data."""
    await _in_batches(ctx, FORGET, days=days)
    await _in_batches(ctx, FORGET_SENDS)


async def _in_batches(ctx: Context, statement: Statement, **values: int) -> int:
    changed = 0
    for _ in range(MOST_BATCHES):
        count = await ctx.database.run(statement, batch=BATCH, **values)
        changed += count
        if count < BATCH:
            break
    return changed
