"""What all tables share: the metadata with its naming convention, and columns in the house's types.

Timestamps are `timestamptz`, money is BIGINT centavos with a CHECK, identifiers are UUIDs read as text, and an enum is
text with a CHECK over its values, so that a new value is an ordinary migration. SQLModel's table classes don't
validate: the truth about a row is what the database refuses.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    LargeBinary,
    MetaData,
    Table,
    Text,
    Uuid,
)
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from gateway.models.naming import NAMING

SQLModel.metadata.naming_convention = NAMING
# The validators of table classes would be built at import, and nobody ever asks for one (ADR 0036).
SQLModel.model_config["defer_build"] = True
metadata: MetaData = SQLModel.metadata


BY_TIME: Final = {"postgresql_partition_by": "RANGE (id)"}
"""What is declared of a table in parts by time: ids are UUIDv7 and begin with their time, so a part is a range of ids.

The audit trail has a part for each month (ADR 0037). Charges and events have one that is open at its end, which is
their only one until it has grown: then it is cut at the beginning of a month, or of a week, to come (ADR 0064).

A unique index of such a table would have to contain the id. What else is unique is so in each part, by an index of the
part's own, which the next part gets with the rest. Across a cut it holds by how rows come to be:

* A txid begins with the second of its charge's id, so no part of another second has it.
* A reference, and a cycle of a subscription, are an issuance's before they are a charge's, in a table that isn't cut.
  Whoever reserves one waits for the issuance that has it, and looks for its charge afterwards.
* An event comes in the statement in which what it tells of changes its state, which it does once.
"""


SOON = "interval '48 hours'"
"""Nearly all charges are paid, change for the last time and expire within that of being issued; most customers never
change.
"""


def strays(moment: str) -> str:
    """The rows whose `moment` doesn't come soon after they were created, as SQL."""
    return f"{moment} - created_at not between interval '0' and {SOON}"


SAME_TIME = timedelta(minutes=10)
"""An id begins with the moment at which it was made: that is within so much of when its row says it was created, before
or after it, for whoever makes a row makes its id.
"""
STRAY_IDS = (
    f"(uuid_extract_timestamp(id) - created_at between interval '-{SAME_TIME.seconds} seconds' "
    f"and interval '{SAME_TIME.seconds} seconds') is not true"
)
"""The rows of which that isn't so, as SQL: those that were brought from elsewhere, or made under another clock."""


class Environment(StrEnum):
    """The two worlds that every resource belongs to exactly one of (specification section 1, rule 2)."""

    test = "test"
    live = "live"


def table_of(model: type[SQLModel]) -> Table:
    """The Core table of a SQLModel class: what statements are written over."""
    return model.__table__  # type: ignore[attr-defined,no-any-return]  # SQLModel sets it on table classes.


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """The CHECK that keeps a text column inside an enum."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} in ({listed})", name=column)


def not_negative(column: str) -> CheckConstraint:
    """The CHECK of a money column, in centavos."""
    return CheckConstraint(f"{column} >= 0", name=column)


def identifier(
    *, primary: bool = False, references: str | None = None, optional: bool = False, generated: bool = False
) -> Any:
    """A UUID column; `references` names a foreign key's table and column, `generated` lets the database make it."""
    keys = [ForeignKey(references)] if references else []
    default = sql("uuidv7()") if generated else None
    column = Column(Uuid(as_uuid=False), *keys, primary_key=primary, nullable=optional, server_default=default)
    return Field(default=None, sa_column=column)


def text(*, primary: bool = False, optional: bool = False, default: str | None = None) -> Any:
    """A text column. Its maximum length is the input's business."""
    return Field(default=None, sa_column=Column(Text, primary_key=primary, nullable=optional, server_default=default))


def moment(*, optional: bool = False) -> Any:
    """A `timestamptz` column."""
    return Field(default=None, sa_column=Column(DateTime(timezone=True), nullable=optional))


def centavos(*, optional: bool = False, default: str | None = None) -> Any:
    """An amount of money as integer centavos."""
    return Field(default=None, sa_column=Column(BigInteger, nullable=optional, server_default=default))


SEALED = "sealed"
"""The mark of a column that holds secrets: what is resealed after a new `GATEWAY_SECRET_KEY` is found by it."""


def sealed(*, optional: bool = False) -> Any:
    """A secret, encrypted at rest by `gateway.security.Vault`."""
    return Field(default=None, sa_column=Column(LargeBinary, nullable=optional, info={SEALED: True}))


def json_object(name: str) -> Any:
    """A JSONB column with an object in it. Named, because `metadata` is taken on a table class."""
    return Field(default=None, sa_column=Column(name, JSONB, nullable=False, server_default="{}"))
