"""What the service keeps of a charge (settings `GATEWAY_SERVICE_FEE_PERCENT` and `GATEWAY_SERVICE_FEE_FIXED`)."""

from gateway.settings import Settings
from gateway.values.money import Centavos, percentage_of

_REAL = Centavos(100)


def fee_of(settings: Settings, amount: int) -> int:
    """The fee of a charge on a merchant's own account, centavos, each part rounded half up, and never above the amount.

    In the mode `conta_unica` nobody asks: the fee is settled at repayment (specification section 1, rule 6).
    """
    return min(percentage_of(amount, settings.service_fee_percent) + fixed_part(settings), amount)


def fixed_part(settings: Settings) -> int:
    """The part of the fee that is the same for every charge, centavos, rounded half up."""
    return percentage_of(_REAL, settings.service_fee_fixed * 100)
