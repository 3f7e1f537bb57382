"""Maintenance of the email outbox, in small batches: end emails that can't be sent, and delete old ones."""

from sqlalchemy import text

from gateway.models.database import Statement
from gateway.resolvers.core.context import Context
from gateway.telemetry import MAILS_OLDEST, MAILS_WAITING, log

RETENTION_DAYS = 30
"""How long a finished email stays, with its address and data."""
MAX_AGE_DAYS = 3
"""An email that could not be sent within this time is given up: its news is old."""

# No sender holds this lease for longer: it has died, or lost its connection to the database.
MARK_UNKNOWN = Statement(
    text("""
with expired as (
    select id from emails where state = 0 and sent_at is not null and lease_until <= now()
     limit :batch for update skip locked
)
update emails m
   set state = 3, finished_at = now(), smtp_response = coalesce(m.smtp_response, 'the sender died while handing it over')
  from expired where m.id = expired.id
""")
)
EXPIRE = Statement(
    text("""
with old as (
    select id from emails
     where state = 0 and sent_at is null and (lease_until is null or lease_until <= now())
       and created_at < now() - make_interval(days => cast(:days as integer))
     limit :batch for update skip locked
)
update emails m
   set state = 2, finished_at = now(), lease_token = null,
       smtp_response = coalesce(m.smtp_response, 'no relay: GATEWAY_SMTP_URL')
  from old where m.id = old.id
""")
)
# Ids are UUIDv7, in order of creation. The sub-select computes the boundary once, so that the primary key is used.
PURGE = Statement(
    text("""
with old as (
    select id from emails
     where id < (select uuidv7(make_interval(days => - cast(:days as integer)))) and state <> 0
     order by id limit :batch for update skip locked
)
delete from emails m using old where m.id = old.id
""")
)
PURGE_SENDS = Statement(
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
  from emails where state = 0 and sent_at is null
""")
)


async def expire_emails(ctx: Context) -> None:
    """End emails that no worker will send, and measure how many wait."""
    unknown = await ctx.database.run_in_batches(MARK_UNKNOWN)
    too_old = await ctx.database.run_in_batches(EXPIRE, days=MAX_AGE_DAYS)
    if unknown or too_old:
        log.warning("mails_ended_unsent", uncertain=unknown, too_old=too_old)
    row = await ctx.database.single(WAITING)
    MAILS_WAITING.set(row["waiting"])
    MAILS_OLDEST.set(row["oldest"])


async def purge_emails(ctx: Context) -> None:
    """Delete finished emails that were enqueued more than `RETENTION_DAYS` ago: they hold personal data."""
    await ctx.database.run_in_batches(PURGE, days=RETENTION_DAYS)
    await ctx.database.run_in_batches(PURGE_SENDS)
