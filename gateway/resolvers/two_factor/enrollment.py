"""Set up, read, change and remove the second factor of an account. Its owner gets an email about each change."""

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import quote, urlencode

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from gateway.errors import NotFound, SecondFactorOff, SecondFactorOn
from gateway.integrations.engines import qr
from gateway.models.accounts import users
from gateway.models.database import Executor, Row, Statement, Transaction
from gateway.models.sessions import two_factors
from gateway.resolvers.accounts.passwords import require_password_if_any
from gateway.resolvers.accounts.queries import read_own_account
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.email.account_templates import TwoFactorChange, TwoFactorChanged
from gateway.resolvers.email.outbox import EmailMessage, enqueue
from gateway.resolvers.sessions.store import delete_sessions
from gateway.resolvers.sessions.tokens import replace_sessions
from gateway.resolvers.two_factor.codes import FACTOR, UsedCode, guarded_code, new_recovery_codes, step_of, use_code
from gateway.resolvers.two_factor.types import (
    BeginTwoFactor,
    ConfirmTwoFactor,
    EnrolmentView,
    ProveTwoFactor,
    RecoveryCodesView,
    TwoFactorEnabledView,
    TwoFactorView,
)
from gateway.security import new_totp_secret

CONFIRMATION_PERIOD = timedelta(minutes=30)
NOT_BEGUN = "Não há configuração a confirmar, ou ela venceu. Comece de novo."

_F, _U = two_factors, users
_own = _F.c.user_id == bindparam("user_id")
_insert = insert(_F).values(user_id=bindparam("user_id"), secret=bindparam("secret"), created_at=bindparam("now"))
BEGIN = Statement(
    _insert.on_conflict_do_update(
        index_elements=[_F.c.user_id],
        set_={"secret": _insert.excluded.secret, "created_at": _insert.excluded.created_at},
        where=_F.c.confirmed_at.is_(None),
    )
)
CONFIRM = Statement(
    update(_F)
    .where(_own, _F.c.secret == bindparam("secret"), _F.c.confirmed_at.is_(None))
    .values(
        confirmed_at=bindparam("now"),
        last_step=bindparam("step"),
        recovery_hashes=bindparam("hashes"),
        uses=1,
    )
)
STATUS = Statement(
    select(_U.c.is_admin, _F.c.confirmed_at, func.cardinality(_F.c.recovery_hashes).label("left"))
    .select_from(_U.outerjoin(_F, (_F.c.user_id == _U.c.id) & _F.c.confirmed_at.is_not(None)))
    .where(_U.c.id == bindparam("user_id"))
)
RENEW_RECOVERY_CODES = Statement(update(_F).where(_own).values(recovery_hashes=bindparam("hashes")))
REMOVE = Statement(delete(_F).where(_own, _F.c.confirmed_at.is_not(None)))
REVOKE_TOKENS = Statement(
    update(_U)
    .where(func.lower(_U.c.email) == func.lower(bindparam("email", type_=_U.c.email.type)))
    .values(session_version=_U.c.session_version + 1, updated_at=bindparam("now"))
    .returning(_U.c.id, _U.c.email)
)
PURGE = Statement(delete(_F).where(_F.c.confirmed_at.is_(None), _F.c.created_at < bindparam("oldest")))


@operation("two_factor.read", Permission.session)
async def read_two_factor(ctx: Context, _: Empty) -> TwoFactorView:
    """Whether logging in asks for a code, and how many recovery codes are left."""
    return await _status(ctx)


@operation("two_factor.begin", Permission.session)
async def begin_two_factor(ctx: Context, form: BeginTwoFactor) -> EnrolmentView:
    """Show a new secret. The second factor is off until a code confirms it; a later call replaces the secret."""
    account = await read_own_account(ctx)
    if account["codes_used"] is not None:
        raise SecondFactorOn
    await require_password_if_any(ctx, form.password, account["password_hash"])
    secret, now = new_totp_secret(), ctx.real_clock.now()
    async with ctx.database.transaction() as transaction:
        encrypted = ctx.services.vault.encrypt(secret)
        if not await transaction.run(BEGIN, user_id=ctx.actor.user_id, secret=encrypted, now=now):
            raise SecondFactorOn
        await record(ctx, transaction, "account.two_factor_begun", ctx.actor.user_id)
    url = _otpauth_url(ctx, account["email"], secret)
    # Not `qr.data_url`, which caches what it draws.
    image = "data:image/png;base64," + b64encode(qr.png(url)).decode()
    return EnrolmentView.of(
        {"secret": secret, "otpauth_url": url, "qr_code_url": image, "expires_at": now + CONFIRMATION_PERIOD}
    )


@operation("two_factor.confirm", Permission.session)
async def confirm_two_factor(ctx: Context, form: ConfirmTwoFactor) -> TwoFactorEnabledView:
    """Turn the second factor on with a code of it; every older session ends, and the answer carries a new one."""
    user_id, now = ctx.actor.user_id, ctx.real_clock.now()
    account, factor = await read_own_account(ctx), await ctx.database.one(FACTOR, user_id=user_id)
    if factor is not None and factor["confirmed_at"] is not None:
        raise SecondFactorOn
    if factor is None or factor["created_at"] + CONFIRMATION_PERIOD <= now:
        raise SecondFactorOff(NOT_BEGUN)
    async with guarded_code(ctx, account, form.code):
        step = step_of(ctx, factor, form.code)
    codes, hashes = new_recovery_codes(user_id)
    async with ctx.database.transaction() as transaction:
        confirmed = {"user_id": user_id, "secret": factor["secret"], "now": now, "step": step, "hashes": hashes}
        if not await transaction.run(CONFIRM, **confirmed):
            raise SecondFactorOff(NOT_BEGUN)
        session, ended = await replace_sessions(ctx, transaction)
        await _notify_owner(ctx, transaction, account, TwoFactorChange.enabled)
        changes = {"two_factor": {"from": False, "to": True}, "sessions": {"from": ended}}
        await record(ctx, transaction, "account.two_factor_enabled", user_id, changes=changes)
    return TwoFactorEnabledView.of({"recovery_codes": codes, "session": session})


