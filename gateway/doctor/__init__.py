"""`gateway doctor`: look at everything that a deployment needs, and say what to mend.

Each module of this package looks at one thing and yields `Finding`s; `examine` prints them in order.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from gateway.doctor.audit import audit
from gateway.doctor.configuration import configuration
from gateway.doctor.database import database
from gateway.doctor.differences import differences
from gateway.doctor.documents import documents
from gateway.doctor.engines import engines
from gateway.doctor.findings import Finding, Mark
from gateway.doctor.mail import mail
from gateway.doctor.receiving import receiving
from gateway.doctor.redis import redis
from gateway.doctor.secrets import secrets
from gateway.doctor.staff import staff
from gateway.embedded.defaults import required_settings
from gateway.embedded.errors import EmbeddedError
from gateway.settings import Settings, SettingsError, load_settings

Look: TypeAlias = Callable[[Settings], AsyncIterator[Finding]]
_SIGNS = {Mark.good: "ok  ", Mark.mind: "mind", Mark.mend: "MEND"}


def examine(
    data_dir: Path, tell: Callable[[str], object], *, whole_trail: bool = False, anchors: Path | None = None
) -> bool:
    """Tell every finding, one line each; whether nothing has to be mended. Of the audit trail the newest million records
    are verified, or the whole of it, and it is compared with `anchors`.
    """
    found = asyncio.run(_all(data_dir, partial(audit, anchors=anchors, whole=whole_trail)))
    for finding in found:
        tell(f"{_SIGNS[finding.mark]}  {finding.subject}: {finding.text}")
    mend = [finding for finding in found if finding.mark is Mark.mend]
    tell(f"{len(mend)} to mend" if mend else "Nothing to mend.")
    return not mend


async def _all(data_dir: Path, trail: Look) -> list[Finding]:
    try:
        with required_settings(data_dir) as given:
            settings = load_settings(**given)
            return [*configuration(settings), *[finding async for finding in _servers(settings, trail)]]
    except (SettingsError, EmbeddedError) as error:
        return [Finding(Mark.mend, "configuration", str(error))]


async def _servers(settings: Settings, trail: Look) -> AsyncIterator[Finding]:
    async for finding in database(settings):
        yield finding
    yield await redis(settings)
    async for finding in secrets(settings):
        yield finding
    async for finding in trail(settings):
        yield finding
    async for finding in engines(settings):
        yield finding
    async for finding in receiving(settings):
        yield finding
    async for finding in differences(settings):
        yield finding
    async for finding in mail(settings):
        yield finding
    yield await documents(settings)
    async for finding in staff(settings):
        yield finding
