"""Read and advance the clock of a test store (`GET /test-clock`, `POST /test-clock/advance`).

A clock never goes back: the rows of a store have times of its clock, and would be in the future.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pydantic import Field
from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import ClockInProgress, InvalidInput, TestOnly
from gateway.models.base import Environment
from gateway.models.clocks import test_clocks
from gateway.models.database import Statement
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.clocks.store_clock import CLOCK_COLUMNS, store_clock
from gateway.resolvers.core.access import KeyAccess, Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty, Input, Start
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import View

MAX_ADVANCE = timedelta(days=366)
MAX_OFFSET = timedelta(days=3660)
MAX_WEBHOOK_WAIT = timedelta(minutes=1)
"""How long one advance waits for webhooks, in all its steps together."""
MAX_CYCLES = 20_000
"""The subscription cycles that one advance may charge. It bounds the work of one request to about an hour."""
TEST_ONLY = "Só o ambiente de teste tem um relógio que se move."

_T = test_clocks
_COLUMNS = (*CLOCK_COLUMNS, _T.c.target_time)
_time = _T.c.frozen_time.type
_real, _to = bindparam("real", type_=_time), bindparam("to", type_=_time)
_wait = bindparam("webhook_wait_ms", type_=_T.c.webhook_wait_ms.type)
FIND = Statement(select(*_COLUMNS).where(_T.c.store_id == bindparam("store")))
BEGIN = Statement(
    insert(_T)
    .values(
        store_id=bindparam("store"),
        frozen_time=_real,
        target_time=_to,
        webhook_wait_ms=_wait,
        created_at=_real,
        updated_at=_real,
    )
    .on_conflict_do_update(
        index_elements=["store_id"],
        set_={
            "frozen_time": _real + _T.c.time_offset,
            "target_time": _to,
            "webhook_wait_ms": _wait,
            "updated_at": _real,
        },
        where=_T.c.target_time.is_(None) & (_real + _T.c.time_offset < _to),
    )
    .returning(*_COLUMNS)
)
COUNT_CYCLES = Statement(
    text("""
select coalesce(sum(least(
           1 + floor(extract(epoch from cast(:to as timestamptz) - greatest(next_billing_at, :now))
                     / (interval_count * case interval when 'weekly' then 604800 when 'monthly' then 2629800
                        when 'quarterly' then 7889400 when 'semiannual' then 15778800 else 31557600 end)),
           max_cycles - cycles_count)), 0)::bigint
  from subscriptions
 where user_id = :store and environment = 'test' and status = 'active' and next_billing_at <= :to
""")
)
"""About how many cycles of the store's test subscriptions fall due until `:to`."""


class AdvanceClock(Input):
    """Até onde o relógio de teste da loja avança."""

    to: Start = Field(
        description="Momento futuro pelo relógio da loja, até 366 dias à frente dele; de uma data, o início do dia."
    )


class ClockStatus(StrEnum):
    """Whether a test store's clock runs or is in an advance."""

    ready = "ready"
    advancing = "advancing"


class StoreClockView(View):
    """O relógio do ambiente de teste da loja.

    After an advance the clock keeps its offset and runs at normal speed.
    """

    now: datetime = Field(description="Que horas são para a loja, no ambiente de teste.")
    offset_seconds: int = Field(description="Segundos à frente da hora real; zero se o relógio nunca foi movido.")
    status: ClockStatus = Field(
        description="`advancing` enquanto o que vence pelo caminho acontece, em ordem; depois `ready`."
    )
    advancing_to: datetime | None = Field(description="Até onde o relógio está avançando; nulo se não está.")


def _require_test(ctx: Context) -> None:
    if ctx.environment != Environment.test:
        raise TestOnly(TEST_ONLY)


@operation("clocks.read", Permission.read, precondition=_require_test)
async def read_clock(ctx: Context, _: Empty) -> StoreClockView:
    """See what time it is for the store, in test."""
    return _view(ctx, await ctx.database.one(FIND, store=ctx.store_id))


@operation("clocks.advance", Permission.manage, precondition=_require_test, scope=KeyAccess.no_scoped_key)
async def advance_clock(ctx: Context, order: AdvanceClock) -> StoreClockView:
    """Move the clock of the store's test environment ahead; all that falls due on the way happens, in order.

    A worker does the work: the status is `advancing`, then `ready`. Raises `TestOnly` and `ClockInProgress`.
    """
    await _validate(ctx, order)
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(
            BEGIN,
            store=ctx.store_id,
            real=ctx.real_clock.now(),
            to=order.to,
            webhook_wait_ms=MAX_WEBHOOK_WAIT // timedelta(milliseconds=1),
        )
        if row is None:
            raise ClockInProgress
        changes = {"now": {"from": row["clock_frozen_time"], "to": order.to}}
        await record(ctx, transaction, "test_clock.advanced", ctx.store_id, changes=changes)
    return _view(ctx, row)


async def _validate(ctx: Context, order: AdvanceClock) -> None:
    now = ctx.clock.now()
    if order.to <= now:
        raise InvalidInput(("to", "deve ser depois da hora do relógio da loja, que não volta"))
    if order.to > now + MAX_ADVANCE:
        raise InvalidInput(("to", f"avance no máximo {MAX_ADVANCE.days} dias por vez"))
    if order.to > ctx.real_clock.now() + MAX_OFFSET:
        raise InvalidInput(("to", "o relógio chega no máximo a 10 anos à frente da hora real"))
    if await ctx.database.value(COUNT_CYCLES, store=ctx.store_id, now=now, to=order.to) > MAX_CYCLES:
        raise InvalidInput(("to", f"até lá venceriam mais de {MAX_CYCLES} ciclos de assinaturas; avance menos"))


def _view(ctx: Context, row: Mapping[str, Any] | None) -> StoreClockView:
    """The clock in a row of `test_clocks`; without a row, the real clock."""
    real = ctx.real_clock.now()
    own = None if row is None else store_clock(row, ctx.real_clock)
    now, target = real if own is None else own.now(), None if row is None else row["target_time"]
    return StoreClockView.of(
        {
            "now": now,
            "offset_seconds": round((now - real).total_seconds()),
            "status": ClockStatus.ready if target is None else ClockStatus.advancing,
            "advancing_to": target,
        }
    )
