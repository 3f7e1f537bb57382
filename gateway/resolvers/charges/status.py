"""Statuses of a charge: the allowed transitions, and the conditions under which a pending charge ends.

A payment under review at the bank (`held_at`) keeps its charge pending, even after `expires_at`. Only the engine can
end it then.
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, or_

from gateway.models.charges import ChargeStatus, charges

_C = charges
NOW: ColumnElement[Any] = bindparam("now", type_=_C.c.expires_at.type)
is_held: ColumnElement[bool] = _C.c.held_at.is_not(None)
may_end: ColumnElement[bool] = and_(_C.c.status == ChargeStatus.pending.value, _C.c.held_at.is_(None))
"""Whether a pending charge may expire or be ended by its store."""


def has_expired(now: ColumnElement[Any] = NOW) -> ColumnElement[bool]:
    """Whether a pending charge has expired."""
    return and_(_C.c.expires_at <= now, _C.c.held_at.is_(None))


def has_not_expired(now: ColumnElement[Any] = NOW) -> ColumnElement[bool]:
    """Whether a pending charge still waits for its payment."""
    return or_(_C.c.expires_at > now, _C.c.held_at.is_not(None))


ALLOWED: dict[ChargeStatus, frozenset[ChargeStatus]] = {
    ChargeStatus.pending: frozenset(
        {ChargeStatus.paid, ChargeStatus.expired, ChargeStatus.canceled, ChargeStatus.refunded}
    ),
    # A late payment counts: after the expiry, or after the engine canceled the charge, the money is the merchant's. A
    # payment that is first reported when it was refunded emits no `charge.paid`.
    ChargeStatus.expired: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.canceled: frozenset({ChargeStatus.paid, ChargeStatus.refunded}),
    ChargeStatus.paid: frozenset({ChargeStatus.refunded}),
    ChargeStatus.refunded: frozenset(),
}
"""Only the engine sets `canceled` and `refunded`. An expired charge stays expired when the engine cancels it at our
request.
"""
