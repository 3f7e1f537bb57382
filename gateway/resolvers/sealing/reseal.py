"""`gateway admin reseal`: every secret at rest under the newest key, in batches, beside the running service.

It may be interrupted and repeated at any time: each batch commits alone, a secret that changed meanwhile is left to whoever
changed it, and what no key opens is counted and left as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.models.database import Row
from gateway.resolvers.audit.trail import record
from gateway.resolvers.context import Context
from gateway.resolvers.sealing.columns import BATCH, SEALED_COLUMNS, SealedColumn
from gateway.telemetry import log


@dataclass(frozen=True, slots=True)
class Resealed:
    """What became of one column's secrets that another key had sealed."""

    column: str
    resealed: int
    lost: int


async def reseal_secrets(ctx: Context) -> list[Resealed]:
    """Reseal everything that isn't under the newest key."""
    return [await _reseal_column(ctx, column) for column in SEALED_COLUMNS]


async def _reseal_column(ctx: Context, column: SealedColumn) -> Resealed:
    resealed = lost = 0
    rows = await ctx.database.all(column.first, mark=ctx.services.vault.mark)
    while rows:
        opened = _under_newest_key(ctx, column, rows)
        lost += len(rows) - len(opened)
        resealed += await _replace(ctx, column, opened)
        full = len(rows) == BATCH
        rows = await ctx.database.all(column.stale, mark=ctx.services.vault.mark, last=rows[-1]["id"]) if full else []
    return Resealed(column.name, resealed, lost)


def _under_newest_key(ctx: Context, column: SealedColumn, rows: Sequence[Row]) -> list[dict[str, object]]:
    opened: list[dict[str, object]] = []
    for row in rows:
        try:
            now_sealed = ctx.services.vault.reseal(row["sealed"])
        except ValueError:
            log.error("secret_unreadable", column=column.name, row=str(row["id"]))
        else:
            opened.append({"row_id": row["id"], "was": row["sealed"], "now_sealed": now_sealed})
    return opened


async def _replace(ctx: Context, column: SealedColumn, changes: list[dict[str, object]]) -> int:
    if not changes:
        return 0
    async with ctx.database.transaction() as transaction:
        await transaction.run_many(column.replace, changes)
        told = {column.name: {"resealed": len(changes)}}
        await record(ctx, transaction, "secrets.resealed", None, changes=told)
    return len(changes)
