"""Who receives the payers' money: the mode, the fee, and accounts that only staff can help."""

from collections.abc import AsyncIterator

from gateway.doctor.asking import ask
from gateway.doctor.findings import Finding, good, mend, mind
from gateway.resolvers.receiving.account_for_charge import service_fee
from gateway.settings import ReceivingMode, Settings
from gateway.values.money import MINIMUM_CHARGE, format_brl

SUBJECT = "receiving"
_HUNDRED_REAIS = 10_000
_COUNTS = """
    select count(*) filter (where state = 'open') as open, count(*) filter (where state = 'opening') as opening,
           array_agg(account_id order by account_id) filter (where state = 'lost') as lost
      from receiving_accounts
"""


async def receiving(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about the receiving mode."""
    fee = service_fee(settings, _HUNDRED_REAIS)
    if settings.receiving_mode is ReceivingMode.conta_unica:
        yield good(SUBJECT, "conta_unica: stores receive in the main account and are repaid by staff")
        if fee:
            yield mind(SUBJECT, "a service fee is set, which counts in the mode subconta only")
        return
    found = await ask(settings, _COUNTS)
    if found is None:  # Which has been told already.
        return
    kept = format_brl(fee)
    yield good(SUBJECT, f"subconta: {found['open']} stores have accounts of their own; of R$ 100,00 the fee is {kept}")
    least = service_fee(settings, MINIMUM_CHARGE)
    if least > MINIMUM_CHARGE // 2:
        yield mind(
            SUBJECT, f"of a charge of R$ 5,00 the fee is {format_brl(least)}; engines refuse more than they leave"
        )
    if found["opening"]:
        yield mind(SUBJECT, f"{found['opening']} accounts are being opened; `gateway worker` settles what nobody knows")
    if found["lost"]:
        names = ", ".join(found["lost"])
        yield mend(
            SUBJECT,
            f"the keys of {names} never arrived: make new ones at the engine, then `gateway admin adopt-account`",
        )