@operation("two_factor.renew_recovery_codes", Permission.session)
async def renew_recovery_codes(ctx: Context, form: ProveTwoFactor) -> RecoveryCodesView:
    """Replace the recovery codes; the earlier ones are no longer valid."""
    codes, hashes = new_recovery_codes(ctx.actor.user_id)
    async with _verified(ctx, form, TwoFactorChange.renewed) as (transaction, used):
        await transaction.run(RENEW_RECOVERY_CODES, user_id=ctx.actor.user_id, hashes=hashes)
        changes = used.changes | {"recovery_codes_left": len(codes)}
        await record(ctx, transaction, "account.recovery_codes_renewed", ctx.actor.user_id, changes=changes)
    return RecoveryCodesView.of({"recovery_codes": codes})


@operation("two_factor.disable", Permission.session)
async def disable_two_factor(ctx: Context, form: ProveTwoFactor) -> TwoFactorView:
    """Turn the second factor off."""
    async with _verified(ctx, form, TwoFactorChange.disabled) as (transaction, used):
        await transaction.run(REMOVE, user_id=ctx.actor.user_id)
        changes = used.changes | {"two_factor": {"from": True, "to": False}}
        await record(ctx, transaction, "account.two_factor_disabled", ctx.actor.user_id, changes=changes)
    return await _status(ctx)


async def reset_two_factor(ctx: Context, email: str) -> None:
    """Remove the second factor of an account whose phone and recovery codes are lost.

    `gateway admin reset-two-factor`. The account's sessions end too: one of them may be on the lost phone. Raises
    `NotFound` and `SecondFactorOff`.
    """
    async with ctx.database.transaction() as transaction:
        account = await transaction.one(REVOKE_TOKENS, email=email.strip(), now=ctx.real_clock.now())
        if account is None:
            raise NotFound(f"there is no account with the e-mail {email}")
        user_id: str = account["id"]
        if not await transaction.run(REMOVE, user_id=user_id):
            raise SecondFactorOff("two-factor login is not active for this account")
        ended = await delete_sessions(transaction, user_id)
        await _notify_owner(ctx, transaction, account, TwoFactorChange.reset)
        changes = {"two_factor": {"from": True, "to": False}, "sessions": {"from": ended}}
        await record(ctx, transaction, "account.two_factor_reset", user_id, changes=changes, store_id=user_id)


async def purge_unconfirmed_factors(ctx: Context) -> None:
    """Delete secrets that were not confirmed in time."""
    await ctx.database.run(PURGE, oldest=ctx.real_clock.now() - CONFIRMATION_PERIOD)


async def _status(ctx: Context) -> TwoFactorView:
    row = await ctx.database.single(STATUS, user_id=ctx.actor.user_id)
    return TwoFactorView.of(
        {
            "enabled": row["confirmed_at"] is not None,
            "enabled_at": row["confirmed_at"],
            "recovery_codes_left": row["left"] or 0,
            "required": ctx.settings.staff_requires_2fa and row["is_admin"],
        }
    )


@asynccontextmanager
async def _verified(
    ctx: Context, form: ProveTwoFactor, change: TwoFactorChange
) -> AsyncIterator[tuple[Transaction, UsedCode]]:
    """A transaction that uses up the code, after the password was verified, and notifies the owner."""
    user_id, account = ctx.actor.user_id, await read_own_account(ctx)
    factor = await ctx.database.one(FACTOR, user_id=user_id)
    if factor is None or factor["confirmed_at"] is None:
        raise SecondFactorOff
    await require_password_if_any(ctx, form.password, account["password_hash"])
    async with guarded_code(ctx, account, form.code), ctx.database.transaction() as transaction:
        used = await use_code(ctx, transaction, user_id, factor, form.code)
        await _notify_owner(ctx, transaction, account, change)
        yield transaction, used


async def _notify_owner(ctx: Context, transaction: Executor, account: Row, change: TwoFactorChange) -> None:
    user_id, now = account["id"], ctx.real_clock.now()
    link = ctx.settings.panel_page("/ajustes/seguranca")
    mail = TwoFactorChanged(user_id=user_id, email=account["email"], at=now, ip=ctx.origin.ip, change=change, link=link)
    await enqueue(ctx, transaction, EmailMessage(mail, user_id))


def _otpauth_url(ctx: Context, email: str, secret: str) -> str:
    """The URL that authenticator apps read. The issuer comes first, so that users can tell accounts apart."""
    issuer = ctx.settings.mail_sender.display_name
    query = {"secret": secret, "issuer": issuer, "algorithm": "SHA1", "digits": 6, "period": 30}
    return f"otpauth://totp/{quote(f'{issuer}:{email}')}?{urlencode(query, quote_via=quote)}"
