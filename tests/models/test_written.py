"""A query that statements have in common, written once: the text and the values are what compiling it anew gives."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ARRAY, Interval, Text, bindparam, column, func, literal, select
from sqlalchemy.dialects.postgresql import TIMESTAMP

from gateway.models.database import Database, Statement, written
from gateway.resolvers.listing.filters import unseen

_WHEN, _LIST = bindparam("moment", type_=TIMESTAMP(timezone=True)), bindparam("texts", type_=ARRAY(Text()))
COMMON = select(
    func.concat(literal("a:b :moment 100% \\ "), func.extract("year", _WHEN)).label("said"),
    func.cardinality(_LIST).label("many"),
).where(func.now() - _WHEN < bindparam("age", type_=Interval()))
OTHER = select(func.max(_WHEN)).scalar_subquery()


def beside(common: Any) -> Any:
    """What they have in common, and something of their own, which binds one of the names as well."""
    inner = common.subquery("inner")
    return select(inner.c.said, inner.c.many, OTHER.label("moment"), bindparam("own", type_=Text()).label("own"))


def as_text() -> Any:
    return written(COMMON).columns(column("said", Text()), column("many"))


def test_it_is_the_text_that_each_would_have() -> None:
    assert Statement(beside(as_text())).sql == Statement(beside(COMMON)).sql
    assert Statement(unseen(beside(as_text()))).sql == Statement(unseen(beside(COMMON))).sql


async def test_what_it_binds_is_bound_by_name(database: Database) -> None:
    now = datetime.now(UTC)
    values = {"moment": now, "texts": ["x", "y"], "age": timedelta(hours=1), "own": "z"}
    statement = Statement(unseen(beside(as_text())))
    row = await database.one(statement, **values)
    assert row is not None
    assert tuple(row) == (f"a:b :moment 100% \\ {now.year}", 2, now, "z")
