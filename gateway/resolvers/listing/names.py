"""The order of names: as people look for them, so that letter case and accents make no difference, and the same
on every machine (ADR 0045).
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Text, collate, func

from gateway.resolvers.listing.cursors import Order


@dataclass(frozen=True, slots=True)
class ByName(Order):
    """By a column of names."""

    @property
    def expression(self) -> ColumnElement[Any]:
        return self.told(self.column)

    def told(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return collate(func.name_order(value, type_=Text()), "C")


def by_name(column: Column[Any]) -> tuple[Order, Order]:
    """Both directions."""
    return ByName(column, descending=False), ByName(column)
