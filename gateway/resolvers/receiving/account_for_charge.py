"""The account of a new charge, and the service's fee (specification section 1, rule 6).

In the mode `conta_unica` it is the service's main account. In `subconta` it is the store's: without one, or before its
approval, no charge is created, in test as in live.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from gateway.errors import LinkUnavailable, SubaccountNotApproved
from gateway.resolvers.charges.charge_params import ChargeParams
from gateway.resolvers.core.actor import Credential
from gateway.resolvers.core.context import Context
from gateway.resolvers.receiving.accounts import OwnAccount, require_store_account
from gateway.resolvers.receiving.types import approval_block
from gateway.settings import Settings
from gateway.values.money import Centavos, percentage_of

NO_ACCOUNT = "A loja não tem conta de recebimento."
UNREADABLE = "A conta de recebimento da loja não pode ser usada agora. A equipe do serviço precisa agir."
ACCOUNT_NOT_APPROVED = "A conta de recebimento da loja ainda não foi aprovada pelo provedor de pagamentos."
_REAL = Centavos(100)


async def with_account(ctx: Context, params: ChargeParams) -> ChargeParams:
    """In the mode `subconta`: the charge with the store's account and the fee to split off. Raises `SubaccountMissing`
    and `SubaccountNotApproved`.
    """
    for_payer = ctx.actor.credential is Credential.none
    message = LinkUnavailable.default_message if for_payer else None
    own = await require_store_account(ctx, params.store_id, params.environment, message)
    if not own.approval.granted:
        raise SubaccountNotApproved(message, aprovacao=approval_block(own.approval, for_payer=for_payer))
    return with_own_account(ctx.settings, params, own)


def with_own_account(settings: Settings, params: ChargeParams, own: OwnAccount) -> ChargeParams:
    """The charge on a store's own account, with the fee."""
    fee = service_fee(settings, params.amount)
    return replace(params, receiving_account_id=own.id, account=own.account, fee_amount=fee)


def blocker(accounts: Mapping[str, OwnAccount | None], store_id: str) -> str | None:
    """Why a store cannot charge, in Portuguese, or None. `accounts`: by store, None where the key is unreadable."""
    if store_id not in accounts:
        return NO_ACCOUNT
    account = accounts[store_id]
    if account is None:
        return UNREADABLE
    return None if account.approval.granted else ACCOUNT_NOT_APPROVED


def service_fee(settings: Settings, amount: int) -> int:
    """The fee of a charge on a merchant's own account, in centavos: each part rounded half up, at most the amount.

    In the mode `conta_unica` the fee is settled at repayment instead.
    """
    return min(percentage_of(amount, settings.service_fee_percent) + fixed_fee(settings), amount)


def fixed_fee(settings: Settings) -> int:
    """The fixed part of the fee, in centavos, rounded half up."""
    return percentage_of(_REAL, settings.service_fee_fixed * 100)
