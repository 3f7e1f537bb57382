"""Money: the engines' accounts, who receives, and what differs from the engines."""

from gateway.doctor.check import (
    QUERY_ERRORS,
    Finding,
    Findings,
    Severity,
    connect,
    error,
    ok,
    open_pool,
    query_row,
    warning,
)
from gateway.integrations.engines.registry import open_engines
from gateway.models.base import Environment
from gateway.resolvers.receiving.account_for_charge import service_fee
from gateway.settings import ReceivingMode, Settings
from gateway.values.clock import SystemClock
from gateway.values.money import MINIMUM_CHARGE, format_brl

_REFUSED = """
    select engine, environment, account_id, reason, refusals, last_at > now() - interval '1 hour' as is_fresh,
           to_char(last_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') as last_at
      from account_refusals where last_at > now() - interval '1 day' order by 1, 2, 3 limit 20
"""
_EXAMPLE_CENTAVOS = 10_000
_ACCOUNTS = """
    select count(*) filter (where state = 'open') as open, count(*) filter (where state = 'opening') as opening,
           array_agg(account_id order by account_id) filter (where state = 'lost') as lost
      from receiving_accounts
"""
_DIFFERENCES = """
    select (select count(*) from reconciliation_discrepancies where resolved_at is null) as open,
           (select count(*) from issuances where created_at < now() - interval '1 day') as unknown
"""


async def check_engines(settings: Settings) -> Findings:
    """What each environment's engine reports of its account; the simulator reports nothing."""
    async with open_pool(settings) as database, open_engines(settings, database, SystemClock()) as opened:
        for environment in Environment:
            for result in await opened.of(environment).check_health():
                severity = Severity.ok if result.ok else Severity.warning if result.warning else Severity.error
                yield Finding(severity, f"{environment} engine", result.text)


async def check_refused_accounts(settings: Settings) -> Findings:
    """Accounts that an engine refused to serve within a day: no Pix key, blocked, a key that isn't accepted."""
    async with connect(settings) as connection:
        try:
            rows = await connection.fetch(_REFUSED)
        except QUERY_ERRORS:  # The check of the schema reports an older one.
            return
    for row in rows:
        account = f"account {row['account_id']}" if row["account_id"] else "the main account"
        yield Finding(
            Severity.error if row["is_fresh"] else Severity.warning,
            f"{row['environment']} engine",
            f"{row['engine']} refused {account} {row['refusals']} times, last at {row['last_at']} UTC: {row['reason']}",
        )


async def check_receiving(settings: Settings) -> Findings:
    """Who receives the payers' money: the mode, the fee, and accounts that only staff can recover."""
    subject, fee = "receiving", service_fee(settings, _EXAMPLE_CENTAVOS)
    if settings.receiving_mode is ReceivingMode.conta_unica:
        yield ok(subject, "conta_unica: stores receive in the main account and are repaid by staff")
        if fee:
            yield warning(subject, "a service fee is set, which counts in the mode subconta only")
        return
    found = await query_row(settings, _ACCOUNTS)
    if found is None:
        return
    of_example = f"of {format_brl(_EXAMPLE_CENTAVOS)} the fee is {format_brl(fee)}"
    yield ok(subject, f"subconta: {found['open']} stores have accounts of their own; {of_example}")
    smallest = service_fee(settings, MINIMUM_CHARGE)
    if smallest > MINIMUM_CHARGE // 2:
        text = f"of a charge of R$ 5,00 the fee is {format_brl(smallest)}; engines refuse more than they leave"
        yield warning(subject, text)
    if found["opening"]:
        text = f"{found['opening']} accounts are being opened; `gateway worker` resolves those whose outcome is unknown"
        yield warning(subject, text)
    if found["lost"]:
        names = ", ".join(found["lost"])
        yield error(
            subject,
            f"the keys of {names} never arrived: make new ones at the engine, then `gateway admin adopt-account`",
        )


async def check_payments(settings: Settings) -> Findings:
    """Open differences from the engines, and orders with no outcome."""
    row = await query_row(settings, _DIFFERENCES)
    if row is None:
        return
    if row["open"]:
        yield warning("payments", f"{row['open']} differ from the engines and wait for staff: GET /admin/differences")
    if row["unknown"]:
        yield warning(
            "payments",
            f"{row['unknown']} orders have had no outcome for a day; look at the engine, then `gateway reconcile`",
        )
    if not row["open"] and not row["unknown"]:
        yield ok("payments", "nothing differs from the engines")
