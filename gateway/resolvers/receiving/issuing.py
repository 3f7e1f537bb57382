"""On which account a charge is made, and whether it may be (specification section 1, rule 6).

In the mode `conta_unica` it is the service's own, and nobody asks the database. In `subconta` it is the store's:
without one, or before the engine has approved it, nothing is issued, in test as in live.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from gateway.errors import LinkUnavailable, SubaccountMissing, SubaccountNotApproved
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import Approval, OwnAccount, account_of
from gateway.resolvers.receiving.fees import fee_of
from gateway.resolvers.receiving.views import block
from gateway.settings import ReceivingMode, Settings

NO_ACCOUNT = "A loja não tem conta de recebimento."
UNREADABLE = "A conta de recebimento da loja não pode ser usada agora. A equipe do serviço precisa agir."
NOT_YET = "A conta de recebimento da loja ainda não foi aprovada pelo provedor de pagamentos."


async def placed(ctx: Context, plan: ChargeParams) -> ChargeParams:
    """The plan with the account that it is made on, and the fee that is split off there. Raises `SubaccountMissing` and
    `SubaccountNotApproved`.
    """
    if ctx.settings.receiving_mode is ReceivingMode.conta_unica:
        return plan
    own = await account_of(ctx, plan.store_id, plan.environment)
    to_payer = ctx.actor.credential is Credential.none
    words = LinkUnavailable.default_message if to_payer else None
    if own is None:
        raise SubaccountMissing(words, aprovacao=block(Approval()))
    if not own.approval.granted:
        raise SubaccountNotApproved(words, aprovacao=block(own.approval, told_to_payer=to_payer))
    return on_account(ctx.settings, plan, own)


def on_account(settings: Settings, plan: ChargeParams, own: OwnAccount) -> ChargeParams:
    """The plan on a store's own account."""
    return replace(plan, receiving_account_id=own.id, account=own.account, fee_amount=fee_of(settings, plan.amount))


def hindrance(own: Mapping[str, OwnAccount | None], store_id: str) -> str | None:
    """Why a store among those of these accounts can't be charged for, in Portuguese, or None."""
    if store_id not in own:
        return NO_ACCOUNT
    account = own[store_id]
    if account is None:
        return UNREADABLE
    return None if account.approval.granted else NOT_YET
