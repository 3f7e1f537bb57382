"""How what is asked of a list is written in SQL: a page of it, a slice, what several indexes find, what is counted."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    CTE,
    BindParameter,
    Column,
    ColumnElement,
    FromClause,
    Integer,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    case,
    column,
    false,
    func,
    literal_column,
    select,
    text,
    true,
    tuple_,
    union_all,
)

from gateway.models.database import written
from gateway.resolvers.listing.cursors import EVERYTHING, Bounds, Order
from gateway.resolvers.listing.declared import Declared, is_by_creation
from gateway.resolvers.listing.deep import Beginning
from gateway.resolvers.listing.dictionary import Dictionary
from gateway.resolvers.listing.filters import (
    PERIOD,
    SEARCH,
    Condition,
    Either,
    Shape,
    any_of,
    at_least,
    at_most,
    judged,
    sought,
    unseen,
)
from gateway.resolvers.listing.inputs import DEFAULT_LIMIT, LARGEST_LIMIT
from gateway.resolvers.listing.leads import Lead
from gateway.resolvers.listing.milestones import added


class Inlined(NamedTuple):
    """How much of the window stands in the statement's text: a usual limit, and a start at the first row.

    PostgreSQL can't judge a LIMIT that it doesn't see, so it plans such a statement anew each time, which takes longer
    than reading the page (docs/performance.md). Other limits and offsets stay parameters, or each would be a statement.
    """

    limit: int | None = None
    from_start: bool = False

    @classmethod
    def of(cls, limit: int, offset: int) -> "Inlined":
        return cls(limit if limit in USUAL_LIMITS else None, from_start=offset == 0)


_PLACE = "place"
"""What the ids of a window are selected as."""
_WITHOUT_END = select(literal_column("null::bigint")).scalar_subquery()
"""A limit that is none, but of which PostgreSQL doesn't know that when it plans: it then looks for the quickest way to
the first tenth of the rows. The quickest to all of them is to sort five million records before the first one is told.
"""
MOST_WEIGHED = 10_000
"""As many rows are counted at most of a filter that nothing tells the total of, to know whether it leads."""
USUAL_LIMITS = frozenset({DEFAULT_LIMIT, DEFAULT_LIMIT + 1, LARGEST_LIMIT, LARGEST_LIMIT + 1})
"""Of pages, and of slices, which read one row more."""


class Selects:
    """The queries of one list, built anew for each combination of filters (a shape), order and kind of window.

    Rows are found in one of five ways, by what serves the filters; the first that fits is taken:

    * `_found_by_stretches`: a search in the order of creation asks what is kept of texts, stretch after stretch;
    * `_found_by_texts`: filters that a dictionary knows are looked up by the texts that it finds;
    * `_found_elsewhere`: what an index has in another order, or a search in another order, is found and then sorted;
    * `_found_either_way`: what two indexes find, each in the order asked for, is merged;
    * `_window`: an index has what is asked for in its order, or the planner knows best.

    They find ids, and `_placed` reads the rows of those that are shown; a `_window` that begins with the first row, or
    at a cursor, has its rows already.
    """

    def __init__(self, declared: Declared) -> None:
        self._list = declared
        self._rows: dict[Order, tuple[FromClause, Select[Any]]] = {}
        self._counted = lru_cache(maxsize=512)(lambda shape: written(self.count(shape)))

    def rows(self, shape: Shape, sort: str, bounds: Bounds, inlined: Inlined, lead: Lead = None) -> Select[Any]:
        """At most `:limit` rows: from `:offset` on, or within bounds."""
        if sought(shape) and is_by_creation(sort):
            return self._placed(self._cut(self._found_by_stretches(shape, sort, bounds), inlined, bounds), sort, bounds)
        upto = self._upto(inlined)
        dictionary = self._list.dictionary(shape)
        if dictionary is not None:
            found = self._found_by_texts(dictionary, shape, sort, bounds, upto)
        elif sought(shape) or (self._is_sorted(shape, sort, lead) and not self._list.leads_in_order(lead, sort)):
            found = self._found_elsewhere(shape, sort, bounds, lead)
        elif self._list.has_ways(shape) and lead is None:
            found = self._found_either_way(shape, sort, bounds, upto)
        else:
            found = self._window(shape, sort, bounds, lead)
            # What is passed by, before a page begins or between its rows, is read from an index alone.
            passes_by = lead is not None or self._list.passes_by(shape, sort)
            if not passes_by and (inlined.from_start or any(bounds)):
                return self._cut(found, inlined, bounds)
            found = found.with_only_columns(self._list.table.c.id)
        return self._placed(self._cut(found, inlined, bounds), sort, bounds)

    def near_rows(self, shape: Shape, sort: str, bounds: Bounds, inlined: Inlined, narrowed: Shape = ()) -> Select[Any]:
        """As `rows`, but of the first `:near` rows of the order only, or the first of those that `narrowed` filters
        find, which pass by all others in the index.
        """
        # The conditions are judged row by row in the order, with no index to tempt the planner, and no
        # further than the page is full.
        order = self._list.order(sort)
        in_index = tuple(one for one in shape if self._is_in_index(one[0], order))
        ranged = [self._list.ranges[name].implies for name, _ in shape if name in self._list.ranges]
        implied = ranged if is_by_creation(sort) else []
        others = (self._list.condition(*one) for one in shape if one not in in_index)
        place, meets = order.expression.label("place"), and_(true(), *others).label("meets")
        possible = self._selected([self._list.table.c.id, place, meets], in_index, at=(order, bounds))
        possible = possible.where(*(one for one in implied if one is not None), *self._list.moments_of(shape, order))
        narrowing = (self._list.narrows(*one, order) for one in narrowed)
        possible = possible.where(*(one for one in narrowing if one is not None))
        first = self._within(possible, order, bounds).limit(_bound("near")).subquery("first")
        found = select(first.c.id).where(first.c.meets)
        found = found.order_by(*in_way(first.c.place, first.c.id, descending=bounds.descends(order)))
        return self._placed(self._cut(unseen(found.limit(_bound("limit"))), inlined, bounds), sort, bounds)

    def _is_in_index(self, name: str, order: Order) -> bool:
        """Whether the index of an order is read between the bounds of this filter, or is the filter's own."""
        return self._list.bounds_order(name, order) or self._list.index_of(name, order) is not None

    def counted_rows(self, shape: Shape, sort: str, inlined: Inlined, lead: Lead = None) -> Select[Any]:
        """As `rows`, with how many there are in all as a last column, `total`."""
        if lead is None and (sought(shape) is None or is_by_creation(sort)):
            return self.rows(shape, sort, EVERYTHING, inlined).add_columns(self._total_beside(shape))
        # Materialized, for it is read twice.
        known = self._known(shape, sort, lead=lead).cte("found").prefix_with("materialized")
        total = select(func.count()).select_from(known).scalar_subquery().label("total")
        ids = self._in_order(known, self._list.order(sort), EVERYTHING)
        return self._placed(self._cut(ids, inlined, EVERYTHING), sort).add_columns(total)

    def deep_rows(self, shape: Shape, sort: str, inlined: Inlined, counted: bool) -> Select[Any]:
        """As `counted_rows`, or as `rows`, for a page of which it is known where it begins."""
        assert self._list.deep is not None
        order = self._list.order(sort)
        begins = self._list.deep.beginning(shape, order)
        # Whoever changes rows behind the triggers' back puts tallies out of step: that is no reason to refuse a page.
        skipped = func.greatest(begins.skipped, 0)
        upto, dictionary = _bound("limit") + skipped, self._list.dictionary(shape)
        if dictionary is not None:
            found = self._found_by_texts(dictionary, shape, sort, EVERYTHING, upto, begins)
        elif self._list.has_ways(shape):
            found = self._found_either_way(shape, sort, EVERYTHING, upto, [begins.condition])
        else:
            lead = tuple(one for one in shape if self._list.has_in_order(one[0], order))
            conditions = (self._led(one, lead) for one in shape)
            found = select(self._list.table.c.id).where(*self._list.scope, *conditions, begins.condition)
            found = self._within(found, order, EVERYTHING).limit(_bound("limit"))
        found = found.limit(inlined.limit) if inlined.limit is not None else found
        placed = self._placed(found.offset(skipped), sort)
        return placed.add_columns(self._total_beside(shape)) if counted else placed

    def rows_per(self, reference: str, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        """At most `:limit` rows for each of `:parents`."""
        # One index scan for each parent, that stops at the limit: a window function would read all rows of all parents.
        column = self._list.table.c[reference]
        parents = self._each_parent(column)
        order = self._order_by(self._list.order(sort), backward=bounds.backward)
        place = func.row_number().over(order_by=order).label("place")
        window = self._window(shape, sort, bounds).where(column == parents.c.id).add_columns(place)
        found = window.lateral("found")
        shown = [found.c[name] for name in self._list.names]
        return select(*shown).select_from(parents.join(found, true())).order_by(found.c.place)

    def count(self, shape: Shape, lead: Lead = None) -> Select[Any]:
        """How many rows there are in all."""
        known = self._list.total(shape)
        if known is None and sought(shape) and not _besides_search(shape):
            return select(func.count()).select_from(self._matches(shape))
        counted = self._selected([func.count()], shape, lead=lead) if known is None else select(known.label("total"))
        # Whose rows are counted tells the planner how many there will be, so it would plan anew each time. Without
        # filters one plan serves every store: what is bound then comes from where the planner doesn't look. The texts
        # that a dictionary tells are the page's, too.
        plain = shape and (known is None or self._list.dictionary(shape) is not None)
        return counted if plain else unseen(counted)

    def about(self, shape: Shape, enough: int) -> Select[Any]:
        """How many rows there are, or, of a period, at least if that is more than `enough`."""
        known = self._list.total(shape, enough)
        assert known is not None
        return unseen(select(known.label("total")))

    def count_some(self, shape: Shape, lead: Lead, most: int) -> Select[Any]:
        """How many `rows` there are among the first `most` that are counted one by one, and whether these are
        `capped`.
        """
        if sought(shape):
            hits = select(self._matches(shape).c.id).limit(_one_more(most)).cte("hits").prefix_with("materialized")
            looked_at = select(func.count()).select_from(hits).scalar_subquery()
            besides = _besides_search(shape)
            rows = self._among([func.count()], select(hits.c.id), shape).scalar_subquery() if besides else looked_at
            return unseen(_told_of(rows, looked_at, most))
        left_out = () if lead is not None else self._list.left_out(shape)
        return self._told_of_most(shape, left_out, most) if left_out else self._told_of_first(shape, lead, most)

    def _told_of_first(self, shape: Shape, lead: Lead, most: int, *only: Condition) -> Select[Any]:
        """The same, of the first rows that lead, each held against the other filters; of none unless `only` is met."""
        leading = shape if lead is None else tuple(one for one in shape if one in lead)
        others = (self._list.condition(*one) for one in shape if one not in leading)
        held = self._selected([and_(true(), *others).label("meets")], leading).where(*only)
        first = held.limit(_one_more(most)).subquery("first")
        return _told_of(func.count().filter(first.c.meets), func.count(), most).select_from(first)

    def _told_of_most(self, shape: Shape, left_out: Sequence[Condition], most: int) -> Select[Any]:
        """The same of a filter that leaves out few rows of a period: an index counts both, where all that the filter
        finds would be read. A period that has more than is counted says nothing of how much of it the filter finds.
        """
        period = tuple(one for one in shape if one[0] in PERIOD)
        first = self._selected([literal_column("1")], period).limit(_one_more(most)).subquery("of_period")
        found = select(func.count().label("rows")).select_from(first).cte("found").prefix_with("materialized")
        few = (self._selected([func.count()], period).where(one).scalar_subquery() for one in left_out)
        of_period = select(found.c.rows).correlate(None).scalar_subquery()
        is_longer = of_period > literal_column(str(most))
        read = self._told_of_first(shape, None, most, is_longer).subquery("read")
        return select(case((is_longer, read.c.rows), else_=of_period - added(few)).label("rows"), read.c.capped)

    def weights(self, shape: Shape) -> Select[Any]:
        """How many rows each of the filters finds alone, and how many the list has."""
        parts, rows = self._list.parts(shape), self._rows_of(())
        columns: list[Any] = [self._weight(part, rows).label(f"rows_{n}") for n, part in enumerate(parts)]
        return select(*columns, rows.label("rows"))

    def _weight(self, part: Shape, rows: ColumnElement[int]) -> ColumnElement[int]:
        """How many rows one filter finds. Those that aren't known are counted up to some thousand, of an index of the
        filter's own: beyond that, as if it found all.
        """
        if self._list.total(part) is not None or not any(name in self._list.indexed for name, _ in part):
            return self._rows_of(part)
        first = self._selected([literal_column("1")], part, lead=part).limit(_one_more(MOST_WEIGHED)).subquery("first")
        counted = func.count()
        found = select(case((counted > literal_column(str(MOST_WEIGHED)), rows), else_=counted)).select_from(first)
        return found.scalar_subquery()

    def sample(self, shape: Shape, most: int | None) -> Select[Any]:
        """About how many `rows` a search finds, of those that have the marks asked for, and `of` how many: what it
        finds in the stretch in the middle, as if each had as much. With `most`, whether there are more than that in the
        stretch, `capped`, and then it is at least so many.
        """
        milestones, how = self._list.milestones, sought(shape)
        assert milestones is not None
        assert how is not None
        stretch = milestones.middle()
        found = milestones.matches(stretch, how, marks=self._list.marks(shape)).lateral("found")
        each = select(stretch.c.stretches).select_from(stretch.join(found, true()))
        first = (each if most is None else each.limit(_one_more(most))).subquery("first")
        rows = func.coalesce(func.count() * func.max(first.c.stretches), 0).label("rows")
        capped = false() if most is None else func.count() > literal_column(str(most))
        told: list[Any] = [rows, capped.label("capped"), milestones.reached.label("of")]
        return unseen(select(*told).select_from(first))

    def counts_per(self, reference: str, shape: Shape, most: int | None) -> Select[Any]:
        """How many `rows` there are for each `parent` of `:parents`: in all, or `capped` among the first `most`."""
        column = self._list.table.c[reference]
        if most is None:
            counted = self._selected([column.label("parent"), func.count().label("rows")], shape)
            capped = false().label("capped")
            return counted.where(column == func.any(_parents(column))).group_by(column).add_columns(capped)
        parents = self._each_parent(column)
        of_parent = self._selected([literal_column("1")], shape).where(column == parents.c.id)
        first = of_parent.limit(_one_more(most)).lateral("first")
        told = _told_of(func.count(), func.count(), most).add_columns(parents.c.id.label("parent"))
        return told.select_from(parents.join(first, true())).group_by(parents.c.id)

    def _each_parent(self, column: Column[Any]) -> FromClause:
        """The `id` of each of `:parents`, in a row of its own."""
        ids = func.unnest(_parents(column)).table_valued(Column("id", column.type), name="parent")
        return ids.render_derived()

    def export(self, shape: Shape, sort: str, columns: tuple[str, ...]) -> Select[Any]:
        """All rows, with these columns alone."""
        named = dict(zip(self._list.names, self._list.columns, strict=True))
        found = self._selected([named[name] for name in columns], shape)
        return found.order_by(*self._order_by(self._list.order(sort))).limit(_WITHOUT_END)

    def _is_sorted(self, shape: Shape, sort: str, lead: Lead) -> bool:
        """Whether what is found has to be put in order: no index has it so, or it is searched row by row."""
        searched = lead is not None and any(name == SEARCH for name, _ in shape)
        return searched or self._list.is_elsewhere(shape, sort)

    def _selected(
        self, columns: Sequence[Any], shape: Shape, lead: Lead = None, at: tuple[Order, Bounds] | None = None
    ) -> Select[Any]:
        """What is found, in all of the list or among what a search finds; read `at` a place in an order, if so."""
        if sought(shape) is not None:
            return self._among(columns, select(self._matches(shape).c.id), shape)
        found = select(*columns).select_from(self._list.relation).where(*self._list.scope)
        return found.where(*self._found_at(at, shape, lead))

    def _found_at(self, at: tuple[Order, Bounds] | None, shape: Shape, lead: Lead = None) -> list[Condition]:
        """The conditions of filters. One that bounds the order where the cursor does is judged: of two such bounds an
        index is read from the first that the planner comes upon, and all between them would be passed by.
        """
        behind = () if at is None else [one for one in shape if self._list.bounds_beginning(one[0], *at)]
        own = [] if at is None else [self._list.index_of(name, at[0]) for name, _ in shape]
        own.append(self._list.pairing(lead))
        asked_for = {one.where for one in own if one is not None and one.where is not None}
        found = [judged(self._list.condition(*one)) if one in behind else self._led(one, lead) for one in shape]
        return [*found, *asked_for]

    def _passing(self, shape: Shape, order: Order) -> list[Condition]:
        """The conditions of filters, by which the index of an order passes by what they don't find, as far as its key
        says it; judged as well.
        """
        narrowing = (self._list.narrows(*one, order) for one in shape)
        passed_by = [one for one in narrowing if one is not None]
        return [*passed_by, *(judged(self._list.condition(*one)) for one in shape)]

    def _among(self, columns: Sequence[Any], ids: Select[Any], shape: Shape) -> Select[Any]:
        """Of the rows that a search finds, those that the other filters find."""
        id_, others = self._list.table.c.id, (self._list.condition(*one) for one in _besides_search(shape))
        among = id_ == any_of(ids, id_)
        return (
            select(*columns).select_from(self._list.relation).where(among, *map(judged, (*self._list.scope, *others)))
        )

    def _led(self, one: tuple[str, str | None], lead: Lead) -> Condition:
        """The condition of a filter: looked up where it leads, or where the planner may
        choose, and judged elsewhere.
        """
        condition = self._list.condition(*one)
        return condition if lead is None or one in lead else judged(condition)

    def _upto(self, inlined: Inlined) -> Any:
        """As many rows as lie before the end of the window."""
        return inlined.limit if inlined.limit and inlined.from_start else _bound("limit") + _bound("offset")

    def _cut(self, found: Select[Any], inlined: Inlined, bounds: Bounds) -> Select[Any]:
        """The window, as far as it isn't said yet: a usual limit in place of the bound one, and where it starts."""
        if inlined.limit is not None:
            found = found.limit(inlined.limit)
        return found if inlined.from_start or any(bounds) else found.offset(_bound("offset"))

    def _found_either_way(
        self, shape: Shape, sort: str, bounds: Bounds, upto: Any, begins: Sequence[Condition] = ()
    ) -> Select[Any]:
        """The ids of what either of two conditions finds: each from its index, and as far as the window may need, for
        of their disjunction no index has the order.
        """
        order = self._list.order(sort)
        found = select(self._list.table.c.id, order.expression.label("place")).where(*self._list.scope)
        declared = [self._list.filter(name, choice) for name, choice in shape]
        (either,) = (one for one in declared if isinstance(one, Either))
        others = self._found_at((order, bounds), tuple(one for one in shape if self._list.filter(*one) is not either))
        others += begins
        # Who looks for the few among what the others find passes by all of that.
        ways = found.where(either.many, *others), found.where(either.few, *map(judged, others))
        parts = (self._within(way, order, bounds).limit(upto).subquery() for way in ways)
        return merged((select(part) for part in parts), descending=bounds.descends(order))

    def _found_by_texts(
        self,
        dictionary: Dictionary,
        shape: Shape,
        sort: str,
        bounds: Bounds,
        upto: Any,
        begins: Beginning | None = None,
    ) -> Select[Any]:
        """The ids of what filters find through a dictionary: rows of the texts that it finds, and rows that are in no
        tally yet.
        """
        # Of each text as many as the window may need, from the index that has them one behind the other. Of
        # several bounds an index is read from the first that the planner comes upon, so it is told of one,
        # and the others are judged.
        order, period = self._list.order(sort), [one for one in shape if one[0] in PERIOD]
        moments: dict[bool, list[ColumnElement[Any]]] = {True: [], False: []}
        for name, is_last in (*ends_of(shape), *ends_at(order, bounds)):
            moments[is_last].append(unseen(bindparam(name, type_=self._list.table.c.created_at.type)))
        place = order.expression, self._list.table.c.id
        asked = [*(self._list.condition(*one) for one in period), *self._between_cursors(order, bounds, place)]
        within = [unseen(one) for one in asked]
        if begins is not None:
            moments[order.descending].append(begins.edge)
            within.append(begins.condition)
        since, until = moments[False], moments[True]
        found = select(self._list.table.c.id, order.expression.label("place")).where(*map(judged, within)).limit(upto)
        ordered = self._order_by(order, backward=bounds.backward)
        in_index = [*in_way(dictionary.place, descending=bounds.descends(order)), *ordered]
        of_text = found.where(*dictionary.of_text(since, until)).order_by(*in_index).lateral("of_text")
        told = select(of_text).select_from(dictionary.texts.join(of_text, true())).where(dictionary.are_few)
        others = found.where(*self._list.scope, *dictionary.others(since, until)).order_by(*ordered).subquery("others")
        return merged((told, select(others)), descending=bounds.descends(order))

    def _found_elsewhere(self, shape: Shape, sort: str, bounds: Bounds, lead: Lead) -> Select[Any]:
        """The ids of what is found first and put in order then."""
        # An offset of nothing keeps PostgreSQL from putting it together with the order: it might take the index of
        # that, and pass by a year until it finds a day.
        known = self._known(shape, sort, bounds, lead).offset(literal_column("0")).subquery("found")
        return self._in_order(known, self._list.order(sort), bounds)

    def _known(self, shape: Shape, sort: str, bounds: Bounds = EVERYTHING, lead: Lead = None) -> Select[Any]:
        """All that is found, in no order: `id`, and the `place` that it will be ordered by."""
        order, milestones = self._list.order(sort), self._list.milestones
        if sought(shape) and milestones and order.column in milestones.kept_orders and not _besides_search(shape):
            match = self._matches(shape, order)
            place = match.c.place, match.c.id
            found = select(match.c.id, match.c.place).where(*map(unseen, self._between_cursors(order, bounds, place)))
        else:
            columns = [self._list.table.c.id, order.expression.label("place")]
            found = self._within(self._selected(columns, shape, lead=lead), order, bounds)
        return found.order_by(None)

    def _in_order(self, known: FromClause, order: Order, bounds: Bounds) -> Select[Any]:
        """The window on what was found."""
        place = in_way(known.c.place, known.c.id, descending=bounds.descends(order))
        return select(known.c.id).order_by(*place).limit(_bound("limit"))

    def _found_by_stretches(self, shape: Shape, sort: str, bounds: Bounds) -> Select[Any]:
        """The ids of what a search finds, in the order of creation."""
        # Stretches lie one behind the other in this order: the page is full with the first that fill
        # it, and no other is asked.
        order, table = self._list.order(sort), self._list.table
        descending = bounds.descends(order)
        stretch, match = self._matched(shape, [*ends_of(shape), *ends_at(order, bounds)], descending=descending)
        place = match.selected_columns
        found = match.where(*self._between_cursors(order, bounds, (place.created_at, place.id)))
        if _besides_search(shape):
            found = self._among([table.c.id, table.c.created_at], found.with_only_columns(place.id), shape)
            place = table.c
        ordered = found.order_by(*in_way(place.created_at, place.id, descending=descending))
        rows = ordered.limit(_bound("limit") + _bound("offset")).lateral("found")
        # One plan serves all values: to make one takes as long as the search.
        return unseen(select(rows.c.id).select_from(stretch.join(rows, true())).limit(_bound("limit")))

    def _matched(
        self,
        shape: Shape,
        ends: Iterable[tuple[str, bool]],
        *,
        descending: bool = True,
        placed: Order | None = None,
    ) -> tuple[CTE, Select[Any]]:
        """The stretches that a search asks, and `id` and `created_at` of what it finds in one, in
        the period that is asked for.
        """
        milestones, how = self._list.milestones, sought(shape)
        assert milestones is not None
        assert how is not None
        stretch = milestones.stretches(descending=descending, ends=ends)
        match = milestones.matches(stretch, how, placed, self._list.marks(shape)).subquery("match")
        period = ((at_most if is_last else at_least)(match.c.created_at, name) for name, is_last in ends_of(shape))
        return stretch, select(match).where(*period)

    def _matches(self, shape: Shape, placed: Order | None = None) -> FromClause:
        """The same of all stretches."""
        stretch, match = self._matched(shape, ends_of(shape), placed=placed)
        found = match.lateral("found")
        return unseen(select(found).select_from(stretch.join(found, true()))).subquery("matches")

    def _total_beside(self, shape: Shape) -> ColumnElement[int]:
        return self._rows_of(shape).label("total")

    def _rows_of(self, shape: Shape) -> ScalarSelect[int]:
        """How many rows there are in all, as a column."""
        return self._counted(shape).columns(column("total", Integer())).scalar_subquery()

    def _placed(self, ids: Select[Any], sort: str, bounds: Bounds = EVERYTHING) -> Select[Any]:
        """The rows with these ids: those that are passed by are read from an index alone."""
        order, place = self._list.order(sort), ids.subquery(_PLACE)
        found, shown = self._row(order)
        ordered = in_way(found.c.placed, found.c.id, descending=bounds.descends(order))
        return shown.select_from(place.join(found, true())).order_by(*ordered)

    def _row(self, order: Order) -> tuple[FromClause, Select[Any]]:
        """The row with an id and where it stands in the order, and what is shown of it: written once for all
        statements, for there are many columns.
        """
        if order not in self._rows:
            # One by one: of a table in parts the planner would rather read a small part from end to end than look into
            # each for fifty rows.
            placed = order.expression.label("placed")
            row = select(*self._list.columns, placed).select_from(self._list.relation)
            id_ = literal_column(f"{_PLACE}.id", self._list.table.c.id.type)
            one = written(row.where(self._list.table.c.id == id_).limit(literal_column("1")))
            found = one.columns(column("id", id_.type), column("placed", placed.type)).lateral("found")
            self._rows[order] = found, select(text(", ".join(f"found.{name}" for name in self._list.names)))
        return self._rows[order]

    def _window(self, shape: Shape, sort: str, bounds: Bounds, lead: Lead = None) -> Select[Any]:
        """The rows themselves, as the planner finds them."""
        order = self._list.order(sort)
        found = self._selected(self._list.columns, shape, lead=lead, at=(order, bounds))
        return self._within(found, order, bounds).limit(_bound("limit"))

    def _within(self, found: Select[Any], order: Order, bounds: Bounds) -> Select[Any]:
        """What was found, in the order and between the cursors."""
        found = found.order_by(*self._order_by(order, backward=bounds.backward))
        return found.where(*self._between_cursors(order, bounds, (order.expression, self._list.table.c.id)))

    def _between_cursors(
        self, order: Order, bounds: Bounds, place: tuple[ColumnElement[Any], ColumnElement[Any]]
    ) -> list[Condition]:
        after = [self._beyond(order, place, "after", later=True)] if bounds.after else []
        return [*after, self._beyond(order, place, "before", later=False)] if bounds.before else after

    def _beyond(
        self, order: Order, place: tuple[ColumnElement[Any], ColumnElement[Any]], end: str, *, later: bool
    ) -> Condition:
        """Rows on one side of a cursor. One comparison of pairs, which the index of the order serves."""
        told = order.told(bindparam(end, type_=order.column.type))
        cursor = tuple_(told, bindparam(f"{end}_id", type_=self._list.table.c.id.type))
        return tuple_(*place) < cursor if later == order.descending else tuple_(*place) > cursor

    def _order_by(self, order: Order, *, backward: bool = False) -> list[ColumnElement[Any]]:
        return in_way(order.expression, self._list.table.c.id, descending=order.descending != backward)


def _besides_search(shape: Shape) -> list[tuple[str, str | None]]:
    """The filters that aren't told by what is kept of texts."""
    return [one for one in shape if one[0] not in (SEARCH, *PERIOD)]


def ends_of(shape: Shape) -> list[tuple[str, bool]]:
    """The bound moments between which rows were created if these filters find them: the name of
    each, and whether it is the last.
    """
    return [(name, name == PERIOD[1]) for name, _ in shape if name in PERIOD]


def ends_at(order: Order, bounds: Bounds) -> list[tuple[str, bool]]:
    """The same of cursors, in the order of creation."""
    return [(name, order.descending == (name == "after")) for name in ("after", "before") if getattr(bounds, name)]


def in_way(*columns: ColumnElement[Any], descending: bool) -> list[ColumnElement[Any]]:
    return [one.desc() if descending else one.asc() for one in columns]


def merged(parts: Iterable[Select[Any]], *, descending: bool) -> Select[Any]:
    """The window on what all of these find, `id` and `place`."""
    all_ = union_all(*parts).subquery("merged")
    place = in_way(all_.c.place, all_.c.id, descending=descending)
    return select(all_.c.id).order_by(*place).limit(_bound("limit"))


def _one_more(most: int) -> ColumnElement[int]:
    """One row more than are counted, to know whether there is one."""
    return literal_column(str(most + 1))


def _told_of(rows: ColumnElement[int], looked_at: ColumnElement[int], most: int) -> Select[Any]:
    """What is told of rows of which so many were looked at."""
    counted: ColumnElement[int] = literal_column(str(most))
    return select(func.least(rows, counted).label("rows"), (looked_at > counted).label("capped"))


def _bound(name: str) -> BindParameter[int]:
    return bindparam(name, type_=Integer())


def _parents(reference: ColumnElement[Any]) -> ColumnElement[Any]:
    return bindparam("parents", type_=ARRAY(reference.type))
