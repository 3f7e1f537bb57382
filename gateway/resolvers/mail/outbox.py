"""Queueing mails, in the statement or the transaction of the act that they tell of.

Nothing is rendered here and no relay is asked: a mail costs its act one row. A mail whose key is known already is not
queued again, and never fails its act. About a store's test environment only so many are queued a day: there anybody
simulates as many payments as they like, and need not have shown that the address is theirs.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import CTE, Float, Text, Uuid, bindparam, case, column, delete, func, literal_column, select, true
from sqlalchemy.dialects.postgresql import JSONB, Insert, insert

from gateway.models.accounts import users
from gateway.models.database import Executor, Statement
from gateway.models.mail import MailState, mails
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.facts import Facts
from gateway.values.ids import new_id

MOST_OF_TEST = 50
"""Mails of one kind about a store's test environment, in 24 hours."""
_COLUMNS = [
    "id",
    "kind",
    "user_id",
    "environment",
    "recipient",
    "recipient_name",
    "facts",
    "dedupe_key",
    "next_attempt_at",
    "created_at",
]


_G = (
    func.jsonb_to_recordset(bindparam("mails", type_=JSONB))
    .table_valued(
        column("id", Uuid(as_uuid=False)),
        column("kind", Text),
        column("user_id", Uuid(as_uuid=False)),
        column("environment", Text),
        column("recipient", Text),
        column("recipient_name", Text),
        column("facts", JSONB),
        column("dedupe_key", Text),
        column("wait", Float),
    )
    .render_derived(name="given", with_types=True)
)


_M = mails.alias("lately")
# Ended at the bound, so that it reads no more entries than there may be mails.
_lately = (
    select(_M.c.id)
    .where(
        _M.c.user_id == _G.c.user_id,
        _M.c.kind == _G.c.kind,
        _M.c.environment == literal_column("'test'"),
        _M.c.created_at > func.now() - literal_column("interval '1 day'"),
    )
    .limit(literal_column(str(MOST_OF_TEST)))
    .correlate(_G)
)
_are_few = select(func.count() < MOST_OF_TEST).select_from(_lately.subquery("lately")).scalar_subquery()
_WANTED = case((_G.c.environment == literal_column("'test'"), _are_few), else_=true())


class Mailbox(Struct, frozen=True):
    """Whom a mail goes to."""

    email: str
    name: str | None = None


class Letter(Struct, frozen=True):
    """A mail to queue. Without `to` it goes to the store's holder, at the address that they have now.

    `wait`: seconds before it may be sent.
    """

    facts: Facts
    store_id: str
    environment: str | None = None
    to: Mailbox | None = None
    wait: float = 0.0


def queueing(act: CTE | None = None) -> Insert:
    """The insertion of the bound `letters_of`. With the CTE of an act, once for its one row: nothing acted, nothing
    queued.
    """
    written = [
        _G.c.id,
        _G.c.kind,
        _G.c.user_id,
        _G.c.environment,
        func.coalesce(_G.c.recipient, users.c.email),
        case((_G.c.recipient.is_(None), users.c.name), else_=_G.c.recipient_name),
        _G.c.facts,
        _G.c.dedupe_key,
        func.now() + _G.c.wait * literal_column("interval '1 second'"),
        func.now(),
    ]
    holders = _G.join(users, users.c.id == _G.c.user_id)
    source = select(*written).select_from(holders if act is None else holders.join(act, literal_column("true")))
    source = source.where(_WANTED)
    return insert(mails).from_select(_COLUMNS, source).on_conflict_do_nothing(index_elements=["dedupe_key"])


QUEUE = Statement(queueing())
DISCARD = Statement(
    delete(mails).where(
        mails.c.dedupe_key == bindparam("dedupe_key"),
        mails.c.state == MailState.waiting.value,
        mails.c.handed_at.is_(None),
    )
)


def letters_of(ctx: Context, letters: Sequence[Letter]) -> dict[str, Any]:
    """The bound values of `queueing`: any number of letters, also none."""
    return {"mails": [_row(ctx, letter) for letter in letters]}


async def queue(ctx: Context, transaction: Executor, *letters: Letter) -> None:
    """Queue letters in the transaction of the act, in one statement however many they are."""
    if letters:
        await transaction.run(QUEUE, **letters_of(ctx, letters))


async def discard(transaction: Executor, facts: Facts) -> None:
    """Take a mail back that nobody has been handed, in the transaction of what it would wrongly tell of."""
    await transaction.run(DISCARD, dedupe_key=facts.dedupe_key)


def _row(ctx: Context, letter: Letter) -> dict[str, Any]:
    to = letter.to or Mailbox("")
    return {
        "id": new_id(),
        "kind": letter.facts.kind,
        "user_id": letter.store_id,
        "environment": letter.environment,
        "recipient": to.email or None,
        "recipient_name": to.name,
        "facts": _sealed(ctx, letter.facts),
        "dedupe_key": letter.facts.dedupe_key,
        "wait": letter.wait,
    }


def _sealed(ctx: Context, facts: Facts) -> dict[str, Any]:
    """The facts as they are stored: their secrets encrypted."""
    stored = facts.model_dump(mode="json")
    seal = ctx.services.vault.seal
    return stored | {name: seal(stored[name]).decode() for name in facts.secrets if stored[name] is not None}
