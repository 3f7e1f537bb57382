"""A charge at the engine that holds it. Rows have `engine`, `engine_id` and `receiving_account_id`."""

from collections.abc import Mapping
from typing import Any

from gateway.engines.port import Engine, EngineCharge
from gateway.resolvers.context import Context
from gateway.resolvers.receiving.accounts import account_by_id


def holds(engine: Engine, row: Mapping[str, Any]) -> bool:
    """Whether the engine that serves now is the one that made the charge: another knows nothing of it."""
    return engine.name == str(row["engine"])


async def read_at_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> EngineCharge | None:
    """That very charge as it stands there, or None where it has no such charge. Raises `EngineError`."""
    return await engine.read_charge(row["engine_id"], await account_by_id(ctx, row["receiving_account_id"]))


async def retire_at_engine(ctx: Context, engine: Engine, row: Mapping[str, Any]) -> None:
    """Ask the engine to let an unpaid charge go. Raises `EngineError`."""
    await engine.retire_charge(row["engine_id"], await account_by_id(ctx, row["receiving_account_id"]))
