"""`gateway simulate pay`: the simulated bank pays a charge of either environment, through the notice of any payment."""

from sqlalchemy import bindparam, select

from gateway.engines.port import EngineError
from gateway.errors import Conflict, NotFound
from gateway.models.base import Environment
from gateway.models.charges import charges
from gateway.models.database import Statement
from gateway.models.engines import NoticeOutcome
from gateway.resolvers.context import Context
from gateway.resolvers.engine_failures import failed
from gateway.resolvers.engine_notices.receive import receive_notice
from gateway.resolvers.receiving.accounts import account_by_id

_C = charges
BY_TXID = Statement(
    select(_C.c.environment, _C.c.engine, _C.c.engine_id, _C.c.receiving_account_id).where(
        _C.c.txid == bindparam("txid")
    )
)


async def pay_as_bank(ctx: Context, txid: str) -> NoticeOutcome:
    """Pay the charge and tell the gateway so. Raises `NotFound`, `EngineFailed`, and `Conflict` where a real bank
    serves.
    """
    row = await ctx.database.one(BY_TXID, txid=txid)
    if row is None:
        raise NotFound(f"Não há cobrança com o txid {txid}.")
    environment = Environment(row["environment"])
    engine = ctx.services.engines.of(environment)
    if engine.has_bank or engine.name != row["engine"]:
        raise Conflict("Só o simulador ensaia pagamentos; esta cobrança é de outro provedor.")
    account = await account_by_id(ctx, row["receiving_account_id"])
    try:
        notice = await engine.confirm_test(row["engine_id"], account)
    except EngineError as error:
        raise failed(error) from error
    assert notice is not None, "the simulator hands its notices over, unless a script makes them late"
    return await receive_notice(ctx, engine, environment, notice)
