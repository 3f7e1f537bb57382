"""Keys and people: whether the configured key decrypts all secrets, and whether staff use two-factor authentication."""

import asyncpg

from gateway.doctor.check import Findings, error, ok, open_pool, query_row, warning
from gateway.resolvers.key_rotation import count_key_usage
from gateway.services import open_vault
from gateway.settings import Settings

_STAFF = """
    select count(*) as people, count(*) filter (where f.confirmed_at is null) as without
      from users u left join two_factors f on f.user_id = u.id
     where u.is_admin
"""


async def check_encryption(settings: Settings) -> Findings:
    """Whether the configured keys decrypt all secrets at rest, and whether an old one is still needed."""
    subject = "secrets at rest"
    async with open_pool(settings) as database:
        try:
            columns = await count_key_usage(database, open_vault(settings))
        except asyncpg.UndefinedTableError:  # The check of the schema reports it.
            return
    lost, stale = sum(each.lost for each in columns), sum(each.stale for each in columns)
    if lost:
        where = ", ".join(each.column for each in columns if each.lost)
        yield error(
            subject, f"{lost} can't be opened ({where}): add the key that encrypted them to GATEWAY_SECRET_KEY_PREVIOUS"
        )
    if stale:
        yield warning(subject, f"{stale} under an older key: run `gateway admin reencrypt`")
    if not lost and not stale:
        text = f"{sum(each.current for each in columns)}, all under the newest key"
        spare = "; GATEWAY_SECRET_KEY_PREVIOUS isn't needed any more" if settings.secret_key_previous else ""
        yield ok(subject, text + spare)


async def check_staff(settings: Settings) -> Findings:
    row = await query_row(settings, _STAFF)
    if row is None:
        return
    people, without = row["people"], row["without"]
    if not people:
        yield warning("staff", "none yet, so no merchant can be approved: gateway admin promote EMAIL")
    elif not without:
        yield ok("staff", f"{people}, each with a second factor")
    elif settings.staff_requires_2fa:
        yield warning("staff", f"{without} of {people} have no second factor, and are refused until they set one up")
    else:
        yield warning("staff", f"{without} of {people} have no second factor; GATEWAY_STAFF_REQUIRES_2FA asks for one")
