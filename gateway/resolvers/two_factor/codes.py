"""Verify and use up codes of a second factor: those of the app (TOTP) and recovery codes. Each is valid once.

An attempt is counted before it is verified, so that concurrent ones can't exceed the limit. Attempts are counted for
each network, so that someone who knows the password can't lock the owner out. App codes have six digits, so wrong ones
are also limited for a day and from all networks. Recovery codes have 80 random bits and can't be guessed.
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

from gateway.errors import RateLimited, WrongCode
from gateway.models.database import Executor, Row, Statement
from gateway.models.sessions import two_factors
from gateway.rate_limits import Limit, network_of
from gateway.resolvers.accounts.passwords import network_and_total
from gateway.resolvers.audit.access_denied import count_refusal, insert_sampled_record
from gateway.resolvers.audit.audit_log import record_of
from gateway.resolvers.core.context import Context
from gateway.resolvers.sessions.tokens import first_environment
from gateway.security import hash_recovery_code, new_recovery_code, totp

STEP_SECONDS = 30
RECOVERY_CODES = 10
ATTEMPTS = (10, 900)
"""Codes of one kind from one network, and seconds; a right one clears the count."""
FAILURES_A_DAY = (30, 86400)
"""Wrong app codes from one network."""
FAILURES_A_DAY_IN_ALL = (100, 86400)
"""Wrong app codes from all networks. Three codes are valid at a time, so a guess succeeds with one in 3,000."""
_APP_CODE = re.compile(r"[0-9]{6}")
_SEPARATORS = re.compile(r"[\s-]")

_F = two_factors
_own = _F.c.user_id == bindparam("user_id")
_unchanged = (_own, _F.c.uses == bindparam("uses"), _F.c.confirmed_at.is_not(None))
_used = {"uses": _F.c.uses + 1}
FACTOR = Statement(select(_F).where(_own))
USE_STEP = Statement(update(_F).where(*_unchanged).values(_used | {"last_step": bindparam("step")}))
USE_RECOVERY = Statement(
    update(_F)
    .where(*_unchanged)
    .values(
        _used | {"recovery_hashes": func.array_remove(_F.c.recovery_hashes, bindparam("code_hash", type_=LargeBinary))}
    )
)


class Kind(StrEnum):
    """The kind of a code."""

    app = "app"
    recovery = "recovery"


class UsedCode(Struct, frozen=True):
    """A valid code that is now used up."""

    kind: Kind
    left: int
    """Remaining recovery codes."""

    @property
    def changes(self) -> dict[str, Any]:
        """The changes for the audit record."""
        changes: dict[str, Any] = {"second_factor": self.kind.value}
        return changes | ({"recovery_codes_left": self.left} if self.kind is Kind.recovery else {})


@asynccontextmanager
async def guarded_code(ctx: Context, account: Row, code: str) -> AsyncIterator[None]:
    """Verify a code of the account within the block. Counts and records a `WrongCode`. Raises `RateLimited`."""
    user_id, limiter = account["id"], ctx.services.limiter
    kind = Kind.app if _is_app_code(code) else Kind.recovery
    attempts = f"code:{kind}:{user_id}:{network_of(ctx.origin.ip)}"
    failures: tuple[Limit, ...] = ()
    if kind is Kind.app:
        failures = network_and_total(ctx, f"code:day:{user_id}", FAILURES_A_DAY, FAILURES_A_DAY_IN_ALL)
    try:
        for limit in failures:
            await limiter.check(*limit)
        await limiter.hit(attempts, *ATTEMPTS)
        try:
            yield
        except WrongCode:
            for limit in failures:
                await limiter.hit(*limit)
            raise
    except (WrongCode, RateLimited) as error:
        await _record_failure(ctx, account, error)
        raise
    await limiter.forget(attempts)


async def use_code(ctx: Context, executor: Executor, user_id: str, factor: Row, code: str) -> UsedCode:
    """Use up a code of a confirmed factor. Raises `WrongCode`, also if another code was used since it was read."""
    hashes: list[bytes] = factor["recovery_hashes"]
    unchanged = {"user_id": user_id, "uses": factor["uses"]}
    if _is_app_code(code):
        step = step_of(ctx, factor, code)
        if not await executor.run(USE_STEP, **unchanged, step=step):
            raise WrongCode
        return UsedCode(Kind.app, len(hashes))
    code_hash = hash_recovery_code(user_id, code)
    if code_hash not in hashes or not await executor.run(USE_RECOVERY, **unchanged, code_hash=code_hash):
        raise WrongCode
    return UsedCode(Kind.recovery, len(hashes) - 1)


def step_of(ctx: Context, factor: Row, code: str) -> int:
    """The step of an app code: the current one or a neighbour, and later than the last used. Raises `WrongCode`."""
    secret, now = ctx.services.vault.decrypt(factor["secret"]), current_step(ctx.real_clock.now())
    digits = _without_separators(code).encode()
    # Always compares all three, in constant time.
    matching = [step for step in (now - 1, now, now + 1) if hmac.compare_digest(totp(secret, step).encode(), digits)]
    unused = [step for step in matching if step > factor["last_step"]]
    if not unused:
        raise WrongCode
    return unused[0]


def current_step(now: datetime) -> int:
    """The 30-second step of a timestamp (RFC 6238 section 4)."""
    return int(now.timestamp()) // STEP_SECONDS


def new_recovery_codes(user_id: str) -> tuple[list[str], list[bytes]]:
    """New codes to show once, and the hashes to store."""
    codes = [new_recovery_code() for _ in range(RECOVERY_CODES)]
    return codes, [hash_recovery_code(user_id, code) for code in codes]


def _is_app_code(code: str) -> bool:
    return _APP_CODE.fullmatch(_without_separators(code)) is not None


def _without_separators(code: str) -> str:
    return _SEPARATORS.sub("", code)


async def _record_failure(ctx: Context, account: Row, error: WrongCode | RateLimited) -> None:
    user_id = account["id"]
    action = "account.code_limited" if isinstance(error, RateLimited) else "account.code_refused"
    count = await count_refusal(ctx, action, user_id)
    # Before a login there is no environment: the record goes where the session would have started.
    environment = None if ctx.actor.user_id else first_environment(account)
    values = record_of(ctx, action, user_id, changes={"attempts": count}, store_id=user_id, environment=environment)
    await insert_sampled_record(ctx, count, values)
