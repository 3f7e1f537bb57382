"""`GET /test-clock` and `POST /test-clock/advance`: a merchant looks at the clock of their own
test store and moves it ahead.

There is no way back: what a store has is dated by its clock, and time that ran backward would put its
rows in the future.
"""

from datetime import timedelta

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import ClockUnderway, InvalidInput, TestOnly
from gateway.models.base import Environment
from gateway.models.clocks import test_clocks
from gateway.models.database import Statement
from gateway.resolvers.audit.trail import record
from gateway.resolvers.clocks.inputs import AdvanceClock
from gateway.resolvers.clocks.own import CLOCK_COLUMNS
from gateway.resolvers.clocks.views import StoreClockView, clock_view
from gateway.resolvers.clocks.work import MOST_CYCLES, cycles_until
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation

FARTHEST = timedelta(days=366)
"""How far one advance may go."""
FARTHEST_IN_ALL = timedelta(days=3660)
PATIENCE = timedelta(minutes=1)
"""How long one advance waits for webhooks on their way, all its steps together."""
LIVE = "Só o ambiente de teste tem um relógio que se move."

_T = test_clocks
_SHOWN = (*CLOCK_COLUMNS, _T.c.target)
_moment = _T.c.stands_at.type
_real, _to = bindparam("real", type_=_moment), bindparam("to", type_=_moment)
_patience = bindparam("patience_ms", type_=_T.c.patience_ms.type)
FIND = Statement(select(*_SHOWN).where(_T.c.store_id == bindparam("store")))
BEGIN = Statement(
    insert(_T)
    .values(
        store_id=bindparam("store", type_=_T.c.store_id.type),
        stands_at=_real,
        target=_to,
        patience_ms=_patience,
        created_at=_real,
        updated_at=_real,
    )
    .on_conflict_do_update(
        index_elements=["store_id"],
        set_={"stands_at": _real + _T.c.ahead, "target": _to, "patience_ms": _patience, "updated_at": _real},
        where=_T.c.target.is_(None) & (_real + _T.c.ahead < _to),
    )
    .returning(*_SHOWN)
)


@operation("clocks.read", Permission.read)
async def read_clock(ctx: Context, _: Nothing) -> StoreClockView:
    """See what time it is for the store, in test."""
    _require_test(ctx)
    return clock_view(ctx, await ctx.database.one(FIND, store=ctx.store_id))


@operation("clocks.advance", Permission.manage, scope=Reach.no_scoped_key)
async def advance_clock(ctx: Context, order: AdvanceClock) -> StoreClockView:
    """Move the clock of the store's test environment ahead; all that falls due on the way happens, in order.

    A worker does it: the answer is `advancing`, and `ready` follows. Raises `TestOnly` and `ClockUnderway`.
    """
    _require_test(ctx)
    await _require_reasonable(ctx, order)
    async with ctx.database.transaction() as transaction:
        row = await transaction.one(
            BEGIN,
            store=ctx.store_id,
            real=ctx.real_clock.now(),
            to=order.to,
            patience_ms=PATIENCE // timedelta(milliseconds=1),
        )
        if row is None:
            raise ClockUnderway
        changes = {"now": {"from": row["clock_stands_at"], "to": order.to}}
        await record(ctx, transaction, "test_clock.advanced", ctx.store_id, changes=changes)
    return clock_view(ctx, row)


def _require_test(ctx: Context) -> None:
    if ctx.environment != Environment.test:
        raise TestOnly(LIVE)


async def _require_reasonable(ctx: Context, order: AdvanceClock) -> None:
    now = ctx.clock.now()
    if order.to <= now:
        raise InvalidInput(("to", "deve ser depois da hora do relógio da loja, que não volta"))
    if order.to > now + FARTHEST:
        raise InvalidInput(("to", f"avance no máximo {FARTHEST.days} dias por vez"))
    if order.to > ctx.real_clock.now() + FARTHEST_IN_ALL:
        raise InvalidInput(("to", "o relógio chega no máximo a 10 anos à frente da hora real"))
    if await cycles_until(ctx, order.to) > MOST_CYCLES:
        raise InvalidInput(("to", f"até lá venceriam mais de {MOST_CYCLES} ciclos de assinaturas; avance menos"))
