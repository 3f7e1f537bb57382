"""The column types of all tables.

Table classes declare columns, for statements. `tables.sql` creates them, with constraints and indexes; a test compares
the columns of both. Timestamps are `timestamptz`, money is BIGINT centavos with a CHECK, ids are UUIDs read as text. An
enum is text with a CHECK over its values, so that a new value is an ordinary migration. Table classes don't validate;
the database does.
"""

from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, Column, Computed, DateTime, ForeignKey, LargeBinary, MetaData, Table, Text, Uuid
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

# Otherwise validators of table classes are built at import, and never used.
SQLModel.model_config["defer_build"] = True
metadata: MetaData = SQLModel.metadata


class Environment(StrEnum):
    """Every resource belongs to exactly one environment (specification section 1, rule 2)."""

    test = "test"
    live = "live"


def table_of(model: type[SQLModel]) -> Table:
    """The Core table of a SQLModel class, for statements."""
    return model.__table__  # type: ignore[attr-defined,no-any-return]  # SQLModel sets it on table classes.


def column(kind: Any, *, primary: bool = False, optional: bool = False, default: Any = None) -> Any:
    """A column of any type, with SQL's `default`."""
    return Field(default=None, sa_column=Column(kind, primary_key=primary, nullable=optional, server_default=default))


def uuid_column(
    *, primary: bool = False, references: str | None = None, optional: bool = False, generated: bool = False
) -> Any:
    """A UUID column; `references` names a foreign key's table and column, `generated` lets the database generate it."""
    keys = [ForeignKey(references)] if references else []
    default = sql("uuidv7()") if generated else None
    uuid = Column(Uuid(as_uuid=False), *keys, primary_key=primary, nullable=optional, server_default=default)
    return Field(default=None, sa_column=uuid)


def text_column(*, primary: bool = False, optional: bool = False, default: str | None = None) -> Any:
    """A text column. Inputs check the maximum length."""
    return column(Text, primary=primary, optional=optional, default=default)


def search_column(*columns: str) -> Any:
    """The stored text that `q` searches: these columns, normalized (`listing.search`)."""
    computed = Computed(f"search_text(variadic array[{', '.join(columns)}])", persisted=True)
    return Field(default=None, sa_column=Column("search", Text, computed, nullable=False))


def timestamp_column(*, optional: bool = False) -> Any:
    """A `timestamptz` column."""
    return column(DateTime(timezone=True), optional=optional)


def money_column(*, optional: bool = False, default: str | None = None) -> Any:
    """An amount of money as integer centavos."""
    return column(BigInteger, optional=optional, default=default)


ENCRYPTED = "encrypted"
"""Marks a column of secrets, to be encrypted again after a new `GATEWAY_SECRET_KEY`."""


def encrypted(*, optional: bool = False) -> Any:
    """A secret, encrypted at rest by `gateway.security.Vault`."""
    return Field(default=None, sa_column=Column(LargeBinary, nullable=optional, info={ENCRYPTED: True}))


def json_object(name: str) -> Any:
    """A JSONB column with an object in it. Named, because `metadata` is taken on a table class."""
    return Field(default=None, sa_column=Column(name, JSONB, nullable=False, server_default="{}"))
