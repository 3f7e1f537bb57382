"""One look at a time: what it finds is told at once, and what keeps it from finding anything is a finding, too."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import SecretStr

from gateway.doctor.findings import Finding, mend
from gateway.settings import Settings

Ask: TypeAlias = Callable[[Settings], AsyncIterator[Finding]]
Tell: TypeAlias = Callable[[Finding], object]
_SECONDS = 30.0
_SHORTEST_SECRET = 4
"""What is shorter may be a part of any word."""


class Unanswered(Exception):
    """What a look is about can't be reached. The message says why, and what to do."""


class Look(Struct, frozen=True):
    """Whom to ask about one thing. One `in_database` is left out where there is none; None as `seconds` is a look that
    ends by itself, each of its steps being bounded.
    """

    subject: str
    ask: Ask
    in_database: bool = False
    seconds: float | None = _SECONDS


async def look_at(look: Look, settings: Settings, tell: Tell) -> bool:
    """Tell what the look finds, as it comes; whether what it is about could be reached."""
    try:
        async with asyncio.timeout(look.seconds) as deadline, aclosing(_asked(look, settings)) as found:
            async for finding in found:
                tell(finding)
    except Unanswered as error:
        tell(mend(look.subject, str(error)))
        return False
    except Exception as error:  # noqa: BLE001  # Whatever keeps this one from its findings must not keep the others from theirs.
        late = f"no answer within {look.seconds:.0f} s" if deadline.expired() else told_of(error, settings)
        tell(mend(look.subject, f"can't be looked at: {late}"))
    return True


async def _asked(look: Look, settings: Settings) -> AsyncGenerator[Finding, None]:
    async for finding in look.ask(settings):
        yield finding


def told_of(error: Exception, settings: Settings) -> str:
    """An exception in one line, without the secrets of the settings."""
    line = str(error).strip().partition("\n")[0]
    return masked(f"{type(error).__name__}: {line}".removesuffix(": "), settings)


def masked(told: str, settings: Settings) -> str:
    """A text without the secrets of the settings."""
    for secret in _secrets(settings):
        told = told.replace(secret, "***")
    return told


def _secrets(settings: Settings) -> Iterator[str]:
    given = (value for _, value in settings)
    kept = [value.get_secret_value() for value in given if isinstance(value, SecretStr)]
    kept += [older.get_secret_value() for older in settings.secret_key_previous]
    kept += [urlsplit(url).password or "" for url in (*kept, settings.database_url, settings.redis_url)]
    yield from (secret for secret in kept if len(secret) >= _SHORTEST_SECRET)


def alone(ask: Callable[[Settings], Awaitable[Finding]]) -> Ask:
    """Of what has one finding."""

    async def found(settings: Settings) -> AsyncIterator[Finding]:
        yield await ask(settings)

    return found


def at_once(ask: Callable[[Settings], Iterator[Finding]]) -> Ask:
    """Of what has to wait for nothing."""

    async def found(settings: Settings) -> AsyncIterator[Finding]:
        for finding in ask(settings):
            yield finding

    return found
