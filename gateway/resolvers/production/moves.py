"""The history of a store's production status: one row for each move, written in the transaction of the move."""

from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, insert

from gateway.models.accounts import ProductionStatus
from gateway.models.database import Executor, Statement
from gateway.models.production import production_moves
from gateway.resolvers.core.context import Context
from gateway.values.ids import new_id

_M = production_moves
WRITE = Statement(insert(_M).values({column.name: bindparam(column.name, type_=column.type) for column in _M.c}))


class Move(Struct, frozen=True):
    """A store's way from one status to another. `submitted`: what a request hands in."""

    store_id: str
    before: ProductionStatus
    after: ProductionStatus
    reason: str | None = None
    submitted: dict[str, Any] | None = None

    def change(self) -> dict[str, Any]:
        """As the audit trail tells it."""
        told: dict[str, Any] = {"production_status": {"from": self.before, "to": self.after}}
        return told | ({"reason": {"from": None, "to": self.reason}} if self.reason else {})


async def write_move(ctx: Context, transaction: Executor, move: Move) -> None:
    """Write one move down, with whoever makes it."""
    await transaction.run(
        WRITE,
        id=new_id(),
        user_id=move.store_id,
        from_status=move.before,
        to_status=move.after,
        reason=move.reason,
        submitted=move.submitted,
        actor_id=ctx.actor.user_id,
        actor_name=ctx.actor.name,
        created_at=ctx.real_clock.now(),
    )
