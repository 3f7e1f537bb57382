"""The mails as they would go out, for the inbox of developers. No operation shows them:
they hold other people's data.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.models.mail import MailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.claims import PROOF
from gateway.resolvers.mail.rendering import StoredMail, render
from gateway.telemetry import log

MOST = 100

_SELECT = f"""
select m.id, m.kind, m.recipient, m.recipient_name, m.facts, m.dedupe_key, m.created_at, {PROOF}, m.state, m.reply
  from mails m
"""  # noqa: S608  # Constants of ours.
NEWEST = Statement(text(f"{_SELECT} order by m.created_at desc, m.id limit {MOST}"))
BY_ID = Statement(text(f"{_SELECT} where m.id = :id"))


class DrawnLetter(Struct, frozen=True):
    """A mail, drawn. One that can't be has its reason as its subject, and nothing else."""

    id: str
    kind: str
    state: str
    reply: str | None
    recipient: str
    created_at: datetime
    subject: str
    headers: dict[str, str]
    text: str
    html: str
    content: bytes


async def read_letters(ctx: Context) -> Sequence[DrawnLetter]:
    """The newest hundred, newest first."""
    return [_drawn(ctx, row) for row in await ctx.database.all(NEWEST)]


async def read_letter(ctx: Context, letter_id: str) -> DrawnLetter | None:
    """One of them."""
    row = await ctx.database.one(BY_ID, id=letter_id)
    return _drawn(ctx, row) if row is not None else None


def _drawn(ctx: Context, row: Row) -> DrawnLetter:
    values = dict(row)
    state, reply = MailState(values.pop("state")).name, values.pop("reply")
    mail = StoredMail(**values)
    subject, headers, plain, html, content = _parts(ctx, mail)
    return DrawnLetter(
        id=mail.id,
        kind=mail.kind,
        state=state,
        reply=reply,
        recipient=mail.recipient,
        created_at=mail.created_at,
        subject=subject,
        headers=headers,
        text=plain,
        html=html,
        content=content,
    )


def _parts(ctx: Context, mail: StoredMail) -> tuple[str, dict[str, str], str, str, bytes]:
    try:
        rendered = render(ctx.settings, ctx.services.vault, mail)
    except ValueError as error:
        log.warning("mail_not_rendered", mail_id=mail.id, kind=mail.kind, error=type(error).__name__)
        return f"(não foi possível montar: {type(error).__name__})", {}, "", "", b""
    return (
        rendered.headers["Subject"],
        dict(rendered.headers),
        rendered.text,
        rendered.standalone_html,
        rendered.content,
    )
