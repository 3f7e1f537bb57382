"""Find and lock due subscriptions, in pages by date; and decide whether one can be charged, and when it is due next."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Executable,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    tuple_,
)

from gateway.models.accounts import ProductionStatus, users
from gateway.models.base import Environment
from gateway.models.charges import issuances
from gateway.models.clocks import test_clocks
from gateway.models.database import Statement
from gateway.models.subscriptions import SubscriptionStatus, subscriptions
from gateway.resolvers.accounts.queries import STORE_NAME
from gateway.resolvers.clocks.store_clock import CLOCK_COLUMNS, by_real_time
from gateway.resolvers.subscriptions.charge import CHARGED_COLUMNS, with_customer
from gateway.resolvers.subscriptions.schedule import CycleLimit, Recurrence
from gateway.values.ids import FIRST_ID
from gateway.values.money import MINIMUM_CHARGE

PAGE_SIZE = 500
RETRY_AFTER = timedelta(hours=1)
"""The catch-up job comes every few minutes; it retries a failed subscription only after this long."""
NOT_APPROVED = "A loja não está liberada para operar em produção."
NO_DOCUMENT = "Falta o CPF ou CNPJ do pagador."
TOO_SMALL = "O valor é menor que o mínimo de uma cobrança."

_S, _U, _I, _T = subscriptions, users, issuances, test_clocks
_time = _S.c.next_billing_at.type
BILLED_COLUMNS = [
    *CHARGED_COLUMNS,
    STORE_NAME.label("store_name"),
    _U.c.production_status,
]


class StoreScope(Struct, frozen=True):
    """An environment, and one test store with its own clock; or, with None, all stores that use the real clock."""

    environment: Environment
    store: str | None = None

    def values(self) -> dict[str, Any]:
        """The bound values of a `ScopedStatement`."""
        return {"environment": self.environment.value, "store": self.store}


class ScopedStatement:
    """A statement in two forms: for all stores that use the real clock, and for one store."""

    def __init__(
        self,
        build: Callable[[ColumnElement[bool]], Executable],
        store: ColumnElement[Any] = _S.c.user_id,
        environment: ColumnElement[str] = _S.c.environment,
    ) -> None:
        """`build` makes the statement from the condition on the store."""
        self._all = Statement(build(by_real_time(store, environment)))
        self._one = Statement(build(store == bindparam("store")))

    def of(self, scope: StoreScope) -> Statement:
        return self._all if scope.store is None else self._one


def billed() -> Any:
    """Subscriptions joined with their payer and their store."""
    return with_customer().join(_U, _U.c.id == _S.c.user_id)


def _due(scope: ColumnElement[bool], *columns: Any) -> Select[Any]:
    now = bindparam("now", type_=_time)
    return select(*columns).where(
        scope,
        _S.c.status == SubscriptionStatus.active.value,
        _S.c.environment == bindparam("environment"),
        _S.c.next_billing_at <= bindparam("as_of", type_=_time),
        or_(_S.c.retry_at.is_(None), _S.c.retry_at <= now, bindparam("retry_failed", type_=Boolean())),
    )


def _in_pages(due: Select[Any]) -> Select[Any]:
    cursor = tuple_(bindparam("after", type_=_time), bindparam("after_id", type_=_S.c.id.type))
    date, row_id = _S.c.next_billing_at, _S.c.id
    return due.where(tuple_(date, row_id) > cursor).order_by(date, row_id).limit(PAGE_SIZE)


def _page(scope: ColumnElement[bool]) -> Select[Any]:
    return _in_pages(_due(scope, *BILLED_COLUMNS).select_from(billed()))


def _without_issuance(due: Select[Any]) -> Select[Any]:
    return due.where(~exists().where(_I.c.subscription_id == _S.c.id, _I.c.billing_cycle == _S.c.next_billing_at))


def _locked(scope: ColumnElement[bool]) -> Select[Any]:
    return _without_issuance(_due(scope, *BILLED_COLUMNS).select_from(billed()).where(_S.c.id == bindparam("id")))


PAGE = ScopedStatement(_page)
# FOR NO KEY UPDATE keeps changes and deletions away, and still allows a manual charge of the subscription.
CLAIMED_PAGE = ScopedStatement(lambda scope: _page(scope).with_for_update(of=_S, key_share=True, skip_locked=True))
SKIPPED = ScopedStatement(lambda scope: _in_pages(_without_issuance(_due(scope, _S.c.next_billing_at, _S.c.id))))
"""Due subscriptions that CLAIMED_PAGE skipped because another transaction had locked them."""
SET_LOCK_TIMEOUT = Statement(select(func.set_config("lock_timeout", bindparam("lock_timeout"), literal_column("true"))))
LOCK = Statement(select(_S.c.id).where(_S.c.id == bindparam("id")).with_for_update(key_share=True))
LOCKED = ScopedStatement(_locked)
"""Reads a subscription after LOCK: only a second statement sees what the other transaction has committed."""
COUNT = ScopedStatement(lambda scope: _due(scope, func.count()).select_from(_S))

_is_due = or_(
    _S.c.next_billing_at.is_(None),
    _S.c.next_billing_at - _T.c.time_offset <= bindparam("now"),
    _S.c.next_billing_at <= bindparam("as_of"),
)
_has_due = exists().where(
    _S.c.user_id == _T.c.store_id,
    _S.c.environment == Environment.test.value,
    _S.c.status == SubscriptionStatus.active.value,
    _is_due,
)
_has_issuance = exists().where(
    _I.c.user_id == _T.c.store_id, _I.c.environment == Environment.test.value, _I.c.billing_cycle.is_not(None)
)
STORES_WITH_CLOCKS = Statement(
    select(_T.c.store_id, *CLOCK_COLUMNS)
    .where(_T.c.target_time.is_(None), or_(_has_due, _has_issuance))
    .order_by(_T.c.store_id)
)
"""Stores with their own clock that may have something to bill. A clock in an advance is billed by the advance."""


class Due(Struct, frozen=True):
    """The due subscriptions of a run, and its position in them. `as_of` decides what is due. `retry_failed`: also
    those that failed within RETRY_AFTER.
    """

    scope: StoreScope
    as_of: datetime
    now: datetime
    retry_failed: bool
    after: datetime = datetime(1900, 1, 1, tzinfo=UTC)
    after_id: str = FIRST_ID

    def beyond(self, row: Mapping[str, Any]) -> Self:
        """The subscriptions after this row."""
        return replace(self, after=row["next_billing_at"], after_id=row["id"])

    def not_attempted(self) -> Self:
        """The subscriptions that this run hasn't attempted: a failure sets `retry_at` to RETRY_AFTER from now."""
        before = self.now + RETRY_AFTER - timedelta(microseconds=1) if self.retry_failed else self.now
        return replace(self, now=before, retry_failed=False)

    def values(self) -> dict[str, Any]:
        """The bound values of `PAGE` and `COUNT`."""
        return {
            **self.scope.values(),
            "as_of": self.as_of,
            "now": self.now,
            "retry_failed": self.retry_failed,
            "after": self.after,
            "after_id": self.after_id,
        }


