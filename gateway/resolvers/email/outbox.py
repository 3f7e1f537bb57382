"""Enqueue emails in the transaction of an operation. Costs one row each: a worker renders and sends them.

An email with a known dedupe key is not enqueued again. The test environment of a store has a daily limit per kind of
email, because anyone may simulate payments there, with an address that they don't own.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import CTE, Float, Text, Uuid, bindparam, case, column, delete, func, literal_column, select, true
from sqlalchemy.dialects.postgresql import JSONB, Insert, insert

from gateway.models.accounts import users
from gateway.models.database import Executor, Statement
from gateway.models.emails import EmailState, emails
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.templates import TemplateData
from gateway.values.ids import new_id

MAX_TEST_EMAILS = 50
"""Emails of one kind about a store's test environment, in 24 hours."""
_COLUMNS = [
    *("id", "kind", "user_id", "environment", "recipient", "recipient_name", "template_data", "dedupe_key"),
    *("next_attempt_at", "created_at"),
]
_I = (
    func.jsonb_to_recordset(bindparam("emails", type_=JSONB))
    .table_valued(
        column("id", Uuid(as_uuid=False)),
        column("kind", Text),
        column("user_id", Uuid(as_uuid=False)),
        column("environment", Text),
        column("recipient", Text),
        column("recipient_name", Text),
        column("template_data", JSONB),
        column("dedupe_key", Text),
        column("wait", Float),
    )
    .render_derived(name="input", with_types=True)
)
_M = emails.alias("recent")
# The limit bounds the index entries that are read.
_recent = (
    select(_M.c.id)
    .where(
        _M.c.user_id == _I.c.user_id,
        _M.c.kind == _I.c.kind,
        _M.c.environment == literal_column("'test'"),
        _M.c.created_at > func.now() - literal_column("interval '1 day'"),
    )
    .limit(literal_column(str(MAX_TEST_EMAILS)))
    .correlate(_I)
)
_is_below_limit = select(func.count() < MAX_TEST_EMAILS).select_from(_recent.subquery("recent")).scalar_subquery()
_is_allowed = case((_I.c.environment == literal_column("'test'"), _is_below_limit), else_=true())


class Recipient(Struct, frozen=True):
    """The address and name of a recipient."""

    email: str
    name: str | None = None


class EmailMessage(Struct, frozen=True):
    """An email to enqueue. Without `to`, it goes to the current address of the store's owner.

    `wait`: seconds before it may be sent.
    """

    data: TemplateData
    store_id: str
    environment: str | None = None
    to: Recipient | None = None
    wait: float = 0.0


def insert_emails(act: CTE | None = None) -> Insert:
    """The INSERT of the bound `email_values`. With the CTE of an operation, it inserts nothing if that has no row."""
    values = [
        _I.c.id,
        _I.c.kind,
        _I.c.user_id,
        _I.c.environment,
        func.coalesce(_I.c.recipient, users.c.email),
        case((_I.c.recipient.is_(None), users.c.name), else_=_I.c.recipient_name),
        _I.c.template_data,
        _I.c.dedupe_key,
        func.now() + _I.c.wait * literal_column("interval '1 second'"),
        func.now(),
    ]
    owners = _I.join(users, users.c.id == _I.c.user_id)
    source = select(*values).select_from(owners if act is None else owners.join(act, literal_column("true")))
    source = source.where(_is_allowed)
    return insert(emails).from_select(_COLUMNS, source).on_conflict_do_nothing(index_elements=["dedupe_key"])


ENQUEUE = Statement(insert_emails())
CANCEL = Statement(
    delete(emails).where(
        emails.c.dedupe_key == bindparam("dedupe_key"),
        emails.c.state == EmailState.waiting.value,
        emails.c.sent_at.is_(None),
    )
)


def email_values(ctx: Context, messages: Sequence[EmailMessage]) -> dict[str, Any]:
    """The bound values of `insert_emails`, for any number of messages."""
    return {"emails": [_row(ctx, message) for message in messages]}


async def enqueue(ctx: Context, transaction: Executor, *messages: EmailMessage) -> None:
    """Enqueue messages in the transaction of an operation, in one statement."""
    if messages:
        await transaction.run(ENQUEUE, **email_values(ctx, messages))


async def cancel(transaction: Executor, data: TemplateData) -> None:
    """Delete an email that has not been sent, in the transaction that makes it untrue."""
    await transaction.run(CANCEL, dedupe_key=data.dedupe_key)


def _row(ctx: Context, message: EmailMessage) -> dict[str, Any]:
    to = message.to or Recipient("")
    return {
        "id": new_id(),
        "kind": message.data.kind,
        "user_id": message.store_id,
        "environment": message.environment,
        "recipient": to.email or None,
        "recipient_name": to.name,
        "template_data": _encrypt_secrets(ctx, message.data),
        "dedupe_key": message.data.dedupe_key,
        "wait": message.wait,
    }


def _encrypt_secrets(ctx: Context, data: TemplateData) -> dict[str, Any]:
    stored = data.model_dump(mode="json")
    encrypt = ctx.services.vault.encrypt
    return stored | {name: encrypt(stored[name]).decode() for name in data.secrets if stored[name] is not None}
