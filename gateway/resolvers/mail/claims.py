"""Claiming mails, and writing down what came of them.

A mail is sent at most once. A claim is a lease with a token, and it is safe to lose: nothing has been sent
yet. Just before the message is handed over, `begin_hand_over` writes so, fenced by the token. From that moment on
nobody else ever sends this mail, whatever happens to the one who does; what came of it is written by `settle`, or stays
unknown. All times are the database's.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.models.mail import MailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.rendering import StoredMail

LEASE = timedelta(seconds=120)
"""For the mails before it on the same connection, and all that comes before handing over."""
HAND_OVER_LEASE = timedelta(seconds=90)
"""Beyond the deadline of handing over: whatever is older has died."""

PROOF = """
case when m.facts ->> 'end_to_end_id' is null and m.facts ->> 'charge_id' is not null then (
    select c.end_to_end_id from charges c where c.id = cast(m.facts ->> 'charge_id' as uuid)
) end as end_to_end_id
"""
"""The EndToEndId of a payment, where it came after its mail was queued."""
CLAIM = Statement(
    text(f"""
with due as (
    select id, next_attempt_at from mails
     where state = 0 and handed_at is null and next_attempt_at <= now()
     order by next_attempt_at limit :room
       for update skip locked
), claimed as (
    update mails m
       set lease_token = gen_random_uuid(), lease_until = now() + :lease, next_attempt_at = now() + :lease
      from due
     where m.id = due.id
    returning m.*, m.lease_token as token, {PROOF}, due.next_attempt_at as was_due
)
select token, failures, id, kind, recipient, recipient_name, facts, dedupe_key, created_at, end_to_end_id
  from claimed order by was_due, id
""")  # noqa: S608  # Constants of ours.
)
BEGIN_HAND_OVER = Statement(
    text("""
update mails set handed_at = now(), lease_until = now() + :lease
 where id = :id and lease_token = :token and state = 0 and handed_at is null and lease_until > now()
returning true
""")
)
# Also of a mail that was taken for uncertain meanwhile: its sender was frozen, has come back and knows better.
SETTLE = Statement(
    text("""
update mails m
   set state = given.state,
       failures = m.failures + case when given.state = 1 then 0 else 1 end,
       reply = :reply,
       next_attempt_at = now() + :delay,
       lease_token = case when given.state <> 0 then m.lease_token end,
       lease_until = null,
       handed_at = case when given.state <> 0 then m.handed_at end,
       finished_at = case when given.state <> 0 then now() end
  from (select cast(:state as smallint) as state) given
 where m.id = :id and m.lease_token = :token and m.state in (0, 3)
returning true
""")
)
GIVE_BACK = Statement(
    text("""
update mails m
   set lease_token = null, lease_until = null, reply = coalesce(:reply, m.reply),
       next_attempt_at = now() + mine.delay * interval '1 second'
  from unnest(cast(:ids as uuid[]), cast(:tokens as uuid[]), cast(:delays as float8[])) as mine(id, token, delay)
 where m.id = mine.id and m.lease_token = mine.token and m.state = 0 and m.handed_at is null
""")
)


class Claim(Struct, frozen=True):
    """A mail that is ours to send, until the lease runs out."""

    token: str
    failures: int
    mail: StoredMail


class Verdict(Struct, frozen=True):
    """What becomes of a mail after an attempt. `delay`: until the next one, where it waits on."""

    state: MailState
    reply: str
    delay: timedelta = timedelta()


async def claim_mails(ctx: Context, *, room: int, lease: timedelta = LEASE) -> list[Claim]:
    """Claim up to `room` mails that are due, the longest due first."""
    return [_claim(row) for row in await ctx.database.all(CLAIM, room=room, lease=lease)]


async def begin_hand_over(ctx: Context, claim: Claim, lease: timedelta = HAND_OVER_LEASE) -> bool:
    """Write that the message is about to be handed over. False where the claim is lost: then it must not be."""
    return bool(await ctx.database.value(BEGIN_HAND_OVER, id=claim.mail.id, token=claim.token, lease=lease))


async def settle(ctx: Context, claim: Claim, verdict: Verdict) -> bool:
    """Write what came of an attempt. False where the claim was lost before anything was handed over."""
    values = {"state": verdict.state.value, "reply": verdict.reply, "delay": verdict.delay}
    return bool(await ctx.database.value(SETTLE, id=claim.mail.id, token=claim.token, **values))


async def give_back(ctx: Context, claims: Sequence[Claim], *, reason: str | None, first_delay: float = 0.0) -> None:
    """Free mails that weren't sent, without counting a failure: due at once, the first after `first_delay` seconds."""
    delays = [first_delay, *(0.0 for _ in claims[1:])]
    values: dict[str, Any] = {"ids": [claim.mail.id for claim in claims], "tokens": [claim.token for claim in claims]}
    await ctx.database.run(GIVE_BACK, **values, delays=delays[: len(claims)], reply=reason)


def _claim(row: Row) -> Claim:
    values = dict(row)
    return Claim(values.pop("token"), values.pop("failures"), StoredMail(**values))
