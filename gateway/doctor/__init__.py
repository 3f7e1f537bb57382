"""`gateway doctor`: look at everything that a deployment needs, and say what to mend.

Each module of this package looks at one thing and yields `Finding`s; `examine` prints them in order.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from gateway.dev.embedded.defaults import required_settings
from gateway.dev.embedded.errors import EmbeddedError
from gateway.doctor.audit import audit
from gateway.doctor.configuration import configuration
from gateway.doctor.database import database
from gateway.doctor.differences import differences
from gateway.doctor.documents import documents
from gateway.doctor.engines import engines, refusals
from gateway.doctor.findings import Finding, Mark, mend
from gateway.doctor.looking import Ask, Look, Tell, alone, at_once, look_at
from gateway.doctor.mail import mail
from gateway.doctor.partitions import partitions
from gateway.doctor.receiving import receiving
from gateway.doctor.redis import redis
from gateway.doctor.rights import rights
from gateway.doctor.secrets import secrets
from gateway.doctor.server_log import server_log
from gateway.doctor.staff import staff
from gateway.settings import Settings, SettingsError, load_settings

_SIGNS = {Mark.good: "ok  ", Mark.mind: "mind", Mark.mend: "MEND"}


def examine(
    data_dir: Path, tell: Callable[[str], object], *, whole_trail: bool = False, anchors: Path | None = None
) -> bool:
    """Tell every finding as it comes, one line each; whether nothing has to be mended. Of the audit trail the newest
    million records are verified, or the whole of it, and it is compared with `anchors`.
    """
    bad: list[Finding] = []

    def told(finding: Finding) -> None:
        tell(f"{_SIGNS[finding.mark]}  {finding.subject}: {finding.text}")
        if finding.mark is Mark.mend:
            bad.append(finding)

    asyncio.run(_all(data_dir, partial(audit, anchors=anchors, whole=whole_trail), told))
    tell(f"{len(bad)} to mend" if bad else "Nothing to mend.")
    return not bad


async def _all(data_dir: Path, trail: Ask, tell: Tell) -> None:
    try:
        with required_settings(data_dir) as given:
            settings = load_settings(**given)
            await _look_around(settings, trail, tell)
    except (SettingsError, EmbeddedError) as error:
        tell(mend("configuration", str(error)))


async def _look_around(settings: Settings, trail: Ask, tell: Tell) -> None:
    await look_at(Look("configuration", at_once(configuration)), settings, tell)
    there = await look_at(Look("database", database), settings, tell)
    for look in _looks(settings, trail):
        if there or not look.in_database:
            await look_at(look, settings, tell)


def _looks(settings: Settings, trail: Ask) -> tuple[Look, ...]:
    """What is looked at once it is known whether there is a database, in this order."""
    patience = 15 * settings.engine_timeout_seconds  # An account is asked for a handful of things in each environment.
    return (
        Look("rights", rights, in_database=True),
        Look("server log", server_log, in_database=True),
        Look("redis", alone(redis)),
        Look("secrets at rest", secrets, in_database=True, seconds=120),
        Look("audit trail", trail, in_database=True, seconds=None),
        Look("partitions", partitions, in_database=True),
        Look("engines", engines, in_database=True, seconds=patience),
        Look("refusals", refusals, in_database=True),
        Look("receiving", receiving, in_database=True),
        Look("payments", differences, in_database=True),
        Look("mail", mail, seconds=120),
        Look("documents", alone(documents)),
        Look("staff", staff, in_database=True),
    )
