"""`gateway simulate finish-transfer`: the simulated bank carries a withdrawal's transfer
out, or fails to, and says so.
"""

import orjson
from sqlalchemy import Text, bindparam, cast, or_, select

from gateway.errors import Conflict, NotFound
from gateway.models.base import Environment
from gateway.models.database import Statement
from gateway.models.engines import NoticeOutcome
from gateway.models.withdrawals import withdrawals
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_notices.receive import receive_notice
from gateway.values.ids import new_id

_W = withdrawals
BY_EITHER_ID = Statement(
    select(_W.c.id, _W.c.environment, _W.c.engine, _W.c.engine_id).where(
        or_(
            cast(_W.c.id, Text) == bindparam("either_id", type_=Text()),
            _W.c.engine_id == bindparam("either_id", type_=Text()),
        )
    )
)


async def finish_as_bank(ctx: Context, either_id: str, *, well: bool = True) -> NoticeOutcome:
    """Finish the transfer of a withdrawal, named by its own id or the transfer's. Raises `NotFound`, and
    `Conflict` where a real bank serves.
    """
    row = await ctx.database.one(BY_EITHER_ID, either_id=either_id.lower())
    if row is None:
        raise NotFound(f"there is no withdrawal or transfer with the id {either_id}")
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    if engine.has_bank or engine.name != row["engine"]:
        raise Conflict("only the simulator rehearses transfers, and this withdrawal belongs to another engine")
    event = "TRANSFER_DONE" if well else "TRANSFER_FAILED"
    transfer = {"id": row["engine_id"], "externalReference": row["id"]}
    body = {"id": f"evt_{new_id()}", "event": event, "transfer": transfer}
    return await receive_notice(ctx, engine, environment, orjson.dumps(body))
