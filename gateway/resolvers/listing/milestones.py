"""Milestones of long lists, and what is kept of their texts for searches (ADRs 0035, 0048).

A milestone says how many rows of a list were created up to a moment; there is one every thousand rows. With them a
total is the last milestone and a count of what is younger, and a page deep in the list begins at the milestone
before it instead of at the end. A search reads what is younger than the last milestone, and below it what is kept of
texts, stretch after stretch.

A sweep (`gateway.resolvers.listing.sweep`) sets them, of rows older than half an hour. What comes, goes or changes
below them afterwards is the business of triggers (migrations 0016, 0022, 0025 and 0033), which count, and name the rows
whose texts a search has to read until the sweep has kept them: so both are exact at any moment, and a row that is
written when it is created pays for none of it.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct, field
from sqlalchemy import (
    CTE,
    BigInteger,
    Column,
    ColumnElement,
    CompoundSelect,
    Integer,
    ScalarSelect,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    cast,
    collate,
    func,
    literal_column,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from gateway.models.audit import audit_records
from gateway.models.charges import MADE_FROM, ChargeStatus, charges
from gateway.models.customers import customers
from gateway.models.milestones import list_milestones, search_texts, search_waiting
from gateway.models.subscriptions import subscriptions
from gateway.resolvers.listing.cursors import Order
from gateway.resolvers.listing.filters import BY_FORMS, Search, Shape, judged, search
from gateway.resolvers.listing.marks import Mark, by_choice, by_size, by_value

_M, _T, _W = list_milestones, search_texts, search_waiting
_moment = _M.c.upto.type
BEGINNING: ColumnElement[Any] = literal_column("'-infinity'::timestamptz")
END: ColumnElement[Any] = literal_column("'infinity'::timestamptz")
_YOUNGEST: ColumnElement[int] = literal_column("2147483647")


class Milestones(Struct, frozen=True):
    """The milestones of one table's lists. `store` is the column that says whose a row is."""

    table: Table
    store: Column[Any]
    search: Search | None = None
    """What is kept of its rows in `search_texts`."""
    marks: Sequence[Mark] = ()
    """What these are marked by besides."""
    alike: Sequence[Column[Any]] = ()
    """What rows have in common that are kept side by side."""
    tallied: bool = False
    """Whether its filters' values are in `list_tallies`."""
    kept_orders: Mapping[Column[Any], ColumnElement[Any]] = field(default_factory=dict)
    """Columns that lists are ordered by, with what is kept of texts in the same order."""

    @property
    def scope(self) -> tuple[ColumnElement[bool], ...]:
        """The rows of the list; binds `user_id` and `environment`."""
        return self.store == bound(self.store, "user_id"), self.table.c.environment == bound(_M.c.environment)

    def total(self) -> ColumnElement[int]:
        """How many rows the list has: up to its last milestone, and since."""
        last = self.kept(_M.c.rows, _M.c.upto).order_by(_M.c.upto.desc()).limit(1).subquery("last")
        since = _younger(self.table, func.coalesce(last.c.upto, BEGINNING))
        # There may be none: then all are counted.
        there = select(literal_column("1")).subquery("there").outerjoin(last, true())
        rows = func.coalesce(last.c.rows, 0) + self.counted(since)
        return select(rows).select_from(there).scalar_subquery()

    @property
    def reached(self) -> ColumnElement[int]:
        """How many rows the list has up to its last milestone."""
        return func.coalesce(self._last(_M.c.rows), 0)

    def totals(self) -> dict[Shape, ColumnElement[int]]:
        """How many rows the list has, and how many of a period of creation, by the filters that say so."""
        upto, before = self.until("created_to"), self.before("created_from")
        since, until = ("created_from", None), ("created_to", None)
        return {
            (): self.total(),
            (since,): self.total() - before,
            (until,): upto,
            (since, until): func.greatest(upto - before, 0),
        }

    def stretches(self, *, descending: bool = True, ends: Iterable[tuple[str, bool]] = ()) -> CTE:
        """The `number` of each stretch in the order of creation; what is younger than the last milestone has none.
        With `ends`, which are names of bound moments and whether each is the last or the first, those stretches that
        have rows from between them.
        """
        last = func.coalesce(self._last(_M.c.stretch), -1)
        listed = select(func.generate_series(0, last).column_valued("number"))
        numbers = union_all(listed, select(null().cast(Integer))).subquery("numbered")
        place = func.coalesce(numbers.c.number, _YOUNGEST)
        found = select(numbers.c.number).order_by(place.desc() if descending else place)
        for name, is_last in ends:
            moment = bindparam(name, type_=_moment)
            at = self.kept(_M.c.stretch).where(_M.c.upto >= moment).order_by(_M.c.upto).limit(1).scalar_subquery()
            reached = func.coalesce(at, _YOUNGEST)
            found = found.where(place <= reached if is_last else place >= reached)
        # Made first and read as it lies: the order of what is joined with it is that of the stretches.
        return found.cte("stretch").prefix_with("materialized")

    def middle(self) -> CTE:
        """The `number` of the stretch in the middle, and how many `stretches` there are; nothing where none is."""
        last = self._last(_M.c.stretch)
        number, stretches = (last // 2).label("number"), (last + 1).label("stretches")
        return select(number, stretches).where(last.is_not(None)).cte("stretch").prefix_with("materialized")

    def matches(
        self, stretch: CTE, how: str, order: Order | None = None, marks: Iterable[Mark] = ()
    ) -> CompoundSelect[Any]:
        """`id` and `created_at` of the rows of a stretch that a search finds, by parts or by words: by what is kept
        of their texts, and where nothing is, by the texts themselves. With an `order`, one of those that are kept,
        their `place` in it as well. With `marks`, of what is kept only rows that have one of those bound for each.
        """
        assert self.search is not None
        number = stretch.c.number
        of_row: list[ColumnElement[Any]] = [self.table.c.id, self.table.c.created_at]
        of_kept: list[ColumnElement[Any]] = [_T.c.row_id.label("id"), _T.c.created_at]
        if order is not None:
            of_row.append(order.expression.label("place"))
            of_kept.append(self.kept_orders[order.column].label("place"))
        typed = ("q_typed", "q_typed_bare") if how == BY_FORMS else ("q_typed",)
        sought = (_pieces_kept().contains(_within(stretch, self._telling(one))) for one in typed)
        marked = (_pieces_kept().overlap(_within(stretch, _marks(self.table, mark))) for mark in marks)
        kept = of_list(self.table, _T, *of_kept)
        kept = kept.where(
            or_(*sought), *marked, _T.c.stretch == number, Search(_T.c.texts, _T.c.documents, folded=True).ways[how]
        )
        changed = of_list(self.table, _W, _W.c.row_id).where(_W.c.stretch == number).correlate(stretch)
        read = select(*of_row).where(self.search.ways[how])
        rest = (
            read.where(self.table.c.id.in_(changed), *map(judged, self.scope)),
            read.where(*self.scope, self.younger(), number.is_(None)),
        )
        return union_all(*(one.correlate(stretch) for one in (kept, *rest)))

    def _telling(self, typed: str) -> ColumnElement[Any]:
        """The trigrams to look up of the bound text `typed`: a few that few rows have."""
        return func.telling_grams(_number_of(self.table), bindparam(typed, type_=Text()), self._last(_M.c.common_grams))

    def before(self, name: str) -> ColumnElement[int]:
        """How many rows were created before the bound moment `name`."""
        return self._rank(name, operator.lt)

    def until(self, name: str) -> ColumnElement[int]:
        """How many rows were created up to the bound moment `name`."""
        return self._rank(name, operator.le)

    def counted(self, *conditions: ColumnElement[bool]) -> ColumnElement[int]:
        """How many rows meet the conditions, one by one."""
        return select(func.count()).select_from(self.table).where(*self.scope, *conditions).scalar_subquery()

    def kept(self, *columns: Column[Any]) -> Select[Any]:
        """The list's milestones."""
        return of_list(self.table, _M, *columns)

    def _rank(self, name: str, compare: Callable[[Any, Any], Any]) -> ColumnElement[int]:
        moment, created_at = bindparam(name, type_=_moment), self.table.c.created_at
        last = self.kept(_M.c.upto).where(compare(_M.c.upto, moment)).order_by(_M.c.upto.desc()).limit(1)
        since = func.coalesce(last.scalar_subquery(), BEGINNING)
        rest = self.counted(created_at > since, compare(created_at, moment))
        known = last.with_only_columns(_M.c.rows).scalar_subquery()
        return func.coalesce(known, 0) + rest

    def younger(self, *, tallied: bool = False) -> ColumnElement[bool]:
        """The rows since the last milestone, or the last that is tallied."""
        reached = self.tallied_until if tallied else func.coalesce(self._last(_M.c.upto), BEGINNING)
        return _younger(self.table, reached)

    @property
    def tallied_until(self) -> ColumnElement[Any]:
        """The moment of the last milestone that is tallied."""
        last = self.kept(_M.c.upto).where(_M.c.tallied).order_by(_M.c.upto.desc()).limit(1)
        return func.coalesce(last.scalar_subquery(), BEGINNING)

    def _last(self, column: Column[Any]) -> ScalarSelect[Any]:
        return self.kept(column).order_by(_M.c.upto.desc()).limit(1).scalar_subquery()


def of_list(listed: Table, kept: Table, *columns: ColumnElement[Any]) -> Select[Any]:
    """What the table `kept` has of a list."""
    return select(*columns).where(
        kept.c.kind == listed.name,
        kept.c.user_id == bound(kept.c.user_id),
        kept.c.environment == bound(kept.c.environment),
    )


def _younger(table: Table, than: ColumnElement[Any]) -> ColumnElement[bool]:
    # Of what lies between two bounds the planner expects a handful; of what lies beyond one, a third of the table,
    # which it would start parallel workers for.
    return and_(table.c.created_at > than, table.c.created_at < END)


def added(counts: Iterable[ColumnElement[int]]) -> ColumnElement[int]:
    return reduce(operator.add, counts, literal_column("0"))


def summed(rows: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(rows), 0), BigInteger)


