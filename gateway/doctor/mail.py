"""Mail: whether the relay would take one, and what has become of those that wait."""

from collections.abc import AsyncIterator

import asyncpg

from gateway.doctor.asking import NOT_TOLD, ask
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.integrations.smtp.client import Relay, RelayError
from gateway.settings import Settings

_COUNTS = """
    select count(*) filter (where state = 0) as waiting,
           count(*) filter (where state in (2, 3) and finished_at > now() - interval '1 day') as unsent
      from emails where state <> 1
"""


async def mail(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about mail. No mail is sent: the relay is asked for leave, and that is taken back. Figures are left
    out where the database can't tell them, which it is asked elsewhere.
    """
    sender = settings.mail_sender
    counts = await _counted(settings)
    address = settings.relay
    if address is None:
        waiting = "mails" if counts is None else counts["waiting"]
        yield mind("mail", f"no relay, so {waiting} wait and each is given up after 3 days; set GATEWAY_SMTP_URL")
    else:
        yield await _asked(Relay(address, helo=sender.domain), sender.addr_spec)
        if not address.tls and address.starttls is False and address.password:
            yield mind("mail", "the relay's password goes over the wire unencrypted; use smtps:// or STARTTLS")
    if address is not None and settings.mail_from is None:
        yield mind("mail", f"sent as {sender.addr_spec}, which nobody may own; set GATEWAY_MAIL_FROM")
    if counts is not None and counts["unsent"]:
        yield mind(
            "mail",
            f"{counts['unsent']} refused, given up or uncertain in the last day; docs/mail.md says how to see why",
        )


async def _counted(settings: Settings) -> asyncpg.Record | None:
    try:
        return await ask(settings, _COUNTS)
    except NOT_TOLD:
        return None


async def _asked(relay: Relay, sender: str) -> Finding:
    try:
        async with relay.connect() as conversation:
            await conversation.check_sender(sender)
    except RelayError as error:
        return mend("mail", f"the relay doesn't serve: {error}; look at GATEWAY_SMTP_URL and GATEWAY_MAIL_FROM")
    return good("mail", f"{relay.address} takes mails from {sender}")
