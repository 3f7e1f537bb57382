"""Whether PostgreSQL's log can hold payers' data."""

from collections.abc import AsyncIterator

from gateway.doctor.asking import connected
from gateway.doctor.findings import Finding, good, mend
from gateway.models.server_log import log_differences, role_statements
from gateway.settings import Settings

SUBJECT = "server log"


async def server_log(settings: Settings) -> AsyncIterator[Finding]:
    """One finding, with the SQL to run."""
    async with connected(settings) as connection:
        different = await log_differences(connection)
        statements = await role_statements(connection)
    if not different:
        yield good(SUBJECT, "PostgreSQL logs errors without values and statements")
        return
    named = ", ".join(f"{name} is {value}" for name, value in different.items())
    yield mend(
        SUBJECT,
        f"PostgreSQL may log e-mails and documents of failed statements ({named}); run as a superuser, then restart the "
        f"gateway: {' '.join(statements)}",
    )
