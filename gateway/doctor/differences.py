"""Payments: what differs from the engines and waits for staff, and orders whose outcome nobody knows."""

from collections.abc import AsyncIterator

from gateway.doctor.asking import ask
from gateway.doctor.findings import Finding, good, mind
from gateway.settings import Settings

SUBJECT = "payments"
_COUNTS = """
    select (select count(*) from reconciliation_discrepancies where resolved_at is null) as open,
           (select count(*) from issuances where created_at < now() - interval '1 day') as unknown
"""


async def differences(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about differences; none, where the database can't say, which it is asked elsewhere."""
    row = await ask(settings, _COUNTS)
    if row is None:
        return
    if row["open"]:
        yield mind(SUBJECT, f"{row['open']} differ from the engines and wait for staff: GET /admin/differences")
    if row["unknown"]:
        yield mind(
            SUBJECT,
            f"{row['unknown']} orders have had no outcome for a day; look at the engine, then `gateway reconcile`",
        )
    if not row["open"] and not row["unknown"]:
        yield good(SUBJECT, "nothing differs from the engines")
