"""Slices by cursor: what `first`, `after`, `last` and `before` mean for a query, and the page that its rows make."""

from typing import Any

from msgspec import Struct

from gateway.errors import InvalidInput
from gateway.resolvers.listing.cursors import Bounds, Order
from gateway.resolvers.listing.inputs import DEFAULT_LIMIT, LARGEST_LIMIT, Slice
from gateway.resolvers.listing.totals import Count, known
from gateway.resolvers.views import Page, ViewT


class Cut(Struct, frozen=True):
    """A slice that has been judged. One row more than its size is read, to learn whether there are more."""

    order: Order
    size: int
    backward: bool
    cursors: dict[str, Any]

    @classmethod
    def of(cls, order: Order, asked: Slice, *, instead: bool = False) -> "Cut":
        """Raises `InvalidInput` for sizes out of range and for cursors of other lists. `instead` says that it is read
        in the order of the moment that stands in.
        """
        size, backward = _size(asked)
        cursors: dict[str, Any] = {}
        for end, cursor in (("after", asked.after), ("before", asked.before)):
            if cursor is not None:
                place, row_id = order.read(cursor, end)
                cursors |= {end: order.unmoved(place) if instead else place, f"{end}_id": row_id}
        return cls(order, size, backward, cursors)

    @property
    def bounds(self) -> Bounds:
        return Bounds("after" in self.cursors, "before" in self.cursors, self.backward)

    @property
    def values(self) -> dict[str, Any]:
        """What the statement binds; a slice never skips rows, so its offset is nought."""
        return {"limit": self.size + 1, "offset": 0, **self.cursors}

    def page(self, items: list[ViewT], count: Count) -> Page[ViewT]:
        """The page of the rows read, which are counted only if they aren't the whole list."""
        after, before, backward = self.bounds
        more = len(items) > self.size
        shown = items[: self.size]
        if backward:
            shown.reverse()
        return Page(
            shown,
            self.size,
            has_next=before if backward else more,
            has_previous=more if backward else after,
            count=count if more or after or before else known(len(shown)),
            cursor=self.order.cursor,
        )


def _size(asked: Slice) -> tuple[int, bool]:
    if asked.first is not None and asked.last is not None:
        raise InvalidInput(("last", "use first ou last, não os dois"))
    backward = asked.last is not None
    size = asked.last if backward else asked.first
    if size is None:
        return DEFAULT_LIMIT, False
    if not 0 <= size <= LARGEST_LIMIT:
        raise InvalidInput(("last" if backward else "first", f"deve ser de 0 a {LARGEST_LIMIT}"))
    return size, backward