def bound(column: Column[Any], name: str = "") -> ColumnElement[Any]:
    return bindparam(name or column.name, type_=column.type)


def _pieces_kept() -> ColumnElement[Any]:
    """As the index of what is kept has it."""
    list_ = func.list_number(_T.c.kind, _T.c.user_id, _T.c.environment)
    grams = func.grams_in(list_, _T.c.stretch, _T.c.texts, _T.c.documents, type_=ARRAY(Integer()))
    return grams.concat(_T.c.marks)


def _number_of(table: Table) -> ColumnElement[int]:
    return func.list_number(table.name, bound(_M.c.user_id), bound(_M.c.environment))


def _marks(table: Table, mark: Mark) -> ColumnElement[Any]:
    """The hashes of the marks that are asked for, as `marks_in` makes them before it mixes in that of a stretch."""
    said = func.unnest(bindparam(mark.bound, type_=ARRAY(Text()))).column_valued("said")
    of_list = cast(_number_of(table).bitwise_and(literal_column("2147483647")), Integer)
    return func.array(select(func.hashtext(said).bitwise_xor(of_list)).scalar_subquery(), type_=ARRAY(Integer()))


def _within(stretch: CTE, pieces: ColumnElement[Any]) -> ColumnElement[Any]:
    """Hashes of pieces or marks, mixed with a stretch's; nothing, which no row has, where there are none."""
    # What is looked for is hashed once for all stretches, in a subquery of its own.
    piece = func.unnest(select(pieces).scalar_subquery(), type_=Integer()).column_valued("piece")
    mixed = func.array_agg(piece.bitwise_xor(func.hashint4(stretch.c.number)), type_=ARRAY(Integer()))
    return select(mixed).where(stretch.c.number.is_not(None)).correlate(stretch).scalar_subquery()


