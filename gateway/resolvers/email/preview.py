"""Stored emails as they would be sent, for the inbox of `gateway dev`. No operation returns them: they hold others'
data.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import text

from gateway.models.database import Row, Statement
from gateway.models.emails import EmailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.claims import END_TO_END_ID
from gateway.resolvers.email.rendering import StoredEmail, render
from gateway.telemetry import log

MAX_EMAILS = 100

_SELECT = f"""
select m.id, m.kind, m.recipient, m.recipient_name, m.template_data, m.dedupe_key, m.created_at, {END_TO_END_ID},
       m.state, m.smtp_response
  from emails m
"""  # noqa: S608  # Constants of ours.
NEWEST = Statement(text(f"{_SELECT} order by m.created_at desc, m.id limit {MAX_EMAILS}"))
BY_ID = Statement(text(f"{_SELECT} where m.id = :id"))


class EmailPreview(Struct, frozen=True):
    """A rendered email. If rendering fails, the subject is the reason, and all else is empty."""

    id: str
    kind: str
    state: str
    smtp_response: str | None
    recipient: str
    created_at: datetime
    subject: str
    headers: dict[str, str]
    text: str
    html: str
    content: bytes


async def preview_emails(ctx: Context) -> Sequence[EmailPreview]:
    """The newest hundred, newest first."""
    return [_preview(ctx, row) for row in await ctx.database.all(NEWEST)]


async def preview_email(ctx: Context, email_id: str) -> EmailPreview | None:
    row = await ctx.database.one(BY_ID, id=email_id)
    return _preview(ctx, row) if row is not None else None


def _preview(ctx: Context, row: Row) -> EmailPreview:
    values = dict(row)
    state, smtp_response = EmailState(values.pop("state")).name, values.pop("smtp_response")
    email = StoredEmail(**values)
    own = (email.id, email.kind, state, smtp_response, email.recipient, email.created_at)
    try:
        rendered = render(ctx.settings, ctx.services.vault, email)
    except ValueError as error:
        log.warning("mail_not_rendered", mail_id=email.id, kind=email.kind, error=type(error).__name__)
        return EmailPreview(*own, f"(não foi possível montar: {type(error).__name__})", {}, "", "", b"")
    headers = dict(rendered.headers)
    return EmailPreview(*own, headers["Subject"], headers, rendered.text, rendered.standalone_html, rendered.content)
