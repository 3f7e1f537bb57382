"""When a charge may end unpaid: one rule for the sweeper, readers, orders, the engine's notices and whoever ends it.

A payment that the bank holds back (`held_at`) keeps its charge from expiring and from being ended by anybody but the
engine, whatever `expires_at` says.

The moves of a charge, as data (contract section 4).
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, or_

from gateway.models.charges import ChargeStatus, charges

_C = charges
NOW: ColumnElement[Any] = bindparam("now", type_=_C.c.expires_at.type)
is_held: ColumnElement[bool] = _C.c.held_at.is_not(None)
may_end: ColumnElement[bool] = and_(_C.c.status == ChargeStatus.pending.value, _C.c.held_at.is_(None))
"""A pending charge that the store, or its time, may end."""


def has_expired(now: ColumnElement[Any] = NOW) -> ColumnElement[bool]:
    """Of a pending charge: whether its time has passed."""
    return and_(_C.c.expires_at <= now, _C.c.held_at.is_(None))


def has_not_expired(now: ColumnElement[Any] = NOW) -> ColumnElement[bool]:
    """Of a pending charge: whether it still waits."""
    return or_(_C.c.expires_at > now, _C.c.held_at.is_not(None))


ALLOWED: dict[ChargeStatus, frozenset[ChargeStatus]] = {
    ChargeStatus.pending: frozenset(
        {ChargeStatus.paid, ChargeStatus.expired, ChargeStatus.canceled, ChargeStatus.refunded}
    ),
    # Late money wins: a payment that arrives after the expiry, or after the engine let the charge go, is the merchant's
    # all the same. Of a payment that we hear of only when it was given back, nobody is told that it came.
    ChargeStatus.expired: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.canceled: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.paid: frozenset({ChargeStatus.refunded}),
    ChargeStatus.refunded: frozenset(),
}
"""`canceled` and `refunded` come from the engine alone. What expired stays so when the engine
lets it go: we asked for that.
"""
