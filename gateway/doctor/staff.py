"""The service's staff: whether everybody of it has a second factor."""

from collections.abc import AsyncIterator

from gateway.doctor.asking import ask
from gateway.doctor.findings import Finding, good, mind
from gateway.settings import Settings

SUBJECT = "staff"
_COUNTS = """
    select count(*) as people, count(*) filter (where f.confirmed_at is null) as without
      from users u left join two_factors f on f.user_id = u.id
     where u.is_admin
"""


async def staff(settings: Settings) -> AsyncIterator[Finding]:
    """Every finding about the staff; none, where the database can't say, which it is asked elsewhere."""
    row = await ask(settings, _COUNTS)
    if row is None:
        return
    people, without = row["people"], row["without"]
    if not people:
        yield mind(SUBJECT, "nobody yet, and nobody can approve a merchant: gateway admin promote EMAIL")
    elif not without:
        yield good(SUBJECT, f"{people}, each with a second factor")
    elif settings.staff_requires_2fa:
        yield mind(SUBJECT, f"{without} of {people} have no second factor, and are refused until they set one up")
    else:
        yield mind(SUBJECT, f"{without} of {people} have no second factor; GATEWAY_STAFF_REQUIRES_2FA asks for one")