def blocking_reason(row: Mapping[str, Any]) -> str | None:
    """Why the subscription can't be charged, in Portuguese, or None."""
    if row["environment"] == Environment.live and row["production_status"] != ProductionStatus.approved:
        return NOT_APPROVED
    if not row["payer_cpf"]:
        return NO_DOCUMENT
    return TOO_SMALL if row["amount"] < MINIMUM_CHARGE else None


def has_ended(row: Mapping[str, Any]) -> bool:
    """Whether the due cycle is after the end of the subscription."""
    return not CycleLimit(row["cycles_count"], row["max_cycles"], row["end_date"]).allows(row["next_billing_at"])


class NextCycle(Struct, frozen=True):
    """The schedule after a cycle. If the subscription has `ended`, it is canceled and has no next date."""

    next_billing_at: datetime | None
    cycles_count: int
    ended: bool


def next_cycle(row: Mapping[str, Any], time: datetime, *, counted: bool = False) -> NextCycle:
    """The next cycle after `time`. Missed cycles are skipped: a late subscription is charged once. `counted`: whether
    the row's count includes the due cycle.
    """
    date = Recurrence.of(row).after(row["next_billing_at"], time)
    cycles = row["cycles_count"] + (not counted)
    if CycleLimit(cycles, row["max_cycles"], row["end_date"]).allows(date):
        return NextCycle(date, cycles, ended=False)
    return NextCycle(None, cycles, ended=True)
