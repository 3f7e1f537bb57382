"""`gateway doctor`: check everything that a deployment needs, and report what to fix.

The modules of this package check one subject each, and yield `Finding`s; `examine` prints them in order.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from gateway.dev.embedded.defaults import required_settings
from gateway.dev.embedded.paths import EmbeddedError
from gateway.doctor.audit import check_audit_trail
from gateway.doctor.check import Check, CheckFunction, Finding, Report, Severity, error, run_check
from gateway.doctor.configuration import check_configuration
from gateway.doctor.database import check_database, check_partitions, check_privileges, check_server_log
from gateway.doctor.payments import check_engines, check_payments, check_receiving, check_refused_accounts
from gateway.doctor.security import check_encryption, check_staff
from gateway.doctor.services import check_documents, check_mail, check_redis
from gateway.settings import Settings, SettingsError, load_settings

_SIGNS = {Severity.ok: "ok  ", Severity.warning: "warn", Severity.error: "FAIL"}


def examine(
    data_dir: Path, write: Callable[[str], object], *, whole_trail: bool = False, anchors: Path | None = None
) -> bool:
    """Write one line for each finding; true if none is an error. Verifies the newest million audit records, or all
    of them, and compares them with `anchors`.
    """
    errors: list[Finding] = []

    def report(finding: Finding) -> None:
        write(f"{_SIGNS[finding.severity]}  {finding.subject}: {finding.text}")
        if finding.severity is Severity.error:
            errors.append(finding)

    asyncio.run(_run_checks(data_dir, partial(check_audit_trail, anchors=anchors, whole=whole_trail), report))
    write(f"{len(errors)} to fix" if errors else "Nothing to fix.")
    return not errors


async def _run_checks(data_dir: Path, check_trail: CheckFunction, report: Report) -> None:
    try:
        with required_settings(data_dir) as required:
            settings = load_settings(**required)
            await run_check(Check("configuration", check_configuration), settings, report)
            has_database = await run_check(Check("database", check_database), settings, report)
            for check in _checks(settings, check_trail):
                if has_database or not check.in_database:
                    await run_check(check, settings, report)
    except (SettingsError, EmbeddedError) as failure:
        report(error("configuration", str(failure)))


def _checks(settings: Settings, check_trail: CheckFunction) -> tuple[Check, ...]:
    engine_seconds = 15 * settings.engine_timeout_seconds  # An account takes several requests in each environment.
    return (
        Check("rights", check_privileges, in_database=True),
        Check("server log", check_server_log, in_database=True),
        Check("redis", check_redis),
        Check("secrets at rest", check_encryption, in_database=True, seconds=120),
        Check("audit trail", check_trail, in_database=True, seconds=None),  # Its time grows with the trail.
        Check("partitions", check_partitions, in_database=True),
        Check("engines", check_engines, in_database=True, seconds=engine_seconds),
        Check("refusals", check_refused_accounts, in_database=True),
        Check("receiving", check_receiving, in_database=True),
        Check("payments", check_payments, in_database=True),
        Check("mail", check_mail, seconds=120),
        Check("documents", check_documents),
        Check("staff", check_staff, in_database=True),
    )
