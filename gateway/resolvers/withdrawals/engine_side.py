"""A withdrawal as its engine sees it."""

from gateway.integrations.engines.port import Account, EngineTransfer
from gateway.models.database import Row
from gateway.resolvers.core.context import Context


async def look_up(ctx: Context, row: Row, account: Account | None) -> EngineTransfer | None:
    """The transfer as it stands at the engine: by its id, or by our reference where none is known. None where it isn't
    found, which after a lost answer proves nothing with a bank. `account` is the one that the row remembers. Raises
    `EngineError`.
    """
    engine = ctx.services.engines.of(row["environment"])
    if row["engine_id"] is not None:
        return await engine.read_transfer(row["engine_id"], account)
    return await engine.find_transfer(row["id"], row["created_at"], account)
