"""Claim due emails, and record the result of sending them. All times are the database's.

An email is sent at most once (ADR 0020). A claim is a lease with a token, and is safe to lose: nothing has been sent.
Just before the message is sent, `mark_sending` sets `sent_at`. From then on no other worker sends this email, even if
the sender dies; `record_result` stores the result, or it stays unknown.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.models.emails import EmailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.rendering import StoredEmail

LEASE = timedelta(seconds=120)
"""For the emails before it on the same connection, and for all steps before sending."""
SENDING_LEASE = timedelta(seconds=90)
"""Longer than the timeout of sending: a sender that exceeds it has died."""
RETRY_DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360))
"""From each failure to the next attempt (engine reference, part E): six attempts in some nine hours."""
DISCONNECT_DELAY_SECONDS = 60.0
"""For an email at which the relay closed the connection, so that it doesn't block all others."""

END_TO_END_ID = """
case when m.template_data ->> 'end_to_end_id' is null and m.template_data ->> 'charge_id' is not null then (
    select c.end_to_end_id from charges c where c.id = cast(m.template_data ->> 'charge_id' as uuid)
) end as end_to_end_id
"""
"""The EndToEndId of a payment, if it came after the email was enqueued."""
CLAIM = Statement(
    text(f"""
with due as (
    select id, next_attempt_at from emails
     where state = 0 and sent_at is null and next_attempt_at <= now()
     order by next_attempt_at limit :max
       for update skip locked
), claimed as (
    update emails m
       set lease_token = gen_random_uuid(), lease_until = now() + :lease, next_attempt_at = now() + :lease
      from due
     where m.id = due.id
    returning m.*, m.lease_token as token, {END_TO_END_ID}, due.next_attempt_at as was_due
)
select token, failures, id, kind, recipient, recipient_name, template_data, dedupe_key, created_at, end_to_end_id
  from claimed order by was_due, id
""")  # noqa: S608  # Constants of ours.
)
MARK_SENDING = Statement(
    text("""
update emails set sent_at = now(), lease_until = now() + :lease
 where id = :id and lease_token = :token and state = 0 and sent_at is null and lease_until > now()
returning true
""")
)
# State 3 is unknown: the sender was frozen, and has resumed with the result.
RECORD_RESULT = Statement(
    text("""
update emails m
   set state = result.state,
       failures = m.failures + case when result.state = 1 then 0 else 1 end,
       smtp_response = :smtp_response,
       next_attempt_at = now() + :delay,
       lease_token = case when result.state <> 0 then m.lease_token end,
       lease_until = null,
       sent_at = case when result.state <> 0 then m.sent_at end,
       finished_at = case when result.state <> 0 then now() end
  from (select cast(:state as smallint) as state) result
 where m.id = :id and m.lease_token = :token and m.state in (0, 3)
returning true
""")
)
RELEASE = Statement(
    text("""
update emails m
   set lease_token = null, lease_until = null, smtp_response = coalesce(:smtp_response, m.smtp_response),
       next_attempt_at = now() + claim.delay * interval '1 second'
  from unnest(cast(:ids as uuid[]), cast(:tokens as uuid[]), cast(:delays as float8[])) as claim(id, token, delay)
 where m.id = claim.id and m.lease_token = claim.token and m.state = 0 and m.sent_at is null
""")
)


class Claim(Struct, frozen=True):
    """An email that this worker may send until the lease expires."""

    token: str
    failures: int
    email: StoredEmail


class SendResult(Struct, frozen=True):
    """The state of an email after an attempt. `delay`: until the next attempt, if it waits for one."""

    state: EmailState
    smtp_response: str
    delay: timedelta = timedelta()


def retry_later(failures: int, smtp_response: str, *, scale: float = 1.0) -> SendResult:
    """The result for an email that the relay deferred, after `failures` earlier failures."""
    if failures >= len(RETRY_DELAYS):
        return SendResult(EmailState.failed, smtp_response)
    return SendResult(EmailState.waiting, smtp_response, RETRY_DELAYS[failures] * scale)


async def claim_emails(ctx: Context, *, limit: int, lease: timedelta = LEASE) -> list[Claim]:
    """Claim up to `limit` due emails, in order of their due time."""
    return [_claim(row) for row in await ctx.database.all(CLAIM, max=limit, lease=lease)]


async def mark_sending(ctx: Context, claim: Claim, lease: timedelta = SENDING_LEASE) -> bool:
    """Record that the message is about to be sent. False if the claim is lost: then it must not be sent."""
    return bool(await ctx.database.value(MARK_SENDING, id=claim.email.id, token=claim.token, lease=lease))


async def record_result(ctx: Context, claim: Claim, result: SendResult) -> bool:
    """Record the result of an attempt. False if the claim was lost before sending."""
    values = {"state": result.state.value, "smtp_response": result.smtp_response, "delay": result.delay}
    return bool(await ctx.database.value(RECORD_RESULT, id=claim.email.id, token=claim.token, **values))


async def release(ctx: Context, claims: Sequence[Claim], *, reason: str | None, first_delay: float = 0.0) -> None:
    """Release emails that were not sent, without a failure: due at once, the first after `first_delay` seconds."""
    delays = [first_delay, *(0.0 for _ in claims[1:])]
    values: dict[str, Any] = {"ids": [claim.email.id for claim in claims], "tokens": [claim.token for claim in claims]}
    await ctx.database.run(RELEASE, **values, delays=delays[: len(claims)], smtp_response=reason)


def _claim(row: Row) -> Claim:
    values = dict(row)
    return Claim(values.pop("token"), values.pop("failures"), StoredEmail(**values))
