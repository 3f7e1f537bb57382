"""`POST /receiving-account/simulate-review`: in test, what the bank decides about the store's account, rehearsed."""

from gateway.errors import Conflict, EngineFailed, SubaccountMissing, TestOnly
from gateway.integrations.engines.notices import review_notice
from gateway.models.base import Environment
from gateway.models.engines import NoticeOutcome
from gateway.resolvers.core.access import Permission, Reach
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.engine_notices.receive import receive_notice
from gateway.resolvers.receiving.accounts import Approval, account_of
from gateway.resolvers.receiving.inputs import SimulateReview
from gateway.resolvers.receiving.opening import needs_subaccounts
from gateway.resolvers.receiving.reading import read_account
from gateway.resolvers.receiving.views import ReceivingAccountView, block

LIVE = "Só no ambiente de teste a análise do banco pode ser simulada."
REAL_BANK = "A conta é de um provedor de pagamentos de verdade, que a analisa por si."


@operation("receiving.simulate_review", Permission.manage, premise=needs_subaccounts, scope=Reach.no_scoped_key)
async def simulate_review(ctx: Context, review: SimulateReview) -> ReceivingAccountView:
    """Let the bank of the test environment decide about the store's account. Raises
    `TestOnly` and `SubaccountMissing`.
    """
    if ctx.environment is not Environment.test:
        raise TestOnly(LIVE)
    engine = ctx.services.engines.test
    if engine.has_bank:
        raise Conflict(REAL_BANK)
    own = await account_of(ctx, ctx.store_id, ctx.environment)
    if own is None:
        raise SubaccountMissing(aprovacao=block(Approval()))
    notice = review_notice(own.account.id, review.geral, review.motivo)
    if await receive_notice(ctx, engine, Environment.test, notice) is NoticeOutcome.received:
        raise EngineFailed
    return await read_account.verb(ctx, Nothing())
