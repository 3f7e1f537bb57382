"""The SQL of a list. A page finds ids in the index of its order and reads the rows of the page last.

Each combination of filters, order and window is compiled once.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    FromClause,
    Select,
    bindparam,
    func,
    literal_column,
    select,
    true,
)
from sqlalchemy import cast as cast_in_sql
from sqlalchemy.sql.visitors import ExternallyTraversible, replacement_traverse

from gateway.models.database import Statement, StatementCache
from gateway.resolvers.core.listing.cursors import UNBOUNDED, Bounds, Order
from gateway.resolvers.core.listing.definition import Listing, Shape
from gateway.resolvers.core.listing.search import Condition
from gateway.resolvers.core.listing.totals import MAX_COUNTED

P = ParamSpec("P")
_LIMIT, _OFFSET = bindparam("limit", type_=BigInteger()), bindparam("offset", type_=BigInteger())
_ONE_MORE: ColumnElement[int] = literal_column(str(MAX_COUNTED + 1))
_NO_LIMIT = select(literal_column("null::bigint")).scalar_subquery()
"""No limit, but the planner assumes one, and prefers plans with a fast first row."""

_NULL: ColumnElement[int] = literal_column("null::bigint")


def _sum(amount: ColumnElement[Any]) -> ColumnElement[Any]:
    return cast_in_sql(func.sum(amount), BigInteger).label("amount")


def compiled(build: Callable[Concatenate["Queries", P], Select[Any]]) -> Callable[Concatenate["Queries", P], Statement]:
    """A method that builds a query becomes one that returns its statement, compiled once for each combination."""

    def statement(queries: "Queries", *combination: P.args, **_: P.kwargs) -> Statement:
        return queries.statements.of(build, *combination)

    statement.__doc__ = build.__doc__
    return cast("Callable[Concatenate[Queries, P], Statement]", statement)


def _as_subquery(element: ExternallyTraversible, **_: Any) -> ExternallyTraversible | None:
    if isinstance(element, BindParameter) and element.key in {"user_id", "environment"}:
        return select(element).scalar_subquery()
    return None


class Queries:
    """The statements of one list. Those of pages bind `limit` and `offset`, and what their cursors bind."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self.names = listing.names
        self.summed = None if listing.summed is None else listing.summed.name
        self._id = listing.table.c.id
        self._amount = (_NULL if listing.summed is None else listing.summed).label("amount")
        self._source: FromClause = listing.table if listing.relation is None else listing.relation
        self.statements = StatementCache(lambda build, *combination: build(self, *combination))

    @compiled
    def page(self, shape: Shape, order: Order, bounds: Bounds) -> Select[Any]:
        """The rows of a page."""
        return self._page(shape, order, bounds)

    @compiled
    def page_with_total(self, shape: Shape, order: Order, bounds: Bounds) -> Select[Any]:
        """The same, with the capped total as a last column, `total`."""
        return self._page(shape, order, bounds, self._capped_count(shape).scalar_subquery().label("total"))

    @compiled
    def first_page(self, order: Order, limit: int) -> Select[Any]:
        """The first `limit` rows of the list without filters, with the capped total.

        PostgreSQL caches one plan for all stores: the limit is a literal, and the scope comes from subqueries.
        """
        total = self._capped_count(Shape()).scalar_subquery().label("total")
        page = self._rows_of(self._ids(Shape(), order, UNBOUNDED).limit(limit), order, UNBOUNDED, total)
        return cast("Select[Any]", replacement_traverse(page, {}, _as_subquery))

    @compiled
    def page_of_hits(self, shape: Shape, order: Order, bounds: Bounds) -> Select[Any]:
        """The same for a search: reads all hits and sorts them. More than `MAX_COUNTED`: one row, the total."""
        hits = self._ids(shape, order, bounds).order_by(None).limit(_ONE_MORE).cte("hits").prefix_with("materialized")
        counted = select(func.count().label("total")).select_from(hits).cte("counted")
        few = select(counted.c.total <= MAX_COUNTED).scalar_subquery()
        sorted_ = select(hits).where(few).order_by(*order.sorted(hits.c.position, hits.c.id, backward=bounds.backward))
        page = sorted_.limit(_LIMIT).offset(_OFFSET).subquery("page")
        rows = counted.outerjoin(page.join(self._source, self._id == page.c.id), true())
        found = select(*self._listing.columns, counted.c.total).select_from(rows)
        return found.order_by(*order.sorted(page.c.position, page.c.id, backward=bounds.backward))

    @compiled
    def count(self, shape: Shape) -> Select[Any]:
        """How many `rows` there are, `MAX_COUNTED + 1` at most, and the sum of their `amount`."""
        return self._count(shape, MAX_COUNTED + 1)

    @compiled
    def count_exactly(self, shape: Shape) -> Select[Any]:
        """How many `rows` there are, and the sum of their `amount`."""
        return self._count(shape)

    @compiled
    def slices(self, reference: str, shape: Shape, order: Order, bounds: Bounds) -> Select[Any]:
        """A page for each of `:parents`, the ids in the column `reference`."""
        # One scan of an index for each parent, which stops at the limit.
        parents, of = self._parents(reference), self._listing.table.c[reference]
        ids = self._ids(shape, order, bounds, of == parents.c.id).limit(_LIMIT).offset(_OFFSET)
        page = ids.correlate(parents).lateral("page")
        rows = select(*self._listing.columns).select_from(
            parents.join(page, true()).join(self._source, self._id == page.c.id)
        )
        return rows.order_by(*order.sorted(page.c.position, page.c.id, backward=bounds.backward))

    @compiled
    def counts_per(self, reference: str, shape: Shape, limit: int | None) -> Select[Any]:
        """As `count`, for each `parent` of `:parents`."""
        parents, of = self._parents(reference), self._listing.table.c[reference]
        found = (
            self._found(shape, of == parents.c.id)
            .add_columns(literal_column("1").label("one"), self._amount)
            .limit(limit)
        )
        some = found.correlate(parents).lateral("some")
        counted = select(parents.c.id.label("parent"), func.count(some.c.one).label("rows"), _sum(some.c.amount))
        return counted.select_from(parents.outerjoin(some, true())).group_by(parents.c.id)

    @compiled
    def export(self, shape: Shape, order: Order, columns: tuple[str, ...]) -> Select[Any]:
        """These columns of all rows."""
        named = dict(zip(self._listing.names, self._listing.columns, strict=True))
        found = self._found(shape).add_columns(*(named[name] for name in columns))
        return found.order_by(*order.sorted(order.expression, self._id)).limit(_NO_LIMIT)

    def _found(self, shape: Shape, *more: Condition) -> Select[Any]:
        of_store: list[Condition] = []
        if self._listing.parents is not None:
            column, ids = self._listing.parents
            of_store = [column.in_(ids)]
        return self._selected(shape, *of_store, *more)

    def _selected(self, shape: Shape, *more: Condition) -> Select[Any]:
        return select().select_from(self._source).where(*self._listing.conditions(shape), *more)

    def _ids(self, shape: Shape, order: Order, bounds: Bounds, *more: Condition) -> Select[Any]:
        """The id and position of the rows within bounds, in the order."""
        if self._listing.parents is not None:
            return self._ids_per_parent(shape, order, bounds, *self._listing.parents)
        return self._ids_of(self._selected(shape, *more), order, bounds)

    def _ids_of(self, found: Select[Any], order: Order, bounds: Bounds) -> Select[Any]:
        ids = found.where(*bounds.conditions(order, self._id)).add_columns(
            self._id.label("id"), order.expression.label("position")
        )
        return ids.order_by(*order.sorted(order.expression, self._id, backward=bounds.backward))

    def _ids_per_parent(
        self, shape: Shape, order: Order, bounds: Bounds, column: Column[Any], ids: Select[Any]
    ) -> Select[Any]:
        """The same, of the first rows of each parent: one scan of an index for each, which stops at the limit."""
        parent = ids.subquery("parent")
        found = self._selected(shape, column == parent.c[0])
        first = self._ids_of(found, order, bounds).limit(_LIMIT + _OFFSET).correlate(parent).lateral("first")
        rows = select(first.c.id, first.c.position).select_from(parent.join(first, true()))
        return rows.order_by(*order.sorted(first.c.position, first.c.id, backward=bounds.backward))

    def _page(self, shape: Shape, order: Order, bounds: Bounds, *more: ColumnElement[Any]) -> Select[Any]:
        return self._rows_of(self._ids(shape, order, bounds).limit(_LIMIT).offset(_OFFSET), order, bounds, *more)

    def _rows_of(self, ids: Select[Any], order: Order, bounds: Bounds, *more: ColumnElement[Any]) -> Select[Any]:
        page = ids.subquery("page")
        rows = select(*self._listing.columns, *more).select_from(page.join(self._source, self._id == page.c.id))
        return rows.order_by(*order.sorted(page.c.position, page.c.id, backward=bounds.backward))

    def _count(self, shape: Shape, limit: int | None = None) -> Select[Any]:
        some = self._found(shape).add_columns(self._amount).limit(limit).subquery("counted")
        return select(func.count().label("rows"), _sum(some.c.amount)).select_from(some)

    def _capped_count(self, shape: Shape) -> Select[Any]:
        some = self._found(shape).add_columns(literal_column("1").label("one")).limit(_ONE_MORE)
        return select(func.count()).select_from(some.subquery("counted"))

    def _parents(self, reference: str) -> FromClause:
        """The `id` of each parent, in a row of its own."""
        of = self._listing.table.c[reference]
        ids = func.unnest(bindparam("parents", type_=ARRAY(of.type)))
        return ids.table_valued(Column("id", of.type), name="parent").render_derived()
