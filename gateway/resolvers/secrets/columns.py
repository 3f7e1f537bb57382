"""Where secrets are at rest, and the statements that ask which key sealed them. Columns are found by their mark in the
models, and emails' secrets by their templates, so a new one can't be forgotten.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    LargeBinary,
    Table,
    any_,
    bindparam,
    func,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from gateway.models.base import SEALED
from gateway.models.database import Statement
from gateway.models.emails import EmailKind, EmailState, emails
from gateway.models.tables import metadata
from gateway.resolvers.email.rendering import TEMPLATES
from gateway.security import Vault

BATCH = 500
_now_sealed = bindparam("now_sealed", type_=LargeBinary)


class SealedColumn(Struct, frozen=True):
    """One column of secrets. `count` binds `mark` (the newest key's) and `marks` (all that can be opened);
    `stale` finds a batch of what another key sealed, beyond the row `last`; `replace` changes a secret that is
    still the one that was read.
    """

    name: str
    count: Statement
    first: Statement
    stale: Statement
    replace: Statement


class _Place(Struct, frozen=True):
    """Secrets of a table: the bytes of each, in which rows they are, and what a row is given to hold another."""

    table: Table
    secret: ColumnElement[Any]
    where: tuple[ColumnElement[bool], ...]
    values: dict[str, Any]


def _sealed(name: str, place: _Place) -> SealedColumn:
    (key,) = place.table.primary_key.columns
    secret = place.secret
    begins = func.substring(secret, 1, Vault.MARK_LENGTH)
    mark = bindparam("mark", type_=LargeBinary)
    sealed_before_marks = func.substring(secret, 1, 1) != func.decode("k", "escape")
    opens = begins == any_(bindparam("marks", type_=ARRAY(LargeBinary)))
    found = select(key.label("id"), secret.label("sealed")).where(*place.where, begins != mark)
    stale = found.order_by(key).limit(BATCH)
    return SealedColumn(
        name,
        Statement(
            select(
                func.count().filter(begins == mark).label("current"),
                func.count().filter((begins != mark) & (opens | sealed_before_marks)).label("stale"),
                func.count().filter(~opens & ~sealed_before_marks).label("lost"),
            ).where(*place.where, secret.is_not(None))
        ),
        Statement(stale),
        Statement(stale.where(key > bindparam("last", type_=key.type))),
        Statement(
            update(place.table)
            .where(key == bindparam("row_id", type_=key.type), secret == bindparam("was", type_=LargeBinary))
            .values(place.values)
        ),
    )


def _columns() -> Iterator[SealedColumn]:
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.info.get(SEALED) is True:
                yield _sealed(f"{table.name}.{column.name}", _column(column))


def _column(column: Column[bytes]) -> _Place:
    # Of what is deleted in steps the secret goes first, and an empty one is none.
    there = func.octet_length(column) > literal_column("0")
    return _Place(column.table, column, (there,), {column.name: _now_sealed})


def _waiting_mails() -> Iterator[SealedColumn]:
    """The secrets of emails that are not sent yet. The others are never decrypted again."""
    for name in dict.fromkeys(name for facts in TEMPLATES.values() for name in facts.secrets):
        yield _sealed(
            f"emails.template_data.{name}",
            _fact([kind for kind, data in TEMPLATES.items() if name in data.secrets], name),
        )


def _fact(kinds: Sequence[EmailKind], name: str) -> _Place:
    facts: ColumnElement[Any] = emails.c.template_data
    waiting = (emails.c.kind.in_([kind.value for kind in kinds]), emails.c.state == EmailState.waiting.value)
    told = func.jsonb_build_object(name, func.convert_from(_now_sealed, "UTF8"), type_=JSONB)
    return _Place(emails, func.convert_to(facts[name].astext, "UTF8"), waiting, {"template_data": facts.concat(told)})


SEALED_COLUMNS = [*_columns(), *_waiting_mails()]
