"""The base of every result.

A view is a Pydantic class, so that its fields, types and descriptions are declared once for REST, OpenAPI and GraphQL.
The database has validated its rows, so `View.of` adopts them without validation, at a tenth of the cost. Views have
money in centavos; `serialize` converts it to reais for REST.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from msgspec import Struct
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement

from gateway.resolvers.core.listing.totals import Count
from gateway.values.money import Centavos, Hundredths


class View(BaseModel):
    """One result. Fields have the values of the database; money is centavos."""

    # Only OpenAPI needs the validator.
    model_config = ConfigDict(frozen=True, defer_build=True)

    only_if_set: ClassVar[tuple[str, ...]] = ()
    """The fields that REST omits if null."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Adopt trusted values, with exactly the fields of the class."""
        return cls.adopt(dict(values))

    def replaced(self, **values: Any) -> Self:
        """The same view with other values of some fields."""
        return type(self).of({**vars(self), **values})

    @classmethod
    def adopt(cls, values: dict[str, Any]) -> Self:
        """Like `of`, with a dict that becomes the view's own."""
        adopted: Self = row_mapper(cls)(values)
        return adopted


# A frozen model's setter raises, and `object.__setattr__` looks up the slot each time, which takes 2 µs a row.
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_names = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__


ViewT = TypeVar("ViewT", bound=View)


@cache
def row_mapper(view_type: type[ViewT]) -> Callable[[dict[str, Any]], ViewT]:
    """A fast function that adopts the rows of a list."""
    new, names = view_type.__new__, set(view_type.model_fields)
    set_values, set_names, set_extra, set_private = _set_values, _set_names, _set_extra, _set_private

    def adopt(values: dict[str, Any]) -> ViewT:
        view = new(view_type)
        set_values(view, values)
        set_names(view, names)
        set_extra(view, None)
        set_private(view, None)
        return view

    return adopt


def columns_of_view(view: type[View], table: Any, **derived: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """What to select for a view: the columns of the table with the names of its fields, or else the `derived` ones."""
    return [derived[name].label(name) if name in derived else table.c[name] for name in view.model_fields]


class Page(Struct, Generic[ViewT], frozen=True):
    """A page or slice of a list. `total` is None if not requested, and a minimum if `total_capped`. `page` is None for
    slices by cursor.
    """

    items: list[ViewT]
    limit: int
    page: int | None = None
    total: int | None = None
    total_capped: bool = False
    has_next: bool = False
    has_previous: bool = False
    truncated: bool = False
    computed: bool = False
    """Whether computed fields (a QR image) are in the list: only if the caller requested them."""
    count: Count | None = None
    """Counts all rows; the database is queried only when it is called."""
    cursor: Callable[[View], str] | None = None
    """The cursor of a row."""


def _is_money(annotation: Any) -> bool:
    return not {Centavos, Hundredths}.isdisjoint((annotation, *get_args(annotation)))


@cache
def money_fields(view: type[View]) -> tuple[str, ...]:
    """The fields of a view that hold centavos."""
    return tuple(name for name, field in view.model_fields.items() if _is_money(field.annotation))


@cache
def _aliases(view: type[View]) -> dict[str, str]:
    """The fields with another name in the APIs, such as `from`, which is a keyword of Python."""
    return {name: field.alias for name, field in view.model_fields.items() if field.alias is not None}


@cache
def _computed(view: type[View]) -> tuple[str, ...]:
    return tuple(view.model_computed_fields)


def serialize(view: View, *, computed: bool = True) -> dict[str, Any]:
    """The view as JSON values and datetimes, with money in reais and computed fields.

    Without `computed`, a computed field (a QR image) is null.
    """
    values = _in_reais(view.__dict__.copy(), money_fields(type(view)))
    values.update((name, getattr(view, name) if computed else None) for name in _computed(type(view)))
    for name in view.only_if_set:
        if values[name] is None:
            del values[name]
    for name, alias in _aliases(type(view)).items():
        values[alias] = values.pop(name)
    return values


def serialize_list(views: Sequence[View], *, computed: bool) -> list[dict[str, Any]]:
    """Like `serialize`, for the views of a list. It changes their values in place, without a copy.

    Without `computed`, a computed field (a QR image) is null.
    """
    if computed:
        return [serialize(view) for view in views]
    if not views:
        return []
    rows = [view.__dict__ for view in views]
    # Field by field is faster than row by row.
    for name in money_fields(type(views[0])):
        for values in rows:
            amount = values[name]
            if amount is not None:
                values[name] = amount / 100
    for name in _computed(type(views[0])):
        for values in rows:
            values[name] = None
    return rows


def _in_reais(values: dict[str, Any], money: tuple[str, ...]) -> dict[str, Any]:
    for name in money:
        amount = values[name]
        if amount is not None:
            values[name] = amount / 100
    return values


def default_encoder(value: Any) -> Any:
    """For orjson: nested views."""
    if isinstance(value, View):
        return serialize(value)
    raise TypeError(f"{type(value).__name__} is not JSON serializable")
