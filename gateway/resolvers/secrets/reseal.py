"""`gateway admin reseal`: every secret at rest under the newest key, in batches, beside the running service.

It may be interrupted and repeated at any time: each batch commits alone, a secret that changed meanwhile is left to
whoever changed it, and what no key opens is counted and left as it is.
"""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from gateway.models.database import Row
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.context import Context
from gateway.resolvers.secrets.columns import BATCH, SEALED_COLUMNS, SealedColumn

MOST_NAMED = 3


class Resealed(Struct, frozen=True):
    """What became of one column's secrets that another key had sealed. `named` are the first
    rows of those that no key opens.
    """

    column: str
    resealed: int
    lost: int
    named: tuple[str, ...] = ()


async def reseal_secrets(ctx: Context) -> list[Resealed]:
    """Reseal everything that isn't under the newest key."""
    return [await _reseal_column(ctx, column) for column in SEALED_COLUMNS]


async def _reseal_column(ctx: Context, column: SealedColumn) -> Resealed:
    resealed = lost = 0
    named: list[str] = []
    rows = await ctx.database.all(column.first, mark=ctx.services.vault.mark)
    while rows:
        opened = _under_newest_key(ctx, rows)
        lost += len(rows) - len(opened)
        named += _unopened(rows, opened)[: MOST_NAMED - len(named)]
        resealed += await _replace(ctx, column, opened)
        full = len(rows) == BATCH
        rows = await ctx.database.all(column.stale, mark=ctx.services.vault.mark, last=rows[-1]["id"]) if full else []
    return Resealed(column.name, resealed, lost, tuple(named))


def _under_newest_key(ctx: Context, rows: Sequence[Row]) -> list[dict[str, object]]:
    opened: list[dict[str, object]] = []
    for row in rows:
        with suppress(ValueError):  # Which is told of by its row, with all others.
            now_sealed = ctx.services.vault.reseal(row["sealed"])
            opened.append({"row_id": row["id"], "was": row["sealed"], "now_sealed": now_sealed})
    return opened


def _unopened(rows: Sequence[Row], opened: Sequence[dict[str, object]]) -> list[str]:
    there = {one["row_id"] for one in opened}
    return [str(row["id"]) for row in rows if row["id"] not in there]


async def _replace(ctx: Context, column: SealedColumn, changes: list[dict[str, object]]) -> int:
    if not changes:
        return 0
    async with ctx.database.transaction() as transaction:
        await transaction.run_many(column.replace, changes)
        told = {column.name: {"resealed": len(changes)}}
        await record(ctx, transaction, "secrets.resealed", None, changes=told)
    return len(changes)
