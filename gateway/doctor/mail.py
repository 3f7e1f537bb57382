"""Mail: whether the relay would take one, and what has become of those that wait."""

from collections.abc import AsyncIterator

import asyncpg

from gateway.doctor.findings import Finding, good, mend, mind
from gateway.settings import Settings
from gateway.smtp.relay import Relay, RelayError

_COUNTS = """
    select count(*) filter (where state = 0) as waiting,
           count(*) filter (where state in (2, 3) and finished_at > now() - interval '1 day') as unsent
      from mails where state <> 1
"""


async def mail(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about mail. No mail is sent: the relay is asked for leave, and that is taken back."""
    sender = settings.mail_sender
    waiting, unsent = await _counts(settings)
    address = settings.relay
    if address is None:
        yield mind("mail", f"no relay, so {waiting} wait and each is given up after 3 days; set GATEWAY_SMTP_URL")
    else:
        yield await _asked(Relay(address, helo=sender.domain), sender.addr_spec)
        if not address.tls and address.starttls is False and address.password:
            yield mind("mail", "the relay's password goes over the wire unencrypted; use smtps:// or STARTTLS")
    if address is not None and settings.mail_from is None:
        yield mind("mail", f"sent as {sender.addr_spec}, which nobody may own; set GATEWAY_MAIL_FROM")
    if unsent:
        yield mind("mail", f"{unsent} refused, given up or uncertain in the last day; docs/mail.md says how to see why")


async def _asked(relay: Relay, sender: str) -> Finding:
    try:
        async with relay.conversation() as conversation:
            await conversation.greet(sender)
    except RelayError as error:
        return mend("mail", f"the relay doesn't serve: {error}; look at GATEWAY_SMTP_URL and GATEWAY_MAIL_FROM")
    return good("mail", f"{relay.address} takes mails from {sender}")


async def _counts(settings: Settings) -> tuple[int, int]:
    """How many wait, and how many ended unsent; none, where the database can't say, which it is asked elsewhere."""
    try:
        connection = await asyncpg.connect(settings.asyncpg_dsn, timeout=5)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError):
        return 0, 0
    try:
        row = await connection.fetchrow(_COUNTS)
    except asyncpg.UndefinedTableError:
        return 0, 0
    finally:
        await connection.close()
    return row["waiting"], row["unsent"]
