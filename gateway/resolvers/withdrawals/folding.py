"""Folding what has come in into each store's sum, so that a balance is a handful of rows to read."""

from sqlalchemy import BigInteger, cast, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from gateway.models.balances import balance_entries, store_balances
from gateway.models.database import Statement
from gateway.resolvers.core.context import Context

BATCH = 5000

_E, _S = balance_entries, store_balances
_KEY = ("user_id", "environment", "receiving_account_id")
_SUMS = ("gross", "fee", "charges")
_oldest = select(_E.c.id).order_by(_E.c.id).limit(BATCH).with_for_update(skip_locked=True)
_taken = delete(_E).where(_E.c.id.in_(_oldest)).returning(*(_E.c[name] for name in (*_KEY, *_SUMS))).cte("taken")
_key = [_taken.c[name] for name in _KEY]
_summed = (
    select(*_key, *(cast(func.sum(_taken.c[name]), BigInteger).label(name) for name in _SUMS))
    .group_by(*_key)
    # In one order, whoever folds: two workers that met in the middle would wait for each other.
    .order_by(*_key)
)
_given = insert(_S).from_select([*_KEY, *_SUMS], _summed)
_folded = _given.on_conflict_do_update(
    constraint="uq_store_balances_user_id", set_={name: _S.c[name] + _given.excluded[name] for name in _SUMS}
).returning(_S.c.id)
FOLD = Statement(select(func.count()).select_from(_taken).add_cte(_folded.cte("folded")))


async def fold_balances(ctx: Context) -> int:
    """Fold entries in, batch by batch, until there are none; returns how many. Several
    workers may, at the same time.
    """
    folded, last = 0, BATCH
    while last == BATCH:
        last = await ctx.database.value(FOLD)
        folded += last
    return folded