FEW = (ChargeStatus.canceled.value, ChargeStatus.refunded.value)
"""What few charges become. A mark that comes late has the charge kept anew, too often for what most of them become."""
_C, _K, _S = charges.c, customers.c, subscriptions.c
CHARGES = Milestones(
    charges,
    _C.user_id,
    search=search(
        _C.customer_name,
        _C.customer_email,
        _C.description,
        _C.external_reference,
        _C.txid,
        _C.end_to_end_id,
        _C.id,
        documents=(_C.customer_cpf, _C.customer_phone),
    ),
    marks=(
        *(by_value(_C[f"{what}_id"]) for what in MADE_FROM),
        *by_size(_C.amount, "amount_min", "amount_max"),
        by_choice(_C.status, FEW),
    ),
    alike=(_C.product_id, _C.amount),
    tallied=True,
)
_first_line = func.split_part(_T.c.texts, literal_column("chr(10)"), literal_column("1"))
_taken_apart = func.normalize(_first_line, literal_column("nfd"), type_=Text())
# What is plain is so already, as most is once it is folded, and known to be in a third of the time.
_is_plain = func.octet_length(_T.c.texts) == func.char_length(_T.c.texts)
CUSTOMERS = Milestones(
    customers,
    _K.user_id,
    search=search(_K.name, _K.email, _K.id, documents=(_K.cpf, _K.phone)),
    alike=(_K.name,),
    tallied=True,
    # As the function `name_order` has it, which takes the name itself.
    kept_orders={_K.name: collate(case((_is_plain, _first_line), else_=_taken_apart), "C")},
)
AUDIT = Milestones(audit_records, audit_records.c.store_id, tallied=True)
SUBSCRIPTIONS = Milestones(
    subscriptions,
    _S.user_id,
    search=search(
        _S.customer_name,
        _S.customer_email,
        _S.description,
        _S.external_reference,
        _S.id,
        documents=(_S.customer_cpf,),
    ),
    alike=(_S.customer_name,),
    tallied=True,
)
ALL: Sequence[Milestones] = (CHARGES, CUSTOMERS, SUBSCRIPTIONS, AUDIT)
