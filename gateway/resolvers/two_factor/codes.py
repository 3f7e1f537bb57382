"""Using a code: one of this moment, or one of those kept for the day on which the phone is lost. Each is good once.

Guesses are counted before they are looked at, so that a thousand at the same moment are no more than ten. They are
counted for each network that guesses: whoever knows the password must not lock the owner out. The app's codes have six
digits, so wrong ones are also counted in all, for a day. Recovery codes have 80 random bits, which nobody guesses.
"""

import hmac
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import LargeBinary, bindparam, func, select, update

from gateway.errors import RateLimited, SecondFactorOff, WrongCode
from gateway.models.database import Executor, Row, Statement
from gateway.models.sessions import two_factors
from gateway.rate_limits import Limit, network_of
from gateway.resolvers.accounts.refused_logins import first_environment
from gateway.resolvers.audit.refusals import counted, note
from gateway.resolvers.audit.trail import record_of
from gateway.resolvers.core.context import Context
from gateway.security import hash_recovery_code, totp

STEP_SECONDS = 30
GUESSES = (10, 900)
"""How many codes of one kind from one network, in how many seconds; a right one clears the count."""
FAILURES_A_DAY = (30, 86400)
"""Wrong codes of the app from one network: a million codes are too few for ten guesses in each quarter of an hour."""
FAILURES_A_DAY_IN_ALL = (100, 86400)
"""Wrong codes of the app from all networks: a chance of one in 3,000, three codes being right at a time."""
_OF_THE_APP = re.compile(r"[0-9]{6}")
_BETWEEN = re.compile(r"[\s-]")

_F = two_factors
_mine = _F.c.user_id == bindparam("user_id")
_as_it_was = (_mine, _F.c.uses == bindparam("shown"), _F.c.confirmed_at.is_not(None))
_used = {"uses": _F.c.uses + 1}
FACTOR = Statement(select(_F).where(_mine))
USE_STEP = Statement(
    update(_F).where(*_as_it_was).values(_used | {"last_step": bindparam("step", type_=_F.c.last_step.type)})
)
USE_RECOVERY = Statement(
    update(_F)
    .where(*_as_it_was)
    .values(
        _used | {"recovery_hashes": func.array_remove(_F.c.recovery_hashes, bindparam("code_hash", type_=LargeBinary))}
    )
)


class Kind(StrEnum):
    """What sort of code it was."""

    app = "app"
    recovery = "recovery"


class Used(Struct, frozen=True):
    """A code that was right, and is used up."""

    kind: Kind
    left: int
    """Recovery codes that are left."""

    def told(self) -> dict[str, Any]:
        """What the trail says of it."""
        told: dict[str, Any] = {"second_factor": {"to": self.kind.value}}
        return told | ({"recovery_codes_left": {"to": self.left}} if self.kind is Kind.recovery else {})


@asynccontextmanager
async def guarded_code(ctx: Context, account: Row, code: str) -> AsyncIterator[None]:
    """Around looking at a code of an account's: a `WrongCode` is one of their few guesses, and on
    record. Raises `RateLimited`.
    """
    user_id = account["id"]
    try:
        await _count(ctx, user_id, code)
        try:
            yield
        except WrongCode:
            for limit in _limits_of_failures(ctx, user_id, code):
                await ctx.services.limiter.hit(*limit)
            raise
    except (WrongCode, RateLimited) as refusal:
        await _note_refusal(ctx, account, refusal)
        raise
    await ctx.services.limiter.forget(_guesses(ctx, user_id, code))


async def use_code(ctx: Context, executor: Executor, user_id: str, factor: Row, code: str) -> Used:
    """Use up a code of a factor in force, as it was when it was read. Raises `WrongCode`, also for who comes second."""
    hashes: list[bytes] = factor["recovery_hashes"]
    as_it_was = {"user_id": user_id, "shown": factor["uses"]}
    if _is_of_the_app(code):
        step = step_of(ctx, factor, code)
        if not await executor.run(USE_STEP, **as_it_was, step=step):
            raise WrongCode
        return Used(Kind.app, len(hashes))
    code_hash = hash_recovery_code(user_id, code)
    if code_hash not in hashes or not await executor.run(USE_RECOVERY, **as_it_was, code_hash=code_hash):
        raise WrongCode
    return Used(Kind.recovery, len(hashes) - 1)


def step_of(ctx: Context, factor: Row, code: str) -> int:
    """The step whose code it is: this one, or one before or after it, and later than any that
    was used. Raises `WrongCode`.
    """
    secret, now = ctx.services.vault.open(factor["secret"]), current_step(ctx.real_clock.now())
    given = _digits(code)
    # All three are compared, whichever it is, and in constant time.
    right = [
        step for step in (now - 1, now, now + 1) if hmac.compare_digest(totp(secret, step).encode(), given.encode())
    ]
    unused = [step for step in right if step > factor["last_step"]]
    if not unused:
        raise WrongCode
    return unused[0]


async def factor_in_force(ctx: Context, user_id: str) -> Row:
    """The account's factor. Raises `SecondFactorOff`."""
    factor = await ctx.database.one(FACTOR, user_id=user_id)
    if factor is None or factor["confirmed_at"] is None:
        raise SecondFactorOff
    return factor


def current_step(now: datetime) -> int:
    """The 30-second step of a moment (RFC 6238 section 4)."""
    return int(now.timestamp()) // STEP_SECONDS


def _is_of_the_app(code: str) -> bool:
    return _OF_THE_APP.fullmatch(_digits(code)) is not None


def _digits(code: str) -> str:
    """The code as the app has it: people type blanks and hyphens."""
    return _BETWEEN.sub("", code)


def _guesses(ctx: Context, user_id: str, code: str) -> str:
    kind = Kind.app if _is_of_the_app(code) else Kind.recovery
    return f"code:{kind}:{user_id}:{network_of(ctx.origin.ip)}"


def _limits_of_failures(ctx: Context, user_id: str, code: str) -> tuple[Limit, ...]:
    if not _is_of_the_app(code):
        return ()
    name = f"code:day:{user_id}"
    return (
        Limit(f"{name}:{network_of(ctx.origin.ip)}", *FAILURES_A_DAY),
        Limit(name, *FAILURES_A_DAY_IN_ALL),
    )


async def _count(ctx: Context, user_id: str, code: str) -> None:
    for limit in _limits_of_failures(ctx, user_id, code):
        await ctx.services.limiter.check(*limit)
    await ctx.services.limiter.hit(_guesses(ctx, user_id, code), *GUESSES)


async def _note_refusal(ctx: Context, account: Row, refusal: WrongCode | RateLimited) -> None:
    user_id = account["id"]
    action = "account.code_limited" if isinstance(refusal, RateLimited) else "account.code_refused"
    count = await counted(ctx, action, user_id)
    told = record_of(ctx, action, user_id, changes={"attempts": count}, store_id=user_id)
    # Who isn't logged in is nowhere yet: it belongs where the session would have begun.
    where = {} if ctx.actor.user_id else {"audit_environment": first_environment(account)}
    await note(ctx, count, told | where)
