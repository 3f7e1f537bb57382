"""Which subscriptions are due, in pages by their place in the order of dates; and why one of them can't be charged.

`as_of` decides what is due and is bound once for a whole run.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Boolean, ColumnElement, Select, bindparam, exists, func, literal_column, or_, select, tuple_

from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.charges import issuances
from gateway.models.clocks import test_clocks
from gateway.models.database import Statement
from gateway.models.subscriptions import Interval, SubscriptionStatus, subscriptions
from gateway.resolvers.clocks.own import CLOCK_COLUMNS
from gateway.resolvers.subscriptions.charging import CHARGED_COLUMNS, with_customer
from gateway.resolvers.subscriptions.schedule import Extent, Rhythm
from gateway.resolvers.subscriptions.scope import Scoped, StoreScope
from gateway.values.ids import FIRST_ID
from gateway.values.money import MINIMUM_CHARGE

BATCH = 500
"""Subscriptions at a time: what a run holds in memory is a few of these."""
RETRY_AFTER = timedelta(hours=1)
"""What the catch-up sweep waits after a failure: it comes every few minutes, and engines count their calls."""
NOT_APPROVED = "A loja não está liberada para operar em produção."
NO_DOCUMENT = "Falta o CPF ou CNPJ do pagador."
TOO_SMALL = "O valor é menor que o mínimo de uma cobrança."

_S, _U, _I, _T = subscriptions, users, issuances, test_clocks
_moment = _S.c.next_billing_at.type
BILLED_COLUMNS = [
    *CHARGED_COLUMNS,
    func.coalesce(_U.c.company, _U.c.name).label("store_name"),
    _U.c.production_status,
]


def billed() -> Any:
    """Subscriptions with what billing one of them takes: its payer and its store."""
    return with_customer().join(_U, _U.c.id == _S.c.user_id)


def _is_due(whose: ColumnElement[bool], *columns: Any) -> Select[Any]:
    now = bindparam("now", type_=_moment)
    return select(*columns).where(
        whose,
        _S.c.status == SubscriptionStatus.active.value,
        _S.c.environment == bindparam("environment"),
        _S.c.next_billing_at <= bindparam("as_of", type_=_moment),
        or_(_S.c.retry_at.is_(None), _S.c.retry_at <= now, bindparam("at_once", type_=Boolean())),
    )


def _in_order(due: Select[Any]) -> Select[Any]:
    beyond = tuple_(bindparam("after", type_=_moment), bindparam("after_id", type_=_S.c.id.type))
    return (
        due.where(tuple_(_S.c.next_billing_at, _S.c.id) > beyond).order_by(_S.c.next_billing_at, _S.c.id).limit(BATCH)
    )


def _page(whose: ColumnElement[bool]) -> Select[Any]:
    return _in_order(_is_due(whose, *BILLED_COLUMNS).select_from(billed()))


def _claimed(whose: ColumnElement[bool]) -> Select[Any]:
    # A lock that keeps changes and deletions away, and lets the subscription be charged by hand meanwhile.
    return _page(whose).with_for_update(of=_S, key_share=True, skip_locked=True)


def _unclaimed(due: Select[Any]) -> Select[Any]:
    return due.where(~exists().where(_I.c.subscription_id == _S.c.id, _I.c.billing_cycle == _S.c.next_billing_at))


def _passed_over(whose: ColumnElement[bool]) -> Select[Any]:
    return _in_order(_unclaimed(_is_due(whose, _S.c.next_billing_at, _S.c.id)))


def _held(whose: ColumnElement[bool]) -> Select[Any]:
    return _unclaimed(_is_due(whose, *BILLED_COLUMNS).select_from(billed()).where(_S.c.id == bindparam("id")))


def _count(whose: ColumnElement[bool]) -> Select[Any]:
    return _is_due(whose, func.count()).select_from(_S)


PAGE = Scoped(_page, _S.c.user_id, _S.c.environment)
CLAIMED_PAGE = Scoped(_claimed, _S.c.user_id, _S.c.environment)
PASSED_OVER = Scoped(_passed_over, _S.c.user_id, _S.c.environment)
"""Where those are that somebody held when their page was claimed, and that nobody is at."""
WAIT_AT_MOST = Statement(select(func.set_config("lock_timeout", bindparam("patience"), literal_column("true"))))
HOLD = Statement(select(_S.c.id).where(_S.c.id == bindparam("id")).with_for_update(key_share=True))
HELD = Scoped(_held, _S.c.user_id, _S.c.environment)
"""One of them, once it is held: only a second statement sees all that its holder wrote, the customer, say."""
COUNT = Scoped(_count, _S.c.user_id, _S.c.environment)

_waits = or_(_S.c.next_billing_at.is_(None), _S.c.next_billing_at - _T.c.ahead <= bindparam("now", type_=_moment))
_asked_for = _S.c.next_billing_at <= bindparam("as_of", type_=_moment)
_own_due = exists().where(
    _S.c.user_id == _T.c.store_id,
    _S.c.environment == Environment.test.value,
    _S.c.status == SubscriptionStatus.active.value,
    or_(_waits, _asked_for),
)
_own_left = exists().where(
    _I.c.user_id == _T.c.store_id, _I.c.environment == Environment.test.value, _I.c.billing_cycle.is_not(None)
)
OWN_CLOCKS = Statement(
    select(_T.c.store_id, *CLOCK_COLUMNS).where(_T.c.target.is_(None), or_(_own_due, _own_left)).order_by(_T.c.store_id)
)
"""The stores with clocks of their own for which there may be something to do; one that is
being moved is the advance's.
"""


class Due(Struct, frozen=True):
    """Which of the due subscriptions a run looks at, and how far it has come."""

    scope: StoreScope
    as_of: datetime
    now: datetime
    at_once: bool
    """Whether those are tried that have failed within the hour."""
    after: datetime = datetime(1900, 1, 1, tzinfo=UTC)
    after_id: str = FIRST_ID

    def beyond(self, row: Mapping[str, Any]) -> Self:
        """What comes after this row."""
        return replace(self, after=row["next_billing_at"], after_id=row["id"])

    def untried(self) -> Self:
        """What the run hasn't tried, once it has come to the end: what it tried in vain isn't due again for an hour."""
        before = self.now + RETRY_AFTER - timedelta(microseconds=1) if self.at_once else self.now
        return replace(self, now=before, at_once=False)

    def values(self) -> dict[str, Any]:
        """The bound values of `PAGE` and `COUNT`."""
        return {
            **self.scope.values(),
            "as_of": self.as_of,
            "now": self.now,
            "at_once": self.at_once,
            "after": self.after,
            "after_id": self.after_id,
        }


def obstacle(row: Mapping[str, Any]) -> str | None:
    """Why the subscription can't be charged, in Portuguese, or None."""
    if row["environment"] == Environment.live and row["production_status"] != ProductionStatus.approved:
        return NOT_APPROVED
    if not row["payer_cpf"]:
        return NO_DOCUMENT
    return TOO_SMALL if row["amount"] < MINIMUM_CHARGE else None


def is_over(row: Mapping[str, Any]) -> bool:
    """Whether the due cycle lies beyond the end of the subscription."""
    return not Extent(row["cycles_count"], row["max_cycles"], row["end_date"]).holds(row["next_billing_at"])


class Advance(Struct, frozen=True):
    """Where a subscription stands after the cycle it was due for. One that is `over` is
    canceled and has no next date.
    """

    next_billing_at: datetime | None
    cycles_count: int
    over: bool


def advanced(row: Mapping[str, Any], moment: datetime) -> Advance:
    """The next cycle later than `moment`, however many were missed: a subscription that was late is charged once."""
    rhythm = Rhythm(Interval(row["interval"]), row["anchor_day"], row["utc_offset"])
    coming = rhythm.after(row["next_billing_at"], moment)
    cycles = row["cycles_count"] + 1
    if Extent(cycles, row["max_cycles"], row["end_date"]).holds(coming):
        return Advance(coming, cycles, over=False)
    return Advance(None, cycles, over=True)
